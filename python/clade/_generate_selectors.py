"""The selectors, for clade.generate."""

from __future__ import annotations

import json
from dataclasses import replace

from clade import _core
from clade.generate import LABEL_ARGUMENTS, RUN_ARGUMENTS, Argument, Family, Method, arguments_of, camel_case

# Where the table of methods says what is different from the row above, or shares a page with others.
_SUMMARIES = {
    "hirr-par": "sparse regression, parent and child drawn together",
    "hirr-sib": "sparse regression, siblings driven apart",
    "hirr-fam": "sparse regression, parent and child drawn together, siblings driven apart",
    "eufs": "without labels: clusters and features",
    "rufs": "without labels: few features that predict clusters of neighbours, with losses that forgive outliers",
}
_PAGES = {
    "hirr-par": "hirr",
    "hirr-sib": "hirr",
    "hirr-fam": "hirr",
    "fs-base": "fs-mgkc",
    "fs-mc": "fs-mgkc",
    "fs-dr": "fs-mgkc",
    "hier-fisher": "fisher",
    "hier-fsnm": "fsnm",
    "hier-mrmr": "mrmr",
    "eufs": "hufs",
}

_FITTED = """
Attributes
----------
ranking_ : FeatureRanking
    The features of every node, best first; what `clade select` writes.
scores_ : ndarray of shape (n_features,)
    The weights at the root, or at `node`; NaN where `top` left a feature out.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of str
    Their names, if `X` had names of columns that are texts.
"""


def selector_name(name: str) -> str:
    """
    >>> selector_name("hirr-fam"), selector_name("fisher")
    ('HirrFamSelector', 'FisherSelector')
    """
    return camel_case(name) + "Selector"


def _of_a_tree(argument: Argument) -> Argument:
    """The feature hierarchy may be an object, too."""
    if argument.name != "feature_tree":
        return argument
    text = "The feature hierarchy: a file, a fitted FeatureTree, or one that is not, which is then made of `X`."
    return replace(argument, annotation="Any", default="None", kind="FeatureTree, str or None, default=None", help=text)


def _of_a_grid(argument: Argument) -> Argument:
    """Values to try may be a dict of lists, as everywhere in scikit-learn."""
    if argument.name != "grid":
        return argument
    text = "Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own."
    return replace(argument, annotation="Any", default="None", kind="dict, str or None, default=None", help=text)


def _selectors() -> list[Method]:
    methods = []
    for entry in json.loads(_core.selectors()):
        name = entry["name"]
        base = "UnsupervisedSelector" if entry["help"].startswith("without labels") else "HierarchicalSelector"
        arguments = tuple(_of_a_tree(argument) for argument in arguments_of(entry["parameters"]))
        summary = _SUMMARIES.get(name, entry["help"])
        page = _PAGES.get(name, name)
        methods.append(Method(selector_name(name), name, base, summary, entry["source"], page, arguments))
    return methods


def _common() -> list[Argument]:
    return [
        Argument(
            "top",
            "int | float | str | None",
            "None",
            "int, float, str or None, default=None",
            "Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the "
            "features of all nodes together, which may be more than `top`. None: all features; nothing is dropped.",
        ),
        Argument(
            "n_features_to_select",
            "int | float | str | None",
            "None",
            "int, float, str or None, default=None",
            "Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that "
            "are ranked.",
        ),
        Argument(
            "node",
            "str | None",
            "None",
            "str or None, default=None",
            "Keep the features of this node only. None: of all nodes together.",
        ),
        Argument(
            "nodes",
            "Any",
            "None",
            "sequence of str or None, default=None",
            "Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.",
        ),
        *(_of_a_grid(argument) for argument in arguments_of(json.loads(_core.options()["select"]))),
        Argument(
            "memory",
            "str | None",
            "None",
            "str or None, default=None",
            "Memory for the work, beside the data, such as '4G'. None: most of it.",
        ),
        *LABEL_ARGUMENTS,
        *RUN_ARGUMENTS,
    ]


SELECTORS = Family(
    module="selectors.py",
    title="The selectors of Clade as transformers of scikit-learn.",
    imports=("from clade._selector import HierarchicalSelector, UnsupervisedSelector",),
    methods=_selectors,
    common=_common,
    attributes=_FITTED,
)
