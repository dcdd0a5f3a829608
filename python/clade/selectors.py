"""The selectors of Clade as transformers of scikit-learn.

Written by `python3 -m clade.generate` from the table of methods: change that, not this.
"""

from __future__ import annotations

from typing import Any, ClassVar

from clade._selector import HierarchicalSelector, UnsupervisedSelector

__all__ = [
    "EufsSelector",
    "FisherSelector",
    "ForestSelector",
    "FsBaseSelector",
    "FsDrSelector",
    "FsMcSelector",
    "FsMgkcSelector",
    "FsnmSelector",
    "HfscnSelector",
    "HfsdkSelector",
    "HfsgrSelector",
    "HierFisherSelector",
    "HierFsSelector",
    "HierFsnmSelector",
    "HierMrmrSelector",
    "HirrFamSelector",
    "HirrParSelector",
    "HirrSibSelector",
    "HufsSelector",
    "KernelRidgeSelector",
    "LaplacianSelector",
    "LccshfsSelector",
    "McfsSelector",
    "MrmrSelector",
    "NdfsSelector",
    "RufsSelector",
]


class HierFsSelector(HierarchicalSelector):
    """Sparse regression at every node by itself.

    The method `hier-fs` of Clade. Formulas, costs and advice: docs/methods/hier-fs.md. Source: Zhao et al. 2019.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hier-fs"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HirrParSelector(HierarchicalSelector):
    """Sparse regression, parent and child drawn together.

    The method `hirr-par` of Clade. Formulas, costs and advice: docs/methods/hirr.md. Source: Zhao et al. 2019.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    alpha : float (at least 0), default=1.0
        Weight of the pull between parent and child.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hirr-par"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "alpha",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        alpha: float = 1.0,
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.alpha = alpha
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HirrSibSelector(HierarchicalSelector):
    """Sparse regression, siblings driven apart.

    The method `hirr-sib` of Clade. Formulas, costs and advice: docs/methods/hirr.md. Source: Zhao et al. 2019.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    beta : float (at least 0), default=1.0
        Weight of the push between siblings.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hirr-sib"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "beta",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        beta: float = 1.0,
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.beta = beta
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HirrFamSelector(HierarchicalSelector):
    """Sparse regression, parent and child drawn together, siblings driven apart.

    The method `hirr-fam` of Clade. Formulas, costs and advice: docs/methods/hirr.md. Source: Zhao et al. 2019.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    alpha : float (at least 0), default=1.0
        Weight of the pull between parent and child.
    beta : float (at least 0), default=1.0
        Weight of the push between siblings.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hirr-fam"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "alpha",
        "beta",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        alpha: float = 1.0,
        beta: float = 1.0,
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.alpha = alpha
        self.beta = beta
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class LccshfsSelector(HierarchicalSelector):
    """Nodes with unlike labels get unlike features.

    The method `lccshfs` of Clade. Formulas, costs and advice: docs/methods/lccshfs.md. Source: Lin et al. 2022.

    Parameters
    ----------
    lambda_ : float or None (above 0), default=None
        Weight of the group penalty; larger keeps fewer features.
    alpha : float or None (at least 0), default=None
        Weight of the push between nodes with unlike labels.
    similarity : {'samples', 'ancestors'}, default='samples'
        Compare nodes by their samples or by their ancestors.
    part : {'specific', 'common'}, default='specific'
        Rank by the weights of the node itself, or by those that it shares with its parents.
    output_common : bool, default=False
        Also list the features that a node shares with its parents.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "lccshfs"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "alpha",
        "similarity",
        "part",
        "output_common",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float | None = None,
        alpha: float | None = None,
        similarity: str = "samples",
        part: str = "specific",
        output_common: bool = False,
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.alpha = alpha
        self.similarity = similarity
        self.part = part
        self.output_common = output_common
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class FsMgkcSelector(HierarchicalSelector):
    """Links of the hierarchy in the fit, redundancy between features.

    The method `fs-mgkc` of Clade. Formulas, costs and advice: docs/methods/fs-mgkc.md. Source: Shi and Zhao 2023.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    alpha : float (at least 0), default=10.0
        Weight of the links of the hierarchy in the fit.
    beta : float (at least 0), default=1.0
        Weight of the redundancy between features.
    redundancy : {'auto', 'distances', 'psd'}, default='auto'
        The positive semidefinite form, or distances between features, which can make the system indefinite; auto: psd,
        with `as_published` distances.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "fs-mgkc"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "alpha",
        "beta",
        "redundancy",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        alpha: float = 10.0,
        beta: float = 1.0,
        redundancy: str = "auto",
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.alpha = alpha
        self.beta = beta
        self.redundancy = redundancy
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class FsBaseSelector(HierarchicalSelector):
    """Fs-mgkc without both parts.

    The method `fs-base` of Clade. Formulas, costs and advice: docs/methods/fs-mgkc.md. Source: Shi and Zhao 2023.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "fs-base"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class FsMcSelector(HierarchicalSelector):
    """Fs-mgkc with links only.

    The method `fs-mc` of Clade. Formulas, costs and advice: docs/methods/fs-mgkc.md. Source: Shi and Zhao 2023.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    alpha : float (at least 0), default=10.0
        Weight of the links of the hierarchy in the fit.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "fs-mc"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "alpha",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        alpha: float = 10.0,
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.alpha = alpha
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class FsDrSelector(HierarchicalSelector):
    """Fs-mgkc with redundancy only.

    The method `fs-dr` of Clade. Formulas, costs and advice: docs/methods/fs-mgkc.md. Source: Shi and Zhao 2023.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    beta : float (at least 0), default=1.0
        Weight of the redundancy between features.
    redundancy : {'auto', 'distances', 'psd'}, default='auto'
        The positive semidefinite form, or distances between features, which can make the system indefinite; auto: psd,
        with `as_published` distances.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "fs-dr"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "beta",
        "redundancy",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        beta: float = 1.0,
        redundancy: str = "auto",
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.beta = beta
        self.redundancy = redundancy
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HfscnSelector(HierarchicalSelector):
    """Hirr-par that leaves noisy samples out.

    The method `hfscn` of Clade. Formulas, costs and advice: docs/methods/hfscn.md. Source: Liu and Zhao 2021.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    alpha : float (at least 0), default=1.0
        Weight of the pull between parent and child.
    cap : float (0 to 0.99), default=0.1
        Share of the samples that is left out as noise.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hfscn"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "alpha",
        "cap",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        alpha: float = 1.0,
        cap: float = 0.1,
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.alpha = alpha
        self.cap = cap
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HfsdkSelector(HierarchicalSelector):
    """Capped loss with slack and intercept, children drawn to their mean.

    The method `hfsdk` of Clade. Formulas, costs and advice: docs/methods/hfsdk.md. Source: Liu et al. 2021.

    Parameters
    ----------
    lambda_ : float (above 0), default=10.0
        Weight of the group penalty; larger keeps fewer features.
    beta : float (at least 0), default=1.0
        Weight of the pull of a node towards the mean of its children.
    power : float (above 0), default=2.0
        Power of the residual norm in the loss.
    iterations : int (1 to 100000), default=40
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hfsdk"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "beta",
        "power",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 10.0,
        beta: float = 1.0,
        power: float = 2.0,
        iterations: int = 40,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.beta = beta
        self.power = power
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HfsgrSelector(HierarchicalSelector):
    """Every node drawn to its neighbours in the hierarchy.

    The method `hfsgr` of Clade. Formulas, costs and advice: docs/methods/hfsgr.md. Source: Tuo et al. 2019.

    Parameters
    ----------
    lambda_ : float (above 0), default=1.0
        Weight of the group penalty; larger keeps fewer features.
    beta : float (at least 0), default=1.0
        Weight of the pull between neighbours in the hierarchy.
    loss : {'squares', 'logistic'}, default='squares'
        How weights fit the children: squared errors, or logistic.
    iterations : int (1 to 100000), default=10
        Iterations of the solver.
    tolerance : float (at least 0), default=0.0
        Stop when the objective falls by less than this share; 0: never.
    start : {'ones', 'random'}, default='ones'
        Initial weights: all ones, or random (by `random_state`).
    as_published : bool, default=False
        Do as the published program does, including its mistakes.
    solver : {'irls', 'exact'}, default='irls'
        irls: only the iterations; exact: then continue to the minimum, with a certificate.
    gap : float (above 0), default=1e-06
        Relative duality gap at which the exact solver stops.
    path : int (0 to 10000), default=0
        Rank features by when they enter, over this many falling values of lambda; 0: one lambda.
    path_ratio : float (above 0, below 1), default=0.001
        Last lambda of the path relative to the first.
    select_lambda : {'given', 'cv'}, default='given'
        given: `lambda_`; cv: the value of the path with the smallest squared error in cross-validation.
    cv_folds : int (2 to 1000), default=5
        Number of folds for `select_lambda` cv.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hfsgr"
    _own: ClassVar[tuple[str, ...]] = (
        "lambda_",
        "beta",
        "loss",
        "iterations",
        "tolerance",
        "start",
        "as_published",
        "solver",
        "gap",
        "path",
        "path_ratio",
        "select_lambda",
        "cv_folds",
    )

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        beta: float = 1.0,
        loss: str = "squares",
        iterations: int = 10,
        tolerance: float = 0.0,
        start: str = "ones",
        as_published: bool = False,
        solver: str = "irls",
        gap: float = 1e-06,
        path: int = 0,
        path_ratio: float = 0.001,
        select_lambda: str = "given",
        cv_folds: int = 5,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.beta = beta
        self.loss = loss
        self.iterations = iterations
        self.tolerance = tolerance
        self.start = start
        self.as_published = as_published
        self.solver = solver
        self.gap = gap
        self.path = path
        self.path_ratio = path_ratio
        self.select_lambda = select_lambda
        self.cv_folds = cv_folds
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HierFisherSelector(HierarchicalSelector):
    """Ratio of between- to within-class scatter at every node.

    The method `hier-fisher` of Clade. Formulas, costs and advice: docs/methods/fisher.md. Source: Duda et al. 2001.

    Parameters
    ----------
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hier-fisher"
    _own: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HierFsnmSelector(HierarchicalSelector):
    """Robust sparse regression (l2,1 loss and penalty) at every node.

    The method `hier-fsnm` of Clade. Formulas, costs and advice: docs/methods/fsnm.md. Source: Nie et al. 2010.

    Parameters
    ----------
    gamma : float (above 0), default=1.0
        Weight of the row-sparsity penalty.
    iterations : int (at least 1), default=10
        Reweighted least-squares steps.
    as_published : bool, default=False
        Rank by the weights of the first child alone, as the published tables did.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hier-fsnm"
    _own: ClassVar[tuple[str, ...]] = (
        "gamma",
        "iterations",
        "as_published",
    )

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        iterations: int = 10,
        as_published: bool = False,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.iterations = iterations
        self.as_published = as_published
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HierMrmrSelector(HierarchicalSelector):
    """Relevance less redundancy, by mutual information, at every node.

    The method `hier-mrmr` of Clade. Formulas, costs and advice: docs/methods/mrmr.md. Source: Peng et al. 2005.

    Parameters
    ----------
    discretise : {'equal-frequency', 'round'}, default='equal-frequency'
        Put values into bins of equally many, or round them to the nearest integer.
    bins : int (2 to 256), default=10
        Number of bins for equal-frequency.
    criterion : {'mid', 'miq'}, default='mid'
        Relevance minus mean redundancy, or their quotient.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hier-mrmr"
    _own: ClassVar[tuple[str, ...]] = (
        "discretise",
        "bins",
        "criterion",
    )

    def __init__(
        self,
        *,
        discretise: str = "equal-frequency",
        bins: int = 10,
        criterion: str = "mid",
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.discretise = discretise
        self.bins = bins
        self.criterion = criterion
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class ForestSelector(HierarchicalSelector):
    """How much the splits of a forest tell the children of every node apart.

    The method `forest` of Clade. Formulas, costs and advice: docs/methods/forest.md.

    Parameters
    ----------
    trees : int (1 to 1048576), default=100
        Number of trees.
    split_features : float or None (0 to 1), default=None
        Share of the features that a split tries; None: a third.
    min_leaf : int (at least 1), default=5
        Fewest samples in a leaf.
    depth_weight : float (0 to 1), default=0.75
        Weight of a node, relative to its parents, in the choice of splits.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "forest"
    _own: ClassVar[tuple[str, ...]] = (
        "trees",
        "split_features",
        "min_leaf",
        "depth_weight",
    )

    def __init__(
        self,
        *,
        trees: int = 100,
        split_features: float | None = None,
        min_leaf: int = 5,
        depth_weight: float = 0.75,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.trees = trees
        self.split_features = split_features
        self.min_leaf = min_leaf
        self.depth_weight = depth_weight
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class KernelRidgeSelector(HierarchicalSelector):
    """How much the scores of kernel ridge regression at every node change with a feature.

    The method `kernel-ridge` of Clade. Formulas, costs and advice: docs/methods/kernel-ridge.md.

    Parameters
    ----------
    kernel : {'auto', 'exponential', 'rbf'}, default='auto'
        Similarity of two samples; exponential: exp(-width d / median d); rbf: exp(-width d^2 / median d^2); auto:
        chosen by leave-one-out.
    width : float (above 0), default=1.0
        How fast similarity falls with distance.
    penalty : float or None (above 0), default=None
        Added to the diagonal of the kernel; None: chosen by leave-one-out.
    samples : int (at least 2), default=3000
        Random samples to learn from, if there are more.
    points : int (at least 1), default=300
        Samples of a node at which gradients are taken, if it has more.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "kernel-ridge"
    _own: ClassVar[tuple[str, ...]] = (
        "kernel",
        "width",
        "penalty",
        "samples",
        "points",
    )

    def __init__(
        self,
        *,
        kernel: str = "auto",
        width: float = 1.0,
        penalty: float | None = None,
        samples: int = 3000,
        points: int = 300,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.width = width
        self.penalty = penalty
        self.samples = samples
        self.points = points
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class FisherSelector(HierarchicalSelector):
    """The Fisher score over the leaves, for the whole data set.

    The method `fisher` of Clade. Formulas, costs and advice: docs/methods/fisher.md. Source: Duda et al. 2001.

    Parameters
    ----------
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "fisher"
    _own: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class FsnmSelector(HierarchicalSelector):
    """Robust sparse regression over the leaves.

    The method `fsnm` of Clade. Formulas, costs and advice: docs/methods/fsnm.md. Source: Nie et al. 2010.

    Parameters
    ----------
    gamma : float (above 0), default=1.0
        Weight of the row-sparsity penalty.
    iterations : int (at least 1), default=10
        Reweighted least-squares steps.
    as_published : bool, default=False
        Rank by the weights of the first child alone, as the published tables did.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "fsnm"
    _own: ClassVar[tuple[str, ...]] = (
        "gamma",
        "iterations",
        "as_published",
    )

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        iterations: int = 10,
        as_published: bool = False,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.iterations = iterations
        self.as_published = as_published
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class MrmrSelector(HierarchicalSelector):
    """Relevance less redundancy over the leaves.

    The method `mrmr` of Clade. Formulas, costs and advice: docs/methods/mrmr.md. Source: Peng et al. 2005.

    Parameters
    ----------
    discretise : {'equal-frequency', 'round'}, default='equal-frequency'
        Put values into bins of equally many, or round them to the nearest integer.
    bins : int (2 to 256), default=10
        Number of bins for equal-frequency.
    criterion : {'mid', 'miq'}, default='mid'
        Relevance minus mean redundancy, or their quotient.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "mrmr"
    _own: ClassVar[tuple[str, ...]] = (
        "discretise",
        "bins",
        "criterion",
    )

    def __init__(
        self,
        *,
        discretise: str = "equal-frequency",
        bins: int = 10,
        criterion: str = "mid",
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.discretise = discretise
        self.bins = bins
        self.criterion = criterion
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class HufsSelector(UnsupervisedSelector):
    """Without labels: clusters and features, by groups of a feature hierarchy.

    The method `hufs` of Clade. Formulas, costs and advice: docs/methods/hufs.md. Source: Wang et al. 2017.

    Parameters
    ----------
    feature_tree : FeatureTree, str or None, default=None
        The feature hierarchy: a file, a fitted FeatureTree, or one that is not, which is then made of `X`.
    alpha : float (at least 0), default=0.01
        Weight of the groups of the feature hierarchy.
    clusters : int (at least 0), default=0
        Number of clusters to look for; 0: as many as there are classes, or 5 without labels.
    beta : float (at least 0), default=0.01
        Weight of the row-sparsity penalty.
    starts : int (at least 1), default=5
        K-means starts, of which the best is taken.
    iterations : int (at least 1), default=200
        Largest number of iterations.
    tolerance : float (at least 0), default=0.0001
        Stop when the relative residuals of the constraints are below this.
    mu : float (above 0), default=0.001
        Initial weight of the constraints.
    rho : float (at least 1), default=1.1
        Factor by which `mu` grows in every iteration.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "hufs"
    _own: ClassVar[tuple[str, ...]] = (
        "feature_tree",
        "alpha",
        "clusters",
        "beta",
        "starts",
        "iterations",
        "tolerance",
        "mu",
        "rho",
    )

    def __init__(
        self,
        *,
        feature_tree: Any = None,
        alpha: float = 0.01,
        clusters: int = 0,
        beta: float = 0.01,
        starts: int = 5,
        iterations: int = 200,
        tolerance: float = 0.0001,
        mu: float = 0.001,
        rho: float = 1.1,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_tree = feature_tree
        self.alpha = alpha
        self.clusters = clusters
        self.beta = beta
        self.starts = starts
        self.iterations = iterations
        self.tolerance = tolerance
        self.mu = mu
        self.rho = rho
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class EufsSelector(UnsupervisedSelector):
    """Without labels: clusters and features.

    The method `eufs` of Clade. Formulas, costs and advice: docs/methods/hufs.md. Source: Wang et al. 2015.

    Parameters
    ----------
    clusters : int (at least 0), default=0
        Number of clusters to look for; 0: as many as there are classes, or 5 without labels.
    beta : float (at least 0), default=0.01
        Weight of the row-sparsity penalty.
    starts : int (at least 1), default=5
        K-means starts, of which the best is taken.
    iterations : int (at least 1), default=200
        Largest number of iterations.
    tolerance : float (at least 0), default=0.0001
        Stop when the relative residuals of the constraints are below this.
    mu : float (above 0), default=0.001
        Initial weight of the constraints.
    rho : float (at least 1), default=1.1
        Factor by which `mu` grows in every iteration.
    nu : float (at least 0), default=0.0
        Weight of the neighbour graph.
    neighbours : int (at least 1), default=5
        Nearest samples that each sample is linked to.
    bandwidth : float or None (above 0), default=None
        T of the weights exp(-distance^2 / t); None: the mean squared distance to the neighbours.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "eufs"
    _own: ClassVar[tuple[str, ...]] = (
        "clusters",
        "beta",
        "starts",
        "iterations",
        "tolerance",
        "mu",
        "rho",
        "nu",
        "neighbours",
        "bandwidth",
    )

    def __init__(
        self,
        *,
        clusters: int = 0,
        beta: float = 0.01,
        starts: int = 5,
        iterations: int = 200,
        tolerance: float = 0.0001,
        mu: float = 0.001,
        rho: float = 1.1,
        nu: float = 0.0,
        neighbours: int = 5,
        bandwidth: float | None = None,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.clusters = clusters
        self.beta = beta
        self.starts = starts
        self.iterations = iterations
        self.tolerance = tolerance
        self.mu = mu
        self.rho = rho
        self.nu = nu
        self.neighbours = neighbours
        self.bandwidth = bandwidth
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class LaplacianSelector(UnsupervisedSelector):
    """Without labels: features in which neighbours agree.

    The method `laplacian` of Clade. Formulas, costs and advice: docs/methods/laplacian.md. Source: He et al. 2005.

    Parameters
    ----------
    neighbours : int (at least 1), default=5
        Nearest samples that each sample is linked to.
    bandwidth : float or None (above 0), default=None
        T of the weights exp(-distance^2 / t); None: the mean squared distance to the neighbours.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "laplacian"
    _own: ClassVar[tuple[str, ...]] = (
        "neighbours",
        "bandwidth",
    )

    def __init__(
        self,
        *,
        neighbours: int = 5,
        bandwidth: float | None = None,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.neighbours = neighbours
        self.bandwidth = bandwidth
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class McfsSelector(UnsupervisedSelector):
    """Without labels: few features that fit the smoothest functions of the samples.

    The method `mcfs` of Clade. Formulas, costs and advice: docs/methods/mcfs.md. Source: Cai et al. 2010; Efron et al.
    2004.

    Parameters
    ----------
    clusters : int (at least 0), default=0
        Number of clusters to look for; 0: as many as there are classes, or 5 without labels.
    nonzeros : int (at least 1), default=200
        Most features that each regression may use.
    neighbours : int (at least 1), default=5
        Nearest samples that each sample is linked to.
    bandwidth : float or None (above 0), default=None
        T of the weights exp(-distance^2 / t); None: the mean squared distance to the neighbours.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "mcfs"
    _own: ClassVar[tuple[str, ...]] = (
        "clusters",
        "nonzeros",
        "neighbours",
        "bandwidth",
    )

    def __init__(
        self,
        *,
        clusters: int = 0,
        nonzeros: int = 200,
        neighbours: int = 5,
        bandwidth: float | None = None,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.clusters = clusters
        self.nonzeros = nonzeros
        self.neighbours = neighbours
        self.bandwidth = bandwidth
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class NdfsSelector(UnsupervisedSelector):
    """Without labels: few features that predict clusters of neighbours.

    The method `ndfs` of Clade. Formulas, costs and advice: docs/methods/ndfs.md. Source: Li et al. 2012.

    Parameters
    ----------
    clusters : int (at least 0), default=0
        Number of clusters to look for; 0: as many as there are classes, or 5 without labels.
    alpha : float (above 0), default=1.0
        Weight of the regression.
    beta : float (above 0), default=1.0
        Weight of the row-sparsity penalty.
    gamma : float (above 0), default=100000000.0
        Weight of the orthogonality of the clusters.
    starts : int (at least 1), default=5
        K-means starts, of which the best is taken.
    iterations : int (at least 1), default=50
        Largest number of iterations.
    tolerance : float (at least 0), default=1e-06
        Stop when the objective changes by no more than this share.
    neighbours : int (at least 1), default=5
        Nearest samples that each sample is linked to.
    bandwidth : float or None (above 0), default=None
        T of the weights exp(-distance^2 / t); None: the mean squared distance to the neighbours.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "ndfs"
    _own: ClassVar[tuple[str, ...]] = (
        "clusters",
        "alpha",
        "beta",
        "gamma",
        "starts",
        "iterations",
        "tolerance",
        "neighbours",
        "bandwidth",
    )

    def __init__(
        self,
        *,
        clusters: int = 0,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 100000000.0,
        starts: int = 5,
        iterations: int = 50,
        tolerance: float = 1e-06,
        neighbours: int = 5,
        bandwidth: float | None = None,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.clusters = clusters
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.starts = starts
        self.iterations = iterations
        self.tolerance = tolerance
        self.neighbours = neighbours
        self.bandwidth = bandwidth
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state


class RufsSelector(UnsupervisedSelector):
    """Without labels: few features that predict clusters of neighbours, with losses that forgive outliers.

    The method `rufs` of Clade. Formulas, costs and advice: docs/methods/rufs.md. Source: Qian and Zhai 2013.

    Parameters
    ----------
    clusters : int (at least 0), default=0
        Number of clusters to look for; 0: as many as there are classes, or 5 without labels.
    alpha : float (above 0), default=1.0
        Weight of the regression.
    beta : float (above 0), default=1.0
        Weight of the row-sparsity penalty.
    nu : float (at least 0), default=1.0
        Weight of the neighbour graph.
    gamma : float (at least 0), default=1000.0
        Weight of the orthogonality of the clusters.
    starts : int (at least 1), default=5
        K-means starts, of which the best is taken.
    iterations : int (at least 1), default=50
        Largest number of iterations.
    tolerance : float (at least 0), default=1e-06
        Stop when the objective changes by no more than this share.
    neighbours : int (at least 1), default=5
        Nearest samples that each sample is linked to.
    bandwidth : float or None (above 0), default=None
        T of the weights exp(-distance^2 / t); None: the mean squared distance to the neighbours.
    top : int, float, str or None, default=None
        Features to rank at each node: a number, or a share such as '10%' or 0.1. `transform` keeps the features of all
        nodes together, which may be more than `top`. None: all features; nothing is dropped.
    n_features_to_select : int, float, str or None, default=None
        Features to keep in all, a number or a share: those that come first at any of the nodes. None: all that are
        ranked.
    node : str or None, default=None
        Keep the features of this node only. None: of all nodes together.
    nodes : sequence of str or None, default=None
        Rank at these inner nodes only. None: at all; methods for the whole data set take no nodes.
    scale : {'auto', 'none', 'standard', 'minmax', 'unit'}, default='auto'
        Scale features (standard, minmax) or samples (unit) first; auto: by the data for selectors without labels, else
        none.
    bias : bool, default=False
        Add a feature that is always 1; it is not ranked.
    allow_zero_weights : bool, default=False
        Accept a ranking whose weights are all 0.
    tune : {'none', 'auto', 'stability', 'reconstruction'}, default='none'
        Choose the parameters of a selector without labels: features that subsamples agree on (stability), or that tell
        the values of the others (reconstruction); auto: the better one, as measured.
    grid : dict, str or None, default=None
        Values for `tune` to try: {'alpha': [0.01, 1]}, or 'alpha=0.01,1 beta=1,100'. None: the method's own.
    memory : str or None, default=None
        Memory for the work, beside the data, such as '4G'. None: most of it.
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
    n_jobs : int or None, default=None
        Threads; None or -1: one per core. It never changes a result.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None: that of the command line, 1, so that results repeat.

    Attributes
    ----------
    ranking_ : FeatureRanking
        The features of every node, best first; what `clade select` writes.
    scores_ : ndarray of shape (n_features,)
        The weights at the root, or at `node`; NaN where `top` left a feature out.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had names of columns that are texts.
    """

    _method: ClassVar[str] = "rufs"
    _own: ClassVar[tuple[str, ...]] = (
        "clusters",
        "alpha",
        "beta",
        "nu",
        "gamma",
        "starts",
        "iterations",
        "tolerance",
        "neighbours",
        "bandwidth",
    )

    def __init__(
        self,
        *,
        clusters: int = 0,
        alpha: float = 1.0,
        beta: float = 1.0,
        nu: float = 1.0,
        gamma: float = 1000.0,
        starts: int = 5,
        iterations: int = 50,
        tolerance: float = 1e-06,
        neighbours: int = 5,
        bandwidth: float | None = None,
        top: int | float | str | None = None,
        n_features_to_select: int | float | str | None = None,
        node: str | None = None,
        nodes: Any = None,
        scale: str = "auto",
        bias: bool = False,
        allow_zero_weights: bool = False,
        tune: str = "none",
        grid: Any = None,
        memory: str | None = None,
        taxonomy: Any = None,
        label_layout: str = "auto",
        path_separator: str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.clusters = clusters
        self.alpha = alpha
        self.beta = beta
        self.nu = nu
        self.gamma = gamma
        self.starts = starts
        self.iterations = iterations
        self.tolerance = tolerance
        self.neighbours = neighbours
        self.bandwidth = bandwidth
        self.top = top
        self.n_features_to_select = n_features_to_select
        self.node = node
        self.nodes = nodes
        self.scale = scale
        self.bias = bias
        self.allow_zero_weights = allow_zero_weights
        self.tune = tune
        self.grid = grid
        self.memory = memory
        self.taxonomy = taxonomy
        self.label_layout = label_layout
        self.path_separator = path_separator
        self.n_jobs = n_jobs
        self.random_state = random_state
