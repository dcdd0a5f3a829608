"""`clade methods --cite` and `--bibtex`: every method and measure has its sources, and the entries are valid."""

import re
import sys

import pytest
import yaml
from clade_tool import SOURCE, error_line, run, run_json

REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "incollection": {"author", "title", "booktitle", "publisher", "year"},
    "book": {"author", "title", "publisher", "year"},
    "phdthesis": {"author", "title", "school", "year"},
    "misc": {"title"},
}


def parse_bibtex(text):
    """A parser of BibTeX by its grammar: {key: (type, fields)}. Fails on anything that is not an entry."""
    at = 0
    entries = {}

    def skip_blanks():
        nonlocal at
        while at < len(text) and text[at].isspace():
            at += 1

    def take(pattern):
        nonlocal at
        skip_blanks()
        found = re.compile(pattern).match(text, at)
        assert found, f"expected {pattern} at {text[at:at + 40]!r}"
        at = found.end()
        return found.group()

    def braced():
        nonlocal at
        take(r"\{")
        start, depth = at, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        return text[start:at - 1]

    skip_blanks()
    while at < len(text):
        take("@")
        kind = take(r"[a-z]+")
        take(r"\{")
        key = take(r"[A-Za-z][A-Za-z0-9]*")
        fields = {}
        take(",")
        while not text[at:].lstrip().startswith("}"):
            name = take(r"[a-z]+")
            take("=")
            assert name not in fields, f"{key}: {name} twice"
            fields[name] = braced()
            if not text[at:].lstrip().startswith("}"):
                take(",")
        take(r"\}")
        assert key not in entries, f"{key} twice"
        entries[key] = (kind, fields)
        skip_blanks()
    return entries


@pytest.fixture(scope="module")
def entries():
    return parse_bibtex(run("methods", "--bibtex").stdout)


@pytest.fixture(scope="module")
def document():
    return run_json("methods", "--cite")


def test_every_method_and_measure_has_a_source(document):
    known = {(part["family"], part["name"]): part for part in document["parts"]}
    keys = {entry["key"] for entry in document["references"]}
    for family, methods in run_json("methods").items():
        for method in methods:
            part = known[family, method["name"]]
            assert part["own"] or part["references"], f"{method['name']} has no source and does not say that it is Clade's own"
            assert set(part["references"]) <= keys
            assert method["source"], method["name"]
    for part in known.values():
        assert part["own"] or part["references"], part["name"]


def test_every_reference_is_somebodys_source(document):
    used = {key for part in document["parts"] for key in part["references"]} | {"clade"}
    assert {entry["key"] for entry in document["references"]} == used


def test_entries_are_valid_bibtex(entries, document):
    assert set(entries) == {entry["key"] for entry in document["references"]}
    for key, (kind, fields) in entries.items():
        assert REQUIRED[kind] <= set(fields), f"{key}: {kind} without {REQUIRED[kind] - set(fields)}"
        assert all(value.isascii() for value in fields.values()), f"{key}: letters that old BibTeX does not know"
        if "pages" in fields:
            first, last = fields["pages"].split("--")
            assert int(first) < int(last), key
        if "year" in fields:
            assert re.fullmatch(r"1[89]\d\d|20\d\d", fields["year"]), key
        if "doi" in fields:
            assert re.fullmatch(r"10\.\d{4,5}/\S+", fields["doi"]), key
        if key == "clade":
            continue
        for author in fields["author"].split(" and "):
            assert re.fullmatch(r"[^,]+, [^,]+", author), f"{key}: {author}"


def test_capitals_inside_titles_are_protected(entries):
    # BibTeX styles make small letters of all but the first; after a colon they keep one.
    for key, (_, fields) in entries.items():
        plain = re.sub(r"\{[^{}]*\}", "", fields["title"].replace("{\\\"o}", "o"))
        assert not re.search(r"(?<!^)(?<!: )[A-Z]", plain), f"{key}: {fields['title']}"


def test_labels_name_the_first_author_and_the_year(document):
    for entry in document["references"]:
        if entry["key"] == "clade":
            continue
        surname = entry["author"].split(",")[0]
        assert entry["label"].startswith(surname.replace("š", "s")), entry["label"]
        year = entry["label"][-4:]
        assert year == entry["year"] or year in entry.get("note", ""), entry["label"]
        people = len(entry["author"].split(" and "))
        assert ("et al." in entry["label"]) == (people > 2), entry["label"]
        assert (" and " in entry["label"]) == (people == 2), entry["label"]


def test_some_only():
    text = run("methods", "--cite", "hier-fs", "path-svm").stdout
    assert text.startswith("hier-fs: ")
    assert "recursive regularization" in text and "The Clade project" in text and "Crammer" not in text
    assert set(parse_bibtex(run("methods", "--bibtex", "hier-fs", "hirr-par").stdout)) == {"zhao2019"}
    assert [part["family"] for part in run_json("methods", "--cite", "forest")["parts"]] == ["selectors", "classifiers"]
    assert run("methods", "--cite", "tie", "forest", "tie").stdout == run("methods", "--cite", "tie", "forest").stdout


def test_wrong_names():
    assert "did you mean 'hier-fs'" in run("methods", "--cite", "hier-sf", status=2).stderr
    known = error_line("methods", "--cite", "no such thing").split("expected one of ")[1].split(", ")
    assert len(known) == len(set(known)) > 80
    assert error_line("methods", "hier-fs") == "names go with --cite or --bibtex; expected clade methods --cite NAME"
    assert error_line("methods", "--bibtex", "--json") == "--bibtex and --json; expected one of them"


def test_the_page_is_up_to_date():
    sys.path.insert(0, str(SOURCE / "scripts"))
    import bibliography
    page = bibliography.markdown(run_json("methods", "--cite"))
    assert (SOURCE / "docs" / "bibliography.md").read_text() == page, "run scripts/update_reference.sh"
    headings = {bibliography.anchor(line.lstrip("# ")) for line in page.splitlines() if line.startswith("#")}
    for target in re.findall(r"\]\(#([^)]*)\)", page):
        assert target in headings, target


def test_how_to_cite_clade():
    citation = yaml.safe_load((SOURCE / "CITATION.cff").read_text())
    # What the schema of version 1.2.0 requires, and what others rely on.
    assert citation["cff-version"] == "1.2.0"
    assert {"authors", "message", "title"} <= set(citation)
    assert citation["type"] == "software"
    assert all(set(author) <= {"name", "website"} and author["name"] for author in citation["authors"])
    assert citation["license"] == "Apache-2.0"
    assert "Apache License" in (SOURCE / "LICENSE").read_text()
    version = re.search(r"project\(clade VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
    assert citation["version"] == version
    assert len(citation["keywords"]) == len(set(citation["keywords"]))
    for reference in citation.get("references", []):
        assert {"type", "authors", "title"} <= set(reference)
