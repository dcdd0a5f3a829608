"""clade compare: every number against scipy or a count of all possibilities, the layouts of results, and bad input."""

import gzip
import itertools
import math
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import jsonschema
import numpy as np
import pytest
from clade_tool import SOURCE, error_line, run, run_json
from scipy import stats

NUMBER = {"type": "number"}
OPTIONAL = {"type": ["number", "null"]}
P = {"type": "number", "minimum": 0, "maximum": 1}
COUNT = {"type": "integer", "minimum": 0}


def closed(**properties):
    return {"type": "object", "required": list(properties), "properties": properties, "additionalProperties": False}


SCHEMA = closed(
    metric={"type": "string"}, better={"enum": ["higher", "lower"]}, alpha=P, control={"type": "string"},
    datasets={"type": "array", "items": {"type": "string"}}, notes={"type": "array", "items": {"type": "string"}},
    methods={"type": "array", "items": closed(name={"type": "string"}, average_rank=NUMBER, mean=OPTIONAL,
                                              ranks={"type": "array", "items": NUMBER})},
    friedman=closed(chi2=NUMBER, p=P, chi2_tie_corrected=NUMBER, p_tie_corrected=P, degrees_of_freedom=COUNT, kendall_w=P),
    iman_davenport=closed(f=OPTIONAL, p=P, df1=COUNT, df2=COUNT, critical_value=NUMBER),
    critical_distance=closed(nemenyi=NUMBER, bonferroni_dunn=NUMBER, q_nemenyi=NUMBER, q_bonferroni_dunn=NUMBER),
    pairs={"type": "array", "items": closed(
        a={"type": "string"}, b={"type": "string"}, rank_difference=NUMBER, nemenyi_p=P, datasets=COUNT,
        significant_nemenyi={"type": "boolean"},
        wilcoxon=closed(statistic=NUMBER, p=P, p_holm=P, exact={"type": "boolean"}, zeros=COUNT, n=COUNT),
        permutation=closed(p=P, p_holm=P, exact={"type": "boolean"}),
        wins=COUNT, ties=COUNT, losses=COUNT, mean_difference=OPTIONAL, median_difference=OPTIONAL,
        rank_biserial=OPTIONAL, cohens_d=OPTIONAL)},
    bonferroni_dunn={"type": "array", "items": closed(method={"type": "string"}, rank_difference=NUMBER, p=P,
                                                      significant={"type": "boolean"})})


def wide(path, values, names=None):
    names = names or [f"m{j}" for j in range(values.shape[1])]
    rows = ["dataset," + ",".join(names)]
    rows += [f"d{i}," + ",".join("" if np.isnan(v) else repr(float(v)) for v in row) for i, row in enumerate(values)]
    path.write_text("\n".join(rows) + "\n")
    return path


def random_tables():
    generator = np.random.default_rng(5)
    for index in range(40):
        k = int(generator.integers(3, 9))  # scipy's Friedman test wants 3
        n = int(generator.integers(3, 15)) if index % 6 else int(generator.integers(52, 70))
        values = generator.normal(size=(n, k)) + generator.normal(size=k) * generator.choice([0, 0.5, 2])
        # Two digits give ties within data sets and among differences.
        yield index, np.round(values, 2 if index % 3 == 0 else 6), float(generator.choice([0.01, 0.05, 0.1]))


def close(found, expected, relative=1e-9):
    assert found == pytest.approx(expected, rel=relative, abs=1e-12)


def exact(value):
    return Fraction(repr(float(value)))  # the decimal that the file holds


def share_of_signs(values):
    """The share of all sign vectors whose sum is at least as far from 0, counted with exact numbers: whole ones, which are
    quicker than fractions."""
    unit = math.lcm(*(value.denominator for value in values))
    values = [int(value * unit) for value in values]
    sums = {0: 1}
    for value in values:
        following = {}
        for total, count in sums.items():
            for signed in (total + value, total - value):
                following[signed] = following.get(signed, 0) + count
        sums = following
    far = abs(sum(values))
    return sum(count for total, count in sums.items() if abs(total) >= far) / 2 ** len(values)


