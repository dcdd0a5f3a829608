"""clade report FOLDER: every number of the page against pandas and scipy on results.csv, every chart has the points that the
results say, odd names, sizes, broken folders; clade select --convergence."""

import csv
import html
import itertools
import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from clade_tool import error_line, run, run_json
from report_test import check_page
from scipy import stats

STUDY = """
measures = ["accuracy", "tie"]
[tune]
folds = 2
[[data]]
name = "one"
file = "one.arff"
folds = 9
[[data]]
name = "two"
file = "two.arff"
folds = 5
repeats = 2
[[data]]
name = "apart"
train = "one.arff"
test = "two.arff"
[[data]]
name = "few"
file = "two.arff"
per-class = [1, 2, 3]
repeats = 3
[[recipe]]
name = "svm"
classifier = "top-down-svm"
select = ["hier-fisher", "hier-fs"]
top = [2, "50%", 12]
[[recipe]]
name = "tuned"
classifier = "top-down-logistic"
tune = { parameters = { c = [0.01, 1] } }
"""
GRID = """
[[data]]
name = "one"
file = "one.arff"
folds = 3
[[recipe]]
name = "curve"
classifier = "top-down-logistic"
parameters = { c = [0.001, 0.1, 10] }
[[recipe]]
name = "surface"
classifier = "top-down-svm"
select = "hier-fs"
select-parameters = { lambda = [0.1, 10] }
parameters = { c = [0.01, 1, 100] }
[[recipe]]
name = "cube"
classifier = "top-down-svm"
select = "hirr-fam"
select-parameters = { alpha = [0.1, 10], lambda = [0.1, 1, 10] }
top = [3, 6]
"""


def make(folder, text, *more):
    for seed, name in enumerate(["one", "two"]):
        run("synth", "-o", folder / f"{name}.arff", "--samples", 150, "--features", 12, "--single-label", "--seed", seed + 1)
    (folder / "study.toml").write_text(text)
    run("experiment", folder / "study.toml", "-o", folder / "out", "--quiet", "--threads", 2)
    run("report", folder / "out", "-o", folder / "page.html", *more)
    return check_page(folder / "page.html"), pd.read_csv(folder / "out" / "results.csv", dtype={"parameters": str})


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    return folder, *make(folder, STUDY)


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grid")
    return folder, *make(folder, GRID)


def means(results, measure):
    """A table of methods and data sets: the mean over cells of their means over folds."""
    rows = results[results.metric == measure]
    cells = rows.groupby(["dataset", "method", "repeat", "draw", "order"], sort=False).value.mean()
    table = cells.groupby(["method", "dataset"], sort=False).mean().unstack()
    return table.loc[results.method.unique(), results.dataset.unique()]


def figure(page, name):
    """The SVG of a figure, and what stands below it."""
    found = re.search(rf'<figure data-name="{re.escape(name)}">.*?(<svg.*?</svg>).*?<figcaption>(.*?)</figcaption>', page.source, re.S)
    return found[1], html.unescape(found[2])


def section(page, name):
    return re.search(rf'<section id="{name}".*?</section>', page.source, re.S)[0]


# ---- numbers


def test_scores_are_means_and_deviations_of_the_results(study):
    _, page, results = study
    for measure, best in (("accuracy", "max"), ("tie", "min")):
        wanted = means(results, measure)
        deviations = results[results.metric == measure].groupby(["method", "dataset"]).value.std()
        head, *rows = page.tables[f"scores-{measure}"]
        assert [title for _, title in head][1:-1] == list(results.dataset.unique())
        assert [row[0][1] for row in rows] == list(results.method.unique())
        for row in rows:
            for (_, dataset), (value, text) in zip(head[1:-1], row[1:-1]):
                mean, deviation = wanted.loc[row[0][1], dataset], deviations[row[0][1], dataset]
                assert float(value) == pytest.approx(mean, abs=1e-12)
                shown = f"{mean:.4f} ± {deviation:.4f}" if not np.isnan(deviation) else f"{mean:.4f}"
                assert text.replace("\u00a0", " ").removesuffix(" ≈") == shown
        table = re.search(rf'data-name="scores-{measure}".*?</table>', page.source, re.S)[0]
        for line, method in zip(re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:], results.method.unique()):
            for cell, dataset in zip(re.findall(r"<td([^>]*)>", line), results.dataset.unique()):
                is_best = wanted.loc[method, dataset] == getattr(wanted[dataset], best)()
                assert ("best" in cell) == is_best, (method, dataset)


