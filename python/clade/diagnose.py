"""Does a hierarchy fit the data, where does it help, and which edits would make it better?"""

from __future__ import annotations

import json
import os
from typing import Any, Mapping

import numpy as np
import scipy.sparse

from clade import _core, html
from clade._arrays import dataset_of
from clade._optional import frame
from clade._recipe import recipe_of
from clade._runtime import settings, texts_of
from clade.data import read_data
from clade.labels import Layout, core_taxonomy, parse_labels
from clade.taxonomy import Taxonomy

__all__ = ["Diagnosis", "diagnose"]


class Diagnosis:
    """What :func:`diagnose` finds.

    Attributes
    ----------
    edited : Taxonomy
        The hierarchy with the proposed edits.
    report : dict
        Everything, as ``clade diagnose --json`` gives it.
    text : str
        The report for people.
    """

    def __init__(self, edited: Taxonomy, report: Mapping[str, Any], text: str) -> None:
        self.edited = edited
        self.report = dict(report)
        self.text = text

    @property
    def trials(self) -> Any:
        """A frame of the hierarchies that were tried, with what the given one gains over each (``gain_...``)."""
        rows = []
        for trial in self.report["hierarchies"]:
            own = {name: value for name, value in trial.items() if name != "given_gain"}
            rows.append({**own, **_gain(trial.get("given_gain"), "gain_")})
        return frame(rows, ["hierarchy", "accuracy", "hierarchical_f1"])

    @property
    def random(self) -> dict[str, Any]:
        """How random hierarchies of the same shape did; empty if none was tried."""
        return dict(self.report["random"] or {})

    @property
    def similarity(self) -> Any:
        """A frame of the mean cosine of two classes by their distance in the hierarchy."""
        return frame((self.report["centroids"] or {}).get("by_distance", []), ["distance", "pairs", "cosine"])

    @property
    def correlation(self) -> float:
        """The rank correlation of distance and cosine; below 0: near classes are alike. NaN if unknown."""
        value = (self.report["centroids"] or {}).get("correlation")
        return float("nan") if value is None else float(value)

    @property
    def nodes(self) -> Any:
        """A frame of inner nodes: what is gained below each (``gain_...``), and by it as a group (``as_group_...``)."""
        rows = []
        for node in self.report["nodes"]:
            own = {name: value for name, value in node.items() if name not in ("gain", "as_group")}
            rows.append({**own, **_gain(node["gain"], "gain_"), **_gain(node["as_group"], "as_group_")})
        return frame(rows, ["node", "classes", "samples"])

    @property
    def alike(self) -> Any:
        """A frame of sibling classes that cannot be told apart."""
        rows = [
            {"first": pair["classes"][0], "second": pair["classes"][1], **_without(pair, "classes")}
            for pair in self.report["alike_siblings"]
        ]
        return frame(rows, ["first", "second", "parent", "samples", "accuracy", "larger_share", "mistakes"])

    @property
    def small_classes(self) -> Any:
        """A frame of classes with few samples."""
        return frame(self.report["small_classes"], ["class", "samples"])

    @property
    def edits(self) -> Any:
        """A frame of the edits that were tried, and which are proposed (``accepted``)."""
        rows = [{**_without(edit, "gain"), **_gain(edit["gain"], "gain_")} for edit in self.report["edits"]]
        return frame(rows, ["kind", "node", "from", "to", "accepted", "p"])

    @property
    def left_out(self) -> list[str]:
        """What was not done, and why."""
        return list(self.report["left_out"])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        proposed = sum(1 for edit in self.report["edits"] if edit["accepted"])
        edits = "1 edit" if proposed == 1 else f"{proposed} edits"
        return f"<Diagnosis of {self.report['samples']} samples: {edits} proposed>"

    def _repr_html_(self) -> str:
        tree = html.details("hierarchy with the proposed edits", self.edited._repr_html_())
        return html.preformatted(self.text) + tree


def _gain(gain: Mapping[str, Any] | None, prefix: str) -> dict[str, Any]:
    return {} if gain is None else {f"{prefix}{name}": value for name, value in gain.items()}


