"""Measures of predictions over a hierarchy, as functions of true and predicted labels, and as scorers.

Each function takes labels in any layout: one per sample, lists of several, or rows of levels. ``measures()`` lists all,
with what they mean; docs/methods/measures.md has the formulas.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from clade import _core
from clade._optional import frame
from clade._pairs import Answers, answers_of
from clade.evaluation import Evaluation, evaluate, evaluation_of
from clade.labels import Layout
from clade.taxonomy import Taxonomy

__all__ = [
    "Evaluation",
    "Scorer",
    "accuracy",
    "au_prc",
    "au_prc_clus",
    "au_prc_macro",
    "au_prc_weighted",
    "average_precision",
    "clustering_accuracy",
    "coverage_error",
    "decision_accuracy",
    "evaluate",
    "f_lca",
    "f_lca_scorer",
    "hierarchical_accuracy",
    "hierarchical_f1",
    "hierarchical_f1_scorer",
    "hierarchical_precision",
    "hierarchical_precision_scorer",
    "hierarchical_recall",
    "hierarchical_recall_scorer",
    "maximal_loss",
    "measures",
    "normalized_mutual_information",
    "one_accuracy",
    "p_lca",
    "parent_accuracy",
    "precision_at_1",
    "precision_at_3",
    "precision_at_5",
    "precision_at_k",
    "r_lca",
    "ranking_loss",
    "recall_at_1",
    "recall_at_3",
    "recall_at_5",
    "recall_at_k",
    "summed_ranking_loss",
    "symmetric_loss",
    "tie",
    "tie_normalized",
    "tie_scorer",
    "top_loss",
    "weighted_loss",
]


def __dir__() -> list[str]:
    """What completion offers: not the modules that are imported here."""
    return __all__


class Measure(Protocol):
    """A function of true and predicted labels."""

    __name__: str

    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
        *,
        taxonomy: Any = None,
        scores: Any = None,
        classes: Any = None,
        label_layout: Layout = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> float: ...


class NodeMeasure(Protocol):
    """A function of true labels and the scores of all nodes."""

    __name__: str

    def __call__(
        self,
        y_true: Any,
        node_scores: Any,
        *,
        taxonomy: Any,
        label_layout: Layout = "auto",
        n_jobs: int | None = None,
        **options: Any,
    ) -> float: ...


_KNOWN = {measure["name"]: measure for measure in _core.measures()}

_LABELS_DOC = """

    Parameters
    ----------
    y_true : array-like
        The true labels: one per sample, lists of several, or rows of levels.
    y_pred : array-like, optional
        The predicted labels in the same layout; lists may rank labels, best first.
    taxonomy : object, optional
        Anything that ``Taxonomy.of`` understands; by default what the labels imply.
    scores, classes : array-like, optional
        The scores of the predicted labels; or, without `y_pred`, a matrix with a column for each of `classes`.
    label_layout, path_separator, n_jobs, **options
        As for :func:`evaluate`.

    Returns
    -------
    float
        {better}; NaN, with a warning, where it does not apply.
"""

_SCORES_DOC = """

    Parameters
    ----------
    y_true : array-like
        The true labels: one per sample, lists of several, or rows of levels.
    node_scores : array of shape (samples, nodes)
        Scores of all nodes in the order of ``taxonomy.names``.
    taxonomy : object
        Anything that ``Taxonomy.of`` understands.
    label_layout, n_jobs, **options
        As for :func:`evaluate`.

    Returns
    -------
    float
        {better}; NaN, with a warning, where it does not apply.
"""


def measures() -> Any:
    """A frame of all measures: their names, what they mean, where they come from, and which direction is better."""
    rows = [
        {**measure, "better": "higher" if measure["higher_is_better"] else "lower"} for measure in _core.measures()
    ]
    return frame(rows, ["name", "help", "source", "higher_is_better", "better"]).set_index("name")


def _value(name: str, answers: Answers, node_scores: Any, options: dict[str, Any], n_jobs: int | None) -> float:
    value: float = getattr(evaluation_of(answers, node_scores, None, options, n_jobs=n_jobs), name)
    if value != value:
        warnings.warn(f"{name} does not apply to these predictions", UndefinedMetricWarning, stacklevel=3)
    return value


def _documented(function: Any, name: str, parameters: str) -> None:
    known = _KNOWN[name]
    source = f"\n\n    Source: {known['source']}." if known["source"] else ""
    better = "Higher is better" if known["higher_is_better"] else "Lower is better"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = known["help"][0].upper() + known["help"][1:] + "." + source + parameters.format(better=better)


def _measure(name: str) -> Measure:
    def measured(
        y_true: Any,
        y_pred: Any = None,
        *,
        taxonomy: Any = None,
        scores: Any = None,
        classes: Any = None,
        label_layout: Layout = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> float:
        answers = answers_of(y_true, y_pred, taxonomy, scores, classes, label_layout, path_separator)
        return _value(name, answers, None, options, n_jobs)

    _documented(measured, name, _LABELS_DOC)
    return measured


def _area(name: str) -> NodeMeasure:
    def measured(
        y_true: Any,
        node_scores: Any,
        *,
        taxonomy: Any,
        label_layout: Layout = "auto",
        n_jobs: int | None = None,
        **options: Any,
    ) -> float:
        tree = Taxonomy.of(taxonomy)
        # These measures look at no answers; any will do, such as the root.
        rows = np.asarray(node_scores, dtype=np.float64)
        answers = answers_of(y_true, None, tree, np.zeros((len(rows), 1)), [tree.root], label_layout)
        return _value(name, answers, rows, options, n_jobs)

    _documented(measured, name, _SCORES_DOC)
    return measured


accuracy = _measure("accuracy")
hierarchical_precision = _measure("hierarchical_precision")
hierarchical_recall = _measure("hierarchical_recall")
hierarchical_f1 = _measure("hierarchical_f1")
tie = _measure("tie")
tie_normalized = _measure("tie_normalized")
f_lca = _measure("f_lca")
p_lca = _measure("p_lca")
r_lca = _measure("r_lca")
hierarchical_accuracy = _measure("hierarchical_accuracy")
one_accuracy = _measure("one_accuracy")
average_precision = _measure("average_precision")
ranking_loss = _measure("ranking_loss")
maximal_loss = _measure("maximal_loss")
top_loss = _measure("top_loss")
parent_accuracy = _measure("parent_accuracy")
symmetric_loss = _measure("symmetric_loss")
weighted_loss = _measure("weighted_loss")
decision_accuracy = _measure("decision_accuracy")
summed_ranking_loss = _measure("summed_ranking_loss")
coverage_error = _measure("coverage_error")
precision_at_1 = _measure("precision_at_1")
precision_at_3 = _measure("precision_at_3")
precision_at_5 = _measure("precision_at_5")
precision_at_k = _measure("precision_at_k")
recall_at_1 = _measure("recall_at_1")
recall_at_3 = _measure("recall_at_3")
recall_at_5 = _measure("recall_at_5")
recall_at_k = _measure("recall_at_k")

au_prc = _area("au_prc")
au_prc_clus = _area("au_prc_clus")
au_prc_macro = _area("au_prc_macro")
au_prc_weighted = _area("au_prc_weighted")


def clustering_accuracy(y_true: Any, clusters: Any) -> float:
    """The share of samples in clusters of their own class, with the best assignment of clusters to classes.

    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    return float(_core.clustering_accuracy(*_codes(y_true, clusters)))


