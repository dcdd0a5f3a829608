"""Takes the pictures of docs/report.md: screenshots.py MODEL-PAGE EXPERIMENT-PAGE FOLDER."""

import sys

from browser import Browser

page, experiment, folder = sys.argv[1:]

with Browser(width=1000, height=760) as browser:
    browser.open(page)
    browser.picture(f"{folder}/report-summary.png", x=0, y=0, width=1000, height=700)
    browser.run("document.getElementById('search').focus()")
    browser.call("Input.insertText", text="sci.electronics")
    browser.run("document.querySelector('.matches button').click(); document.activeElement.blur(); scrollTo(0, 0)")
    browser.picture(f"{folder}/report-explorer.png", "#explorer", margin=20)
with Browser(width=1000, height=760, dark=True) as browser:
    browser.open(page)
    browser.picture(f"{folder}/report-probabilities-dark.png", x=0, y=browser.top("#probabilities") - 20, width=1000, height=540)
with Browser(width=390, height=844) as browser:
    browser.open(page)
    browser.picture(f"{folder}/report-phone.png", x=0, y=0, width=390, height=844)
with Browser(width=1000, height=760) as browser:
    browser.open(experiment)
    browser.picture(f"{folder}/report-experiment.png", x=0, y=browser.top("#scores"), width=1000, height=800)
with Browser(width=1000, height=760, dark=True) as browser:
    browser.open(experiment)
    browser.picture(f"{folder}/report-experiment-dark.png", x=0, y=browser.top("#features"), width=1000, height=520)
