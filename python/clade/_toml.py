"""Python's dicts as TOML, as far as experiment files need it."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Mapping

import numpy as np

_BARE_KEY = re.compile(r"[A-Za-z0-9-]+")


def toml_text(document: Mapping[str, Any]) -> str:
    """A document: lists of dicts become tables of their own, and dicts inside other values inline ones.

    >>> print(toml_text({"seed": 3, "recipe": [{"name": "a", "parameters": {"top_k": [1, 2]}}]}))
    seed = 3
    <BLANKLINE>
    [[recipe]]
    name = "a"
    parameters = { top-k = [1, 2] }
    <BLANKLINE>
    """
    return "\n".join(line for line, _ in _placed_lines(document, {})) + "\n"


def toml_places(document: Mapping[str, Any], written: Mapping[str, str]) -> list[str]:
    """For each line of `toml_text`, the keys that lead to it, as Python has them; `written` has other names of keys.

    >>> toml_places({"seed": 3, "recipe": [{"name": "a"}]}, {"recipe": "recipes"})
    ["['seed']", '', "['recipes'][0]", "['recipes'][0]['name']"]
    """
    return [place for _, place in _placed_lines(document, written)]


def _placed_lines(document: Mapping[str, Any], written: Mapping[str, str]) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    tables: list[tuple[str, str, Mapping[str, Any]]] = []
    for key, value in document.items():
        place = f"[{written.get(key, key)!r}]"
        if isinstance(value, Mapping):
            tables.append((f"[{_key(key)}]", place, value))
        elif isinstance(value, (list, tuple)) and value and all(isinstance(entry, Mapping) for entry in value):
            tables.extend((f"[[{_key(key)}]]", f"{place}[{number}]", entry) for number, entry in enumerate(value))
        else:
            lines.extend((line, place) for line in _line(key, value))
    for header, place, table in tables:
        lines += [("", ""), (header, place)]
        for key, value in table.items():
            lines.extend((line, f"{place}[{key!r}]") for line in _line(key, value))
    return lines


def _line(key: Any, value: Any) -> list[str]:
    return [] if value is None else [f"{_key(key)} = {_value(value)}"]


def _key(key: Any) -> str:
    name = str(key).rstrip("_").replace("_", "-")
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _value(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return _string(os.fspath(value))
    if isinstance(value, Mapping):
        inner = [line for key, part in value.items() for line in _line(key, part)]
        return "{ " + ", ".join(inner) + " }" if inner else "{}"
    if isinstance(value, (list, tuple, set, np.ndarray)):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    raise TypeError(f"{value!r} in an experiment; expected a text, a number, a truth value, a list or a dict")


def _string(text: str) -> str:
    # The escapes of JSON are those of TOML, except for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
