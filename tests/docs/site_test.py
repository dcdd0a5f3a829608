"""The site that `make docs` builds has every page in its navigation, every command has a page, and indexes are complete."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from clade_tool import CLADE, FULL, SOURCE

sys.path.insert(0, str(SOURCE / "scripts"))
from markdown_pages import links, with_links  # noqa: E402

PAGES = {path.relative_to(SOURCE / "docs").as_posix() for path in (SOURCE / "docs").rglob("*.md")
         if path.parent.name != "images"}  # where notes say how pictures are made
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
    assert re.search(rf"`clade {command}[ `]", (SOURCE / "docs" / "commands.md").read_text())


@pytest.mark.parametrize("index, below", [
    ("README.md", ""), ("methods/README.md", "methods/"), ("formats/README.md", "formats/")])
def test_an_index_names_every_page_beside_it(index, below):
    path = SOURCE / "docs" / index
    named = {below + target.partition("#")[0] for _, target in links(path.read_text())}
    beside = {page for page in PAGES if page.rpartition("/")[0] + "/" == (below or "/") and page != index}
    assert beside - named == set(), f"expected links to these pages in docs/{index}"


def test_links_are_changed_where_they_are_and_nowhere_else():
    page = "a [x](y.md#z) `[x](y.md)`\n\n    [x](y.md)\n\n![p](q.svg \"title\")\n"
    assert with_links(page, str.upper) == page.replace("(y.md#z)", "(Y.MD#Z)").replace("(q.svg", "(Q.SVG")


def run_script(name, *arguments):
    command = ["/usr/bin/python3", "-B", SOURCE / "scripts" / name, *arguments]
    return subprocess.run(command, cwd=SOURCE, capture_output=True, text=True)


def test_gathered_pages_link_to_each_other(tmp_path):
    """What scripts/site.py gathers, without mkdocs: every link is a file there, also where the page left docs/."""
    root = tmp_path / "source"
    result = run_script("site.py", root)
    assert result.returncode == 0, result.stderr
    pages = sorted(root.rglob("*.md"))
    wrong = [f"{page.relative_to(root)}: {target}" for page in pages for _, target in links(page.read_text())
             if not re.match("[a-z]+:|#|cpp/", target) and not (page.parent / target.partition("#")[0]).is_file()]
    assert wrong == []
    for page in navigation():
        assert (root / page).is_file(), page
    assert "## Text { #text }" in (root / "synth.md").read_text()


def test_the_check_of_a_site_finds_faults(tmp_path):
    (tmp_path / "a.html").write_text('<h1 id="top">A</h1><a href="b.html#here">b</a><a href="https://example.org">out</a>')
    (tmp_path / "b.html").write_text('<p id="here">B</p><a href="a.html#top">a</a><img src="data:image/png;base64,AA">')
    assert run_script("check_site.py", tmp_path).returncode == 0
    (tmp_path / "b.html").write_text('<a href="c.html">c</a><a href="a.html#no">a</a><a href="../x.html">x</a>'
                                     '<img src="https://example.org/p.png">')
    result = run_script("check_site.py", tmp_path)
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        "a.html: b.html#here has no such anchor", "b.html: c.html is not there", "b.html: a.html#no has no such anchor",
        "b.html: ../x.html leaves the site", "b.html: https://example.org/p.png is loaded from the network"]


@pytest.mark.skipif(not FULL, reason="CLADE_FULL=1 builds the whole site")
@pytest.mark.skipif(not shutil.which("mkdocs") or not shutil.which("doxygen"),
                    reason="no mkdocs or no doxygen: scripts/setup.sh docs installs them")
def test_the_site_is_built_without_a_warning():
    result = subprocess.run([SOURCE / "scripts" / "docs.sh"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "WARNING" not in (SOURCE / "build" / "docs" / "mkdocs.log").read_text()
