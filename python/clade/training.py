"""Training, selecting and cross-validating: functions that do what the commands of the same names do."""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Mapping, TypeVar, cast

import numpy as np
import numpy.typing as npt

from clade import _core
from clade._options import option_names
from clade._recipe import ranking_for, select_request
from clade._runtime import logger, seed_of, settings, texts_of, top_text
from clade._tables import is_frame, is_texts
from clade.data import Dataset, matrix_of, read_data
from clade.evaluation import Evaluation, reported
from clade.model import Model, weights_of

if TYPE_CHECKING:
    from clade.ranking import FeatureRanking

__all__ = ["cross_validate", "read_ranking", "select", "train"]
Call = TypeVar("Call", bound=Callable[..., Any])

_DEFAULT = (None, "default")  # a classifier that suits the data


@dataclass
class Request:
    """A recipe as a user asks for it, before the data are known."""

    classifier: Any = None
    parameters: dict[str, str] = field(default_factory=dict)
    select: Any = None
    select_parameters: Mapping[str, Any] | None = None
    top: Any = None
    features: Any = None
    missing: str | None = None
    decide: dict[str, str] = field(default_factory=dict)
    budget: float = 60.0

    @property
    def is_open(self) -> bool:
        """Is the classifier still to be chosen?"""
        return self.classifier in _DEFAULT or self.classifier == "auto"

    def check(self) -> None:
        """Refuses what would have no effect: it is a misunderstanding."""
        if self.is_open and self.parameters:
            name = sorted(self.parameters)[0].replace("-", "_")
            raise _core.InputError(f"`{name}` is a parameter of classifiers; expected `classifier` with it")
        if self.features is not None and self.select is not None:
            raise _core.InputError("`features` and `select` both choose features; expected one of them")
        if self.top is not None and self.features is None and self.select is None:
            raise _core.InputError("`top` has no effect; expected `features` or `select` with it")
        if self.select_parameters and self.select is None:
            raise _core.InputError("`select_parameters` has no effect; expected `select` with it")

    def reads_gaps(self) -> str:
        """How the command line would read missing values for this recipe."""
        if self.missing == "mean":
            return "keep"
        if self.missing is not None:
            return self.missing
        if self.is_open or not isinstance(self.classifier, str):
            return "keep"
        recipe = _core.Recipe(self.classifier, self.parameters, None, None, "", "error", self.decide)
        return "keep" if recipe.takes_missing_values() else "auto"

    def recipe(
        self, data: _core.Dataset, seen: _core.Dataset, missing_values: int, call: _core.Settings
    ) -> tuple[_core.Recipe, dict[str, Any]]:
        """The recipe for these data, with why it was chosen; only samples that are `seen` have a say in it."""
        if not isinstance(self.classifier, str) and self.classifier is not None:
            return self.classifier._choose(data, matrix_of(data), call), {}
        missing = self.missing or "error"
        if self.classifier is not None and not self.is_open:
            return self._recipe(self.classifier, missing, data, call), {}
        has_gaps = self.missing is None and missing_values > 0
        base = self._recipe("", missing, data, call)
        if self.classifier == "auto":
            best, tried = _core.try_recipes(seen, base, self.budget, 3, 3000, call, has_gaps)
            return best, {"reason": "the best of those tried", "tried": tried}
        recipe, reason = _core.default_recipe(seen, base, has_gaps)
        logger.info(f"no classifier given: {recipe}, because of the data ({reason})")
        return recipe, {"reason": reason}

    def _recipe(self, classifier: str, missing: str, data: _core.Dataset, call: _core.Settings) -> _core.Recipe:
        top = top_text(self.top)
        select = None if self.select is None else select_request(self.select, self.select_parameters, top)
        if select is not None:
            top = select["top"]
        ranking = None if self.features is None else ranking_for(self.features, data, call)
        return _core.Recipe(classifier, self.parameters, select, ranking, top, missing, self.decide)


