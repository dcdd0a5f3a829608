"""The labels of samples, in any of the layouts in which people have them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, Literal, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse

from clade import _core
from clade._runtime import logger
from clade._tree_inputs import FREE_SEPARATORS, is_missing, name_of

__all__ = ["LabelCoding", "Layout", "ParsedLabels", "parse_labels"]

Layout = Literal["auto", "names", "sets", "levels", "indicator"]

_LAYOUTS = ("auto", "names", "sets", "levels", "indicator")


@dataclass(frozen=True)
class ParsedLabels:
    """Labels as the library takes them, and how to turn nodes back into what the user wrote."""

    taxonomy: _core.Taxonomy
    layout: str  # "names": one per sample; "sets": several; "levels": a path per row; "indicator": a column per class
    classes: npt.NDArray[Any]  # the distinct labels, sorted; for "levels" the names of the nodes
    class_nodes: npt.NDArray[np.int32]  # the node of each class; no two are the same
    codes: npt.NDArray[np.int32]  # the classes of all samples, one after the other
    offsets: npt.NDArray[np.int64]  # samples + 1
    separator: str  # between the levels in the names of nodes; empty: labels are no paths
    class_rows: tuple[tuple[Any, ...], ...] = field(default=())  # "levels": the row of each class, as it was written

    def core(self) -> _core.Labels:
        return _core.Labels(self.class_nodes, self.codes, self.offsets)

    @property
    def samples(self) -> int:
        return len(self.offsets) - 1


def parse_labels(
    y: Any,
    taxonomy: _core.Taxonomy | None = None,
    layout: str = "auto",
    path_separator: str | None = None,
    allow_unknown: bool = False,
    columns: Any = None,
) -> ParsedLabels:
    """Understands labels.

    names      a sequence of labels, one per sample
    sets       a sequence of sequences of labels: a sample may have several, or none
    levels     rows of a two-dimensional array or a frame, from the first level below the root to the last; empty texts
               and None fill short rows (the layout of HiClass)
    indicator  a matrix of 0 and 1 with a column per class, dense or sparse. A frame's columns name the classes; those
               of an array are classes 0, 1, 2, ... and have no place in a taxonomy, unless `columns` names them
    auto       a frame of 0 and 1 is an indicator if its columns are classes of the taxonomy, or if there is none; any
               other frame has levels. An array of 0 and 1 with two or more columns, and any sparse matrix, is an
               indicator; any other array of two dimensions has levels. Lists of lists are sets; the rest are names

    Labels are nodes of the taxonomy, by name or by a path that ends there. Without one, texts that are paths make a
    tree, as in files: parts are separated by `path_separator`, or by what is recognised among them (None); with an
    empty text they are no paths. The levels of rows make such paths, too; other labels have a root above them.

    With `allow_unknown`, labels that are not in the taxonomy have the node -1, which the library does not take.
    """
    if layout not in _LAYOUTS:
        raise ValueError(f"label_layout is {layout!r}; expected one of {', '.join(map(repr, _LAYOUTS))}")
    chosen = _layout_of(y, taxonomy, path_separator) if layout == "auto" else layout
    if chosen == "levels":
        return _parse_levels(y, taxonomy, allow_unknown)
    if chosen == "indicator":
        return _parse_indicator(y, taxonomy, path_separator, allow_unknown, columns)
    if chosen == "sets":
        sets = [_as_set(labels) for labels in y]
        offsets = np.zeros(len(sets) + 1, dtype=np.int64)
        np.cumsum([len(labels) for labels in sets], out=offsets[1:])
        flat = _object_array([label for labels in sets for label in labels])
    else:
        flat = _column(y)
        offsets = np.arange(len(flat) + 1, dtype=np.int64)
    classes, codes = _unique(flat)
    return _assembled(chosen, classes, codes, offsets, taxonomy, path_separator, allow_unknown)


def core_taxonomy(taxonomy: Any) -> _core.Taxonomy | None:
    """The library's taxonomy of anything that `Taxonomy.of` understands."""
    if taxonomy is None or isinstance(taxonomy, _core.Taxonomy):
        return taxonomy
    from clade.taxonomy import Taxonomy

    return Taxonomy.of(taxonomy)._core


def no_labels(samples: int) -> ParsedLabels:
    """For samples whose labels are not known."""
    empty = np.zeros(0, dtype=np.int32)
    nothing = _core.Taxonomy.flat(["?"])
    classes = np.zeros(0, dtype=object)
    return ParsedLabels(nothing, "names", classes, empty, empty, np.zeros(samples + 1, dtype=np.int64), "")


