"""Models of earlier versions, one of every kind: they are read, and answer as they did (tests/compat/make.py writes them)."""

import csv
import json

import pytest
from clade_tool import SOURCE, run, run_json

FOLDERS = sorted(path.parent for path in (SOURCE / "tests" / "compat").glob("*/asked.json"))
MODELS = [(folder, name) for folder in FOLDERS for name in json.loads((folder / "asked.json").read_text())]


def rows(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def test_there_are_models_of_every_kind():
    for folder in FOLDERS:
        shown = [run_json("info", path) for path in sorted(folder.glob("*.clade"))]
        assert {model["prediction"] for model in shown} == {"top-down", "paths", "classes", "nodes"}


@pytest.mark.parametrize("folder, name", MODELS, ids=[f"{folder.name}-{name}" for folder, name in MODELS])
def test_it_answers_as_it_did(tmp_path, folder, name):
    asked = json.loads((folder / "asked.json").read_text())[name]
    tree = folder / asked.get("taxonomy", "tree.csv")
    run("predict", folder / f"{name}.clade", folder / asked["data"], "--taxonomy", tree, *asked["predict"], "-o", tmp_path / "p.csv")
    found, expected = rows(tmp_path / "p.csv"), rows(folder / f"{name}.csv")
    assert [(row["sample"], row["rank"], row["label"]) for row in found] == [(row["sample"], row["rank"], row["label"]) for row in expected]
    # Another processor may round otherwise.
    assert [float(row["score"]) for row in found] == pytest.approx([float(row["score"]) for row in expected], rel=1e-9, abs=1e-9)


def test_there_are_models_of_every_version_of_the_format():
    found = {int.from_bytes(path.read_bytes()[12:16], "little") for folder in FOLDERS for path in folder.glob("*.clade")}
    assert found == {1, 2}
