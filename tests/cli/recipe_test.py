"""Cross-validation measures what is deployed: words, means of missing values and selection are learnt inside the folds."""

import json
import random

import pytest
from clade_tool import error_line, run, run_json

SUBJECTS = {"a/x": "apple pear plum", "a/y": "apple grape melon", "b/x": "iron steel gold", "b/y": "iron zinc lead"}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Documents whose words are not all in every half, and the halves as files of their own."""
    folder = tmp_path_factory.mktemp("texts")
    draw = random.Random(3)
    lines, folds = [], []
    for d in range(120):
        label = draw.choice(sorted(SUBJECTS))
        words = [draw.choice(SUBJECTS[draw.choice(sorted(SUBJECTS)) if draw.random() < 0.4 else label].split())
                 for _ in range(4)] + [f"rare{draw.randrange(60)}" for _ in range(2)]
        lines.append(json.dumps({"doc_label": label, "text": " ".join(words)}))
        folds.append(draw.randrange(2))
    (folder / "all.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "folds.txt").write_text("\n".join(map(str, folds)) + "\n")
    tree = "child,parent\nroot\na,root\nb,root\n" + "".join(f"{label},{label[0]}\n" for label in sorted(SUBJECTS))
    (folder / "tree.csv").write_text(tree)
    for fold in (0, 1):
        part = [line for line, f in zip(lines, folds) if f == fold]
        (folder / f"part{fold}.jsonl").write_text("\n".join(part) + "\n")
    return folder


RECIPES = [
    ["--classifier", "top-down-logistic"],
    ["--classifier", "top-down-svm", "--calibrate", "sigmoid"],
    ["--classifier", "top-down-svm", "--select", "hier-fisher", "--top", "30%"],
    ["--classifier", "hierarchical-svm", "--c-grid", "0.1,1,10"],
    ["--classifier", "path-svm"],
]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe[1] + "".join(recipe[2:3]))
def test_folds_are_what_training_and_measuring_on_files_gives(texts, tmp_path, recipe):
    tree = ["--taxonomy", texts / "tree.csv"]
    inside = run_json("evaluate", texts / "all.jsonl", "--fold-file", texts / "folds.txt", *tree, *recipe)
    values = []
    for fold in (0, 1):
        model = tmp_path / f"{fold}.clade"
        run("train", texts / f"part{1 - fold}.jsonl", *tree, *recipe, "-o", model)
        values.append(run_json("evaluate", model, texts / f"part{fold}.jsonl", *tree))
    for measure in ("accuracy", "hierarchical_f1", "tie"):
        assert inside[measure] == pytest.approx((values[0][measure] + values[1][measure]) / 2, rel=1e-12), measure


@pytest.fixture
def table(tmp_path):
    """Numbers with holes; the model must fill new holes with the means of its training samples."""
    draw = random.Random(5)
    rows = []
    for s in range(60):
        label = "pq"[s % 2]
        x = draw.gauss(2 if label == "p" else 0, 1)
        rows.append([x, draw.gauss(0, 1), label])
        if draw.random() < 0.3:
            rows[-1][draw.randrange(2)] = None
    return rows


def write(path, rows):
    text = ["x,y,label"] + [",".join("" if v is None else repr(v) if isinstance(v, float) else v for v in row) for row in rows]
    path.write_text("\n".join(text) + "\n")
    return path


def filled(rows, means):
    return [[means[c] if v is None and c < 2 else v for c, v in enumerate(row)] for row in rows]


def means_of(rows):
    columns = [[row[c] for row in rows if row[c] is not None] for c in (0, 1)]
    return [sum(column) / len(column) for column in columns]


def test_a_model_keeps_the_training_means(table, tmp_path):
    train, test = table[:40], table[40:]
    model = tmp_path / "m.clade"
    run("train", write(tmp_path / "train.csv", train), "--classifier", "top-down-svm", "--missing", "mean", "-o", model)
    plain = write(tmp_path / "filled.csv", filled(test, means_of(train)))
    holes = write(tmp_path / "holes.csv", test)
    expected, found = tmp_path / "expected.csv", tmp_path / "found.csv"
    run("predict", model, plain, "-o", expected)
    run("predict", model, holes, "-o", found)
    assert found.read_text() == expected.read_text()
    run("predict", model, holes, "--missing", "mean", "-o", found, "--force")
    assert found.read_text() == expected.read_text()
    told = run_json("evaluate", model, holes, "--missing", "mean")
    assert told["accuracy"] == run_json("evaluate", model, plain)["accuracy"]
    # In the order of the new table, too: replaced after columns are found by name.
    swapped = tmp_path / "swapped.csv"
    swapped.write_text("y,x,label\n" + "".join(
        ",".join("" if v is None else str(v) for v in (row[1], row[0], row[2])) + "\n" for row in test))
    run("predict", model, swapped, "--align-features", "-o", found, "--force")
    assert [line.split(",")[2] for line in found.read_text().splitlines()] == [
        line.split(",")[2] for line in expected.read_text().splitlines()]


def test_a_model_without_means_says_so(table, tmp_path):
    complete = [row for row in table if None not in row]
    model = tmp_path / "m.clade"
    run("train", write(tmp_path / "train.csv", complete), "--classifier", "top-down-svm", "-o", model)
    refused = error_line("evaluate", model, write(tmp_path / "holes.csv", table), "--missing", "mean")
    assert refused.startswith("--missing: the model has no means")


def test_means_are_those_of_the_training_folds(table, tmp_path):
    folds = tmp_path / "folds.txt"
    folds.write_text("\n".join(str(s % 3 // 2) for s in range(len(table))) + "\n")
    data = write(tmp_path / "all.csv", table)
    recipe = ["--classifier", "top-down-svm", "--calibrate", "temperature"]
    inside = run_json("evaluate", data, "--fold-file", folds, "--missing", "mean", *recipe)
    values = []
    for fold in (0, 1):
        train = [row for s, row in enumerate(table) if s % 3 // 2 != fold]
        test = [row for s, row in enumerate(table) if s % 3 // 2 == fold]
        model = tmp_path / f"{fold}.clade"
        run("train", write(tmp_path / "train.csv", train), "--missing", "mean", *recipe, "-o", model)
        values.append(run_json("evaluate", model, write(tmp_path / "test.csv", test))["accuracy"])
    assert inside["accuracy"] == pytest.approx(sum(values) / 2, rel=1e-12)
