"""clade predict in constant memory: standard input and output, and the same answers as for whole files."""

import json
import subprocess

import pytest
from clade_tool import CLADE, error_line, run

DOCUMENTS = [
    ("the cat sat on the mat", "animal/cat"),
    ("a cat purrs and sleeps", "animal/cat"),
    ("the dog barks at the cat", "animal/dog"),
    ("dog bites man in the park", "animal/dog"),
    ("stocks fall as markets panic", "news/money"),
    ("bank raises interest rates again", "news/money"),
    ("team wins the final match", "news/sport"),
    ("striker scores twice in match", "news/sport"),
]


@pytest.fixture
def model(tmp_path):
    lines = [json.dumps({"text": text, "doc_label": [label]}) for text, label in DOCUMENTS]
    (tmp_path / "train.jsonl").write_text("\n".join(lines) + "\n")
    path = tmp_path / "model.clade"
    run("train", tmp_path / "train.jsonl", "--classifier", "top-down-logistic", "-o", path)
    return path


def piped(text, *arguments):
    return subprocess.run([CLADE, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60)


def test_raw_text_from_standard_input(model):
    lines = "".join(json.dumps({"text": text}) + "\n" for text, _ in DOCUMENTS)
    found = piped(lines, "predict", model, "-", "--format", "json-lines", "--to", "json-lines", "-o", "-", "--quiet")
    assert found.returncode == 0, found.stderr
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert [row["labels"][0]["label"] for row in rows] == [label for _, label in DOCUMENTS]
    assert [row["sample"] for row in rows] == [str(k) for k in range(len(rows))]


def test_standard_input_and_a_file_give_the_same(model, tmp_path):
    text = "".join(text + "\n" for text, _ in DOCUMENTS)
    (tmp_path / "new.txt").write_text(text)
    run("predict", model, tmp_path / "new.txt", "-o", tmp_path / "out.csv")
    found = piped(text, "predict", model, "-", "--format", "text-lines", "-o", "-", "--quiet")
    assert found.stdout == (tmp_path / "out.csv").read_text()
    with open(tmp_path / "sent.csv", "w") as out:
        subprocess.run([CLADE, "predict", model, tmp_path / "new.txt", "-o", "-", "--quiet"], stdout=out, check=True)
    assert (tmp_path / "sent.csv").read_text() == found.stdout


def test_wrong_usage(model, tmp_path):
    (tmp_path / "new.txt").write_text("a cat\n")
    assert "expected --format with it" in error_line("predict", model, "-", "-o", tmp_path / "out.csv")
    assert "standard output cannot hold both" in error_line("predict", model, tmp_path / "new.txt", "-o", "-", "--json")
    assert "the model has no means" in error_line("predict", model, tmp_path / "new.txt", "--missing", "mean", "-o",
                                                  tmp_path / "out.csv")
    (tmp_path / "empty.txt").write_text("")
    error_line("predict", model, tmp_path / "empty.txt", "-o", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
