"""Files for what Python has as a value: most exist for a moment, because the library reads and writes files."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from typing import Iterator

from clade import _core

_MEMORY = "/dev/shm"
_ROOM = 2**30  # containers often have 64 MiB there, which a table may not fit into


def _place() -> str | None:
    """Where files are in memory, if there is room; None is the folder of the system."""
    return _MEMORY if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM else None


@contextlib.contextmanager
def scratch_file(name: str) -> Iterator[str]:
    """The path of a file that does not exist yet, and is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="clade-", dir=_place()) as folder:
        yield os.path.join(folder, name)


def write_text(text: str, path: str | os.PathLike[str], overwrite: bool) -> None:
    """Writes a file that stays; one that exists is only replaced with `overwrite`."""
    target = os.fspath(path)
    if os.path.exists(target) and not overwrite:
        raise _core.InputError(f"{target}: exists already; expected a new name, or overwrite=True")
    with open(target, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def model_bytes(model: _core.Model) -> bytes:
    """The bytes of the model's file."""
    with scratch_file("model.clade") as path:
        model.write(path, False)
        with open(path, "rb") as file:
            return file.read()


def model_from_bytes(content: bytes) -> _core.Model:
    with scratch_file("model.clade") as path:  # the model keeps the file in its memory map when the name is gone
        with open(path, "wb") as file:
            file.write(content)
        try:
            return _core.read_model(path)
        except _core.InputError as error:
            raise _core.InputError(str(error).replace(path, "the bytes of a model")) from None
