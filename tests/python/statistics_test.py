"""Comparisons of methods, and the tests behind them, beside scipy, by enumeration, and as the command line has them."""

import itertools

import matplotlib
import numpy as np
import pandas
import pytest
import scipy.stats
from clade_tool import run, run_json

import clade
from clade import InputError, compare, plots, statistics

# Table 5 of the paper on recursive regularization, as docs/compare.md has it.
PUBLISHED = pandas.DataFrame(
    {
        "HierFisher": [0.6758, 0.7741, 0.6576, 0.7859, 0.8324, 0.9580],
        "HierFSNM": [0.6462, 0.8524, 0.6739, np.nan, np.nan, 0.9563],
        "HierMRMR": [0.7000, 0.8468, 0.6669, 0.7879, 0.8348, 0.9581],
        "Hier-FS": [0.7089, 0.8584, 0.6754, 0.7885, 0.8400, 0.9591],
        "HiRRfam-FS": [0.7117, 0.8606, 0.6758, 0.7880, 0.8411, 0.9588],
    },
    index=["F194", "DD", "VOC", "Cifar100", "SUN", "ILSVRC65"],
)


def table(seed, rows=9, columns=4, decimals=None):
    values = np.random.RandomState(seed).rand(rows, columns) + np.arange(columns) * 0.1
    return values if decimals is None else values.round(decimals)


def test_a_published_table():
    found = compare(PUBLISHED, "hierarchical_f1", incomplete="worst", alpha=0.1)
    assert found.methods.average_rank.round(2).to_dict() == {
        "HiRRfam-FS": 1.33,
        "Hier-FS": 1.67,
        "HierMRMR": 3.33,
        "HierFisher": 4.33,
        "HierFSNM": 4.33,
    }
    assert found.methods.index[0] == found.control == "HiRRfam-FS"
    assert round(found.iman_davenport["f"], 3) == 23.125
    assert round(found.critical_distance["bonferroni_dunn"], 3) == 2.046
    assert found.ranks.loc["Cifar100"].tolist() == [4, 5, 3, 1, 2]
    assert set(found.against_control[found.against_control.significant].method) == {"HierFisher", "HierFSNM"}
    assert "HierFSNM" in found.text and found.diagram.startswith("<svg") and "<svg" in found._repr_html_()
    with pytest.raises(InputError, match="HierFSNM"):
        compare(PUBLISHED, "hierarchical_f1")


def test_all_forms_of_results_are_compared_alike(tmp_path):
    values = table(1)
    methods = ["a", "b", "c", "d"]
    wide = pandas.DataFrame(values, columns=methods)
    wide.insert(0, "dataset", [f"d{k}" for k in range(9)])
    wide.to_csv(tmp_path / "wide.csv", index=False)
    expected = run_json("compare", tmp_path / "wide.csv", "--metric", "accuracy", "--control", "b")
    long = wide.melt("dataset", var_name="method", value_name="accuracy")
    # Two folds whose mean is the value.
    folds = pandas.concat([long.assign(accuracy=long.accuracy + offset) for offset in (-0.125, 0.125)])
    by_dataset = {method: dict(zip(wide.dataset, wide[method])) for method in methods}
    forms = [wide, wide.set_index("dataset"), str(tmp_path / "wide.csv"), tmp_path / "wide.csv", long, by_dataset]
    for form in forms:
        assert compare(form, "accuracy", control="b").report == expected
    averaged = compare(folds, "accuracy", control="b").report
    assert averaged["friedman"] == expected["friedman"]
    assert [m["mean"] for m in averaged["methods"]] == pytest.approx([m["mean"] for m in expected["methods"]])
    assert "averaged 2 rows for each method on each data set" in averaged["notes"]
    unnamed = {"datasets": [str(k) for k in range(1, 10)], "notes": expected["notes"]}
    for form in ({method: wide[method].tolist() for method in methods}, wide[methods].rename(index=lambda k: k + 1)):
        assert compare(form, "accuracy", control="b").report == {**expected, **unnamed}
    assert compare(values, "accuracy", methods=methods, control="b").report == {**expected, **unnamed}
    text = run("compare", tmp_path / "wide.csv", "--metric", "accuracy", "--control", "b").stdout
    assert compare(wide, "accuracy", control="b").text.split("\n", 1)[1] == text.split("\n", 1)[1]


