"""The classes of HiClass, by their names and parameters, over the classifiers of Clade.

Programs written for HiClass run with `from clade.hiclass import LocalClassifierPerParentNode`. What is learnt at the
nodes is Clade's: a `local_classifier` of scikit-learn says which classifier it is and with which parameters.

=============================  ================================  ====================
local classifier               per parent node, per node, flat   per level
=============================  ================================  ====================
LogisticRegression, or None    top-down-logistic                 path-svm, calibrated
LinearSVC, SVC(kernel=linear)  top-down-svm                      path-svm
a classifier of Clade          that one                          that one
=============================  ================================  ====================

Per node, the children of a node are told apart by one classifier for each against its siblings (SVM) or by one
regression for all of them. Per level, every node is told from all others of its level, and the best path wins, so that
levels never contradict each other.
"""

from __future__ import annotations

import csv
import warnings
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from clade._estimator import HierarchicalClassifier
from clade._validate import check_labels
from clade.classifiers import PathSVM, TopDownLogisticClassifier, TopDownSVM
from clade.hiclass.metrics import f1, padded, precision, recall, rows_of

__all__ = [
    "FlatClassifier",
    "LocalClassifierPerLevel",
    "LocalClassifierPerNode",
    "LocalClassifierPerParentNode",
    "f1",
    "precision",
    "recall",
]


def __dir__() -> list[str]:
    """What completion offers: not the modules that are imported here."""
    return __all__


Self = TypeVar("Self", bound="_LocalClassifiers")
_CALIBRATE = {"platt": "sigmoid", "isotonic": "isotonic"}


