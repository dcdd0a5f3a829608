"""An estimator for texts and for tables with columns of several kinds."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from clade import _core
from clade._answers import Answers, before_gap
from clade._inputs import numbers_for
from clade._runtime import settings, texts_of
from clade._scores import class_probabilities
from clade._tables import column_names, is_frame, is_texts, label_columns, read_frame, read_texts, text_labels
from clade.data import Dataset, PathLike, core_taxonomy
from clade.evaluation import Evaluation
from clade.labels import parse_labels
from clade.model import Model, weights_of
from clade.predictions import Explanations, Predictions
from clade.training import Request, seconds_of

Self = TypeVar("Self", bound="HierarchicalPipeline")

_COLUMNS = ("text_columns", "numeric_columns", "categorical_columns", "ignore_columns", "text_fields", "number_weight")
_WORDS = (
    "weight",
    "stop_words",
    "stem",
    "min_documents",
    "max_documents",
    "min_length",
    "drop_numbers",
    "keep_case",
    "word_runs",
    "sublinear",
    "characters",
    "hash_bits",
    "raw_length",
)
_DECIDE = ("decide", "decide_for", "least_precision", "decide_folds")
_PREDICT = ("policy", "confidence", "top_k", "label_set", "threshold", "beam")


def _has_probabilities(estimator: Any) -> bool:
    if hasattr(estimator, "model_") and not estimator.model_.has_probabilities:
        raise AttributeError("the model has no probabilities; expected `calibrate` among the classifier's parameters")
    return True


class HierarchicalPipeline(ClassifierMixin, BaseEstimator):
    """From texts, or frames with columns of text, numbers, categories and dates, to labels of a hierarchy.

    Columns, words and gaps are understood exactly as in files (docs/spreadsheet.md): the model is the one that
    `clade train` makes of a file with the same table, and `clade predict` can use it.

    Parameters
    ----------
    classifier : str or estimator, default="default"
        "default": one that suits the data; "auto": some are tried in cross-validation, and the best is taken; the name
        of a classifier; or a classifier of Clade, whose own keywords then count.
    parameters : dict, default=None
        Parameters of a classifier that is given by name.
    budget : float or str, default=60
        Seconds after which "auto" tries no more.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column per class.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    text_columns, numeric_columns, categorical_columns, ignore_columns : list of str, default=None
        What columns are; their values and types tell what is not given here.
    text_fields : {'joined', 'separate'}, default=None
        Whether a word in one column of text is the same feature as in another.
    number_weight : float, default=None
        How much numbers count beside words.
    weight, stop_words, stem, min_documents, max_documents, min_length, drop_numbers, keep_case, word_runs, sublinear, \
