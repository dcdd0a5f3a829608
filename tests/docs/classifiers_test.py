"""The pages of the classifiers: one for each, with all its parameters."""

import pytest
from clade_tool import SOURCE, run_json





@pytest.mark.parametrize("method", run_json("methods")["classifiers"], ids=lambda method: method["name"])
def test_every_classifier_has_a_page(method):
    page = SOURCE / "docs" / "methods" / f"{method['name']}.md"
    assert f"--classifier {method['name']}" in page.read_text()
