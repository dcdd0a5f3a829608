"""From the keywords of an estimator to what the library is asked to do."""

from __future__ import annotations

import functools
import inspect
import json
import os
from typing import Any, Hashable, Iterable, Mapping, cast

from clade import _core
from clade._runtime import texts_of, top_text

DECIDE = ("decide", "decide_for", "least_precision", "decide_folds")
PREDICT = ("policy", "confidence", "top_k", "label_set", "threshold", "beam", "align_features")


@functools.lru_cache(maxsize=None)
def defaults_of(kind: type) -> Mapping[str, Any]:
    """The defaults of a constructor's keywords."""
    signature = inspect.signature(kind.__init__)  # type: ignore[misc]
    return {name: parameter.default for name, parameter in signature.parameters.items() if name != "self"}


def given(estimator: Any, names: Iterable[str]) -> dict[str, str]:
    """The keywords that are not at their defaults, as the command line has them: what a user would have written."""
    defaults = defaults_of(cast(Hashable, type(estimator)))
    values = {name: getattr(estimator, name) for name in names if name in defaults}
    return texts_of({name: value for name, value in values.items() if not _same(value, defaults[name])})


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (str, bool, int, float)) and value == default)


def recipe_of(
    estimator: Any, classifier: str, data: _core.Dataset, settings: _core.Settings, **changed: Any
) -> _core.Recipe:
    """The recipe that an estimator's keywords describe; `changed` replaces parameters of the classifier."""
    parameters = given(estimator, (name for name in estimator._own if name != "class_weight"))
    class_weight = getattr(estimator, "class_weight", None)
    if isinstance(class_weight, str) and class_weight != "none":
        parameters["class-weight"] = class_weight
    parameters.update(texts_of(changed))
    return base_recipe(estimator, classifier, parameters, data, settings)


def base_recipe(
    estimator: Any, classifier: str, parameters: dict[str, str], data: _core.Dataset, settings: _core.Settings
) -> _core.Recipe:
    """A recipe with everything that concerns all classifiers."""
    _refuse_idle(estimator)
    top = top_text(estimator.top)
    select = None if estimator.select is None else select_request(estimator.select, estimator.select_parameters, top)
    ranking = None if estimator.features is None else ranking_for(estimator.features, data, settings)
    if select is not None:
        top = select["top"]
    missing = "error" if estimator.missing is None else estimator.missing
    return _core.Recipe(classifier, parameters, select, ranking, top, missing, given(estimator, DECIDE))


def takes_missing_values(classifier: str) -> bool:
    return bool(_core.Recipe(classifier, {}, None, None, "", "error", {}).takes_missing_values())


def _refuse_idle(estimator: Any) -> None:
    """Keywords that would have no effect are a misunderstanding."""
    if estimator.features is not None and estimator.select is not None:
        raise _core.InputError("`features` and `select` both choose features; expected one of them")
    if estimator.top is not None and estimator.features is None and estimator.select is None:
        raise _core.InputError("`top` has no effect; expected `features` or `select` with it")
    if estimator.select_parameters and not isinstance(estimator.select, str):
        raise _core.InputError("`select_parameters` has no effect; expected the name of a method as `select` with it")
    if estimator.decide == "own" and (estimator.decide_for != "hierarchical-f1" or estimator.decide_folds != 0):
        name = "decide_for" if estimator.decide_for != "hierarchical-f1" else "decide_folds"
        raise _core.InputError(f"`{name}` has no effect with `decide` own; expected one, level or node")
    if estimator.least_precision != 0.8 and estimator.decide_for != "recall":
        raise _core.InputError("`least_precision` has no effect; expected `decide_for` recall with it")
    if estimator.conformal_by_class and estimator.conformal is None:
        raise _core.InputError("`conformal_by_class` has no effect; expected `conformal` with it")


def ranking_for(features: Any, data: _core.Dataset, settings: _core.Settings) -> _core.Ranking:
    """A ranking, or that of a file, for data with its features and nodes."""
    if isinstance(features, (str, os.PathLike)):
        return _core.read_ranking(os.fspath(features), data, settings)
    ranking: _core.Ranking = getattr(features, "_core", features)
    return ranking.bound_to(data)


@functools.lru_cache(maxsize=None)
def _select_options() -> tuple[str, ...]:
    """What concerns all selectors, by the names of keywords."""
    return tuple(entry["name"].replace("-", "_") for entry in json.loads(_core.options()["select"]))


@functools.lru_cache(maxsize=None)
def _selector_parameters(method: str) -> tuple[str, ...]:
    for entry in json.loads(_core.selectors()):
        if entry["name"] == method:
            return tuple(parameter["name"] for parameter in entry["parameters"])
    return ()


def select_request(select: Any, parameters: Mapping[str, Any] | None, top: str) -> dict[str, Any]:
    if isinstance(select, str):
        texts = texts_of(parameters or {})
        own = _selector_parameters(select)
        general = {name.replace("_", "-") for name in _select_options()}
        options = {name: text for name, text in texts.items() if name in general and name not in own}
        method_parameters = {name: text for name, text in texts.items() if name not in options}
        return {"method": select, "parameters": method_parameters, "options": options, "nodes": [], "top": top}
    if not hasattr(select, "_method") or not hasattr(select, "_own"):
        raise TypeError(f"`select` is {type(select).__name__}; expected the name of a selector, or a selector of Clade")
    if not isinstance(getattr(select, "feature_tree", None), (str, os.PathLike, type(None))):
        raise _core.InputError("`feature_tree` of `select` is no file; expected the name of one inside a classifier")
    if not top:
        top = top_text(getattr(select, "top", None))
    return {
        "method": select._method,
        "parameters": given(select, select._own),
        "options": given(select, (name for name in _select_options() if name not in select._own)),
        "nodes": [str(node) for node in (getattr(select, "nodes", None) or [])],
        "top": top,
        "memory": getattr(select, "memory", None) or "",
    }
