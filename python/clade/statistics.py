"""Whether methods differ over several data sets, which ones, and by how much: ranks, tests, and their parts."""

from __future__ import annotations

import json
import os
from typing import Any, Literal, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core, html
from clade._optional import frame, needed
from clade._persist import write_text
from clade._runtime import settings

__all__ = [
    "Comparison",
    "average_ranks",
    "bonferroni_dunn_distance",
    "compare",
    "friedman",
    "holm",
    "iman_davenport",
    "mcnemar",
    "nemenyi_distance",
    "permutation",
    "wilcoxon",
]


def __dir__() -> list[str]:
    """What completion offers: not the modules that are imported here."""
    return __all__


Better = Literal["auto", "higher", "lower"]
Incomplete = Literal["error", "drop-data", "drop-methods", "worst"]
PostHoc = Literal["nemenyi", "bonferroni-dunn"]


class Comparison:
    """What :func:`compare` finds.

    Attributes
    ----------
    report : dict
        Everything, as ``clade compare --json`` gives it.
    text : str
        The report for people.
    diagram : str
        The diagram of critical distances, as SVG.
    """

    def __init__(self, report: Mapping[str, Any], text: str, diagram: str) -> None:
        self.report = dict(report)
        self.text = text
        self.diagram = diagram

    @property
    def methods(self) -> Any:
        """A frame of the methods, best ranked first: average rank, and mean of the values."""
        rows = [{name: entry[name] for name in ("name", "average_rank", "mean")} for entry in self.report["methods"]]
        table = frame(rows, ["name", "average_rank", "mean"]).set_index("name")
        return table.sort_values("average_rank", kind="stable")

    @property
    def ranks(self) -> Any:
        """A frame of the ranks, 1 for the best, with a row per data set and a column per method."""
        columns = {entry["name"]: entry["ranks"] for entry in self.report["methods"]}
        return needed("pandas", "frames").DataFrame(columns, index=self.report["datasets"])

    @property
    def pairs(self) -> Any:
        """A frame of all pairs of methods, with the tests of each as ``wilcoxon_p``, ``permutation_p_holm``, ..."""
        return frame([_flat(pair) for pair in self.report["pairs"]], ["a", "b"])

    @property
    def against_control(self) -> Any:
        """A frame of the differences from the control by Bonferroni-Dunn."""
        return frame(self.report["bonferroni_dunn"], ["method", "rank_difference", "p", "significant"])

    @property
    def p(self) -> float:
        """Whether the methods differ at all: the p of Iman-Davenport, or of Friedman where F_F is infinite.

        F_F is infinite, with p = 0, where all data sets rank the methods alike, even if there are only two of them.
        """
        has_f = self.report["iman_davenport"]["f"] is not None
        return float(self.report["iman_davenport" if has_f else "friedman"]["p"])

    @property
    def control(self) -> str:
        """The method that the others are compared with."""
        return str(self.report["control"])

    @property
    def friedman(self) -> dict[str, Any]:
        """Friedman's test, as it is, and corrected for ties."""
        return dict(self.report["friedman"])

    @property
    def iman_davenport(self) -> dict[str, Any]:
        """The test of Iman and Davenport; `f` is None where it is infinite."""
        return dict(self.report["iman_davenport"])

    @property
    def critical_distance(self) -> dict[str, float]:
        """How far apart average ranks must be to differ, by Nemenyi and by Bonferroni-Dunn."""
        return dict(self.report["critical_distance"])

    @property
    def notes(self) -> list[str]:
        """What to bear in mind."""
        return list(self.report["notes"])

    def write_diagram(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the diagram as an SVG file."""
        write_text(self.diagram, path, overwrite)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        report = self.report
        counts = f"{len(report['methods'])} methods on {len(report['datasets'])} data sets"
        return f"<Comparison by {report['metric']}: {counts}, p = {self.p:.3g}>"

    def _repr_html_(self) -> str:
        return f"<div>{self.diagram}</div>" + html.details("report", html.preformatted(self.text))


def _flat(entry: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in entry.items():
        if isinstance(value, Mapping):
            row.update({f"{name}_{part}": inner for part, inner in value.items()})
        else:
            row[name] = value
    return row


def compare(
    results: Any,
    metric: str = "",
    *,
    methods: Sequence[str] | None = None,
    better: Better = "auto",
    alpha: float = 0.05,
    control: str = "",
    incomplete: Incomplete = "error",
    post_hoc: PostHoc = "nemenyi",
    random_state: Any = None,
) -> Comparison:
    """Compares methods over several data sets.

    Parameters
    ----------
    results : object
        A frame with a row per data set and a column per method; a frame with the columns ``dataset``, ``method`` and
        one per measure (or ``metric`` and ``value``), whose repeats are averaged; a dict from methods to values, or to
        dicts by data set; a two-dimensional array, with `methods`; the name of a file; or an experiment's results.
    metric : str
        The measure: which one to look at, or what to call the values.
    methods : sequence of str, optional
        The names of the columns of an array.
    better : {"auto", "higher", "lower"}
        The direction; auto tells it from the metric's name.
    alpha : float
        The level of significance.
    control : str
        The method to compare the others with; by default the best ranked.
    incomplete : {"error", "drop-data", "drop-methods", "worst"}
        What to do with a method that has no value on a data set.
    post_hoc : {"nemenyi", "bonferroni-dunn"}
        What the diagram shows.
    random_state
        The seed of permutation tests of more than 20 differences.

    Returns
    -------
    Comparison
        Ranks, tests and pairs as frames, a text, and a diagram.

    Examples
    --------
    >>> found = compare({"old": [0.61, 0.70, 0.55, 0.8], "new": [0.64, 0.72, 0.59, 0.81]}, "accuracy")
    >>> found.methods.index.tolist()
    ['new', 'old']
    >>> found.pairs["wilcoxon_p"].tolist()
    [0.125]
    """
    options = (better, float(alpha), control, incomplete, post_hoc, settings(None, random_state))
    if hasattr(results, "results_file"):
        results = results.results_file
    if isinstance(results, (str, os.PathLike)):
        return _comparison(_core.compare_file(os.fspath(results), metric, *options))
    if hasattr(results, "columns") and "method" in {str(column).lower() for column in results.columns}:
        return _comparison(_core.compare_text(results.to_csv(index=False), metric, *options))
    values, datasets, names = _table(results, methods)
    return _comparison(_core.compare_table(values.ravel(), datasets, names, metric or "value", *options))


def _comparison(found: tuple[str, str, str]) -> Comparison:
    return Comparison(json.loads(found[0]), found[1], found[2])


def _table(results: Any, methods: Sequence[str] | None) -> tuple[npt.NDArray[np.float64], list[str], list[str]]:
    """Values with a row per data set, the names of the data sets, and those of the methods."""
    if isinstance(results, Mapping):
        names = [str(name) for name in results]
        columns = list(results.values())
        if all(isinstance(column, Mapping) for column in columns):
            datasets = list(dict.fromkeys(name for column in columns for name in column))
            rows = [[column.get(name, np.nan) for column in columns] for name in datasets]
            return np.asarray(rows, dtype=np.float64), [str(name) for name in datasets], names
        if len({len(column) for column in columns}) > 1:
            raise ValueError("methods have different numbers of values; expected one for each data set")
        table = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
        return table, _numbered(len(table)), names
    if hasattr(results, "columns"):
        values = results.select_dtypes("number")
        texts = [column for column in results.columns if column not in values.columns]
        if len(texts) > 1:
            raise ValueError(f"columns {texts[0]!r} and {texts[1]!r} have texts; expected at most one, of data sets")
        labels = results[texts[0]] if texts else results.index
        table = np.ascontiguousarray(values.to_numpy(dtype=np.float64))
        return table, [str(name) for name in labels], [str(name) for name in values.columns]
    table = _matrix(results)
    names = [str(name) for name in methods] if methods is not None else _numbered(table.shape[1])
    return table, _numbered(len(table)), names


def _numbered(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


def _matrix(scores: Any) -> npt.NDArray[np.float64]:
    table = np.ascontiguousarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores of {table.ndim} dimensions; expected a row per data set and a column per method")
    return table


def average_ranks(scores: Any, higher_is_better: bool = True) -> npt.NDArray[np.float64]:
    """The average rank of each method over the rows of a table: 1 is best, and equal values share ranks."""
    table = _matrix(scores)
    return np.asarray(_core.average_ranks(table.ravel(), table.shape[1], higher_is_better))


class FriedmanResult(NamedTuple):
    """Friedman's test, as it is, and corrected for ties; Kendall's W says how far the data sets agree."""

    chi2: float
    p: float
    chi2_tie_corrected: float
    p_tie_corrected: float
    degrees_of_freedom: int
    kendall_w: float


def friedman(scores: Any) -> FriedmanResult:
    """Friedman's test of a table with a row per data set and a column per method: do they differ at all?

    >>> round(friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]]).chi2, 4)
    6.5
    """
    table = _matrix(scores)
    return FriedmanResult(**_core.friedman(table.ravel(), table.shape[1]))


class ImanDavenportResult(NamedTuple):
    """The test of Iman and Davenport; where all data sets agree, `f` is infinite and p = 0, which decides nothing."""

    f: float
    p: float
    df1: int
    df2: int
    critical_value: float


def iman_davenport(scores: Any, alpha: float = 0.05) -> ImanDavenportResult:
    """The better test of Iman and Davenport on Friedman's statistic."""
    table = _matrix(scores)
    return ImanDavenportResult(**_core.iman_davenport(table.ravel(), table.shape[1], alpha))


