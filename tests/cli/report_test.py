"""clade report: the page as HTML, its numbers against clade evaluate and counts by hand, odd names and hierarchies, sizes."""

import csv
import json
import re
from collections import Counter

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem, predictions
from html_page import Page, check_page, close


def make(folder, problem, classifier, *more, test=None):
    """Trains on a problem and reports on it, or on another; returns the page's path and the arguments of the data."""
    data = problem.write(folder)
    run("train", *data, "--classifier", classifier, *more, "-o", folder / "m.clade", "--quiet")
    if test:
        data = test.write(folder)
    run("report", folder / "m.clade", "--data", *data, "-o", folder / "page.html", "--quiet")
    return folder / "page.html", data


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A tree, one label per sample, probabilities; measured on samples that were not trained on."""
    folder = tmp_path_factory.mktemp("plain")
    problem = Problem(5, DEEP, 260, 6)
    path, data = make(folder, problem.part(range(160)), "top-down-logistic", test=problem.part(range(160, 260)))
    evaluation = run_json("evaluate", folder / "m.clade", *data, "--breakdown", "--confusions", 20)
    run("predict", folder / "m.clade", *data, "-o", folder / "p.csv", "--quiet")
    found = predictions(folder / "p.csv")
    truth = [labels[0] for labels in problem.part(range(160, 260)).labels]
    return folder, check_page(path), data, evaluation, problem, list(zip(truth, (found[f"s{k}"][0][0] for k in range(100))))


# ---- numbers


def test_measures_are_those_of_evaluate(plain):
    _, page, _, evaluation, _, _ = plain
    rows = page.rows("measures")
    assert {row["measure"] for row in rows} == {name for name in evaluation if f"{name}" in evaluation["baseline"]
                                                 and evaluation[name] is not None}
    for row in rows:
        assert row["value"] == close(evaluation[row["measure"]])
        if isinstance(row["baseline"], float):
            assert row["baseline"] == close(evaluation["baseline"][row["measure"]])
        if isinstance(row["low"], float):
            assert row["low"] <= row["value"] <= row["high"]
    assert page.cards["accuracy"] == close(evaluation["accuracy"])


def test_levels_are_those_of_evaluate(plain):
    _, page, _, evaluation, _, _ = plain
    for row, level in zip(page.rows("levels"), evaluation["levels"], strict=True):
        assert row["samples"] == level["samples"] and row["right"] == close(level["right"] / level["samples"])
        assert (row["true"], row["predicted"]) == (level["support"], level["predicted"])
        assert row["F1"] == close(level["f1"])


def test_the_hierarchy_of_the_scripts_is_that_of_evaluate(plain):
    _, page, _, evaluation, problem, _ = plain
    data = page.data
    assert data["names"] == [node["node"] for node in evaluation["nodes"]]
    for key in ("support", "predicted", "correct"):
        assert data[key] == [node[key] for node in evaluation["nodes"]]
    for name, parents in zip(data["names"], data["parents"]):
        assert [data["names"][p] for p in parents] == problem.parents[name]


def test_mistakes_and_where_samples_go_are_counted_by_hand(plain):
    _, page, _, evaluation, problem, pairs = plain
    wrong = [(t, p) for t, p in pairs if t != p]
    distances = Counter(len(problem.above(t) ^ problem.above(p)) for t, p in wrong)
    assert {row["distance"]: row["mistakes"] for row in page.rows("mistake-distances") if row["mistakes"]} == dict(distances)
    near = sum(1 for t, p in wrong if problem.parents[t][0] in problem.above(p) and problem.parents[t] != ["n0"])
    assert f"{near} of {len(wrong)} mistakes stay below the right parent" in "".join(page.text)
    counts = Counter()
    for truth, predicted in pairs:
        t, p = problem.above(truth), problem.above(predicted)
        for child in t - {"n0"}:
            node = problem.parents[child][0]
            others = [c for c in p if problem.parents[c] == [node]]
            counts[node, child, child if child in p else others[0] if others else -1 if node in p else -2] += 1
    data = page.data
    names = [*data["names"], -2, -1]  # of the places -2 and -1, counted from the end
    found = Counter()
    for node, flat in data["branches"].items():
        for child, went, count in zip(flat[::3], flat[1::3], flat[2::3]):
            found[names[int(node)], names[child], names[went]] += count
    assert found == counts


def test_confusions_are_those_of_evaluate_with_their_samples(plain):
    _, page, _, evaluation, _, pairs = plain
    rows = [(row["true"], row["taken for"], row["samples"], row["cost"]) for row in page.rows("confusions")]
    assert rows == [(c["true"], c["predicted"], c["count"], c["cost"]) for c in evaluation["most_costly_confusions"]]
    blocks = re.findall(r'<details class="example"[^>]*><summary>(\S+) <.*?</span> (\S+) .*?</details>', page.source, re.S)
    assert blocks == [(true, predicted) for true, predicted, _, _ in rows]
    for block in re.findall(r'<details class="example".*?</details>', page.source, re.S):
        true, predicted = re.match(r".*?<summary>(\S+) <.*?</span> (\S+) ", block, re.S).groups()
        samples = re.findall(r"<li><b>s(\d+)</b>", block)
        assert 1 <= len(samples) <= 3
        assert all(pairs[int(s)] == (true, predicted) for s in samples)


def test_reliability_is_counted_by_hand(plain):
    folder, page, _, evaluation, _, pairs = plain
    found = predictions(folder / "p.csv")
    bins = {}
    for k, (truth, predicted) in enumerate(pairs):
        score = found[f"s{k}"][1][0]
        bins.setdefault(min(int(15 * score), 14), []).append((score, truth == predicted))
    rows = page.rows("reliability")
    assert [row["samples"] for row in rows] == [len(bins[b]) for b in sorted(bins)]
    for row, b in zip(rows, sorted(bins), strict=True):
        assert row["mean probability"] == close(sum(s for s, _ in bins[b]) / len(bins[b]))
        assert row["share that is right"] == close(sum(r for _, r in bins[b]) / len(bins[b]))
    error = sum(row["samples"] * abs(row["mean probability"] - row["share that is right"]) for row in rows) / len(pairs)
    assert error == close(evaluation["expected_calibration_error"])
    for row, point in zip(page.rows("coverage"), evaluation["coverage"], strict=True):
        assert row["accuracy"] == close(point["accuracy"]) and row["answered"] == close(point["coverage"])


def test_early_stopping_is_counted_by_hand(plain):
    folder, page, data, _, problem, pairs = plain
    run("predict", folder / "m.clade", *data, "--levels", "-o", folder / "levels.csv", "--quiet", "--force")
    with (folder / "levels.csv").open(newline="") as file:
        paths = [[(row[f"level_{k}"], float(row[f"level_{k}_probability"])) for k in (1, 2, 3) if row[f"level_{k}"]]
                 for row in csv.DictReader(file)]
    rows = page.rows("early-stopping")
    assert rows[0]["threshold"] == 0 and rows[0]["in full"] == 1
    for row in rows:
        answers = [[node for node, p in path if p >= row["threshold"]] for path in paths]
        answered = [(a[-1], truth) for a, (truth, _) in zip(answers, pairs) if a]
        assert row["answered"] == close(len(answered) / len(pairs))
        assert row["right"] == close(sum(node in problem.above(truth) for node, truth in answered) / len(answered))
        assert row["in full"] == close(sum(len(a) == len(p) for a, p in zip(answers, paths)) / len(pairs))
        assert row["depth"] == close(sum(len(a) / len(p) for a, p in zip(answers, paths)) / len(pairs))


def test_words_of_a_node_are_those_of_explain(plain):
    folder, page, _, _, _, _ = plain
    data = page.data
    for node, name in enumerate(data["names"][1:], 1):
        explained = run_json("explain", folder / "m.clade", "--class", name, "--top", 8)["decisions"][0]
        found = [(data["words"][w], v) for w, v in zip(data["for"][node][::2], data["for"][node][1::2])]
        assert [w for w, _ in found] == [one["feature"] for one in explained["for"]]
        assert [v for _, v in found] == [pytest.approx(one["weight"], rel=1e-3) for one in explained["for"]]


# ---- all kinds of data


def test_several_labels_over_a_dag(tmp_path):
    problem = Problem(7, DAG, 240, 8, multi=True)
    path, data = make(tmp_path, problem.part(range(160)), "kernel-ridge", test=problem.part(range(160, 240)))
    page = check_page(path)
    evaluation = run_json("evaluate", tmp_path / "m.clade", *data, "--breakdown")
    assert "precision-recall" in page.figures
    assert page.cards["au_prc"] == close(evaluation["au_prc"])
    assert page.data["correct"] == [node["correct"] for node in evaluation["nodes"]]
    assert page.data["kind"] == "training sample"
    # Samples that went to the right child are those that both are there, whatever the parent.
    names = page.data["names"]
    for node, flat in page.data["branches"].items():
        for child, went, count in zip(flat[::3], flat[1::3], flat[2::3]):
            if child == went:
                assert count == page.data["correct"][child]
            if went >= 0:
                assert names[int(node)] in problem.parents[names[went]]
    test = problem.part(range(160, 240))
    below = {name: [name in set().union(*map(test.above, labels)) for labels in test.labels] for name in names}
    for node, name in enumerate(names[1:], 1):
        own = np.array(below[name])
        around = np.any([below[parent] for parent in problem.parents[name]], axis=0) & ~own
        if own.sum() < 2 or around.sum() < 2:
            assert page.data["marks"][node] == []
            continue
        differences = (test.x[own].mean(axis=0) - test.x[around].mean(axis=0)) / test.x.std(axis=0)
        order = np.argsort(-np.abs(differences))
        flat = page.data["marks"][node]
        assert [page.data["words"][w] for w in flat[::2]] == [f"x{f}" for f in order]
        assert flat[1::2] == [pytest.approx(differences[f], rel=1e-3) for f in order]
    wrong = sum(row["mistakes"] for row in page.rows("mistake-distances"))
    every = run_json("evaluate", tmp_path / "m.clade", *data, "--breakdown", "--confusions", 100000)
    assert wrong == sum(c["count"] for c in every["most_costly_confusions"])


@pytest.mark.parametrize("classifier, more", [
    ("top-down-svm", []), ("top-down-svm", ["--multiclass", "one-vs-one"]), ("path-svm", []), ("hierarchical-svm", []),
    ("flat-perceptron", []), ("hieron", []), ("forest", []), ("blend", []), ("prior", [])])
@pytest.mark.parametrize("several", [False, True])
def test_every_kind_of_model_with_labels_at_inner_nodes(tmp_path, classifier, more, several):
    problem = Problem(11, DEEP, 150, 5, multi=several, inner=True)
    path, data = make(tmp_path, problem, classifier, *more)
    page = check_page(path)
    evaluation = run_json("evaluate", tmp_path / "m.clade", *data, "--breakdown")
    assert page.data["names"] == [node["node"] for node in evaluation["nodes"]]
    assert page.data["correct"] == [node["correct"] for node in evaluation["nodes"]]
    for row in page.rows("measures"):
        assert row["value"] == close(evaluation[row["measure"]]), row["measure"]
    for _, flat in page.data["branches"].items():
        assert all(count == page.data["correct"][child] for child, went, count in zip(flat[::3], flat[1::3], flat[2::3])
                   if child == went)


def test_missing_values_that_the_model_takes(tmp_path):
    problem = Problem(12, DEEP, 120, 5)
    problem.x[::7, 2] = np.nan
    path, _ = make(tmp_path, problem, "forest")
    page = check_page(path)
    assert any(page.data["for"]) or page.data["marks"]


def test_names_are_text_and_never_markup(tmp_path):
    odd = ["<script>alert(1)</script>", "a&b\"c'", "</script><!--", "日本語 ünï", "{x} %s", "e\u202evil"]
    rows = [[name, str(k % 7), str(i), f"{i}{k % 3}"] for i, name in enumerate(odd) for k in range(12)]
    with (tmp_path / "d.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["label", "<b>", "y\"", "z"], *rows])
    run("train", tmp_path / "d.csv", "--label-column", "label", "--label-paths", "no", "--classifier", "top-down-logistic",
        "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", tmp_path / "d.csv", "--label-column", "label", "--label-paths", "no",
        "-o", tmp_path / "page.html", "--title", "<i>title</i>", "--quiet")
    page = check_page(tmp_path / "page.html")
    assert set(odd) <= set(page.data["names"])
    assert ("h1", "<i>title</i>") in page.headings
    assert page.source.count("<script") == 2  # the data and the scripts
    assert "<b>" in page.data["words"]


def test_one_class_and_no_mistakes(tmp_path):
    (tmp_path / "d.csv").write_text("x,label\n" + "".join(f"{k},only\n" for k in range(10)))
    run("train", tmp_path / "d.csv", "--classifier", "prior", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", tmp_path / "d.csv", "-o", tmp_path / "page.html", "--quiet")
    page = check_page(tmp_path / "page.html")
    assert page.cards["accuracy"] == 1
    assert "There are no mistakes." in "".join(page.text)


def test_labels_that_the_model_does_not_know(tmp_path):
    (tmp_path / "d.csv").write_text("x,label\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(20)))
    (tmp_path / "t.csv").write_text("x,label\n" + "".join(f"{k},{'abc'[k % 3]}\n" for k in range(21)))
    run("train", tmp_path / "d.csv", "--classifier", "top-down-logistic", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", tmp_path / "t.csv", "-o", tmp_path / "page.html", "--quiet")
    page = check_page(tmp_path / "page.html")
    node = page.data["names"].index("c")
    assert (page.data["support"][node], page.data["predicted"][node]) == (7, 0)
    assert "labels that the model does not know: 1" in "".join(page.text)


def test_texts_of_confused_samples(tmp_path):
    rows = [{"title": f"{'red blue'.split()[k % 2]} thing {k} {'<&>' * (k % 5)}", "label": "uv"[(k + k // 7) % 2]} for k in range(80)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps({"text": r["title"], "code": f"c{k}", "label": r["label"]}) + "\n"
                                              for k, r in enumerate(rows)))
    arguments = [tmp_path / "d.jsonl", "--label-field", "label"]
    run("train", *arguments, "--classifier", "top-down-logistic", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *arguments, "-o", tmp_path / "page.html", "--quiet")
    page = check_page(tmp_path / "page.html")
    assert any(row["title"] in "".join(page.text) for row in rows)
    run("report", tmp_path / "m.clade", "--data", *arguments, "-o", tmp_path / "page.html", "--quiet", "--force", "--show", "code",
        "--max-texts", 1)
    page = check_page(tmp_path / "page.html")
    shown = re.findall(r"<p>(c\d+)</p>", page.source)
    assert len(shown) == len(page.rows("confusions"))
    run("report", tmp_path / "m.clade", "--data", *arguments, "-o", tmp_path / "page.html", "--quiet", "--force", "--max-texts", 0)
    assert '<details class="example"' not in (tmp_path / "page.html").read_text()
    said = error_line("report", tmp_path / "m.clade", "--data", *arguments, "-o", tmp_path / "x.html", "--show", "nothing", "--quiet")
    assert "'nothing'" in said and not (tmp_path / "x.html").exists()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Ten thousand nodes."""
    folder = tmp_path_factory.mktemp("large")
    common = ["--text", "--levels", "100,900,9000", "--words", 5000, "--length", 20, "--quiet"]
    run("synth", "-o", folder / "d.jsonl", *common, "--documents", 12000, "--taxonomy-out", folder / "tree.csv")
    run("synth", "-o", folder / "t.jsonl", *common, "--documents", 2000, "--first", 12000, "--noise", 0)
    run("train", folder / "d.jsonl", "--taxonomy", folder / "tree.csv", "--classifier", "top-down-svm", "-o", folder / "m.clade", "--quiet")
    run("report", folder / "m.clade", "--data", folder / "t.jsonl", "--taxonomy", folder / "tree.csv", "-o", folder / "page.html",
        "--quiet")
    return folder / "page.html"


