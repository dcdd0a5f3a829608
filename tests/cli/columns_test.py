"""Tables and JSON objects with columns of text, numbers, dates and categories."""

import csv
import json
import math
import random

import pytest
from clade_tool import error_line, run, run_json
from products import products, write_csv, write_json_lines
from sklearn.feature_extraction.text import CountVectorizer

TRAIN = ["--classifier", "top-down-svm"]


def columns_note(path, *options):
    notes = run_json("info", path, *options)["warnings"]
    return next(note for note in notes if note.startswith("columns: "))


def converted(path, tmp_path, *options):
    """What the file holds, value by value: rows of numbers, and the names of the features."""
    out = tmp_path / f"{random.random()}.csv"
    run("convert", path, "-o", out, *options)
    with out.open(newline="") as file:
        header, *rows = csv.reader(file)
    first = 1 if header[0] == "sample" else 0
    return [[float(value) for value in row[first:-1]] + [row[-1]] for row in rows], header[first:-1]


def predictions(model, path, tmp_path, *options):
    out = tmp_path / f"{random.random()}.csv"
    process = run("predict", model, path, "-o", out, *options)
    return out.read_text().splitlines()[1:], process.stderr


def test_kinds_are_inferred_and_said(tmp_path):
    note = columns_note(write_json_lines(tmp_path / "p.jsonl", products(60)))
    assert note == ("columns: text: title, description, bullets; number: price; date: added; category: brand; "
                    "label levels: lvl1, lvl2, lvl3; ignored: sku (all different), url (all different)")
    table = columns_note(write_csv(tmp_path / "p.csv", products(60)))
    assert table.startswith("columns: text: title, description, bullets; number: price; date: added; category: brand;")


def test_kinds_can_be_given(tmp_path):
    path = write_csv(tmp_path / "p.csv", products(60))
    note = columns_note(path, "--text-columns", "title", "--categorical-columns", "added", "--ignore-columns", "price",
                        "--label-levels", "lvl1,lvl2")
    assert note == ("columns: text: title; category: brand, added, lvl3; label levels: lvl1, lvl2; "
                    "ignored: sku (all different), description (not in --text-columns), "
                    "bullets (not in --text-columns), price (as asked), url (all different)")
    line = error_line("info", path, "--text-columns", "titel")
    assert "no column 'titel' for --text-columns" in line and "did you mean 'title'?" in line
    line = error_line("info", path, "--numeric-columns", "brand")
    assert "is not a number" in line and ":2:" in line and "--categorical-columns" in line


def test_joined_columns_are_one_text(tmp_path):
    rows = products(80)
    labels = [" > ".join([row["lvl1"], row["lvl2"], row["lvl3"]]) for row in rows]
    several = [{"title": row["title"], "description": row["description"], "label": label}
               for row, label in zip(rows, labels)]
    one = [{"text": row["title"] + " " + row["description"], "label": label} for row, label in zip(rows, labels)]
    assert converted(write_json_lines(tmp_path / "s.jsonl", several), tmp_path) == \
        converted(write_json_lines(tmp_path / "o.jsonl", one), tmp_path)


def test_separate_columns_have_words_of_their_own(tmp_path):
    rows = [{"title": "red knife", "note": "knife sharp blade", "label": "a"},
            {"title": "blue pan", "note": "flat big pan", "label": "b"}]
    _, names = converted(write_json_lines(tmp_path / "s.jsonl", rows), tmp_path, "--text-columns", "title,note",
                         "--text-fields", "separate")
    assert "title:knife" in names and "note:knife" in names and "knife" not in names


def test_numbers_and_categories_match_their_definition(tmp_path):
    rows = products(50)
    path = write_csv(tmp_path / "p.csv", [{k: row[k] for k in ("price", "added", "brand", "lvl1")} for row in rows])
    values, names = converted(path, tmp_path, "--label-column", "lvl1", "--weight", "tf", "--raw-length")
    assert names == ["brand=Acme", "brand=Acme TV", "brand=Bolt", "brand=Bolt TV", "price", "added"]
    prices = [row["price"] for row in rows]
    mean = math.fsum(prices) / len(prices)
    deviation = math.sqrt(math.fsum((p - mean) ** 2 for p in prices) / len(prices))
    for row, found in zip(rows, values):
        assert found[:4] == [float(name == "brand=" + row["brand"]) for name in names[:4]]
        assert found[4] == pytest.approx(0.3 * max(-3, min(3, (row["price"] - mean) / deviation)), abs=1e-12)


