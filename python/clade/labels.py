"""The labels of samples, in any of the layouts in which people have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core

Layout = Literal["auto", "names", "sets", "levels"]

_ROOT = "(root)"


@dataclass(frozen=True)
class ParsedLabels:
    """Labels as the library takes them, and how to turn nodes back into what the user wrote."""

    taxonomy: _core.Taxonomy
    layout: str  # "names": one per sample; "sets": several; "levels": a path per row, level by level
    classes: npt.NDArray[Any]  # the distinct labels, sorted; for "levels" the names of the nodes
    class_nodes: npt.NDArray[np.int32]  # the node of each class
    codes: npt.NDArray[np.int32]  # the classes of all samples, one after the other
    offsets: npt.NDArray[np.int64]  # samples + 1
    separator: str  # between the levels in the names of nodes; empty: labels are no paths

    def core(self) -> _core.Labels:
        return _core.Labels(self.class_nodes, self.codes, self.offsets)

    @property
    def samples(self) -> int:
        return len(self.offsets) - 1


def parse_labels(
    y: Any, taxonomy: _core.Taxonomy | None = None, layout: Layout = "auto", path_separator: str | None = None
) -> ParsedLabels:
    """Understands labels.

    names   a sequence of labels, one per sample
    sets    a sequence of sequences of labels: a sample may have several, or none
    levels  rows of a two-dimensional array or a frame, from the first level below the root to the last; empty texts and
            None fill short rows (the layout of HiClass)

    Labels are nodes of the taxonomy, by name. Without one, labels with `path_separator` in them are paths, whose nodes
    are named by the whole path; the levels of an array make such paths, too; other labels have a root above them.
    """
    chosen = _layout_of(y) if layout == "auto" else layout
    if chosen == "levels":
        return _parse_levels(y, taxonomy)
    if chosen == "sets":
        sets = [_as_set(labels) for labels in y]
        offsets = np.zeros(len(sets) + 1, dtype=np.int64)
        np.cumsum([len(labels) for labels in sets], out=offsets[1:])
        flat = _object_array([label for labels in sets for label in labels])
    else:
        flat = _column(y)
        offsets = np.arange(len(flat) + 1, dtype=np.int64)
    classes, codes = np.unique(flat, return_inverse=True)
    names = [_name(label) for label in classes]
    tree, separator = _taxonomy_for(names, taxonomy, path_separator)
    return ParsedLabels(tree, chosen, classes, _nodes_of(tree, names), codes.astype(np.int32), offsets, separator)


def no_labels(samples: int) -> ParsedLabels:
    """For samples whose labels are not known."""
    empty = np.zeros(0, dtype=np.int32)
    return ParsedLabels(
        _core.Taxonomy.flat(["?"]), "names", np.zeros(0, dtype=object), empty, empty, np.zeros(samples + 1, dtype=np.int64), ""
    )


def _layout_of(y: Any) -> Literal["names", "sets", "levels"]:
    if hasattr(y, "columns"):  # a frame
        return "levels"
    if isinstance(y, np.ndarray):
        if y.ndim == 2 and y.shape[1] == 1 and y.dtype.kind not in "OU":
            return "names"
        if y.ndim == 2:
            return "levels"
        if y.ndim == 1 and y.dtype == object and len(y) > 0 and _is_set(y[0]):
            return "sets"
        return "names"
    for labels in y:
        return "sets" if _is_set(labels) else "names"
    return "names"


def _is_set(labels: Any) -> bool:
    return isinstance(labels, (list, tuple, set, frozenset, np.ndarray))


def _as_set(labels: Any) -> list[Any]:
    if not _is_set(labels):
        raise ValueError(f"labels: {labels!r} stands where other samples have lists; expected a list for each sample")
    return list(dict.fromkeys(labels))


def _object_array(labels: Sequence[Any]) -> npt.NDArray[Any]:
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=str) if labels else np.zeros(0, dtype="<U1")
    return np.asarray(labels)


def _column(y: Any) -> npt.NDArray[Any]:
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"labels of {array.ndim} dimensions; expected one label per sample")
    if array.dtype == object:
        array = _object_array([label.item() if isinstance(label, np.generic) else label for label in array])
    return array


def _name(label: Any) -> str:
    return label if isinstance(label, str) else str(label.item() if isinstance(label, np.generic) else label)


def _taxonomy_for(
    names: list[str], taxonomy: _core.Taxonomy | None, path_separator: str | None
) -> tuple[_core.Taxonomy, str]:
    if taxonomy is not None:
        return taxonomy, ""
    if path_separator:
        return _core.Taxonomy.from_paths(names, path_separator), path_separator
    return _core.Taxonomy.flat(names), ""


def _nodes_of(taxonomy: _core.Taxonomy, names: list[str]) -> npt.NDArray[np.int32]:
    nodes = taxonomy.find(names)
    missing = np.flatnonzero(nodes < 0)
    if len(missing) > 0:
        raise _core.InputError(f"no class '{names[missing[0]]}'; expected nodes of the taxonomy")
    return nodes


def _parse_levels(y: Any, taxonomy: _core.Taxonomy | None) -> ParsedLabels:
    rows = np.asarray(y, dtype=object)
    if rows.ndim == 1:
        rows = rows.reshape(-1, 1)
    if rows.ndim != 2:
        raise ValueError(f"labels of {rows.ndim} dimensions; expected a row of levels per sample")
    paths = [_path(row, number) for number, row in enumerate(rows)]
    separator = _free_separator(paths)
    joined = np.array([separator.join(path) for path in paths], dtype=str) if paths else np.zeros(0, dtype="<U1")
    classes, codes = np.unique(joined, return_inverse=True)
    if taxonomy is None:
        tree = _core.Taxonomy.from_paths([str(name) for name in classes], separator)
        names = [str(name) for name in classes]
    else:
        tree, separator = taxonomy, ""
        names = [str(name).rsplit(_free_separator(paths), 1)[-1] for name in classes]
    offsets = np.arange(len(paths) + 1, dtype=np.int64)
    return ParsedLabels(tree, "levels", classes, _nodes_of(tree, names), codes.astype(np.int32), offsets, separator)


def _path(row: npt.NDArray[Any], number: int) -> list[str]:
    cells = ["" if cell is None or cell != cell else _name(cell) for cell in row]
    while cells and cells[-1] == "":
        cells.pop()
    if not cells or "" in cells:
        raise ValueError(f"labels: row {number} has {'no label' if not cells else 'a gap'}; expected a path from the first level down")
    return cells


def _free_separator(paths: list[list[str]]) -> str:
    """Something that stands in no name."""
    for separator in ("/", "::", " > ", "\x1f"):
        if not any(separator in cell for path in paths for cell in path):
            return separator
    raise ValueError("labels contain every separator that could join their levels; expected names without '/'")
