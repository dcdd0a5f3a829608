"""The pictures of the documentation: small, shown somewhere, and each with the command that makes it."""

import re
from fnmatch import fnmatch

import pytest
from clade_tool import SOURCE
from page_examples import pages

IMAGES = SOURCE / "docs" / "images"
PICTURES = sorted(path for path in IMAGES.rglob("*") if path.suffix in (".png", ".svg"))


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_small_shown_and_listed(path):
    assert path.stat().st_size < 150_000
    name = path.relative_to(IMAGES).as_posix()
    assert any(f"images/{name})" in (SOURCE / page).read_text() for page in pages()), f"no page shows {name}"
    listed = re.findall(r"`([^`]+)`", "".join(re.findall(r"^\| (.*?) \|", (IMAGES / "README.md").read_text(), re.M)))
    assert any(fnmatch(name, pattern) for pattern in listed), f"docs/images/README.md does not say what makes {name}"


def test_the_script_makes_all_screenshots():
    made = re.findall(r'^    Picture\("([^"]+)"', (SOURCE / "scripts" / "screenshots.py").read_text(), re.M)
    there = [path.stem for path in PICTURES if path.parent == IMAGES and path.suffix == ".png"]
    assert sorted(made) == sorted(there)
