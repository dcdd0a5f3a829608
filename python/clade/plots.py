"""Pictures with matplotlib: each function draws into `ax` and returns the axes.

Without `ax`, it takes the current axes or figure of pyplot if nothing is drawn there yet, and a new figure otherwise.
"""

from __future__ import annotations

import json
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from clade import _core
from clade._optional import needed
from clade._pairs import answers_of
from clade.evaluation import Evaluation
from clade.labels import Layout
from clade.taxonomy import Taxonomy

__all__ = [
    "confusion_matrix",
    "convergence",
    "critical_difference",
    "dendrogram",
    "level_scores",
    "ranking",
    "reliability",
    "taxonomy",
]


def __dir__() -> list[str]:
    """What completion offers: not the modules that are imported here."""
    return __all__


def _axes(ax: Any, width: float = 6.4, height: float = 4.8) -> Any:
    if ax is not None:
        return ax
    pyplot = needed("matplotlib.pyplot", "pictures")
    if pyplot.get_fignums():
        figure = pyplot.gcf()
        if not figure.axes or not figure.gca().has_data():
            return figure.gca()
    return pyplot.subplots(figsize=(width, height), constrained_layout=True)[1]


def _limited(size: float) -> float:
    return float(min(max(size, 2.5), 40.0))


def taxonomy(
    hierarchy: Any,
    *,
    values: Mapping[str, float] | None = None,
    max_nodes: int = 300,
    cmap: str = "viridis",
    ax: Any = None,
) -> Any:
    """A hierarchy from left to right, its leaves below each other.

    Parameters
    ----------
    hierarchy : object
        Anything that :meth:`clade.Taxonomy.of` understands.
    values : mapping, optional
        Numbers of nodes, such as their F1, shown as colours.
    max_nodes : int
        The most nodes that a picture can show; more are an error, which suggests a part.
    cmap : str
        Colours of the values.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    tree = Taxonomy.of(hierarchy)
    if len(tree) > max_nodes:
        raise ValueError(f"{len(tree)} nodes in a picture; expected at most {max_nodes}, such as a subtree()")
    x, y = _places(tree)
    leaves = len(tree.leaves)
    ax = _axes(ax, _limited(2.2 * tree.n_levels + 1), _limited(0.24 * leaves + 0.6))
    for parent, child in tree._core.edges().tolist():
        if tree.is_tree:
            middle = (x[parent] + x[child]) / 2
            xs, ys = [x[parent], middle, middle, x[child]], [y[parent], y[parent], y[child], y[child]]
        else:  # lines with corners would run over each other
            xs, ys = [x[parent], x[child]], [y[parent], y[child]]
        ax.plot(xs, ys, color="0.7", lw=0.8, zorder=1)
    names = tree.names
    if values is None:
        ax.scatter(x, y, s=12, color="0.25", zorder=2)
    else:
        numbers = np.array([values.get(name, np.nan) for name in names], dtype=np.float64)
        known = ~np.isnan(numbers)
        ax.scatter(x[~known], y[~known], s=12, color="0.8", zorder=2)
        points = ax.scatter(x[known], y[known], s=36, c=numbers[known], cmap=cmap, zorder=2)
        ax.figure.colorbar(points, ax=ax)
    for node, name in enumerate(names):
        is_leaf = len(tree._core.children(node)) == 0
        ax.annotate(
            _plain(name),
            (x[node], y[node]),
            xytext=(5, 0) if is_leaf else (0, 4),
            textcoords="offset points",
            ha="left" if is_leaf else "center",
            va="center" if is_leaf else "bottom",
            fontsize=8,
        )
    ax.set_xlim(-0.3, tree.n_levels - 0.2)
    ax.invert_yaxis()
    ax.axis("off")
    return ax


def _plain(text: str) -> str:
    """A name as it is: matplotlib takes dollars for formulas, and cannot draw bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("$", r"\$")


def _places(tree: Taxonomy) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Levels across; leaves one below the other in the order of the tree, and parents at the mean of their children."""
    core = tree._core
    x = np.array([core.depth(node) for node in range(len(tree))], dtype=np.float64)
    y = np.full(len(tree), np.nan)
    placed = 0
    waiting = [0]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        children = core.children(node).tolist()
        if not children:
            y[node] = placed
            placed += 1
        waiting.extend(reversed(children))
    for node in reversed(range(len(tree))):  # children have larger numbers
        children = core.children(node).tolist()
        if children:
            y[node] = float(np.mean(y[children]))
    return x, y if tree.is_tree else _apart(x, y)


def _apart(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Nodes of a level that share children would lie on each other: they are moved both ways, as little as it takes."""
    moved = y.copy()
    for level in np.unique(x):
        nodes = np.flatnonzero(x == level)
        nodes = nodes[np.argsort(y[nodes], kind="stable")]
        steps = np.arange(len(nodes))
        down = np.maximum.accumulate(y[nodes] - steps) + steps
        up = np.minimum.accumulate((y[nodes] - steps)[::-1])[::-1] + steps
        moved[nodes] = (down + up) / 2
    return moved


