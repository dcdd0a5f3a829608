"""Nodes back into labels, in the layout and the types in which the user wrote them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core
from clade._tables import LabelColumns
from clade.labels import LabelCoding, ParsedLabels


def typed_array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """An array of the values' own type, of objects where they differ."""
    if len({type(value) for value in values}) == 1:
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@dataclass(frozen=True)
class Answers:
    """What stands for a node: the label that the user wrote, or its name."""

    layout: str = "auto"  # "auto": names if every sample has one label, and sets otherwise
    values: dict[str, Any] = field(default_factory=dict)  # by the node's name; for levels the path
    width: int = 0  # of rows of levels
    order: tuple[Any, ...] = ()  # the distinct labels, sorted; for levels the names of their nodes

    @classmethod
    def of_parsed(cls, labels: ParsedLabels) -> Answers:
        """For labels that were understood in Python."""
        names = labels.taxonomy.names()
        if labels.layout != "levels":
            values = {names[node]: label for node, label in zip(labels.class_nodes, labels.classes.tolist())}
            return cls(labels.layout, values, order=tuple(labels.classes.tolist()))
        paths: dict[str, Any] = {}
        for node, row in zip(labels.class_nodes, labels.class_rows):
            _add_path(paths, labels.taxonomy, int(node), row, names)
        width = max((len(path) for path in paths.values()), default=0)
        return cls("levels", paths, width, tuple(sorted(names[node] for node in labels.class_nodes)))

    @classmethod
    def of_columns(cls, labels: LabelColumns, data: _core.Dataset) -> Answers:
        """For labels that the library has read: the samples say which node a label became."""
        offsets, nodes = data.labels()
        names = data.taxonomy.names()
        values: dict[str, Any] = {}
        for written, begin, end in zip(labels.written, offsets[:-1], offsets[1:]):
            if labels.layout == "levels":
                if end > begin:
                    parts = before_gap(written)
                    _add_path(values, data.taxonomy, int(nodes[begin]), parts, names)
            elif len(written) == 1 and end - begin == 1:
                values.setdefault(names[nodes[begin]], written[0])
        if labels.layout == "levels":
            known_names = tuple(sorted({names[node] for node in nodes}))
            return cls("levels", values, len(labels.written[0]) if labels.written else 0, known_names)
        # Labels that no sample has alone are nodes of their name.
        known = set(names)
        for written in labels.written:
            for label in written:
                if str(label) in known:
                    values.setdefault(str(label), label)
        return cls(labels.layout, values, order=labels.order)

    def label(self, name: str) -> Any:
        return self.values.get(name, name)

    def coding(self, taxonomy: _core.Taxonomy, classes: Sequence[str]) -> LabelCoding:
        """The same for nodes by number; `classes` are those of a model whose labels were never seen."""
        node_of = {name: node for node, name in enumerate(taxonomy.names())}
        if self.layout == "levels":
            named = np.array(self.order, dtype=str)
            nodes = [node_of[name] for name in self.order]
            level_names = {node_of[name]: path[-1] for name, path in self.values.items()}
            return LabelCoding("levels", named, np.array(nodes, dtype=np.int32), level_names, self.width)
        if not self.values:
            layout = "names" if self.layout == "auto" else self.layout
            nodes = [node_of[name] for name in classes]
            return LabelCoding(layout, np.array(classes, dtype=str), np.array(nodes, dtype=np.int32), {}, 0)
        node_by_label = {label: node_of[name] for name, label in self.values.items()}
        labels = self.classes()
        nodes = [node_by_label[label] for label in labels.tolist()]
        return LabelCoding(self.layout, labels, np.array(nodes, dtype=np.int32), {}, 0)

    def classes(self) -> npt.NDArray[Any]:
        """The labels that occurred, sorted; for levels the names of their nodes."""
        if self.layout == "levels":
            return np.array(self.order, dtype=str)
        distinct: npt.NDArray[Any] = np.unique(typed_array(list(self.values.values())))
        return distinct

    def decode(self, names: Sequence[str], offsets: npt.NDArray[Any], nodes: npt.NDArray[Any]) -> Any:
        """Labels of samples: an array of one label each, a list of lists, or an array of rows of levels."""
        counts = np.diff(offsets)
        layout = self.layout
        if layout == "auto":
            layout = "names" if bool((counts == 1).all()) else "sets"
        if layout == "indicator":
            return self._indicator(names, offsets, nodes)
        if layout == "names" and bool((counts == 1).all()):
            return typed_array([self.label(names[node]) for node in nodes])
        if layout == "levels" and bool((counts <= 1).all()):
            return self._rows(names, offsets, nodes)
        return [
            [self.label(names[node]) for node in nodes[begin:end]] for begin, end in zip(offsets[:-1], offsets[1:])
        ]

    def _indicator(self, names: Sequence[str], offsets: npt.NDArray[Any], nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        column = {label: k for k, label in enumerate(self.order)}
        matrix = np.zeros((len(offsets) - 1, len(self.order)), dtype=np.int64)
        samples = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        for sample, node in zip(samples, nodes):
            place = column.get(self.label(names[node]))
            if place is not None:
                matrix[sample, place] = 1
        return matrix

    def _rows(self, names: Sequence[str], offsets: npt.NDArray[Any], nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        rows = np.full((len(offsets) - 1, max(self.width, 1)), "", dtype=object)
        for row, begin, end in zip(rows, offsets[:-1], offsets[1:]):
            if end > begin and nodes[begin] != 0:  # the root is no level
                path = self.values.get(names[nodes[begin]], (names[nodes[begin]],))
                row[: len(path)] = path
        return rows


def before_gap(row: Sequence[Any]) -> list[Any]:
    parts: list[Any] = []
    for cell in row:
        if cell is None or cell != cell or cell == "":
            break
        parts.append(cell)
    return parts


def _add_path(
    paths: dict[str, Any], taxonomy: _core.Taxonomy, node: int, parts: Sequence[Any], names: Sequence[str]
) -> None:
    """Adds the path of a node, and those of the nodes above it."""
    for length in range(len(parts), 0, -1):
        if names[node] in paths:
            return
        paths[names[node]] = tuple(parts[:length])
        above = taxonomy.parents(node)
        if len(above) == 0:
            return
        node = int(above[0])
