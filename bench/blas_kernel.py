"""Import this before NumPy. Older releases of OpenBLAS choose a slow kernel on processors newer than they are; Clade repairs
that for itself, and what it is compared with must get the same."""

import os
from pathlib import Path

_flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
for _flag, _kernel in (("avx512f", "SKYLAKEX"), ("avx2", "HASWELL")):
    if _flag in _flags:
        os.environ.setdefault("OPENBLAS_CORETYPE", _kernel)
        break