def test_the_diagram_is_that_of_the_command_line(tmp_path):
    PUBLISHED.to_csv(tmp_path / "t.csv", index_label="dataset")
    options = ["--metric", "f1", "--incomplete", "drop-data", "--post-hoc", "bonferroni-dunn"]
    run("compare", tmp_path / "t.csv", *options, "--diagram", tmp_path / "expected.svg")
    found = compare(tmp_path / "t.csv", "f1", incomplete="drop-data", post_hoc="bonferroni-dunn")
    found.write_diagram(tmp_path / "found.svg")
    assert (tmp_path / "found.svg").read_text() == (tmp_path / "expected.svg").read_text()


@pytest.mark.parametrize("decimals", [None, 1], ids=["no ties", "ties"])
def test_friedman_and_ranks_are_those_of_scipy(decimals):
    values = table(2, decimals=decimals)
    found = statistics.friedman(values)
    expected = scipy.stats.friedmanchisquare(*values.T)
    assert found.chi2_tie_corrected == pytest.approx(expected.statistic)
    assert found.p_tie_corrected == pytest.approx(expected.pvalue)
    ranks = np.apply_along_axis(scipy.stats.rankdata, 1, -values).mean(axis=0)
    assert statistics.average_ranks(values) == pytest.approx(ranks)
    assert statistics.average_ranks(-values, higher_is_better=False) == pytest.approx(ranks)
    f = 8 * found.chi2 / (9 * 3 - found.chi2)
    davenport = statistics.iman_davenport(values, alpha=0.1)
    assert davenport.f == pytest.approx(f)
    assert davenport.p == pytest.approx(scipy.stats.f.sf(f, 3, 24))
    assert davenport.critical_value == pytest.approx(scipy.stats.f.isf(0.1, 3, 24))
    assert found.kendall_w == pytest.approx(found.chi2 / 27)


def test_critical_distances():
    for methods, alpha in ((2, 0.05), (5, 0.05), (10, 0.1)):
        scale = np.sqrt(methods * (methods + 1) / (6 * 14))
        q = scipy.stats.studentized_range.isf(alpha, methods, np.inf) / np.sqrt(2)
        assert statistics.nemenyi_distance(methods, 14, alpha) == pytest.approx(q * scale, rel=1e-6)
        q = scipy.stats.norm.isf(alpha / (2 * (methods - 1)))
        assert statistics.bonferroni_dunn_distance(methods, 14, alpha) == pytest.approx(q * scale)


def test_wilcoxon_is_that_of_scipy_and_of_enumeration():
    a, b = table(3, 12, 2).T
    expected = scipy.stats.wilcoxon(a, b, mode="exact")
    found = statistics.wilcoxon(a, b)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue)) and found.exact
    tied = statistics.wilcoxon([3, 4, 5, 7, 2, 2], [2, 3, 3, 3, 2, 4])  # differences 1, 1, 2, 4, 0, -2
    ranks = [1.5, 1.5, 3.5, 5, 3.5]
    sums = [sum(rank for rank, sign in zip(ranks, signs) if sign) for signs in itertools.product([0, 1], repeat=5)]
    assert tied.p == np.mean([min(s, 15 - s) <= 3.5 for s in sums]) and tied.zeros == 1 and tied.statistic == 3.5


def test_the_permutation_test_is_that_of_enumeration_and_of_scipy():
    a, b = table(4, 10, 2).T
    differences = a - b
    means = [abs(np.dot(signs, differences)) for signs in itertools.product([-1, 1], repeat=10)]
    found = statistics.permutation(a, b)
    assert found.exact and found.p == np.mean([mean >= abs(differences.sum()) - 1e-12 for mean in means])
    a, b = table(5, 40, 2).T
    drawn = statistics.permutation(a, b, random_state=3)
    assert not drawn.exact and drawn == statistics.permutation(a, b, random_state=3)
    expected = scipy.stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=20000, random_state=0
    )
    assert drawn.p == pytest.approx(expected.pvalue, abs=0.01)


