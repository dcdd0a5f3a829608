"""Links between pages: the files are there, and so are the headings."""

import functools
import re

import pytest
from clade_tool import SOURCE
from page_examples import pages

LINK = re.compile(r"\]\(\s*([^)\s:]*)\s*\)")


@functools.cache
def anchors(path):
    """What `#...` may name on a page: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S), flags=re.M)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page):
    folder = (SOURCE / page).parent
    broken = []
    for target in LINK.findall((SOURCE / page).read_text()):
        name, _, anchor = target.partition("#")
        path = folder / name if name else SOURCE / page
        if not path.exists() or anchor and anchor not in anchors(path):
            broken.append(target)
    assert not broken, f"{page}: {broken}"
