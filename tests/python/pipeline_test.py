"""Texts and frames through the pipeline: what the command line makes of a file with the same table."""

import csv
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import clade
from clade import HierarchicalPipeline
from clade_tool import run, run_json
from products import products

LEVELS = ["lvl1", "lvl2", "lvl3"]


@pytest.fixture(scope="module")
def table():
    """Texts, numbers, a category with numbers as values, a date, a truth value, an id, and gaps in most of them."""
    frame = pd.DataFrame(products(160, 3))
    rng = np.random.default_rng(1)
    frame["shelf"] = rng.integers(1, 5, len(frame))
    frame["sold"] = rng.random(len(frame)) < 0.5
    frame["added"] = pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 200, len(frame)), "D")
    frame.loc[::9, "price"] = np.nan
    frame.loc[4::11, "brand"] = None
    frame.loc[5::13, "added"] = pd.NaT
    frame.loc[7, "description"] = 'a "quoted", text;\nof two lines'
    frame["brand"] = frame["brand"].astype("category")
    frame["path"] = [" > ".join(row) for row in frame[LEVELS].itertuples(index=False)]
    return frame


def columns(table):
    return table.drop(columns=[*LEVELS, "path"])


def trained(path, *flags):
    model = path.with_suffix(".clade")
    run("train", path, "-o", model, "--force", "--quiet", *flags)
    return model.read_bytes()


@pytest.mark.parametrize("keywords, flags", [
    ({}, []),
    ({"path_separator": ""}, ["--label-paths", "no"]),
    ({"path_separator": " > ", "classifier": "top-down-svm", "parameters": {"c": 0.5}, "word_runs": 2,
      "stem": "english"},
     ["--path-separator", " > ", "--classifier", "top-down-svm", "--c", 0.5, "--word-runs", 2, "--stem", "english"]),
    ({"text_columns": ["title", "bullets"], "ignore_columns": ["brand"], "characters": "3", "min_documents": 2},
     ["--text-columns", "title,bullets", "--ignore-columns", "brand", "--characters", 3, "--min-documents", 2]),
    ({"text_fields": "separate", "number_weight": 1, "classifier": "top-down-logistic", "conformal": "split:20%"},
     ["--text-fields", "separate", "--number-weight", 1, "--classifier", "top-down-logistic", "--conformal",
      "split:20%"]),
])
def test_the_model_of_a_frame_is_that_of_its_file(table, tmp_path, keywords, flags):
    table.drop(columns=LEVELS).to_csv(tmp_path / "t.csv", index=False)
    expected = trained(tmp_path / "t.csv", "--label-column", "path", *flags)
    pipeline = HierarchicalPipeline(**keywords).fit(columns(table), table["path"])
    assert pipeline.model_.to_bytes() == expected


def test_the_same_with_levels_and_with_an_estimator(table, tmp_path):
    table.drop(columns="path").to_csv(tmp_path / "t.csv", index=False)
    flags = ["--classifier", "top-down-svm", "--c", 0.5]
    expected = trained(tmp_path / "t.csv", "--label-levels", ",".join(LEVELS), *flags)
    pipeline = HierarchicalPipeline(clade.TopDownSVM(c=0.5)).fit(columns(table), table[LEVELS])
    assert pipeline.model_.to_bytes() == expected
    predicted = pipeline.predict(columns(table))
    assert predicted.shape == (160, 3) and (predicted == table[LEVELS].to_numpy()).mean() > 0.9
    assert pipeline.score(columns(table), table[LEVELS]) == (predicted == table[LEVELS].to_numpy()).all(axis=1).mean()


