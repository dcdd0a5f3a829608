"""Hierarchies that are learnt: of classes, and of features."""

from __future__ import annotations

import json
import os
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from clade import _core, html
from clade._arrays import dataset_of
from clade._persist import write_text
from clade._runtime import settings, texts_of
from clade._validate import check_features, check_labels, names_of
from clade.labels import core_taxonomy, parse_labels
from clade.taxonomy import Taxonomy

__all__ = ["FeatureTree", "TaxonomyLearner"]

Self = TypeVar("Self", bound="TaxonomyLearner")
Tree = TypeVar("Tree", bound="FeatureTree")

_LEARNER = (
    "linkage",
    "levels",
    "strict",
    "branching",
    "balanced",
    "starts",
    "kernel",
    "degree",
    "gamma",
    "coef0",
    "subsequence_length",
    "decay",
    "kernel_cache",
    "wordnet",
)
_TREE = ("depth", "smallest", "wordnet", "height", "width", "pixels", "groups")


class TaxonomyLearner(BaseEstimator):
    """Learns a class hierarchy from data that have none, as `clade learn-taxonomy` does.

    Parameters that are None have the default of the method; a parameter of another method is an error. Formulas, costs
    and advice: docs/learn-taxonomy.md, and docs/methods/agglomerative.md, kmeans.md and wordnet.md.

    Parameters
    ----------
    method : {'agglomerative', 'kmeans', 'wordnet'}, default='agglomerative'
        The nearest classes are joined step by step; classes are divided by k-means; or they are arranged by what their
        names mean.
    linkage : {'average', 'complete', 'single'} or None, default=None
        agglomerative: the distance between two clusters, the mean, largest or smallest over pairs of classes.
    levels : int or None, default=None
        Levels below the root. agglomerative: None: two, cut where links are inconsistent. kmeans: None: two, or as many
        as `branching` needs. wordnet: None: all.
    strict : bool or None, default=None
        agglomerative: every class is at the last level; a cluster of one class is a node, too.
    branching : int or None, default=None
        kmeans: children of a node. None: a root of the number of classes.
    balanced : bool or None, default=None
        kmeans: clusters of one node hold equally many classes, give or take one.
    starts : int or None, default=None
        kmeans: random starts of each division; the best is kept.
    kernel : str or None, default=None
        Similarity of two samples: 'linear', 'polynomial', 'rbf', 'exponential', 'subsequence' or 'precomputed'.
    degree : int or None, default=None
        Polynomial kernel: the power.
    gamma : float or None, default=None
        Polynomial, rbf and exponential kernels: the scale.
    coef0 : float or None, default=None
        Polynomial kernel: what is added before the power is taken.
    subsequence_length : int or None, default=None
        Subsequence kernel: symbols of a subsequence.
    decay : float or None, default=None
        Subsequence kernel: factor for every symbol that a subsequence leaps over.
    kernel_cache : int or None, default=None
        Megabytes for kernel values that are kept.
    wordnet : str or None, default=None
        wordnet: the folder with WordNet's files.
    scale : {'none', 'unit'}, default='none'
        unit: samples are brought to length 1 first.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        What labels of `y` are nodes of; it plays no other part.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    taxonomy_ : Taxonomy
        What was learnt.
    clusters_ : dict of str to list of str
        The inner nodes below the root, parents first, with all classes below them.
    parameters_ : dict
        All parameters of the method, by the names of the command line.
    threshold_ : float or None
        The inconsistency above which links were cut; None if they were not cut by it.
    classes_ : list of str
        agglomerative: the classes that have samples, in the order in which `linkage_` numbers them.
    linkage_ : ndarray of shape (n_classes - 1, 4)
        agglomerative: how they were joined, as scipy.cluster.hierarchy has it.
    dendrogram_ : dict or None
        agglomerative: the content of the file that `clade learn-taxonomy --dendrogram` writes.
    notes_ : list of str
        What was odd.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> X = [[0, 1], [0, 2], [1, 1], [1, 2], [90, 90], [91, 90]]
    >>> learner = TaxonomyLearner(levels=2).fit(X, ["ant", "ant", "bee", "bee", "cow", "cow"])
    >>> learner.clusters_
    {'cluster-1': ['ant', 'bee']}
    """

    def __init__(
        self,
        method: str = "agglomerative",
        *,
        linkage: str | None = None,
        levels: int | None = None,
        strict: bool | None = None,
        branching: int | None = None,
        balanced: bool | None = None,
        starts: int | None = None,
        kernel: str | None = None,
        degree: int | None = None,
        gamma: float | None = None,
        coef0: float | None = None,
        subsequence_length: int | None = None,
        decay: float | None = None,
        kernel_cache: int | None = None,
        wordnet: str | None = None,
        scale: str = "none",
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.linkage = linkage
        self.levels = levels
        self.strict = strict
        self.branching = branching
        self.balanced = balanced
        self.starts = starts
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.subsequence_length = subsequence_length
        self.decay = decay
        self.kernel_cache = kernel_cache
        self.wordnet = wordnet
        self.scale = scale
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self: Self, X: Any, y: Any) -> Self:
        """Learns a hierarchy over the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The method wordnet, which looks at names of classes alone, takes anything here, such as texts or None.
        y : array-like
            Labels, in any of the layouts of `label_layout`.
        """
        if self.method == "wordnet":
            return self._learn_names(X, y)
        names = names_of(X)
        X = check_features(self, X, reset=True, allow_nan=False)
        y = check_labels(self, y, X)
        labels = parse_labels(y, core_taxonomy(self.taxonomy), self.label_layout, self.path_separator)
        return self._learn(dataset_of(X, labels, names))

    def _learn_names(self: Self, X: Any, y: Any) -> Self:
        shape: tuple[int, ...] = getattr(X, "shape", ())
        if len(shape) == 2:
            self.n_features_in_ = int(shape[1])
        y = check_labels(self, y, y if X is None else X)
        labels = parse_labels(y, core_taxonomy(self.taxonomy), self.label_layout, self.path_separator)
        return self._learn(dataset_of(np.zeros((labels.samples, 1)), labels))

    def _learn(self: Self, data: _core.Dataset) -> Self:
        parameters = texts_of({name: getattr(self, name) for name in _LEARNER})
        options = texts_of({"scale": self.scale})
        linkage = self.linkage or "average"
        title = f"Classes by {linkage} linkage" if self.method == "agglomerative" else f"Classes by {self.method}"
        how = settings(self.n_jobs, self.random_state)
        found = _core.learn_taxonomy(data, self.method, parameters, options, self.memory or "", title, how)
        report = json.loads(found["json"])
        self.taxonomy_ = Taxonomy.of(found["taxonomy"])
        self.clusters_ = {cluster["name"]: cluster["classes"] for cluster in report["clusters"]}
        self.parameters_: dict[str, Any] = report["parameters"]
        self.threshold_: float | None = report["threshold"]
        self.notes_: list[str] = report["notes"]
        self._report: str = found["text"]
        self._dendrogram: str | None = found["dendrogram"]
        self._picture: str | None = found["picture"]
        self.dendrogram_: dict[str, Any] | None = None if self._dendrogram is None else json.loads(self._dendrogram)
        for name in ("classes_", "linkage_"):  # of an earlier fit with another method
            self.__dict__.pop(name, None)
        if self.dendrogram_ is not None:
            self.classes_ = [entry["name"] for entry in self.dendrogram_["classes"]]
            rows = [[*merge["parts"], merge["distance"], merge["size"]] for merge in self.dendrogram_["merges"]]
            self.linkage_: npt.NDArray[np.float64] = np.array(rows, dtype=np.float64).reshape(-1, 4)
        return self

    def report(self) -> str:
        """The result for people, as `clade learn-taxonomy` shows it."""
        check_is_fitted(self)
        return self._report

    def to_svg(self, path: str | os.PathLike[str] | None = None, overwrite: bool = False) -> str:
        """The dendrogram as a picture: text of SVG, which is also written to a file if there is a path."""
        picture = self._of_dendrogram(self._picture if hasattr(self, "_picture") else None)
        if path is not None:
            write_text(picture, path, overwrite)
        return picture

    def write_dendrogram(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes how classes were joined, as `clade learn-taxonomy --dendrogram` does."""
        write_text(self._of_dendrogram(self._dendrogram if hasattr(self, "_dendrogram") else None), path, overwrite)

    def _of_dendrogram(self, text: str | None) -> str:
        check_is_fitted(self)
        if text is None:
            raise _core.InputError(f"{self.method} makes no dendrogram; expected the method agglomerative")
        return text

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_y": True, "allow_nan": False}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class FeatureTree(BaseEstimator):
    """Arranges features in a hierarchy of groups, as `clade feature-tree` does; see docs/feature-tree.md.

    Parameters that are None have the default of the method; a parameter of another method is an error.

    Parameters
    ----------
    method : {'agglomerative', 'spatial', 'wordnet', 'file'}, default='agglomerative'
        By correlation; the pixels of an image by place; words by what they are kinds of; or groups from a file.
    depth : int or None, default=None
        Levels of groups below the root.
    smallest : int or None, default=None
        Fewest features of a group; smaller groups are merged into the one above.
    wordnet : str or None, default=None
        wordnet: the folder with WordNet's files.
    height, width : int or None, default=None
        spatial: rows and columns of the image. None: from the number of features.
    pixels : {'columns', 'rows'} or None, default=None
        spatial: features go down the columns, as in MATLAB, or along the rows.
    groups : str or None, default=None
        file: the file with the groups.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.

    Attributes
    ----------
    tree_ : dict
        The groups, one inside the other: `name`, `features` (columns of its own) and `children`.
    parents_ : list of int
        The number of the group above each group, -1 for the root; groups are numbered depth first.
    group_names_ : list of str
        Their names.
    notes_ : list of str
        What was odd.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> import numpy as np
    >>> tree = FeatureTree("spatial", height=4, width=4).fit(np.ones((3, 16)))
    >>> tree.tree_["children"][0]["features"]
    [0, 1, 4, 5]
    """

    def __init__(
        self,
        method: str = "agglomerative",
        *,
        depth: int | None = None,
        smallest: int | None = None,
        wordnet: str | None = None,
        height: int | None = None,
        width: int | None = None,
        pixels: str | None = None,
        groups: str | None = None,
        memory: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.depth = depth
        self.smallest = smallest
        self.wordnet = wordnet
        self.height = height
        self.width = width
        self.pixels = pixels
        self.groups = groups
        self.memory = memory
        self.n_jobs = n_jobs

    def fit(self: Tree, X: Any, y: Any = None) -> Tree:
        """Arranges the features of a matrix; labels play no part."""
        names = names_of(X)
        X = check_features(self, X, reset=True, allow_nan=False)
        if X.shape[0] == 1 and self.method == "agglomerative":
            raise ValueError("1 sample; expected at least 2, because features are compared by correlation")
        return self._fit_data(dataset_of(X, feature_names=names))

    def _fit_data(self: Tree, data: _core.Dataset) -> Tree:
        parameters = texts_of({name: getattr(self, name) for name in _TREE})
        if data.features == 1:
            raise ValueError("1 feature(s); expected at least 2 to arrange")
        how = settings(self.n_jobs)
        return self._keep(_core.make_feature_tree(data, self.method, parameters, self.memory or "", how))

    def _keep(self: Tree, core: _core.FeatureTree) -> Tree:
        self._core = core
        self.n_features_in_ = core.features
        groups = core.groups()
        self.group_names_: list[str] = [name for name, _, _ in groups]
        self.parents_: list[int] = [parent for _, parent, _ in groups]
        nested: list[dict[str, Any]] = [
            {"name": name, "features": own.tolist(), "children": []} for name, _, own in groups
        ]
        for entry, parent in zip(nested, self.parents_):
            if parent >= 0:
                nested[parent]["children"].append(entry)
        self.tree_: dict[str, Any] = nested[0]
        self.notes_: list[str] = json.loads(core.json())["notes"]
        return self

    @classmethod
    def read(cls: type[Tree], path: str | os.PathLike[str]) -> Tree:
        """Reads a file that `write` or `clade feature-tree` made."""
        core = _core.read_feature_tree(os.fspath(path), settings())
        method = json.loads(core.json())["method"]
        return cls(method or "file")._keep(core)

    def write(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the tree as `clade feature-tree` does."""
        check_is_fitted(self)
        self._core.write(os.fspath(path), overwrite)

    def report(self) -> str:
        """The result for people, as `clade feature-tree` shows it."""
        check_is_fitted(self)
        return self._core.text()

    def __str__(self) -> str:
        return self.report() if hasattr(self, "_core") else repr(self)

    def _repr_mimebundle_(self, **how: Any) -> dict[str, str]:
        """What a notebook shows: the groups, once there are some."""
        if not hasattr(self, "_core"):
            shown: dict[str, str] = super()._repr_mimebundle_(**how)
            return shown
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        return html.preformatted(str(self))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