def ranking(
    found: Mapping[str, Any], *, nodes: Sequence[str] | None = None, top: int = 10, cmap: str = "Blues", ax: Any = None
) -> Any:
    """The weights of the best features at each node, as a table of colours.

    Parameters
    ----------
    found : FeatureRanking
        What a selector found: for each node the `names` of features, best first, and their `weights`.
    nodes : sequence of str, optional
        The nodes to show; by default the first 30.
    top : int
        How many of each node's best features are shown.
    cmap : str
        Colours; those of a row go from 0 to its largest weight.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    shown = list(found)[:30] if nodes is None else list(nodes)
    features = list(dict.fromkeys(str(name) for node in shown for name in found[node].names[:top]))
    column = {name: number for number, name in enumerate(features)}
    table = np.full((len(shown), len(features)), np.nan)
    for row, node in enumerate(shown):
        weights = np.abs(np.asarray(found[node].weights, dtype=np.float64))
        largest = weights.max(initial=0.0)
        for name, weight in zip(found[node].names, weights):
            if str(name) in column:
                table[row, column[str(name)]] = weight / largest if largest > 0 else 0.0
    ax = _axes(ax, _limited(0.25 * len(features) + 2), _limited(0.28 * len(shown) + 1.5))
    image = ax.imshow(table, cmap=cmap, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    ax.set_xticks(range(len(features)), [_plain(name) for name in features], rotation=90, fontsize=8)
    ax.set_yticks(range(len(shown)), [_plain(node) for node in shown], fontsize=8)
    ax.set_xlabel("feature")
    ax.set_ylabel("node")
    ax.figure.colorbar(image, ax=ax, label="weight, relative to the node's largest")
    return ax


def convergence(found: Any, *, log: bool = False, label: str | None = None, ax: Any = None) -> Any:
    """What a method minimised, by iteration.

    Parameters
    ----------
    found : FeatureRanking or sequence of float
        Something with an `objective`, or the values.
    log : bool
        Show how far each value is above the smallest, on a logarithmic scale.
    label : str, optional
        Of the line, for a legend.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    values = np.asarray(getattr(found, "objective", found), dtype=np.float64)
    if len(values) == 0:
        raise ValueError("no objective by iteration; expected a method that minimises one")
    ax = _axes(ax)
    iterations = np.arange(1, len(values) + 1)
    if log:
        above = values - values.min()
        ax.semilogy(iterations[above > 0], above[above > 0], marker=".", label=label)
        ax.set_ylabel("objective above its smallest value")
    else:
        ax.plot(iterations, values, marker=".", label=label)
        ax.set_ylabel("objective")
    ax.set_xlabel("iteration")
    return ax


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    taxonomy: Any = None,
    *,
    node: str | None = None,
    normalize: bool = False,
    label_layout: Layout = "auto",
    path_separator: str | None = None,
    cmap: str = "Blues",
    ax: Any = None,
) -> Any:
    """Which child of a node samples truly belong to, and which they were predicted below.

    Parameters
    ----------
    y_true, y_pred : array-like
        One label per sample, or rows of levels.
    taxonomy : object, optional
        The hierarchy; by default what the labels imply.
    node : str, optional
        By default the root. Samples that do not belong below it are left out.
    normalize : bool
        Show shares of each row instead of counts.
    label_layout, path_separator
        The layout of labels.
    cmap : str
        Colours.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    counts, names = confusion_counts(y_true, y_pred, taxonomy, node, label_layout, path_separator)
    with np.errstate(invalid="ignore"):
        shares = counts / counts.sum(axis=1, keepdims=True)
    table = shares if normalize else counts
    ax = _axes(ax, _limited(0.45 * len(names[1]) + 2.2), _limited(0.4 * len(names[0]) + 1.6))
    ax.imshow(shares, cmap=cmap, vmin=0, vmax=1, interpolation="nearest")
    for row, column in np.ndindex(*table.shape):
        if counts[row, column] > 0:
            text = f"{table[row, column]:.2f}" if normalize else str(int(table[row, column]))
            color = "white" if shares[row, column] > 0.5 else "black"
            ax.text(column, row, text, ha="center", va="center", color=color, fontsize=8)
    ax.set_xticks(range(len(names[1])), [_plain(name) for name in names[1]], rotation=90)
    ax.set_yticks(range(len(names[0])), [_plain(name) for name in names[0]])
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    return ax


def confusion_counts(
    y_true: Any, y_pred: Any, taxonomy: Any, node: str | None, layout: Layout, separator: str | None
) -> tuple[npt.NDArray[np.int64], tuple[list[str], list[str]]]:
    """Counts with a row per child of a node and one more column, for answers that are not below a child."""
    answers = answers_of(y_true, y_pred, taxonomy, label_layout=layout, path_separator=separator)
    tree = Taxonomy.of(answers.data.taxonomy)
    top = 0 if node is None else tree.index(node)
    children = tree._core.children(top).tolist()
    if not children:
        raise ValueError(f"{tree.names[top]!r} is a leaf; expected a node with children")
    # A node of a DAG can be below several children; it counts for the first.
    place = np.full(len(tree), len(children), dtype=np.int64)
    for number, child in reversed(list(enumerate(children))):
        place[[child, *tree._core.descendants(child).tolist()]] = number
    offsets, nodes = answers.data.labels()[:2]
    given_offsets, given_nodes = answers.predictions[:2]
    if (np.diff(offsets) > 1).any():
        raise ValueError("samples with several labels; expected one label per sample")
    has_label = np.diff(offsets) == 1
    truth = place[nodes]
    predicted = place[given_nodes[given_offsets[:-1]]][has_label]
    inside = truth < len(children)
    counts = np.zeros((len(children), len(children) + 1), dtype=np.int64)
    np.add.at(counts, (truth[inside], predicted[inside]), 1)
    names = [tree.names[child] for child in children]
    if counts[:, -1].any():
        return counts, (names, [*names, "(elsewhere)"])
    return counts[:, :-1], (names, names)


def level_scores(evaluations: Evaluation | Mapping[str, Evaluation], *, measure: str = "f1", ax: Any = None) -> Any:
    """Precision, recall or F1 of each level, one bar per evaluation.

    Parameters
    ----------
    evaluations : Evaluation, or mapping from names to evaluations
        What to draw; several stand side by side.
    measure : {"f1", "precision", "recall"}
        Of the nodes of a level, ancestors of labels included.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    if measure not in ("f1", "precision", "recall"):
        raise ValueError(f"measure is {measure!r}; expected f1, precision or recall")
    several = {"": evaluations} if isinstance(evaluations, Evaluation) else dict(evaluations)
    ax = _axes(ax)
    width = 0.8 / max(len(several), 1)
    for number, (name, evaluation) in enumerate(several.items()):
        levels = evaluation.report["levels"]
        heights = [np.nan if level[measure] is None else level[measure] for level in levels]
        places = np.array([level["level"] for level in levels]) - 0.4 + width * (number + 0.5)
        ax.bar(places, heights, width * 0.95, label=_plain(name) or None)
    ax.xaxis.set_major_locator(needed("matplotlib.ticker", "pictures").MaxNLocator(integer=True))
    ax.set_xlabel("level")
    ax.set_ylabel(measure)
    ax.set_ylim(0, 1)
    if any(several):
        ax.legend()
    return ax


