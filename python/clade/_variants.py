"""Classifiers that do more than fit once: those that go on, and those that the data choose."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from clade import _core
from clade._arrays import dataset_of
from clade._estimator import HierarchicalClassifier
from clade._recipe import base_recipe, recipe_of
from clade._runtime import logger, settings
from clade._validate import check_features, check_labels, names_of
from clade.labels import core_taxonomy, parse_labels

Self = TypeVar("Self", bound="OnlineClassifier")


class OnlineClassifier(HierarchicalClassifier):
    """A classifier that learns from one sample after the other, and can go on."""

    def partial_fit(self: Self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Goes once through the samples, after those that were seen before.

        The first call must know all labels that will ever occur: from `classes`, or from `taxonomy`. With `scale` none
        or unit, samples in several parts give the same model as one `fit` with one epoch.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like
            Labels.
        classes : array-like, default=None
            All labels that will ever occur; needed in the first call if there is no `taxonomy`.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        is_first = not hasattr(self, "_model")
        names = names_of(X)
        X = check_features(self, X, reset=is_first, allow_nan=self._allows_nan())
        y = check_labels(self, y, X)
        how = settings(self.n_jobs, self.random_state)
        if not is_first:
            labels = self._parsed(y, self._taxonomy, self._columns())
            weights = self._weights(sample_weight, X, labels)
            data = dataset_of(X, labels, names)
            self._model = _core.continue_training(self._model, data, {"epochs": "1"}, weights, how)
            return self
        taxonomy = core_taxonomy(self.taxonomy)
        if classes is None and taxonomy is None:
            raise ValueError("classes must be passed on the first call to partial_fit, unless there is a taxonomy")
        known, columns = None, None
        if classes is not None:
            layout = "levels" if np.ndim(np.asarray(classes, dtype=object)) == 2 else "names"
            known = parse_labels(classes, taxonomy, layout, self.path_separator)
            taxonomy = known.taxonomy
            columns = classes if layout == "names" else None
        labels = self._parsed(y, taxonomy, columns)
        weights = self._weights(sample_weight, X, labels)
        data = dataset_of(X, labels, names)
        recipe = recipe_of(self, self._method, data, how, epochs=1)
        model = _core.train(data, recipe, weights, "", False, how)
        self._keep(model, labels, known or labels)
        return self


class ChosenClassifier(HierarchicalClassifier):
    """A classifier that the data choose.

    Attributes
    ----------
    recipe_ : str
        The classifier with its parameters.
    reason_ : str
        Why it was taken.
    """

    recipe_: str
    reason_: str

    def _choose(self, data: _core.Dataset, X: Any, how: _core.Settings) -> _core.Recipe:
        base = base_recipe(self, "", {}, data, how)
        recipe, self.reason_ = _core.default_recipe(data, base, self.missing is None and _has_gaps(X))
        self.recipe_ = str(recipe)
        logger.info(f"no classifier given: {recipe}, because of the data ({self.reason_})")
        return recipe

    def _allows_nan(self) -> bool:
        return self.missing != "error"

    def _will_have_probabilities(self) -> bool:
        return True  # as far as one can know before the data choose


class TriedClassifier(ChosenClassifier):
    """A classifier that cross-validation chooses.

    Attributes
    ----------
    recipe_ : str
        The classifier with its parameters.
    tried_ : list of dict
        The recipes that were tried, with what they reached.
    """

    budget: float
    folds: int
    most_samples: int
    tried_: list[dict[str, Any]]

    def _choose(self, data: _core.Dataset, X: Any, how: _core.Settings) -> _core.Recipe:
        if data.samples < 2:
            raise ValueError("one sample to try classifiers on; expected two at least")
        base = base_recipe(self, "", {}, data, how)
        has_gaps = self.missing is None and _has_gaps(X)
        recipe, self.tried_ = _core.try_recipes(
            data, base, float(self.budget), self.folds, self.most_samples, how, has_gaps
        )
        self.recipe_ = str(recipe)
        self.reason_ = "the best of those tried"
        logger.info(f"classifier chosen: {recipe}, {self.reason_}")
        return recipe


def _has_gaps(X: Any) -> bool:
    return bool(np.isnan(X.data if hasattr(X, "indptr") else X).any())
