"""An estimator for texts and for tables with columns of several kinds."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from clade import _core
from clade._answers import Answers, before_gap
from clade._estimator import FloatArray, HierarchicalClassifier
from clade._inputs import numbers_for
from clade._recipe import DECIDE, PREDICT, given
from clade._runtime import logger, settings, texts_of
from clade._tables import column_names, is_frame, is_texts, label_columns, read_frame, read_texts, without_label
from clade.data import Dataset, PathLike
from clade.evaluation import Evaluation
from clade.labels import core_taxonomy, parse_labels
from clade.model import Model, weights_of
from clade.predictions import Predictions
from clade.training import Request, seconds_of

__all__ = ["HierarchicalPipeline"]

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


class HierarchicalPipeline(HierarchicalClassifier):
    """From texts, or frames with columns of text, numbers, categories and dates, to labels of a hierarchy.

    Columns, words and gaps are understood exactly as in files (docs/formats/tables.md): the model is the one that
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
    policy, confidence, label_set, threshold, beam : default=None
        Options of prediction, as for `clade predict`.
    top_k : int, default=1
        Labels of a sample, best first.
    n_jobs : int, default=None
        Threads; they never change a result.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    model_ : Model
        The trained model.
    classes_ : ndarray
        The distinct labels; for rows of levels the names of their nodes.
    reason_ : str
        Why the classifier was taken.
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

    align_features = False  # the library finds columns by their names
    notes_: list[str]
    reason_: str
    _answers: Answers
    _training: dict[str, Any]

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
        top_k: int = 1,
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
        _require_labels(y)
        if is_frame(table):
            _warn_of_labels(table, y)
        data = self._read(table, y, request)
        call = settings(self.n_jobs, self.random_state)
        gaps = data.missing_values if request.is_open and request.missing is None else 0
        recipe, training = request.recipe(data._core, data._core, gaps, call)
        weights = weights_of(sample_weight)
        core = _core.train(data._core, recipe, weights, self.conformal or "", bool(self.conformal_by_class), call)
        self._keep_answers(Model(core, training), data._core.taxonomy, data._answers)
        self.notes_ = data.notes
        self.reason_ = str(training.get("reason", "as asked"))
        if is_frame(table):
            self.feature_names_in_ = np.array(column_names(table), dtype=object)
            self.n_features_in_ = len(self.feature_names_in_)
        return self

    def _request(self) -> Request:
        classifier = self.classifier
        if classifier is not None and not isinstance(classifier, str):
            if not hasattr(classifier, "_choose") or isinstance(classifier, HierarchicalPipeline):
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
            self._given(DECIDE),
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

    # What the classifiers ask of themselves

    def _data(self, X: Any) -> _core.Dataset:
        check_is_fitted(self)
        return self.model_._data(self._known(X), None, {}, self._settings())

    def _known(self, X: Any) -> Any:
        """Texts, or a frame that has the columns of training; a note names those that it has besides."""
        table = _texts_or_frame(X)
        columns = self.model_._core.columns()
        if not is_frame(table) or columns == []:  # words of texts that were no table
            return table
        wanted = [name for name, _ in columns] if columns else self.model_.feature_names or []
        names = column_names(table)
        missing = [name for name in wanted if name not in names]
        if missing:
            raise _core.InputError(
                f"X has no {_counted('column', missing)}; expected those of training: {_listed(wanted)}"
            )
        known = {*wanted, *getattr(self, "feature_names_in_", [])}
        extra = [name for name in names if name not in known]
        if extra and wanted:
            logger.info(f"{_counted('column', extra)} of X unknown to the model: ignored")
        return table

    def _predicted(self, X: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], FloatArray]:
        found = self.predictions(X)
        return found.offsets, found.nodes, found.scores

    def _expects_probabilities(self) -> bool:
        if hasattr(self, "_model") and not self._model.has_probabilities:
            raise AttributeError(
                f"{self._model.classifier} has no probabilities; expected a classifier that has them, such as "
                "'top-down-logistic', or `calibrate` among its own parameters: TopDownSVM(calibrate='sigmoid')"
            )
        return True

    def _keep_answers(self, model: Model, taxonomy: _core.Taxonomy, answers: Answers) -> None:
        self._model = model._core
        self._training = model.training
        self._taxonomy = taxonomy
        self._answers = answers
        self._coding = answers.coding(model._core.taxonomy, model.classes)
        self.classes_ = self._coding.classes

    @property
    def model_(self) -> Model:
        """The trained model."""
        return Model(self._model_or_error(), self._training)

    def predict(self, X: Any) -> Any:
        """Labels of samples, in the layout of the labels of training; lists where samples get several."""
        return self.predictions(X).labels

    def predictions(self, X: Any) -> Predictions:
        """Labels with their scores."""
        data = self._data(X)
        arrays = _core.predict(self._model, data, given(self, PREDICT), self._settings())
        return Predictions(arrays, self._model.taxonomy, data, self._answers)

    def nodes(self, X: Any) -> Any:
        """A frame with the scores of all nodes."""
        check_is_fitted(self)
        return self.model_.nodes(self._known(X), n_jobs=self.n_jobs)

    def explain(self, X: Any, labels: Any = None, reasons: int = 5) -> Any:
        """Why samples get their labels, or what speaks for others: the words, columns and values that decide.

        Parameters
        ----------
        X : as for :meth:`fit`
        labels : sequence, default=None
            A label for each sample; by default the best.
        reasons : int, default=5
            Features at each node.

        Returns
        -------
        Explanations
        """
        check_is_fitted(self)
        names = None
        if labels is not None:
            # As y has them: rows of levels are tuples here.
            name_of = {label: name for name, label in self._answers.values.items()}
            asked = [tuple(before_gap(row)) if np.ndim(row) == 1 else row for row in np.asarray(labels).tolist()]
            names = [str(name_of.get(label, label)) for label in asked]
        return self.model_.explain(self._known(X), names, reasons=reasons, n_jobs=self.n_jobs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of samples whose labels are predicted exactly: the label, the set of labels, or the whole path."""
        _require_labels(y)
        predicted, wanted = _comparable(self.predict(X)), _comparable(y)
        if len(predicted) != len(wanted):
            raise ValueError(f"{len(wanted)} labels for {len(predicted)} samples; expected as many")
        hits = np.array([one == other for one, other in zip(predicted, wanted)], dtype=bool)
        return float(np.average(hits, weights=sample_weight))

    def evaluate(self, X: Any, y: Any, **options: Any) -> Evaluation:
        """All measures of the predictions; the options are those of :meth:`Model.evaluate`."""
        check_is_fitted(self)
        return self.model_.evaluate(self._with_labels(self._known(X), y), n_jobs=self.n_jobs, **options)

    def _with_labels(self, table: Any, y: Any) -> Dataset:
        """Samples as the model knows them, with labels in the layout of training."""
        call = settings(self.n_jobs)
        tree = core_taxonomy(self.taxonomy)
        parsed = parse_labels(y, tree, self.label_layout, self.path_separator)
        if self.model_.columns is None and is_frame(table):
            return Dataset._of(numbers_for(self._model, table, parsed))
        separator = self.path_separator if tree is None else ""
        taken = column_names(table) if is_frame(table) else []
        labels = label_columns(y, self.label_layout, separator, taken)
        if is_frame(table):
            core, _ = read_frame(table, labels, {}, call, self._model)
        else:
            core, _ = read_texts(table, labels, {}, call, self._model)
        return Dataset._of(core if tree is None else core.relabelled(tree, parsed.core()))

    def save(self, path: PathLike, overwrite: bool = False) -> None:
        """Writes the model, which `clade predict` applies to files with the same columns."""
        check_is_fitted(self)
        self.model_.save(path, overwrite=overwrite)

    @classmethod
    def load(cls: type[Self], path: PathLike) -> Self:
        """A pipeline that predicts with the model of a file; labels are then names of nodes."""
        pipeline = cls()
        model = Model.read(path)
        pipeline._keep_answers(model, model._core.taxonomy, Answers())
        pipeline.notes_ = []
        pipeline.reason_ = ""
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
    is_rows = isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(row, dict) for row in X)
    table = None if is_rows else np.asarray(X)
    if table is not None and table.ndim != 2:
        if table.size == 0:
            raise ValueError("X has no samples; expected one at least")
        raise ValueError(f"X is {type(X).__name__}; expected texts, a frame, rows as dicts, or a table")
    import pandas

    if table is None:
        return pandas.DataFrame(list(X))
    return pandas.DataFrame(table, columns=[str(k) for k in range(table.shape[1])]).infer_objects()


def _require_labels(y: Any) -> None:
    gap = without_label(y)
    if gap is not None:
        raise ValueError(f"labels: sample {gap} has {list(y)[gap]}; expected a label")


def _warn_of_labels(table: Any, y: Any) -> None:
    """A feature that is the label makes a model that knows nothing else."""
    named = y.columns if is_frame(y) else None
    columns = [y] if named is None else [y[name] for name in named]
    answers = [[str(label) for label in column] for column in columns]
    for k, name in enumerate(column_names(table)):
        if [str(value) for value in table.iloc[:, k]] in answers:
            logger.warning(f"column '{name}' of X equals y: the model learns it by heart; expected X without it")


def _listed(names: Any) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _counted(noun: str, names: list[str]) -> str:
    return f"{noun}{'' if len(names) == 1 else 's'} {_listed(names)}"


def _comparable(y: Any) -> list[Any]:
    """The labels of each sample as something that is equal or not: a label, a set, or a path."""
    rows = y.to_numpy() if is_frame(y) else y.toarray() if hasattr(y, "toarray") else y
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        return [tuple(str(cell) for cell in row if not (cell is None or cell != cell or cell == "")) for row in rows]
    labels = rows.tolist() if hasattr(rows, "tolist") else list(rows)
    return [frozenset(label) if isinstance(label, (list, tuple, set, frozenset)) else label for label in labels]
