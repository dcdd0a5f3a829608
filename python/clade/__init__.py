"""Learning over class hierarchies: selection, classifiers, measures and comparisons, with scikit-learn's manners."""

from clade import _libraries as _libraries  # before anything that may calculate
from clade._core import Error, InputError, InternalError, SystemFailure, __version__
from clade._runtime import set_progress

__all__ = ["Error", "InputError", "InternalError", "SystemFailure", "__version__", "set_progress"]
