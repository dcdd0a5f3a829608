"""Learning over class hierarchies: selection, classifiers, measures and comparisons, with scikit-learn's manners."""

from clade._core import Error, InputError, InternalError, SystemFailure, __version__
from clade import html, metrics, plots, statistics
from clade._runtime import set_progress
from clade.diagnose import Diagnosis, diagnose
from clade.evaluation import Evaluation, evaluate
from clade.experiment import Estimate, Experiment, estimate_experiment, run_experiment
from clade.progress import progress_bar
from clade.statistics import Comparison, compare
from clade.taxonomy import Taxonomy

__all__ = [
    "Comparison",
    "Diagnosis",
    "Error",
    "Estimate",
    "Evaluation",
    "Experiment",
    "InputError",
    "InternalError",
    "SystemFailure",
    "Taxonomy",
    "__version__",
    "compare",
    "diagnose",
    "estimate_experiment",
    "evaluate",
    "html",
    "metrics",
    "plots",
    "progress_bar",
    "run_experiment",
    "set_progress",
    "statistics",
]