def request_of(
    function: str,
    options: Mapping[str, Any],
    classifier: Any,
    others: Mapping[str, frozenset[str]],
    **keywords: Any,
) -> tuple[Request, dict[str, dict[str, str]]]:
    """Sorts the options of a call: those of `others` by table, of label sets, and parameters of the classifier."""
    if classifier is not None and not isinstance(classifier, str):
        if isinstance(classifier, type) or not hasattr(classifier, "_choose"):
            kind = f"the class {classifier.__name__}" if isinstance(classifier, type) else type(classifier).__name__
            raise TypeError(f"{function}() got {kind}; expected the name of a classifier, or a classifier of Clade")
    given = texts_of(options)
    found: dict[str, dict[str, str]] = {}
    for table, names in others.items():
        found[table] = {name: given.pop(name) for name in list(given) if name in names}
    decide = {name: given.pop(name) for name in list(given) if name in option_names("decide")}
    parameters = texts_of(keywords.pop("parameters", None) or {})
    if given and classifier is not None and not isinstance(classifier, str):
        name = sorted(given)[0].replace("-", "_")
        raise TypeError(f"{function}() got '{name}' beside an estimator; expected it as a parameter of that")
    request = Request(classifier, {**parameters, **given}, decide=decide, **keywords)
    request.check()
    return request, found


def data_of(data: Any, y: Any, read: Mapping[str, str], request: Request, n_jobs: int | None) -> Dataset:
    """Anything with labels as a data set."""
    options = {name.replace("-", "_"): value for name, value in read.items()}
    if isinstance(data, Dataset):
        if options or y is not None:
            name = sorted(options)[0] if options else "y"
            raise TypeError(f"'{name}' beside a data set, which has been read; expected it where the data are read")
        return data
    options["missing"] = request.reads_gaps()
    if isinstance(data, (str, os.PathLike)) or (isinstance(data, (list, tuple)) and y is None):
        return read_data(data, n_jobs=n_jobs, **options)
    path_separator = options.pop("path_separator", None)
    if options.get("label_paths") == "no":
        path_separator = ""
    options.pop("label_paths", None)
    taxonomy = options.pop("taxonomy", None)
    if is_texts(data):
        return Dataset.from_texts(data, y, taxonomy, path_separator=path_separator, n_jobs=n_jobs, **options)
    if is_frame(data):
        return Dataset.from_frame(data, y, taxonomy, path_separator=path_separator, n_jobs=n_jobs, **options)
    return Dataset(data, y, taxonomy, path_separator=path_separator)


def _takes_labels(function: Call) -> Call:
    """Lets labels stand behind the data, too, as they do in scikit-learn."""

    @functools.wraps(function)
    def call(data: Any, *arguments: Any, **keywords: Any) -> Any:
        second = arguments[0] if arguments else None
        if hasattr(second, "__len__") and not isinstance(second, (str, type)) and not hasattr(second, "get_params"):
            if keywords.get("y") is not None:
                raise TypeError(f"{function.__name__}() got labels twice; expected them behind the data, or as `y`")
            keywords["y"] = second
            arguments = arguments[1:]
        return function(data, *arguments, **keywords)

    return cast(Call, call)


