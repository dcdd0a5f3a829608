"""clade train, predict and evaluate: the examples of the pages."""

import pytest
from clade_tool import DATA, SOURCE, run_json
from pages import run_page

COMMANDS = ("synth", "select", "train", "predict", "explain", "evaluate", "info")


@pytest.mark.parametrize("page, count", [
    ("docs/train.md", 7), ("docs/predict.md", 10), ("docs/methods/top-down-svm.md", 2), ("docs/methods/top-down-logistic.md", 2),
    ("docs/methods/node-scores.md", 2), ("docs/methods/kernel-ridge.md", 2), ("docs/methods/prior.md", 2), ("docs/methods/blend.md", 2), ("docs/methods/path-svm.md", 3), ("docs/methods/hierarchical-perceptron.md", 3),
    ("docs/methods/flat-perceptron.md", 2), ("docs/methods/hieron.md", 3), ("docs/methods/calibration.md", 3), ("docs/methods/dnc-svm.md", 2),
    ("docs/methods/hierarchical-svm.md", 4), ("docs/methods/flat-svm.md", 3),
    ("docs/methods/forest.md", 5)])
def test_the_examples_of_the_pages_are_what_the_tool_gives(tmp_path, page, count):
    assert run_page(page, tmp_path, COMMANDS) == count


def test_the_examples_of_the_page_on_looking_at_data(tmp_path):
    name = "cellcycle_GO.train.arff"
    real = next(DATA.glob(f"cellcycle_GO/{name}*"), None)
    if real is None:
        pytest.skip(f"no {name} in {DATA}: set CLADE_DATA to the folder of data sets")
    (tmp_path / name).symlink_to(real.resolve())
    assert run_page("docs/info.md", tmp_path, COMMANDS) == 6


@pytest.mark.parametrize("method", run_json("methods")["classifiers"], ids=lambda method: method["name"])
def test_every_classifier_has_a_page(method):
    page = SOURCE / "docs" / "methods" / f"{method['name']}.md"
    assert f"--classifier {method['name']}" in page.read_text()
