"""What adding a method costs: one source file (and header), one row, one test, one page. Counted for every method that
there is: where its name and the function that makes it stand."""

import functools
import json
import re
import subprocess
import sys

import pytest
from clade_tool import CLADE, SOURCE

TABLES = {
    "selectors": "src/select/selectors.cpp",
    "classifiers": "src/classify/classifiers.cpp",
    "taxonomy_learners": "src/induce/taxonomy_learners.cpp",
    "feature_trees": "src/induce/feature_tree/feature_tree_makers.cpp",
}
METHODS = json.loads(subprocess.run([CLADE, "methods", "--json"], capture_output=True, text=True, check=True).stdout)
sys.path.insert(0, str(SOURCE / "scripts"))
import bibliography  # noqa: E402

ALL = [(family, method["name"]) for family in TABLES for method in METHODS[family]]


@functools.cache
def files(folder, *patterns):
    """Files below a folder, and their texts."""
    return [(path, path.read_text()) for pattern in patterns for path in sorted((SOURCE / folder).rglob(pattern))]


def row_of(family, name):
    """What makes the method, by its row."""
    table = (SOURCE / TABLES[family]).read_text()
    assert table.count(f'{{"{name}",') == 1, f"{name}: expected one row in {TABLES[family]}"
    return re.search(r'\{"' + re.escape(name) + r'",.*?(make_\w+)', table, re.S).group(1)


@pytest.mark.parametrize("family,name", ALL)
def test_one_source_file_and_one_row(family, name):
    maker = row_of(family, name)
    places = [path.relative_to(SOURCE).as_posix() for path, text in files("src", "*.h", "*.cpp")
              if re.search(rf"\b{maker}\b", text)]
    others = [place for place in places if place != TABLES[family]]
    stems = {re.sub(r"\.(h|cpp)$", "", place) for place in others} 
    if name != "blend":
        stems.discard("src/classify/nodes/blend")  # which is made of other methods
    assert len(stems) == 1, f"{name}: {maker} stands in {others}; expected its own file besides the table"
    # Nothing else in the sources knows the method by name, but for methods that are named after another's part.
    own = stems.pop()
    quoted = [path.relative_to(SOURCE).as_posix() for path, text in files("src", "*.h", "*.cpp")
              if f'"{name}"' in text]
    foreign = [place for place in quoted if place != TABLES[family] and not place.startswith(own)]
    allowed = {"include/clade/learn.h", "src/pipeline/recipes.cpp"}  # defaults
    words_of_their_own = {"wordnet", "spatial", "agglomerative", "file", "kmeans"}  # words of formats and of linkage, too
    assert name in words_of_their_own or set(foreign) <= allowed | set(TABLES.values()), f"{name} is named in {foreign}"


@pytest.mark.parametrize("family,name", ALL)
def test_a_page_and_a_test(family, name):
    pages = [path for path, text in files("docs", "*.md") if re.search(rf"`{re.escape(name)}`|\b{re.escape(name)}\b", text)
             and path.name != "reference.md"]
    assert pages, f"{name}: no page"
    tests = [path for path, text in files("tests", "*.cpp", "*.h", "*.py") if path.name != "methods_test.py"
             and re.search(rf'\b{re.escape(name)}\b|{row_of(family, name)}', text)]
    assert tests, f"{name}: no test"


@pytest.mark.parametrize("name", [measure["name"] for measure in METHODS["metrics"]])
def test_a_measure_is_one_row(name):
    places = [path.relative_to(SOURCE).as_posix() for path, text in files("src/evaluate", "*.h", "*.cpp")
              if f'"{name}"' in text]
    assert places == ["src/evaluate/measures.cpp"], f"{name} is named in {places}"
    assert name in (SOURCE / "docs" / "methods" / "measures.md").read_text()


# ---- pages

SECTIONS = ["Formula", "Source", "Parameters", "When to use it, and when not", "Cost"]
WITH_PAGES = [(family, method) for family in ("selectors", "classifiers", "taxonomy_learners")
              for method in METHODS[family]]