@_takes_labels
def train(
    data: Any,
    classifier: Any = None,
    *,
    y: Any = None,
    parameters: Mapping[str, Any] | None = None,
    select: Any = None,
    select_parameters: Mapping[str, Any] | None = None,
    top: Any = None,
    features: Any = None,
    missing: str | None = None,
    sample_weight: Any = None,
    budget: Any = 60.0,
    holdout: Any = None,
    conformal: str | None = None,
    conformal_by_class: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    **options: Any,
) -> Model:
    """Trains a model, as `clade train` does: on the same data with the same options it writes the same file.

    Parameters
    ----------
    data : Dataset, file name or names, texts, frame or array
    classifier : str or estimator, optional
        The name of a classifier; "auto": some are tried in cross-validation, and the best is taken; by default one that
        suits the data.
    y : labels, optional
        Where they are not part of data; of a frame also the name of the column that has them. They may stand behind
        the data: `train(X, y, classifier="path-svm")`.
    parameters : dict, optional
        Parameters of the classifier; they may also be given as keywords.
    select, select_parameters : str or selector, and dict, optional
        Features are first selected with this method.
    features : FeatureRanking or file name, optional
        Features are taken from this ranking.
    top : int, float or str, optional
        Features of the ranking to use at each node: a number, or a share such as "10%" or 0.1.
    missing : {'error', 'keep', 'mean', 'zero', 'drop-sample'}, optional
        What to do with missing values. By default they are kept where the classifier takes them; otherwise they are an
        error, or means if the classifier is chosen by the data.
    sample_weight : array, optional
    budget : float or str, default=60
        Seconds after which "auto" tries no more; or a text such as "2min".
    holdout : float or str, optional
        First measure on this share of the samples, with a model of the others: `model.training["held_out"]`.
    conformal : str, optional
        Calibrate for answers with a guarantee: "cross:5" or "split:20%".
    conformal_by_class : bool, default=False
        The coverage holds for every class.
    options
        Parameters of the classifier, how label sets are decided (`decide`, ...), and how files are read
        (`label_column`, ...), all by their names on the command line.

    Examples
    --------
    >>> from clade.data import synthetic_data
    >>> model = train(synthetic_data(samples=80, single_label=True), "top-down-svm", c=0.5, holdout="25%")
    >>> model.classifier, model.parameters["c"], model.training["held_out"].samples
    ('top-down-svm', '0.5', 16)
    """
    request, found = request_of(
        "train",
        options,
        classifier,
        {"reading": option_names("reading")},
        parameters=parameters,
        select=select,
        select_parameters=select_parameters,
        top=top,
        features=features,
        missing=missing,
        budget=seconds_of(budget),
    )
    whole = data_of(data, y, found["reading"], request, n_jobs)
    call = settings(n_jobs, random_state)
    core = whole._core
    split = None
    if holdout is not None:
        split = _core.split(core, share_of(holdout), seed_of(random_state), None, None)
    seen = core if split is None else core.subset(split[0])
    recipe, training = request.recipe(core, seen, _gaps(whole, request), call)
    weights = weights_of(sample_weight)
    if split is not None:
        training["held_out"] = reported(_core.split_reports(core, recipe, split, weights, {}, True, call))
    return Model(_core.train(core, recipe, weights, conformal or "", conformal_by_class, call), training)


def _gaps(data: Dataset, request: Request) -> int:
    """The number of missing values, where it matters: counting them takes a pass over the data."""
    return data.missing_values if request.is_open and request.missing is None else 0


@_takes_labels
def cross_validate(
    data: Any,
    classifier: Any = None,
    *,
    folds: Any = 10,
    y: Any = None,
    parameters: Mapping[str, Any] | None = None,
    select: Any = None,
    select_parameters: Mapping[str, Any] | None = None,
    top: Any = None,
    features: Any = None,
    missing: str | None = None,
    sample_weight: Any = None,
    breakdown: bool = True,
    n_jobs: int | None = None,
    random_state: Any = None,
    **options: Any,
) -> Evaluation:
    """Measures a recipe by cross-validation: the report of `clade evaluate DATA --classifier C --folds N --json`.

    The whole recipe, with words, selection and what replaces gaps, is learnt without the fold that is predicted.

    Parameters
    ----------
    data, classifier, y, parameters, select, select_parameters, top, features, missing, sample_weight
        As for :func:`train`.
    folds : int or array, default=10
        The number of stratified folds, or the fold of each sample.
    breakdown : bool, default=True
        Also precision, recall and support of every node.
    options
        Those of :func:`train`, of measures (`bootstrap`, ...) and of prediction (`policy`, `confidence`).
    """
    request, found = request_of(
        "cross_validate",
        options,
        classifier,
        {
            "reading": option_names("reading"),
            "evaluate": option_names("evaluate"),
            "predict": frozenset({"policy", "confidence"}),
        },
        parameters=parameters,
        select=select,
        select_parameters=select_parameters,
        top=top,
        features=features,
        missing=missing,
    )
    whole = data_of(data, y, found["reading"], request, n_jobs)
    call = settings(n_jobs, random_state)
    core = whole._core
    recipe, training = request.recipe(core, core, _gaps(whole, request), call)
    numbers = _folds(whole, folds, random_state)
    reports = _core.recipe_reports(
        core, recipe, numbers, weights_of(sample_weight), found["evaluate"], found["predict"], breakdown, call
    )
    return reported(reports, **training)


