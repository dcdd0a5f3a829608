"""Learning over class hierarchies: selection, classifiers, measures and comparisons, with scikit-learn's manners."""

from clade._core import Error, InputError, InternalError, SystemFailure, __version__
from clade import metrics, statistics
from clade._runtime import set_progress
from clade.classifiers import (
    AutoClassifier,
    BlendClassifier,
    DefaultClassifier,
    DncSVM,
    FlatPerceptron,
    FlatSVM,
    Forest,
    HierarchicalPerceptron,
    HierarchicalSVM,
    Hieron,
    KernelRidgeClassifier,
    PathSVM,
    PriorClassifier,
    TopDownLogisticClassifier,
    TopDownSVM,
)
from clade.diagnose import Diagnosis, diagnose
from clade.evaluation import Evaluation, evaluate
from clade.experiment import Estimate, Experiment, estimate_experiment, run_experiment
from clade.progress import progress_bar
from clade.statistics import Comparison, compare
from clade.taxonomy import Taxonomy

__all__ = [
    "AutoClassifier",
    "BlendClassifier",
    "Comparison",
    "DefaultClassifier",
    "Diagnosis",
    "DncSVM",
    "Error",
    "Estimate",
    "Evaluation",
    "Experiment",
    "FlatPerceptron",
    "FlatSVM",
    "Forest",
    "HierarchicalPerceptron",
    "HierarchicalSVM",
    "Hieron",
    "InputError",
    "InternalError",
    "KernelRidgeClassifier",
    "PathSVM",
    "PriorClassifier",
    "SystemFailure",
    "Taxonomy",
    "TopDownLogisticClassifier",
    "TopDownSVM",
    "__version__",
    "compare",
    "diagnose",
    "estimate_experiment",
    "evaluate",
    "metrics",
    "progress_bar",
    "run_experiment",
    "set_progress",
    "statistics",
]