PAGES = sorted(path for path in (SOURCE / "docs" / "methods").glob("*.md") if path.name != "README.md")


def sections_of(page):
    """The text of a page by heading, and before the first one under ""."""
    parts = re.split(r"^## (.*)$", page, flags=re.M)
    return dict(zip(["", *parts[1::2]], parts[::2]))


def page_text(family, name):
    return (SOURCE / "docs" / bibliography.page_of(family, name)).read_text()


def value_of(cell):
    """A default as a table shows it: a number, a truth value, or a word."""
    word = cell.strip().strip("`")
    if power := re.fullmatch(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", word):
        word = "1e" + power[1].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    if word in ("no", "not given"):
        return False
    try:
        return float(word)
    except ValueError:
        return word


def rows_of(text, name):
    """The defaults that the tables of a text show for a parameter."""
    return [line.split("|")[2] for line in text.splitlines() if line.startswith(f"| `{name}` |")]


@pytest.mark.parametrize("family,method", WITH_PAGES, ids=lambda value: value if isinstance(value, str) else value["name"])
def test_the_sections_of_a_page(family, method):
    found = sections_of(page_text(family, method["name"]))
    places = [list(found).index(section) for section in SECTIONS]  # fails if one is missing
    assert places == sorted(places), f"{method['name']}: expected the order {SECTIONS}"
    assert "    $ clade " in found[""], f"{method['name']}: expected an example before the first heading"
    assert re.search(r"\bO\(|processor|\bs\b|That of|matrix|\^3", found["Cost"]), f"{method['name']}: what does it cost?"


@pytest.mark.parametrize("family,method", WITH_PAGES, ids=lambda value: value if isinstance(value, str) else value["name"])
def test_the_sources_of_a_page(family, method):
    text = page_text(family, method["name"])
    source = sections_of(text)["Source"]
    for label in method["source"].split("; "):
        if label == "Clade":
            assert "Clade's own" in source or "are Clade's" in source, method["name"]
        else:
            link = f"[{label}](../bibliography.md#{bibliography.anchor(label)})"
            assert link in re.sub(r"\s+", " ", text), f"{method['name']}: expected {link}"


@pytest.mark.parametrize("family,method", WITH_PAGES, ids=lambda value: value if isinstance(value, str) else value["name"])
def test_the_parameters_of_a_page(family, method):
    found = sections_of(page_text(family, method["name"]))
    as_selector = found.pop("As a selector", "")
    shared = sections_of((SOURCE / "docs" / "methods" / "exact-solver.md").read_text())["Parameters"]
    for parameter in method["parameters"]:
        rows = rows_of(as_selector, parameter["name"]) if family == "selectors" else []
        rows = rows or rows_of(found["Parameters"], parameter["name"])
        if not rows and "exact-solver.md#parameters" in found["Parameters"]:
            rows = rows_of(shared, parameter["name"])
        assert len(rows) == 1, f"{method['name']}: {len(rows)} rows for {parameter['name']}"
        default = parameter["default"]
        if default is None:  # depends on the data, which the row explains
            assert rows[0].strip(), parameter["name"]
        else:
            assert value_of(rows[0]) == default, f"{method['name']}: {parameter['name']} is {default} by default"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_of_the_folder(page):
    text = page.read_text()
    headings = re.findall(r"^## (.*)$", text, flags=re.M)
    places = [headings.index(section) for section in SECTIONS if section in headings]
    assert places == sorted(places), f"expected the order {SECTIONS}"
    assert headings[-1] == "Cost"
    for number, line in enumerate(text.splitlines(), 1):
        assert len(line) <= 120 or line.startswith(("|", "    ")) or "](" in line, f"{page.name}:{number}: {len(line)} columns"
    known = {bibliography.anchor(heading) for heading in
             re.findall(r"^#+ (.*)$", (SOURCE / "docs" / "bibliography.md").read_text(), flags=re.M)}
    for target in re.findall(r"bibliography\.md#([^)]*)\)", text):
        assert target in known, f"{page.name}: no publication {target}"
