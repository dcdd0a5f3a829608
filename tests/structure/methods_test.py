"""What adding a method costs: one source file (and header), one row, one test, one page. Counted for every method that
there is: where its name and the function that makes it stand."""

import functools
import json
import re
import subprocess

import pytest
from clade_tool import CLADE, SOURCE

TABLES = {
    "selectors": "src/select/selectors.cpp",
    "classifiers": "src/classify/classifiers.cpp",
    "taxonomy_learners": "src/induce/taxonomy_learners.cpp",
    "feature_trees": "src/induce/feature_tree/feature_tree_makers.cpp",
}
METHODS = json.loads(subprocess.run([CLADE, "methods", "--json"], capture_output=True, text=True, check=True).stdout)
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
