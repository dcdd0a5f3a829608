"""What people state hierarchies with: names, edges, levels and nested values, taken apart."""

from __future__ import annotations

from typing import Any, Literal, Mapping, Sequence

import numpy as np

Order = Literal["auto", "parent-child", "child-parent"]

# Between levels that are joined to a name: the first of them that stands in no name.
FREE_SEPARATORS = ("/", "::", " > ", "\x1f")


def name_of(node: Any) -> str:
    """The name of a node that may be a number; frames make 1 to 1.0 where a column has gaps."""
    if isinstance(node, str):
        return node
    value = node.item() if isinstance(node, np.generic) else node
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_missing(value: Any) -> bool:
    """None, NaN, NaT or pandas.NA, which is not even equal to itself in a way that is true or false."""
    if value is None:
        return True
    if isinstance(value, (str, list, tuple, set, frozenset, np.ndarray)):
        return False
    try:
        return bool(value != value)
    except TypeError:
        return True


def is_name(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float, np.generic))


def edge_columns(frame: Any) -> tuple[Any, Any] | None:
    """The columns that are called parent and child."""
    known = {str(column).lower(): column for column in frame.columns}
    return (known["parent"], known["child"]) if "parent" in known and "child" in known else None


def pairs_of(edges: Any, order: Order) -> list[tuple[Any, Any]]:
    rows: list[tuple[Any, ...]]
    if hasattr(edges, "columns"):
        named = edge_columns(edges)
        if named is not None:
            return list(zip(edges[named[0]], edges[named[1]]))
        rows = list(zip(edges.iloc[:, 0], edges.iloc[:, 1]))
    else:
        rows = [tuple(row) if not isinstance(row, str) else (row,) for row in edges]
    for number, row in enumerate(rows):
        if len(row) != 2:
            raise ValueError(f"edges: number {number} has {len(row)} names; expected a parent and a child")
    return [(row[1], row[0]) if order == "child-parent" else (row[0], row[1]) for row in rows]


def levels_of(row: Any, number: int) -> list[str]:
    cells = [row] if isinstance(row, str) else list(row)
    names = ["" if is_missing(cell) else name_of(cell) for cell in cells]
    while names and names[-1] == "":
        names.pop()
    if not names or "" in names:
        problem = "a gap" if names else "no name"
        raise ValueError(f"paths: row {number} has {problem}; expected names from the first level down")
    return names


def nested_entries(below: Any) -> Sequence[tuple[str, Any]]:
    """The nodes that a nested value states, each with what is below it."""
    if below is None:
        return []
    if isinstance(below, Mapping):
        if isinstance(below.get("name"), str) and set(below) <= {"name", "children"}:
            return [(below["name"], below.get("children"))]
        return [(name_of(name), children) for name, children in below.items()]
    if is_name(below):
        return [(name_of(below), None)]
    return [entry for part in below for entry in nested_entries(part)]