def test_ten_thousand_nodes(large):
    page = check_page(large)
    assert len(page.data["names"]) == 10001 and page.data["left_out"] == 0


def test_a_very_deep_hierarchy(tmp_path):
    depth = 3000
    edges = [f"n{k + 1},n{k}\n" for k in range(depth)] + [f"a,n{depth}\n", f"b,n{depth}\n"]
    (tmp_path / "tree.csv").write_text("child,parent\n" + "".join(edges) + "c,n0\nd,c\n")
    (tmp_path / "d.csv").write_text("x,label\n" + "".join(f"{k % 3},{'abd'[k % 5 % 3]}\n" for k in range(30)))
    arguments = [tmp_path / "d.csv", "--taxonomy", tmp_path / "tree.csv"]
    run("train", *arguments, "--classifier", "top-down-logistic", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *arguments, "-o", tmp_path / "page.html", "--quiet")
    page = check_page(tmp_path / "page.html")
    assert len(page.rows("levels")) == 200
    assert sum(row["mistakes"] for row in page.rows("mistake-distances")) == sum(row["samples"] for row in page.rows("confusions"))


def test_long_names_do_not_make_long_pages(tmp_path):
    names = [f"class {k:04d} {'long ' * 200}" for k in range(800)]
    header = ",".join(["label", *(f"feature {j} {'wide ' * 20}" for j in range(20))])
    rows = [",".join([name, *(str((k * 7 + j * 13) % 17) for j in range(20))]) for k, name in enumerate(names)]
    (tmp_path / "d.csv").write_text("\n".join([header, *rows, *rows]) + "\n")
    arguments = [tmp_path / "d.csv", "--label-paths", "no", "--label-column", "label"]
    run("train", *arguments, "--classifier", "prior", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *arguments, "-o", tmp_path / "page.html", "--quiet", "--confusions", 1000,
        "--max-texts", 100)
    page = check_page(tmp_path / "page.html")
    assert page.data["left_out"] == 801 - len(page.data["names"]) > 0