def _folds(data: Dataset, folds: Any, random_state: Any) -> npt.NDArray[np.int64]:
    if isinstance(folds, (int, np.integer)):
        return data.folds(int(folds), random_state=random_state)
    numbers = np.asarray(folds)
    if numbers.shape != (len(data),):
        raise ValueError(f"folds for {numbers.size} samples; expected {len(data)}, one for each")
    _, dense = np.unique(numbers, return_inverse=True)
    return np.ascontiguousarray(dense, dtype=np.int64)


@_takes_labels
def select(
    data: Any,
    method: Any,
    *,
    y: Any = None,
    parameters: Mapping[str, Any] | None = None,
    top: Any = None,
    nodes: Any = (),
    memory: str = "",
    n_jobs: int | None = None,
    random_state: Any = None,
    **options: Any,
) -> FeatureRanking:
    """Ranks the features of every node, as `clade select` does.

    Parameters
    ----------
    data, y
        As for :func:`train`.
    method : str or selector
    parameters : dict, optional
        Of the method; they may also be given as keywords.
    top : int, float or str, optional
        Features kept at each node: a number, or a share such as "10%" or 0.1.
    nodes : sequence of str, optional
        Only these nodes.
    memory : str, optional
        For the work, beside the data, such as "4G".
    options
        Parameters of the method, and how files are read.
    """
    from clade.ranking import FeatureRanking

    given = texts_of(options)
    read = {name: given.pop(name) for name in list(given) if name in option_names("reading")}
    request = select_request(method, {**(parameters or {}), **given}, top_text(top))
    request["nodes"] = [str(node) for node in nodes] or request["nodes"]
    request["memory"] = memory or request.get("memory", "")
    _core.check_select(request)
    whole = data_of(data, y, read, Request(missing=read.pop("missing", "auto")), n_jobs)
    found = _core.select(whole._core, request, settings(n_jobs, random_state))
    return FeatureRanking(found, whole._core.taxonomy.name(0))


def read_ranking(path: str | os.PathLike[str], data: Any = None) -> FeatureRanking:
    """Reads a ranking of `clade select`; with data its features and nodes are theirs."""
    from clade.ranking import FeatureRanking

    return FeatureRanking.read(path, data)


def seconds_of(budget: Any) -> float:
    """A time in seconds.

    >>> seconds_of("2min"), seconds_of(90)
    (120.0, 90.0)
    """
    match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*(s|min|h|)\s*", str(budget))
    if match is None or float(match[1]) <= 0:
        raise _core.InputError(f"`budget` is {budget!r}; expected a time such as 60, '60s', '5min' or '1h'")
    return float(match[1]) * {"": 1, "s": 1, "min": 60, "h": 3600}[match[2]]


def share_of(share: Any) -> float:
    """
    >>> share_of("20%"), share_of(0.2)
    (0.2, 0.2)
    """
    text = str(share).strip()
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise _core.InputError(f"`holdout` is {share!r}; expected a share such as '20%' or 0.2")
    return value
