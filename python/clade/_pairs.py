"""True and predicted labels, understood together so that both mean the same nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core
from clade._arrays import dataset_of
from clade._tree_inputs import name_of
from clade.labels import Layout, ParsedLabels, _column, _is_set, _layout_of, core_taxonomy, level_rows, parse_labels

Predictions = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Answers:
    """The true labels as a data set without features, and for each of its samples the labels predicted, best first."""

    data: _core.Dataset
    predictions: Predictions  # offsets, nodes, scores that never rise


def answers_of(
    y_true: Any,
    y_pred: Any,
    taxonomy: Any,
    scores: Any = None,
    classes: Any = None,
    label_layout: Layout = "auto",
    path_separator: str | None = None,
) -> Answers:
    tree = core_taxonomy(taxonomy)
    if y_pred is None:
        if scores is None or classes is None:
            raise ValueError("no predicted labels; expected y_pred, or scores of classes")
        return _ranked(y_true, scores, classes, tree, label_layout, path_separator)
    truth, given = _together(y_true, y_pred, tree, label_layout, path_separator)
    if truth.samples != given.samples:
        raise ValueError(f"{given.samples} predictions for {truth.samples} samples; expected as many")
    return Answers(_data(truth), _predictions(given, scores))


def _data(truth: ParsedLabels) -> _core.Dataset:
    return dataset_of(np.zeros((truth.samples, 0)), truth)


def _together(
    first: Any, second: Any, tree: _core.Taxonomy | None, layout: Layout, separator: str | None
) -> tuple[ParsedLabels, ParsedLabels]:
    """Two sequences of labels over the union of what occurs in them."""
    layouts = [_layout_of(y, tree, separator) if layout == "auto" else layout for y in (first, second)]
    if "levels" in layouts:
        if layouts[0] != layouts[1]:
            raise ValueError(f"labels as {layouts[0]} and as {layouts[1]}; expected both in the same layout")
        rows = [level_rows(first), level_rows(second)]
        width = max(block.shape[1] for block in rows)
        padded = [np.pad(block, ((0, 0), (0, width - block.shape[1])), constant_values="") for block in rows]
        both = parse_labels(np.vstack(padded), tree, "levels")
        count = len(rows[0])
    elif "sets" in layouts or "indicator" in layouts:
        # Predictions are an array where the truth is a frame, with the same columns.
        named = next((y.columns for y in (first, second) if hasattr(y, "columns")), None)
        sets = [_sets(y, own, tree, separator, named) for y, own in zip((first, second), layouts)]
        both = parse_labels([*sets[0], *sets[1]], tree, "sets", separator)
        count = len(sets[0])
    else:
        columns = [_column(first), _column(second)]
        if columns[0].dtype.kind != columns[1].dtype.kind:
            # Numbers and texts that look alike are the same class.
            columns = [np.array([name_of(label) for label in column], dtype=str) for column in columns]
        both = parse_labels(np.concatenate(columns), tree, "names", separator)
        count = len(columns[0])
    return _part(both, 0, count), _part(both, count, both.samples)


def _part(labels: ParsedLabels, begin: int, end: int) -> ParsedLabels:
    offsets = labels.offsets[begin : end + 1]
    codes = labels.codes[offsets[0] : offsets[-1]]
    return replace(labels, codes=codes, offsets=offsets - offsets[0])


def _sets(
    y: Any, layout: str, tree: _core.Taxonomy | None, separator: str | None, columns: Any = None
) -> list[Sequence[Any]]:
    if layout == "names":
        return [[label] for label in _column(y).tolist()]
    if layout == "indicator":
        parsed = parse_labels(y, tree, layout, separator, columns=columns)
        return [part.tolist() for part in np.split(parsed.classes[parsed.codes], parsed.offsets[1:-1])]
    # The order of Python's sets changes from run to run.
    return [sorted(labels, key=name_of) if isinstance(labels, (set, frozenset)) else labels for labels in y]


def _predictions(given: ParsedLabels, scores: Any) -> Predictions:
    nodes = given.class_nodes[given.codes].astype(np.int32) if len(given.codes) > 0 else given.codes
    sizes = np.diff(given.offsets)
    places = np.arange(len(nodes), dtype=np.int64) - np.repeat(given.offsets[:-1], sizes)
    if scores is None:
        values = -1.0 - places
    else:
        values = _flat_scores(scores, sizes)
        samples = np.repeat(np.arange(given.samples), sizes)
        order = np.lexsort((places, -values, samples))
        nodes, values = nodes[order], values[order]
    if (sizes == 0).any():  # no answer is the least specific one
        empty = given.offsets[:-1][sizes == 0]
        nodes = np.insert(nodes, empty, 0)
        values = np.insert(values, empty, values.min(initial=0.0))
        sizes = np.maximum(sizes, 1)
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets, np.ascontiguousarray(nodes, dtype=np.int32), np.ascontiguousarray(values, dtype=np.float64)


def _flat_scores(scores: Any, sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    rows = list(scores)
    if len(rows) != len(sizes):
        raise ValueError(f"scores of {len(rows)} samples for {len(sizes)}; expected as many")
    for number, (row, size) in enumerate(zip(rows, sizes)):
        count = len(row) if _is_set(row) else 1
        if count != size:
            raise ValueError(f"scores: sample {number} has {count} for {size} labels; expected one for each")
    parts = [np.atleast_1d(np.asarray(row, dtype=np.float64)) for row in rows]
    return _finite(np.concatenate(parts) if parts else np.zeros(0))


def _finite(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if not np.isfinite(values).all():
        raise ValueError("scores that are not finite; expected numbers")
    return values


def _ranked(
    y_true: Any, scores: Any, classes: Any, tree: _core.Taxonomy | None, layout: Layout, separator: str | None
) -> Answers:
    """All classes as predictions of each sample, best first."""
    chosen = _layout_of(y_true, tree, separator) if layout == "auto" else layout
    labels = list(classes)
    if chosen == "levels" and all(isinstance(label, str) for label in labels):
        parts = [label.split(separator or "/") for label in labels]
        width = max(map(len, parts), default=1)
        truth, columns = _together(
            y_true, np.array([p + [None] * (width - len(p)) for p in parts], dtype=object), tree, "levels", separator
        )
    else:
        truth, columns = _together(y_true, labels, tree, layout, separator)
    values = _finite(np.asarray(scores, dtype=np.float64))
    if values.shape != (truth.samples, columns.samples):
        expected = f"({truth.samples}, {columns.samples}), samples and classes"
        raise ValueError(f"scores of the shape {values.shape}; expected {expected}")
    nodes = columns.class_nodes[columns.codes]
    if len(np.unique(nodes)) != len(nodes):
        raise ValueError("a class stands twice; expected each class once")
    order = np.argsort(-values, axis=1, kind="stable")
    offsets = np.arange(truth.samples + 1, dtype=np.int64) * columns.samples
    ranked = np.ascontiguousarray(nodes[order].ravel(), dtype=np.int32)
    return Answers(_data(truth), (offsets, ranked, np.take_along_axis(values, order, axis=1).ravel()))
