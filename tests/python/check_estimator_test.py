"""Every classifier passes the checks of scikit-learn."""

import re
import warnings
from unittest import SkipTest

import pytest
from sklearn.utils.estimator_checks import check_estimator

import clade.classifiers
import clade.hiclass

SMALL = {"BlendClassifier": {"trees": 10}, "Forest": {"trees": 10}, "AutoClassifier": {"budget": 0.001, "most_samples": 30}}
SAMPLE_WEIGHTS = "check_sample_weights_invariance"  # shuffles, and the order of samples matters to some
IMPOSSIBLE = {
    "DncSVM": {"check_class_weight_classifiers"},  # it has no constant feature
    "PriorClassifier": {"check_classifiers_classes"},  # it always predicts the same
    **{
        name: {SAMPLE_WEIGHTS}
        for name in "FlatPerceptron FlatSVM HierarchicalPerceptron HierarchicalSVM Hieron PathSVM TopDownSVM".split()
    },
}


LOCAL = [name for name in clade.hiclass.__all__ if name.endswith(("Classifier", "Node", "Level"))]


@pytest.mark.parametrize("name", clade.classifiers.__all__ + LOCAL)
def test_checks_of_scikit_learn(name):
    if name in LOCAL:
        estimator = getattr(clade.hiclass, name)()
    else:
        estimator = getattr(clade.classifiers, name)(n_jobs=1, **SMALL.get(name, {}))
    skipped = set()
    count = 0
    for instance, check in check_estimator(estimator, generate_only=True):
        count += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                check(instance)
            except SkipTest as skip:
                skipped.add(re.search(r"check_\w+", str(skip))[0])
    assert count > 40
    assert skipped == IMPOSSIBLE.get(name, set())


def test_with_other_parameters():
    """Calibrated classifiers have probabilities, and the checks of probabilities hold for them."""
    for estimator in (
        clade.PathSVM(calibrate="temperature", n_jobs=1),
        clade.HierarchicalSVM(calibrate="temperature", n_jobs=1),
        clade.TopDownSVM(multiclass="one-vs-one", n_jobs=1),
    ):
        for instance, check in check_estimator(estimator, generate_only=True):
            if check.func.__name__ in ("check_classifiers_train", "check_decision_proba_consistency"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(instance)
