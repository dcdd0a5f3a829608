"""Every relative link of every page in the repository leads to a file that is there, and to a heading that it has."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from clade_tool import SOURCE

sys.path.insert(0, str(SOURCE / "scripts"))
from markdown_pages import anchor_of, anchors, headings, links  # noqa: E402


def all_pages():
    paths = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.md")]
    return sorted(path.as_posix() for path in paths if path.parts[0] != "build")


def tracked_pages():
    if not shutil.which("git"):
        return all_pages()
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-co", "--exclude-standard", "*.md"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.split("\n") if name and (SOURCE / name).exists()]
    return all_pages()  # no checkout


def faults_of(page):
    path = SOURCE / page
    for line, target in links(path.read_text()):
        if target.split(":")[0] in ("http", "https", "mailto"):
            continue
        file, _, anchor = unquote(target).partition("#")
        aim = Path(os.path.normpath(path.parent / file)) if file else path
        if not aim.exists():
            yield f"{page}:{line}: no file {target}"
        elif SOURCE not in aim.parents and aim != SOURCE:
            yield f"{page}:{line}: {target} leaves the repository"
        elif anchor and (aim.suffix != ".md" or anchor not in anchors(aim.read_text())):
            yield f"{page}:{line}: no heading for {target}"


@pytest.mark.parametrize("page", tracked_pages())
def test_links_lead_somewhere(page):
    assert list(faults_of(page)) == []


def test_anchors_follow_github():
    assert anchor_of("Scores of all nodes: `--nodes`") == "scores-of-all-nodes---nodes"
    assert anchor_of("What is `a_b`, and (why) *not* c/d?") == "what-is-a_b-and-why-not-cd"
    assert anchor_of("[Größe](x.md) & more") == "größe--more"
    page = "# A\n## B\n\n    ## no heading\n\n```\n# none\n```\n## B\n"
    assert [anchor for *_, anchor in headings(page)] == ["a", "b", "b-1"]


def test_links_in_code_are_none():
    page = "see [x](a.md#b) and `[y](c.md)`\n\n    [z](d.md)\n\n- [l](e.md)\n    [m](f.md)\n\n```\n[n](g.md)\n```\n"
    assert links(page) == [(1, "a.md#b"), (5, "e.md"), (6, "f.md")]