def check_pair(pair, table, names):
    a, b = table[:, names.index(pair["a"])], table[:, names.index(pair["b"])]
    differences = [exact(x) - exact(y) for x, y in zip(a, b)]
    moving = [d for d in differences if d != 0]
    assert pair["wilcoxon"]["n"] == len(moving) and pair["wilcoxon"]["zeros"] == len(differences) - len(moving)
    assert pair["datasets"] == len(differences)
    assert (pair["wins"], pair["ties"]) == (sum(d > 0 for d in differences), len(differences) - len(moving))
    assert pair["wins"] + pair["ties"] + pair["losses"] == len(differences)
    floats = np.array([float(d) for d in differences])
    close(pair["mean_difference"], floats.mean(), 1e-7)
    close(pair["median_difference"], np.median(floats), 1e-7)
    if len(set(differences)) > 1:
        close(pair["cohens_d"], floats.mean() / floats.std(ddof=1), 1e-7)
    else:
        assert pair["cohens_d"] is None
    if not moving:
        assert pair["wilcoxon"]["p"] == pair["permutation"]["p"] == 1 and pair["rank_biserial"] is None
        return
    # scipy is exact without ties and approximate otherwise; with ties the exact p is counted over all sign vectors.
    ranks = stats.rankdata([float(abs(d)) for d in moving])
    tied = len(set(ranks)) < len(ranks)
    signed = [Fraction(rank) * (1 if d > 0 else -1) for rank, d in zip(ranks, moving)]
    close(pair["rank_biserial"], float(sum(signed)) / ranks.sum())
    nonzero = np.array([float(d) for d in moving])
    is_exact = len(moving) <= 50
    assert pair["wilcoxon"]["exact"] == is_exact
    close(pair["wilcoxon"]["statistic"], min(sum(r for r in signed if r > 0), -sum(r for r in signed if r < 0)))
    if is_exact and tied:
        close(pair["wilcoxon"]["p"], share_of_signs(signed))
    else:
        reference = stats.wilcoxon(nonzero, mode="exact" if is_exact else "approx")
        close(pair["wilcoxon"]["statistic"], reference.statistic)
        close(pair["wilcoxon"]["p"], reference.pvalue)
    assert pair["permutation"]["exact"] == (len(moving) <= 20)
    if len(moving) <= 14:
        close(pair["permutation"]["p"], share_of_signs(moving))


def check_holm(pairs, test):
    p = np.array([pair[test]["p"] for pair in pairs])
    order = np.argsort(p, kind="stable")
    expected = np.empty(len(p))
    expected[order] = np.maximum.accumulate(np.minimum(1, p[order] * (len(p) - np.arange(len(p)))))
    close([pair[test]["p_holm"] for pair in pairs], list(expected))


