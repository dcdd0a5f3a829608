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


def demonstrate(folder, **environment):
    process = subprocess.run(["sh", SOURCE / "scripts" / "demo.sh"], capture_output=True, text=True,
                             env={**os.environ, "CLADE": CLADE, "DEMO_FOLDER": str(folder), "DEMO_SIZE": "small", **environment})
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
    folder = tmp_path / "demo"
    steps, summary = demonstrate(folder, DEMO_WORDNET=str(tmp_path))
    check_summary(folder, steps, summary)
    assert f"No WordNet in {tmp_path} (package wordnet-base), so the texts are generated" in steps
    assert {path.name for path in folder.iterdir()} == FILES


def test_a_step_that_fails_is_named(tmp_path):
    process = subprocess.run(["sh", SOURCE / "scripts" / "demo.sh"], capture_output=True, text=True,
                             env={**os.environ, "CLADE": "false", "DEMO_FOLDER": str(tmp_path / "demo"), "DEMO_SIZE": "small"})
    assert process.returncode == 1 and "demo: this failed: false " in process.stderr
