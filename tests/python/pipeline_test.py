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


def test_texts_are_a_table_with_one_column(table, tmp_path):
    texts, labels = table["title"].tolist(), table["path"].tolist()
    pd.DataFrame({"text": texts, "label": labels}).to_csv(tmp_path / "t.csv", index=False)
    pipeline = HierarchicalPipeline("path-svm").fit(texts, labels)
    assert pipeline.model_.to_bytes() == trained(tmp_path / "t.csv", "--classifier", "path-svm")
    table[["title", "path"]].to_csv(tmp_path / "t.csv", index=False)
    named = HierarchicalPipeline("path-svm").fit(table["title"], table["path"])
    assert named.model_.to_bytes() == trained(tmp_path / "t.csv", "--label-column", "path", "--classifier", "path-svm")
    named.save(tmp_path / "titles.clade")
    expected = pipeline.predict(texts).tolist()
    for samples in (texts, table["title"], pd.Series(texts, name="other"), table[["title"]], table[["title", "price"]],
                    [{"title": text} for text in texts]):
        assert named.predict(samples).tolist() == expected
    for columns_of_file in (["title"], ["title", "price"]):
        table[columns_of_file].to_csv(tmp_path / "new.csv", index=False)
        lines = run("predict", tmp_path / "titles.clade", tmp_path / "new.csv", "--quiet").stdout.splitlines()[1:]
        assert [next(csv.reader([line]))[2] for line in lines] == expected
    assert HierarchicalPipeline.load(tmp_path / "titles.clade").predict(texts).tolist() == expected


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


def test_answers_above_the_leaves(table):
    X = columns(table)
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
    assert len(fitted.predict(odd)) == 2 and len(fitted.predict(odd.drop(columns=["url"]))) == 2


@pytest.mark.parametrize("call, message", [
    (lambda X, y: HierarchicalPipeline(classifier=3).fit(X, y), "`classifier` is int"),
    (lambda X, y: HierarchicalPipeline("no-such").fit(X, y), "no-such"),
    (lambda X, y: HierarchicalPipeline(parameters={"c": 1}).fit(X, y), "`c` is a parameter"),
    (lambda X, y: HierarchicalPipeline(text_columns=["nothing"]).fit(X, y), "no column 'nothing'"),
    (lambda X, y: HierarchicalPipeline(text_columns=["title"]).fit(list(X["title"]), y), "`text_columns`"),
    (lambda X, y: HierarchicalPipeline().fit(X, y[:3]), "3 labels for 160 samples"),
    (lambda X, y: HierarchicalPipeline().fit(pd.concat([X, X["title"]], axis=1), y), "two columns 'title'"),
    (lambda X, y: HierarchicalPipeline("top-down-svm").fit(X, y).score(X, y[:3]), "3 labels for 160 samples"),
    (lambda X, y: HierarchicalPipeline("top-down-svm").fit(X, y).predict(X[["url"]]), "X has no columns 'title', "),
    (lambda X, y: HierarchicalPipeline("top-down-svm").fit(X, y).predict(X.drop(columns="price")),
     "X has no column 'price'; expected those of training: 'title', "),
    (lambda X, y: HierarchicalPipeline("top-down-svm", missing="mean").fit(X[["price", "shelf"]], y).predict(X[["shelf"]]),
     "X has no column 'price'; expected"),
    (lambda X, y: HierarchicalPipeline("top-down-svm").fit(X, y).predict(X[:0]), "the frame has no rows; expected"),
    (lambda X, y: HierarchicalPipeline("top-down-svm").fit(X, y).predict([]), "X has no samples; expected"),
    (lambda X, y: HierarchicalPipeline().fit(X.rename(columns={"title": " title"}), y), "column ' title' begins or ends"),
    (lambda X, y: HierarchicalPipeline().fit(X, [" " + label for label in y]), "begins or ends with a blank"),
    (lambda X, y: HierarchicalPipeline().fit(X, [None, *y[1:]]), "sample 0 has None; expected a label"),
    (lambda X, y: HierarchicalPipeline().fit(X, y.where(y.index != 2)), "sample 2 has nan; expected a label"),
    (lambda X, y: HierarchicalPipeline("top-down-svm").fit(X, y).score(X, y.where(y.index != 2)), "sample 2 has nan"),
    (lambda X, y: HierarchicalPipeline(numeric_columns=["price"]).fit(X.assign(price=["1"] * 4 + ["x"] * 156), y),
     "the frame, row 4: 'x' in column 'price' is not a number"),
])
def test_mistakes_are_told_in_one_line(table, call, message):
    with pytest.raises((ValueError, TypeError)) as error:
        call(columns(table), table["lvl1"])
    assert message in str(error.value) and "\n" not in str(error.value) and "/dev/shm" not in str(error.value)


