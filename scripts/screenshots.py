"""Takes the pictures of PICTURES: screenshots.py PAGES FOLDER [NAME...], with the folder of the pages, that of the pictures,
and the names of pictures if not all are wanted. A picture whose page is not there is left as it is."""

import sys
from dataclasses import dataclass
from pathlib import Path

from browser import Browser
from PIL import Image


def open_groups(browser):
    """Opens two groups of the confusion matrix of 20 newsgroups."""
    browser.run("document.querySelectorAll('.confusion tbody button[aria-label=\"Open comp\"], "
                ".confusion tbody button[aria-label=\"Open sci\"]').forEach((b) => b.click()); document.activeElement.blur()")


def choose(name):
    """Chooses a node of the explorer by its name."""
    def prepare(browser):
        browser.run("document.getElementById('search').focus()")
        browser.call("Input.insertText", text=name)
        browser.run("document.querySelector('.matches button').click(); document.activeElement.blur(); scrollTo(0, 0)")
    return prepare


def scroll_to_explorer(browser):
    browser.run("document.documentElement.style.scrollBehavior = 'auto'; document.getElementById('explorer').scrollIntoView()")


@dataclass
class Picture:
    """Of an element with a margin, or of its first rows; of so many rows of the page from the top of `below` on; or of what the
    window shows."""
    name: str
    page: str
    width: int = 1100
    element: str = ""
    below: str = ""
    rows: int = 0
    prepare: object = None
    dark: bool = False


PICTURES = [
    Picture("report-summary", "newsgroups", below="body", rows=680),
    Picture("report-confusions", "newsgroups", element="#confusion-view", prepare=open_groups),
    Picture("report-explorer", "newsgroups", below="#explorer", rows=1640, prepare=choose("talk.politics")),
    Picture("report-probabilities-dark", "newsgroups", below="#probabilities", rows=1060, dark=True),
    Picture("report-phone", "newsgroups", width=390, prepare=scroll_to_explorer),
    Picture("report-pixels-dark", "coil", element=".panel", prepare=choose("cluster-3"), dark=True),
    Picture("report-experiment", "selection", width=1000, below="#scores", rows=800),
    Picture("report-experiment-dark", "selection", width=1000, below="#features", rows=520, dark=True),
    Picture("tutorial-shop", "shop", width=1000, below="body", rows=684),
    Picture("tutorial-study", "study", width=1180, below="#scores", rows=440),
    Picture("tutorial-things", "things", below="#explorer", rows=756, prepare=choose("person")),
    Picture("demo", "demo", below="#explorer", rows=720, prepare=choose("musical instrument")),
    Picture("tutorial-genes", "genes", element=".panel", rows=676, prepare=choose("GO:0006281")),
    Picture("tutorial-digits-pixels", "digits", element=".panel", rows=500, prepare=choose("cluster-3")),
]

MARGIN = 16
MOST_BYTES = 150_000


def take(picture, page, path):
    phone = picture.width < 600
    with Browser(width=picture.width, height=844 if phone else 760, dark=picture.dark) as browser:
        browser.open(page)
        if picture.prepare:
            picture.prepare(browser)
        browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        if picture.element:
            browser.picture(path, picture.element, margin=MARGIN)
        elif picture.rows:
            top = max(0, browser.top(picture.below) - MARGIN)
            browser.picture(path, x=0, y=top, width=picture.width, height=picture.rows)
        else:
            browser.picture(path)


def shrink(path, rows):
    """Keeps so many rows, and 256 colours: enough for a page, and a third of the bytes."""
    image = Image.open(path).convert("RGB")
    image = image.crop((0, 0, image.width, min(rows or image.height, image.height)))
    image.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    assert size < MOST_BYTES, f"{path}: {size} bytes; expected less than {MOST_BYTES}"
    return size


def main(pages, folder, *wanted):
    for picture in PICTURES:
        page, path = Path(pages) / f"{picture.page}.html", Path(folder) / f"{picture.name}.png"
        if page.exists() and (not wanted or picture.name in wanted):
            take(picture, page.resolve(), path)
            print(f"{path}: {shrink(path, picture.rows)} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
