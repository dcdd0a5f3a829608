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
    lines: list[str] = []
    tables: list[tuple[str, Mapping[str, Any]]] = []
    for key, value in document.items():
        if isinstance(value, Mapping):
            tables.append((f"[{_key(key)}]", value))
        elif isinstance(value, (list, tuple)) and value and all(isinstance(entry, Mapping) for entry in value):
            tables.extend((f"[[{_key(key)}]]", entry) for entry in value)
        else:
            lines.extend(_line(key, value))
    for header, table in tables:
        lines += ["", header]
        for key, value in table.items():
            lines.extend(_line(key, value))
    return "\n".join(lines) + "\n"


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
