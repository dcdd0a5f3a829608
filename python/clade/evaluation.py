"""How good predictions are: all measures at once, by level and by node, with the confusions that cost most."""

from __future__ import annotations

import json
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from clade import _core, html
from clade._optional import frame
from clade._pairs import Answers, answers_of
from clade._runtime import settings, texts_of
from clade.labels import Layout

__all__ = ["Evaluation", "evaluate"]

_RELIABILITY = (
    "expected_calibration_error",
    "adaptive_calibration_error",
    "maximum_calibration_error",
    "brier_score",
    "accuracy_coverage_area",
    "node_calibration_error",
    "pair_calibration_error",
)
_COUNTS = ("support", "predicted", "correct", "precision", "recall", "f1")


class Evaluation(Mapping[str, float]):
    """What :func:`evaluate` finds: a mapping from the names of measures to values, which are also attributes.

    Measures that do not apply, such as those of rankings where there are none, are not among its keys; as attributes
    they are NaN.

    Attributes
    ----------
    samples : int
        The samples that were measured: those that have a label.
    report : dict
        Everything, as ``clade evaluate --json --breakdown`` gives it.
    baseline : dict
        The measures of the best constant answer, with its ``labels``.
    notes : list of str
        What was left out, or chosen by itself.
    text : str
        The report for people.
    """

    def __init__(
        self,
        report: Mapping[str, Any],
        text: str = "",
        bins: Sequence[tuple[int, float, float]] = (),
        curve: Sequence[tuple[float, float, float]] = (),
    ) -> None:
        self.report = dict(report)
        self.text = text
        self._bins = list(bins)
        self._curve = list(curve)
        self._better = {measure["name"]: bool(measure["higher_is_better"]) for measure in _core.measures()}

    @property
    def samples(self) -> int:
        return int(self.report["samples"])

    @property
    def baseline(self) -> dict[str, Any]:
        return dict(self.report.get("baseline", {}))

    @property
    def notes(self) -> list[str]:
        return list(self.report.get("notes", []))

    def __getitem__(self, measure: str) -> float:
        value = self.report.get(measure) if measure in self._better or measure in _RELIABILITY else None
        if value is None:
            raise KeyError(measure)
        return float(value)

    def __iter__(self) -> Iterator[str]:
        return (name for name in (*self._better, *_RELIABILITY) if self.report.get(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or (name not in self._better and name not in _RELIABILITY):
            raise AttributeError(f"no measure {name!r}; expected one of clade.metrics.measures()")
        value = self.report.get(name)
        return float("nan") if value is None else float(value)

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The confidence interval of each measure, after a bootstrap."""
        found = {name: (self.report.get(f"{name}_low"), self.report.get(f"{name}_high")) for name in self._better}
        return {name: (low, high) for name, (low, high) in found.items() if low is not None and high is not None}

    @property
    def reliability(self) -> dict[str, float]:
        """How well scores serve as probabilities; empty where they are none."""
        return {name: self[name] for name in _RELIABILITY if name in self}

    @property
    def reliability_bins(self) -> Any:
        """A frame of the samples by their first score: how many, the mean score, and the share that is right."""
        columns = ("samples", "score", "right")
        return frame([dict(zip(columns, row)) for row in self._bins], columns)

    @property
    def precision_recall_curve(self) -> Any:
        """A frame of the pooled curve of the scores of all nodes, if these were given."""
        columns = ("threshold", "recall", "precision")
        return frame([dict(zip(columns, row)) for row in self._curve], columns)

    @property
    def levels(self) -> Any:
        """A frame with a row per level below the root; ``right`` counts samples."""
        return self._frame("levels", ("level", "samples", "right", *_COUNTS))

    @property
    def nodes(self) -> Any:
        """A frame with a row per node, the root first; labels count with all their ancestors."""
        return self._frame("nodes", ("node", "level", *_COUNTS))

    @property
    def confusions(self) -> Any:
        """A frame of the most frequent pairs of a wrong label and the true one nearest to it."""
        return self._frame("most_frequent_confusions", ("true", "predicted", "count", "distance", "cost"))

    @property
    def costly_confusions(self) -> Any:
        """The same by cost, the count times the distance."""
        return self._frame("most_costly_confusions", ("true", "predicted", "count", "distance", "cost"))

    @property
    def coverage(self) -> Any:
        """A frame of the quality if only samples with a score of at least a threshold are answered."""
        return self._frame("coverage", ("threshold", "answered", "coverage", "accuracy", "hierarchical_f1"))

    @property
    def folds(self) -> Any:
        """A frame with the measures of each fold."""
        return self._frame("folds", ("samples",))

    def to_frame(self) -> Any:
        """A frame with a row per measure that applies: its value, the baseline's, intervals, and what is better."""
        table = frame(self._rows(), ["measure", "value"])
        return table.set_index("measure")

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for name, is_higher in self._better.items():
            if self.report.get(name) is None:
                continue
            row: dict[str, Any] = {"measure": name, "value": self.report[name], "baseline": self.baseline.get(name)}
            for part in ("low", "high", "deviation"):
                if f"{name}_{part}" in self.report:
                    row[part] = self.report[f"{name}_{part}"]
            row["better"] = "higher" if is_higher else "lower"
            rows.append(row)
        return rows

    def _frame(self, part: str, columns: Sequence[str]) -> Any:
        if part not in self.report and part != "folds":
            raise ValueError(f"no {part} were asked for; expected breakdown=True")
        return frame(self.report.get(part, []), columns)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self[name]:.4f}" for name in ("accuracy", "hierarchical_f1", "tie") if name in self)
        return f"<Evaluation of {self.samples} samples: {shown}>"

    def __str__(self) -> str:
        return self.text or repr(self)

    def _repr_html_(self) -> str:
        rows = self._rows()
        columns = list(dict.fromkeys(name for row in rows for name in row))
        parts = [html.table(columns, [[row.get(c) for c in columns] for row in rows], f"{self.samples} samples")]
        if self.report.get("levels"):
            names = ("level", "samples", "right", *_COUNTS)
            cells = [[level.get(c) for c in names] for level in self.report["levels"]]
            parts.append(html.details("by level", html.table(names, cells)))
        if self.report.get("most_costly_confusions"):
            shown = ("true", "predicted", "count", "distance", "cost")
            cells = [[entry.get(c) for c in shown] for entry in self.report["most_costly_confusions"]]
            parts.append(html.details("most costly confusions", html.table(shown, cells)))
        if self.notes:
            parts.append(html.details("notes", html.listed(self.notes)))
        return "".join(parts)


def evaluate(
    y_true: Any,
    y_pred: Any = None,
    *,
    taxonomy: Any = None,
    scores: Any = None,
    classes: Any = None,
    node_scores: Any = None,
    folds: Any = None,
    bootstrap: bool = False,
    breakdown: bool = True,
    label_layout: Layout = "auto",
    path_separator: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    **options: Any,
) -> Evaluation:
    """Measures predictions against true labels over a hierarchy.

    Parameters
    ----------
    y_true : array-like
        The true labels: one per sample, several (lists, or a matrix of 0 and 1), or rows of levels. Samples without a
        label are left out.
    y_pred : array-like, optional
        The predicted labels, in the layout of `y_true`; lists may rank labels, best first. An empty list stands for the
        root: nothing more is known.
    taxonomy : object, optional
        Anything that :meth:`clade.Taxonomy.of` understands. By default what the labels of both imply: rows of levels
        and labels that are paths make a tree, others have only a root above them.
    scores : array-like, optional
        The score of each predicted label, in the same layout, by which those of a sample are ordered; or, without
        `y_pred`, a matrix with a column for each of `classes`.
    classes : array-like, optional
        The labels of the columns of `scores`.
    node_scores : array of shape (samples, nodes), optional
        Scores of all nodes of the taxonomy, in its order, for au_prc and its kin; these are NaN without them (None in
        `report`).
    folds : array-like of int, optional
        The fold of each sample, from 0: measures are computed for each fold, and averaged.
    bootstrap : bool
        Whether to compute confidence intervals by resampling.
    breakdown : bool
        Whether to keep levels, nodes, confusions and notes.
    label_layout : {"auto", "names", "sets", "levels", "indicator"}
        The layout of labels.
    path_separator : str, optional
        Labels that contain it are paths; by default it is recognised, and with an empty text labels are no paths.
    n_jobs, random_state
        Threads, which change no result, and the seed of resampling.
    **options
        Those of ``clade evaluate``: `average` ("micro", "samples" or "macro"), `count_root`, `protocol`, `label_set`,
        `top_k`, `threshold`, `resamples`, `confidence_level`, `probabilities`, `fold_average`, `at`, `exclude_nodes`,
        `loss_missed`, `loss_extra`, `loss_volumes`, `confusions`.

    Returns
    -------
    Evaluation
        A mapping of values with frames and reports.

    Examples
    --------
    >>> found = evaluate(["cat", "dog", "owl"], ["cat", "cat", "owl"],
    ...                  taxonomy={"mammal": ["cat", "dog"], "bird": ["owl"]})
    >>> round(found.accuracy, 3), round(found.hierarchical_f1, 3)
    (0.667, 0.833)
    """
    answers = answers_of(y_true, y_pred, taxonomy, scores, classes, label_layout, path_separator)
    return evaluation_of(
        answers, node_scores, folds, {"bootstrap": bootstrap, **options}, breakdown, n_jobs, random_state
    )


def evaluation_of(
    answers: Answers,
    node_scores: Any = None,
    folds: Any = None,
    options: Mapping[str, Any] = {},
    breakdown: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Evaluation:
    """Measures labels that were understood already."""
    rows = None if node_scores is None else np.ascontiguousarray(node_scores, dtype=np.float64)
    parts = np.zeros(0, dtype=np.int64) if folds is None else np.ascontiguousarray(folds, dtype=np.int64)
    return reported(
        _core.evaluation_reports(
            answers.data, answers.predictions, rows, texts_of(options), parts, breakdown, settings(n_jobs, random_state)
        )
    )


def reported(reports: tuple[str, str, Sequence[Any], Sequence[Any]], **facts: Any) -> Evaluation:
    """What the library reports, and facts that it does not know."""
    report, text, bins, curve = reports
    return Evaluation({**json.loads(report), **facts}, text, bins, curve)
