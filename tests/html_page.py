"""A page of clade report, taken apart: tables with exact numbers, figures, scripts and links."""

import json
import re
from html.parser import HTMLParser

import pytest

VOID = {"meta", "input", "br", "link", "img", "hr"}


class Page(HTMLParser):
    """Checks that every element is closed where it should be, and collects tables, figures, scripts and links."""

    def __init__(self, path):
        super().__init__()
        self.open = []
        self.ids = []
        self.addresses = []
        self.tables = {}
        self.figures = []
        self.text = []
        self.headings = []
        self.cards = {}
        self.scripts = {}
        self.captions = 0
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            self.ids.append(found["id"])
        self.addresses += [value for name, value in attributes if name in ("src", "href", "action", "data", "poster")]
        assert not any(name.startswith("on") for name, _ in attributes), attributes
        if "table" in found.get("class", "").split():
            self.table = self.tables.setdefault(found["data-name"], [])
        if tag == "tr":
            self.table.append([])
        if tag in ("td", "th") and self.table is not None:
            self.table[-1].append([found.get("data-v"), ""])
        if tag == "figure":
            self.figures.append(found["data-name"])
        if tag == "caption":
            self.captions += 1
        if "data-measure" in found:
            self.cards[found["data-measure"]] = float(found["data-v"])
        if tag == "script":
            self.script = found.get("id")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass  # of SVG

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"{tag} at {self.getpos()}"

    def handle_data(self, data):
        inside = self.open[-1] if self.open else None
        if inside == "script":
            self.scripts[self.script] = data
        elif inside in ("td", "th"):
            self.table[-1][-1][1] += data
        elif inside != "style":
            self.text.append(data)
        if inside in ("h1", "h2", "h3"):
            self.headings.append((inside, data))

    def rows(self, name):
        """The rows of a table as dictionaries; numbers are exact."""
        head, *rows = self.tables[name]
        return [{title[1]: float(value) if value is not None else text for title, (value, text) in zip(head, row)} for row in rows]

    @property
    def data(self):
        return json.loads(self.scripts["taxonomy-data"])


def check_page(path):
    page = Page(path)
    assert path.stat().st_size <= 3_000_000
    assert len(page.ids) == len(set(page.ids))
    # Nothing is loaded from anywhere: links stay on the page, and no text of the page's own code has an address.
    assert all(address.startswith("#") for address in page.addresses)
    own = page.source.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(?:src|href|url\(|import|fetch|XMLHttpRequest)[^\n]{0,20}https?:", own)
    assert "Content-Security-Policy" in page.source
    assert page.captions == len(re.findall(r"<table>", page.source))
    assert [title for level, title in page.headings if level == "h1"]
    return page


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)