def reliability(evaluations: Evaluation | Mapping[str, Evaluation], *, ax: Any = None) -> Any:
    """How often first labels are right, by their score: on the diagonal, scores are true probabilities.

    Parameters
    ----------
    evaluations : Evaluation, or mapping from names to evaluations
        Of predictions with scores that are probabilities.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    several = {"": evaluations} if isinstance(evaluations, Evaluation) else dict(evaluations)
    for evaluation in several.values():
        if not evaluation.reliability or not evaluation._bins:
            raise ValueError("scores that are no probabilities; expected an evaluation with scores from 0 to 1")
    ax = _axes(ax, 4.8, 4.8)
    ax.plot([0, 1], [0, 1], color="0.7", lw=1, ls="--")
    for name, evaluation in several.items():
        samples, score, right = np.array(evaluation._bins, dtype=np.float64).T
        line = ax.plot(score, right, marker="", label=_plain(name) or None)[0]
        ax.scatter(score, right, s=10 + 90 * samples / samples.sum(), color=line.get_color())
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="score", ylabel="share that is right", aspect="equal")
    if any(several):
        ax.legend()
    return ax


def critical_difference(comparison: Any, *, post_hoc: str = "nemenyi", ax: Any = None) -> Any:
    """Methods at their average ranks, the best on the right; bars join those that do not differ.

    Parameters
    ----------
    comparison : Comparison
        What :func:`clade.compare` found.
    post_hoc : {"nemenyi", "bonferroni-dunn"}
        Bars join methods that Nemenyi's test does not tell apart, or those that do not differ from the control.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    if post_hoc not in ("nemenyi", "bonferroni-dunn"):
        raise ValueError(f"post_hoc is {post_hoc!r}; expected nemenyi or bonferroni-dunn")
    methods = sorted(comparison.report["methods"], key=lambda method: float(method["average_rank"]))
    ranks = np.array([method["average_rank"] for method in methods])
    distance = comparison.critical_distance[post_hoc.replace("-", "_")]
    if post_hoc == "nemenyi":
        bars = alike_groups(ranks, distance)
    else:
        control = next(m["average_rank"] for m in methods if m["name"] == comparison.control)
        bars = [(max(1.0, control - distance), min(float(len(methods)), control + distance))]
    ax = _axes(ax, 7.0, 0.28 * len(methods) + 1.6)
    count = len(methods)
    half = (count + 1) // 2
    depth = 0.6 + 0.25 * len(bars)
    for number, (method, rank) in enumerate(zip(methods, ranks)):
        is_right = number < half
        level = -(depth + 0.5 * (number if is_right else count - 1 - number))
        end = 0.9 if is_right else count + 0.1
        ax.plot([rank, rank, end], [0, level, level], color="0.3", lw=1)
        weight = "bold" if post_hoc != "nemenyi" and method["name"] == comparison.control else "normal"
        ax.text(
            end, level, f" {_plain(method['name'])} ", ha="left" if is_right else "right", va="center", weight=weight
        )
    for number, (low, high) in enumerate(bars):
        ax.plot([low - 0.03, high + 0.03], [-(0.3 + 0.25 * number)] * 2, color="black", lw=4, solid_capstyle="butt")
    ax.plot([1, count], [0, 0], color="black", lw=1)
    for tick in range(1, count + 1):
        ax.plot([tick, tick], [0, 0.12], color="black", lw=1)
        ax.text(tick, 0.18, str(tick), ha="center", va="bottom")
    ax.plot([1, 1 + distance], [0.95, 0.95], color="black", lw=1.5, marker="|")
    ax.text(1 + distance / 2, 1.02, f"CD = {distance:.3f}", ha="center", va="bottom")
    ax.set_xlim(count + 0.1 + 0.22 * count, 0.9 - 0.22 * count)  # rank 1 on the right
    ax.set_ylim(-(depth + 0.5 * half), 1.6)
    ax.axis("off")
    return ax