def test_what_is_odd_about_columns_and_labels_is_logged(table, caplog):
    X, y = columns(table), table["lvl1"]
    with caplog.at_level("INFO", logger="clade"):
        pipeline = HierarchicalPipeline("top-down-svm").fit(X, y)
        assert not [record for record in caplog.records if record.levelname == "WARNING"]
        assert any("the first in row 0, column 'price'" in record.message for record in caplog.records)
        caplog.clear()
        pipeline.predict(X.assign(more=1, other="x"))
        told = [record.message for record in caplog.records]
        assert "columns 'more', 'other' of X unknown to the model: ignored" in told
        assert not any("label" in note for note in told)
        HierarchicalPipeline("top-down-svm").fit(X.assign(kind=y), y)
        HierarchicalPipeline("top-down-svm").fit(X.assign(kind=table["lvl2"]), table[LEVELS])
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 2 and all("column 'kind' of X equals y" in warning for warning in warnings)


@pytest.mark.parametrize("labels", ["path", LEVELS, "sets"])
def test_the_methods_of_the_classifiers(table, labels):
    X = columns(table)
    y = [[kind, "sale"] if row % 4 == 0 else [kind] for row, kind in enumerate(table["lvl2"])]
    y = y if labels == "sets" else table[labels]
    pipeline = HierarchicalPipeline("top-down-logistic", conformal="split:30%").fit(X, y)
    model = pipeline.model_
    names, scores = pipeline.predict_ranked(X, top_k=2)
    assert np.allclose(scores, model.predict_ranked(X, top_k=2)[1]) and names.shape == (160, 2)
    found, nodes = pipeline.node_scores(X)
    assert np.allclose(found, model.node_scores(X)[0]) and nodes[0] == "(root)"
    assert pipeline.decision_function(X).shape == pipeline.predict_log_proba(X).shape == (160, len(pipeline.classes_))
    assert len(pipeline.predict_nodes(X)) == 160
    covering = model.covering_predictions(X, 0.8)
    assert [len(answer) for answer in pipeline.predict_covering(X, 0.8)] == np.diff(covering.offsets).tolist()
    if labels != "sets":
        levels, probabilities = pipeline.predict_levels(X)
        assert levels.tolist() == model.predict_levels(X)[0].tolist()
        assert np.nanmax(probabilities) <= 1
    assert pipeline.telling_features(nodes[1], 3)
    assert pipeline.hierarchical_score(X, y) == pytest.approx(pipeline.evaluate(X, y).hierarchical_f1)
    assert pipeline.taxonomy_.leaves and pipeline.reason_ == "as asked"


def test_a_model_without_probabilities_says_what_has_them(table):
    pipeline = HierarchicalPipeline("top-down-svm").fit(columns(table), table["path"])
    with pytest.raises(AttributeError, match=r"expected a classifier .* TopDownSVM\(calibrate='sigmoid'\)"):
        pipeline.predict_proba(columns(table))
    calibrated = HierarchicalPipeline(clade.TopDownSVM(calibrate="sigmoid")).fit(columns(table), table["path"])
    assert calibrated.predict_proba(columns(table)).shape == (160, len(calibrated.classes_))
    assert HierarchicalPipeline().fit(columns(table), table["path"]).reason_ != "as asked"
