"""Models and taxonomies as values that can be pickled."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from clade import _core


def model_bytes(model: _core.Model) -> bytes:
    """The bytes of the model's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.clade")
        model.write(path, False)
        with open(path, "rb") as file:
            return file.read()


def model_from_bytes(content: bytes) -> _core.Model:
    with tempfile.TemporaryDirectory() as folder:  # the model keeps the file in its memory map when the name is gone
        path = os.path.join(folder, "model.clade")
        with open(path, "wb") as file:
            file.write(content)
        return _core.read_model(path)


def taxonomy_state(taxonomy: _core.Taxonomy) -> tuple[list[str], list[tuple[int, int]], bool]:
    """The names of the nodes by number, and edges of numbers."""
    edges = [(int(parent), int(child)) for parent, child in taxonomy.edges()]
    return taxonomy.names(), edges, bool(taxonomy.has_virtual_root)


def taxonomy_from_state(state: Any) -> _core.Taxonomy:
    names, edges, has_virtual_root = state
    if has_virtual_root:
        real = names[1:]
        pairs = [(names[parent], names[child]) for parent, child in edges if parent != 0]
        taxonomy = _core.Taxonomy.from_edges(real, pairs, True)
    else:
        taxonomy = _core.Taxonomy.from_edges(names, [(names[parent], names[child]) for parent, child in edges], False)
    if taxonomy.names() != names:
        raise _core.InternalError("a taxonomy changed on the way")
    return taxonomy
