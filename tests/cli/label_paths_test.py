"""The separator of label paths is recognised, said, and the same for data that a model reads."""

import csv
import json
import random

import pytest

from clade_tool import run, run_json


def write_table(path, labels, seed=1):
    stream = random.Random(seed)
    classes = sorted(set(label.replace(" ", "") for label in labels))
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y", "label"])
        for label in labels:
            place = classes.index(label.replace(" ", ""))
            writer.writerow([round(place + stream.gauss(0, 0.1), 4), round(place % 3 + stream.gauss(0, 0.1), 4), label])


LABELS = ["Electronics > TV/Video", "Electronics > Audio", "Toys > Games", "Toys > Cars/Trains"]


def tree(top):
    """The names of the top of a tree, as info --json gives it."""
    return {child["name"]: {below["name"] for below in child.get("largest", [])} for child in top["largest"]}


@pytest.mark.parametrize("mark", [" > ", ">", "/", "::", "\\", "--", " / ", " -- "])
def test_the_separator_is_recognised(tmp_path, mark):
    labels = [f"A{mark}B", f"A{mark}C", f"D{mark}E", "D"] * 5
    write_table(tmp_path / "d.csv", labels)
    found = run_json("info", tmp_path / "d.csv")
    join = "/" if mark == "--" else mark
    join = "/" if mark == " -- " else join
    assert tree(found["top"]) == {"A": {f"A{join}B", f"A{join}C"}, "D": {f"D{join}E"}}
    said = [note for note in found["warnings"] if "between their parts" in note]
    assert len(said) == (0 if mark == "/" else 1)
    assert all(f"'{mark}'" in note and "--label-paths no" in note for note in said)
    flat = run_json("info", tmp_path / "d.csv", "--label-paths", "no")
    assert flat["height"] == 2


def test_a_slash_inside_a_name_is_no_separator(tmp_path):
    write_table(tmp_path / "d.csv", LABELS * 5)
    found = run_json("info", tmp_path / "d.csv")
    assert tree(found["top"]) == {"Electronics": {"Electronics > TV/Video", "Electronics > Audio"},
                                  "Toys": {"Toys > Games", "Toys > Cars/Trains"}}


def test_blanks_around_parts_do_not_count(tmp_path):
    write_table(tmp_path / "d.csv", [" A > B", "A  >  B ", "A > B", " A > C"] * 3)
    assert tree(run_json("info", tmp_path / "d.csv")["top"]) == {"A": {"A > B", "A > C"}}
    given = run_json("info", tmp_path / "d.csv", "--path-separator", ">")
    assert tree(given["top"]) == {"A": {"A>B", "A>C"}}


def test_codes_with_dots_are_paths_and_numbers_are_not(tmp_path):
    write_table(tmp_path / "codes.csv", ["3.5.2.6", "3.5.1.1", "1.1.1.-", "3.4.2.1"] * 4)
    assert run_json("info", tmp_path / "codes.csv")["height"] == 5
    write_table(tmp_path / "numbers.csv", ["0.0", "1.0", "2.5"] * 4)
    assert run_json("info", tmp_path / "numbers.csv")["height"] == 2


def test_data_for_a_model_are_spelt_as_its_classes(tmp_path):
    write_table(tmp_path / "train.csv", LABELS * 10)
    model = tmp_path / "m.clade"
    run("train", tmp_path / "train.csv", "--classifier", "top-down-logistic", "-o", model)
    whole = run_json("evaluate", model, tmp_path / "train.csv")["accuracy"]
    respelt = [label.replace(" > ", ">") for label in LABELS]
    for name, labels in {"bare": respelt, "one": ["Toys"], "blanks": [" " + label for label in LABELS]}.items():
        with open(tmp_path / "train.csv") as file:
            rows = list(csv.reader(file))
        replaced = [row[:2] + [labels[k % len(labels)]] for k, row in enumerate(rows[1:])]
        with open(tmp_path / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([rows[0], *replaced])
        found = run_json("evaluate", model, tmp_path / f"{name}.csv")
        assert found["samples"] == 40
        if name != "one":
            assert found["accuracy"] == whole


def test_json_lines(tmp_path):
    records = [{"text": f"word{k % 3} other", "doc_label": LABELS[k % 4]} for k in range(12)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert set(tree(run_json("info", tmp_path / "d.jsonl")["top"])) == {"Electronics", "Toys"}


def test_a_taxonomy_may_have_another_separator(tmp_path):
    write_table(tmp_path / "d.csv", ["A > B", "A > C"] * 3)
    (tmp_path / "t.paths").write_text("A/B\nA/C\nD\n")
    found = run_json("info", tmp_path / "d.csv", "--taxonomy", tmp_path / "t.paths")
    assert found["nodes"] == 5 and found["labelled_nodes"] == 2


def test_slashes_within_names_make_no_paths(tmp_path):
    labels = ["TV/Video", "Audio", "Kitchen/Dining", "Outdoor"]
    (tmp_path / "d.csv").write_text("x,label\n" + "".join(f"{k},{labels[k % 4]}\n" for k in range(20)))
    found = run_json("info", tmp_path / "d.csv")
    assert found["nodes"] == 5
    assert any("2 of 4 labels contain '/', such as" in note and "--label-paths yes" in note for note in found["warnings"])
    assert run_json("info", tmp_path / "d.csv", "--label-paths", "yes")["nodes"] == 7


@pytest.mark.parametrize("classes, is_said", [(["s/f", "s/t", "p/l", "p/w"], True), (["f", "t"], False), (["all/f", "all/t"], False),
                                              (["train/f", "train/t", "test/f", "test/t"], False), (["s/f", "s/o", "p/o"], True)])
def test_folders_within_folders_are_noted(tmp_path, classes, is_said):
    for name in classes:
        (tmp_path / "docs" / name).mkdir(parents=True)
        for k in range(3):
            (tmp_path / "docs" / name / f"{k}.txt").write_text(f"{name.replace('/', ' ')} word{k}")
    notes = run_json("info", tmp_path / "docs")["warnings"]
    assert any("--class-from path" in note for note in notes) == is_said
    notes = run_json("info", tmp_path / "docs", "--class-from", "path")["warnings"]
    assert not any("--class-from path" in note for note in notes)
