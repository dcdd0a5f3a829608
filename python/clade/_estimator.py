"""The base of the classifiers: fit, predict and everything between, in the manner of scikit-learn."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from clade import _core
from clade._arrays import dataset_of
from clade._persist import model_bytes, model_from_bytes
from clade._recipe import PREDICT, given, recipe_of, takes_missing_values
from clade._runtime import settings, texts_of
from clade._scores import class_probabilities, class_scores, is_joint, level_table, ranked, ranked_table
from clade._validate import check_features, check_labels, check_weights, names_of
from clade.labels import LabelCoding, ParsedLabels, core_taxonomy, parse_labels
from clade.predictions import Explanations

if TYPE_CHECKING:
    from clade.model import Model
    from clade.taxonomy import Taxonomy

Self = TypeVar("Self", bound="HierarchicalClassifier")
FloatArray = npt.NDArray[np.float64]


@functools.lru_cache(maxsize=None)
def _scores_are_probabilities(method: str) -> bool:
    """Has the method probabilities without being asked for them? A model of four samples knows."""
    labels = parse_labels(np.array([0, 0, 1, 1]))
    data = dataset_of(np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]]), labels)
    recipe = _core.Recipe(method, {}, None, None, "", "error", {})
    return bool(_core.train(data, recipe, np.zeros(0), "", False, _core.Settings()).has_probabilities)


def _has_probabilities(estimator: Any) -> bool:
    if not estimator._expects_probabilities():
        raise AttributeError(
            f"{type(estimator).__name__} has no probabilities; expected `calibrate`, or a classifier that has them"
        )
    return True


def _impossible_checks(method: str, own: tuple[str, ...]) -> dict[str, str]:
    """Checks of scikit-learn that a method cannot pass, and why."""
    checks = {}
    if "epochs" in own or (method.endswith("svm") and method != "dnc-svm"):
        checks["check_sample_weights_invariance"] = "the check shuffles, and the order of the samples matters a little"
    if method == "dnc-svm":
        checks["check_class_weight_classifiers"] = "without a constant feature, weights cannot move the boundary enough"
    if method == "prior":
        checks["check_classifiers_classes"] = "it always predicts the same class"
    return checks


class HierarchicalClassifier(ClassifierMixin, BaseEstimator):
    """What all classifiers of Clade do. Its subclasses differ in their parameters only."""

    _method: ClassVar[str] = ""
    _own: ClassVar[tuple[str, ...]] = ()

    # Common keywords, which the constructors of subclasses set.
    taxonomy: Any
    label_layout: str
    path_separator: str | None
    missing: str | None
    conformal: str | None
    conformal_by_class: bool
    align_features: bool
    confidence: Any
    top_k: int
    n_jobs: int | None
    random_state: Any

    n_features_in_: int
    _model: _core.Model
    _taxonomy: _core.Taxonomy  # without the leaves that the model may have added
    _coding: LabelCoding

    # Training

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Trains a model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features. Arrays of doubles or floats in C order, and compressed rows, are used without a copy.
        y : array-like
            Labels, in any of the layouts of `label_layout`.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight per sample, not negative; 0 leaves it out.

        Returns
        -------
        self
        """
        self._check_confidence(self._will_have_probabilities())
        names = names_of(X)
        X = check_features(self, X, reset=True, allow_nan=self._allows_nan())
        labels = self._parsed(check_labels(self, y, X), core_taxonomy(self.taxonomy))
        how = settings(self.n_jobs, self.random_state)
        data = dataset_of(X, labels, names)
        weights = self._weights(sample_weight, X, labels)
        recipe = self._choose(data, X, how)
        model = _core.train(data, recipe, weights, self.conformal or "", bool(self.conformal_by_class), how)
        self._check_confidence(model.has_probabilities)
        self._keep(model, labels, labels)
        return self

    def _check_confidence(self, has_probabilities: bool) -> None:
        if not 0 <= self.confidence <= 1:
            raise _core.InputError(f"`confidence` is {self.confidence!r}; expected a probability, from 0 to 1")
        if self.confidence > 0 and not has_probabilities:
            kind = type(self).__name__
            remedy = "`calibrate` with it" if hasattr(self, "calibrate") else "a classifier that has them"
            raise _core.InputError(f"`confidence` needs probabilities, which {kind} has not; expected {remedy}")

    def _parsed(self, y: Any, taxonomy: _core.Taxonomy | None, columns: Any = None) -> ParsedLabels:
        return parse_labels(y, taxonomy, self.label_layout, self.path_separator, columns=columns)

    def _columns(self) -> npt.NDArray[Any] | None:
        """The classes of an indicator's columns, as training had them and as predictions have them."""
        return self._coding.classes if self._coding.layout == "indicator" else None

    def _choose(self, data: _core.Dataset, X: Any, how: _core.Settings) -> _core.Recipe:
        return recipe_of(self, self._method, data, how)

    def _weights(self, sample_weight: Any, X: Any, labels: ParsedLabels) -> FloatArray:
        weights = check_weights(sample_weight, X)
        by_class = getattr(self, "class_weight", None)
        if not isinstance(by_class, dict):
            if by_class is not None and not isinstance(by_class, str):
                raise ValueError(f"`class_weight` is {by_class!r}; expected a word, or a dict of labels and weights")
            return weights
        known = set(labels.classes.tolist())
        unknown = [label for label in by_class if label not in known]
        if unknown:
            raise ValueError(f"`class_weight` has {unknown[0]!r}; expected labels of y")
        if np.any(np.diff(labels.offsets) != 1):
            raise ValueError("`class_weight` by label needs one label per sample; expected `sample_weight` instead")
        own = np.array([by_class.get(label, 1.0) for label in labels.classes.tolist()], dtype=np.float64)[labels.codes]
        return own if len(weights) == 0 else weights * own

    def _keep(self, model: _core.Model, labels: ParsedLabels, known: ParsedLabels) -> None:
        """`known` are labels that need not have samples."""
        self._model = model
        self._taxonomy = labels.taxonomy
        ranks_all = is_joint(model) and dict(model.parameters).get("classes", "all") == "all"
        extra = [int(leaf) for leaf in labels.taxonomy.leaves()] if ranks_all else []
        self._coding = LabelCoding.of(dataclasses.replace(known, layout=labels.layout), extra)
        self.classes_ = self._coding.classes

    def _allows_nan(self) -> bool:
        if self.missing is not None:
            return self.missing != "error"
        return takes_missing_values(self._method)

    def _expects_probabilities(self) -> bool:
        if hasattr(self, "_model"):
            return bool(self._model.has_probabilities)
        return self._will_have_probabilities()

    def _will_have_probabilities(self) -> bool:
        """Of a model that is trained now."""
        return getattr(self, "calibrate", "none") != "none" or _scores_are_probabilities(self._method)

    # Prediction

    def _data(self, X: Any) -> _core.Dataset:
        check_is_fitted(self)
        names = names_of(X)
        X = check_features(self, X, reset=False, allow_nan=self._allows_nan(), by_name=self.align_features)
        return dataset_of(X, feature_names=names)

    def _settings(self) -> _core.Settings:
        return settings(self.n_jobs)

    def _aligned(self) -> dict[str, str]:
        return texts_of({"align_features": True}) if self.align_features else {}

    def _predicted(self, X: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], FloatArray]:
        data = self._data(X)
        self._check_confidence(self._model.has_probabilities)
        offsets, nodes, scores = _core.predict(self._model, data, given(self, PREDICT), self._settings())
        return offsets, nodes, scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Labels of samples, in the layout of the labels of training.

        With `top_k` above 1, and after training on several labels per sample, a sample gets a list of labels.
        """
        check_is_fitted(self)
        offsets, nodes, _ = self._predicted(X)
        return self._coding.decode(offsets, nodes, self._model.taxonomy, several=self.top_k > 1)

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, in the order of `classes_`.

        With one label per sample they add up to 1: those of the leaves, and of "this inner node and nothing below"
        where such labels occurred. With several labels per sample each stands for itself.
        """
        data, align = self._data(X), bool(self.align_features)
        return class_probabilities(self._model, data, self._coding.class_nodes, align, self._settings())

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithms of the probabilities of the classes."""
        with np.errstate(divide="ignore"):
            logarithms: FloatArray = np.log(self.predict_proba(X))
        return logarithms

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the classes, in the order of `classes_`; of two classes, the second minus the first.

        Probabilities, products of steps, margins or margins above the learnt threshold, as the model has them. A policy
        that goes down step by step need not arrive at the class with the largest score.
        """
        check_is_fitted(self)
        scores = self._class_scores(X)
        if len(self.classes_) == 2 and self._coding.layout in ("names", "levels"):
            difference: FloatArray = scores[:, 1] - scores[:, 0]
            return difference
        return scores

    def _class_scores(self, X: Any) -> FloatArray:
        align = bool(self.align_features)
        return class_scores(self._model, self._data(X), self._coding.class_nodes, align, self._settings())

    def predict_ranked(self, X: Any, top_k: int = 5) -> tuple[npt.NDArray[Any], FloatArray]:
        """The best labels of each sample with their scores, best first.

        Returns
        -------
        labels : ndarray of shape (n_samples, k)
            For rows of levels, names of nodes. None where the model gives fewer.
        scores : ndarray of shape (n_samples, k)
            NaN where the model gives fewer.
        """
        data = self._data(X)
        offsets, nodes, values = ranked(self._model, data, top_k, bool(self.align_features), self._settings())
        return ranked_table(offsets, self._coding.labels_of(nodes, self._model.taxonomy), values, top_k)

    def node_scores(self, X: Any, consistency: str = "descendants") -> tuple[FloatArray, npt.NDArray[Any]]:
        """A score from 0 to 1 for every node of the hierarchy; no node has less than one below it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        consistency : {'descendants', 'ancestors'}, default='descendants'
            A node gets the largest score of itself and its descendants, or the smallest of itself and its ancestors.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_nodes)
        names : ndarray of shape (n_nodes,)
            The nodes of the columns, the root first.
        """
        options = {"consistency": consistency, **self._aligned()}
        scores = _core.node_scores(self._model_or_error(), self._data(X), options, self._settings())
        return scores, np.array(self._model.taxonomy.names()[: scores.shape[1]], dtype=str)

    def predict_nodes(self, X: Any, above: float = 0.5) -> npt.NDArray[Any]:
        """The names of the nodes, without the root, whose score is larger than `above`: a list per sample."""
        scores, names = self.node_scores(X)
        found = np.empty(len(scores), dtype=object)
        for sample, row in enumerate(scores):
            found[sample] = names[1:][row[1:] > above].tolist()
        return found

    def predict_covering(
        self, X: Any, coverage: float = 0.9, set_size: int = 0, guarantee: str = "complete"
    ) -> npt.NDArray[Any]:
        """Nodes that contain the truth with a probability that you choose; needs `conformal` in training.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        coverage : float, default=0.9
            The probability that the guarantee holds.
        set_size : int, default=0
            The most nodes of an answer; 0: one, or 10 if samples have several labels.
        guarantee : {'complete', 'correct'}, default='complete'
            Every true label is an answered node or below one; or every answered node is a true label or above one.

        Returns
        -------
        answers : ndarray of lists
            The nodes of each sample, those with the highest scores first.
        """
        data = self._data(X)
        options = {} if guarantee == "complete" else {"guarantee": guarantee}
        how = _core.CoverageOptions(coverage, set_size, bool(self.align_features), options)
        offsets, nodes, _ = _core.predict_covering(self._model, data, how, self._settings())
        coding = dataclasses.replace(self._coding, layout="sets")
        return coding.decode(offsets, nodes, self._model.taxonomy, several=True)

    def predict_levels(self, X: Any) -> tuple[npt.NDArray[Any], FloatArray]:
        """The nodes on the way to the label, with their probabilities; for trees and one label per sample.

        Returns
        -------
        nodes : ndarray of shape (n_samples, n_levels)
            From the level below the root down; empty texts fill short rows.
        probabilities : ndarray of shape (n_samples, n_levels)
            NaN fills short rows.
        """
        data = self._data(X)
        predicted = _core.predict(self._model, data, given(self, PREDICT), self._settings())
        return level_table(_core.levels(self._model, data, predicted, self._settings()))

    # Understanding

    def explain(self, X: Any, labels: Any = None, reasons: int = 5) -> Explanations:
        """Why samples are predicted as they are, step by step.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        labels : array-like, default=None
            Explain these labels, laid out as those of training, and not those that are predicted.
        reasons : int, default=5
            Features of each step; of a model with a kernel, training samples.

        Returns
        -------
        explanations : list of Explanation
            One for each sample; for each of its labels, where it may have several. Each can be printed, and all at
            once; docs/predict.md says what is in their `steps`.
        """
        data = self._data(X)
        names = None
        if labels is not None:
            parsed = self._parsed(labels, self._taxonomy, self._columns())
            flat = [self._taxonomy.name(int(node)) for node in parsed.class_nodes[parsed.codes]]
            names = [flat[begin:end] for begin, end in zip(parsed.offsets[:-1], parsed.offsets[1:])]
        return Explanations.of(_core.explain(self._model, data, names, reasons, self._settings()))

    def telling_features(self, node: Any, top: int = 20) -> list[dict[str, Any]]:
        """What speaks most for a node, and against it, at each decision on the way to it.

        Returns
        -------
        list of dict
            `at`, the node that decides; `for` and `against`, the features with their weights, the largest first; of a
            model with a kernel, training samples.
        """
        return self.model_.telling_features(self._node_name(node), top)

    def _node_name(self, label: Any) -> str:
        matches = [k for k, known in enumerate(self.classes_.tolist()) if known == label]
        if matches:
            return str(self._taxonomy.name(int(self._coding.class_nodes[matches[0]])))
        return str(label)

    # Measures

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of samples whose labels are predicted exactly: the label, the set of labels, or the whole path.

        Labels that the model does not know are never right.
        """
        offsets, nodes, _ = self._predicted(X)
        y = check_labels(self, y, offsets[:-1])
        labels = parse_labels(
            y, self._taxonomy, self.label_layout, self.path_separator, allow_unknown=True, columns=self._columns()
        )
        true = labels.class_nodes[labels.codes]
        hits = np.zeros(labels.samples, dtype=bool)
        if len(true) == len(nodes) == labels.samples and np.array_equal(labels.offsets, offsets):
            hits = np.asarray(true == nodes)
        else:
            for sample in range(labels.samples):
                wanted = set(true[labels.offsets[sample] : labels.offsets[sample + 1]].tolist())
                hits[sample] = wanted == set(nodes[offsets[sample] : offsets[sample + 1]].tolist())
        return float(np.average(hits, weights=sample_weight))

    def hierarchical_score(self, X: Any, y: Any, measure: str = "hierarchical_f1") -> float:
        """A measure of the predictions that knows the hierarchy: any of `clade methods`, with underscores."""
        names = [entry["name"] for entry in _core.measures()]
        if measure not in names:
            raise ValueError(f"no measure {measure!r}; expected one of {', '.join(names)}")
        predicted = self._predicted(X)
        y = check_labels(self, y, predicted[0][:-1])
        try:
            labels = self._parsed(y, self._taxonomy, self._columns())
        except _core.InputError:
            if self.taxonomy is not None:
                raise
            from clade import metrics  # labels that the model does not know: the hierarchy is that of both

            answers = self._coding.decode(predicted[0], predicted[1], self._model.taxonomy, several=self.top_k > 1)
            return float(getattr(metrics, measure)(y, answers, path_separator=self.path_separator))
        data = dataset_of(np.zeros((labels.samples, 1)), labels)
        folds = np.zeros(0, dtype=np.int64)
        report = json.loads(_core.evaluate_predictions(data, predicted, {}, folds, False, self._settings()))
        if report[measure] is None:
            raise ValueError(f"{measure} cannot be computed from labels alone; expected a measure of them")
        return float(report[measure])

    # The model

    def _model_or_error(self) -> _core.Model:
        check_is_fitted(self)
        return self._model

    @property
    def model_(self) -> Model:
        """What was learnt; a model as the command line writes it."""
        from clade.model import Model

        return Model(self._model_or_error())

    @property
    def taxonomy_(self) -> Taxonomy:
        """The hierarchy of the labels."""
        from clade.taxonomy import Taxonomy

        check_is_fitted(self)
        return Taxonomy.of(self._taxonomy)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the model to a file, which the command line can use, too; labels are there as names of nodes."""
        self._model_or_error().write(os.fspath(path), overwrite)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = model_bytes(state["_model"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = dict(state)
        if "_model" in content:
            content["_model"] = model_from_bytes(content["_model"])
        super().__setstate__(content)

    # What scikit-learn asks

    def _more_tags(self) -> dict[str, Any]:
        return {
            "allow_nan": self._allows_nan(),
            "poor_score": self._method == "prior",
            "_xfail_checks": _impossible_checks(self._method, self._own),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_nan()
        tags.classifier_tags.poor_score = self._method == "prior"
        return tags
