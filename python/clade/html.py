"""What notebooks show: pieces of HTML that need no network, with everything from outside escaped."""

from __future__ import annotations

import html
import os
from typing import Any, Iterable, Sequence

from clade._persist import write_text

__all__ = ["Page", "details", "escaped", "iframe", "listed", "preformatted", "table"]


def __dir__() -> list[str]:
    """What completion offers: not the modules that are imported here."""
    return __all__


def escaped(value: Any) -> str:
    """A value as text that is safe anywhere in HTML, in attributes, too.

    Bytes that are not UTF-8, which names in files may have, become the replacement character.

    >>> escaped('<b a="1">')
    '&lt;b a=&quot;1&quot;&gt;'
    """
    return html.escape(_clean(str(value)), quote=True)


def _clean(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def preformatted(text: str) -> str:
    """A report for people, as it looks in a terminal."""
    return f'<pre style="line-height:1.2;overflow-x:auto">{escaped(text)}</pre>'


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table: numbers to the right with four digits, missing ones empty, the rest as text.

    >>> table(["a"], [[0.5]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td style="text-align:right">0.5000</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escaped(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    title = f"<caption>{escaped(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "<td></td>"
    if isinstance(value, str) or isinstance(value, bool):
        return f'<td style="text-align:left">{escaped(value)}</td>'
    shown = f"{value:.4f}" if isinstance(value, float) else escaped(value)
    return f'<td style="text-align:right">{shown}</td>'


def listed(texts: Iterable[str]) -> str:
    """A list of sentences."""
    return "<ul>" + "".join(f"<li>{escaped(text)}</li>" for text in texts) + "</ul>"


def details(title: str, content: str) -> str:
    """Something that opens on a click; `content` is HTML already."""
    return f"<details><summary>{escaped(title)}</summary>{content}</details>"


def iframe(page: str, height: int = 600, title: str = "") -> str:
    """A whole page inside another, such as a notebook, with its scripts and styles kept apart from those around it.

    Parameters
    ----------
    page : str
        The page, which must need nothing from elsewhere.
    height : int
        In pixels; the page scrolls.
    title : str
        What screen readers call it.
    """
    named = f' title="{escaped(title)}"' if title else ""
    return (
        f'<iframe srcdoc="{escaped(page)}"{named} sandbox="allow-scripts allow-downloads allow-popups" '
        f'style="width:100%;height:{int(height)}px;border:1px solid #ccc"></iframe>'
    )


class Page:
    """A page that a notebook shows in a frame, and that can be written to a file.

    Parameters
    ----------
    html : str
        The whole page.
    title : str
        Its name.
    notes : sequence of str
        What was left out, and why.
    height : int
        Of the frame, in pixels.
    """

    def __init__(self, html: str, title: str = "", notes: Sequence[str] = (), height: int = 600) -> None:
        self.html = html
        self.title = title
        self.notes = list(notes)
        self.height = height

    def write(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the page; a file that exists is only replaced with `overwrite`."""
        write_text(self.html, path, overwrite)

    def _repr_html_(self) -> str:
        return iframe(self.html, self.height, self.title)

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {len(self.html)} characters)"
