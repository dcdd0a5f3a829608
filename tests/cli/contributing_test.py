"""What CONTRIBUTING.md asks of a format, for every row of `clade formats`: its page and its fuzz target."""

import pytest

from clade_tool import SOURCE, run_json

# Formats that share a page or a target with others; all else goes by the name.
PAGES = {"tsv": "csv", "npz": "npy", "json-lines": "text", "text-lines": "text", "text-folder": "text"}
TARGETS = {"tsv": ["csv"], "mat": ["mat5", "mat73"], "text-folder": ["text_tar"]}

FORMATS = run_json("formats")


@pytest.mark.parametrize("name", [row["name"] for row in FORMATS["data"]])
def test_a_data_format_has_its_page_and_its_fuzz_target(name):
    page = (SOURCE / "docs" / "formats" / f"{PAGES.get(name, name)}.md").read_text()
    assert f"--format {name}" in page or f"`{name}`" in page, f"the page does not say the name {name}"
    for target in TARGETS.get(name, [name.replace("-", "_")]):
        assert (SOURCE / "fuzz" / f"{target}_fuzz.cpp").is_file()
        assert list((SOURCE / "fuzz" / "corpus" / target).iterdir())


@pytest.mark.parametrize("name", [row["name"] for row in FORMATS["taxonomies"]])
def test_a_taxonomy_format_has_its_place_on_the_page_and_its_fuzz_target(name):
    assert f"| `{name}` |" in (SOURCE / "docs" / "formats" / "taxonomy.md").read_text()
    target = "taxonomy_" + name.replace("-", "_")
    assert (SOURCE / "fuzz" / f"{target}_fuzz.cpp").is_file()
    assert list((SOURCE / "fuzz" / "corpus" / target).iterdir())


def test_endings_of_a_format_are_on_its_page():
    for row in FORMATS["data"]:
        page = (SOURCE / "docs" / "formats" / f"{PAGES.get(row['name'], row['name'])}.md").read_text()
        for ending in row["endings"]:
            assert f"`{ending}`" in page, f"{row['name']}: {ending}"
