"""The page of clade report in a browser: no errors, keys, search, sorting, saving, ten thousand nodes. Skipped without Chromium."""

import base64
import re

import numpy as np
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
    assert browser.run("document.querySelector('.searchbar + [role=status]').textContent") == "1 node found"
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
    browser.run("document.querySelectorAll('.confusion td[data-row]').forEach((cell) => cell.click())")
    browser.run("document.querySelector('canvas.map').focus()")
    browser.press("Home", "ArrowRight", "Enter", "ArrowDown")
    assert "<img src=x" in "".join(in_map(browser)).replace("&lt;", "<")
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
    assert browser.run("document.querySelectorAll('*').length") < 20000
    # The map has all of them, but draws at most a line of pixels for each.
    browser.run("document.querySelector('canvas.map').focus()")
    browser.press("Home", "ArrowRight", "Enter")
    settle(browser)
    inside = in_map(browser)
    assert heading(browser) in inside and 1 < len(inside) < 1000
    browser.press("Escape")
    assert browser.messages == []


# ---- the map


def map_svg(browser):
    browser.run("window.saved = []; URL.createObjectURL = (blob) => { window.saved.push(blob); return 'blob:none'; }; "
                "HTMLAnchorElement.prototype.click = function () {}; "
                "[...document.querySelectorAll('.mapbar .save')].at(-1).click()")
    return browser.run("window.saved.at(-1).text()")


def in_map(browser):
    """The nodes that can be seen in the map."""
    return re.findall(r"<title>(.*?)</title>", map_svg(browser))


def settle(browser):
    browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")


def place_in_map(browser, x, y):
    """Coordinates on the screen of a place in the map, given in shares of its width and height."""
    return browser.run("(() => { const map = document.querySelector('canvas.map'); map.scrollIntoView({block: 'center'}); "
                       f"const r = map.getBoundingClientRect(); return [r.x + {x} * r.width, r.y + {y} * r.height]; }})()")


def mouse(browser, kind, x, y, **more):
    browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


def click(browser, x, y, count=1):
    for n in range(1, count + 1):
        mouse(browser, "mousePressed", x, y, button="left", clickCount=n)
        mouse(browser, "mouseReleased", x, y, button="left", clickCount=n)
    settle(browser)


def test_the_map_shows_every_node_and_zooms_by_keys(tree, browser):
    browser.open(tree)
    settle(browser)
    whole = in_map(browser)
    assert sorted(whole) == sorted(f"n{k}" for k in range(12))
    browser.run("document.querySelector('canvas.map').focus()")
    browser.press("Home")
    assert chosen(browser) == heading(browser) == "n0"
    browser.press("ArrowRight")
    first = heading(browser)
    assert first in ("n1", "n2") and chosen(browser) == first
    assert browser.run("document.activeElement.className") == "map"
    browser.press("Enter")
    settle(browser)
    inside = in_map(browser)
    other = {"n1": "n2", "n2": "n1"}[first]
    assert first in inside and set(inside) < set(whole)
    browser.press("ArrowRight")
    assert browser.run("document.querySelectorAll('.path button').length") == 2
    browser.press("ArrowLeft", "ArrowLeft")
    assert heading(browser) == "n0"
    browser.press("Escape")
    settle(browser)
    assert other in in_map(browser)
    browser.press("+", "+")
    settle(browser)
    assert len(in_map(browser)) < 12
    browser.press("-", "-")
    settle(browser)
    assert sorted(in_map(browser)) == sorted(whole)
    assert "n0: 120 samples" in browser.run("document.querySelector('.mapfoot [role=status]').textContent")
    assert browser.messages == []


