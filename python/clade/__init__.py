"""Learning over class hierarchies: selection, classifiers, measures and comparisons, with scikit-learn's manners."""

from clade._core import Error, InputError, InternalError, SystemFailure, __version__
from clade import metrics
from clade._runtime import set_progress
from clade.evaluation import Evaluation, evaluate
from clade.taxonomy import Taxonomy

__all__ = [
    "Error",
    "Evaluation",
    "InputError",
    "InternalError",
    "SystemFailure",
    "Taxonomy",
    "__version__",
    "evaluate",
    "metrics",
    "set_progress",
]
