"""The pages of the classifiers: one for each, with all its parameters."""

import pytest
from clade_tool import SOURCE, run_json


def test_every_parameter_stands_on_the_page_of_its_classifier():
    for classifier in run_json("train", "--list"):
        page = (SOURCE / "docs" / "methods" / f"{classifier['name']}.md").read_text()
        for parameter in classifier["parameters"]:
            default = "auto" if parameter["default"] is None else parameter["default"]
            default = "not given" if default is False else default
            rows = [line for line in page.splitlines() if line.startswith(f"| `{parameter['name']}` |")]
            assert len(rows) == 1 and rows[0].split("|")[2].strip(" `") == str(default), (classifier["name"], parameter)


@pytest.mark.parametrize("method", run_json("methods")["classifiers"], ids=lambda method: method["name"])
def test_every_classifier_has_a_page(method):
    page = SOURCE / "docs" / "methods" / f"{method['name']}.md"
    assert f"--classifier {method['name']}" in page.read_text()