def test_ranks_and_their_tests_are_those_of_scipy(study):
    _, page, results = study
    for measure, sign in (("accuracy", -1), ("tie", 1)):
        wanted = means(results, measure)
        ranks = stats.rankdata(sign * wanted.to_numpy(), axis=0).mean(axis=1)
        found = {row["method"]: row["average rank"] for row in page.rows(f"ranks-{measure}")}
        assert found == pytest.approx(dict(zip(wanted.index, ranks)))
        methods, datasets = wanted.shape
        svg, words = figure(page, f"ranks-{measure}")
        p = stats.friedmanchisquare(*wanted.to_numpy()).pvalue
        assert (f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001") in words
        distance = stats.studentized_range.ppf(0.95, methods, np.inf) / 2**0.5 * (methods * (methods + 1) / 6 / datasets) ** 0.5
        assert f"differ by {distance:.2f}" in words and f"CD = {distance:.3f}" in svg
        for method, rank in zip(wanted.index, ranks):
            assert f">{method} ({rank:.2f})</text>" in svg
        for row in page.rows(f"pairs-{measure}"):
            a, b = wanted.loc[row["better"]], wanted.loc[row["than"]]
            assert row["rank difference"] == pytest.approx(found[row["than"]] - found[row["better"]])
            assert (row["wins"], row["losses"]) == ((sign * a < sign * b).sum(), (sign * a > sign * b).sum())
            p = stats.studentized_range.sf(row["rank difference"] / (methods * (methods + 1) / 6 / datasets) ** 0.5 * 2**0.5, methods, np.inf)
            assert row["p (Nemenyi)"] == pytest.approx(p, abs=1e-6)


def permutation_p(differences):
    """All signs, by force."""
    signs = np.array(list(itertools.product((-1, 1), repeat=len(differences))))
    return np.mean(np.abs(signs @ differences) >= abs(differences.sum()) - 1e-9)


def test_tests_over_folds_are_those_by_force(study):
    _, page, results = study
    rows = results[results.metric == "accuracy"]
    shown = {(row["method"], row["data set"]): row for row in page.rows("folds-accuracy")}
    for dataset in ("one", "two", "few k=2"):
        folds = rows[rows.dataset == dataset].pivot_table(index=["repeat", "fold"], columns="method", values="value", sort=False)
        methods = list(results.method.unique())
        best = max(methods, key=lambda m: (folds[m].mean(), -methods.index(m)))
        p = {m: permutation_p((folds[m] - folds[best]).to_numpy()) for m in methods if m != best}
        holm, largest = {}, 0
        for k, method in enumerate(sorted(p, key=p.get)):
            largest = max(largest, min(1, (len(p) - k) * p[method]))
            holm[method] = largest
        can_tell = len(p) * 2.0 ** (1 - len(folds)) < 0.05
        assert can_tell == (dataset in ("one", "two"))
        for method in methods:
            row = shown[method, dataset]
            assert row["folds"] == len(folds)
            if method == best:
                continue
            assert row["difference"] == pytest.approx((folds[method] - folds[best]).mean())
            assert row["p"] == pytest.approx(p[method]) and row["p (Holm)"] == pytest.approx(holm[method])
            is_near = can_tell and holm[method] >= 0.05 and folds[method].mean() < folds[best].mean()
            column = [title for _, title in page.tables["scores-accuracy"][0]].index(dataset)
            text = next(r for r in page.tables["scores-accuracy"] if r[0][1] == method)[column][1]
            assert text.endswith("≈") == is_near, (method, dataset)


def test_times_and_choices_are_those_of_the_results(study):
    _, page, results = study
    rows = results[results.metric == "accuracy"]
    wanted = rows.groupby(["method", "dataset"]).agg(fit=("fit_seconds", "mean"), predict=("predict_seconds", "mean"), memory=("memory_mib", "max"))
    found = page.rows("times")
    assert len(found) == len(wanted)
    for row in found:
        one = wanted.loc[row["method"], row["data set"]]
        assert [row["fit"], row["predict"], row["MiB"]] == pytest.approx([one.fit, one.predict, one.memory], abs=1e-9)
    tuned = rows[rows.tuned.notna()].groupby(["method", "dataset", "tuned"]).size()
    assert {(row["method"], row["data set"], row["chosen"]): row["folds"] for row in page.rows("tuned")} == tuned.to_dict()
    for row in page.rows("tuned"):
        assert row["share"] == pytest.approx(row["folds"] / tuned[row["method"], row["data set"]].sum())


def test_what_was_run(study):
    folder, page, results = study
    summary = json.loads((folder / "out" / "summary.json").read_text())
    data = {row["data set"]: row for row in page.rows("data-sets")}
    assert list(data) == ["one", "two", "apart", "few"]
    assert all(row["samples"] == 150 and row["features"] == 12 for row in data.values())
    assert data["one"]["hash"] == summary["files_xxh3"][data["one"]["file"]]
    assert (data["two"]["measured by"], data["two"]["repeats"]) == ("5 folds", 2)
    recipes = {row["recipe"]: row for row in page.rows("recipes")}
    assert recipes["svm"]["selection"] == "hier-fisher, hier-fs" and recipes["svm"]["variants"] == 6
    assert recipes["tuned"]["tuned among"] == 2 and recipes["tuned"]["classifier"] == "top-down-logistic"
    wanted = means(results, "accuracy")
    wins = (wanted == wanted.max()).sum(axis=1)
    assert f"“{wins.idxmax()}” is best on {wins.max()} of {wanted.shape[1]} data sets" in "".join(page.text)


# ---- charts


def test_lines_have_a_point_for_every_result(study):
    _, page, results = study
    wanted = means(results, "accuracy")
    for number, dataset in enumerate(results.dataset.unique(), 1):
        svg, words = figure(page, f"features-accuracy-{number}")
        assert svg.count("<circle") == 6  # two selectors, three numbers of features
        best = wanted.loc[[m for m in wanted.index if "top=" in m], dataset]
        assert f"({best.max():.4f})" in words
        rows = page.rows(f"features-accuracy-{number}")
        assert [row["features at each node"] for row in rows] == [2, 6, 12] * 2  # 50% of 12 is 6
        assert [row["accuracy"] for row in rows] == pytest.approx(list(best))
        folds = (results.metric.eq("accuracy") & results.dataset.eq(dataset)).sum()
        if dataset != "apart":
            assert figure(page, f"folds-accuracy-{number}")[0].count("h0") == folds
        assert figure(page, f"times-{number}")[0].count("<circle") == 2 + 2 * len(wanted)  # and the legend
        assert figure(page, f"quality-time-accuracy-{number}")[0].count("<circle") == len(wanted)
    svg, _ = figure(page, "learning-accuracy-1")
    assert svg.count("<circle") == 3 * len(wanted)
    rows = {(row["line"], row["training samples of each class"]): row for row in page.rows("learning-accuracy-1")}
    deviations = results[results.metric == "accuracy"].groupby(["method", "dataset"]).value.std()
    for (method, count), row in rows.items():
        assert row["accuracy"] == pytest.approx(wanted.loc[method, f"few k={count:.0f}"])
        assert row["deviation"] == pytest.approx(deviations[method, f"few k={count:.0f}"])
    assert len(rows) == 3 * len(wanted)


def test_parameters_are_curves_surfaces_and_cubes(grid):
    _, page, results = grid
    wanted = means(results, "accuracy")["one"]
    names = [name for name in page.figures if name.startswith(("sensitivity-accuracy", "surface-accuracy"))]
    assert names == ["sensitivity-accuracy-curve-c-1", "surface-accuracy-surface-1", "surface-accuracy-cube-1"]
    svg, words = figure(page, names[0])
    assert svg.count("<circle") == 3 and [row["c"] for row in page.rows(names[0])] == [0.001, 0.1, 10]
    curve = wanted[[m for m in wanted.index if m.startswith("curve")]]
    assert f"({curve.max():.4f}); the worst value is off by {curve.max() - curve.min():.4f}" in words
    for name, recipe, panels in ((names[1], "surface", 1), (names[2], "cube", 2)):
        svg, words = figure(page, name)
        cells = wanted[[m for m in wanted.index if m.startswith(recipe)]]
        assert svg.count('class="fill0 cell"') == len(cells)
        assert sorted(re.findall(r">(0\.\d{3})</text>", svg)) == sorted(f"{value:.3f}" for value in cells)
        assert svg.count('class="line1 best"') == (cells == cells.max()).sum()
        assert svg.count("top = ") == (panels if panels > 1 else 0)
        assert f"({cells.max():.4f})" in words
        assert {row["method"]: row["accuracy"] for row in page.rows(name)} == pytest.approx(cells.to_dict())


def test_convergence_is_that_of_select(study):
    """The data set with a test file selects on the whole training file."""
    folder, page, _ = study
    run("select", folder / "one.arff", "--method", "hier-fs", "--convergence", folder / "steps.csv", "--quiet")
    steps = pd.read_csv(folder / "steps.csv", float_precision="round_trip")
    assert list(steps.iteration) == list(range(1, 11))
    assert list(steps.objective) == run_json("select", folder / "one.arff", "--method", "hier-fs")["objective"]
    summary = json.loads((folder / "out" / "summary.json").read_text())
    kept = [one for one in summary["convergence"] if one["dataset"] == "apart"]
    assert [one["method"] for one in kept] == ["svm select=hier-fs top=2"]  # one selection for all numbers of features
    assert kept[0]["objective"] == [[k, pytest.approx(value, rel=1e-12)] for k, value in zip(steps.iteration, steps.objective)]
    rows = page.rows("convergence-3")
    assert [row["objective, first = 1"] for row in rows] == pytest.approx(list(steps.objective / steps.objective[0]))
    assert rows[0]["method"] == "svm select=hier-fs"
    run("select", folder / "one.arff", "--method", "hier-fs", "--convergence", folder / "steps.svg", "--quiet")
    assert (folder / "steps.svg").read_text().count("<circle") == 10
    select = ["select", folder / "one.arff", "--method"]
    assert "fisher minimises nothing" in error_line(*select, "fisher", "--convergence", folder / "no.csv")
    assert not (folder / "no.csv").exists()
    assert "expected a name that ends in .csv or .svg" in error_line(*select, "hier-fs", "--convergence", folder / "x.png")
    assert "--force" in error_line(*select, "hier-fs", "--convergence", folder / "steps.csv")


def test_only_what_there_is_has_a_section(grid):
    _, page, _ = grid
    sections = re.findall(r'<section id="(\w+)"', page.source)
    assert sections == ["run", "scores", "features", "sensitivity", "convergence", "folds", "times"]


# ---- the command


def test_measures_can_be_chosen(study):
    folder, _, _ = study
    run("report", folder / "out", "-o", folder / "tie.html", "--metric", "tie", "--title", "Only <TIE>")
    page = check_page(folder / "tie.html")
    assert "scores-tie" in page.tables and "scores-accuracy" not in page.tables
    assert ("h1", "Only <TIE>") in page.headings
    assert "expected some of accuracy, tie" in error_line("report", folder / "out", "-o", folder / "x.html", "--metric", "f1")


def test_equal_folders_give_equal_pages(study):
    folder, page, _ = study
    shutil.copytree(folder / "out", folder / "copy")
    found = run_json("report", folder / "copy", "-o", folder / "again.html", "--threads", 2)
    assert (folder / "again.html").read_text() == page.source
    assert found["cells"] == len(json.loads((folder / "out" / "summary.json").read_text())["values"]) / 2 + 7 * (1 + 3 * 2)
    assert found["bytes"] == (folder / "again.html").stat().st_size


@pytest.mark.parametrize("option", ["--data x.arff", "--show title", "--top 3", "--confusions 4", "--policy greedy"])
def test_options_of_models_are_refused(study, option):
    folder, _, _ = study
    line = error_line("report", folder / "out", "-o", folder / "x.html", *option.split())
    assert f"{option.split()[0]} has no effect on the page of an experiment" in line


def test_a_model_needs_data(tmp_path):
    (tmp_path / "m.clade").write_text("")
    assert "no data to measure the model on" in error_line("report", tmp_path / "m.clade", "-o", tmp_path / "x.html")


def broken(folder, tmp_path, change):
    shutil.copytree(folder / "out", tmp_path / "out")
    change(tmp_path / "out")
    line = error_line("report", tmp_path / "out", "-o", tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()
    return line


def edited(name, edit):
    def change(folder):
        path = folder / name
        path.write_text(edit(path.read_text()))
    return change


@pytest.mark.parametrize("change,words", [
    (lambda folder: (folder / "results.csv").unlink(), "no results.csv in this folder"),
    (lambda folder: (folder / "summary.json").unlink(), "no summary.json in this folder"),
    (edited("results.csv", lambda text: ""), "results.csv"),
    (edited("results.csv", lambda text: text.splitlines()[0] + "\n"), "a header and no results"),
    (edited("results.csv", lambda text: text.replace("fit_seconds", "seconds")), "no column 'fit_seconds'"),
    (edited("results.csv", lambda text: text + text.splitlines()[1] + "\n"), "a second accuracy of this fold"),
    (edited("results.csv", lambda text: re.sub(r"accuracy,[\d.]+", "accuracy,many", text, count=1)), "results.csv:2: 'many' in column 'value'"),
    (edited("results.csv", lambda text: re.sub(r"accuracy,[\d.]+", "accuracy,1e300", text, count=1)), "expected a number of at most 1e100"),
    (edited("results.csv", lambda text: text[: len(text) // 2]), "results.csv:"),
    (edited("summary.json", lambda text: text[: len(text) // 2]), "is no whole JSON document"),
    (edited("summary.json", lambda text: "[]"), "is not the summary of an experiment"),
    (edited("summary.json", lambda text: text.replace('"recipes"', '"other"')), "is not the summary of an experiment"),
    (edited("summary.json", lambda text: re.sub('"version": "[^"]*"', '"version": "0.0.1"', text).replace('"data"', '"old"')),
     "was written by Clade 0.0.1"),
])
def test_broken_folders_are_refused(study, tmp_path, change, words):
    assert words in broken(study[0], tmp_path, change)


# ---- odd names and many cells


def write_folder(folder, rows, summary):
    folder.mkdir()
    with (folder / "results.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow("dataset method taxonomy recipe parameters tuned repeat draw order fold samples metric value fit_seconds "
                        "predict_seconds memory_mib".split())
        writer.writerows(rows)
    base = {"experiment": "study.toml", "version": "0.1.0", "seed": 1, "cells": 0, "files_xxh3": {}, "failed": [], "data": [],
            "recipes": [], "taxonomies": [], "convergence": []}
    (folder / "summary.json").write_text(json.dumps({**base, **summary}))


def data_facts(name):
    return {"name": name, "file": name, "test": "", "measured_by": "5 folds", "repeats": 1, "per_class": [], "samples": 100, "features": 50}


HOSTILE = ["<script>window.bad = 1</script>", "\"quotes' & <b>", "x" * 3000, "数据 ü \u202e אב", "]]> --> <!-- ${bad} `", "</title></script>"]


def hostile_folder(folder):
    rng = np.random.default_rng(1)
    rows = [(data, f"{name} c={c} top={top}", "given", name, f"c={c} top={top}", name, 1, 1, 1, fold, 20, measure, rng.random(), 0.1, 0.01, 5)
            for data in HOSTILE for name in HOSTILE for c in (1, 10) for top in (5, 10) for fold in range(1, 4)
            for measure in ("accuracy", "<img src=x onerror=window.bad=1>")]
    write_folder(folder, rows, {
        "experiment": HOSTILE[0], "cells": len(rows), "data": [data_facts(name) for name in HOSTILE],
        "recipes": [{"name": name, "classifiers": [name], "selectors": [], "variants": 4, "tuned_among": 0, "orders": 0} for name in HOSTILE],
        "failed": [{"cell": name, "error": HOSTILE[0]} for name in HOSTILE],
        "convergence": [{"dataset": HOSTILE[0], "method": f"{HOSTILE[0]} c=1 top=5", "objective": [[1, 2.0], [2, 1.0]]}]})


def test_hostile_names_are_text(tmp_path):
    hostile_folder(tmp_path / "out")
    run("report", tmp_path / "out", "-o", tmp_path / "page.html", "--quiet")
    page = check_page(tmp_path / "page.html")
    assert page.source.count("<script") == 1 and "<img" not in page.source and "<b>\"" not in page.source
    assert {row[0][1] for row in page.tables["data-sets"][1:]} == set(HOSTILE)
    for svg in re.findall(r"<svg.*?</svg>", page.source, re.S):
        assert "x" * 300 not in re.sub(r"<title>.*?</title>", "", svg)  # long names are cut in charts


@pytest.mark.parametrize("measures", [3, 12])
def test_two_thousand_cells_stay_below_3_mb(tmp_path, measures):
    rng = np.random.default_rng(2)
    selectors, tops, cs = [f"selector-{k}" for k in range(5)], (10, 50, 100, 200, 400), (0.01, 0.1, 1, 10)
    rows = []
    for data, selector, top, c in itertools.product([f"data-{k}" for k in range(20)], selectors, tops, cs):
        parameters = f"select={selector} c={c} top={top}"
        for fold, measure in itertools.product(range(1, 6), range(measures)):
            rows.append((data, f"svm {parameters}", "given", "svm", parameters, "", 1, 1, 1, fold, 20, f"measure_{measure}", rng.random(), 0.1, 0.01, 5))
    write_folder(tmp_path / "out", rows, {"cells": 2000, "data": [data_facts(f"data-{k}") for k in range(20)]})
    process = run("report", tmp_path / "out", "-o", tmp_path / "page.html")
    page = check_page(tmp_path / "page.html")
    assert len(page.rows("scores-measure-0")) == 100 and len(page.rows("times")) == 2000
    is_cut = "left out, for the page would exceed 3 MB" in process.stderr
    assert is_cut == ("left out, for the page would exceed 3 MB" in page.source) and (is_cut or measures == 3)
    assert "too many to test in pairs" in page.source


def odd_rows(values, seconds=(0.1,), methods=("a", "b"), datasets=("d",), parameters="", samples=20):
    return [(data, name, "given", name, parameters, "", 1, 1, 1, fold, samples, "accuracy", value, second, second, 5)
            for data in datasets for name in methods for fold, (value, second) in enumerate(zip(values, itertools.cycle(seconds)), 1)]


@pytest.mark.parametrize("rows", [
    odd_rows([0.5]),
    odd_rows([0.5] * 4),
    odd_rows([0, 0, 0], [0]),
    odd_rows([-1, 1e-300, 5e-324], [-3, 1e-9, 1e9]),
    odd_rows([1e100, -1e100, 3]),
    odd_rows([1e17, 1e17 + 32, 1e17 + 64]),
    odd_rows([""] * 3),
    odd_rows([""] * 3, samples=0),
    odd_rows([0.25, 0.5], methods=["alone"]),
    odd_rows([0.25, 0.5], datasets=["d", "e", "f"]),
    odd_rows([0.25, 0.5], methods=["m top=5%"], parameters="top=5%"),
    [row for c in ("0", "-1", "1e300", "inf", "nan") for row in odd_rows([0.5, 0.6], methods=[f"m c={c}"], parameters=f"c={c}")],
    [(*row[:3], "m", *row[4:]) for c, d in itertools.product((1, 2), (0, 5)) for row in odd_rows([0.5, 0.6], methods=[f"m c={c} d={d}"], parameters=f"c={c} d={d}")],
    [(*row[:3], "m", *row[4:]) for c in range(300) for row in odd_rows([c / 300], methods=[f"m c={c} d={c} top={c}"], parameters=f"c={c} d={c} top={c}")],
])
def test_odd_results_are_drawn(tmp_path, rows):
    """Whatever the numbers, charts have finite places."""
    write_folder(tmp_path / "out", rows, {"cells": len(rows), "convergence": [
        {"dataset": "d", "method": "a", "objective": history} for history in ([], [[1, 1]], [[1, 1], [2, -1]], [[-5, 2], [0, 1]], [[1, 0], [2, 0]])]})
    run("report", tmp_path / "out", "-o", tmp_path / "page.html", "--quiet", timeout=60)
    page = check_page(tmp_path / "page.html")
    for svg in re.findall(r"<svg.*?</svg>", page.source, re.S):
        assert not re.search(r'(?:d|x|y|cx|cy|width|height|x1|x2)="[^"]*(?:nan|inf)', svg), svg[:2000]
    assert all(text not in ("nan", "inf", "-inf") for table in page.tables.values() for row in table for _, text in row)


def test_methods_without_values_do_not_prevent_ranks(tmp_path):
    rows = odd_rows([0.25, 0.5], datasets=["d", "e"]) + odd_rows([""], methods=["failed"], datasets=["d", "e"], samples=0)
    write_folder(tmp_path / "out", rows, {"cells": 6, "failed": [{"cell": "d, failed", "error": "no"}]})
    run("report", tmp_path / "out", "-o", tmp_path / "page.html", "--quiet")
    page = check_page(tmp_path / "page.html")
    assert [(row["method"], row["average rank"]) for row in page.rows("scores-accuracy")] == [("a", 1.5), ("b", 1.5)]
    assert "Left out: 1 method without any value." in "".join(page.text)
    assert page.rows("failed") == [{"cell": "d, failed", "error": "no"}]


def test_long_histories_are_thinned(tmp_path):
    """First and last iterations stay, and every value is that of its iteration."""
    run("synth", "-o", tmp_path / "one.arff", "--samples", 80, "--features", 8, "--single-label")
    (tmp_path / "study.toml").write_text("""
[[data]]
name = "one"
train = "one.arff"
test = "one.arff"
[[recipe]]
name = "svm"
classifier = "top-down-svm"
select = "hier-fs"
select-parameters = { iterations = [400] }
""")
    run("experiment", tmp_path / "study.toml", "-o", tmp_path / "out", "--quiet")
    run("select", tmp_path / "one.arff", "--method", "hier-fs", "--iterations", 400, "--convergence", tmp_path / "steps.csv", "--quiet")
    steps = pd.read_csv(tmp_path / "steps.csv", float_precision="round_trip").objective
    kept = json.loads((tmp_path / "out" / "summary.json").read_text())["convergence"][0]["objective"]
    assert len(steps) == 400 and 40 <= len(kept) <= 80
    assert [k for k, _ in kept] == sorted({k for k, _ in kept}) and kept[0][0] == 1 and kept[-1][0] == 400
    assert all(value == pytest.approx(steps[k - 1], rel=1e-12) for k, value in kept)