@pytest.mark.parametrize("index, table, alpha", random_tables())
def test_every_number_is_that_of_scipy(tmp_path, index, table, alpha):
    found = run_json("compare", wide(tmp_path / "t.csv", table), "--alpha", alpha)
    jsonschema.validate(found, SCHEMA)
    n, k = table.shape
    names = [method["name"] for method in found["methods"]]
    ranks = np.array([stats.rankdata(-row) for row in table])
    close([method["average_rank"] for method in found["methods"]], list(ranks.mean(axis=0)))
    assert [method["ranks"] for method in found["methods"]] == ranks.T.tolist()
    close([method["mean"] for method in found["methods"]], list(table.mean(axis=0)))

    corrected = stats.friedmanchisquare(*table.T)
    close(found["friedman"]["chi2_tie_corrected"], corrected.statistic)
    close(found["friedman"]["p_tie_corrected"], corrected.pvalue)
    chi2 = 12 * n / (k * (k + 1)) * ((ranks.mean(axis=0) ** 2).sum() - k * (k + 1) ** 2 / 4)
    close(found["friedman"]["chi2"], chi2)
    close(found["friedman"]["p"], stats.chi2.sf(chi2, k - 1))
    close(found["friedman"]["kendall_w"], chi2 / (n * (k - 1)))
    rest = n * (k - 1) - chi2
    if rest > 1e-9:
        f = (n - 1) * chi2 / rest
        close(found["iman_davenport"]["f"], f)
        close(found["iman_davenport"]["p"], stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    else:
        assert found["iman_davenport"]["f"] is None and found["iman_davenport"]["p"] == 0
    close(found["iman_davenport"]["critical_value"], stats.f.isf(alpha, k - 1, (k - 1) * (n - 1)))

    scale = math.sqrt(k * (k + 1) / (6 * n))
    distance = found["critical_distance"]
    close(distance["q_nemenyi"], stats.studentized_range.ppf(1 - alpha, k, np.inf) / math.sqrt(2), 1e-6)
    close(distance["nemenyi"], distance["q_nemenyi"] * scale)
    close(distance["q_bonferroni_dunn"], stats.norm.isf(alpha / (2 * (k - 1))))
    close(distance["bonferroni_dunn"], distance["q_bonferroni_dunn"] * scale)

    assert len(found["pairs"]) == k * (k - 1) // 2
    average = dict(zip(names, ranks.mean(axis=0)))
    for pair in found["pairs"]:
        difference = average[pair["b"]] - average[pair["a"]]
        close(pair["rank_difference"], difference)
        expected = stats.studentized_range.sf(difference / scale * math.sqrt(2), k, np.inf)
        assert pair["nemenyi_p"] == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert pair["significant_nemenyi"] == (difference >= distance["nemenyi"])
        check_pair(pair, table, names)
    check_holm(found["pairs"], "wilcoxon")
    check_holm(found["pairs"], "permutation")
    best = min(names, key=average.get)
    assert found["control"] == best
    for other in found["bonferroni_dunn"]:
        difference = average[other["method"]] - average[best]
        close(other["rank_difference"], difference)
        close(other["p"], min(1, 2 * (k - 1) * stats.norm.sf(difference / scale)))
        assert other["significant"] == (difference >= distance["bonferroni_dunn"])


@pytest.mark.parametrize("k", [2, 7, 60])
@pytest.mark.parametrize("alpha", [0.001, 0.2, 0.9])
def test_critical_distances_for_any_number_and_level(tmp_path, k, alpha):
    table = np.random.default_rng(1).normal(size=(3, k))
    distance = run_json("compare", wide(tmp_path / "t.csv", table), "--alpha", alpha)["critical_distance"]
    close(distance["q_nemenyi"], stats.studentized_range.ppf(1 - alpha, k, np.inf) / math.sqrt(2), 1e-6)
    close(distance["q_bonferroni_dunn"], stats.norm.isf(alpha / (2 * (k - 1))))


def test_drawn_signs_are_near_the_exact_share(tmp_path):
    generator = np.random.default_rng(8)
    table = np.round(generator.normal(size=(30, 2)) + [0.35, 0], 1)  # one digit: few sums, so all can be counted
    pair = run_json("compare", wide(tmp_path / "t.csv", table))["pairs"][0]
    assert not pair["permutation"]["exact"]
    expected = share_of_signs([exact(a) - exact(b) for a, b in table if a != b])
    assert abs(pair["permutation"]["p"] - expected) < 5 * math.sqrt(expected * (1 - expected) / 100_000)


def test_threads_change_nothing_and_the_seed_only_what_is_drawn(tmp_path):
    path = wide(tmp_path / "t.csv", np.random.default_rng(2).normal(size=(40, 5)))
    outputs = {run("compare", path, "--json", "--threads", threads).stdout for threads in (1, 2, 3)}
    assert len(outputs) == 1
    assert len({run("compare", path, "--threads", threads).stdout for threads in (1, 2, 3)}) == 1
    assert run("compare", path, "--json", "--seed", 7).stdout not in outputs


RECURSIVE_F1 = """dataset,HierFisher,HierFSNM,HierMRMR,Hier-FS,HiRRfam-FS
F194,0.6758,0.6462,0.7000,0.7089,0.7117
DD,0.7741,0.8524,0.8468,0.8584,0.8606
VOC,0.6576,0.6739,0.6669,0.6754,0.6758
Cifar100,0.7859,—,0.7879,0.7885,0.7880
SUN,0.8324,-,0.8348,0.8400,0.8411
ILSVRC65,0.9580,0.9563,0.9581,0.9591,0.9588
"""


@pytest.fixture
def published(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(RECURSIVE_F1)
    return path


def test_a_published_table(published):
    found = run_json("compare", published, "--metric", "hierarchical_f1", "--incomplete", "worst", "--alpha", 0.1)
    assert [round(method["average_rank"], 2) for method in found["methods"]] == [4.33, 4.33, 3.33, 1.67, 1.33]
    assert round(found["iman_davenport"]["f"], 3) == 23.125
    assert round(found["critical_distance"]["bonferroni_dunn"], 3) == 2.046
    assert found["control"] == "HiRRfam-FS"
    assert {other["method"]: other["significant"] for other in found["bonferroni_dunn"]} == {
        "HierFisher": True, "HierFSNM": True, "HierMRMR": False, "Hier-FS": False}
    pair = next(p for p in found["pairs"] if {p["a"], p["b"]} == {"HiRRfam-FS", "HierFSNM"})
    assert pair["datasets"] == pair["wilcoxon"]["n"] == 4 and pair["wilcoxon"]["p"] == 0.125
    assert any("2 of 30 values are missing" in note for note in found["notes"])


def test_the_example_of_the_page_and_its_diagram_are_what_the_tool_gives(tmp_path):
    (tmp_path / "results.csv").write_text(RECURSIVE_F1)
    text = run("compare", "results.csv", "--metric", "hierarchical_f1", "--incomplete", "worst", "--alpha", 0.1,
               "--diagram", "ranks.svg", cwd=tmp_path).stdout
    page = (SOURCE / "docs" / "compare.md").read_text()
    assert "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines()) in page
    assert (tmp_path / "ranks.svg").read_text() == (SOURCE / "docs" / "images" / "critical_distance.svg").read_text()


def test_missing_values(published):
    line = error_line("compare", published, "--metric", "hierarchical_f1")
    assert line == (f"{published}: no hierarchical_f1 of 'HierFSNM' on 'Cifar100'; expected every method on every data set "
                    "(--drop-incomplete leaves such data sets out)")
    dropped = run_json("compare", published, "--drop-incomplete")
    assert dropped["datasets"] == ["F194", "DD", "VOC", "ILSVRC65"]
    assert "left out data sets on which a method is missing: Cifar100, SUN" in dropped["notes"]
    assert dropped == run_json("compare", published, "--incomplete", "drop-data")
    fewer = run_json("compare", published, "--incomplete", "drop-methods")
    assert [method["name"] for method in fewer["methods"]] == ["HierFisher", "HierMRMR", "Hier-FS", "HiRRfam-FS"]
    assert "left out methods that are missing on a data set: HierFSNM" in fewer["notes"]
    assert "expected one of them" in error_line("compare", published, "--drop-incomplete", "--incomplete", "worst")


def test_several_missing_share_the_last_ranks(tmp_path):
    (tmp_path / "t.csv").write_text("d,a,b,c,e\nx,1,,2,NA\ny,1,2,3,4\nz,?,–,nan,1\n")
    found = run_json("compare", tmp_path / "t.csv", "--incomplete", "worst")
    assert [method["ranks"] for method in found["methods"]] == [[2, 4, 3], [3.5, 3, 3], [1, 2, 3], [3.5, 1, 1]]
    found = run_json("compare", tmp_path / "t.csv", "--incomplete", "worst", "--better", "lower")
    assert [method["ranks"][0] for method in found["methods"]] == [1, 3.5, 2, 3.5]
    pair = next(p for p in found["pairs"] if {p["a"], p["b"]} == {"a", "b"})
    assert pair["datasets"] == 1


def test_methods_that_never_meet(tmp_path):
    (tmp_path / "t.csv").write_text("d,a,b\nx,1,\ny,,2\nz,1,\n")
    found = run_json("compare", tmp_path / "t.csv", "--incomplete", "worst")
    jsonschema.validate(found, SCHEMA)
    assert found["pairs"][0]["datasets"] == 0 and found["pairs"][0]["mean_difference"] is None
    assert found["pairs"][0]["wilcoxon"]["p"] == 1


def test_layouts_give_the_same(tmp_path):
    table = np.round(np.random.default_rng(3).normal(size=(6, 3)), 3)
    expected = run_json("compare", wide(tmp_path / "wide.csv", table), "--metric", "f1")
    cells = [(f"d{i}", f"m{j}", float(table[i, j])) for i, j in itertools.product(range(6), range(3))]

    long = "Method,seconds,f1,Dataset\n" + "".join(f"{m},7,{v},{d}\n" for d, m, v in cells)
    (tmp_path / "long.csv").write_text(long)
    assert run_json("compare", tmp_path / "long.csv", "--metric", "f1") == expected
    (tmp_path / "long.csv.gz").write_bytes(gzip.compress(long.encode()))
    assert run_json("compare", tmp_path / "long.csv.gz", "--metric", "f1") == expected
    (tmp_path / "long.tsv").write_text("\ufeff\r\n" + long.replace(",", "\t").replace("\n", "\r\n\r\n"), newline="")
    assert run_json("compare", tmp_path / "long.tsv", "--metric", "f1") == expected
    (tmp_path / "semicolons.csv").write_text(long.replace(",", ";"))
    assert run_json("compare", tmp_path / "semicolons.csv", "--metric", "f1") == expected

    longer = "data,method,metric,value\n" + "".join(f"{d},{m},tie,3\n{d},{m},f1,{v}\n" for d, m, v in cells)
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "results.csv").write_text(longer)
    assert run_json("compare", folder, "--metric", "f1") == expected
    assert "no such file" in error_line("compare", tmp_path / "nowhere")


def test_repeats_are_averaged_and_counted(tmp_path):
    path = tmp_path / "folds.csv"
    rows = [f"{d},{m},{fold},{0.1 * fold + (m == 'b')}" for d in "xyz" for m in "ab" for fold in range(5)]
    path.write_text("dataset,method,fold,f1\n" + "\n".join(rows))
    found = run_json("compare", path, "--metric", "f1")
    close([method["mean"] for method in found["methods"]], [0.2, 1.2])
    assert "averaged 5 rows for each method on each data set" in found["notes"]
    path.write_text("dataset,method,fold,f1\n" + "\n".join(rows[1:]) + "\nx,b,9,NA\n")
    found = run_json("compare", path, "--metric", "f1")
    assert "averaged 4 to 5 rows for each method on each data set: their numbers differ" in found["notes"]
    assert "rows without a value, which are not in the averages: 1" in found["notes"]


def test_the_direction_follows_the_name(tmp_path):
    path = wide(tmp_path / "t.csv", np.array([[1.0, 2.0], [3.0, 4.0]]))
    for metric, better in (("hierarchical_f1", "higher"), ("tie_normalized", "lower"), ("seconds", "lower"),
                           ("ranking_loss", "lower"), ("nmi", "higher")):
        found = run_json("compare", path, "--metric", metric)
        assert found["better"] == better and found["control"] == ("m1" if better == "higher" else "m0")
        assert f"{metric} ({better} is better)" in run("compare", path, "--metric", metric).stdout
    assert run_json("compare", path, "--metric", "seconds", "--better", "higher")["better"] == "higher"


def test_perfect_agreement(tmp_path):
    path = wide(tmp_path / "t.csv", np.tile([3.0, 2.0, 1.0], (4, 1)))
    found = run_json("compare", path)
    assert found["iman_davenport"]["f"] is None and found["iman_davenport"]["p"] == 0
    assert found["friedman"]["kendall_w"] == pytest.approx(1)
    assert any("all data sets rank the methods alike: F_F is infinite" in note for note in found["notes"])
    assert any("4 data sets are few" in note for note in found["notes"])
    text = run("compare", path).stdout
    assert "F_F = inf" in text and "Friedman's test decides" in text and "yes: they are not all alike" in text


def test_two_data_sets_that_agree_say_nothing(tmp_path):
    path = wide(tmp_path / "t.csv", np.array([[0.7, 0.6], [0.8, 0.7]]))
    found = run_json("compare", path)
    assert found["iman_davenport"]["f"] is None and found["iman_davenport"]["p"] == 0
    close(found["friedman"]["p"], stats.chi2.sf(2, 1))
    text = run("compare", path).stdout
    assert "chi2 = 2 with 1 degree of freedom, p = 0.1573" in text
    assert "At alpha = 0.05, nothing says so." in text and "found no difference: read what follows" in text
    assert "yes: they are not all alike" in run("compare", path, "--alpha", "0.2").stdout


def test_the_table_for_people(tmp_path):
    generator = np.random.default_rng(4)
    names = [f"method-with-a-long-name-{j}" for j in range(12)]
    path = wide(tmp_path / "t.csv", generator.normal(size=(8, 12)), names)
    text = run("compare", path).stdout
    assert all(name in text for name in names)
    assert max(map(len, text.splitlines())) <= 120
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("ranks on each"))
    assert len({len(line) for line in lines[start + 1:start + 10]}) == 1  # aligned
    assert lines[start + 1].split() == ["data", "set", *"ABCDEFGHIJKL"]