def test_runs_of_words_and_sublinear_counts(tmp_path):
    draw = random.Random(3)
    vocabulary = ["alpha", "beta", "gamma", "delta", "epsilon"]
    texts = [" ".join(draw.choice(vocabulary) for _ in range(12)) for _ in range(20)]
    rows = [{"body": text, "label": "ab"[i % 2]} for i, text in enumerate(texts)]
    path = write_json_lines(tmp_path / "t.jsonl", rows)
    values, names = converted(path, tmp_path, "--word-runs", 2, "--raw-length",
                            "--stop-words", "none")
    reference = CountVectorizer(ngram_range=(1, 2))
    counts = reference.fit_transform(texts)
    assert sorted(names) == sorted(reference.get_feature_names_out())
    frequency = (counts > 0).sum(axis=0).A1
    for r, line in enumerate(values):
        found = {name: value for name, value in zip(names, line) if value != 0}
        row = counts[r].tocoo()
        expected = {reference.get_feature_names_out()[c]: (1 + math.log(n)) * math.log(len(texts) / frequency[c])
                    for c, n in zip(row.col, row.data) if frequency[c] < len(texts)}
        assert found == pytest.approx(expected)
    plain, _ = converted(path, tmp_path, "--weight", "tf", "--raw-length", "--stop-words", "none")
    assert sum(sum(line[:-1]) for line in plain) == 12 * 20  # a count stays a count
    plain, names = converted(path, tmp_path, "--sublinear", "no", "--raw-length", "--stop-words", "none")
    column = reference.vocabulary_["gamma"]
    assert sum(line[names.index("gamma")] for line in plain) == pytest.approx(
        counts[:, column].sum() * math.log(20 / frequency[column]))
    most = 0.92
    _, kept = converted(path, tmp_path, "--max-documents", most, "--stop-words", "none")
    assert kept == sorted(w for w in vocabulary if sum(w in t.split() for t in texts) <= most * len(texts)) != []


