"""Takes the pictures of docs/report.md: screenshots.py TEXTS IMAGES EXPERIMENT FOLDER, with three pages and the folder for the
pictures."""

import sys

from browser import Browser

texts, images, experiment, folder = sys.argv[1:]


def choose(browser, name):
    """Chooses a node of the explorer by its name."""
    browser.run("document.getElementById('search').focus()")
    browser.call("Input.insertText", text=name)
    browser.run("document.querySelector('.matches button').click(); document.activeElement.blur(); scrollTo(0, 0)")
    settle(browser)


def settle(browser):
    browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")


with Browser(width=1100, height=760) as browser:
    browser.open(texts)
    settle(browser)
    browser.picture(f"{folder}/report-summary.png", x=0, y=0, width=1100, height=680)
    browser.run("document.querySelectorAll('.confusion tbody button[aria-label=\"Open comp\"], "
                ".confusion tbody button[aria-label=\"Open sci\"]').forEach((b) => b.click()); document.activeElement.blur()")
    browser.picture(f"{folder}/report-confusions.png", "#confusion-view", margin=16)
    choose(browser, "talk.politics")
    browser.picture(f"{folder}/report-explorer.png", x=0, y=browser.top("#explorer") - 16, width=1100, height=1640)
with Browser(width=1100, height=760, dark=True) as browser:
    browser.open(texts)
    browser.picture(f"{folder}/report-probabilities-dark.png", x=0, y=browser.top("#probabilities") - 16, width=1100, height=1060)
    browser.open(images)
    choose(browser, "cluster-3")
    browser.picture(f"{folder}/report-pixels-dark.png", ".panel", margin=16)
with Browser(width=390, height=844) as browser:
    browser.open(texts)
    browser.run("document.documentElement.style.scrollBehavior = 'auto'; document.getElementById('explorer').scrollIntoView()")
    settle(browser)
    browser.picture(f"{folder}/report-phone.png")
with Browser(width=1000, height=760) as browser:
    browser.open(experiment)
    browser.picture(f"{folder}/report-experiment.png", x=0, y=browser.top("#scores"), width=1000, height=800)
with Browser(width=1000, height=760, dark=True) as browser:
    browser.open(experiment)
    browser.picture(f"{folder}/report-experiment-dark.png", x=0, y=browser.top("#features"), width=1000, height=520)
