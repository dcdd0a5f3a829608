"""Clusters of samples by k-means, and how well they agree with the classes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Sequence

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_consistent_length

from clade import _core
from clade._arrays import dataset_of
from clade._runtime import settings, texts_of, top_text
from clade._validate import names_of
from clade.html import table
from clade.labels import parse_labels
from clade.ranking import FeatureRanking

__all__ = ["Clustering", "cluster", "cluster_sweep"]


@dataclass(frozen=True, eq=False)
class Clustering:
    """What `clade cluster` finds; docs/cluster.md describes it.

    Attributes
    ----------
    labels : ndarray of int
        The cluster of each sample in the best start, the one with the smallest objective.
    n_features : int
        Features that were used.
    n_clusters : int
        Number of clusters.
    accuracy, nmi : float or None
        Agreement with the classes, the mean over the starts; None if samples do not have one class each.
    accuracy_deviation, nmi_deviation : float or None
        Standard deviations over the starts.
    objective, objective_deviation : float
        Sums of squared distances to the centres, the mean over the starts and its standard deviation.
    sizes : list of int
        Of the clusters of the best start.
    starts : list of dict
        Of each start `objective`, `accuracy`, `nmi`, `rounds` and `converged`.
    notes : list of str
        What was odd.
    """

    labels: npt.NDArray[np.int64]
    n_features: int
    n_clusters: int
    accuracy: float | None
    accuracy_deviation: float | None
    nmi: float | None
    nmi_deviation: float | None
    objective: float
    objective_deviation: float
    sizes: list[int] = field(repr=False)
    starts: list[dict[str, Any]] = field(repr=False)
    notes: list[str] = field(repr=False)

    def __repr__(self) -> str:
        found = f"{len(self.labels)} samples in {self.n_clusters} clusters by {self.n_features} features"
        if self.accuracy is None:
            return f"Clustering({found}: objective {self.objective:.6g})"
        return f"Clustering({found}: accuracy {self.accuracy:.4f}, nmi {self.nmi:.4f})"

    def _repr_html_(self) -> str:
        columns = ["features", "clusters", "accuracy", "nmi", "objective"]
        return table(columns, [[self.n_features, self.n_clusters, self.accuracy, self.nmi, self.objective]])


def cluster(
    X: Any,
    y: Any = None,
    *,
    features: Any = None,
    top: int | float | str | None = None,
    node: str | None = None,
    clusters: int | None = None,
    repeats: int = 20,
    rounds: int = 300,
    scale: str = "auto",
    label_layout: str = "auto",
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Clustering:
    """Clusters samples by k-means from several starts, as `clade cluster` does.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like, default=None
        Labels to compare with; they play no part in the clustering, except that there are as many clusters as classes.
    features : FeatureRanking, str, array of int or None, default=None
        The features to use: a ranking, the name of its file, or columns, best first. None: all.
    top : int, float, str or None, default=None
        The best of them: a number, or a share of all features such as '10%' or 0.1. None: all of them.
    node : str or None, default=None
        The node of a ranking that has several. None: the root.
    clusters : int or None, default=None
        Number of clusters. None: as many as there are classes.
    repeats : int, default=20
        Starts.
    rounds : int, default=300
        Most rounds of a start.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Examples
    --------
    >>> found = cluster([[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"])
    >>> found.accuracy, found.sizes
    (1.0, [2, 2])
    """
    names = names_of(X)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    labels = None
    if y is not None:
        check_consistent_length(X, y)
        labels = parse_labels(y, None, label_layout)
    data = dataset_of(X, labels, names)
    columns = _columns(features, top, node, data)
    options = texts_of({"clusters": clusters, "repeats": repeats, "rounds": rounds, "scale": scale})
    text, found = _core.cluster(data, columns, options, settings(n_jobs, random_state))
    report = json.loads(text)
    return Clustering(
        labels=found,
        n_features=report["features"],
        n_clusters=report["clusters"],
        **{
            key: report[key]
            for key in ("accuracy", "accuracy_deviation", "nmi", "nmi_deviation", "objective", "objective_deviation")
        },
        sizes=report["sizes"],
        starts=report["starts"],
        notes=report["notes"],
    )


def cluster_sweep(X: Any, y: Any = None, *, features: Any, tops: Sequence[int | float | str], **how: Any) -> Any:
    """Clusters by several numbers of features: a pandas frame with a row for each.

    Parameters
    ----------
    X, y, features
        As of `cluster`.
    tops : sequence of int, float or str
        Numbers of features, or shares.
    **how
        Other keywords of `cluster`.
    """
    import pandas as pd

    runs = [cluster(X, y, features=features, top=top, **how) for top in tops]
    columns = ("accuracy", "accuracy_deviation", "nmi", "nmi_deviation", "objective", "objective_deviation")
    rows = [{"features": run.n_features, **{column: getattr(run, column) for column in columns}} for run in runs]
    return pd.DataFrame(rows)


def _columns(features: Any, top: Any, node: str | None, data: _core.Dataset) -> npt.NDArray[np.int32] | None:
    if features is None:
        if top is not None or node is not None:
            raise _core.InputError("`top` and `node` have no effect; expected `features` with them")
        return None
    if isinstance(features, (str, os.PathLike)):
        features = FeatureRanking.read(features)
    if isinstance(features, FeatureRanking):
        if features.n_features != data.features:
            raise _core.InputError(
                f"a ranking of {features.n_features} features, the data have {data.features}; "
                "expected a ranking made on the same features"
            )
        ranked = (features.root if node is None else features[node]).features
    elif node is not None:
        raise _core.InputError("`node` has no effect on columns; expected a ranking with it")
    else:
        ranked = np.asarray(features)
        if ranked.dtype == bool:
            ranked = np.flatnonzero(ranked)
    count = len(ranked) if top is None else _core.top_count(top_text(top), data.features)
    if count > len(ranked):
        raise _core.InputError(f"{count} features asked for of {len(ranked)} ranked; expected fewer")
    return np.ascontiguousarray(ranked[:count], dtype=np.int32)
