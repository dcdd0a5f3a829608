"""Packages that only some results need, imported when they do."""

from __future__ import annotations

import importlib
from typing import Any, Mapping, Sequence


def needed(package: str, purpose: str) -> Any:
    """A package that may be missing."""
    try:
        return importlib.import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        raise ImportError(f"{purpose}: the package {name} is missing; expected it (pip install {name})") from None


def frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """A frame of pandas with a row per mapping; `columns` come first, in that order, and others after them."""
    pandas = needed("pandas", "frames")
    found = list(dict.fromkeys(name for row in rows for name in row))
    if columns is None:
        return pandas.DataFrame.from_records(list(rows), columns=found)
    ordered = [*columns, *(name for name in found if name not in columns)]
    return pandas.DataFrame.from_records([{name: row.get(name) for name in ordered} for row in rows], columns=ordered)
