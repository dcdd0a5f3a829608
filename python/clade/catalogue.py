"""What there is to choose from: methods and measures with their parameters, and formats of files."""

from __future__ import annotations

import json
from typing import Any

from clade import _core

__all__ = ["formats", "methods"]


def methods() -> dict[str, list[dict[str, Any]]]:
    """Every method with its parameters, their defaults, ranges and choices: what `clade methods --json` prints.

    >>> sorted(methods())
    ['classifiers', 'feature_trees', 'metrics', 'selectors', 'taxonomy_learners']
    >>> [method["name"] for method in methods()["taxonomy_learners"]]
    ['agglomerative', 'kmeans', 'wordnet']
    """
    found: dict[str, list[dict[str, Any]]] = json.loads(_core.methods())
    return found


def formats() -> dict[str, list[dict[str, Any]]]:
    """The formats of data and of taxonomies, with the endings of their files: what `clade formats --json` prints.

    >>> "obo" in [form["name"] for form in formats()["taxonomies"]]
    True
    """
    found: dict[str, list[dict[str, Any]]] = json.loads(_core.formats())
    return found
