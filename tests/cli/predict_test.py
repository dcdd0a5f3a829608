"""clade predict: policies, batches, features by name, raw text, explanations, bad input, several at once."""

import json
import subprocess

import numpy as np
import pytest
from clade_tool import CLADE, attempt, error_line, run, run_json
from hierarchy_cases import DEEP, Problem, predictions

CLASSIFIERS = ["top-down-svm", "top-down-logistic", "path-svm", "dnc-svm"]


@pytest.fixture(scope="module")
def problem():
    problem = Problem(11, DEEP, 90, 8)
    problem.x += np.random.default_rng(3).normal(size=problem.x.shape)
    return problem


@pytest.fixture(scope="module")
def files(tmp_path_factory, problem):
    folder = tmp_path_factory.mktemp("files")
    for classifier in CLASSIFIERS:
        run("train", *problem.write(folder), "--classifier", classifier, "-o", folder / f"{classifier}.clade")
    return folder


def predicted(files, out, classifier, *arguments, data="data.csv"):
    taxonomy = ["--taxonomy", files / "tree.csv"]
    path = data if hasattr(data, "parts") else files / data
    run("predict", files / f"{classifier}.clade", path, *taxonomy, *arguments, "-o", out, "--force")
    return predictions(out)


# ---- policies


def test_the_best_path_is_not_less_likely_than_the_greedy_one(files, tmp_path):
    greedy = predicted(files, tmp_path / "p.csv", "top-down-logistic", "--policy", "greedy")
    best = predicted(files, tmp_path / "p.csv", "top-down-logistic", "--policy", "best")
    assert predicted(files, tmp_path / "p.csv", "top-down-logistic") == best
    assert all(best[s][1][0] >= greedy[s][1][0] - 1e-12 for s in best)
    assert predicted(files, tmp_path / "p.csv", "top-down-logistic", "--policy", "best", "--beam", 1) == greedy
    assert predicted(files, tmp_path / "p.csv", "top-down-logistic", "--policy", "best", "--beam", 1000) == best


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_fewer_labels_are_the_first_of_more(files, tmp_path, problem, classifier):
    whole = predicted(files, tmp_path / "p.csv", classifier, "--policy", "best", "--top-k", 100)
    leaves = {n for n in problem.names if n not in problem.internal}
    for labels, scores in whole.values():
        assert set(labels) == leaves and len(labels) == len(leaves)
        assert scores == sorted(scores, reverse=True)
        if classifier != "path-svm":
            assert sum(scores) == pytest.approx(1)
    for count in (1, 2, 5):
        part = predicted(files, tmp_path / "p.csv", classifier, "--policy", "best", "--top-k", count)
        assert part == {s: (labels[:count], scores[:count]) for s, (labels, scores) in whole.items()}


def test_confidence_answers_above_the_greedy_leaf(files, tmp_path, problem):
    greedy = predicted(files, tmp_path / "p.csv", "top-down-logistic", "--policy", "greedy")
    inner = 0
    for confidence in (0.3, 0.6, 0.95, 1):
        found = predicted(files, tmp_path / "p.csv", "top-down-logistic", "--confidence", confidence)
        for s, ((label,), (score,)) in found.items():
            assert score >= confidence
            assert label in problem.above(greedy[s][0][0])
            assert label == greedy[s][0][0] or greedy[s][1][0] < confidence
            inner += label in problem.internal
    assert inner > 0


# ---- what a row depends on


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_rows_are_predicted_one_by_one(files, tmp_path, classifier):
    whole = predicted(files, tmp_path / "p.csv", classifier)
    header, *lines = (files / "data.csv").read_text().splitlines()
    pieces = {}
    for begin in range(0, 90, 37):
        part = tmp_path / "part.csv"
        part.write_text("\n".join([header, *reversed(lines[begin:begin + 37])]) + "\n")
        pieces.update(predicted(files, tmp_path / "q.csv", classifier, data=part))
    assert pieces == whole
    for threads in (1, 2, 3):
        assert predicted(files, tmp_path / "q.csv", classifier, "--threads", threads) == whole


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_labels_in_the_data_are_ignored(files, tmp_path, classifier):
    whole = predicted(files, tmp_path / "p.csv", classifier)
    other = tmp_path / "other.csv"
    lines = [line.rsplit(",", 1)[0] for line in (files / "data.csv").read_text().splitlines()]
    other.write_text("\n".join([lines[0] + ",label", *(line + ",n8" for line in lines[1:])]) + "\n")
    assert predicted(files, tmp_path / "q.csv", classifier, data=other) == whole