# ---- manners


def test_equal_input_gives_equal_bytes(plain, tmp_path):
    folder, page, data, _, _, _ = plain
    for threads in (1, 3):
        run("report", folder / "m.clade", "--data", *data, "-o", tmp_path / f"{threads}.html", "--threads", threads, "--quiet")
        assert (tmp_path / f"{threads}.html").read_text() == page.source


def test_output_and_usage(plain, tmp_path):
    folder, page, data, evaluation, _, _ = plain
    output = tmp_path / "page.html"
    said = run_json("report", folder / "m.clade", "--data", *data, "-o", output)
    assert said == {"output": str(output), "samples": 100, "bytes": output.stat().st_size}
    assert "exists" in error_line("report", folder / "m.clade", "--data", *data, "-o", output, "--quiet")
    assert output.read_text() == page.source
    assert "--data" in error_line("report", folder / "m.clade", "-o", output)
    assert "not a model" in error_line("report", data[0], "--data", *data, "-o", tmp_path / "x.html")
    assert error_line("report", folder / "m.clade", "--data", *data, "-o", folder / "m.clade", "--force")
    (tmp_path / "unlabelled.csv").write_text("x0,x1,x2,x3,x4,x5\n1,2,3,4,5,6\n")
    error_line("report", folder / "m.clade", "--data", tmp_path / "unlabelled.csv", "-o", tmp_path / "x.html", "--quiet")
    assert not (tmp_path / "x.html").exists()
    without = run_json("report", folder / "m.clade", "--data", *data, "-o", output, "--force", "--resamples", 0)
    assert without["bytes"] < said["bytes"] and "low" not in Page(output).rows("measures")[0]