characters, hash_bits, raw_length : default=None
        How texts become words, and words numbers: the options of the command line (docs/formats/text.md).
    select, select_parameters, features, top : default=None
        Features are first selected, or taken from a ranking; as for the classifiers.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing numbers. None: beside texts they count as the mean; otherwise they are kept where the
        classifier takes them, and are means, or an error where the classifier was named.
    decide, decide_for, least_precision, decide_folds : default=None
        How label sets are decided, where samples have several labels.
    conformal : str, default=None
        Calibrate for answers with a guarantee: "cross:5" or "split:20%".
    conformal_by_class : bool, default=False
        The coverage holds for every class.
    policy, confidence, top_k, label_set, threshold, beam : default=None
        Options of prediction, as for `clade predict`.
    n_jobs : int, default=None
        Threads; they never change a result.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    model_ : Model
        The trained model.
    classes_ : ndarray
        The distinct labels; for rows of levels the names of their nodes.
    notes_ : list of str
        What was made of the columns and the labels.
    feature_names_in_ : ndarray
        The columns, if a frame was given.

    Examples
    --------
    >>> texts = ["red apple", "green apple", "ripe pear", "yellow pear", "fast car", "blue car", "big truck", "a truck"]
    >>> y = ["fruit/apple"] * 2 + ["fruit/pear"] * 2 + ["vehicle/car"] * 2 + ["vehicle/truck"] * 2
    >>> pipeline = HierarchicalPipeline("top-down-svm").fit(texts, y)
    >>> pipeline.predict(["an apple", "some trucks and a truck"]).tolist()
    ['fruit/apple', 'vehicle/truck']
    """

    model_: Model
    classes_: npt.NDArray[Any]
    notes_: list[str]
    _answers: Answers

    def __init__(
        self,
        classifier: Any = "default",
        *,
        parameters: dict[str, Any] | None = None,
        budget: Any = 60.0,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        text_columns: Any = None,
        numeric_columns: Any = None,
        categorical_columns: Any = None,
        ignore_columns: Any = None,
        text_fields: str | None = None,
        number_weight: float | None = None,
        weight: str | None = None,
        stop_words: str | None = None,
        stem: str | None = None,
        min_documents: int | None = None,
        max_documents: float | None = None,
        min_length: int | None = None,
        drop_numbers: bool | None = None,
        keep_case: bool | None = None,
        word_runs: int | None = None,
        sublinear: bool | None = None,
        characters: str | None = None,
        hash_bits: int | None = None,
        raw_length: bool | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: Any = None,
        missing: str | None = None,
        decide: str | None = None,
        decide_for: str | None = None,
        least_precision: float | None = None,
        decide_folds: int | None = None,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str | None = None,
        confidence: float | None = None,
        top_k: int | None = None,
        label_set: str | None = None,
        threshold: float | None = None,
        beam: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.classifier = classifier
        self.parameters = parameters
        self.budget = budget
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.text_columns = text_columns
        self.numeric_columns = numeric_columns
        self.categorical_columns = categorical_columns
        self.ignore_columns = ignore_columns
        self.text_fields = text_fields
        self.number_weight = number_weight
        self.weight = weight
        self.stop_words = stop_words
        self.stem = stem
        self.min_documents = min_documents
        self.max_documents = max_documents
        self.min_length = min_length
        self.drop_numbers = drop_numbers
        self.keep_case = keep_case
        self.word_runs = word_runs
        self.sublinear = sublinear
        self.characters = characters
        self.hash_bits = hash_bits
        self.raw_length = raw_length
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns columns, words and a model.

        Parameters
        ----------
        X : sequence of str, or frame
            Texts, or a table; a two-dimensional array is a table whose columns are named by their numbers.
        y : labels, in any of the layouts of `label_layout`
        sample_weight : array of shape (n_samples,), default=None
        """
        request = self._request()
        request.check()
        table = _texts_or_frame(X)
        data = self._read(table, y, request)
        call = settings(self.n_jobs, self.random_state)
        gaps = data.missing_values if request.is_open and request.missing is None else 0
        recipe, training = request.recipe(data._core, data._core, gaps, call)
        weights = weights_of(sample_weight)
        core = _core.train(data._core, recipe, weights, self.conformal or "", bool(self.conformal_by_class), call)
        self.model_ = Model(core, training)
        self._answers = data._answers
        self.classes_ = self._answers.classes()
        self.notes_ = data.notes
        if is_frame(table):
            self.feature_names_in_ = np.array(column_names(table), dtype=object)
            self.n_features_in_ = len(self.feature_names_in_)
        return self

    def _request(self) -> Request:
        classifier = self.classifier
        if classifier is not None and not isinstance(classifier, str):
            if not hasattr(classifier, "_choose"):
                kind = type(classifier).__name__
                raise TypeError(f"`classifier` is {kind}; expected the name of a classifier, or a classifier of Clade")
            classifier = clone(classifier)
        return Request(
            classifier,
            texts_of(self.parameters or {}),
            self.select,
            self.select_parameters,
            self.top,
            self.features,
            self.missing,
            self._given(_DECIDE),
            seconds_of(self.budget),
        )

    def _given(self, names: tuple[str, ...]) -> dict[str, str]:
        return texts_of({name: getattr(self, name) for name in names})

    def _read(self, table: Any, y: Any, request: Request) -> Dataset:
        words = {name: getattr(self, name) for name in _WORDS if getattr(self, name) is not None}
        columns = {name: getattr(self, name) for name in _COLUMNS if getattr(self, name) is not None}
        how: dict[str, Any] = {
            "label_layout": self.label_layout,
            "path_separator": self.path_separator,
            "n_jobs": self.n_jobs,
            "missing": request.reads_gaps(),
        }
        if is_frame(table):
            return Dataset.from_frame(table, y, self.taxonomy, **how, **words, **columns)
        if columns:
            raise ValueError(f"`{sorted(columns)[0]}` concerns columns, and X is texts; expected a frame")
        return Dataset.from_texts(table, y, self.taxonomy, **how, **words)

    def _predicted(self, X: Any) -> Predictions:
        check_is_fitted(self, "model_")
        call = settings(self.n_jobs)
        core = self.model_._data(_texts_or_frame(X), None, {}, call)
        arrays = _core.predict(self.model_._core, core, self._given(_PREDICT), call)
        return Predictions(arrays, self.model_._core.taxonomy, core, self._answers)

    def predict(self, X: Any) -> Any:
        """Labels of samples, in the layout of the labels of training; lists where samples get several."""
        return self._predicted(X).labels

    def predictions(self, X: Any) -> Predictions:
        """Labels with their scores."""
        return self._predicted(X)

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Probabilities of the classes, in the order of `classes_`.

        With one label per sample they add up to 1. With several, each stands for itself.
        """
        check_is_fitted(self, "model_")
        call = settings(self.n_jobs)
        core = self.model_._data(_texts_or_frame(X), None, {}, call)
        nodes = self._class_nodes(self.model_._core.taxonomy.names())
        return class_probabilities(self.model_._core, core, nodes, False, call)

    def _class_nodes(self, names: list[str]) -> npt.NDArray[np.int64]:
        by_name = {name: node for node, name in enumerate(names)}
        if self._answers.layout == "levels" or not self._answers.values:
            return np.array([by_name[name] for name in self.classes_], dtype=np.int64)
        by_label = {label: by_name[name] for name, label in self._answers.values.items()}
        return np.array([by_label[label] for label in self.classes_.tolist()], dtype=np.int64)

    def nodes(self, X: Any) -> Any:
        """A frame with the scores of all nodes."""
        check_is_fitted(self, "model_")
        return self.model_.nodes(_texts_or_frame(X), n_jobs=self.n_jobs)

    def explain(self, X: Any, labels: Any = None, *, reasons: int = 5) -> Explanations:
        """Why samples get their labels, or what speaks for others: the words, columns and values that decide.

        Parameters
        ----------
        X : as for :meth:`fit`
        labels : sequence, default=None
            A label for each sample; by default the best.
        reasons : int, default=5
            Features at each node.
        """
        check_is_fitted(self, "model_")
        names = None
        if labels is not None:
            # As y has them: rows of levels are tuples here.
            name_of = {label: name for name, label in self._answers.values.items()}
            asked = [tuple(before_gap(row)) if np.ndim(row) == 1 else row for row in np.asarray(labels).tolist()]
            names = [str(name_of.get(label, label)) for label in asked]
        return self.model_.explain(_texts_or_frame(X), names, reasons=reasons, n_jobs=self.n_jobs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of samples whose labels are predicted exactly: the label, the set of labels, or the whole path."""
        predicted = self.predict(X)
        wanted = _comparable(y)
        hits = np.array([one == other for one, other in zip(_comparable(predicted), wanted)], dtype=bool)
        if len(hits) != len(wanted):
            raise ValueError(f"{len(wanted)} labels for {len(hits)} samples; expected as many")
        return float(np.average(hits, weights=sample_weight))

    def evaluate(self, X: Any, y: Any, **options: Any) -> Evaluation:
        """All measures of the predictions; the options are those of :meth:`Model.evaluate`."""
        check_is_fitted(self, "model_")
        return self.model_.evaluate(self._with_labels(_texts_or_frame(X), y), n_jobs=self.n_jobs, **options)

    def _with_labels(self, table: Any, y: Any) -> Dataset:
        """Samples as the model knows them, with labels in the layout of training."""
        call = settings(self.n_jobs)
        tree = core_taxonomy(self.taxonomy)
        parsed = parse_labels(y, tree, self.label_layout, self.path_separator)
        if self.model_.columns is None and is_frame(table):
            return Dataset._of(numbers_for(self.model_._core, table, parsed))
        separator = self.path_separator if tree is None else ""
        if is_frame(table):
            labels = label_columns(y, self.label_layout, separator, column_names(table))
            core, _ = read_frame(table, labels, {}, call, self.model_._core)
        else:
            core, _ = read_texts(table, text_labels(y, self.label_layout, separator), {}, call, self.model_._core)
        return Dataset._of(core if tree is None else core.relabelled(tree, parsed.core()))

    def save(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Writes the model, which `clade predict` applies to files with the same columns."""
        check_is_fitted(self, "model_")
        self.model_.save(path, overwrite=overwrite)

    @classmethod
    def load(cls: type[Self], path: PathLike) -> Self:
        """A pipeline that predicts with the model of a file; labels are then names of nodes."""
        pipeline = cls()
        pipeline.model_ = Model.read(path)
        pipeline._answers = Answers()
        pipeline.classes_ = np.array(pipeline.model_.classes, dtype=str)
        pipeline.notes_ = []
        return pipeline

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["string"], "no_validation": True, "allow_nan": True, "multilabel": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        return tags


def _texts_or_frame(X: Any) -> Any:
    """Texts and frames as they are; tables of other kinds as frames."""
    if is_frame(X) or is_texts(X):
        return X
    table = np.asarray(X)
    if table.ndim != 2:
        raise ValueError(f"X is {type(X).__name__}; expected texts, a frame, or a table of two dimensions")
    import pandas

    return pandas.DataFrame(table, columns=[str(k) for k in range(table.shape[1])]).infer_objects()


def _comparable(y: Any) -> list[Any]:
    """The labels of each sample as something that is equal or not: a label, a set, or a path."""
    rows = y.to_numpy() if is_frame(y) else y.toarray() if hasattr(y, "toarray") else y
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        return [tuple(str(cell) for cell in row if not (cell is None or cell != cell or cell == "")) for row in rows]
    labels = rows.tolist() if hasattr(rows, "tolist") else list(rows)
    return [frozenset(label) if isinstance(label, (list, tuple, set, frozenset)) else label for label in labels]