def test_the_map_follows_the_mouse(tree, browser):
    browser.open(tree)
    settle(browser)
    whole = in_map(browser)
    x, y = place_in_map(browser, 0.01, 0.5)
    click(browser, x, y)
    assert chosen(browser) == heading(browser) == "n0"
    x, y = place_in_map(browser, 0.99, 0.02)
    click(browser, x, y, count=2)
    leaf = heading(browser)
    assert leaf != "n0"
    assert len(in_map(browser)) < len(whole)
    for _ in range(3):
        x, y = place_in_map(browser, 0.99, 0.9)
        mouse(browser, "mousePressed", x, y, button="left", clickCount=1)
        for step in (20, 200, 350):
            mouse(browser, "mouseMoved", x, y - step, button="left", buttons=1)
        mouse(browser, "mouseReleased", x, y - 350, button="left", clickCount=1)
    settle(browser)
    assert heading(browser) == leaf  # a drag chooses nothing
    assert leaf not in in_map(browser)
    browser.run("[...document.querySelectorAll('.mapbar .save')].find((b) => b.textContent === 'Whole').click()")
    settle(browser)
    assert sorted(in_map(browser)) == sorted(whole)
    # The wheel zooms because the map has the focus.
    browser.run("document.querySelector('canvas.map').focus()")
    before = browser.run("scrollY")
    for _ in range(12):
        mouse(browser, "mouseWheel", x, y, deltaX=0, deltaY=-300)
    settle(browser)
    assert len(in_map(browser)) < len(whole) and browser.run("scrollY") == before
    assert browser.messages == []


def test_fingers_zoom_the_map(tree):
    with Browser(width=390, height=844) as browser:
        browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        browser.open(tree)
        settle(browser)
        whole = in_map(browser)
        x, y = place_in_map(browser, 0.5, 0.5)
        touch = lambda kind, *points: browser.call("Input.dispatchTouchEvent", type=kind,  # noqa: E731
                                                   touchPoints=[{"x": x, "y": y + d, "id": k} for k, d in enumerate(points)])
        touch("touchStart", -20, 20)
        for d in (30, 60, 120):
            touch("touchMove", -d, d)
        touch("touchEnd")
        settle(browser)
        assert len(in_map(browser)) < len(whole)
        assert browser.messages == []


def test_colours_and_sizes_of_the_map(tree, browser):
    browser.open(tree)
    settle(browser)
    choose = ("(() => {{ const list = document.querySelectorAll('.mapbar select')[{}]; list.value = '{}'; "
              "list.dispatchEvent(new Event('change')); }})()")
    browser.run(choose.format(1, "classes"))
    settle(browser)
    shown = map_svg(browser)
    heights = {name: float(height) for height, name in re.findall(r'height="([\d.]+)" fill="[^"]*"><title>(\w+)<', shown)}
    leaves = [name for name in heights if not any(name in parents for parents in Problem(3, DEEP, 120, 5).parents.values())]
    assert len({round(heights[name]) for name in leaves}) == 1  # every class is as large as another
    fills = re.findall(r'fill="([^"]*)"><title>', shown)
    browser.run(choose.format(0, "recall"))
    settle(browser)
    assert re.findall(r'fill="([^"]*)"><title>', map_svg(browser)) != fills


# ---- the confusion matrix


def test_the_confusion_matrix_opens_node_by_node(tree, browser):
    browser.open(tree)
    cells = ("[...document.querySelectorAll('.confusion td[data-row]')].reduce((sum, td) => sum + Number(td.dataset.v), 0)")
    names = "[...document.querySelectorAll('.confusion tbody th')].map((th) => th.textContent.replace(/^[▾▸]/, ''))"
    assert browser.run(cells) == 120
    assert browser.run(names)[0] == "n0"
    closed = browser.run(names)
    assert len(closed) == 3
    for _ in range(4):
        browser.run("[...document.querySelectorAll('.confusion tbody button[aria-expanded=false]')].forEach((b) => b.click())")
    opened = browser.run(names)
    assert sorted(opened) == sorted(f"n{k}" for k in range(12))
    assert browser.run(cells) == 120  # the same samples, in more cells
    right = browser.run("[...document.querySelectorAll('.confusion td.right')].reduce((sum, td) => sum + Number(td.dataset.v), 0)")
    data = browser.run("JSON.parse(document.getElementById('taxonomy-data').textContent).pairs")
    assert right == sum(n for t, p, n, _ in zip(*[iter(data)] * 4) if t == p)
    # A cell tells its pairs, by mouse and by keys.
    browser.run("document.querySelector('.confusion td[tabindex=\"0\"]').focus()")
    browser.press("Enter")
    first = browser.run("document.querySelector('.celldetail h4').textContent")
    assert "→" in first and browser.run("document.querySelectorAll('.celldetail details.example').length") <= 4
    browser.press("ArrowDown")
    browser.press("Enter")
    assert browser.run("document.querySelector('.celldetail h4').textContent") != first
    browser.run("document.querySelector('.confusion tbody button[aria-expanded=true]').click()")
    assert browser.run(names) == ["n0"] and browser.run(cells) == 120
    assert browser.messages == []


