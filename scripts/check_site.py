#!/usr/bin/python3
"""Checks a built site: check_site.py FOLDER. Every link, picture, style and script is a file in the folder, every anchor is
there (but for those between Doxygen's pages, which links to friends that it does not show), and nothing is loaded from the
network."""

import functools
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {"img", "script", "link", "iframe", "source", "audio", "video"}


class Page(HTMLParser):
    """The anchors of a page, and (tag, target) of its links."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append((tag, value))


@functools.cache
def page_at(path):
    return Page(path)


def fault_of(root, path, tag, target):
    """What is wrong with a link, or nothing."""
    parts = urlsplit(target)
    if parts.scheme in ("data", "javascript", "mailto"):
        return None
    if parts.scheme or parts.netloc:
        return "is loaded from the network" if tag in LOADING else None
    aim = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if root not in (aim, *aim.parents):
        return "leaves the site"
    if aim.is_dir():
        aim = aim / "index.html"
    if not aim.is_file():
        return "is not there"
    by_doxygen = root / "cpp" in path.parents
    if parts.fragment and not by_doxygen and aim.suffix == ".html" and unquote(parts.fragment) not in page_at(aim).anchors:
        return "has no such anchor"
    return None


def main(folder):
    root = Path(folder).resolve()
    pages = sorted(root.rglob("*.html"))
    faults = [f"{path.relative_to(root)}: {target} {fault}" for path in pages for tag, target in page_at(path).links
              if (fault := fault_of(root, path, tag, target))]
    print(*faults, sep="\n", end="\n" if faults else "")
    if faults or not pages:
        sys.exit(f"{folder}: {len(faults)} faults in {len(pages)} pages")


main(sys.argv[1])
