"""Several files as one data set: clade train A B, clade convert A B -o C."""

import csv
import json

import pytest
from clade_tool import DATA, error_line, run, run_json
from products import products, write_csv, write_json_lines

ARFF = "@relation r\n@attribute x numeric\n@attribute c {u,v}\n@attribute class hierarchical a/b,a/c,d\n@data\n"


def parts(tmp_path, ending, write, count=60):
    """One set in a file, and the same in two."""
    rows = products(count)
    return (write(tmp_path / f"whole{ending}", rows), write(tmp_path / f"first{ending}", rows[:25]),
            write(tmp_path / f"second{ending}", rows[25:]))


def write_array(path, rows):
    path.write_text(json.dumps(rows, indent=1))
    return path


@pytest.mark.parametrize("ending, write", [(".csv", write_csv), (".jsonl", write_json_lines), (".json", write_array)])
def test_two_files_are_one(tmp_path, ending, write):
    whole, first, second = parts(tmp_path, ending, write)
    models = []
    for name, files in {"one": [whole], "two": [first, second]}.items():
        models.append(tmp_path / f"{name}.clade")
        run("train", *files, "-o", models[-1])
    assert models[0].read_bytes() == models[1].read_bytes()


def test_tables_and_sparse_rows(tmp_path):
    rows = [f"{'ab'[k % 2]}/{'xyz'[k % 3]},{k},{k * k % 7}" for k in range(12)]
    (tmp_path / "one.csv").write_text("\ufefflabel,p,q\n" + "\n".join(rows[:5]))
    (tmp_path / "two.csv").write_text("\n\nlabel,p,q\r\n" + "\r\n".join(rows[5:]) + "\r\n")
    run("convert", tmp_path / "one.csv", tmp_path / "two.csv", "-o", tmp_path / "both.csv")
    with (tmp_path / "both.csv").open(newline="") as file:
        found = [[row["label"], row["p"], row["q"]] for row in csv.DictReader(file)]
    assert found == [row.split(",") for row in rows]
    (tmp_path / "one.svm").write_text("1 1:2\n2 3:1")
    (tmp_path / "two.svm").write_text("3 5:1\n")
    assert run_json("convert", tmp_path / "one.svm", tmp_path / "two.svm", "-o", tmp_path / "both.npz")["features"] == 5


def test_training_and_validation_part(tmp_path):
    found = sorted(DATA.glob("**/*.train.arff"))
    if not found:
        pytest.skip("no data with a validation part")
    train = found[0]
    valid = train.with_name(train.name.replace(".train.", ".valid."))
    sizes = [run_json("info", path) for path in (train, valid)]
    both = run_json("convert", train, valid, "-o", tmp_path / "both.arff", "--missing", "keep")
    assert both["samples"] == sizes[0]["samples"] + sizes[1]["samples"] and both["nodes"] == sizes[0]["nodes"]
    assert run_json("info", tmp_path / "both.arff")["missing_values"] == sum(size["missing_values"] for size in sizes)


@pytest.mark.parametrize("second, said", [
    (ARFF.replace("numeric", "real") + "1,u,a/b\n2,w,d\n", "second.arff:7:3: 'w'"),
    (ARFF.replace("a/c,d", "a/c,e") + "1,u,a/b\n", "attribute 'class' has another hierarchy than in"),
    (ARFF.replace("{u,v}", "{v,u}") + "1,u,a/b\n", "attribute 'c' has another type or other values"),
    (ARFF.replace(" x ", " y ") + "1,u,a/b\n", "column 1 is 'y', and in"),
    (ARFF.replace("@attribute c {u,v}\n", "") + "1,a/b\n", "column 2 is 'class', and in"),
])
def test_attributes_must_agree_and_errors_name_the_file(tmp_path, second, said):
    (tmp_path / "first.arff").write_text(ARFF + "1,u,a/b\n2,v,d\n3,v,a/c\n")
    (tmp_path / "second.arff").write_text(second)
    assert said in error_line("convert", tmp_path / "first.arff", tmp_path / "second.arff", "-o", tmp_path / "x.csv")


@pytest.mark.parametrize("name, second, said", [
    ("b.csv", "p,label\n1,a\n", "column 1 is 'p', and in"),
    ("b.csv", "label,p,r\na,1,2\n", "column 3 is 'r', and in"),
    ("b.csv", "label,p\na,1\n", "2 columns, and"),
    ("b.csv", "label;p;q\na;1;2\n", "another delimiter than"),
    ("b.csv", "label,p,q\n\na,1,oh\n", "b.csv:3"),
    ("b.svm", "1 1:1\n", "this is libsvm, and"),
])
def test_columns_must_agree(tmp_path, name, second, said):
    (tmp_path / "a.csv").write_text("label,p,q\na,1,2\nb,2,3\n")
    (tmp_path / name).write_text(second)
    assert said in error_line("convert", tmp_path / "a.csv", tmp_path / name, "-o", tmp_path / "x.npz")


def test_what_cannot_be_joined(tmp_path):
    for name in "ab":
        (tmp_path / name / "class").mkdir(parents=True)
        (tmp_path / name / "class" / "document").write_text("some words")
    assert "cannot be joined" in error_line("train", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "m.clade")
    run("synth", "-o", tmp_path / "a.npz", "--samples", 30)
    run("synth", "-o", tmp_path / "b.npz", "--samples", 30, "--features", 7)
    files = [tmp_path / "a.npz", tmp_path / "b.npz"]
    assert "7 features, and" in error_line("train", *files, "-o", tmp_path / "m.clade")
    whole = write_csv(tmp_path / "a.csv", products(30))
    assert "--skip-bad with several files" in error_line("train", whole, whole, "--skip-bad", "-o", tmp_path / "m.clade")
    assert "is the input" in error_line("train", whole, whole, "-o", whole, "--force")
    assert "unexpected argument" in error_line("evaluate", whole, whole, whole)