def test_pixels_groups_and_decisions_are_drawn(browser, tmp_path):
    problem = Problem(9, DEEP, 160, 12)
    data = problem.write(tmp_path)
    run("train", *data, "--classifier", "top-down-logistic", "-o", tmp_path / "m.clade", "--quiet")
    run("feature-tree", *data, "--method", "spatial", "--height", 3, "--width", 4, "-o", tmp_path / "f.json", "--quiet")
    run("report", tmp_path / "m.clade", "--data", *data, "--feature-tree", tmp_path / "f.json", "-o", tmp_path / "page.html", "--quiet")
    browser.open(tmp_path / "page.html")
    browser.run("document.querySelector('canvas.map').focus()")
    browser.press("Home", "ArrowRight")
    node = heading(browser)
    figures = browser.run("[...document.querySelectorAll('.panel figure')].map((f) => f.dataset.name)")
    assert {f"mean-{node}", f"pixels-{node}", f"children-pixels-{node}", f"groups-{node}", f"weights-{node}"} <= set(figures)
    # A pixel of the picture has the colour of its weight: blue above 0, orange below. Features go down the columns.
    weights = browser.run("(() => { const d = JSON.parse(document.getElementById('taxonomy-data').textContent); "
                          f"const [most, text] = d.weights.nodes[d.names.indexOf('{node}')]; "
                          "const b = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)); "
                          "return [...new Int16Array(b.buffer)].map((w) => w * most / 32767); })()")
    pixels = browser.run(f"(async () => {{ const i = new Image(); i.src = document.querySelector('[data-name=\"pixels-{node}\"] image')"
                         ".getAttribute('href'); await i.decode(); const c = document.createElement('canvas'); c.width = 4; c.height = 3; "
                         "const pen = c.getContext('2d'); pen.drawImage(i, 0, 0); return [...pen.getImageData(0, 0, 4, 3).data]; })()")
    for f, weight in enumerate(weights):
        row, column = f % 3, f // 3
        red, _, blue, _ = pixels[4 * (4 * row + column):][:4]
        if abs(weight) > 0.1 * max(map(abs, weights)):
            assert (blue > red) == (weight > 0)
    assert browser.messages == []


def test_two_features_are_drawn_as_arrows(browser, tmp_path):
    path = report(tmp_path, Problem(10, DEEP, 160, 2), "top-down-logistic")
    browser.open(path)
    browser.run("document.querySelector('canvas.map').focus()")
    browser.press("Home", "ArrowRight")
    node = heading(browser)
    data = browser.run("JSON.parse(document.getElementById('taxonomy-data').textContent)")
    number = data["names"].index(node)
    siblings = [k for k, parents in enumerate(data["parents"]) if set(parents) & set(data["parents"][number])]
    arrows = browser.run(f"[...document.querySelectorAll('[data-name=\"vectors-{node}\"] path')].filter((p) => p.querySelector('title'))"
                         ".map((p) => [p.querySelector('title').textContent, p.getAttribute('d').match(/[\\d.-]+/g).slice(0, 4).map(Number)])")
    assert sorted(name for name, _ in arrows) == sorted(data["names"][k] for k in siblings)
    # Arrows point where the weights do: the first feature to the right, the second upwards.
    for name, (x0, y0, x1, y1) in arrows:
        most, packed = data["weights"]["nodes"][str(data["names"].index(name))]
        weights = np.frombuffer(base64.b64decode(packed), dtype="<i2") * most
        arrow = np.array([x1 - x0, y0 - y1])
        assert arrow @ weights / (np.linalg.norm(arrow) * np.linalg.norm(weights)) > 0.999
    assert browser.messages == []