class _LocalClassifiers(ClassifierMixin, BaseEstimator):
    """What the four classes share: they choose a classifier of Clade and hand over to it."""

    _is_flat: ClassVar[bool] = False
    _is_per_level: ClassVar[bool] = False

    local_classifier: Any

    def __init__(
        self,
        local_classifier: Any = None,
        verbose: int = 0,
        edge_list: str | None = None,
        replace_classifiers: bool = True,
        n_jobs: int | None = 1,
        bert: bool = False,
        calibration_method: str | None = None,
        return_all_probabilities: bool = False,
        probability_combiner: str | None = "multiply",
        tmp_dir: str | None = None,
    ) -> None:
        self.local_classifier = local_classifier
        self.verbose = verbose
        self.edge_list = edge_list
        self.replace_classifiers = replace_classifiers
        self.n_jobs = n_jobs
        self.bert = bert
        self.calibration_method = calibration_method
        self.return_all_probabilities = return_all_probabilities
        self.probability_combiner = probability_combiner
        self.tmp_dir = tmp_dir

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Trains the classifiers of all nodes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_levels), or lists of labels from the first level down
            Empty texts, or shorter lists, end a path early.
        sample_weight : array-like of shape (n_samples,), default=None
        """
        self._refuse()
        rows = rows_of(check_labels(self, y, X))
        self._paths = sorted({tuple(row) for row in rows})
        self.max_levels_ = max((len(row) for row in rows), default=1)
        estimator = self._estimator()
        if self._is_flat:
            number = {path: code for code, path in enumerate(self._paths)}
            labels = np.array([number[tuple(row)] for row in rows])
            self.estimator_ = estimator.set_params(label_layout="names").fit(X, labels, sample_weight)
        else:
            self.estimator_ = estimator.set_params(label_layout="levels").fit(X, padded(rows), sample_weight)
        self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        levels = [np.array([path[-1] for path in nodes]) for nodes in self._levels()]
        self.classes_ = levels[0] if self.max_levels_ == 1 else levels
        self._write_edges()
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The labels of all levels, a row per sample; of one level, a label per sample."""
        check_is_fitted(self)
        found = self.estimator_.predict(X)
        rows = padded([list(self._paths[code]) for code in found], self.max_levels_) if self._is_flat else found
        labels: npt.NDArray[Any] = rows.ravel() if self.max_levels_ == 1 else rows
        return labels

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes of the last level, or of every level with `return_all_probabilities`.

        Columns are in the order of `classes_`. The probability of a class is the product of those of the steps to it.
        Those of a level add up to the probability that a path gets there: 1, less that of the paths that end above it.
        """
        check_is_fitted(self)
        probabilities = self.estimator_.predict_proba(X)
        paths = self._class_paths()
        tables = []
        for depth, nodes in enumerate(self._levels(), start=1):
            place = {node: number for number, node in enumerate(nodes)}
            table = np.zeros((len(probabilities), len(nodes)))
            for column, path in enumerate(paths):
                if len(path) >= depth:
                    table[:, place[path[:depth]]] += probabilities[:, column]
            tables.append(table)
        return tables if getattr(self, "return_all_probabilities", False) else tables[-1]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of samples whose whole path is predicted."""
        check_is_fitted(self)
        true, found = rows_of(y), rows_of(self.predict(X))
        check_consistent_length(found, true)
        return float(np.average([wanted == row for wanted, row in zip(true, found)], weights=sample_weight))

    def calibrate(self: Self, X: Any, y: Any) -> Self:
        """Does nothing more: `fit` has calibrated by cross-validation, as `calibration_method` says."""
        check_is_fitted(self)
        if getattr(self, "calibration_method", None) is None:
            raise ValueError("no `calibration_method`; expected one, which calibrates in fit()")
        warnings.warn("probabilities were calibrated by cross-validation in fit(); these samples are not used")
        return self

    def _levels(self) -> list[list[tuple[Any, ...]]]:
        """The nodes of each level by their paths, sorted: the same label below two others is two nodes."""
        depths = range(1, self.max_levels_ + 1)
        return [sorted({path[:depth] for path in self._paths if len(path) >= depth}) for depth in depths]

    def _class_paths(self) -> list[tuple[Any, ...]]:
        """The path of each column of the estimator's probabilities."""
        if self._is_flat:
            return [self._paths[code] for code in self.estimator_.classes_]
        coding = self.estimator_._coding
        return [tuple(coding.row_of(int(node), self.estimator_._model.taxonomy)) for node in coding.class_nodes]

    def _estimator(self) -> HierarchicalClassifier:
        given = self.local_classifier
        n_jobs = getattr(self, "n_jobs", None)
        if isinstance(given, HierarchicalClassifier):
            own: HierarchicalClassifier = clone(given)
            return own
        method = getattr(self, "calibration_method", None)
        calibrate = "none" if method is None else _CALIBRATE[method]
        if given is None or type(given) is LogisticRegression:
            model = given or LogisticRegression()
            if self._is_per_level:
                calibrate = "auto" if calibrate == "none" else "temperature"
                return self._paths_machine(model, calibrate=calibrate, n_jobs=n_jobs)
            _check_regression(model)
            return TopDownLogisticClassifier(
                c=model.C,
                class_weight=_class_weight(model),
                tolerance=model.tol,
                iterations=max(model.max_iter, 1000),
                scale="none",
                weights="double",
                prune=0.0,
                calibrate=calibrate,
                policy="greedy",
                n_jobs=n_jobs,
                **_seed(model),
            )
        if type(given) is LinearSVC or (type(given) is SVC and given.kernel == "linear"):
            return self._machine(given, calibrate, n_jobs)
        raise TypeError(
            f"`local_classifier` is {type(given).__name__}; expected LogisticRegression, LinearSVC, "
            "SVC(kernel='linear') or a classifier of Clade"
        )

    def _machine(self, model: Any, calibrate: str, n_jobs: int | None) -> HierarchicalClassifier:
        if self._is_per_level:
            loss = "hinge" if getattr(model, "loss", "hinge") == "hinge" else "squared-hinge"
            calibrate = "none" if calibrate == "none" else "temperature"
            return self._paths_machine(model, loss=loss, calibrate=calibrate, n_jobs=n_jobs, tolerance=model.tol)
        common = {
            "c": model.C,
            "class_weight": _class_weight(model),
            "scale": "none",
            "weights": "double",
            "prune": 0.0,
            "calibrate": calibrate,
            "policy": "greedy",
            "n_jobs": n_jobs,
            **_seed(model),
        }
        if type(model) is SVC:
            return TopDownSVM(multiclass="one-vs-one", tolerance=model.tol, **common)
        if model.penalty != "l2":
            raise ValueError(f"`local_classifier` has penalty {model.penalty!r}; expected 'l2'")
        if model.multi_class == "crammer_singer":
            return TopDownSVM(multiclass="crammer-singer", **common)
        return TopDownSVM(
            loss="hinge" if model.loss == "hinge" else "squared-hinge",
            bias=float(model.intercept_scaling) if model.fit_intercept else 0.0,
            tolerance=model.tol,
            iterations=max(model.max_iter, 1000),
            **common,
        )

    @staticmethod
    def _paths_machine(model: Any, **parameters: Any) -> HierarchicalClassifier:
        return PathSVM(c=model.C, scale="none", weights="double", prune=0.0, **parameters, **_seed(model))

    def _refuse(self) -> None:
        """Parameters that ask for something else than what is done."""
        if getattr(self, "bert", False):
            raise ValueError("`bert` is True; expected features in X, and False")
        method = getattr(self, "calibration_method", None)
        if method is not None and method not in _CALIBRATE:
            raise ValueError(f"`calibration_method` is {method!r}; expected None, 'platt' or 'isotonic'")
        combiner = getattr(self, "probability_combiner", "multiply")
        if combiner != "multiply":
            raise ValueError(f"`probability_combiner` is {combiner!r}; expected 'multiply'")
        policy = getattr(self, "binary_policy", "siblings")
        if policy != "siblings":
            raise ValueError(f"`binary_policy` is {policy!r}; expected 'siblings'")

    def _write_edges(self) -> None:
        path = getattr(self, "edge_list", None)
        if path is None:
            return
        edges = {(row[k], row[k + 1]): None for row in self._paths for k in range(len(row) - 1)}
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(edges)


