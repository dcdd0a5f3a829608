"""The libraries that the package brings along."""

from __future__ import annotations

import os

from clade import _core


def private_openblas() -> str | None:
    """The copy of OpenBLAS beside the module, if there is one.

    Without it, Clade would use the system's, of which it sets the threads and the kernel; NumPy may use the same.
    """
    path = os.path.join(os.path.dirname(_core.__file__), "libclade_openblas.so")
    return path if os.path.exists(path) else None


_openblas = private_openblas()
if _openblas is not None:
    _core.use_openblas(_openblas)  # loaded when it is first needed
