"""The tutorials: their examples print what they show."""

import pytest
from page_examples import pages_with_examples, run_examples


@pytest.mark.parametrize("page", [page for page in pages_with_examples() if page.startswith("docs/tutorials/")])
def test_examples(page, tmp_path):
    run_examples(page, tmp_path)