def test_holm_by_definition():
    p = np.random.RandomState(6).rand(20) ** 3
    order = np.argsort(p)
    adjusted = np.empty(20)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(20, 0, -1)))
    assert statistics.holm(p) == pytest.approx(adjusted)
    assert statistics.holm([]).tolist() == []


def test_mcnemar_is_the_binomial_test():
    assert statistics.mcnemar(3, 11) == pytest.approx(scipy.stats.binomtest(3, 14).pvalue)
    assert statistics.mcnemar(0, 0) == 1
    truth = np.array(list("aabbcc"))
    assert statistics.mcnemar(truth, ["b"] * 6, truth) == pytest.approx(scipy.stats.binomtest(0, 4).pvalue)
    rows = np.array([["a", "b"], ["a", "c"]])
    assert statistics.mcnemar(rows, rows[::-1], rows) == 0.5


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: compare({"a": [1, 2]}), "at least 2"),
        (lambda: compare({"a": [1, 2], "b": [1]}), "different numbers"),
        (lambda: compare({"a": [1, 2], "b": [1, 3]}, control="c"), "'c'"),
        (lambda: compare({"a": [1, 2], "b": [1, 3]}, better="larger"), "expected auto, higher or lower"),
        (lambda: compare(np.zeros(3)), "1 dimensions"),
        (lambda: compare(pandas.DataFrame({"x": ["a"], "y": ["b"], "z": [1]})), "'x' and 'y'"),
        (lambda: statistics.wilcoxon([1, 2], [1]), "same length"),
        (lambda: statistics.friedman([1, 2]), "1 dimensions"),
        (lambda: statistics.friedman([[1, 2]]), "data sets to compare on: 1"),
        (lambda: statistics.nemenyi_distance(3, 5, alpha=2), "alpha is 2"),
        (lambda: statistics.iman_davenport([[1, 2], [1, 3]], alpha=2), "alpha is 2"),
        (lambda: statistics.average_ranks([[1, float("nan")], [1, 3]]), "finite"),
        (lambda: statistics.holm([0.5, float("nan")]), "beyond 0 and 1"),
        (lambda: statistics.mcnemar(-1, 2), "-1 samples"),
    ],
)
def test_wrong_input_is_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_the_picture_joins_methods_that_do_not_differ():
    matplotlib.use("Agg")
    found = compare(PUBLISHED, "hierarchical_f1", incomplete="worst", alpha=0.1)
    ax = plots.critical_difference(found)
    assert [text.get_text().strip() for text in ax.texts[:5]] == found.methods.index.tolist()
    # Demsar's rule by brute force: the maximal sets of methods no two of which are a critical distance apart.
    rng = np.random.RandomState(7)
    for _ in range(30):
        ranks = np.sort(rng.randint(0, 20, 7) / 4)
        alike = [(i, j) for i in range(7) for j in range(i + 1, 7) if ranks[j] - ranks[i] < 1.3]
        largest = [
            (ranks[i], ranks[j])
            for i, j in alike
            if not any((a, b) != (i, j) and a <= i and j <= b for a, b in alike)
        ]
        assert plots.alike_groups(ranks, 1.3) == largest
    clade.plots.critical_difference(found, post_hoc="bonferroni-dunn").figure.canvas.draw()
    matplotlib.pyplot.close("all")


def test_an_infinite_f_decides_nothing():
    found = clade.compare({"a": [0.7, 0.8], "b": [0.6, 0.7]})
    assert found.iman_davenport["f"] is None and found.iman_davenport["p"] == 0
    assert found.p == pytest.approx(scipy.stats.chi2.sf(2, 1)) and repr(found).endswith("p = 0.157>")
    assert "nothing says so" in str(found) and "1 degree of freedom" in str(found)
    different = clade.compare({"a": [3, 1, 3, 4], "b": [2, 2, 2, 2], "c": [1, 3, 1, 0]})
    assert different.p == different.iman_davenport["p"]