def normalized_mutual_information(y_true: Any, clusters: Any) -> float:
    """What clusters tell about classes, from 0 to 1: mutual information over the geometric mean of the entropies.

    >>> normalized_mutual_information(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    """
    return float(_core.normalized_mutual_information(*_codes(y_true, clusters)))


def _codes(y_true: Any, clusters: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    codes = [np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64) for labels in (y_true, clusters)]
    if len(codes[0]) != len(codes[1]):
        raise ValueError(f"{len(codes[1])} clusters for {len(codes[0])} samples; expected one for each")
    return codes[0], codes[1]


class Scorer:
    """A measure as model selection of scikit-learn wants it: called with an estimator, samples and labels.

    Parameters
    ----------
    measure : str
        The name of a measure.
    taxonomy : object, optional
        The hierarchy; by default the parameter `taxonomy` of the estimator, if it has one, or what the labels imply.
    **options
        As for :func:`evaluate`.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> scorer = Scorer("tie", taxonomy={"mammal": ["cat", "dog"], "bird": ["owl"]})
    >>> scorer(DummyClassifier(strategy="constant", constant="cat").fit([[0], [0]], ["cat", "owl"]), [[0]], ["dog"])
    -2.0
    """

    def __init__(self, measure: str = "hierarchical_f1", taxonomy: Any = None, **options: Any) -> None:
        if measure not in _KNOWN or measure.startswith("au_prc"):
            raise ValueError(f"no measure {measure!r} of predicted labels; expected one of clade.metrics.measures()")
        self.measure = measure
        self.taxonomy = None if taxonomy is None else Taxonomy.of(taxonomy)
        self.options = options

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: None = None) -> float:
        """The value for the predictions of an estimator; negative where lower is better, so that larger is better."""
        if sample_weight is not None:
            raise ValueError("sample_weight is given; expected none, because measures count every sample once")
        function: Measure = globals()[self.measure]
        value = function(y_true, estimator.predict(X), **{**_settings_of(estimator), **self._own()})
        return value if _KNOWN[self.measure]["higher_is_better"] else -value

    def _own(self) -> dict[str, Any]:
        return self.options if self.taxonomy is None else {**self.options, "taxonomy": self.taxonomy}

    def __repr__(self) -> str:
        return f"Scorer({self.measure!r}, taxonomy={self.taxonomy!r})"


def _settings_of(estimator: Any) -> dict[str, Any]:
    """What an estimator, or the last step of a pipeline, was told about labels."""
    while hasattr(estimator, "steps") or hasattr(estimator, "estimator"):
        estimator = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator.estimator
    known = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    return {name: known[name] for name in ("taxonomy", "path_separator", "label_layout") if known.get(name) is not None}


def hierarchical_f1_scorer(taxonomy: Any = None, **options: Any) -> Scorer:
    """``Scorer("hierarchical_f1")``, for ``GridSearchCV(scoring=...)``."""
    return Scorer("hierarchical_f1", taxonomy, **options)


def hierarchical_precision_scorer(taxonomy: Any = None, **options: Any) -> Scorer:
    """``Scorer("hierarchical_precision")``."""
    return Scorer("hierarchical_precision", taxonomy, **options)


def hierarchical_recall_scorer(taxonomy: Any = None, **options: Any) -> Scorer:
    """``Scorer("hierarchical_recall")``."""
    return Scorer("hierarchical_recall", taxonomy, **options)


def f_lca_scorer(taxonomy: Any = None, **options: Any) -> Scorer:
    """``Scorer("f_lca")``."""
    return Scorer("f_lca", taxonomy, **options)


def tie_scorer(taxonomy: Any = None, **options: Any) -> Scorer:
    """``Scorer("tie")``: the negative distance."""
    return Scorer("tie", taxonomy, **options)
