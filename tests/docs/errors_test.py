"""The tables of errors on the pages of formats: the sources have these messages, and those of LIBSVM come from these lines."""

import functools
import re

import pytest
from clade_tool import SOURCE, error_line

PAGES = sorted((SOURCE / "docs" / "formats").glob("*.md"))


def rows(page):
    """What is in the file and the messages, for the rows of a page's table of errors."""
    section = page.read_text().partition("\n## What is an error\n")[2].partition("\n## ")[0]
    table = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [(cells[0].strip(), re.findall(r"`([^`]+)`", cells[1])) for cells in table if len(cells) == 2][1:]


@functools.cache
def sources():
    """All string literals of the sources, neighbours joined, flags by the names that the library uses."""
    files = [path for folder in ("io", "data", "core", "taxonomy") for path in sorted((SOURCE / "src" / folder).rglob("*.[ch]*"))]
    text = "\n".join(path.read_text() for path in files)
    return re.sub(r'"\s*"', "", text).replace('\\"', '"').replace("\\\\", "\\")


def fragments(message):
    """The parts of a message between names, values, numbers and flags, which the sources have as they stand."""
    parts = re.split(r"'[^']*'|\d[\d^]*|--[\w-]+|\.\.\.|\bxE9\b|\w+,|\(\w+\)|[;:]", message)
    return [part.strip() for part in parts if len(part.strip()) > 11]


def is_in_sources(part):
    """As it stands, with a value for one of its words, or in two pieces, each at an edge of a literal, where a message is
    put together."""
    words = part.split()
    beginnings = [(" ".join(words[:k]), words[k:]) for k in range(1, len(words))]
    return (part in sources()
            or any(f"{head} {{}} {' '.join(rest[1:])}".strip() in sources() for head, rest in [("", words), *beginnings])
            or any(re.search(re.escape(head) + r" ?[\"{'`]", sources())
                   and re.search(r"[\"}'`] ?" + re.escape(" ".join(rest)), sources()) for head, rest in beginnings))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_sources_have_the_messages(page):
    for where, messages in rows(page):
        for message in messages:
            missing = [part for part in fragments(message) if not is_in_sources(part)]
            assert not missing, f"{where}: {message}: {missing}"


def test_lines_of_libsvm_and_their_messages(tmp_path):
    tried = 0
    for lines, messages in rows(SOURCE / "docs" / "formats" / "libsvm.md"):
        found = re.fullmatch(r"`([^`]+)`(?:, `[^`]+`)?(?: with `([^`]+)`)?", lines)
        if found:
            (tmp_path / "bad.svm").write_text(f"b 1:1\n{found[1]}\n")
            assert messages[0] in error_line("info", tmp_path / "bad.svm", *(found[2] or "").split())
            tried += 1
    assert tried > 10
