"""The scores of classes and nodes, and tables of them; what estimators and models answer alike."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core
from clade._runtime import texts_of

FloatArray = npt.NDArray[np.float64]
Ranked = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], FloatArray]


def is_joint(model: _core.Model) -> bool:
    """Does the model compare all classes at once?"""
    return any(name == "learn-threshold" for name, _ in model.parameters)


def ranked(model: _core.Model, data: _core.Dataset, top_k: int, align: bool, call: _core.Settings) -> Ranked:
    """The best nodes of each sample with their scores, best first; a joint model gives all of them."""
    if is_joint(model):
        return _core.rank(model, data, align, call)
    options = texts_of({"top_k": top_k, "align_features": True if align else None})
    return _core.predict(model, data, options, call)


def class_scores(
    model: _core.Model, data: _core.Dataset, class_nodes: npt.NDArray[Any], align: bool, call: _core.Settings
) -> FloatArray:
    """The score of each class for each sample; the lowest there is for classes that the model does not rank."""
    if model.is_multilabel and not is_joint(model):
        options = texts_of({"align_features": True if align else None})
        return np.ascontiguousarray(_core.node_scores(model, data, options, call)[:, class_nodes])
    offsets, nodes, values = ranked(model, data, len(model.taxonomy.leaves()), align, call)
    is_margin = is_joint(model) or model.classifier == "path-svm"
    lowest = -np.inf if is_margin and not model.has_probabilities else 0.0
    table = np.full((data.samples, len(class_nodes)), lowest)
    column = np.full(len(model.taxonomy), -1, dtype=np.int64)
    column[class_nodes] = np.arange(len(class_nodes))
    columns = column[nodes]
    rows = np.repeat(np.arange(data.samples), np.diff(offsets))
    known = columns >= 0
    table[rows[known], columns[known]] = values[known]
    return table


def class_probabilities(
    model: _core.Model, data: _core.Dataset, class_nodes: npt.NDArray[Any], align: bool, call: _core.Settings
) -> FloatArray:
    """Probabilities of classes; with one label per sample they add up to 1."""
    scores = class_scores(model, data, class_nodes, align, call)
    if model.is_multilabel:
        return scores
    total = scores.sum(axis=1, keepdims=True)
    return np.divide(scores, total, out=np.zeros_like(scores), where=total > 0)


def ranked_table(
    offsets: npt.NDArray[Any], labels: npt.NDArray[Any], values: FloatArray, top_k: int
) -> tuple[npt.NDArray[Any], FloatArray]:
    """Labels and scores in a row per sample; None and NaN where there are fewer."""
    lengths = np.minimum(np.diff(offsets), top_k)
    width = int(lengths.max(initial=0))
    is_full = bool(np.all(lengths == width))
    table = np.empty((len(lengths), width), dtype=labels.dtype if is_full else object)  # objects begin as None
    scores = np.full((len(lengths), width), np.nan)
    for sample, (begin, length) in enumerate(zip(offsets[:-1].tolist(), lengths.tolist())):
        table[sample, :length] = labels[begin : begin + length]
        scores[sample, :length] = values[begin : begin + length]
    return table, scores


def level_table(levels: Sequence[Sequence[tuple[str, float]]]) -> tuple[npt.NDArray[Any], FloatArray]:
    """Nodes and probabilities of levels in a row per sample; empty texts and NaN fill short rows."""
    width = max((len(path) for path in levels), default=0)
    nodes = np.full((len(levels), width), "", dtype=object)
    probabilities = np.full((len(levels), width), np.nan)
    for sample, path in enumerate(levels):
        for level, (name, probability) in enumerate(path):
            nodes[sample, level] = name
            probabilities[sample, level] = probability
    return nodes.astype(str), probabilities
