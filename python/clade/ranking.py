"""The result of a selector: the features of every inner node, best first."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core
from clade._runtime import settings, top_text
from clade.html import escaped, table

__all__ = ["FeatureRanking", "NodeRanking"]

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

_SHOWN_NODES = 60
_SHOWN_FEATURES = 8


@dataclass(frozen=True, eq=False)
class NodeRanking:
    """The features of one node, best first.

    Attributes
    ----------
    node : str
        Its name; '*' stands for the whole data set.
    features : ndarray of int
        Columns of the features.
    weights : ndarray of float
        In the same order; what they mean depends on the method.
    common : ndarray of int
        The features that the node shares with its parents, best first; empty unless the method was asked to find them.
    names : list of str
        The names of the features.
    samples : int
        Samples below the node.
    children : int
        Children of the node that have samples.
    """

    node: str
    features: IntArray
    weights: FloatArray
    common: IntArray
    samples: int
    children: int
    _all_names: Sequence[str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return [self._all_names[feature] for feature in self.features.tolist()]

    def top(self, count: int) -> list[str]:
        """The names of the best features."""
        return [self._all_names[feature] for feature in self.features[:count].tolist()]

    def __repr__(self) -> str:
        return f"NodeRanking({self.node!r}, {len(self)} features: {_shown(self.names)})"


class FeatureRanking(Mapping[str, NodeRanking]):
    """The features of every inner node of a hierarchy, best first, with weights, and how well the selector did.

    It is a mapping from the names of nodes, the root first; methods that rank for the whole data set have the single
    node '*'. The ranking of the root, or of the whole data set, also answers to 'root', and '*' to the root's name. Two
    rankings are equal if everything but the time and the notes is.

    Attributes
    ----------
    method : str
        The selector.
    parameters : dict
        Its parameters, by the names of the command line.
    n_features : int
        Number of features of the data.
    feature_names : list of str
        Their names; numbers from 0 where the data had none.
    objective : ndarray of float
        What the method minimised, after every iteration; empty if nothing is optimised.
    gap : float or None
        How far the objective can be from its optimum; None where that is not known.
    residuals : dict of str to ndarray
        After every iteration, how far the constraints are from holding.
    tuning : dict or None
        How the parameters were chosen: `criterion`, `features`, `settings` and `chosen`.
    seconds : float
        Time of the selection; 0 if the ranking comes from a file.
    notes : list of str
        What was odd.

    Examples
    --------
    >>> from clade import HierFisherSelector
    >>> X = [[0, 1, 0], [0, 2, 1], [1, 1, 0], [1, 2, 1], [1, 9, 0], [1, 8, 1]]
    >>> y = ["a/b", "a/b", "a/c", "a/c", "d", "d"]
    >>> ranking = HierFisherSelector().fit(X, y).ranking_
    >>> list(ranking)
    ['(root)', 'a']
    >>> ranking["a"].features[0]
    0
    """

    def __init__(self, core: _core.Ranking, root_name: str = "(root)") -> None:
        self._core = core
        self._root_name = root_name  # of the hierarchy, which a ranking for the whole data set does not have

    @classmethod
    def read(cls, path: str | os.PathLike[str], data: Any = None) -> FeatureRanking:
        """Reads a file that `write` or `clade select` made.

        Parameters
        ----------
        path : str or path
            A ranking as JSON.
        data : Dataset, default=None
            With the same features and hierarchy, which is then checked. Without it, names are those of the file.
        """
        core = None if data is None else getattr(data, "_core", data)
        found = _core.read_ranking(os.fspath(path), core, settings())
        return cls(found) if core is None else cls(found, core.taxonomy.name(0))

    def write(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the ranking as `clade select` does: JSON, or a table if the name ends in .csv.

        A file that exists is only replaced with `overwrite`.
        """
        self._core.write(os.fspath(path), overwrite)

    # Nodes

    def _nodes(self) -> dict[str, NodeRanking]:
        if "_known" not in self.__dict__:
            names = self.feature_names
            self._known = {entry[0]: NodeRanking(*entry, names) for entry in self._core.nodes()}
        return self._known

    def __getitem__(self, node: str) -> NodeRanking:
        nodes = self._nodes()
        if node not in nodes:
            # The root may not be among the nodes that were asked for.
            if node in ("root", self._root_name) and next(iter(nodes), None) in ("*", self._root_name):
                return self.root
            raise KeyError(f"no ranking of a node {node!r}; expected one of {_shown(list(nodes))}")
        return nodes[node]

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes())

    def __len__(self) -> int:
        return len(self._nodes())

    @property
    def root(self) -> NodeRanking:
        """The ranking of the root, or of the first node if the root is not ranked."""
        return next(iter(self._nodes().values()))

    def top(self, count: int | float | str) -> FeatureRanking:
        """The best features of each node: a number of them, or a share such as '10%' or 0.1."""
        return FeatureRanking(self._core.top(top_text(count)), self._root_name)

    def union(self, count: int | float | str | None = None, nodes: Sequence[str] | None = None) -> IntArray:
        """The features that any of the nodes has, each once, best first: by its best place at any node.

        Parameters
        ----------
        count : int, float, str or None, default=None
            How many in all: a number, or a share of all features such as '10%' or 0.1. None: all that are ranked.
        nodes : sequence of str or None, default=None
            Only of these nodes. None: of all.
        """
        chosen = list(self.values()) if nodes is None else [self[node] for node in nodes]
        best = np.full(self.n_features, np.iinfo(np.int64).max)
        # The place at a node, then the number of the node: of two features with the same place, the one at the earlier
        # node comes first.
        for number, node in enumerate(chosen):
            places = np.arange(len(node), dtype=np.int64) * len(chosen) + number
            best[node.features] = np.minimum(best[node.features], places)
        ranked = np.flatnonzero(best < np.iinfo(np.int64).max)
        order: IntArray = ranked[np.argsort(best[ranked], kind="stable")].astype(np.int32)
        if count is None:
            return order
        wanted = _core.top_count(top_text(count), self.n_features)
        if wanted > len(order):
            raise _core.InputError(f"{wanted} features asked for of {len(order)} ranked; expected fewer, or all ranked")
        return order[:wanted]

    def scores(self, node: str | None = None) -> FloatArray:
        """The weight of every feature at a node, the root unless another is named; NaN where it is not ranked."""
        own = self.root if node is None else self[node]
        scores = np.full(self.n_features, np.nan)
        scores[own.features] = own.weights
        return scores

    # Everything else

    @property
    def method(self) -> str:
        return self._core.method

    @property
    def parameters(self) -> dict[str, Any]:
        return _values(self._core.parameters)

    @property
    def n_features(self) -> int:
        return self._core.features

    @property
    def feature_names(self) -> list[str]:
        if "_names" not in self.__dict__:
            names = self._core.feature_names()
            self._names: list[str] = [str(k) for k in range(self.n_features)] if names is None else names
        return self._names

    @property
    def objective(self) -> FloatArray:
        return np.array(self._core.objective, dtype=np.float64)

    @property
    def gap(self) -> float | None:
        return self._core.gap

    @property
    def residuals(self) -> dict[str, FloatArray]:
        return {name: np.array(values, dtype=np.float64) for name, values in self._core.residuals}

    @property
    def tuning(self) -> dict[str, Any] | None:
        tuning = self._core.tuning()
        if tuning is None:
            return None
        criterion, features, tried, chosen = tuning
        settings = [{"parameters": _values(given), "value": value, "problem": why} for given, value, why in tried]
        return {"criterion": criterion, "features": features, "settings": settings, "chosen": chosen}

    @property
    def seconds(self) -> float:
        return self._core.seconds

    @property
    def notes(self) -> list[str]:
        return self._core.notes()

    def to_dict(self) -> dict[str, Any]:
        """The content of the file as plain Python values, with the keys of docs/select.md, and the time."""
        content: dict[str, Any] = json.loads(self._core.json())
        return content

    def to_frame(self) -> Any:
        """A pandas frame with a row per node and feature: node, rank (from 1), feature, column and weight."""
        import pandas as pd

        nodes = list(self.values())
        lengths = [len(node) for node in nodes]
        return pd.DataFrame(
            {
                "node": np.repeat(np.array([node.node for node in nodes], dtype=object), lengths),
                "rank": np.concatenate([np.arange(1, length + 1) for length in lengths] or [np.zeros(0, dtype=int)]),
                "feature": [name for node in nodes for name in node.names],
                "column": np.concatenate([node.features for node in nodes] or [np.zeros(0, dtype=np.int32)]),
                "weight": np.concatenate([node.weights for node in nodes] or [np.zeros(0)]),
            }
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FeatureRanking):
            return NotImplemented
        if self is other:
            return True
        return self._facts() == other._facts() and all(
            _same_node(own, theirs) for own, theirs in zip(self.values(), other.values())
        )

    __hash__ = None  # type: ignore[assignment]

    def _facts(self) -> list[Any]:
        core = self._core
        by_name = [sorted(core.parameters), sorted(core.residuals)]  # files have them in this order
        return [core.method, by_name, self.feature_names, list(self), core.objective, core.gap, self.tuning]

    def __getstate__(self) -> dict[str, Any]:
        return {"_core": self._core, "_root_name": self._root_name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._core = state["_core"]
        self._root_name = state.get("_root_name", "(root)")

    # For people

    def _rows(self) -> list[tuple[str, int, int, str]]:
        nodes = list(self.values())[:_SHOWN_NODES]
        return [(node.node, node.samples, node.children, ", ".join(node.top(_SHOWN_FEATURES))) for node in nodes]

    def _headline(self) -> str:
        return f"{self.method}: {self.n_features} features at {len(self)} node{'s' if len(self) != 1 else ''}"

    def __repr__(self) -> str:
        return f"FeatureRanking({self._headline()})"

    def __str__(self) -> str:
        rows = [("node", "samples", "children", "best features"), *self._rows()]
        widths = [max(len(str(row[column])) for row in rows) for column in range(3)]
        lines = [
            f"  {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip() for row in rows
        ]
        if len(self) > _SHOWN_NODES:
            lines.append(f"  ... {len(self) - _SHOWN_NODES} more nodes")
        return "\n".join([self._headline(), "", *lines])

    def _repr_html_(self) -> str:
        text = table(["node", "samples", "children", "best features"], self._rows(), self._headline())
        if len(self) > _SHOWN_NODES:
            text += f"<p>{escaped(len(self) - _SHOWN_NODES)} more nodes</p>"
        return text


def _values(texts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Parameters by name; texts that are numbers or truth values become such."""
    values: dict[str, Any] = {}
    for name, text in texts:
        try:
            values[name] = json.loads(text)
        except ValueError:
            values[name] = text
    return values


def _same_node(a: NodeRanking, b: NodeRanking) -> bool:
    return (
        (a.samples, a.children) == (b.samples, b.children)
        and np.array_equal(a.features, b.features)
        and np.array_equal(a.weights, b.weights)
        and np.array_equal(a.common, b.common)
    )


def _shown(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN_FEATURES])
    return shown if len(names) <= _SHOWN_FEATURES else f"{shown} and {len(names) - _SHOWN_FEATURES} more"
