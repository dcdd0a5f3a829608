"""Values of extreme sizes: training learns the same from them, or says that it cannot."""

import random

import pytest
from clade_tool import error_line, run, run_json
from hierarchy_cases import predictions

# All that look at features.
CLASSIFIERS = [method["name"] for method in run_json("methods")["classifiers"] if method["name"] != "prior"]
CENTRE = {leaf: [random.Random(k).gauss(0, 3) for k in range(5 * n, 5 * n + 5)] for n, leaf in enumerate(["a/p", "a/q", "b/r", "b/s"])}


def write(path, factor):
    generator = random.Random(8)
    rows = [(leaf, [(m + generator.gauss(0, 1)) * factor for m in CENTRE[leaf]]) for leaf in list(CENTRE) * 12]
    path.write_text("v,w,x,y,z,label\n" + "".join(",".join(map(repr, values)) + f",{leaf}\n" for leaf, values in rows))
    return path


def labels(folder, data, *training):
    run("train", data, *training, "-o", folder / "m.clade", "--force")
    run("predict", folder / "m.clade", data, "-o", folder / "p.csv", "--force")
    return {sample: found for sample, (found, _) in predictions(folder / "p.csv").items()}


# Powers of two change exponents alone, so standard deviations and lengths take them out without a rounding.
@pytest.mark.parametrize("power", [-400, -200, -133, 133, 200, 400])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_size_of_values_does_not_matter(tmp_path, classifier, power):
    plain = labels(tmp_path, write(tmp_path / "plain.csv", 1.0), "--classifier", classifier)
    scaled = write(tmp_path / "scaled.csv", 2.0**power)
    assert labels(tmp_path, scaled, "--classifier", classifier) == plain
    assert run_json("evaluate", tmp_path / "m.clade", scaled)["accuracy"] > 0.8


@pytest.mark.parametrize("power", [-990, 990])
def test_trees_take_values_of_any_size(tmp_path, power):
    plain = labels(tmp_path, write(tmp_path / "plain.csv", 1.0), "--classifier", "forest")
    assert labels(tmp_path, write(tmp_path / "scaled.csv", 2.0**power), "--classifier", "forest") == plain


@pytest.mark.parametrize("factor", [1e-300, 1e300])
@pytest.mark.parametrize("classifier", [name for name in CLASSIFIERS if name != "forest"])
def test_values_without_squares_are_refused(tmp_path, classifier, factor):
    line = error_line("train", write(tmp_path / "d.csv", factor), "--classifier", classifier, "-o", tmp_path / "m.clade")
    assert "squares of such values are beyond the range of numbers" in line


@pytest.mark.parametrize("classifier", ["hierarchical-perceptron", "flat-perceptron", "hieron"])
@pytest.mark.parametrize("kind, expected", [("apart", "yes"), ("zeros", "no")])
def test_ranked_rightly_is_said_of_what_is(tmp_path, classifier, kind, expected):
    rows = ["10,0,a", "0,10,b", "11,0,a", "0,11,b"] if kind == "apart" else ["0,0,a", "0,0,b", "0,0,c"]
    (tmp_path / "d.csv").write_text("x,y,label\n" + "\n".join(rows) + "\n")
    shown = run_json("train", tmp_path / "d.csv", "--classifier", classifier, "-o", tmp_path / "m.clade")
    assert shown["summary"]["ranks all training samples rightly"] == expected
