"""Hierarchical precision, recall and F1 with the names and parameters of HiClass."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import numpy.typing as npt

__all__ = ["f1", "precision", "recall"]


def precision(y_true: Any, y_pred: Any, average: str = "micro") -> float:
    """Hierarchical precision of rows of levels: the share of predicted nodes, ancestors included, that are true.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples, n_levels), or lists of labels from the first level down
    average : {'micro', 'macro'}, default='micro'
        Of all nodes of all samples together; or the mean of the samples' own.
    """
    from clade import metrics

    return _averaged(metrics.hierarchical_precision, y_true, y_pred, average)


def recall(y_true: Any, y_pred: Any, average: str = "micro") -> float:
    """Hierarchical recall of rows of levels: the share of true nodes, ancestors included, that are predicted.

    Parameters
    ----------
    y_true, y_pred, average
        As for :func:`precision`.
    """
    from clade import metrics

    return _averaged(metrics.hierarchical_recall, y_true, y_pred, average)


def f1(y_true: Any, y_pred: Any, average: str = "micro") -> float:
    """The harmonic mean of hierarchical precision and recall.

    Parameters
    ----------
    y_true, y_pred, average
        As for :func:`precision`.
    """
    from clade import metrics

    return _averaged(metrics.hierarchical_f1, y_true, y_pred, average)


def _averaged(measure: Callable[..., Any], y_true: Any, y_pred: Any, average: str) -> float:
    own = {"micro": "micro", "macro": "samples"}.get(average)  # Clade's macro is a mean over nodes
    if own is None:
        raise ValueError(f"`average` is {average!r}; expected 'micro' or 'macro'")
    return float(measure(padded(rows_of(y_true)), padded(rows_of(y_pred)), label_layout="levels", average=own))


def rows_of(y: Any) -> list[list[Any]]:
    """The paths of samples, without what only fills short rows."""
    rows = []
    for row in y if isinstance(y, (list, tuple)) else np.asarray(y):
        cells = [row] if np.ndim(row) == 0 else list(row)
        cells = [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
        while cells and (cells[-1] is None or cells[-1] == "" or cells[-1] != cells[-1]):
            cells.pop()
        rows.append(cells)
    return rows


def padded(rows: list[list[Any]], width: int = 1) -> npt.NDArray[Any]:
    """Rows of the same length, filled with empty texts; texts and numbers stay what they are."""
    width = max([width, *map(len, rows)])
    table = np.full((len(rows), width), "", dtype=object)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    for kind in (str, int):
        if all(isinstance(cell, kind) for cell in table.flat):
            return table.astype(kind)
    return table
