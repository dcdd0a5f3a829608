"""clade train, predict and evaluate: the examples of the pages."""

import pytest
from clade_tool import SOURCE, run_json
from pages import run_page

COMMANDS = ("synth", "select", "train", "predict", "evaluate", "info")


@pytest.mark.parametrize("page, count", [("docs/train.md", 3), ("docs/predict.md", 6)])
def test_the_examples_of_the_pages_are_what_the_tool_gives(tmp_path, page, count):
    assert run_page(page, tmp_path, COMMANDS) == count