class LocalClassifierPerParentNode(_LocalClassifiers):
    """A classifier at every node with children, which tells these apart.

    Parameters
    ----------
    local_classifier : estimator or None, default=None
        LogisticRegression, LinearSVC or SVC(kernel='linear') of scikit-learn, or a classifier of Clade; None:
        LogisticRegression.
    verbose : int, default=0
        Accepted; messages go to the logger ``clade``.
    edge_list : str or None, default=None
        A file for the edges of the hierarchy.
    replace_classifiers : bool, default=True
        Accepted; a node with one child needs no classifier.
    n_jobs : int or None, default=1
        Threads. They never change a result.
    bert : bool, default=False
        Only False.
    calibration_method : {None, 'platt', 'isotonic'}, default=None
        Calibrates probabilities, by cross-validation in fit().
    return_all_probabilities : bool, default=False
        predict_proba() gives the probabilities of every level, and not only of the last.
    probability_combiner : str, default='multiply'
        Only 'multiply'.
    tmp_dir : str or None, default=None
        Accepted; nothing is kept there.

    Examples
    --------
    >>> y = [["1", "1.1"], ["1", "1.2"], ["2", "2.1"], ["2", "2.2"]]
    >>> X = [[0, 0], [0, 1], [9, 0], [9, 1]]
    >>> LocalClassifierPerParentNode().fit(X, y).predict(X).tolist()
    [['1', '1.1'], ['1', '1.2'], ['2', '2.1'], ['2', '2.2']]
    """


class LocalClassifierPerNode(_LocalClassifiers):
    """A classifier for every node against its siblings.

    Parameters
    ----------
    local_classifier : estimator or None, default=None
        As in LocalClassifierPerParentNode.
    binary_policy : str, default='siblings'
        Only 'siblings'.
    verbose, edge_list, replace_classifiers, n_jobs, bert, calibration_method, tmp_dir
        As in LocalClassifierPerParentNode.
    return_all_probabilities, probability_combiner
        As in LocalClassifierPerParentNode.
    """

    def __init__(
        self,
        local_classifier: Any = None,
        binary_policy: str = "siblings",
        verbose: int = 0,
        edge_list: str | None = None,
        replace_classifiers: bool = True,
        n_jobs: int | None = 1,
        bert: bool = False,
        calibration_method: str | None = None,
        return_all_probabilities: bool = False,
        probability_combiner: str | None = "multiply",
        tmp_dir: str | None = None,
    ) -> None:
        self.local_classifier = local_classifier
        self.binary_policy = binary_policy
        self.verbose = verbose
        self.edge_list = edge_list
        self.replace_classifiers = replace_classifiers
        self.n_jobs = n_jobs
        self.bert = bert
        self.calibration_method = calibration_method
        self.return_all_probabilities = return_all_probabilities
        self.probability_combiner = probability_combiner
        self.tmp_dir = tmp_dir


class LocalClassifierPerLevel(_LocalClassifiers):
    """A classifier for every level, whose nodes are told apart on all samples.

    Parameters
    ----------
    local_classifier, verbose, edge_list, replace_classifiers, n_jobs, bert, calibration_method, tmp_dir
        As in LocalClassifierPerParentNode.
    return_all_probabilities, probability_combiner
        As in LocalClassifierPerParentNode.
    """

    _is_per_level: ClassVar[bool] = True


class FlatClassifier(_LocalClassifiers):
    """One classifier over all paths, without the hierarchy.

    Parameters
    ----------
    local_classifier : estimator or None, default=None
        As in LocalClassifierPerParentNode.
    """

    _is_flat: ClassVar[bool] = True

    def __init__(self, local_classifier: Any = None) -> None:
        self.local_classifier = local_classifier


def _check_regression(model: Any) -> None:
    if model.penalty != "l2":
        raise ValueError(f"`local_classifier` has penalty {model.penalty!r}; expected 'l2'")
    if not model.fit_intercept:
        raise ValueError("`local_classifier` has no intercept; expected fit_intercept=True")


def _class_weight(model: Any) -> str:
    if model.class_weight is None:
        return "none"
    if model.class_weight != "balanced":
        raise ValueError("`local_classifier` has weights of classes; expected None, 'balanced', or sample weights")
    return "balanced"


def _seed(model: Any) -> dict[str, Any]:
    return {} if model.random_state is None else {"random_state": model.random_state}
