"""Models as values that can be pickled."""

from __future__ import annotations

import os
import tempfile

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