def test_features_are_found_by_name(files, tmp_path):
    whole = predicted(files, tmp_path / "p.csv", "top-down-svm")
    rows = [line.split(",") for line in (files / "data.csv").read_text().splitlines()]
    order = [0, 4, 2, 8, 7, 6, 1, 3, 5, 9]
    other = tmp_path / "other.csv"
    other.write_text("\n".join(",".join([*(row[k] for k in order[:3]), "new" if s == 0 else "99", *(row[k] for k in order[3:])])
                               for s, row in enumerate(rows)) + "\n")
    run("predict", files / "top-down-svm.clade", other, "--taxonomy", files / "tree.csv", "-o", tmp_path / "q.csv")
    assert predictions(tmp_path / "q.csv") == {s: (labels, pytest.approx(scores)) for s, (labels, scores) in whole.items()}


def test_sparse_rows_may_lack_the_last_features(tmp_path, problem):
    arguments = problem.write(tmp_path, sparse=True)
    run("train", *arguments, "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    (tmp_path / "short.svm").write_text("n8 1:0.5 2:1\nn8 3:2\n")
    (tmp_path / "full.svm").write_text("n8 1:0.5 2:1\nn8 3:2 8:0\n")
    found = []
    for name in ("short", "full"):
        run("predict", tmp_path / "m.clade", tmp_path / f"{name}.svm", "-o", tmp_path / f"{name}.csv")
        found.append(predictions(tmp_path / f"{name}.csv"))
    assert found[0] == found[1]
    (tmp_path / "long.svm").write_text("n8 9:0.5\n")
    assert "9 features and the model 8" in error_line("predict", tmp_path / "m.clade", tmp_path / "long.svm", "-o", tmp_path / "l.csv")


TEXTS = {"sport/ball": "goal kick team match score", "sport/race": "engine wheel lap finish driver", "food": "bread cheese wine oven"}


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_raw_text_is_read_with_the_words_of_training(tmp_path, classifier):
    generator = np.random.default_rng(2)
    lines = [{"doc_label": [label], "text": " ".join(generator.choice(words.split(), 4))}
             for _ in range(12) for label, words in TEXTS.items()]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run("train", tmp_path / "d.jsonl", "--classifier", classifier, "-o", tmp_path / "m.clade")
    assert run_json("info", tmp_path / "m.clade")["vectorizer"]
    new = [("goal team nonsense", "sport/ball"), ("cheese bread", "food"), ("driver lap lap", "sport/race")]
    (tmp_path / "n.jsonl").write_text("".join(json.dumps({"doc_label": ["food"], "text": text}) + "\n" for text, _ in new))
    run("predict", tmp_path / "m.clade", tmp_path / "n.jsonl", "-o", tmp_path / "p.csv")
    assert [labels[0] for labels, _ in predictions(tmp_path / "p.csv").values()] == [label for _, label in new]


# ---- explanations and JSON


def test_explanations_name_the_steps(files, problem):
    text = run("predict", files / "top-down-svm.clade", files / "data.csv", "--taxonomy", files / "tree.csv", "--explain", 2,
               "--reasons", 3, "--quiet").stdout
    paragraphs = text.strip().split("\n\n")
    assert len(paragraphs) == 2
    for s, paragraph in enumerate(paragraphs):
        lines = paragraph.splitlines()
        assert lines[0].startswith(f"sample s{s}: ")
        label = lines[0].split(": ")[1].split()[0]
        steps = [line.split() for line in lines if "->" in line]
        assert steps[0][0] == "n0" and steps[-1][2].rstrip(":") == label
        assert len(steps) == len(problem.above(label)) - 1
        assert sum("=" in line for line in lines) <= 3 * len(steps)


def test_json(files, tmp_path):
    assert run_json("predict", files / "path-svm.clade", files / "data.csv", "--taxonomy", files / "tree.csv", "-o",
                    tmp_path / "p.csv")["samples"] == 90


# ---- bad input

BAD = {
    "top-k with greedy": (["--policy", "greedy", "--top-k", 2], "--top-k needs the probabilities of whole paths"),
    "beam with greedy": (["--policy", "greedy", "--beam", 2], "--beam has no effect"),
    "confidence with best": (["--policy", "best", "--confidence", 0.5], "expected --policy greedy"),
    "confidence above 1": (["--confidence", 1.5], "--confidence: '1.5'; expected a number, 0 to 1"),
    "negative confidence": (["--confidence", -0.1], "--confidence: '-0.1'"),
    "top-k -1": (["--top-k", -1], "--top-k: '-1'"),
    "unknown policy": (["--policy", "lucky"], "expected one of auto, greedy, best"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(files, tmp_path, case):
    arguments, expected = BAD[case]
    line = error_line("predict", files / "top-down-svm.clade", files / "data.csv", "--taxonomy", files / "tree.csv", *arguments, "-o",
                      tmp_path / "p.csv")
    assert expected in line
    assert list(tmp_path.iterdir()) == []


def test_confidence_is_not_for_paths(files, tmp_path):
    assert "--confidence" in error_line("predict", files / "path-svm.clade", files / "data.csv", "--confidence", 0.5, "-o",
                                        tmp_path / "p.csv")


@pytest.mark.parametrize("content", [b"", b"sample,label\n", b"\x89CLADE\r\n", b"\x89CLADE\r\n" + bytes(200)])
def test_what_is_no_model(files, tmp_path, content):
    (tmp_path / "m.clade").write_bytes(content)
    assert "m.clade: " in error_line("predict", tmp_path / "m.clade", files / "data.csv", "-o", tmp_path / "p.csv")
    assert not (tmp_path / "p.csv").exists()


def test_what_is_no_data(files, tmp_path):
    model, out = files / "top-down-svm.clade", tmp_path / "p.csv"
    (tmp_path / "d.csv").write_text("")
    assert "d.csv: empty file" in error_line("predict", model, tmp_path / "d.csv", "-o", out)
    (tmp_path / "d.csv").write_text("x0,x1,label\n1,2,n8\n")
    assert "the data lack 6 of the model's 8 features: x2, x3" in error_line("predict", model, tmp_path / "d.csv", "-o", out)
    (tmp_path / "d.csv").write_text(",".join([*(f"x{k}" for k in range(8)), "label"]) + "\n1,2,3,4,5,6,,8,n8\n")
    assert "d.csv:2" in error_line("predict", model, tmp_path / "d.csv", "-o", out)
    error_line("predict", model, tmp_path / "d.csv", "--missing", "keep", "-o", out)
    assert not out.exists()
    assert "no such file" in error_line("predict", model, tmp_path / "none.csv", "-o", out)
    assert "no such file" in error_line("predict", tmp_path / "none.clade", files / "data.csv", "-o", out)


def test_where_the_predictions_go(files, tmp_path):
    command = ["predict", files / "top-down-svm.clade", files / "data.csv", "--taxonomy", files / "tree.csv"]
    assert "No such file or directory" in attempt(*command, "-o", tmp_path / "none" / "p.csv").stderr
    (tmp_path / "p.csv").write_text("precious")
    assert "exists already; use --force" in error_line(*command, "-o", tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text() == "precious"
    run(*command, "-o", tmp_path / "p.csv", "--force")
    assert len(predictions(tmp_path / "p.csv")) == 90


def test_several_at_once(files, tmp_path):
    expected = predicted(files, tmp_path / "p.csv", "top-down-svm")
    processes = [subprocess.Popen([CLADE, "predict", files / "top-down-svm.clade", files / "data.csv", "--taxonomy", files / "tree.csv",
                                   "-o", tmp_path / f"{k}.csv"], stdout=subprocess.DEVNULL) for k in range(4)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    for k in range(4):
        assert predictions(tmp_path / f"{k}.csv") == expected


def test_a_model_that_is_replaced_does_no_harm(files, tmp_path):
    model = tmp_path / "m.clade"
    model.write_bytes((files / "top-down-svm.clade").read_bytes())
    command = ["predict", model, files / "data.csv", "--taxonomy", files / "tree.csv"]
    process = subprocess.Popen([CLADE, *map(str, command), "-o", tmp_path / "p.csv"], stdout=subprocess.DEVNULL)
    run("train", files / "data.csv", "--taxonomy", files / "tree.csv", "--classifier", "top-down-logistic", "-o", model, "--force")
    assert process.wait() == 0
    assert len(predictions(tmp_path / "p.csv")) == 90
