"""The page of clade report in a browser: no errors, keys, search, sorting, saving, ten thousand nodes. Skipped without Chromium."""

import pytest
from browser import CHROMIUM, WITHOUT_CHROMIUM, Browser
from clade_tool import run
from hierarchy_cases import DAG, DEEP, Problem

pytestmark = pytest.mark.skipif(not CHROMIUM, reason=WITHOUT_CHROMIUM)


def report(folder, problem, classifier):
    data = problem.write(folder)
    run("train", *data, "--classifier", classifier, "-o", folder / "m.clade", "--quiet")
    run("report", folder / "m.clade", "--data", *data, "-o", folder / "page.html", "--quiet")
    return folder / "page.html"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return report(tmp_path_factory.mktemp("tree"), Problem(3, DEEP, 120, 5), "top-down-logistic")


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser


def rows(browser):
    return browser.run("[...document.querySelectorAll('.row .name')].map((row) => row.textContent)")


def chosen(browser):
    return browser.run("document.querySelector('.row[aria-selected=true] .name').textContent")


def heading(browser):
    return browser.run("document.querySelector('.panel h3').textContent")


def test_no_errors_in_any_form(tree, tmp_path):
    dag = report(tmp_path, Problem(4, DAG, 120, 5, multi=True), "kernel-ridge")
    for path in (tree, dag):
        for options in ({}, {"dark": True}, {"width": 390, "height": 844}):
            with Browser(**options) as browser:
                browser.open(path)
                assert browser.messages == []
                width = browser.run("[document.documentElement.scrollWidth, innerWidth]")
                assert width[0] <= width[1]  # nothing sticks out
                assert browser.run("getComputedStyle(document.body).backgroundColor") == (
                    "rgb(20, 23, 26)" if "dark" in options else "rgb(250, 250, 248)")


def test_the_tree_is_walked_by_keys(tree, browser):
    browser.open(tree)
    browser.run("document.querySelector('.tree').focus()")
    browser.press("Home")
    assert chosen(browser) == heading(browser) == "n0"
    browser.press("ArrowDown")
    assert heading(browser) == "n1"
    is_open = "document.querySelector('.row[aria-selected=true]').getAttribute('aria-expanded')"
    while browser.run(is_open) == "true":
        browser.press("ArrowLeft")
    browser.press("ArrowRight")
    assert browser.run(is_open) == "true" and heading(browser) == "n1"
    browser.press("ArrowRight")
    assert heading(browser) == "n3"
    while browser.run(is_open) == "true":
        browser.press("ArrowLeft")
    assert heading(browser) == "n3"
    browser.press("ArrowLeft")
    assert heading(browser) == "n1"
    browser.press("End")
    assert chosen(browser) == rows(browser)[-1]
    active = browser.run("document.querySelector('.tree').getAttribute('aria-activedescendant')")
    assert browser.run(f"document.getElementById('{active}').getAttribute('aria-selected')") == "true"
    assert browser.messages == []


def test_search_finds_and_reveals(tree, browser):
    browser.open(tree)
    browser.run("document.getElementById('search').focus()")
    browser.call("Input.insertText", text="N11")
    assert browser.run("[...document.querySelectorAll('.matches button')].map((b) => b.textContent)") == ["n11"]
    assert browser.run("document.querySelector('[role=status]').textContent") == "1 node found"
    browser.press("ArrowDown")
    browser.run("document.activeElement.click()")
    assert chosen(browser) == heading(browser) == "n11"
    assert browser.run("document.activeElement.className") == "tree"


def test_tables_are_sorted_and_saved(tree, browser):
    browser.open(tree)
    column = ("[...document.querySelectorAll('[data-name=weakest-classes] tbody tr')]"
              ".map((row) => Number(row.cells[2].dataset.v))")
    button = "document.querySelectorAll('[data-name=weakest-classes] thead button')[2]"
    browser.run(f"{button}.click()")
    assert browser.run(column) == sorted(browser.run(column), reverse=True)
    browser.run(f"{button}.click()")
    assert browser.run(column) == sorted(browser.run(column))
    assert browser.run(f"{button}.parentElement.getAttribute('aria-sort')") == "ascending"
    browser.run("window.saved = []; URL.createObjectURL = (blob) => { window.saved.push(blob); return 'blob:none'; }; "
                "HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download); }; 0")
    browser.run("document.querySelectorAll('.save').forEach((b) => b.click())")
    names = browser.run("window.saved.filter((x) => typeof x === 'string')")
    assert {"measures.csv", "levels.csv", "confusions.csv", "reliability.svg", "mistake-distances.svg", "class-distances.svg",
            "nodes.csv", "early-stopping.csv", "branches-0.csv"} <= set(names)
    texts = browser.run("Promise.all(window.saved.filter((x) => typeof x !== 'string').map((blob) => blob.text()))")
    saved = dict(zip(names, texts, strict=True))
    assert saved["levels.csv"].splitlines()[0] == "level,samples,right,true,predicted,precision,recall,F1"
    assert saved["levels.csv"].splitlines()[1].startswith("1,120,")
    assert len(saved["nodes.csv"].splitlines()) == 13
    assert saved["reliability.svg"].startswith("<svg xmlns=")


def test_branches_open_on_demand(tree, browser):
    browser.open(tree)
    tables = "document.querySelectorAll('#branches-view table').length"
    assert browser.run(tables) == 1
    browser.run("new Promise((done) => { const d = document.querySelector('details.branch details.branch'); "
                "d.addEventListener('toggle', () => done(0)); d.open = true; })")
    assert browser.run(tables) == 2
    assert browser.messages == []


def test_odd_names_are_shown_as_text(browser, tmp_path):
    (tmp_path / "d.csv").write_text("x,label\n" + "".join(f"{k % 10},{['<script>window.bad = 1</script>', '<img src=x onerror=window.bad=1>'][k % 2]}\n"
                                                          for k in range(40)))
    arguments = [tmp_path / "d.csv", "--label-paths", "no"]
    run("train", *arguments, "--classifier", "top-down-logistic", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *arguments, "-o", tmp_path / "page.html", "--quiet")
    browser.open(tmp_path / "page.html")
    assert "<script>window.bad = 1</script>" in rows(browser)
    assert browser.run("window.bad") is None
    assert browser.messages == []


def test_ten_thousand_nodes_have_few_elements(browser, tmp_path):
    common = ["--text", "--levels", "100,900,9000", "--words", 5000, "--length", 20, "--quiet"]
    run("synth", "-o", tmp_path / "d.jsonl", *common, "--documents", 12000, "--taxonomy-out", tmp_path / "tree.csv")
    data = [tmp_path / "d.jsonl", "--taxonomy", tmp_path / "tree.csv"]
    run("train", *data, "--classifier", "top-down-svm", "-o", tmp_path / "m.clade", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *data, "-o", tmp_path / "page.html", "--quiet")
    browser.open(tmp_path / "page.html")
    browser.run("document.querySelector('.tree').focus()")
    # Everything is opened, node by node; only what is visible exists.
    browser.press("Home", *["ArrowRight", "ArrowDown"] * 30)
    browser.run("document.querySelector('.tree').scrollTop = 1e6")
    browser.press("End")
    assert browser.run("document.querySelectorAll('.row').length") < 100
    assert browser.messages == []