def nemenyi_distance(methods: int, datasets: int, alpha: float = 0.05) -> float:
    """How far apart average ranks must be for any two methods to differ (Nemenyi).

    >>> round(nemenyi_distance(5, 30), 4)
    1.1136
    """
    return float(_core.nemenyi_distance(methods, datasets, alpha))


def bonferroni_dunn_distance(methods: int, datasets: int, alpha: float = 0.05) -> float:
    """How far a method's average rank must be from that of one control to differ from it (Bonferroni-Dunn)."""
    return float(_core.bonferroni_dunn_distance(methods, datasets, alpha))


class WilcoxonResult(NamedTuple):
    """Wilcoxon's test of signed ranks: the smaller sum of ranks, and whether p is exact; zeros were dropped."""

    statistic: float
    p: float
    exact: bool
    zeros: int
    differences: int


def wilcoxon(a: Any, b: Any) -> WilcoxonResult:
    """Wilcoxon's test of two methods over the same data sets: two-sided, exact up to 50 differences, with ties, too.

    Pairs with NaN are left out.
    """
    return WilcoxonResult(**_core.wilcoxon(*_paired(a, b)))


class PermutationResult(NamedTuple):
    """A permutation test, and whether all permutations were looked at."""

    p: float
    exact: bool


def permutation(a: Any, b: Any, random_state: Any = None) -> PermutationResult:
    """The test that flips the signs of differences: two-sided, of the mean, exact up to 20 differences.

    Pairs with NaN are left out.

    >>> permutation([0.64, 0.72, 0.59, 0.81], [0.61, 0.70, 0.55, 0.80]).p
    0.125
    """
    return PermutationResult(**_core.permutation(*_paired(a, b), settings(None, random_state)))


