"""scripts/demo.sh on a few documents of WordNet and on generated ones: its summary says what its files say."""

import csv
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from clade_tool import CLADE, SOURCE

REAL = Path("/usr/share/wordnet")
FILES = {"answers.csv", "corpus", "default.clade", "default.json", "flat.clade", "flat.json", "hierarchical.clade",
         "hierarchical.json", "log.txt", "ranking.json", "report.html", "sentences.txt"}


def attempt(folder, cwd=None, **environment):
    return subprocess.run(["sh", SOURCE / "scripts" / "demo.sh"], capture_output=True, text=True, cwd=cwd,
                          env={**os.environ, "CLADE": CLADE, "DEMO_FOLDER": str(folder), "DEMO_SIZE": "small", **environment})


def demonstrate(folder, **environment):
    process = attempt(folder, **environment)
    assert process.returncode == 0, process.stdout + process.stderr
    assert process.stderr == ""
    return process.stdout.split("\nSummary\n")


def check_summary(folder, steps, summary):
    assert re.findall(r"^(\d)\. ", steps, re.M) == list("1234567")
    assert len(re.findall(r"^ +\d+\.\d  \d\. ", summary, re.M)) == 7
    right, distance = {}, {}
    for model in ("default", "flat", "hierarchical"):
        found = json.loads((folder / f"{model}.json").read_text())
        right[model], distance[model] = found["accuracy"], found["tie"] / (1 - found["accuracy"])
        assert re.search(rf"^  {model} \(\S+\) +{found['accuracy']:.4f} +{found['hierarchical_f1']:.4f} "
                         rf"+{distance[model]:.2f} edges$", summary, re.M)
        assert 0.2 < found["accuracy"] < found["hierarchical_f1"] < 1
    assert (f"most often right: {max(right, key=right.get)}; "
            f"nearest where it is wrong: {min(distance, key=distance.get)}\n") in summary
    assert steps.count("(McNemar, exact)") == 2
    ranking = json.loads((folder / "ranking.json").read_text())
    best = {node["node"]: [ranking["features"][f] for f in node["ranking"][:4]] for node in ranking["nodes"]}
    rows = re.findall(r"^    (\S.*?)  +(\w+, .*)$", summary, re.M)
    assert len(rows) >= 3 and all(words.split(", ")[:4] == best[name] for name, words in rows)
    assert f"  the page:  {folder}/report.html\n" in summary
    assert "</html>" in (folder / "report.html").read_text()[-200:]
    with open(folder / "answers.csv") as file:
        answers = [row["label"] for row in csv.DictReader(file) if row["rank"] == "1"]
    shown = re.findall(r"^    -> (.*)$", steps, re.M)
    assert len(answers) == len(shown) == 3
    assert all(way.split(" > ")[-1] == answer for way, answer in zip(shown, answers))


@pytest.mark.skipif(not (REAL / "data.noun").exists(), reason="no WordNet: install Debian's wordnet-base")
def test_on_wordnet(tmp_path):
    folder = tmp_path / "demo"
    steps, summary = demonstrate(folder)
    check_summary(folder, steps, summary)
    assert "82114 documents" in steps and "physical entity" in summary
    assert {path.name for path in folder.iterdir()} == FILES | {"train", "test"}


def test_without_wordnet(tmp_path):
    folder = tmp_path / "my demo" / "a b"
    steps, summary = demonstrate(folder, DEMO_WORDNET=str(tmp_path))
    check_summary(folder, steps, summary)
    assert f"No WordNet in {tmp_path} (package wordnet-base), so the texts are generated" in steps
    assert {path.name for path in folder.iterdir()} == FILES
    attempt(folder, CLADE="false")  # a second run begins anew
    assert {path.name for path in folder.iterdir()} < FILES | {"shown"}


def test_a_step_that_fails_is_named(tmp_path):
    process = attempt("demo", cwd=tmp_path, CLADE="false", DEMO_WORDNET="nowhere")
    assert process.returncode == 1
    assert f"demo: this failed: false synth --text -o {tmp_path}/demo/corpus/train.jsonl " in process.stderr


def test_a_folder_of_other_files_is_not_removed(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    process = attempt(tmp_path)
    assert process.returncode == 1 and process.stdout == ""
    assert process.stderr == f"demo: {tmp_path} is not empty and not of an earlier run; expected another DEMO_FOLDER\n"
    assert (tmp_path / "thesis.txt").read_text() == "precious"
