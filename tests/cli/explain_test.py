"""clade predict --explain for models that compare all classes at once, and clade explain, against the weights of the model."""

import json

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from hierarchy_cases import DAG, DEEP, Problem

PATHS = ["path-svm"]
JOINT = ["hierarchical-svm", "flat-svm", "hierarchical-perceptron", "flat-perceptron"]


def read_model(path):
    data = path.read_bytes()
    length = int(np.frombuffer(data, "<u8", 1, 24)[0])
    description = json.loads(data[64: 64 + length])
    begin = (64 + length + 63) // 64 * 64
    arrays = {name: np.frombuffer(data, "<" + kind[0] + str(int(kind[1:]) // 8), count, begin + offset)
              for name, kind, offset, count in description["arrays"]}
    return description, arrays


def strings(arrays, name):
    offsets = arrays[name + "_offsets"]
    return [bytes(arrays[name][a:b]).decode() for a, b in zip(offsets, offsets[1:])]


def class_weights(path, features):
    """Weights (and bias as the last) of every class of a linear path or joint model over a tree, by name."""
    description, arrays = read_model(path)
    names = strings(arrays, "taxonomy_names")
    count = int(arrays["node_outputs"][0])
    table = np.zeros((count, features + 1))
    table[:, -1] = arrays["bias"][:count]
    outputs = arrays["outputs_u16"] if "outputs_u16" in arrays else arrays["outputs_u32"]
    weights = arrays["weights_f32"] if "weights_f32" in arrays else arrays["weights_f64"]
    for place, feature in enumerate(arrays["features"][: int(arrays["node_features"][0])]):
        for e in range(arrays["offsets"][place], arrays["offsets"][place + 1]):
            table[outputs[e], feature] = weights[e]
    children = arrays["children"]
    if description["kind"] == "classes":
        scores = {}
        for y, node in enumerate(children):
            inside = slice(arrays["attribute_offset"][y], arrays["attribute_offset"][y + 1])
            scores[names[node]] = arrays["attribute_value"][inside] @ table[arrays["attribute_index"][inside]]
        return scores
    parent = dict(zip(arrays["taxonomy_children"], arrays["taxonomy_parents"]))
    place = {node: o for o, node in enumerate(children)}
    scores = {}
    for node in children:
        if node in parent.values():
            continue
        path_nodes = [node]
        while parent[path_nodes[-1]] != 0:
            path_nodes.append(parent[path_nodes[-1]])
        path_nodes.reverse()
        scores[names[node]] = sum(arrays["level_weights"][k] * table[place[n]] for k, n in enumerate(path_nodes))
    return scores


@pytest.mark.parametrize("classifier", PATHS + JOINT)
def test_contributions_are_weights_times_values(tmp_path, classifier):
    problem = Problem(11, DEEP, 60, 6)
    arguments = problem.write(tmp_path)
    model = tmp_path / "m.clade"
    run("train", *arguments, "--classifier", classifier, "--scale", "none", "-o", model)
    scores = class_weights(model, 6)
    text = run("predict", model, *arguments, "--explain", 5, "--reasons", 6).stdout
    samples = text.strip("\n").split("\n\n")
    assert len(samples) == 5
    for s, shown in enumerate(samples):
        lines = shown.splitlines()
        value = {name: weights @ np.append(problem.x[s], 1) for name, weights in scores.items()}
        best, rival = sorted(value, key=value.get, reverse=True)[:2]
        assert lines[0].startswith(f"sample s{s}: {best} (")
        assert lines[1].startswith(f"  n0 -> {best}  ahead of {rival} by ")
        assert float(lines[1].rsplit(" ", 1)[1]) == pytest.approx(value[best] - value[rival], rel=1e-2)
        expected = (scores[best] - scores[rival])[:-1] * problem.x[s]
        found = {line.split()[1]: float(line.split()[0]) for line in lines[2:]}
        for feature, contribution in enumerate(expected):
            if f"x{feature}" in found:
                assert found[f"x{feature}"] == pytest.approx(contribution, abs=1e-3)
            else:
                assert contribution == 0
        assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize("classifier", PATHS + JOINT)
@pytest.mark.parametrize("node", ["n8", "n1"])
def test_the_most_telling_features_of_a_class(tmp_path, classifier, node):
    problem = Problem(12, DEEP, 60, 6)
    model = tmp_path / "m.clade"
    run("train", *problem.write(tmp_path), "--classifier", classifier, "--scale", "none", "-o", model)
    scores = class_weights(model, 6)
    inside = [weights for name, weights in scores.items() if node in problem.above(name)]
    outside = [weights for name, weights in scores.items() if node not in problem.above(name)]
    expected = (np.mean(inside, axis=0) - np.mean(outside, axis=0))[:-1]
    found = run_json("explain", model, "--class", node, "--top", 4)
    assert found["class"] == node and [one["at"] for one in found["decisions"]] == ["n0"]
    order = np.argsort(-expected)
    decision = found["decisions"][0]
    assert [one["feature"] for one in decision["for"]] == [f"x{f}" for f in order if expected[f] > 0][:4]
    assert [one["feature"] for one in decision["against"]] == [f"x{f}" for f in order[::-1] if expected[f] < 0][:4]
    for one in decision["for"] + decision["against"]:
        assert one["weight"] == pytest.approx(expected[int(one["feature"][1:])], rel=1e-6)


def test_top_down_decisions(tmp_path):
    problem = Problem(13, DAG, 80, 5)
    model = tmp_path / "m.clade"
    run("train", *problem.write(tmp_path), "--classifier", "top-down-svm", "-o", model)
    found = run_json("explain", model, "--class", "n4")
    assert [one["at"] for one in found["decisions"]] == ["n1", "n2"]  # a node of two parents is chosen at both
    for one in found["decisions"]:
        weights = [entry["weight"] for entry in one["for"]]
        assert weights == sorted(weights, reverse=True) and all(weight > 0 for weight in weights)
    assert "n4 at n1, against its siblings" in run("explain", model, "--class", "n4").stdout


def test_what_cannot_be_explained(tmp_path):
    problem = Problem(14, DEEP, 60, 5)
    arguments = problem.write(tmp_path)
    model = tmp_path / "m.clade"
    run("train", *arguments, "--classifier", "hierarchical-svm", "--kernel", "rbf", "-o", model)
    assert "the model has no 'mars'" in error_line("explain", model, "--class", "mars")
    votes = tmp_path / "v.clade"
    run("train", *arguments, "--classifier", "top-down-svm", "--multiclass", "one-vs-one", "-o", votes)
    assert "votes" in error_line("explain", votes, "--class", "n1")
    assert "never chooses 'n0'" in error_line("explain", votes, "--class", "n0")