def _layout_of(
    y: Any, taxonomy: _core.Taxonomy | None = None, path_separator: str | None = None
) -> Literal["names", "sets", "levels", "indicator"]:
    if scipy.sparse.issparse(y):
        return "indicator"
    if hasattr(y, "columns"):  # a frame
        names_classes = _is_indicator(np.asarray(y)) and _are_classes(y.columns, taxonomy, path_separator)
        return "indicator" if names_classes else "levels"
    if isinstance(y, np.ndarray):
        if y.ndim == 2 and y.shape[1] == 1 and y.dtype.kind not in "OU":
            return "names"
        if y.ndim == 2:
            return "indicator" if _is_indicator(y) else "levels"
        if y.ndim == 1 and y.dtype == object and len(y) > 0 and _is_set(y[0]):
            return "sets"
        return "names"
    if not hasattr(y, "__iter__"):
        return "names"
    for labels in y:
        return "sets" if _is_set(labels) else "names"
    return "names"


def _is_indicator(matrix: npt.NDArray[Any]) -> bool:
    """Paths of nothing but 0 and 1 would be no hierarchy that anyone has."""
    if matrix.ndim != 2 or matrix.shape[1] < 2 or matrix.dtype.kind not in "biuf":
        return False
    return bool(np.all((matrix == 0) | (matrix == 1)))


def _are_classes(columns: Any, taxonomy: _core.Taxonomy | None, path_separator: str | None) -> bool:
    if taxonomy is None:
        return True
    try:
        _core.resolved_labels([name_of(column) for column in columns], taxonomy, path_separator)
    except _core.InputError:
        return False
    return True


def _is_set(labels: Any) -> bool:
    return isinstance(labels, (list, tuple, set, frozenset, np.ndarray))


def _as_set(labels: Any) -> list[Any]:
    if not _is_set(labels):
        raise ValueError(f"labels: {labels!r} stands where other samples have lists; expected a list for each sample")
    return list(dict.fromkeys(labels))


def _object_array(labels: Sequence[Any]) -> npt.NDArray[Any]:
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=str) if labels else np.zeros(0, dtype="<U1")
    if any(isinstance(label, str) for label in labels):
        raise ValueError("labels are partly texts and partly numbers; expected one kind of them")
    return np.asarray(labels)


def _column(y: Any) -> npt.NDArray[Any]:
    # Of a list of texts and numbers NumPy would make texts.
    array = np.asarray(y, dtype=object) if isinstance(y, (list, tuple)) else np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"labels of {array.ndim} dimensions; expected one label per sample")
    if array.dtype.kind in "OfcmM":
        missing = next((number for number, label in enumerate(array) if is_missing(label)), None)
        if missing is not None:
            raise ValueError(f"labels: sample {missing} has {array[missing]}; expected a label")
    if array.dtype == object:
        array = _object_array([label.item() if isinstance(label, np.generic) else label for label in array])
    return array


