"""The Python examples of the documentation, run as they stand: what `>>>` prints is what the page shows below it."""

import doctest
import re

import pytest

from clade_tool import SOURCE
from near_text import NearChecker
from page_examples import pages

PAGES = [page for page in pages() if "```python" in (SOURCE / page).read_text()]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples_of(page):
    """All blocks of a page as one test, so that a later block knows the names of an earlier one."""
    text = (SOURCE / page).read_text()
    examples = []
    for block in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, block.start(1))
        found = doctest.DocTestParser().get_examples(block[1], name=page)
        for example in found:
            example.lineno += line
        examples += found
    return doctest.DocTest(examples, {}, page, str(SOURCE / page), 0, None)


@pytest.mark.parametrize("page", PAGES)
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = examples_of(page)
    assert test.examples, f"{page} has no examples"
    failures = []
    doctest.DocTestRunner(NearChecker(), optionflags=FLAGS).run(test, out=failures.append)
    assert not failures, "".join(failures)
