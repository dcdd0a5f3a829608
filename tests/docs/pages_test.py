"""The pages of the documentation: their examples print what they show, and no command stands outside of this scheme."""

import pytest
from clade_tool import SOURCE
from page_examples import is_synopsis, pages, pages_with_examples, run_examples, steps_of


@pytest.mark.parametrize("page", [page for page in pages_with_examples() if not page.startswith("docs/tutorials/")])
def test_examples(page, tmp_path):
    run_examples(page, tmp_path)


@pytest.mark.parametrize("page", pages())
def test_every_command_is_run_or_says_why_not(page):
    steps = steps_of(page)
    bare = [f"{page}:{step.line}: {step.what}" for step in steps if step.kind == "bare" and not is_synopsis(step.what)]
    assert not bare, "expected `$ ` before each command, or `<!-- not run: WHY -->` before the block:\n" + "\n".join(bare)
    silent = [f"{page}:{step.line}" for step in steps if step.kind == "not run" and step.shown == []]
    assert not silent, "expected `<!-- not run: WHY -->`, with a reason:\n" + "\n".join(silent)


@pytest.mark.parametrize("page", pages())
def test_fenced_code_is_what_other_tests_run(page):
    """Python is a doctest (tests/python/pages_test.py); C++ is from programs that tests/cli/install_test.py compiles."""
    fences = {line[3:] for line in (SOURCE / page).read_text().splitlines() if line.startswith("```")} - {""}
    assert fences <= ({"python", "cpp"} if page == "docs/library.md" else {"python"}), fences