@pytest.mark.parametrize("post_hoc", ["nemenyi", "bonferroni-dunn"])
def test_the_diagram_is_xml_with_every_name(tmp_path, post_hoc):
    names = ['"a ""quoted"" one"', "<b>&amp;", "层次", "plain", "x" * 200]
    path = wide(tmp_path / "t.csv", np.random.default_rng(6).normal(size=(9, 5)), names)
    out = tmp_path / "ranks.svg"
    found = run_json("compare", path, "--diagram", out, "--post-hoc", post_hoc)
    root = ElementTree.parse(out).getroot()
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for method in found["methods"]:
        assert f"{method['name']} ({method['average_rank']:.2f})" in texts
    assert any(text.startswith(f"CD = {found['critical_distance'][post_hoc.replace('-', '_')]:.3f}") for text in texts)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    before = out.read_bytes()
    assert "exists already; use --force" in error_line("compare", path, "--diagram", out)
    assert out.read_bytes() == before
    run("compare", path, "--diagram", out, "--force", "--post-hoc", post_hoc)
    assert out.read_bytes() == before
    assert "is the input" in error_line("compare", path, "--diagram", path, "--force")


BAD = {
    "empty": ("", ":1: empty file"),
    "blank": ("\n \n", ":1: empty file"),
    "header only": ("dataset,method,f1\n", ": a header and no results"),
    "one column": ("dataset\nx\n", ":1: the columns are dataset; expected"),
    "no methods": ("dataset,a\nx,1\n", ":1: the columns are dataset, a; expected"),
    "no data set": ("method,f1\na,1\n", ":1: no column 'dataset' among method, f1"),
    "no measure": ("dataset,method\nx,a\n", ":1: no measure beside data set and method"),
    "no number": ("dataset,a,b\nx,1,2\ny,1,zwei\n", ":3: 'zwei' in column 'b' is no number"),
    "a rank with it": ("dataset,a,b\nx,1,2\ny,1,0.5 (2)\n", ":3: '0.5 (2)' in column 'b' is no number"),
    "infinite": ("dataset,a,b\nx,inf,2\n", ":2: 'inf' in column 'a' is not finite"),
    "too large": ("dataset,a,b\nx,1,1e999\n", ":2: '1e999' in column 'b' is not finite"),
    "one method": ("dataset,method,f1\nx,a,1\ny,a,2\n", ": one method, 'a'; expected at least two"),
    "one data set": ("dataset,a,b\nx,1,2\n", ": data sets left to compare: 1; expected at least 2"),
    "twice a method": ("dataset,a,b,a\nx,1,2,3\n", ":1: two columns are named 'a'"),
    "a nameless method": ("dataset,a,,b\nx,1,2,3\n", ":1: column 3 has no name"),
    "few fields": ("dataset,a,b\nx,1,2\ny,1\n", ":3: 2 fields; expected 3, as in the header"),
    "many fields": ("dataset,a,b\nx,1,2,3\n", ":2: 4 fields; expected 3"),
    "open quote": ('dataset,a,b\n"x,1,2\ny,3,4\n', ":2: a quoted field is not closed"),
    "nameless data set": ("dataset,a,b\nx,1,2\n,3,4\n", ":3: no data set; expected its name"),
    "nameless run": ("dataset,method,f1\nx,a,1\nx,,2\n", ":3: no method; expected its name"),
    "nameless metric": ("dataset,method,metric,value\nx,a,f1,1\nx,a,,2\n", ":3: no metric; expected its name"),
    "not UTF-8": (b"dataset,a,b\nx,1,2\ny\xff,1,2\n", ":3: a byte that is not UTF-8"),
    "several measures": ("dataset,method,f1,tie\nx,a,1,2\n", ": several measures; say which with --metric: f1, tie"),
    "several metrics": ("dataset,method,metric,value\nx,a,f1,1\nx,a,tie,2\n",
                        ": several measures; say which with --metric: f1, tie"),
    "a missing pair": ("dataset,method,f1\nx,a,1\nx,b,2\ny,a,3\n", ": no f1 of 'b' on 'y'; expected every method"),
    "nothing left": ("dataset,a,b\nx,,2\ny,1,\n", ": no value of 'a' on 'x'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_results(tmp_path, case):
    text, expected = BAD[case]
    path = tmp_path / "results.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    line = error_line("compare", path, "--diagram", tmp_path / "out.svg")
    assert line.startswith(f"{path}{expected}")
    assert [entry.name for entry in tmp_path.iterdir()] == ["results.csv"]


def test_a_measure_that_is_not_there(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("dataset,method,f1,tie\nx,a,1,2\n")
    assert error_line("compare", path, "--metric", "nmi") == f"{path}: no measure 'nmi'; expected one of f1, tie"
    path.write_text("dataset,method,metric,value\nx,a,f1,2\nx,a,tie,2\n")
    assert error_line("compare", path, "--metric", "nmi") == f"{path}: no measure 'nmi'; expected one of f1, tie"
    path.write_text("dataset,method,f1,f1\nx,a,1,2\n")
    assert ":1: two columns are named 'f1'" in error_line("compare", path, "--metric", "f1")


def test_many_names_and_few_results_take_no_memory(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("dataset,method,f1\n" + "".join(f"d{i},m{i},1\n" for i in range(100_000)))
    line = error_line("compare", path, "--incomplete", "worst")
    assert "100000 results of 100000 methods on 100000 data sets; expected every method on every data set" in line
    path.write_text("dataset," + ",".join(f"m{j}" for j in range(1001)) + "\n" + "x" + ",1" * 1001 + "\ny" + ",1" * 1001)
    assert "1001 methods to compare; expected at most 1000" in error_line("compare", path)


def test_wrong_usage(tmp_path, published):
    assert "no method 'x'; expected one of HierFisher, HierFSNM, HierMRMR, Hier-FS, HiRRfam-FS" in error_line(
        "compare", published, "--incomplete", "worst", "--control", "x")
    for alpha in ("0", "1", "-1", "nan", "much"):
        assert f"--alpha: '{alpha}'" in error_line("compare", published, "--alpha", alpha)
    assert "expected one of auto, higher, lower" in error_line("compare", published, "--better", "much")
    assert "expected one of error, drop-data" in error_line("compare", published, "--incomplete", "much")
    assert "expected one of nemenyi, bonferroni-dunn" in error_line("compare", published, "--post-hoc", "much")
    error_line("compare")
    error_line("compare", published, "--incomplete", "worst", "--diagram", tmp_path / "no" / "x.svg", status=1)
    chosen = run_json("compare", published, "--incomplete", "worst", "--control", "Hier-FS")
    assert chosen["control"] == "Hier-FS" and len(chosen["bonferroni_dunn"]) == 4
