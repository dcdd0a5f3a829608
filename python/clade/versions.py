"""What this copy of Clade is and works with, for reports of problems."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from typing import Any

from clade import _core

__all__ = ["show_versions", "versions"]

# Those that it depends on, and those that it uses where they are installed.
_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "matplotlib", "networkx")


def versions() -> dict[str, Any]:
    """What `clade --version --json` prints of the library in the package, and the versions of Python and of packages.

    >>> versions()["clade"]["version"] == _core.__version__
    True
    """
    found: dict[str, str | None] = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return {
        "clade": json.loads(_core.build_json()),
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": found,
    }


def show_versions() -> None:
    """Prints `versions()`, to be copied into a report of a problem."""
    found = versions()
    own = found["clade"]
    blas = own["blas"]
    print(f"clade {own['version']}")
    print(f"  commit: {own['commit']}")
    print(f"  BLAS: {blas['problem'] or ', kernel '.join(filter(None, (blas['name'], blas['kernel'])))}")
    print(f"  threads: {own['threads']}")
    print(f"  compiler: {own['compiler']}")
    print(f"  processor: {', '.join([own['processor'], *own['instructions']])}")
    print(f"python {found['python']} on {found['system']}")
    for name, version in found["packages"].items():
        print(f"  {name}: {version or 'not installed'}")