def _unique(flat: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    classes, codes = np.unique(flat, return_inverse=True)
    return classes, codes.reshape(-1).astype(np.int32)


def _assembled(
    layout: str,
    classes: npt.NDArray[Any],
    codes: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    taxonomy: _core.Taxonomy | None,
    path_separator: str | None,
    allow_unknown: bool,
    class_rows: tuple[tuple[Any, ...], ...] = (),
) -> ParsedLabels:
    names = [name_of(label) for label in classes]
    if classes.dtype.kind not in "OU":
        path_separator = ""  # numbers are no paths
    if taxonomy is None:
        if not names:
            raise ValueError("no sample has a label; expected labels, or a taxonomy")
        tree, nodes, separator, notes = _core.implied_labels(names, path_separator)
        for note in notes:
            logger.info(note)
    else:
        tree, nodes, separator = taxonomy, _resolved(names, taxonomy, path_separator, allow_unknown), ""
    kept, first, merged = np.unique(nodes, return_index=True, return_inverse=True)
    if len(kept) < len(nodes):  # labels that mean the same node, such as `a/b` and `a / b`, are one class
        order = np.sort(first)
        number = np.searchsorted(order, first)
        codes = number[merged][codes].astype(np.int32)
        classes, nodes = classes[order], np.ascontiguousarray(nodes[order])
        class_rows = tuple(class_rows[k] for k in order) if class_rows else ()
    return ParsedLabels(tree, layout, classes, nodes, codes, offsets, separator, class_rows)


def _resolved(
    names: list[str], taxonomy: _core.Taxonomy, path_separator: str | None, allow_unknown: bool
) -> npt.NDArray[np.int32]:
    try:
        return _core.resolved_labels(names, taxonomy, path_separator)
    except _core.InputError:
        if not allow_unknown:
            raise
    nodes = np.full(len(names), -1, dtype=np.int32)
    for number, name in enumerate(names):
        with contextlib.suppress(_core.InputError):
            nodes[number] = _core.resolved_labels([name], taxonomy, path_separator)[0]
    return nodes


def level_rows(y: Any) -> npt.NDArray[Any]:
    """Rows of levels as a table; lists of different lengths are filled with None."""
    if not isinstance(y, np.ndarray) and not hasattr(y, "columns"):
        cells = [list(row) if _is_set(row) else [row] for row in y]
        longest = max(map(len, cells), default=1)
        y = np.array([row + [None] * (longest - len(row)) for row in cells], dtype=object).reshape(len(cells), longest)
    rows = np.asarray(y, dtype=object)
    if rows.ndim == 1:
        rows = rows.reshape(-1, 1)
    if rows.ndim != 2:
        raise ValueError(f"labels of {rows.ndim} dimensions; expected a row of levels per sample")
    return rows


def _parse_levels(y: Any, taxonomy: _core.Taxonomy | None, allow_unknown: bool) -> ParsedLabels:
    rows = level_rows(y)
    distinct: dict[tuple[Any, ...], int] = {}  # most rows repeat others
    first: list[int] = []
    numbers = np.zeros(len(rows), dtype=np.int64)
    for sample, row in enumerate(map(tuple, rows.tolist())):
        number = distinct.setdefault(row, len(distinct))
        if number == len(first):
            first.append(sample)
        numbers[sample] = number
    paths = [_path(row, sample) for row, sample in zip(distinct, first)]
    texts = [[name_of(cell) for cell in path] for path in paths]
    separator = _free_separator(texts)
    joined = np.array([separator.join(path) for path in texts], dtype=str) if paths else np.zeros(0, dtype="<U1")
    classes, at, merged = np.unique(joined, return_index=True, return_inverse=True)
    codes = merged.reshape(-1)[numbers].astype(np.int32)
    offsets = np.arange(len(rows) + 1, dtype=np.int64)
    written = tuple(tuple(paths[k]) for k in at)
    return _assembled("levels", classes, codes, offsets, taxonomy, separator, allow_unknown, written)


def _path(row: Sequence[Any], number: int) -> list[Any]:
    cells = [
        "" if is_missing(cell) else cell.item() if isinstance(cell, np.generic) else cell for cell in row
    ]
    while cells and cells[-1] == "":
        cells.pop()
    if not cells or "" in cells:
        found = "a gap" if cells else "no label"
        raise ValueError(f"labels: row {number} has {found}; expected a path from the first level down")
    return cells


def _free_separator(paths: list[list[str]]) -> str:
    """Something that stands in no name."""
    for separator in FREE_SEPARATORS:
        if not any(separator in cell for path in paths for cell in path):
            return separator
    raise ValueError("labels contain every separator that could join their levels; expected names without '/'")


def _parse_indicator(
    y: Any, taxonomy: _core.Taxonomy | None, path_separator: str | None, allow_unknown: bool, columns: Any
) -> ParsedLabels:
    named = y.columns if hasattr(y, "columns") else columns
    matrix = scipy.sparse.csr_matrix(y if scipy.sparse.issparse(y) else np.asarray(y))
    matrix.sort_indices()
    matrix.eliminate_zeros()
    if len(matrix.data) > 0 and not np.all(matrix.data == 1):
        raise ValueError("labels: an indicator matrix has other values than 0 and 1; expected these")
    if named is not None:
        classes = _object_array([name.item() if isinstance(name, np.generic) else name for name in named])
        if len(classes) != matrix.shape[1]:
            raise ValueError(
                f"labels: an indicator matrix of {matrix.shape[1]} columns for {len(classes)} classes; expected a "
                "column per class"
            )
    elif taxonomy is not None:
        raise ValueError(
            "labels: the columns of an array of 0 and 1 do not say which classes of the taxonomy they are; expected a "
            "frame whose columns name the classes"
        )
    else:
        classes = np.arange(matrix.shape[1])
    return _assembled(
        "indicator",
        classes,
        np.asarray(matrix.indices, dtype=np.int32),
        np.asarray(matrix.indptr, dtype=np.int64),
        taxonomy,
        path_separator,
        allow_unknown,
    )


@dataclass
class LabelCoding:
    """How nodes of a model become labels as the user wrote them; what is left of the labels after training."""

    layout: str
    classes: npt.NDArray[Any]  # in the order of the columns of probabilities
    class_nodes: npt.NDArray[np.int32]
    level_names: dict[int, Any]  # "levels": what the user calls a node at its level
    levels: int  # "levels": columns of the rows that were given

    @classmethod
    def of(cls, labels: ParsedLabels, extra: Sequence[int] = ()) -> LabelCoding:
        """The coding of parsed labels; `extra` are nodes that can be predicted though no sample has them."""
        tree = labels.taxonomy
        known = set(labels.class_nodes.tolist())
        new = [node for node in extra if node not in known] if labels.layout != "indicator" else []
        classes, nodes = labels.classes, labels.class_nodes
        if new:
            names = [_like(tree.name(node), classes) for node in new]
            classes = np.concatenate([classes, _object_array(names)]) if len(classes) > 0 else _object_array(names)
            nodes = np.concatenate([nodes, np.array(new, dtype=np.int32)])
            order = np.argsort(classes, kind="stable")
            classes, nodes = classes[order], np.ascontiguousarray(nodes[order])
        level_names: dict[int, Any] = {}
        for node, row in zip(labels.class_nodes.tolist(), labels.class_rows):
            path = path_to(tree, node)[-len(row) :]
            if len(path) == len(row):
                level_names.update(zip(path, row))
        longest = max((len(row) for row in labels.class_rows), default=0)
        return cls(labels.layout, classes, nodes, level_names, longest)

    def labels_of(self, nodes: npt.NDArray[Any], taxonomy: _core.Taxonomy) -> npt.NDArray[Any]:
        """The label of each node; nodes that are no class, by their names."""
        number = self.columns_of(nodes, len(taxonomy))
        if len(number) == 0 or number.min() >= 0:
            known: npt.NDArray[Any] = self.classes[number]
            return known
        labels = [
            self.classes[code] if code >= 0 else _like(taxonomy.name(int(node)), self.classes)
            for code, node in zip(number.tolist(), nodes.tolist())
        ]
        if self.classes.dtype.kind == "U":
            return np.array(labels, dtype=str)
        labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
        if all(isinstance(label, int) for label in labels):
            return np.array(labels)
        return _objects(labels)

    def decode(
        self, offsets: npt.NDArray[Any], nodes: npt.NDArray[Any], taxonomy: _core.Taxonomy, several: bool
    ) -> npt.NDArray[Any]:
        """Predicted nodes in the layout of the labels; `several`: every sample gets a list, whatever the layout."""
        if self.layout == "indicator":
            number = self.columns_of(nodes, len(taxonomy))
            matrix = np.zeros((len(offsets) - 1, len(self.classes)), dtype=np.int64)
            sample = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
            matrix[sample[number >= 0], number[number >= 0]] = 1
            return matrix
        if self.layout == "levels" and not several:
            return self._rows(nodes[offsets[:-1]], taxonomy)
        if self.layout == "names" and not several:
            return self.labels_of(nodes[offsets[:-1]], taxonomy)
        labels = self.labels_of(nodes, taxonomy)
        plain = labels.tolist()
        return _objects([plain[begin:end] for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist())])

    def columns_of(self, nodes: npt.NDArray[Any], size: int) -> npt.NDArray[np.int64]:
        """The column of each node, -1 where it is no class; `size` is the number of all nodes."""
        table = np.full(size, -1, dtype=np.int64)
        table[self.class_nodes] = np.arange(len(self.class_nodes))
        numbers: npt.NDArray[np.int64] = table[nodes]
        return numbers

    def _rows(self, nodes: npt.NDArray[Any], taxonomy: _core.Taxonomy) -> npt.NDArray[Any]:
        paths = {node: self.row_of(node, taxonomy) for node in set(nodes.tolist())}
        width = max([self.levels, *map(len, paths.values())])
        rows = np.full((len(nodes), width), "", dtype=object)
        for number, node in enumerate(nodes.tolist()):
            rows[number, : len(paths[node])] = paths[node]
        if all(isinstance(cell, str) for cell in rows.flat):
            return rows.astype(str)
        if all(isinstance(cell, int) for cell in rows.flat):
            return rows.astype(np.int64)
        return rows

    def row_of(self, node: int, taxonomy: _core.Taxonomy) -> list[Any]:
        """The labels of the levels down to a node."""
        path = path_to(taxonomy, node)
        if path and path[0] == 0 and 0 not in self.level_names:  # the root is no level, unless the user wrote it
            path = path[1:]
        return [self.level_names.get(step, taxonomy.name(step)) for step in path]


def path_to(taxonomy: _core.Taxonomy, node: int) -> list[int]:
    """The nodes from the root down to a node, by first parents."""
    path = [int(node)]
    while True:
        parents = taxonomy.parents(path[-1])
        if len(parents) == 0:
            return path[::-1]
        path.append(int(parents[0]))


def _like(name: str, classes: npt.NDArray[Any]) -> Any:
    """The name of a node as a label of the kind of the others."""
    if classes.dtype.kind in "iu":
        try:
            return int(name)
        except ValueError:
            return name
    return name


def _objects(items: Sequence[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(items), dtype=object)
    for number, item in enumerate(items):  # not at once: lists of the same length would become rows
        array[number] = item
    return array
