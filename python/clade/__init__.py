"""Learning over class hierarchies: selection, classifiers, measures and comparisons, with scikit-learn's manners."""

from clade._core import Error, InputError, InternalError, SystemFailure, __version__
from clade._runtime import set_progress
from clade.taxonomy import Taxonomy

__all__ = [
    "Error",
    "InputError",
    "InternalError",
    "SystemFailure",
    "Taxonomy",
    "__version__",
    "set_progress",
]
