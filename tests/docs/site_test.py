"""The site that `make docs` builds has every page in its navigation, every command has a page, and indexes are complete."""

import json
import re
import subprocess
import sys

import pytest
from clade_tool import CLADE, SOURCE

sys.path.insert(0, str(SOURCE / "scripts"))
from markdown_pages import links, with_links  # noqa: E402

PAGES = {path.relative_to(SOURCE / "docs").as_posix() for path in (SOURCE / "docs").rglob("*.md")}
# Pages that serve several commands.
SHARED = {"man": "help", "completion": "help"}


def navigation():
    """The pages of the navigation, in order. Its lines are `- page.md` or `- Title: page.md`."""
    nav = (SOURCE / "docs" / "mkdocs.yml").read_text().split("\nnav:\n")[1]
    return re.findall(r"^ *- (?:[^#\n]*: )?([\w./-]+\.md)$", nav, re.M)


def test_every_page_is_in_the_navigation_once():
    shown = navigation()
    assert sorted(set(shown)) == sorted(shown)
    made = {"headers.md"}  # by scripts/site.py
    own = {page for page in shown if not page.startswith("repository/")} - made
    assert PAGES - own == set(), "expected these pages in docs/mkdocs.yml"
    assert own - PAGES == set(), "docs/mkdocs.yml names pages that are not there"


def test_pages_from_elsewhere_are_there():
    for page in navigation():
        if page.startswith("repository/"):
            file = SOURCE / page.removeprefix("repository/")
            assert file.exists() or file.parent.is_dir(), page


@pytest.mark.parametrize("command", json.loads(
    subprocess.run([CLADE, "help", "--json"], capture_output=True, text=True, check=True).stdout)["commands"])
def test_a_command_has_its_page(command):
    page = SHARED.get(command, command) + ".md"
    assert page in PAGES, f"expected docs/{page}"
    assert re.search(rf"clade {command}\b", (SOURCE / "docs" / page).read_text())
    assert f"`clade {command}" in (SOURCE / "docs" / "commands.md").read_text()


@pytest.mark.parametrize("index, below", [("README.md", ""), ("methods/README.md", "methods/"), ("formats/README.md", "formats/")])
def test_an_index_names_every_page_beside_it(index, below):
    path = SOURCE / "docs" / index
    named = {below + target.partition("#")[0] for _, target in links(path.read_text())}
    beside = {page for page in PAGES if page.rpartition("/")[0] + "/" == (below or "/") and page != index}
    assert beside - named == set(), f"expected links to these pages in docs/{index}"


def test_links_are_changed_where_they_are_and_nowhere_else():
    page = "a [x](y.md#z) `[x](y.md)`\n\n    [x](y.md)\n\n![p](q.svg \"title\")\n"
    assert with_links(page, str.upper) == page.replace("(y.md#z)", "(Y.MD#Z)").replace("(q.svg", "(Q.SVG")
