"""Makes the pictures of docs/tutorials: runs the examples of each page in a folder of its own, and takes pictures of the
reports that they write. Usage: tutorial_pictures.py FOLDER, with the folder for the pictures; CLADE names the tool."""

import shutil
import sys
import tempfile
from pathlib import Path

from browser import Browser
from page_examples import run_examples

pictures = Path(sys.argv[1])


def run_page(name):
    folder = Path(tempfile.mkdtemp(dir=scratch))
    run_examples(f"docs/tutorials/{name}.md", folder)
    return folder


with tempfile.TemporaryDirectory() as scratch:
    shop = run_page("spreadsheet")
    with Browser(width=1000, height=760) as browser:
        browser.open(shop / "shop.html")
        browser.picture(pictures / "tutorial-shop.png", x=0, y=0, width=1000, height=684)

    study = run_page("compare-and-publish")
    shutil.copy(study / "study-ranks.svg", pictures)
    with Browser(width=1180, height=760) as browser:
        browser.open(study / "study.html")
        browser.picture(pictures / "tutorial-study.png", x=0, y=browser.top("#scores"), width=1180, height=440)

    things = run_page("text-with-a-taxonomy")
    with Browser(width=1100, height=760) as browser:
        browser.open(things / "things.html")
        browser.run("document.getElementById('search').focus()")
        browser.call("Input.insertText", text="person")
        browser.run("document.querySelector('.matches button').click(); document.activeElement.blur(); scrollTo(0, 0)")
        browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        browser.picture(pictures / "tutorial-things.png", x=0, y=browser.top("#explorer") - 16, width=1100, height=756)
