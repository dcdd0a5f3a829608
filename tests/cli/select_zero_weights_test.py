"""Rankings that say nothing are refused, wherever features are selected; the common part of lccshfs; too strong couplings."""

import json

import numpy as np
import pytest
from clade_tool import error_line, run, run_json

ANIMALS = """hair,eggs,barks,climbs,label
1.2,0,0.1,0.9,mammal/cat
1,0,0.4,1,mammal/cat
0.9,0.1,0.1,1,mammal/cat
1,0.1,0.9,0,mammal/dog
1.1,0,1.1,0,mammal/dog
0.9,0,1,0.1,mammal/dog
0,0.7,0.1,0.1,bird/finch
0.1,0.8,0,0.1,bird/finch
0,0.9,0.2,0,bird/owl
0,1,0.1,0.2,bird/owl
"""


@pytest.fixture
def animals(tmp_path):
    path = tmp_path / "animals.csv"
    path.write_text(ANIMALS)
    return path


def test_a_ranking_without_weights_is_refused_and_names_the_penalty(animals, tmp_path):
    output = tmp_path / "ranking.json"
    common = ["select", animals, "--method", "eufs", "--clusters", 2, "--beta", 1e6]
    said = error_line(*common, "-o", output, "--quiet")
    assert said == "every weight is 0: no feature is selected; expected a smaller --beta, or --allow-zero-weights"
    assert not output.exists()
    found = run_json(*common, "--allow-zero-weights")
    assert found["nodes"][0]["weight"] == [0, 0, 0, 0]
    assert found["nodes"][0]["ranking"] == [0, 1, 2, 3]
    assert any("every weight is 0" in note for note in found["notes"])


def test_an_exact_solution_without_weights_is_refused(animals):
    common = ["select", animals, "--method", "hier-fs", "--solver", "exact", "--gap", 1e-14, "--quiet"]
    assert "a smaller --lambda" in error_line(*common, "--lambda", 1000)
    assert run_json(*common[:-1], "--lambda", 1000, "--allow-zero-weights")["nodes"][0]["weight"] == [0] * 4


def test_single_nodes_without_weights_are_named(animals):
    # 2 ||X_j'Y|| is about 9 at the root and 4 below birds.
    found = run_json("select", animals, "--method", "hier-fs", "--solver", "exact", "--lambda", 6)
    weights = {node["node"]: max(node["weight"]) for node in found["nodes"]}
    without = [name for name, largest in weights.items() if largest == 0]
    assert without == ["bird"]
    assert [note for note in found["notes"] if "every weight is 0" in note] == [
        "nodes where every weight is 0 (a smaller --lambda may help): bird"
    ]


def test_training_refuses_them_too(animals, tmp_path):
    common = ["train", animals, "--classifier", "top-down-svm", "--select", "hier-fs", "--top", 2, "-o", tmp_path / "m.clade",
              "--quiet", "--select-parameters"]
    assert "every weight is 0" in error_line(*common, "solver=exact,gap=1e-14,lambda=1000")
    run(*common, "solver=exact,gap=1e-14,lambda=1000,allow-zero-weights=true")


def test_a_cell_of_an_experiment_fails_with_the_error(animals, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text("""
[[data]]
name = "animals"
file = "animals.csv"
folds = 2

[[recipe]]
name = "svm"
classifier = "top-down-svm"
select = "hier-fs"
select-parameters = { solver = "exact", gap = 1e-14, lambda = [0.1, 1000] }
top = 2
""")
    process = run("experiment", study, "-o", tmp_path / "study", status=1)
    assert "every weight is 0" in process.stdout + process.stderr
    text = study.read_text().replace("lambda =", "allow-zero-weights = true, lambda =")
    study.write_text(text)
    run("experiment", study, "-o", tmp_path / "other")


def tree(tmp_path, samples=120, features=12, seed=3):
    rng = np.random.default_rng(seed)
    leaves = ["a/b/1", "a/b/2", "a/c/1", "a/c/2", "d/e", "d/f", "g"]
    lines = [",".join([f"x{k}" for k in range(features)] + ["label"])]
    centres = {leaf: rng.normal(size=features) for leaf in leaves}
    for s in range(samples):
        leaf = leaves[s % len(leaves)]
        lines.append(",".join([repr(v) for v in (rng.normal(size=features) + centres[leaf]).tolist()] + [leaf]))
    path = tmp_path / "tree.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_common_features_are_those_of_the_parent(tmp_path):
    path = tree(tmp_path)
    arguments = ["select", path, "--method", "lccshfs", "--alpha", 0.5]
    own = {node["node"]: node for node in run_json(*arguments, "--output-common")["nodes"]}
    common = {node["node"]: node for node in run_json(*arguments, "--part", "common")["nodes"]}
    above = {"a": "(root)", "d": "(root)", "a/b": "a", "a/c": "a"}
    assert set(common) == {"(root)", *above}
    assert common["(root)"]["ranking"] == own["(root)"]["ranking"]
    for node, parent in above.items():
        assert common[node]["ranking"] == own[parent]["ranking"] == own[node]["common"]
        assert common[node]["weight"] == own[parent]["weight"]
    # They can be trained on.
    ranking = tmp_path / "common.json"
    run(*arguments, "--part", "common", "-o", ranking)
    found = run_json("evaluate", path, "--classifier", "top-down-svm", "--features", ranking, "--top", 3, "--folds", 3)
    assert 0 < found["decision_accuracy"] <= 1


def test_couplings_without_a_minimum_go_on_as_published(tmp_path):
    path = tree(tmp_path)
    arguments = ["select", path, "--method", "lccshfs", "--alpha", 30, "--iterations", 3]
    assert "diverges with alpha 30" in error_line(*arguments, "--quiet")
    found = run_json(*arguments, "--as-published")
    assert any("has no minimum" in note for note in found["notes"])
    assert np.isfinite([node["weight"] for node in found["nodes"]]).all()
    assert "diverges" in error_line(*arguments[:-1], 1000, "--as-published", "--quiet")


def test_the_logistic_loss_is_in_the_parameters_of_the_ranking(animals, tmp_path):
    output = tmp_path / "ranking.json"
    run("select", animals, "--method", "hirr-fam", "--loss", "logistic", "--lambda", 0.1, "-o", output)
    assert json.loads(output.read_text())["parameters"]["loss"] == "logistic"
