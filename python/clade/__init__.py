"""Learning over class hierarchies: selection, classifiers, measures and comparisons, with scikit-learn's manners."""

from clade._core import Error, InputError, InternalError, SystemFailure, __version__
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
from clade.taxonomy import Taxonomy

__all__ = [
    "AutoClassifier",
    "BlendClassifier",
    "DefaultClassifier",
    "DncSVM",
    "Error",
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
    "set_progress",
]