def test_a_json_array_is_json_lines(tmp_path):
    rows = products(30)
    array = tmp_path / "a.jsonl"
    array.write_text(json.dumps(rows, indent=1))
    assert converted(array, tmp_path) == converted(write_json_lines(tmp_path / "l.jsonl", rows), tmp_path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be-bom", "utf-8-sig"])
def test_encodings_of_spreadsheets(tmp_path, encoding):
    rows = [{**row, "title": row["title"] + " Häkchen 😀"} for row in products(30)]
    plain = write_csv(tmp_path / "plain.csv", rows)
    other = tmp_path / "other.csv"
    content = plain.read_bytes().decode()
    other.write_bytes("\ufeff".encode("utf-16-be") + content.encode("utf-16-be") if encoding == "utf-16-be-bom"
                      else content.encode(encoding))
    assert converted(other, tmp_path) == converted(plain, tmp_path)


def test_semicolons_with_decimal_commas(tmp_path):
    rows = products(40)
    for row in rows:
        row["title"] += "\nsecond line; with a semicolon, and a comma"
        row["price"] = 1234.5 + row["price"]
    plain = write_csv(tmp_path / "plain.csv", rows)
    other = [{**row, "price": f"{row['price']:,.2f}".translate(str.maketrans(",.", ".,"))} for row in rows]
    assert converted(write_csv(tmp_path / "other.csv", other, ";"), tmp_path) == converted(plain, tmp_path)
    (tmp_path / "t.csv").write_text("x;label\n3.500;a\n3.500,50;b\n500,25;a\n")
    assert [row[0] for row in converted(tmp_path / "t.csv", tmp_path)[0]] == [3500, 3500.5, 500.25]
    dense = "x;y;label\n1,5;2,25;a\n3;-4,5;b\n"
    (tmp_path / "d.csv").write_text(dense)
    (tmp_path / "e.csv").write_text(dense.replace(",", "."))
    assert converted(tmp_path / "d.csv", tmp_path) == converted(tmp_path / "e.csv", tmp_path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    path = folder / "m.clade"
    run("train", write_json_lines(folder / "p.jsonl", products(300)), *TRAIN, "-o", path)
    return path


def test_prediction_finds_columns_by_name(model, tmp_path):
    rows = products(40, seed=2)
    expected, _ = predictions(model, write_json_lines(tmp_path / "n.jsonl", rows), tmp_path)
    shuffled = [dict(random.Random(5).sample(sorted(row.items()), len(row))) for row in rows]
    for row in shuffled:
        row["extra"] = "nothing to do with it"
    found, _ = predictions(model, write_csv(tmp_path / "n.csv", shuffled), tmp_path)
    assert found == expected
    right = sum(line.split(",", 2)[2].rsplit(",", 1)[0].strip('"') ==
                " > ".join([row["lvl1"], row["lvl2"], row["lvl3"]]) for line, row in zip(expected, rows))
    assert right >= 36


def test_missing_columns_are_said(model, tmp_path):
    rows = [{"title": row["title"], "price": row["price"]} for row in products(5, seed=2)]
    _, said = predictions(model, write_json_lines(tmp_path / "n.jsonl", rows), tmp_path)
    assert "columns missing in" in said and "description, bullets" in said and "brand" in said
    other = write_json_lines(tmp_path / "o.jsonl", [{"a": "x", "b": "y"}])
    line = error_line("predict", model, other, "-o", tmp_path / "x.csv")
    assert "none of the columns that the model was trained on" in line and "the columns are: a, b" in line


def test_null_fields_are_missing_values(model, tmp_path):
    row = {**products(1, seed=2)[0], "title": None, "price": None}
    lines, _ = predictions(model, write_json_lines(tmp_path / "n.jsonl", [row]), tmp_path)
    assert len(lines) == 1


def test_folds_learn_numbers_and_words_on_the_training_part(tmp_path):
    rows = products(90)
    folds = [i % 3 for i in range(90)]
    (tmp_path / "folds.txt").write_text("".join(f"{fold}\n" for fold in folds))
    data = write_json_lines(tmp_path / "p.jsonl", rows)
    by_folds = run_json("evaluate", data, *TRAIN, "--fold-file", tmp_path / "folds.txt")
    scores = []
    for fold in range(3):
        train = write_json_lines(tmp_path / "a.jsonl", [row for row, f in zip(rows, folds) if f != fold])
        test = write_json_lines(tmp_path / "b.jsonl", [row for row, f in zip(rows, folds) if f == fold])
        run("train", train, *TRAIN, "-o", tmp_path / "m.clade", "--force")
        scores.append(run_json("evaluate", tmp_path / "m.clade", test)["hierarchical_f1"])
    assert by_folds["hierarchical_f1"] == pytest.approx(sum(scores) / 3, abs=1e-12)


def test_a_feature_is_never_taken_for_a_label(tmp_path):
    draw = random.Random(4)
    points = [(draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(40)]
    (tmp_path / "t.csv").write_text("x,y,label\n" + "".join(f"{x},{y},{'ab'[y > 0]}\n" for x, y in points))
    (tmp_path / "n.csv").write_text("id,x,y\n" + "".join(f"s{i},{x},{y}\n" for i, (x, y) in enumerate(points)))
    (tmp_path / "m.csv").write_text("name,y,x\n" + "".join(f"s{i},{y},{x}\n" for i, (x, y) in enumerate(points)))
    run("train", tmp_path / "t.csv", *TRAIN, "-o", tmp_path / "m.clade")
    found, _ = predictions(tmp_path / "m.clade", tmp_path / "n.csv", tmp_path)
    right = sum(line.split(",")[2] == "ab"[y > 0] for line, (_, y) in zip(found, points))
    assert right >= 36
    other, _ = predictions(tmp_path / "m.clade", tmp_path / "m.csv", tmp_path)
    assert [line.split(",")[2:] for line in other] == [line.split(",")[2:] for line in found]
    (tmp_path / "l.csv").write_text("x,z\n1,2\n")
    assert "lack 1 of the model's 2 features: y" in error_line("predict", tmp_path / "m.clade", tmp_path / "l.csv", "-o",
                                                               tmp_path / "x.csv")
    _, said = predictions(tmp_path / "m.clade", tmp_path / "l.csv", tmp_path, "--align-features")
    assert "1 of the model's 2 features are missing" in said


def test_the_label_column_is_said(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("target,height,width,age\na,1,2,30\nb,2,3,31\na,1,1,30\nb,2,2,3\n")
    assert "column 'target' is taken as the labels; --label-column names another" in run_json("info", path)["warnings"]
    path.write_text("colour,height,width,age\n1,1,2,30\n2,2,3,31\n")
    assert "column 'age' is taken as the labels; --label-column names another" in run_json("info", path)["warnings"]
    objects = write_json_lines(tmp_path / "o.jsonl", [{"title": "a knife", "kind": "x"}])
    line = error_line("info", objects)
    assert "cannot tell which column has the labels" in line and "--label-column" in line and "title, kind" in line


def test_repeated_and_empty_names_stay_apart(tmp_path):
    draw = random.Random(6)
    rows = [(draw.random(), i % 2) for i in range(60)]
    path, model = tmp_path / "d.csv", tmp_path / "m.clade"
    path.write_text("title,price,price,,category\n" +
                    "".join(f"word {i},{noise},{kind},5,{'xy'[kind]}\n" for i, (noise, kind) in enumerate(rows)))
    run("train", path, "--classifier", "top-down-svm", "-o", model)
    assert "price, price 3" in columns_note(path)
    assert run_json("evaluate", model, path)["accuracy"] == 1


def test_values_that_are_no_numbers(tmp_path):
    rows = products(100)
    rows[7]["price"] = "n.v."
    path, model = write_json_lines(tmp_path / "p.jsonl", rows), tmp_path / "m.clade"
    assert "number: price" in columns_note(path)
    said = run("train", path, *TRAIN, "-o", model).stderr
    assert "column 'price': 1 of 100 values are no numbers and count as missing, the first in line 8: 'n.v.'" in said
    for row in rows:
        row["price"] = f"${row['price']}"
    write_json_lines(path, rows)
    assert "in column 'price' is no number, nor is any other value" in error_line("evaluate", model, path)


def test_huge_numbers_do_no_harm(tmp_path):
    rows = products(60)
    rows[3]["price"] = 1e300
    path, model = write_json_lines(tmp_path / "p.jsonl", rows), tmp_path / "m.clade"
    run("train", path, *TRAIN, "-o", model)
    assert run_json("evaluate", model, path)["accuracy"] > 0.9


def test_labels_unknown_to_the_model_without_a_separator(tmp_path):
    rows = [{"title": row["title"], "category": row["lvl1"] + " > " + row["lvl2"]} for row in products(60)]
    model = tmp_path / "m.clade"
    run("train", write_json_lines(tmp_path / "a.jsonl", rows), *TRAIN, "-o", model)
    rows[5]["category"] = "zzz"
    said = run("evaluate", model, write_json_lines(tmp_path / "b.jsonl", rows)).stderr
    assert "does not know: 1" in said and "zzz" in said


@pytest.mark.parametrize("content, problem", [
    ('{"a": 1}\n[2]\n', "not a JSON object"),
    ('{"title": "x", "label": "b"\n', "not well-formed JSON"),
    ('[{"title": "x"}, 3]', "not a JSON object"),
    ("[]", "no rows"),
    ('{"label": "a"}\n', "no column is left to learn from"),
])
def test_bad_objects_are_refused(tmp_path, content, problem):
    path = tmp_path / "bad.jsonl"
    path.write_text(content)
    assert problem in error_line("info", path)


def test_a_row_of_another_width_is_refused(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("title,label\na knife,x\nb pan,y,z\n")
    assert "bad.csv:3: 3 columns; expected 2 as in the first row" in error_line("info", path)


def test_levels_beside_the_label_are_no_features(tmp_path):
    rows = [{**{key: row[key] for key in ("title", "brand")}, "cat1": row["lvl1"], "cat2": row["lvl2"], "cat3": row["lvl3"]}
            for row in products(80)]
    for path in (write_csv(tmp_path / "p.csv", rows), write_json_lines(tmp_path / "p.jsonl", rows)):
        notes = run_json("info", path, "--label-column", "cat3")["warnings"]
        said = next(note for note in notes if note.startswith("left out"))
        assert "of the label 'cat3': cat1, cat2; --label-levels cat1,cat2,cat3 learns all levels" in said
        assert columns_note(path, "--label-column", "cat3").endswith("cat1 (a level of the label), cat2 (a level of the label)")
        assert "cat3 (a level of the label)" in columns_note(path, "--label-column", "cat2")  # finer gives it away too
        assert "category: brand, cat1" in columns_note(path, "--label-column", "cat3", "--categorical-columns", "cat1")
        assert "cat1, cat2, cat3" in columns_note(path)
        run("train", path, "--label-column", "cat3", "-o", tmp_path / "m.clade", "--force")
        run("predict", tmp_path / "m.clade", "--text", "a knife")


def test_main_and_sub_category_are_levels_of_one_hierarchy(tmp_path):
    rows = [{"title": row["title"], "Main category": row["lvl1"], "Sub category": row["lvl1"] + row["lvl2"]} for row in products(80)]
    path = write_csv(tmp_path / "p.csv", rows)
    assert "Main category (a level of the label)" in columns_note(path, "--label-column", "Sub category")
    said = next(note for note in run_json("info", path)["warnings"] if note.startswith("left out"))
    assert "; --label-levels 'Main category,Sub category' learns all levels" in said
    taught = run_json("info", path, "--label-levels", "Main category,Sub category")
    assert taught["height"] == 3


def test_names_that_tell_nothing_are_only_noted(tmp_path):
    groups = ["food", "tools", "toys", "books"]
    for count, is_said in ((300, True), (30, False)):
        rows = [{"title": row["title"], "shelf": groups[k % 4], "kind": f"k{k % 8}", "tax": [7, 19, 7, 16][k % 4],
                 "fragile": ["yes", "no"][k % 2]} for k, row in enumerate(products(count))]
        path = write_csv(tmp_path / f"{count}.csv", rows)
        notes = [note for note in run_json("info", path, "--label-column", "kind")["warnings"] if "one value for each label" in note]
        assert [note[:14] for note in notes] == (["column 'shelf'"] if is_said else [])
        assert all("--label-levels shelf,kind" in note and "--ignore-columns shelf" in note for note in notes)
        assert "category: shelf, fragile" in columns_note(path, "--label-column", "kind")


def test_ordinary_categories_raise_no_alarm(tmp_path):
    draw = random.Random(5)
    rows = [{"title": row["title"], "colour": draw.choice(["red", "green", "blue"]), "category": row["lvl3"],
             "category_note": draw.choice(["new", "used"])} for row in products(300)]
    notes = run_json("info", write_csv(tmp_path / "p.csv", rows))["warnings"]
    assert not [note for note in notes if "level" in note]


def test_texts_without_a_known_word(tmp_path):
    model = tmp_path / "m.clade"
    run("train", write_json_lines(tmp_path / "p.jsonl", products(80)), "-o", model)
    process = run("predict", model, "--text", "qqq zzz")
    assert "the model knows no word of the text: the answer does not depend on it" in process.stderr
    known = products(80)[0]["title"]
    assert "knows no word" not in run("predict", model, "--text", known).stderr
    rows = [{"title": "qqq zzz", "price": 3}, {"title": known}, {"description": "xxx"}]
    new = write_json_lines(tmp_path / "n.jsonl", rows)
    assert "texts without a known word: 2" in run("predict", model, new).stderr
    assert run_json("predict", model, new, "-o", tmp_path / "n.csv") == {"samples": 3, "texts_without_known_word": 2}


def test_a_file_with_the_one_column_of_a_model(tmp_path):
    rows = [{"text": row["title"], "label": row["lvl2"]} for row in products(80)]
    model = tmp_path / "m.clade"
    run("train", write_csv(tmp_path / "t.csv", rows), "-o", model, *TRAIN, "--text-columns", "text")
    expected, _ = predictions(model, tmp_path / "t.csv", tmp_path)
    for name in ("new.csv", "new.tsv"):  # the header is no sample, though rows are texts as it is
        (tmp_path / name).write_text("\n".join(["text", *(row["text"] for row in rows)]) + "\n")
    for name in ("new.csv", "new.tsv"):
        found, told = predictions(model, tmp_path / name, tmp_path)
        assert found == expected and "without a label" not in told


def test_samples_without_a_label_are_counted_once(tmp_path):
    rows = [{"text": row["title"], "label": row["lvl2"] if k else ""} for k, row in enumerate(products(80))]
    path = write_csv(tmp_path / "t.csv", rows)
    notes = run_json("info", path, "--text-columns", "text")["warnings"]
    assert [note for note in notes if note.startswith("1 sample")] == ["1 sample without a label"]
