"""Models of Python and of the command line: the same files, the same answers, the same measures."""

import csv
import json
import pickle

import numpy as np
import pandas as pd
import pytest

import clade
from clade import Model
from clade_tool import run, run_json
from html_page import Page as HtmlPage
from html_page import check_page
from products import products, write_csv


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Vectors with one label, vectors with several, texts and a table, each in a training and a test file."""
    folder = tmp_path_factory.mktemp("model")
    for name, options in {"one": ["--single-label"], "several": []}.items():
        run("synth", "-o", folder / f"{name}.npz", "--depth", 2, "--samples", 160, "--features", 8, *options, "--quiet")
        run("split", folder / f"{name}.npz", "-o", folder / name, "--test", "25%", "--quiet")
    run("synth", "--text", "-o", folder / "text.jsonl", "--documents", 160, "--levels", "3,9", "--words", 400,
        "--length", 30, "--quiet")
    run("split", folder / "text.jsonl", "-o", folder / "text", "--test", "25%", "--quiet")
    (folder / "table").mkdir()
    write_csv(folder / "table" / "train.csv", products(150, 1))
    write_csv(folder / "table" / "test.csv", products(40, 2))
    return folder


FILES = {"one": "npz", "several": "npz", "text": "jsonl", "table": "csv"}


def parts(folder, name):
    return folder / name / f"train.{FILES[name]}", folder / name / f"test.{FILES[name]}"


@pytest.fixture(scope="module")
def models(folder):
    """The models of the command line, without a classifier named."""
    for name in FILES:
        run("train", parts(folder, name)[0], "-o", folder / f"{name}.clade", "--quiet")
    return {name: clade.read_model(folder / f"{name}.clade") for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_the_same_model_of_a_file(folder, models, name, tmp_path):
    train, _ = parts(folder, name)
    stored = (folder / f"{name}.clade").read_bytes()
    assert clade.train(train).to_bytes() == stored
    assert clade.train(clade.read_data(train), n_jobs=2).to_bytes() == stored
    model = models[name]
    assert model.to_bytes() == stored and Model.from_bytes(stored).to_bytes() == stored
    model.save(tmp_path / "again.clade")
    assert (tmp_path / "again.clade").read_bytes() == stored
    assert pickle.loads(pickle.dumps(model)).to_bytes() == stored
    assert model.info() == run_json("info", folder / f"{name}.clade")
    with pytest.raises(clade.InputError, match="again.clade"):
        model.save(tmp_path / "again.clade")


@pytest.mark.parametrize("options, flags", [
    ({"classifier": "top-down-svm", "c": 0.5, "calibrate": "sigmoid"},
     ["--classifier", "top-down-svm", "--c", 0.5, "--calibrate", "sigmoid"]),
    ({"classifier": "top-down-logistic", "select": "fisher", "top": "50%"},
     ["--classifier", "top-down-logistic", "--select", "fisher", "--top", "50%"]),
    ({"classifier": "top-down-svm", "select": "hier-fs", "select_parameters": {"lambda": 5, "bias": True}, "top": 3},
     ["--classifier", "top-down-svm", "--select", "hier-fs", "--select-parameters", "lambda=5,bias=true", "--top", 3]),
    ({"conformal": "split:20%", "conformal_by_class": True}, ["--conformal", "split:20%", "--conformal-by-class"]),
    ({"classifier": "forest", "random_state": 7, "parameters": {"trees": 20}},
     ["--classifier", "forest", "--trees", 20, "--seed", 7]),
])
def test_the_same_model_of_the_same_options(folder, tmp_path, options, flags):
    train, _ = parts(folder, "one")
    run("train", train, "-o", tmp_path / "m.clade", "--quiet", *flags)
    assert clade.train(train, **options).to_bytes() == (tmp_path / "m.clade").read_bytes()


def test_weights_gaps_and_what_is_held_out(folder, tmp_path):
    train, _ = parts(folder, "one")
    data = clade.read_data(train)
    weights = np.random.default_rng(1).uniform(0.1, 2, len(data))
    (tmp_path / "weights.csv").write_text("\n".join(map(repr, weights.tolist())))
    run("train", train, "-o", tmp_path / "m.clade", "--classifier", "top-down-svm", "--sample-weights",
        tmp_path / "weights.csv", "--quiet")
    assert clade.train(data, "top-down-svm", sample_weight=weights).to_bytes() == (tmp_path / "m.clade").read_bytes()
    told = json.loads(run("train", train, "-o", tmp_path / "h.clade", "--holdout", "25%", "--json", "--quiet").stdout)
    held_out = clade.train(train, holdout="25%").training["held_out"]
    assert held_out.accuracy == told["held_out"]["accuracy"] and held_out.samples == told["held_out"]["samples"]
    X = data.X.copy()
    X[::7, 2] = np.nan
    gaps = clade.Dataset(X, data.y, data.taxonomy)
    gaps.write(tmp_path / "gaps.npz")
    for flags, options in [([], {}), (["--classifier", "top-down-svm", "--missing", "mean"],
                                      {"classifier": "top-down-svm", "missing": "mean"})]:
        run("train", tmp_path / "gaps.npz", "-o", tmp_path / "g.clade", "--force", "--quiet", *flags)
        assert clade.train(tmp_path / "gaps.npz", **options).to_bytes() == (tmp_path / "g.clade").read_bytes()
        expected = clade.read_model(tmp_path / "g.clade").predict(X).tolist()
        assert clade.train(gaps, **options).predict(X).tolist() == expected
    with pytest.raises(clade.InputError, match="missing"):
        clade.train(tmp_path / "gaps.npz", "top-down-svm")


def test_several_classifiers_are_tried(folder):
    model = clade.train(parts(folder, "one")[0], "auto", budget="5s")
    tried = model.training["tried"]
    assert model.classifier in {one["classifier"] for one in tried} and len(tried) > 1


@pytest.mark.parametrize("name", FILES)
def test_the_same_answers(folder, models, name, tmp_path):
    model, (_, test) = models[name], parts(folder, name)
    flags = ["--top-k", 2] if name in ("one", "text") else []
    options = {"top_k": 2} if flags else {}
    run("predict", folder / f"{name}.clade", test, "-o", tmp_path / "p.csv", "--quiet", *flags)
    stored = pd.read_csv(tmp_path / "p.csv", dtype={"sample": str, "label": str})
    for data in (test, clade.read_data(test)):
        found = model.predictions(data, **options)
        if name == "table" and data is not test:
            continue  # its columns were understood anew
        pd.testing.assert_frame_equal(found.to_frame(), stored, check_dtype=False, rtol=1e-12)
    found.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "p.csv").read_bytes()
    assert model.predict_file(test, tmp_path / "file.csv", **options) == len(found)
    assert (tmp_path / "file.csv").read_bytes() == (tmp_path / "p.csv").read_bytes()
    labels = model.predict(test, **options)
    assert len(labels) == len(found)


@pytest.mark.parametrize("name", FILES)
def test_the_same_measures(folder, models, name):
    model, (_, test) = models[name], parts(folder, name)
    told = run_json("evaluate", folder / f"{name}.clade", test, "--breakdown", "--bootstrap", "--resamples", 50)
    found = model.evaluate(test, bootstrap=True, resamples=50)
    assert found.report == told and found.accuracy == told["accuracy"]
    shown = run("evaluate", folder / f"{name}.clade", test, "--bootstrap", "--resamples", 50, "--quiet").stdout
    assert str(found).split() == shown.split("samples", 1)[1].split()
    assert len(found.precision_recall_curve) > 1
    if name != "table":
        assert model.evaluate(clade.read_data(test), bootstrap=True, resamples=50).report == told


def test_scores_of_all_nodes(folder, models, tmp_path):
    for name in ("one", "several", "text"):
        test = parts(folder, name)[1]
        run("predict", folder / f"{name}.clade", test, "--nodes", "-o", tmp_path / "n.csv", "--force", "--quiet")
        stored = pd.read_csv(tmp_path / "n.csv", dtype={"sample": str, "node": str})
        frame = models[name].nodes(test)
        assert (frame.iloc[:, 0] == 1).all()
        for row in stored.iloc[::17].itertuples():
            assert frame[row.node].iloc[int(row.sample)] == pytest.approx(row.score, rel=1e-12)
        models[name].predict_file(test, tmp_path / "again.csv", nodes_above=0, overwrite=True)
        assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "n.csv").read_bytes()


def test_the_same_explanations(folder, models):
    for name in ("one", "text", "table"):
        test = parts(folder, name)[1]
        told = run_json("predict", folder / f"{name}.clade", test, "--explain", 2, "--reasons", 3)["explanations"]
        shown = run("predict", folder / f"{name}.clade", test, "--explain", 2, "--reasons", 3, "--quiet").stdout
        found = models[name].explain(test, reasons=3)[:2]
        assert [one.steps for one in found] == [one["steps"] for one in told]
        assert "".join(map(str, found)) == shown
        frame = models[name].explain(test, reasons=3).to_frame()
        assert {"sample", "label", "step", "contribution"} <= set(frame.columns)
        assert "<pre" in found[0]._repr_html_()
    node = models["text"].classes[0]
    told = run_json("explain", folder / "text.clade", "--class", node, "--top", 4)
    assert models["text"].telling_features(node, 4) == told["decisions"]


def test_texts_and_frames_without_a_file(folder, models):
    records = [json.loads(line) for line in parts(folder, "text")[1].read_text().splitlines()]
    texts = [record.get("text") or " ".join(record["doc_token"]) for record in records]
    expected = models["text"].predict(parts(folder, "text")[1])
    assert models["text"].predict(texts).tolist() == expected.tolist()
    assert models["text"].predict(pd.Series(texts)).tolist() == expected.tolist()
    report = models["text"].evaluate(texts, [record["doc_label"] for record in records])
    assert report.accuracy == models["text"].evaluate(parts(folder, "text")[1]).accuracy
    table = pd.read_csv(parts(folder, "table")[1])
    expected = models["table"].predict(parts(folder, "table")[1])
    assert models["table"].predict(table[table.columns[::-1]]).tolist() == expected.tolist()
    answer = run("predict", folder / "table.clade", "--text", texts[0], "--quiet").stdout.splitlines()
    assert list(csv.DictReader(answer))[0]["label"] == models["table"].predict([texts[0]])[0]
    with pytest.raises(clade.InputError, match="not trained on text"):
        models["one"].predict(texts)
    arrays = clade.read_data(parts(folder, "one")[1])
    assert models["one"].predict(arrays.X).tolist() == models["one"].predict(arrays).tolist()


def test_held_out_texts_are_read_with_the_words_of_training(folder, tmp_path):
    """Whoever splits a data set in memory gets what two files give: no word or frequency of the test part leaks."""
    data = clade.read_data(folder / "text.jsonl")
    train, test = data.split(0.25)
    model = clade.train(train, "path-svm")
    run("train", parts(folder, "text")[0], "--classifier", "path-svm", "-o", tmp_path / "m.clade", "--quiet")
    assert model.to_bytes() == (tmp_path / "m.clade").read_bytes()
    told = run_json("evaluate", tmp_path / "m.clade", parts(folder, "text")[1], "--breakdown")
    assert model.evaluate(test).report == told


def test_answers_with_a_guarantee(folder, tmp_path):
    train, test = parts(folder, "one")
    model = clade.train(train, "top-down-logistic", conformal="cross:3")
    assert model.conformal["way"] == "cross"
    model.save(tmp_path / "c.clade")
    run("predict", tmp_path / "c.clade", test, "--coverage", 0.8, "--set-size", 2, "-o", tmp_path / "c.csv", "--quiet")
    stored = pd.read_csv(tmp_path / "c.csv", dtype={"sample": str, "label": str})
    found = model.covering_predictions(test, 0.8, set_size=2)
    assert model.predict_covering(test, 0.8, set_size=2).tolist() == [[label for label, _ in one] for one in found]
    pd.testing.assert_frame_equal(found.to_frame(), stored.iloc[:, :4], check_dtype=False, rtol=1e-12)
    told = run_json("evaluate", tmp_path / "c.clade", test, "--coverage", 0.8, "--set-size", 2)
    assert model.evaluate_coverage(test, coverage=0.8, set_size=2) == told["conformal"]


def test_what_decides_on_label_sets(folder):
    model = clade.train(parts(folder, "several")[0], "top-down-svm", decide="node")
    assert "thresholds per node" in model.thresholds["label sets"] and model.is_multilabel
    assert clade.train(parts(folder, "one")[0], "top-down-svm").thresholds == {}


def test_levels_compare_and_page(folder, models, tmp_path):
    train, test = parts(folder, "text")
    run("predict", folder / "text.clade", test, "--levels", "-o", tmp_path / "l.csv", "--quiet")
    stored = pd.read_csv(tmp_path / "l.csv", dtype=str)
    nodes, probabilities = models["text"].predict_levels(test)
    assert nodes[:, 0].tolist() == stored.level_1.tolist()
    assert probabilities[:, 0] == pytest.approx(stored.level_1_probability.astype(float).to_numpy())
    other = clade.train(train, "top-down-svm")
    other.save(tmp_path / "other.clade")
    told = run_json("compare", folder / "text.clade", tmp_path / "other.clade", "--data", test)
    found = models["text"].compare(other, test)
    assert {**found, "a": "", "b": ""} == {**told, "a": "", "b": ""}
    page = models["text"].report(test, path=tmp_path / "page.html", name="text.clade", title="Texts")
    run("report", folder / "text.clade", "--data", test, "-o", tmp_path / "cli.html", "--title", "Texts", "--quiet")
    own, told = HtmlPage(tmp_path / "page.html"), HtmlPage(tmp_path / "cli.html")
    assert own.data == told.data and own.headings[1:] == told.headings[1:]
    check_page(tmp_path / "page.html")
    assert "srcdoc" in page._repr_html_() and str(page) == (tmp_path / "page.html").read_text()


def test_training_goes_on(folder, tmp_path):
    data = clade.read_data(parts(folder, "one")[0])
    data[:60].write(tmp_path / "a.npz")
    data[60:].write(tmp_path / "b.npz")
    first = clade.train(tmp_path / "a.npz", "hierarchical-perceptron", epochs=1)
    first.save(tmp_path / "m.clade")
    run("train", "--append", tmp_path / "m.clade", tmp_path / "b.npz", "--quiet")
    assert first.continue_training(tmp_path / "b.npz").to_bytes() == (tmp_path / "m.clade").read_bytes()
    assert first.continue_training(data[60:]).to_bytes() == (tmp_path / "m.clade").read_bytes()


def test_cross_validation(folder):
    for name in ("one", "text"):
        train, _ = parts(folder, name)
        told = run_json("evaluate", train, "--classifier", "top-down-svm", "--c", 2, "--folds", 4, "--breakdown")
        found = clade.cross_validate(train, "top-down-svm", c=2, folds=4)
        assert found.report == told
        data = clade.read_data(train)
        assert clade.cross_validate(data, "top-down-svm", c=2, folds=data.folds(4)).report == told


@pytest.mark.parametrize("call, message", [
    (lambda data: clade.train(data, c=1), "`c` is a parameter of classifiers"),
    (lambda data: clade.train(data, "top-down-svm", cc=1), "cc"),
    (lambda data: clade.train(data, "top-down-svm", top=3), "`top` has no effect"),
    (lambda data: clade.train(data, "no-such-method"), "no-such-method"),
    (lambda data: clade.train(data, "auto", budget="soon"), "`budget`"),
    (lambda data: clade.train(data, holdout=2), "`holdout`"),
    (lambda data: clade.train(data, "top-down-svm", sample_weight=[1.0]), "1 weights"),
    (lambda data: Model.from_bytes(b"no model"), "the bytes of a model"),
])
def test_mistakes_are_told_in_one_line(call, message):
    data = clade.Dataset(np.eye(4), list("abab"))
    with pytest.raises(clade.InputError) as error:
        call(data)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_selection_before_training(folder, tmp_path):
    train, _ = parts(folder, "one")
    ranking = clade.select(train, "hier-fs", lambda_=5, top=4)
    run("select", train, "--method", "hier-fs", "--lambda", 5, "--top", 4, "-o", tmp_path / "r.json", "--quiet")
    assert clade.read_ranking(tmp_path / "r.json") == ranking
    run("train", train, "--classifier", "top-down-svm", "--features", tmp_path / "r.json", "--top", 3, "-o",
        tmp_path / "m.clade", "--quiet")
    expected = (tmp_path / "m.clade").read_bytes()
    for features in (ranking, tmp_path / "r.json"):
        assert clade.train(train, "top-down-svm", features=features, top=3).to_bytes() == expected
    by_name = clade.train(train, "top-down-svm", select="hier-fs", select_parameters={"lambda": 5}, top=3)
    by_selector = clade.train(train, "top-down-svm", select=clade.HierFsSelector(lambda_=5), top=3)
    assert by_name.to_bytes() == by_selector.to_bytes()
    told = run_json("evaluate", train, "--classifier", "top-down-svm", "--select", "hier-fs", "--top", 3, "--folds", 3,
                    "--breakdown")
    assert clade.cross_validate(train, clade.TopDownSVM(select="hier-fs", top=3), folds=3).report == told
