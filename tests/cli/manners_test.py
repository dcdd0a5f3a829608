"""What a guest in somebody's shell does: pipes that close, streams, colours, times, and parameters checked before the work."""

import csv
import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest
from clade_tool import CLADE, error_line, run, run_json


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manners")
    run("synth", "-o", folder / "d.arff", "--samples", 200, "--single-label")
    run("train", folder / "d.arff", "--classifier", "top-down-svm", "-o", folder / "m.clade")
    return folder


# ---- standard output


def test_predictions_go_to_standard_output_without_a_file(folder, tmp_path):
    found = run("predict", folder / "m.clade", folder / "d.arff").stdout
    assert found == run("predict", folder / "m.clade", folder / "d.arff", "-o", "-").stdout
    run("predict", folder / "m.clade", folder / "d.arff", "-o", tmp_path / "p.csv")
    assert found == (tmp_path / "p.csv").read_text()
    assert "cannot hold both" in error_line("predict", folder / "m.clade", folder / "d.arff", "--json")


@pytest.mark.parametrize("command", ["predict", "convert", "help"])
def test_a_closed_pipe_ends_quietly(folder, command):
    big = folder / "big.csv"  # more than a pipe holds
    if not big.exists():
        run("synth", "-o", big, "--samples", 6000, "--single-label", "--quiet")
    words = {"predict": ["predict", folder / "m.clade", big], "convert": ["convert", big, "-o", "/dev/stdout", "--to", "csv", "--quiet"],
             "help": ["--reference"]}[command]
    reader, writer = os.pipe()
    process = subprocess.Popen([CLADE, *map(str, words)], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    os.read(reader, 10)
    os.close(reader)
    _, said = process.communicate(timeout=60)
    assert said == "" and process.returncode == -signal.SIGPIPE


def test_explanations_as_json(folder):
    document = run_json("predict", folder / "m.clade", folder / "d.arff", "--explain", 2, "--reasons", 3)
    text = run("predict", folder / "m.clade", folder / "d.arff", "--explain", 2, "--reasons", 3).stdout
    assert len(document["explanations"]) == 2
    shown = text.strip().split("\n\n")
    for one, lines in zip(document["explanations"], shown, strict=True):
        assert lines.startswith(f"sample {one['sample']}: {one['label']} ({one['score']:.3g})")
        for step in one["steps"]:
            assert f"  {step['node']} -> {step['child']}" in lines
            assert len(step["reasons"]) <= 3
            for reason in step["reasons"]:
                assert f"{reason['contribution']:+.3f}  {reason['feature']} = " in lines
        assert one["steps"][-1]["child"] == one["label"]


def test_models_are_not_for_streams(folder):
    command = ["train", folder / "d.arff", "--classifier", "top-down-svm", "-o"]
    assert error_line(*command, "-") == "a model is not for standard output; expected a file: -o model.clade"
    assert "model -> /dev/null" in run(*command, "/dev/null").stdout
    assert run_json(*command, "/dev/null")["classifier"] == "top-down-svm"
    for words in (["convert", folder / "d.arff", "--to", "csv"], ["select", folder / "d.arff", "--method", "fisher"]):
        assert error_line(*words, "-o", "-") == "-: is not the name of a file; expected a name, or /dev/stdout"


# ---- rankings


def test_a_ranking_as_a_table(folder, tmp_path):
    run("select", folder / "d.arff", "--method", "hier-fisher", "--top", 3, "-o", tmp_path / "r.csv")
    run("select", folder / "d.arff", "--method", "hier-fisher", "--top", 3, "-o", tmp_path / "r.json")
    document = json.loads((tmp_path / "r.json").read_text())
    rows = list(csv.reader((tmp_path / "r.csv").open()))
    assert rows[0] == ["node", "rank", "feature", "weight"]
    expected = [[node["node"], str(k + 1), document["features"][f], weight]
                for node in document["nodes"] for k, (f, weight) in enumerate(zip(node["ranking"], node["weight"]))]
    assert [row[:3] for row in rows[1:]] == [row[:3] for row in expected]
    assert [float(row[3]) for row in rows[1:]] == [row[3] for row in expected]
    line = error_line("train", folder / "d.arff", "--classifier", "top-down-svm", "--features", tmp_path / "r.csv", "-o", tmp_path / "m")
    assert "expected the JSON file" in line


def test_info_shows_a_ranking(folder, tmp_path):
    run("select", folder / "d.arff", "--method", "hier-fisher", "-o", tmp_path / "r.json")
    document = json.loads((tmp_path / "r.json").read_text())
    text = run("info", tmp_path / "r.json").stdout
    assert "(ranking)" in text and "hier-fisher" in text
    shown = run_json("info", tmp_path / "r.json")
    assert shown["format"] == "ranking" and shown["method"] == "hier-fisher" and shown["features"] == 20
    for node, found in zip(document["nodes"], shown["nodes"], strict=True):
        assert found["node"] == node["node"] and found["samples"] == node["samples"]
        best = [document["features"][f] for f in node["ranking"][:8]]
        assert found["best"] == best and ", ".join(best) in text


# ---- equal runs, equal bytes


@pytest.mark.parametrize("classifier", ["top-down-svm", "top-down-logistic", "path-svm", "hierarchical-svm", "hierarchical-perceptron"])
def test_equal_runs_give_equal_models(folder, tmp_path, classifier):
    for name in ("a", "b"):
        run("train", folder / "d.arff", "--classifier", classifier, "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert run_json("info", tmp_path / "a")["seconds"] is None


def test_equal_runs_give_equal_rankings(folder, tmp_path):
    for name in ("a.json", "b.json"):
        run("select", folder / "d.arff", "--method", "hirr-fam", "-o", tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_fresh_model_says_how_long_it_took(folder, tmp_path):
    assert run_json("train", folder / "d.arff", "--classifier", "top-down-svm", "-o", tmp_path / "m")["seconds"] > 0


# ---- parameters before data


TOO_EARLY = [
    (["train", "--classifier", "top-down-svm", "--c", "-1", "-o", "m"], "--c: '-1'"),
    (["train", "--classifier", "top-down-svm", "--kernel", "rbf", "-o", "m"], "top-down-svm has no parameter --kernel"),
    (["train", "--classifier", "hierarchical-svm", "--class-similarity", "s.csv", "--select", "hier-fisher", "-o", "m"], "know no nodes"),
    (["train", "--classifier", "flat-perceptron", "--variant", "minover", "--select", "hirr-fam", "-o", "m"], "expected a ranking for the whole data set"),
    (["train", "--classifier", "forest", "--select", "hier-fs", "-o", "m"], "expected a ranking of all features together"),
    (["train", "--classifier", "hierarchical-svm", "--kernel", "rbf", "--select", "fisher", "-o", "m"], "expected --kernel linear"),
    (["train", "--classifier", "hierarchical-svm", "--kernel", "rbf", "--bias", "1", "-o", "m"], "--bias has no effect"),
    (["train", "--classifier", "hierarchical-svm", "--kernel", "rbf", "--c-grid", "1,10", "-o", "m"], "--c-grid is for --kernel linear"),
    (["train", "--classifier", "hierarchical-svm", "--c-grid", "1,x", "-o", "m"], "--c-grid: '1,x'"),
    (["train", "--classifier", "hierarchical-svm", "--node-volumes", "v.csv", "-o", "m"], "--node-volumes has no effect"),
    (["train", "--classifier", "top-down-svm", "--select", "hier-fs", "--select-parameters", "lambda=-1", "-o", "m"], "--lambda: '-1'"),
    (["train", "--classifier", "top-down-svm", "--select", "hier-fs", "--top", "many", "-o", "m"], "--top: 'many'"),
    (["train", "--classifier", "top-down-svm", "--features", "r.json", "--top", "200%", "-o", "m"], "--top: '200%'"),
    (["evaluate", "--classifier", "forest", "--select", "hier-fisher", "--folds", "3"], "expected a ranking of all features together"),
    (["evaluate", "--classifier", "path-svm"], "expected either --folds N or --fold-file FILE"),
    (["select", "--method", "hier-fs", "--lambda", "x"], "--lambda: 'x'"),
    (["select", "--method", "hier-fs", "--top", "0"], "--top: '0'"),
    (["select", "--method", "fisher", "--nodes", "a"], "ranks features for the whole data set"),
    (["select", "--method", "laplacian", "--bias"], "fits no labels"),
    (["select", "--method", "hufs"], "hufs needs a feature hierarchy"),
    (["select", "--method", "hier-fs", "--as-published", "--solver", "exact"], "--as-published has no exact solution"),
    (["select", "--method", "hier-fs", "--memory", "lots"], "lots"),
    (["learn-taxonomy", "--linkage", "ward", "-o", "t.csv"], "--linkage: 'ward'"),
    (["feature-tree", "--method", "file", "-o", "t.json"], "expected --groups FILE"),
    (["cluster", "--clusters", "-2"], "--clusters: '-2'"),
    (["predict", "no.clade", "--policy", "lucky"], "--policy: 'lucky'"),
]


@pytest.mark.parametrize("words, said", TOO_EARLY, ids=[" ".join(words) for words, _ in TOO_EARLY])
def test_parameters_are_checked_before_data_are_read(tmp_path, words, said):
    line = error_line(*words, "no-such-file.csv", cwd=tmp_path)
    assert said in line and "no such file" not in line


# ---- colour and times


def on_a_terminal(*words, **environment):
    """What the tool says on standard error if that is a terminal."""
    main, side = pty.openpty()
    process = subprocess.Popen([CLADE, *map(str, words)], stdout=subprocess.DEVNULL, stderr=side,
                               env={**os.environ, "TERM": "xterm", **environment})
    os.close(side)
    said = b""
    while True:
        try:
            part = os.read(main, 1000)
        except OSError:
            break
        if not part:
            break
        said += part
    process.wait()
    os.close(main)
    return said.decode()


def test_colour_is_for_terminals_that_want_it(folder, tmp_path):
    assert on_a_terminal("info", "no.csv") == "\x1b[31mclade:\x1b[0m no.csv: no such file; expected a file to read\r\n"
    assert on_a_terminal("info", "no.csv", NO_COLOR="1") == "clade: no.csv: no such file; expected a file to read\r\n"
    assert on_a_terminal("info", "no.csv", TERM="dumb") == "clade: no.csv: no such file; expected a file to read\r\n"
    assert "\x1b[33mclade:\x1b[0m" in on_a_terminal("info", folder / "d.arff", "--verbose")
    assert "\x1b" not in run("info", folder / "d.arff", "--verbose").stderr


def test_verbose_says_how_long_each_step_took(folder, tmp_path):
    process = run("train", folder / "d.arff", "--classifier", "top-down-svm", "-o", tmp_path / "m", "-v", "--quiet")
    assert [re.fullmatch(r"clade: (\w+): \d+\.\d{3} s", line)[1] for line in process.stderr.splitlines()] == [
        "reading", "training", "writing", "all"]
    assert run("train", folder / "d.arff", "--classifier", "top-down-svm", "-o", tmp_path / "n", "--quiet").stderr == ""
    process = run("predict", tmp_path / "m", folder / "d.arff", "--verbose")
    assert process.stdout == run("predict", tmp_path / "m", folder / "d.arff").stdout
    assert "clade: predicting: " in process.stderr


def test_progress_does_not_fill_a_pipe(tmp_path):
    run("synth", "-o", tmp_path / "d.npz", "--depth", 3, "--fanout", 5, "--samples", 4000, "--features", 60, "--single-label")
    start = time.monotonic()
    process = run("evaluate", tmp_path / "d.npz", "--classifier", "top-down-logistic", "--folds", 5, "--threads", 1)
    seconds = time.monotonic() - start
    lines = [line for line in process.stderr.splitlines() if " %" in line]
    assert len(lines) <= seconds / 10, process.stderr


@pytest.mark.parametrize("name", ["jsonl", "ndjson", "JSON-lines", "json_lines", "jsonlines", "json"])
def test_formats_have_their_usual_names(tmp_path, name):
    (tmp_path / "data").write_text('{"text": "a word", "doc_label": ["x"]}\n')
    assert run_json("info", tmp_path / "data", "--format", name)["samples"] == 1


@pytest.mark.parametrize("name, ending", [("svmlight", "svm"), ("matlab", "mat"), ("mtx", "mtx"), ("MatrixMarket", "mtx"), ("svm", "svm"), ("tab", "tsv")])
def test_formats_are_written_by_their_usual_names(tmp_path, name, ending):
    (tmp_path / "d.csv").write_text("x,y,label\n1,2,a\n3,4,b\n")
    run("convert", tmp_path / "d.csv", "-o", tmp_path / "out", "--to", name)
    run("convert", tmp_path / "d.csv", "-o", tmp_path / f"out.{ending}")
    assert (tmp_path / "out").stat().st_size == (tmp_path / f"out.{ending}").stat().st_size
    run("split", tmp_path / "d.csv", "-o", tmp_path / "parts", "--test", "50%", "--to", name)
    assert all(path.name.endswith((f".{ending}", ".meta.json")) for path in (tmp_path / "parts").iterdir())