def test_numbers_alone_and_texts_alone(table, tmp_path):
    numbers = pd.DataFrame({"a": np.arange(60) % 7, "b": np.linspace(0, 1, 60), "c": np.arange(60.0) ** 0.5})
    numbers.loc[::5, "b"] = np.nan
    labels = pd.Series(np.where(numbers["a"] > 3, "x;y", "z|w"), name="kind")
    with (tmp_path / "n.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "kind"])
        for row, label in zip(numbers.itertuples(index=False), labels):
            writer.writerow([row.a, "" if np.isnan(row.b) else repr(row.b), repr(row.c), label])
    pipeline = HierarchicalPipeline().fit(numbers, labels)
    flags = ["--label-column", "kind", "--label-separators", "\t"]
    assert pipeline.model_.to_bytes() == trained(tmp_path / "n.csv", *flags)
    assert pipeline.predict(numbers[["c", "a", "b"]]).tolist() == pipeline.predict(numbers).tolist()
    assert pipeline.score(numbers, labels) > 0.9
    clade_texts = [{"text": text, "doc_label": [label]} for text, label in zip(table["title"], table["path"])]
    (tmp_path / "t.jsonl").write_text(pd.Series(clade_texts).to_json(orient="records", lines=True, force_ascii=False))
    texts = HierarchicalPipeline("path-svm").fit(table["title"], table["path"])
    assert texts.model_.to_bytes() == trained(tmp_path / "t.jsonl", "--classifier", "path-svm")


def test_the_command_line_goes_on_with_the_model(table, tmp_path):
    X, y = columns(table), table["path"]
    pipeline = HierarchicalPipeline().fit(X[:120], y[:120])
    pipeline.save(tmp_path / "p.clade")
    X[120:].to_csv(tmp_path / "new.csv", index=False)
    lines = run("predict", tmp_path / "p.clade", tmp_path / "new.csv", "--quiet").stdout.splitlines()[1:]
    stored = [next(csv.reader([line])) for line in lines]
    found = pipeline.predictions(X[120:]).to_frame()
    assert found["label"].tolist() == [row[2] for row in stored]
    assert np.allclose(found["score"], [float(row[3]) for row in stored], rtol=1e-12)
    table.drop(columns=LEVELS)[120:].to_csv(tmp_path / "test.csv", index=False)
    told = run_json("evaluate", tmp_path / "p.clade", tmp_path / "test.csv", "--breakdown")
    assert pipeline.evaluate(X[120:], y[120:]).report == told
    shown = run("predict", tmp_path / "p.clade", tmp_path / "new.csv", "--explain", 1, "--quiet").stdout
    assert str(pipeline.explain(X[120:121])[0]).split("\n", 1)[1] == shown.split("\n", 1)[1]
    loaded = HierarchicalPipeline.load(tmp_path / "p.clade")
    assert loaded.predict(X).tolist() == pipeline.predict(X).tolist()
    assert np.allclose(loaded.predict_proba(X), pipeline.predict_proba(X))


def test_labels_in_their_own_types(table):
    X, kinds = columns(table), table["lvl1"].astype("category").cat.codes
    numbers = HierarchicalPipeline("top-down-svm").fit(X, kinds)
    assert numbers.predict(X).dtype.kind == "i" and numbers.classes_.tolist() == [0, 1]
    sets = [[first, "sale"] if row % 4 == 0 else [first] for row, first in enumerate(table["lvl2"])]
    several = HierarchicalPipeline("top-down-svm").fit(X, sets)
    assert all(isinstance(labels, list) for labels in several.predict(X))
    assert set(several.classes_) == {*table["lvl2"], "sale"}
    marks = pd.get_dummies(table["lvl1"])
    marked = HierarchicalPipeline("top-down-svm").fit(table["title"], marks)
    assert marked.predict(table["title"]).shape == marks.shape and marked.score(table["title"], marks) > 0.9
    tree = {"all": ["TV/Video", "Audio"], "rest": ["Kitchen & Dining", "Garden"]}
    given = HierarchicalPipeline("top-down-svm", taxonomy=tree).fit(X, table["lvl2"])
    assert given.model_.taxonomy.parents("TV/Video") == ["all"]
    assert given.evaluate(X, table["lvl2"]).accuracy == given.score(X, table["lvl2"])


def test_samples_without_a_label_and_answers_above_the_leaves(table, tmp_path):
    X, y = columns(table), table["path"].where(table.index % 6 > 0)
    X.assign(path=y).to_csv(tmp_path / "t.csv", index=False)
    pipeline = HierarchicalPipeline("top-down-svm").fit(X, y)
    flags = ["--label-column", "path", "--classifier", "top-down-svm"]
    assert pipeline.model_.to_bytes() == trained(tmp_path / "t.csv", *flags)
    assert set(pipeline.classes_) == set(y.dropna())
    careful = HierarchicalPipeline("top-down-logistic", confidence=0.6).fit(X[["title"]], table[LEVELS])
    rows = careful.predict(X[["title"]])
    lengths = (rows != "").sum(axis=1)
    assert set(lengths) <= {0, 1, 2, 3} and len(set(lengths)) > 1 and "(root)" not in rows
    for row, length in zip(rows, lengths):
        assert (table[LEVELS].to_numpy()[:, :length] == row[:length]).all(axis=1).any()


def test_explanations_of_labels_as_they_are_written(table):
    X = columns(table)
    numbers = HierarchicalPipeline("top-down-svm").fit(X, table["lvl1"].astype("category").cat.codes)
    assert [one.label for one in numbers.explain(X[:3], [1, 0, 1])] == ["1", "0", "1"]
    levels = HierarchicalPipeline("top-down-svm").fit(X, table[LEVELS])
    others = table[LEVELS][::-1][:2].to_numpy()
    for one, row in zip(levels.explain(X[:2], others), others):
        assert one.label.startswith(row[0]) and one.label.endswith(row[2])
    found = levels.explain(X[:1])[0]
    words = set(" ".join(X.iloc[0][["title", "description", "bullets"]]).split())
    assert {reason["feature"] for step in found.steps for reason in step["reasons"]} & words


def test_probabilities(table):
    X, y = columns(table), table["path"]
    pipeline = HierarchicalPipeline("top-down-logistic").fit(X, y)
    scores = pipeline.predict_proba(X)
    assert np.allclose(scores.sum(axis=1), 1) and scores.shape == (160, len(pipeline.classes_))
    assert (pipeline.classes_[scores.argmax(axis=1)] == pipeline.predict(X)).all()


def test_tools_of_scikit_learn(table):
    X, y = columns(table), table["path"]
    pipeline = HierarchicalPipeline("top-down-svm", word_runs=2, n_jobs=1)
    assert clone(pipeline).get_params() == pipeline.get_params()
    fitted = pickle.loads(pickle.dumps(pipeline.fit(X, y)))
    assert fitted.predict(X).tolist() == pipeline.predict(X).tolist() and fitted.notes_ == pipeline.notes_
    scores = cross_val_score(HierarchicalPipeline("top-down-svm"), X, y, cv=3)
    assert scores.min() > 0.5
    texts = cross_val_score(HierarchicalPipeline("top-down-svm"), table["title"].tolist(), y, cv=3)
    assert texts.min() > 0.3
    grid = {"classifier__c": [0.1, 1], "word_runs": [1, 2]}
    search = GridSearchCV(HierarchicalPipeline(clade.TopDownSVM()), grid, cv=2)
    assert set(search.fit(X, y).best_params_) == {"classifier__c", "word_runs"}


def test_weights_and_new_values(table):
    X, y = columns(table), table["lvl1"]
    weights = np.where(y == "Electronics", 1.0, 0.0)
    only = HierarchicalPipeline("top-down-svm").fit(X[weights > 0], y[weights > 0])
    weighted = HierarchicalPipeline("top-down-svm").fit(X, y, sample_weight=weights)
    assert set(only.predict(X)) == set(weighted.predict(X)) == {"Electronics"}
    odd = X[:2].copy()
    odd["brand"] = ["Never Seen", None]
    odd["price"] = [np.nan, 3]
    fitted = HierarchicalPipeline("top-down-svm").fit(X, y)
    assert len(fitted.predict(odd)) == 2 and len(fitted.predict(odd.drop(columns=["added", "sold"]))) == 2


@pytest.mark.parametrize("call, message", [
    (lambda X, y: HierarchicalPipeline(classifier=3).fit(X, y), "`classifier` is int"),
    (lambda X, y: HierarchicalPipeline("no-such").fit(X, y), "no-such"),
    (lambda X, y: HierarchicalPipeline(parameters={"c": 1}).fit(X, y), "`c` is a parameter"),
    (lambda X, y: HierarchicalPipeline(text_columns=["nothing"]).fit(X, y), "no column 'nothing'"),
    (lambda X, y: HierarchicalPipeline(text_columns=["title"]).fit(list(X["title"]), y), "`text_columns`"),
    (lambda X, y: HierarchicalPipeline().fit(X, y[:3]), "3 labels for 160 samples"),
    (lambda X, y: HierarchicalPipeline().fit(pd.concat([X, X["title"]], axis=1), y), "two columns 'title'"),
    (lambda X, y: HierarchicalPipeline("top-down-svm").fit(X, y).predict(X[["url"]]), "none of the columns"),
    (lambda X, y: HierarchicalPipeline("top-down-svm").fit(X, y).score(X, y[:3]), "3 labels for 160 samples"),
])
def test_mistakes_are_told_in_one_line(table, call, message):
    with pytest.raises((ValueError, TypeError)) as error:
        call(columns(table), table["lvl1"])
    assert message in str(error.value) and "\n" not in str(error.value) and "/dev/shm" not in str(error.value)