def _without(entry: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != name}


def diagnose(
    data: Any,
    y: Any = None,
    taxonomy: Any = None,
    *,
    classifier: Any = "",
    parameters: Mapping[str, Any] | None = None,
    folds: int = 5,
    draws: int = 10,
    permutations: int = 999,
    nodes: int = 50,
    edits: int = 3,
    fewest: int = 10,
    alpha: float = 0.05,
    missing: str | None = None,
    label_layout: Layout = "auto",
    path_separator: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    **reading: Any,
) -> Diagnosis:
    """Checks a hierarchy against data, by samples that were held out.

    Parameters
    ----------
    data : Dataset, array, sparse matrix, frame or file name
        The samples; features alone need `y`.
    y : array-like, optional
        Their labels, in any layout.
    taxonomy : object, optional
        The hierarchy: anything that :meth:`clade.Taxonomy.of` understands.
    classifier : str or estimator
        What is cross-validated: a method by name, or a classifier of Clade with its parameters. By default a quick one
        that decides node by node.
    parameters : dict, optional
        Parameters of a method that is given by name.
    folds, draws, permutations, nodes, edits, fewest, alpha
        The folds; the random hierarchies to compare with; the permutations of classes; the most nodes and edits that
        are looked at; the number of samples below which a class is listed; the largest p of an edit that is proposed.
    missing : str, optional
        What to do with missing values: ``"error"`` (the default), ``"keep"``, ``"mean"``, ``"zero"`` or
        ``"drop-sample"``; a classifier has a keyword of its own.
    label_layout, path_separator
        The layout of `y`.
    n_jobs, random_state
        Threads, which change no result, and the seed.
    **reading
        How a file is read, by the names of the command line, such as `label_column`.

    Returns
    -------
    Diagnosis
        Frames of hierarchies, nodes, classes and edits, a text, and the hierarchy with the proposed edits.
    """
    how = settings(n_jobs, random_state)
    name = "data"
    if isinstance(data, (str, os.PathLike)):
        name = os.fspath(data)
        core = read_data(name, n_jobs=n_jobs, taxonomy=taxonomy, missing=missing or "error", **reading)._core
    else:
        if reading:
            raise TypeError(f"{next(iter(reading))!r} says how to read a file; expected the name of one as data")
        core = _data_of(data, y, taxonomy, label_layout, path_separator)
    options = texts_of(
        {
            "folds": folds,
            "draws": draws,
            "permutations": permutations,
            "nodes": nodes,
            "edits": edits,
            "fewest": fewest,
            "alpha": alpha,
        }
    )
    edited, report, text = _core.diagnose(core, _recipe(classifier, parameters, missing, core, how), options, name, how)
    return Diagnosis(Taxonomy.of(edited), json.loads(report), text)


def _data_of(data: Any, y: Any, taxonomy: Any, layout: Layout, separator: str | None) -> _core.Dataset:
    core = getattr(data, "_core", data)
    if isinstance(core, _core.Dataset):
        if y is not None or taxonomy is not None:
            raise ValueError("a data set has labels and a hierarchy already; expected neither y nor taxonomy")
        return core
    if y is None:
        raise ValueError("no labels; expected y beside the features")
    tree = core_taxonomy(taxonomy)
    names = [str(column) for column in data.columns] if hasattr(data, "columns") else None
    matrix = data if scipy.sparse.issparse(data) else np.asarray(data)
    return dataset_of(matrix, parse_labels(y, tree, layout, separator), names)


def _recipe(
    classifier: Any, parameters: Mapping[str, Any] | None, missing: str | None, data: _core.Dataset, how: _core.Settings
) -> _core.Recipe:
    if isinstance(classifier, str):
        return _core.Recipe(classifier, texts_of(parameters or {}), None, None, "", missing or "error", {})
    if not getattr(classifier, "_method", ""):
        raise TypeError(f"{type(classifier).__name__} is no classifier of Clade; expected one, or the name of a method")
    if parameters or missing is not None:
        raise ValueError("parameters beside a classifier that has its own; expected the name of a method with them")
    return recipe_of(classifier, classifier._method, data, how)
