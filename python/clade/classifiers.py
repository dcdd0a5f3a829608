"""The classifiers of Clade as estimators of scikit-learn.

Written by `python3 -m clade.generate` from the table of methods: change that, not this.
"""

from __future__ import annotations

from typing import Any, ClassVar

from clade._estimator import HierarchicalClassifier
from clade._variants import ChosenClassifier, OnlineClassifier, TriedClassifier

__all__ = [
    "AutoClassifier",
    "BlendClassifier",
    "DefaultClassifier",
    "DncSVM",
    "FlatPerceptron",
    "FlatSVM",
    "Forest",
    "HierarchicalPerceptron",
    "HierarchicalSVM",
    "Hieron",
    "KernelRidgeClassifier",
    "PathSVM",
    "PriorClassifier",
    "TopDownLogisticClassifier",
    "TopDownSVM",
]


class TopDownSVM(HierarchicalClassifier):
    """A linear SVM at every node over its children.

    The method `top-down-svm` of Clade. Formulas, costs and advice: docs/methods/top-down-svm.md. Source: Cai and
    Hofmann 2004; Zhao et al. 2019.

    Parameters
    ----------
    multiclass : {'one-vs-rest', 'one-vs-one', 'crammer-singer'}, default='one-vs-rest'
        How the children of a node are told apart.
    c : float (above 0), default=1.0
        Weight of the training errors against the size of the weights.
    loss : {'hinge', 'squared-hinge'}, default='hinge'
        Loss of a training error (one-vs-rest).
    bias : float (at least 0), default=1.0
        Value of a constant feature; 0: none (one-vs-one has a free bias).
    tolerance : float (above 0), default=0.1
        How closely the optimality conditions must be met.
    iterations : int (at least 1), default=1000
        Largest number of passes over a node's samples.
    class_weight : {'none', 'balanced'}, dict or None, default='none'
        balanced: all children of a node count the same; a dict gives the samples of a label a weight.
    scale : {'auto', 'none', 'standard', 'unit'}, default='auto'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if dense
        but mostly 0.
    calibrate : {'none', 'sigmoid', 'isotonic', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    label_tree : int (at least 0), default=5000
        Number of children from which on a node looks for them in a tree of groups (not with `calibrate` or one-vs-one);
        0: never.
    label_group : int (2 to 256), default=200
        Children in a last group of a label tree at most.
    label_branches : int (2 to 128), default=8
        Groups in a larger group of a label tree at most.
    label_beam : int (at least 1), default=10
        Groups that a search keeps at every level of a label tree.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import TopDownSVM
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> TopDownSVM().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "top-down-svm"
    _own: ClassVar[tuple[str, ...]] = (
        "multiclass",
        "c",
        "loss",
        "bias",
        "tolerance",
        "iterations",
        "class_weight",
        "scale",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
        "label_tree",
        "label_group",
        "label_branches",
        "label_beam",
    )

    def __init__(
        self,
        *,
        multiclass: str = "one-vs-rest",
        c: float = 1.0,
        loss: str = "hinge",
        bias: float = 1.0,
        tolerance: float = 0.1,
        iterations: int = 1000,
        class_weight: Any = "none",
        scale: str = "auto",
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        label_tree: int = 5000,
        label_group: int = 200,
        label_branches: int = 8,
        label_beam: int = 10,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.multiclass = multiclass
        self.c = c
        self.loss = loss
        self.bias = bias
        self.tolerance = tolerance
        self.iterations = iterations
        self.class_weight = class_weight
        self.scale = scale
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.label_tree = label_tree
        self.label_group = label_group
        self.label_branches = label_branches
        self.label_beam = label_beam
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class TopDownLogisticClassifier(HierarchicalClassifier):
    """Multinomial logistic regression at every node; probabilities.

    The method `top-down-logistic` of Clade. Formulas, costs and advice: docs/methods/top-down-logistic.md. Source: Cai
    and Hofmann 2004.

    Parameters
    ----------
    c : float or None (above 0), default=None
        Weight of the training errors against the size of the weights; None: 10 over the mean squared length of samples.
    tolerance : float (above 0), default=0.001
        Stop when the largest entry of the gradient has fallen to this share of its start.
    iterations : int (at least 1), default=200
        Largest number of steps.
    class_weight : {'none', 'balanced'}, dict or None, default='none'
        balanced: all children of a node count the same; a dict gives the samples of a label a weight.
    scale : {'auto', 'none', 'standard', 'unit'}, default='auto'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if dense
        but mostly 0.
    calibrate : {'none', 'sigmoid', 'isotonic', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    label_tree : int (at least 0), default=5000
        Number of children from which on a node looks for them in a tree of groups (not with `calibrate` or one-vs-one);
        0: never.
    label_group : int (2 to 256), default=200
        Children in a last group of a label tree at most.
    label_branches : int (2 to 128), default=8
        Groups in a larger group of a label tree at most.
    label_beam : int (at least 1), default=10
        Groups that a search keeps at every level of a label tree.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import TopDownLogisticClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> TopDownLogisticClassifier().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "top-down-logistic"
    _own: ClassVar[tuple[str, ...]] = (
        "c",
        "tolerance",
        "iterations",
        "class_weight",
        "scale",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
        "label_tree",
        "label_group",
        "label_branches",
        "label_beam",
    )

    def __init__(
        self,
        *,
        c: float | None = None,
        tolerance: float = 0.001,
        iterations: int = 200,
        class_weight: Any = "none",
        scale: str = "auto",
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        label_tree: int = 5000,
        label_group: int = 200,
        label_branches: int = 8,
        label_beam: int = 10,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.c = c
        self.tolerance = tolerance
        self.iterations = iterations
        self.class_weight = class_weight
        self.scale = scale
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.label_tree = label_tree
        self.label_group = label_group
        self.label_branches = label_branches
        self.label_beam = label_beam
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class PathSVM(HierarchicalClassifier):
    """A linear SVM for every node against all samples; whole paths are scored.

    The method `path-svm` of Clade. Formulas, costs and advice: docs/methods/path-svm.md. Source: Clade; Hsieh et al.
    2008.

    Parameters
    ----------
    c : float or None (above 0), default=None
        Weight of the training errors against the size of the weights; None: 1, or what leaving out each sample
        recommends where Newton steps are taken.
    loss : {'hinge', 'squared-hinge'}, default='squared-hinge'
        Loss of a training error.
    bias : float (at least 0), default=1.0
        Value of a constant feature; 0: none.
    tolerance : float (above 0), default=0.1
        How closely the optimality conditions must be met.
    iterations : int (at least 1), default=1000
        Largest number of passes over the samples.
    scale : {'auto', 'none', 'standard', 'unit'}, default='auto'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if dense
        but mostly 0, or the better one where c is chosen.
    size_power : float or None (-2 to 2), default=None
        Decisions of a node are multiplied by this power of its number of samples; None: learnt together with the
        weights of the levels.
    calibrate : {'none', 'auto', 'sigmoid', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data; auto: sigmoid if samples have several
        labels, else temperature.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import PathSVM
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> PathSVM().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "path-svm"
    _own: ClassVar[tuple[str, ...]] = (
        "c",
        "loss",
        "bias",
        "tolerance",
        "iterations",
        "scale",
        "size_power",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
    )

    def __init__(
        self,
        *,
        c: float | None = None,
        loss: str = "squared-hinge",
        bias: float = 1.0,
        tolerance: float = 0.1,
        iterations: int = 1000,
        scale: str = "auto",
        size_power: float | None = None,
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.c = c
        self.loss = loss
        self.bias = bias
        self.tolerance = tolerance
        self.iterations = iterations
        self.scale = scale
        self.size_power = size_power
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class DncSVM(HierarchicalClassifier):
    """One SVM over all children of every node; ranks them for samples of several labels.

    The method `dnc-svm` of Clade. Formulas, costs and advice: docs/methods/dnc-svm.md. Source: Cai 2008; Koller and
    Sahami 1997.

    Parameters
    ----------
    c : float (above 0), default=1.0
        Weight of the training errors against the size of the weights.
    tolerance : float (above 0), default=0.1
        How closely the optimality conditions must be met.
    iterations : int (at least 1), default=1000
        Largest number of passes over a node's samples.
    bias : float (at least 0), default=0.0
        Value of a constant feature; 0: none.
    class_weight : {'none', 'balanced'}, dict or None, default='none'
        balanced: all children of a node count the same; a dict gives the samples of a label a weight.
    scale : {'auto', 'none', 'standard', 'unit'}, default='unit'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if dense
        but mostly 0.
    calibrate : {'none', 'sigmoid', 'isotonic', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    label_tree : int (at least 0), default=5000
        Number of children from which on a node looks for them in a tree of groups (not with `calibrate` or one-vs-one);
        0: never.
    label_group : int (2 to 256), default=200
        Children in a last group of a label tree at most.
    label_branches : int (2 to 128), default=8
        Groups in a larger group of a label tree at most.
    label_beam : int (at least 1), default=10
        Groups that a search keeps at every level of a label tree.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import DncSVM
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> DncSVM().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "dnc-svm"
    _own: ClassVar[tuple[str, ...]] = (
        "c",
        "tolerance",
        "iterations",
        "bias",
        "class_weight",
        "scale",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
        "label_tree",
        "label_group",
        "label_branches",
        "label_beam",
    )

    def __init__(
        self,
        *,
        c: float = 1.0,
        tolerance: float = 0.1,
        iterations: int = 1000,
        bias: float = 0.0,
        class_weight: Any = "none",
        scale: str = "unit",
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        label_tree: int = 5000,
        label_group: int = 200,
        label_branches: int = 8,
        label_beam: int = 10,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.c = c
        self.tolerance = tolerance
        self.iterations = iterations
        self.bias = bias
        self.class_weight = class_weight
        self.scale = scale
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.label_tree = label_tree
        self.label_group = label_group
        self.label_branches = label_branches
        self.label_beam = label_beam
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class HierarchicalSVM(HierarchicalClassifier):
    """One SVM over all classes: they share the weights of their ancestors, near misses cost less.

    The method `hierarchical-svm` of Clade. Formulas, costs and advice: docs/methods/hierarchical-svm.md. Source: Cai
    and Hofmann 2004; Cai 2008.

    Parameters
    ----------
    c : float (above 0), default=1.0
        Weight of the training errors against the size of the weights.
    c_grid : str, default=''
        Values of `c` to choose from by cross-validation, such as 0.1,0.3,1,3.
    c_folds : int (2 to 100), default=3
        Number of folds for `c_grid`.
    tolerance : float (above 0), default=0.1
        How closely the optimality conditions must be met.
    iterations : int (at least 1), default=1000
        Largest number of passes over the samples.
    schedule : {'fast', 'published'}, default='fast'
        fast: passes over the samples; published: one pair at a time, always the most violating one (slow).
    attributes : {'path', 'path-normalised', 'flat'}, default='path'
        What classes share; path: their ancestors; path-normalised: the same, each class scaled to length 1; flat:
        nothing.
    class_attributes : str, default=''
        File with attributes of every class, used instead of `attributes`: class,attribute,attribute,...
    class_similarity : str, default=''
        File with similarities of all pairs of classes, used instead of `attributes`: class,class,...
    loss : {'tree', 'tree-normalised', 'zero-one', 'weighted'}, default='tree'
        Cost of taking one class for another; tree: half the nodes that their paths do not share; weighted: by
        `node_volumes`.
    loss_matrix : str, default=''
        File with the loss of all pairs of classes, used instead of `loss`: class,class,...
    node_volumes : str, default=''
        File with the volume of every node for `loss` weighted: node,volume.
    missed_cost : float (at least 0), default=1.0
        Cost of a node that is missed, with `loss` weighted.
    extra_cost : float (at least 0), default=1.0
        Cost of a node that is wrongly predicted, with `loss` weighted.
    scale : {'auto', 'none', 'standard', 'unit'}, default='unit'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if sparse
        or mostly 0.
    bias : float (at least 0), default=0.0
        Value of a constant feature; 0: none.
    classes : {'all', 'seen'}, default='all'
        Classes to rank: all leaves of the hierarchy, or only those with training samples.
    learn_threshold : {'auto', 'yes', 'no'}, default='auto'
        Learn the score above which a class is a label; auto: if samples have several labels.
    calibrate : {'none', 'auto', 'sigmoid', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data; auto: sigmoid if samples have several
        labels, else temperature.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    kernel : {'linear', 'polynomial', 'rbf', 'exponential', 'subsequence', 'precomputed'}, default='linear'
        Similarity of two samples; subsequence: of sequences alone.
    degree : int (1 to 100), default=3
        Polynomial kernel: the power.
    gamma : float or None (above 0), default=None
        Polynomial, rbf and exponential kernels: the scale; None: 1 / (features x variance of all values), exponential:
        its square root.
    coef0 : float (at least 0), default=1.0
        Polynomial kernel: what is added before the power is taken.
    subsequence_length : int (1 to 1000), default=4
        Subsequence kernel: symbols of a subsequence.
    decay : float (above 0 to 1), default=0.5
        Subsequence kernel: factor for every symbol that a subsequence leaps over.
    kernel_cache : int (1 to 1048576), default=256
        Megabytes for kernel values that are kept.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import HierarchicalSVM
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> HierarchicalSVM().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "hierarchical-svm"
    _own: ClassVar[tuple[str, ...]] = (
        "c",
        "c_grid",
        "c_folds",
        "tolerance",
        "iterations",
        "schedule",
        "attributes",
        "class_attributes",
        "class_similarity",
        "loss",
        "loss_matrix",
        "node_volumes",
        "missed_cost",
        "extra_cost",
        "scale",
        "bias",
        "classes",
        "learn_threshold",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
        "kernel",
        "degree",
        "gamma",
        "coef0",
        "subsequence_length",
        "decay",
        "kernel_cache",
    )

    def __init__(
        self,
        *,
        c: float = 1.0,
        c_grid: str = "",
        c_folds: int = 3,
        tolerance: float = 0.1,
        iterations: int = 1000,
        schedule: str = "fast",
        attributes: str = "path",
        class_attributes: str = "",
        class_similarity: str = "",
        loss: str = "tree",
        loss_matrix: str = "",
        node_volumes: str = "",
        missed_cost: float = 1.0,
        extra_cost: float = 1.0,
        scale: str = "unit",
        bias: float = 0.0,
        classes: str = "all",
        learn_threshold: str = "auto",
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        kernel: str = "linear",
        degree: int = 3,
        gamma: float | None = None,
        coef0: float = 1.0,
        subsequence_length: int = 4,
        decay: float = 0.5,
        kernel_cache: int = 256,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.c = c
        self.c_grid = c_grid
        self.c_folds = c_folds
        self.tolerance = tolerance
        self.iterations = iterations
        self.schedule = schedule
        self.attributes = attributes
        self.class_attributes = class_attributes
        self.class_similarity = class_similarity
        self.loss = loss
        self.loss_matrix = loss_matrix
        self.node_volumes = node_volumes
        self.missed_cost = missed_cost
        self.extra_cost = extra_cost
        self.scale = scale
        self.bias = bias
        self.classes = classes
        self.learn_threshold = learn_threshold
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.subsequence_length = subsequence_length
        self.decay = decay
        self.kernel_cache = kernel_cache
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class FlatSVM(HierarchicalClassifier):
    """One SVM over all classes, without the hierarchy.

    The method `flat-svm` of Clade. Formulas, costs and advice: docs/methods/flat-svm.md. Source: Crammer and Singer
    2001; Elisseeff and Weston 2001.

    Parameters
    ----------
    c : float (above 0), default=1.0
        Weight of the training errors against the size of the weights.
    c_grid : str, default=''
        Values of `c` to choose from by cross-validation, such as 0.1,0.3,1,3.
    c_folds : int (2 to 100), default=3
        Number of folds for `c_grid`.
    tolerance : float (above 0), default=0.1
        How closely the optimality conditions must be met.
    iterations : int (at least 1), default=1000
        Largest number of passes over the samples.
    schedule : {'fast', 'published'}, default='fast'
        fast: passes over the samples; published: one pair at a time, always the most violating one (slow).
    scale : {'auto', 'none', 'standard', 'unit'}, default='unit'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if sparse
        or mostly 0.
    bias : float (at least 0), default=0.0
        Value of a constant feature; 0: none.
    classes : {'all', 'seen'}, default='all'
        Classes to rank: all leaves of the hierarchy, or only those with training samples.
    learn_threshold : {'auto', 'yes', 'no'}, default='auto'
        Learn the score above which a class is a label; auto: if samples have several labels.
    calibrate : {'none', 'auto', 'sigmoid', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data; auto: sigmoid if samples have several
        labels, else temperature.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    kernel : {'linear', 'polynomial', 'rbf', 'exponential', 'subsequence', 'precomputed'}, default='linear'
        Similarity of two samples; subsequence: of sequences alone.
    degree : int (1 to 100), default=3
        Polynomial kernel: the power.
    gamma : float or None (above 0), default=None
        Polynomial, rbf and exponential kernels: the scale; None: 1 / (features x variance of all values), exponential:
        its square root.
    coef0 : float (at least 0), default=1.0
        Polynomial kernel: what is added before the power is taken.
    subsequence_length : int (1 to 1000), default=4
        Subsequence kernel: symbols of a subsequence.
    decay : float (above 0 to 1), default=0.5
        Subsequence kernel: factor for every symbol that a subsequence leaps over.
    kernel_cache : int (1 to 1048576), default=256
        Megabytes for kernel values that are kept.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import FlatSVM
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> FlatSVM().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "flat-svm"
    _own: ClassVar[tuple[str, ...]] = (
        "c",
        "c_grid",
        "c_folds",
        "tolerance",
        "iterations",
        "schedule",
        "scale",
        "bias",
        "classes",
        "learn_threshold",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
        "kernel",
        "degree",
        "gamma",
        "coef0",
        "subsequence_length",
        "decay",
        "kernel_cache",
    )

    def __init__(
        self,
        *,
        c: float = 1.0,
        c_grid: str = "",
        c_folds: int = 3,
        tolerance: float = 0.1,
        iterations: int = 1000,
        schedule: str = "fast",
        scale: str = "unit",
        bias: float = 0.0,
        classes: str = "all",
        learn_threshold: str = "auto",
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        kernel: str = "linear",
        degree: int = 3,
        gamma: float | None = None,
        coef0: float = 1.0,
        subsequence_length: int = 4,
        decay: float = 0.5,
        kernel_cache: int = 256,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.c = c
        self.c_grid = c_grid
        self.c_folds = c_folds
        self.tolerance = tolerance
        self.iterations = iterations
        self.schedule = schedule
        self.scale = scale
        self.bias = bias
        self.classes = classes
        self.learn_threshold = learn_threshold
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.subsequence_length = subsequence_length
        self.decay = decay
        self.kernel_cache = kernel_cache
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class HierarchicalPerceptron(OnlineClassifier):
    """A perceptron over all classes, which share the weights of their ancestors.

    The method `hierarchical-perceptron` of Clade. Formulas, costs and advice: docs/methods/hierarchical-perceptron.md.
    Source: Cai and Hofmann 2007; Cai 2008.

    Parameters
    ----------
    variant : {'online', 'averaged', 'minover'}, default='averaged'
        online: the last weights; averaged: the mean of all weights; minover: always update the worst sample.
    epochs : int (at least 1), default=20
        Largest number of passes over the samples.
    attributes : {'path', 'path-normalised', 'flat'}, default='path'
        What classes share; path: their ancestors; path-normalised: the same, each class scaled to length 1; flat:
        nothing.
    class_attributes : str, default=''
        File with attributes of every class, used instead of `attributes`: class,attribute,attribute,...
    class_similarity : str, default=''
        File with similarities of all pairs of classes, used instead of `attributes`: class,class,...
    loss : {'tree', 'tree-normalised', 'zero-one', 'weighted'}, default='tree'
        Cost of taking one class for another; tree: half the nodes that their paths do not share; weighted: by
        `node_volumes`.
    loss_matrix : str, default=''
        File with the loss of all pairs of classes, used instead of `loss`: class,class,...
    node_volumes : str, default=''
        File with the volume of every node for `loss` weighted: node,volume.
    missed_cost : float (at least 0), default=1.0
        Cost of a node that is missed, with `loss` weighted.
    extra_cost : float (at least 0), default=1.0
        Cost of a node that is wrongly predicted, with `loss` weighted.
    scale : {'auto', 'none', 'standard', 'unit'}, default='auto'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if sparse
        or mostly 0.
    bias : float (at least 0), default=0.0
        Value of a constant feature; 0: none.
    classes : {'all', 'seen'}, default='all'
        Classes to rank: all leaves of the hierarchy, or only those with training samples.
    learn_threshold : {'auto', 'yes', 'no'}, default='auto'
        Learn the score above which a class is a label; auto: if samples have several labels.
    calibrate : {'none', 'auto', 'sigmoid', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data; auto: sigmoid if samples have several
        labels, else temperature.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    kernel : {'linear', 'polynomial', 'rbf', 'exponential', 'subsequence', 'precomputed'}, default='linear'
        Similarity of two samples; subsequence: of sequences alone.
    degree : int (1 to 100), default=3
        Polynomial kernel: the power.
    gamma : float or None (above 0), default=None
        Polynomial, rbf and exponential kernels: the scale; None: 1 / (features x variance of all values), exponential:
        its square root.
    coef0 : float (at least 0), default=1.0
        Polynomial kernel: what is added before the power is taken.
    subsequence_length : int (1 to 1000), default=4
        Subsequence kernel: symbols of a subsequence.
    decay : float (above 0 to 1), default=0.5
        Subsequence kernel: factor for every symbol that a subsequence leaps over.
    kernel_cache : int (1 to 1048576), default=256
        Megabytes for kernel values that are kept.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import HierarchicalPerceptron
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> HierarchicalPerceptron().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "hierarchical-perceptron"
    _own: ClassVar[tuple[str, ...]] = (
        "variant",
        "epochs",
        "attributes",
        "class_attributes",
        "class_similarity",
        "loss",
        "loss_matrix",
        "node_volumes",
        "missed_cost",
        "extra_cost",
        "scale",
        "bias",
        "classes",
        "learn_threshold",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
        "kernel",
        "degree",
        "gamma",
        "coef0",
        "subsequence_length",
        "decay",
        "kernel_cache",
    )

    def __init__(
        self,
        *,
        variant: str = "averaged",
        epochs: int = 20,
        attributes: str = "path",
        class_attributes: str = "",
        class_similarity: str = "",
        loss: str = "tree",
        loss_matrix: str = "",
        node_volumes: str = "",
        missed_cost: float = 1.0,
        extra_cost: float = 1.0,
        scale: str = "auto",
        bias: float = 0.0,
        classes: str = "all",
        learn_threshold: str = "auto",
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        kernel: str = "linear",
        degree: int = 3,
        gamma: float | None = None,
        coef0: float = 1.0,
        subsequence_length: int = 4,
        decay: float = 0.5,
        kernel_cache: int = 256,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.epochs = epochs
        self.attributes = attributes
        self.class_attributes = class_attributes
        self.class_similarity = class_similarity
        self.loss = loss
        self.loss_matrix = loss_matrix
        self.node_volumes = node_volumes
        self.missed_cost = missed_cost
        self.extra_cost = extra_cost
        self.scale = scale
        self.bias = bias
        self.classes = classes
        self.learn_threshold = learn_threshold
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.subsequence_length = subsequence_length
        self.decay = decay
        self.kernel_cache = kernel_cache
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class FlatPerceptron(OnlineClassifier):
    """A perceptron over all classes, without the hierarchy.

    The method `flat-perceptron` of Clade. Formulas, costs and advice: docs/methods/flat-perceptron.md. Source: Crammer
    and Singer 2003.

    Parameters
    ----------
    variant : {'online', 'averaged', 'minover'}, default='averaged'
        online: the last weights; averaged: the mean of all weights; minover: always update the worst sample.
    epochs : int (at least 1), default=20
        Largest number of passes over the samples.
    scale : {'auto', 'none', 'standard', 'unit'}, default='auto'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if sparse
        or mostly 0.
    bias : float (at least 0), default=0.0
        Value of a constant feature; 0: none.
    classes : {'all', 'seen'}, default='all'
        Classes to rank: all leaves of the hierarchy, or only those with training samples.
    learn_threshold : {'auto', 'yes', 'no'}, default='auto'
        Learn the score above which a class is a label; auto: if samples have several labels.
    calibrate : {'none', 'auto', 'sigmoid', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data; auto: sigmoid if samples have several
        labels, else temperature.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    kernel : {'linear', 'polynomial', 'rbf', 'exponential', 'subsequence', 'precomputed'}, default='linear'
        Similarity of two samples; subsequence: of sequences alone.
    degree : int (1 to 100), default=3
        Polynomial kernel: the power.
    gamma : float or None (above 0), default=None
        Polynomial, rbf and exponential kernels: the scale; None: 1 / (features x variance of all values), exponential:
        its square root.
    coef0 : float (at least 0), default=1.0
        Polynomial kernel: what is added before the power is taken.
    subsequence_length : int (1 to 1000), default=4
        Subsequence kernel: symbols of a subsequence.
    decay : float (above 0 to 1), default=0.5
        Subsequence kernel: factor for every symbol that a subsequence leaps over.
    kernel_cache : int (1 to 1048576), default=256
        Megabytes for kernel values that are kept.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import FlatPerceptron
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> FlatPerceptron().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "flat-perceptron"
    _own: ClassVar[tuple[str, ...]] = (
        "variant",
        "epochs",
        "scale",
        "bias",
        "classes",
        "learn_threshold",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
        "kernel",
        "degree",
        "gamma",
        "coef0",
        "subsequence_length",
        "decay",
        "kernel_cache",
    )

    def __init__(
        self,
        *,
        variant: str = "averaged",
        epochs: int = 20,
        scale: str = "auto",
        bias: float = 0.0,
        classes: str = "all",
        learn_threshold: str = "auto",
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        kernel: str = "linear",
        degree: int = 3,
        gamma: float | None = None,
        coef0: float = 1.0,
        subsequence_length: int = 4,
        decay: float = 0.5,
        kernel_cache: int = 256,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.epochs = epochs
        self.scale = scale
        self.bias = bias
        self.classes = classes
        self.learn_threshold = learn_threshold
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.subsequence_length = subsequence_length
        self.decay = decay
        self.kernel_cache = kernel_cache
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class Hieron(OnlineClassifier):
    """An online learner over the hierarchy with steps of the right length.

    The method `hieron` of Clade. Formulas, costs and advice: docs/methods/hieron.md. Source: Dekel et al. 2004; Cai
    2008.

    Parameters
    ----------
    variant : {'online', 'averaged'}, default='averaged'
        online: the last weights; averaged: the mean of all weights.
    epochs : int (at least 1), default=20
        Largest number of passes over the samples.
    flat : bool, default=False
        Hieron without the hierarchy: classes share nothing, and all mistakes cost the same.
    scale : {'auto', 'none', 'standard', 'unit'}, default='auto'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if sparse
        or mostly 0.
    bias : float (at least 0), default=0.0
        Value of a constant feature; 0: none.
    classes : {'all', 'seen'}, default='all'
        Classes to rank: all leaves of the hierarchy, or only those with training samples.
    learn_threshold : {'auto', 'yes', 'no'}, default='auto'
        Learn the score above which a class is a label; auto: if samples have several labels.
    calibrate : {'none', 'auto', 'sigmoid', 'temperature'}, default='none'
        Turn scores into probabilities, by cross-validation on the training data; auto: sigmoid if samples have several
        labels, else temperature.
    calibration_folds : int (2 to 100), default=5
        Number of folds for `calibrate`.
    prune : float or None (0 to 0.9), default=None
        Share of a weight vector's squared length that may be dropped to save space; None: 0 for dense data; for sparse
        data 0.15 (path-svm 0.03; flat-svm, hierarchical-svm and online learners 0).
    weights : {'float', 'double'}, default='float'
        Number type in which weights are stored.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import Hieron
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> Hieron().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "hieron"
    _own: ClassVar[tuple[str, ...]] = (
        "variant",
        "epochs",
        "flat",
        "scale",
        "bias",
        "classes",
        "learn_threshold",
        "calibrate",
        "calibration_folds",
        "prune",
        "weights",
    )

    def __init__(
        self,
        *,
        variant: str = "averaged",
        epochs: int = 20,
        flat: bool = False,
        scale: str = "auto",
        bias: float = 0.0,
        classes: str = "all",
        learn_threshold: str = "auto",
        calibrate: str = "none",
        calibration_folds: int = 5,
        prune: float | None = None,
        weights: str = "float",
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.epochs = epochs
        self.flat = flat
        self.scale = scale
        self.bias = bias
        self.classes = classes
        self.learn_threshold = learn_threshold
        self.calibrate = calibrate
        self.calibration_folds = calibration_folds
        self.prune = prune
        self.weights = weights
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class KernelRidgeClassifier(HierarchicalClassifier):
    """Kernel ridge regression of all nodes together; scores at every node.

    The method `kernel-ridge` of Clade. Formulas, costs and advice: docs/methods/kernel-ridge.md. Source: Clade;
    Saunders et al. 1998; Williams and Seeger 2001.

    Parameters
    ----------
    kernel : {'auto', 'exponential', 'rbf'}, default='auto'
        Similarity of two samples; exponential: exp(-width d / median d); rbf: exp(-width d^2 / median d^2); auto:
        chosen by leave-one-out.
    width : float or None (above 0), default=None
        How fast similarity falls with distance; None: chosen by leave-one-out.
    penalty : float or None (above 0), default=None
        Added to the diagonal of the kernel; None: chosen by leave-one-out.
    objective : {'auto', 'au-prc', 'f1'}, default='auto'
        What leave-one-out scores are judged by; au-prc: the area under the pooled precision-recall curve; f1:
        hierarchical F1 of the labels; auto: au-prc if samples have several labels, else f1.
    scale : {'auto', 'none', 'standard', 'unit'}, default='auto'
        standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard or none by leave-one-out,
        unit if sparse.
    search_samples : int (at least 0), default=0
        Random samples on which these are chosen, if there are more; 0: 1500, by f1 3000, which varies more.
    landmarks : int (at least 0), default=0
        Random samples that others are compared with, by Nystroem's method, if there are more; 0: all samples, or what
        `memory` has room for, at most 3000; where each process has some of the samples, 3000.
    memory : str, default=''
        Largest amount of memory, such as 4G (by default four fifths of the machine's).
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import KernelRidgeClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> KernelRidgeClassifier().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "kernel-ridge"
    _own: ClassVar[tuple[str, ...]] = (
        "kernel",
        "width",
        "penalty",
        "objective",
        "scale",
        "search_samples",
        "landmarks",
        "memory",
    )

    def __init__(
        self,
        *,
        kernel: str = "auto",
        width: float | None = None,
        penalty: float | None = None,
        objective: str = "auto",
        scale: str = "auto",
        search_samples: int = 0,
        landmarks: int = 0,
        memory: str = "",
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.width = width
        self.penalty = penalty
        self.objective = objective
        self.scale = scale
        self.search_samples = search_samples
        self.landmarks = landmarks
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class Forest(HierarchicalClassifier):
    """An ensemble of trees that split by the labels of all nodes; takes missing values.

    The method `forest` of Clade. Formulas, costs and advice: docs/methods/forest.md. Source: Vens et al. 2008; Geurts
    et al. 2006; Blockeel et al. 1998.

    Parameters
    ----------
    trees : int (1 to 1048576), default=100
        Number of trees.
    ensemble : {'extra-trees', 'bagging'}, default='extra-trees'
        extra-trees: random thresholds; bagging: the best thresholds, on bootstrap samples.
    split_features : float or None (0 to 1), default=None
        Share of the features that a split tries; None: a third (extra-trees) or the square root of their number.
    min_leaf : int (at least 1), default=5
        Fewest samples in a leaf.
    depth_weight : float (0 to 1), default=0.75
        Weight of a node, relative to its parents, in the choice of splits.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import Forest
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> Forest().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "forest"
    _own: ClassVar[tuple[str, ...]] = (
        "trees",
        "ensemble",
        "split_features",
        "min_leaf",
        "depth_weight",
    )

    def __init__(
        self,
        *,
        trees: int = 100,
        ensemble: str = "extra-trees",
        split_features: float | None = None,
        min_leaf: int = 5,
        depth_weight: float = 0.75,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.trees = trees
        self.ensemble = ensemble
        self.split_features = split_features
        self.min_leaf = min_leaf
        self.depth_weight = depth_weight
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class BlendClassifier(HierarchicalClassifier):
    """Kernel ridge regression and a forest together; the best scores at every node.

    The method `blend` of Clade. Formulas, costs and advice: docs/methods/blend.md.

    Parameters
    ----------
    trees : int (1 to 1048576), default=300
        Number of trees of the forest.
    share : float or None (0 to 1), default=None
        Weight of the forest; None: chosen by scores of samples held out.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import BlendClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> BlendClassifier().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = "blend"
    _own: ClassVar[tuple[str, ...]] = (
        "trees",
        "share",
    )

    def __init__(
        self,
        *,
        trees: int = 300,
        share: float | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.trees = trees
        self.share = share
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class PriorClassifier(HierarchicalClassifier):
    """How often each node occurs, without a look at the features: a baseline.

    The method `prior` of Clade. Formulas, costs and advice: docs/methods/prior.md.

    Parameters
    ----------
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "prior"
    _own: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class DefaultClassifier(ChosenClassifier):
    """The classifier that suits the kind of the data, as Clade takes it when none is named.

    Parameters
    ----------
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import DefaultClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> DefaultClassifier().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = ""
    _own: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state


class AutoClassifier(TriedClassifier):
    """Some classifiers are cross-validated on the data, and the best by hierarchical F1 is taken.

    Parameters
    ----------
    budget : float, default=60.0
        Seconds; no more classifiers are tried then.
    folds : int, default=3
        Folds of the cross-validation.
    most_samples : int, default=3000
        A stratified part of larger data is used.
    taxonomy : Taxonomy, edges, paths, graph or file name, default=None
        The hierarchy of the labels. None: labels that are paths, or rows of levels, make it; others are flat.
    label_layout : {'auto', 'names', 'sets', 'levels', 'indicator'}, default='auto'
        How `y` is laid out: a label per sample, sets of labels, rows of levels, or a column of 0 and 1 per class. The
        columns of an indicator are named by a frame, in any order; those of an array are the classes 0, 1, 2, ...,
        which needs `taxonomy` None. 'auto': lists of lists are sets; sparse matrices, arrays of 0 and 1 with several
        columns, and frames of 0 and 1 whose columns are classes are indicators; other arrays and frames with two
        dimensions have levels.
    path_separator : str or None, default=None
        Between the parts of labels that are paths. None: recognised; '': labels are no paths.
    select : str, selector or None, default=None
        Features are first selected on the training samples with this method: its name, or a selector of Clade.
    select_parameters : dict or None, default=None
        Parameters of `select` where it is a name.
    features : FeatureRanking, str or None, default=None
        A ranking, or the name of its file, whose features are used at each node.
    top : int, float, str or None, default=None
        Features of the ranking to use at each node: a number, or a share such as '10%' or 0.1. None: all.
    missing : {None, 'error', 'keep', 'mean', 'zero', 'drop-sample'}, default=None
        What to do with missing values (NaN). None: kept where the classifier takes them, otherwise an error.
    decide : {'auto', 'own', 'one', 'level', 'node'}, default='auto'
        Several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples,
        one for all nodes, per level or per node; auto: what does best on held-out samples.
    decide_for : {'hierarchical-f1', 'sample-f1', 'label-f1', 'recall'}, default='hierarchical-f1'
        What thresholds are chosen for; recall: the largest with a hierarchical precision of `least_precision`.
    least_precision : float (0 to 1), default=0.8
        Of `decide_for` recall.
    decide_folds : int (0 to 100), default=0
        Parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000
        samples on.
    conformal : str or None, default=None
        Calibrate for `predict_covering`: 'cross:5' or 'split:20%'.
    conformal_by_class : bool, default=False
        With `conformal`: the coverage holds for every class.
    policy : {'auto', 'greedy', 'best'}, default='auto'
        greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities.
    confidence : float (0 to 1), default=0.0
        Answer with the deepest node on the path that has at least this probability.
    align_features : bool, default=False
        Find the model's features in the data by name.
    top_k : int (at least 0), default=0
        Labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives.
    label_set : {'auto', 'threshold', 'top-1', 'top-k'}, default='auto'
        Labels of a joint model: those above its learnt threshold, the best one, or the `top_k` best; auto: `top_k` if
        given, else by the threshold if there is one, else the best.
    threshold : float (0 to 1), default=0.0
        Give all labels with at least this probability, and the best (models for several labels); 0: the model decides.
    beam : int (at least 0), default=0
        Nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as
        many groups as the model says.
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    classes_ : ndarray
        The labels that can be predicted, sorted.
    taxonomy_ : Taxonomy
        The hierarchy of the labels.
    model_ : Model
        What was learnt; a model as the command line writes it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.

    Examples
    --------
    >>> from clade import AutoClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["a/x", "a/y", "b/x", "b/y"] * 10
    >>> AutoClassifier().fit(X, y).predict([[1, 1]])
    array(['b/y'], dtype='<U3')
    """

    _method: ClassVar[str] = ""
    _own: ClassVar[tuple[str, ...]] = (
        "budget",
        "folds",
        "most_samples",
    )

    def __init__(
        self,
        *,
        budget: float = 60.0,
        folds: int = 3,
        most_samples: int = 3000,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        select: Any = None,
        select_parameters: dict[str, Any] | None = None,
        features: Any = None,
        top: int | float | str | None = None,
        missing: str | None = None,
        decide: str = "auto",
        decide_for: str = "hierarchical-f1",
        least_precision: float = 0.8,
        decide_folds: int = 0,
        conformal: str | None = None,
        conformal_by_class: bool = False,
        policy: str = "auto",
        confidence: float = 0.0,
        align_features: bool = False,
        top_k: int = 0,
        label_set: str = "auto",
        threshold: float = 0.0,
        beam: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.budget = budget
        self.folds = folds
        self.most_samples = most_samples
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.select = select
        self.select_parameters = select_parameters
        self.features = features
        self.top = top
        self.missing = missing
        self.decide = decide
        self.decide_for = decide_for
        self.least_precision = least_precision
        self.decide_folds = decide_folds
        self.conformal = conformal
        self.conformal_by_class = conformal_by_class
        self.policy = policy
        self.confidence = confidence
        self.align_features = align_features
        self.top_k = top_k
        self.label_set = label_set
        self.threshold = threshold
        self.beam = beam
        self.n_jobs = n_jobs
        self.random_state = random_state
