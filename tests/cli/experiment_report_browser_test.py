"""The page of an experiment in a browser: no errors in light, dark, on a phone and on paper; keys, sorting, saving, odd names.
Skipped without Chromium."""

import base64

import pytest
from browser import CHROMIUM, WITHOUT_CHROMIUM, Browser
from clade_tool import run
from experiment_report_test import GRID, STUDY, hostile_folder, make

pytestmark = pytest.mark.skipif(not CHROMIUM, reason=WITHOUT_CHROMIUM)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folders = []
    for text in (STUDY, GRID):
        folders.append(tmp_path_factory.mktemp("pages"))
        make(folders[-1], text)
    return [folder / "page.html" for folder in folders]


def test_no_errors_in_any_form(pages):
    for options in ({}, {"dark": True}, {"width": 390, "height": 844}):
        with Browser(**options) as browser:
            for path in pages:
                browser.open(path)
                assert browser.messages == []
                width = browser.run("[document.documentElement.scrollWidth, innerWidth]")
                assert width[0] <= width[1]  # nothing sticks out
                # Texts of charts can be read on their paper, in the dark, too.
                colours = browser.run("[...new Set([...document.querySelectorAll('figure svg text')].map((t) => getComputedStyle(t).fill))]")
                assert colours == ["rgb(228, 231, 234)" if "dark" in options else "rgb(29, 35, 41)"]


def test_charts_keep_to_their_frames(pages):
    """No text of a chart begins or ends outside of its drawing."""
    with Browser() as browser:
        for path in pages:
            browser.open(path)
            browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            outside = browser.run("""[...document.querySelectorAll('figure svg')].flatMap((svg) => {
                const frame = svg.getBoundingClientRect();
                return [...svg.querySelectorAll('text')].filter((text) => {
                  const box = text.getBoundingClientRect();
                  return box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
                }).map((text) => text.textContent);
            })""")
            assert outside == []


def test_keys_reach_tables_and_buttons(pages):
    with Browser() as browser:
        browser.open(pages[0])
        browser.run("document.querySelector('.skip').focus()")
        reached = set()
        for _ in range(80):
            browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
            browser.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
            reached.add(browser.run("(() => { const e = document.activeElement; const box = e.closest('.table'); "
                                    "return box ? `${box.dataset.name} ${e.tagName}` : e.tagName; })()"))
        assert {"data-sets DIV", "data-sets BUTTON", "scores-accuracy DIV", "scores-accuracy BUTTON", "SUMMARY"} <= reached
        column = "[...document.querySelectorAll('[data-name=scores-accuracy] tbody tr')].map((row) => Number(row.cells[1].dataset.v))"
        browser.run("document.querySelectorAll('[data-name=scores-accuracy] thead button')[1].focus()")
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
        browser.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)
        assert browser.run(column) == sorted(browser.run(column), reverse=True)
        assert browser.messages == []


def test_everything_can_be_saved(pages):
    with Browser() as browser:
        browser.open(pages[0])
        browser.run("window.saved = []; URL.createObjectURL = (blob) => { window.saved.push(blob); return 'blob:none'; }; "
                    "HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download); }; 0")
        browser.run("document.querySelectorAll('.save').forEach((b) => b.click())")
        names = browser.run("window.saved.filter((x) => typeof x === 'string')")
        texts = browser.run("Promise.all(window.saved.filter((x) => typeof x !== 'string').map((blob) => blob.text()))")
        saved = dict(zip(names, texts, strict=True))
        assert len(saved) == len(names)  # no two of one name
        assert {"scores-accuracy.csv", "ranks-tie.svg", "features-accuracy-1.svg", "learning-tie-1.svg", "times.csv", "tuned.csv"} <= set(names)
        assert saved["scores-accuracy.csv"].splitlines()[0] == "method,one,two,apart,few k=1,few k=2,few k=3,average rank"
        assert all(text.startswith("<svg xmlns=") for name, text in saved.items() if name.endswith(".svg"))


def test_what_is_folded_is_open_on_paper(pages):
    with Browser() as browser:
        browser.open(pages[0])
        pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
        assert pdf.startswith(b"%PDF") and browser.messages == []
        browser.run("window.dispatchEvent(new Event('beforeprint'))")
        assert browser.run("document.querySelectorAll('details.measure:not([open])').length") == 0


def test_odd_names_do_nothing(tmp_path):
    hostile_folder(tmp_path / "out")
    run("report", tmp_path / "out", "-o", tmp_path / "page.html", "--quiet")
    with Browser(width=390, height=844) as browser:
        browser.open(tmp_path / "page.html")
        assert browser.run("window.bad") is None and browser.messages == []
        width = browser.run("[document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1]
