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


def method_parameters(methods: str, name: str) -> frozenset[str]:
    """The parameters of a method, by their names on the command line; empty if there is no such method."""
    for method in json.loads(methods):
        if method["name"] == name:
            return frozenset(parameter["name"] for parameter in method["parameters"])
    return frozenset()


def select_request(
    select: Any, parameters: Mapping[str, Any] | None = None, top: Any = None, nodes: Iterable[str] = ()
) -> dict[str, Any]:
    """What the library is asked to select: with a method by name and parameters for it, or with a selector's own."""
    kept = "" if top is None else texts_of({"top": top})["top"]
    if not isinstance(select, str):
        method = getattr(select, "_method", "")
        if not method:
            kind = type(select).__name__
            raise TypeError(f"`select` is {kind}; expected the name of a selector, or a selector of Clade")
        parameters = {
            name: value
            for name, value in select.get_params(deep=False).items()
            if name in select._own or name.replace("_", "-") in option_names("select")
        }
        own_top = getattr(select, "top", None)
        kept = kept or ("" if own_top is None else texts_of({"top": own_top})["top"])
        nodes = nodes or getattr(select, "nodes", None) or ()
        select = method
    texts = texts_of(parameters or {})
    own = method_parameters(_core.selectors(), select)
    general = {name for name in texts if name in option_names("select") and name not in own}
    return {
        "method": select,
        "parameters": {name: text for name, text in texts.items() if name not in general},
        "options": {name: text for name, text in texts.items() if name in general},
        "nodes": [str(node) for node in nodes],
        "top": kept,
    }