def _paired(a: Any, b: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    first, second = (np.ascontiguousarray(values, dtype=np.float64) for values in (a, b))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"values of the shapes {first.shape} and {second.shape}; expected two of the same length")
    return first, second


def holm(p: Any) -> npt.NDArray[np.float64]:
    """p-values adjusted for their number, by Holm's step-down procedure.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.ascontiguousarray(p, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p-values beyond 0 and 1; expected probabilities")
    return np.asarray(_core.holm(values))


def mcnemar(a: Any, b: Any, y_true: Any = None) -> float:
    """The exact p-value of McNemar's test of two classifiers on the same samples.

    Parameters
    ----------
    a, b : int or array-like
        How many samples only the one and only the other has right; or, with `y_true`, their predictions.
    y_true : array-like, optional
        The true labels.

    Examples
    --------
    >>> mcnemar(5, 0)
    0.0625
    >>> mcnemar(["x", "x", "x"], ["x", "y", "y"], y_true=["x", "x", "x"])
    0.5
    """
    if y_true is None:
        if a < 0 or b < 0:
            raise ValueError(f"{min(a, b)} samples; expected counts of 0 or more")
        return float(_core.mcnemar(int(a), int(b)))
    truth, first, second = (np.asarray(labels) for labels in (y_true, a, b))
    if truth.shape != first.shape or truth.shape != second.shape:
        raise ValueError(f"labels of the shapes {truth.shape}, {first.shape} and {second.shape}; expected the same")
    is_first, is_second = (labels == truth for labels in (first, second))
    if truth.ndim == 2:  # rows of levels
        is_first, is_second = is_first.all(axis=1), is_second.all(axis=1)
    return float(_core.mcnemar(int((is_first & ~is_second).sum()), int((~is_first & is_second).sum())))
