"""What there is to choose from: methods and measures with their parameters, and formats of files."""

from __future__ import annotations

import json
from typing import Any

from clade import _core

__all__ = ["cite", "formats", "methods"]


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


def cite(*names: str, style: str = "text") -> str:
    """The publications behind methods, measures and tests: what `clade methods --cite` prints; without names, all.

    Parameters
    ----------
    *names : str
        Such as "hier-fs", "au_prc" or "nemenyi".
    style : str, default="text"
        "text" or "bibtex".

    >>> print(cite("prior", "nmi", style="bibtex").splitlines()[0])
    @article{strehl2002,
    """
    if style not in ("text", "bibtex"):
        raise ValueError(f"style={style!r}; expected 'text' or 'bibtex'")
    found: str = _core.citations(list(names), style)
    return found
