"""The base of the selectors: fit, and what scikit-learn asks of those who choose features."""

from __future__ import annotations

import contextlib
import os
from typing import Any, ClassVar, Iterator, Mapping, Sequence, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from clade import _core
from clade._arrays import dataset_of
from clade._persist import scratch_file
from clade._recipe import given
from clade._runtime import settings, text_of, texts_of, top_text
from clade._validate import check_features, check_labels, names_of
from clade.labels import ParsedLabels, core_taxonomy, parse_labels
from clade.ranking import FeatureRanking

Self = TypeVar("Self", bound="HierarchicalSelector")

_OPTIONS = ("scale", "bias", "allow_zero_weights", "tune")


def _grid_text(grid: Any) -> str | None:
    """Values to try, as the command line has them.

    >>> _grid_text({"alpha": [0.01, 1], "beta": [1, 100]})
    'alpha=0.01,1 beta=1,100'
    """
    if isinstance(grid, Mapping):
        names = ((name.rstrip("_").replace("_", "-"), list(values)) for name, values in grid.items())
        return " ".join(f"{name}={text_of(values)}" for name, values in names)
    return grid or None


class HierarchicalSelector(SelectorMixin, BaseEstimator):
    """What all selectors of Clade do. Its subclasses differ in their parameters only."""

    _method: ClassVar[str] = ""
    _own: ClassVar[tuple[str, ...]] = ()
    _needs_labels: ClassVar[bool] = True

    # Common keywords, which the constructors of subclasses set.
    top: int | float | str | None
    n_features_to_select: int | float | str | None
    node: str | None
    nodes: Sequence[str] | None
    grid: Any
    feature_tree: Any  # of some methods
    taxonomy: Any
    label_layout: str
    path_separator: str | None
    memory: str | None
    n_jobs: int | None
    random_state: Any

    n_features_in_: int
    ranking_: FeatureRanking
    scores_: npt.NDArray[np.float64]
    _mask: npt.NDArray[np.bool_]

    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Ranks the features, and chooses those that `transform` keeps.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features. Arrays of doubles or floats in C order, and compressed rows, are used without a copy.
        y : array-like, default=None
            Labels, in any of the layouts of `label_layout`. Selectors without labels need none; all that they take
            from labels is the number of classes, where `clusters` is 0.

        Returns
        -------
        self
        """
        names = names_of(X)
        X = check_features(self, X, reset=True, allow_nan=False)
        if X.shape[0] == 1:
            raise ValueError("1 sample; expected at least 2, because features are chosen by how samples differ")
        data = dataset_of(X, self._labels(y, X), names)
        with self._parameters(data) as parameters:
            request = {
                "method": self._method,
                "parameters": parameters,
                "options": {**given(self, _OPTIONS), **texts_of({"grid": _grid_text(self.grid)})},
                "nodes": [str(node) for node in self.nodes or ()],
                "top": top_text(self.top),
                "memory": self.memory or "",
            }
            core = _core.select(data, request, settings(self.n_jobs, self.random_state))
        if "feature-tree" in parameters and not isinstance(self.feature_tree, (str, os.PathLike)):
            core = core.with_parameter("feature-tree", "")  # the file is gone
        self.ranking_ = FeatureRanking(core, data.taxonomy.name(0))
        kept = self._union()
        self.scores_ = self.ranking_.scores(None if self.node is None else str(self.node))
        self._mask = np.zeros(self.n_features_in_, dtype=bool)
        self._mask[kept] = True
        return self

    def _union(self) -> npt.NDArray[np.int32]:
        try:
            return self.ranking_.union(self.n_features_to_select, None if self.node is None else [str(self.node)])
        except _core.InputError as error:  # which has another name on the command line
            raise _core.InputError(str(error).replace("`top`", "`n_features_to_select`")) from None

    def _labels(self, y: Any, X: Any) -> ParsedLabels | None:
        if self._needs_labels:
            y = check_labels(self, y, X)
        elif y is None:
            return None
        else:
            check_consistent_length(X, y)
        return parse_labels(y, core_taxonomy(self.taxonomy), self.label_layout, self.path_separator)

    @contextlib.contextmanager
    def _parameters(self, data: _core.Dataset) -> Iterator[dict[str, str]]:
        """Those of the method. A feature tree that is not in a file is put into one while the selector works."""
        parameters = given(self, (name for name in self._own if name != "feature_tree"))
        tree = getattr(self, "feature_tree", None)
        if tree is None or tree == "":
            yield parameters
        elif isinstance(tree, (str, os.PathLike)):
            yield {**parameters, "feature-tree": os.fspath(tree)}
        else:
            if not hasattr(tree, "tree_"):
                tree = clone(tree)._fit_data(data)
            with scratch_file("tree.json") as path:
                tree.write(path)
                yield {**parameters, "feature-tree": path}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ranking_")  # keywords such as `lambda_` look like attributes of a fitted estimator

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self._mask

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_y": self._needs_labels, "allow_nan": False}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = False
        return tags


class UnsupervisedSelector(HierarchicalSelector):
    """A selector that looks at no labels."""

    _needs_labels: ClassVar[bool] = False
