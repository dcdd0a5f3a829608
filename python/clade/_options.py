"""Keywords of functions that mirror commands, sorted by whom they concern."""

from __future__ import annotations

import difflib
import functools
import json
from typing import Any, Iterable, Mapping

from clade import _core
from clade._runtime import texts_of

_FEW = 12  # options that fit into a message


@functools.lru_cache(maxsize=None)
def option_names(table: str) -> frozenset[str]:
    """The options of a subject by their names on the command line; "reading" are those of reading files."""
    if table == "reading":
        subjects = [json.loads(text) for text in _core.reading_options().values()]
        return frozenset(option["name"] for options in subjects for option in options)
    return frozenset(option["name"] for option in json.loads(_core.options()[table]))


def sorted_options(options: Mapping[str, Any], tables: Iterable[str], function: str) -> list[dict[str, str]]:
    """The options of each table, as texts; raises TypeError for one that belongs to none of them."""
    given = texts_of(options)
    tables = list(tables)
    found: list[dict[str, str]] = []
    for table in tables:
        names = option_names(table)
        found.append({name: text for name, text in given.items() if name in names})
    known = set().union(*found)
    unknown = sorted(given.keys() - known)
    if unknown:
        raise _no_option(function, unknown[0], set().union(*map(option_names, tables)))
    return found


def _no_option(function: str, name: str, known: Iterable[str]) -> TypeError:
    """An error that names the nearest option, all of a few, or where many are listed."""
    keywords = [option.replace("-", "_") for option in sorted(known)]
    name = name.replace("-", "_")
    near = difflib.get_close_matches(name, keywords, 1)
    if near:
        expected = f"did you mean '{near[0]}'?"
    elif len(keywords) <= _FEW:
        expected = f"expected one of {', '.join(keywords)}"
    else:
        expected = "expected one of its command (docs/reference.md)"
    return TypeError(f"{function}() has no option '{name}'; {expected}")