def alike_groups(ranks: Sequence[float] | npt.NDArray[np.float64], distance: float) -> list[tuple[float, float]]:
    """The largest groups of neighbours among sorted ranks that are less than a distance apart, each by its ends.

    >>> alike_groups([1.0, 1.5, 3.0], 1.6)
    [(1.0, 1.5), (1.5, 3.0)]
    """
    groups: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(k for k in range(first, len(ranks)) if ranks[k] - ranks[first] < distance or k == first)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return [(float(ranks[first]), float(ranks[last])) for first, last in groups]


def dendrogram(found: Any, *, orientation: str = "left", ax: Any = None, **options: Any) -> Any:
    """How classes were joined, nearest first, as scipy draws it.

    Parameters
    ----------
    found : TaxonomyLearner, dict, str or array
        A fitted learner with a dendrogram, the content of the file that ``clade learn-taxonomy --dendrogram`` writes,
        or a linkage matrix of scipy.
    orientation : {"left", "right", "top", "bottom"}
        Where the root is.
    ax : matplotlib.axes.Axes, optional
    **options
        For ``scipy.cluster.hierarchy.dendrogram``.

    Returns
    -------
    matplotlib.axes.Axes
    """
    from scipy.cluster import hierarchy

    document = getattr(found, "dendrogram_", found)
    if isinstance(document, str):
        document = json.loads(document)
    if isinstance(document, Mapping):
        merges = document["merges"]
        linkage = np.array([[*merge["parts"], merge["distance"], merge["size"]] for merge in merges], dtype=np.float64)
        options.setdefault("labels", [_plain(entry["name"]) for entry in document["classes"]])
    elif document is None:
        raise ValueError("no dendrogram; expected a method that joins classes, such as agglomerative")
    else:
        linkage = np.asarray(document, dtype=np.float64)
    if linkage.ndim != 2 or linkage.shape[1] != 4:
        raise _core.InputError("no merges of classes; expected two classes at least")
    size = _limited(0.22 * (len(linkage) + 1) + 1)
    is_across = orientation in ("left", "right")
    ax = _axes(ax, 6.4 if is_across else size, size if is_across else 4.8)
    hierarchy.dendrogram(linkage, orientation=orientation, ax=ax, **options)
    ax.set_xlabel("distance") if is_across else ax.set_ylabel("distance")
    return ax
