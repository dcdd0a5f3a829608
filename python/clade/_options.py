"""Keywords of functions that mirror commands, sorted by whom they concern."""

from __future__ import annotations

import functools
import json
from typing import Any, Iterable, Mapping

from clade import _core
from clade._runtime import texts_of


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
    found: list[dict[str, str]] = []
    for table in tables:
        names = option_names(table)
        found.append({name: text for name, text in given.items() if name in names})
    known = set().union(*found)
    unknown = sorted(given.keys() - known)
    if unknown:
        name = unknown[0].replace("-", "_")
        raise TypeError(f"{function}() has no option '{name}'; expected one of its command (docs/reference.md)")
    return found
