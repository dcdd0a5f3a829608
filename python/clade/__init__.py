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
from clade.data import Dataset, read_data, read_taxonomy, synthetic_data, synthetic_text
from clade.diagnose import Diagnosis, diagnose
from clade.evaluation import Evaluation, evaluate
from clade.experiment import Estimate, Experiment, estimate_experiment, run_experiment
from clade.model import Model, read_model
from clade.pipeline import HierarchicalPipeline
from clade.predictions import Explanation, Explanations, Predictions
from clade.statistics import Comparison, compare
from clade.taxonomy import Taxonomy
from clade.training import cross_validate, read_ranking, select, train

__all__ = [
    "AutoClassifier",
    "BlendClassifier",
    "Comparison",
    "Dataset",
    "DefaultClassifier",
    "Diagnosis",
    "DncSVM",
    "Error",
    "Estimate",
    "Evaluation",
    "Experiment",
    "Explanation",
    "Explanations",
    "FlatPerceptron",
    "FlatSVM",
    "Forest",
    "HierarchicalPerceptron",
    "HierarchicalPipeline",
    "HierarchicalSVM",
    "Hieron",
    "InputError",
    "InternalError",
    "KernelRidgeClassifier",
    "Model",
    "PathSVM",
    "Predictions",
    "PriorClassifier",
    "SystemFailure",
    "Taxonomy",
    "TopDownLogisticClassifier",
    "TopDownSVM",
    "__version__",
    "compare",
    "cross_validate",
    "diagnose",
    "estimate_experiment",
    "evaluate",
    "metrics",
    "read_data",
    "read_model",
    "read_ranking",
    "read_taxonomy",
    "run_experiment",
    "select",
    "set_progress",
    "statistics",
    "synthetic_data",
    "synthetic_text",
    "train",
]
