"""Data sets of Python: arrays without a copy, and the same as the command line makes of files."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import clade
from clade import Dataset
from clade_tool import run, run_json
from small_wordnet import write_wordnet


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    run("synth", "-o", folder / "dense.npz", "--samples", 90, "--features", 6, "--single-label", "--quiet")
    run("synth", "-o", folder / "sets.svm", "--samples", 60, "--features", 5, "--quiet")
    run("synth", "--text", "-o", folder / "words.jsonl", "--documents", 80, "--levels", "3,9", "--words", 300,
        "--length", 20, "--quiet")
    return folder


def test_arrays_are_shared():
    X = np.random.default_rng(1).normal(size=(5, 3))
    data = Dataset(X, list("abaab"))
    assert np.shares_memory(data.X, X)
    rows = sp.random(20, 7, 0.3, format="csr", random_state=1)
    data = Dataset(rows, np.arange(20) % 3)
    assert np.shares_memory(data.X.data, rows.data) and np.shares_memory(data.X.indices, rows.indices)
    assert (data.X != rows).nnz == 0


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_samples_are_chosen_as_from_an_array(make):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (30, 4)).astype(float)
    y = rng.choice(["a", "b", "c"], 30)
    data = Dataset(make(X), y, sample_names=[f"s{k}" for k in range(30)])
    dense = lambda part: part.X.toarray() if sp.issparse(part.X) else part.X
    for chosen in (slice(3, 20, 2), [5, 5, 0], y == "b", np.array([-1, 2])):
        part = data[chosen]
        assert np.array_equal(dense(part), X[chosen]) and np.array_equal(part.y, y[chosen])
    assert np.array_equal(dense(data[4]), X[[4]])
    twice = data[y != "c"][[1, 0]]
    assert np.array_equal(dense(twice), X[y != "c"][[1, 0]])
    assert twice.sample_names == [f"s{k}" for k in np.flatnonzero(y != "c")[[1, 0]]]
    with pytest.raises(IndexError):
        data[[30]]
    with pytest.raises(IndexError):
        data[np.ones(3, dtype=bool)]


def test_labels_come_back_as_they_were_written():
    X = np.eye(4)
    assert Dataset(X, [3, 1, 1, 2]).y.tolist() == [3, 1, 1, 2]
    sets = [["b", "a"], [], ["c"], ["a"]]
    assert [sorted(labels) for labels in Dataset(X, sets).y] == [["a", "b"], [], ["c"], ["a"]]
    levels = np.array([["x", "y"], ["x", ""], ["z", "y"], ["x", "w"]], dtype=object)
    data = Dataset(X, levels)
    assert data.y.tolist() == levels.tolist() and len(data.taxonomy) == 6
    tree = {"top": ["a", "b"], "other": ["c"]}
    data = Dataset(X, ["a", "b", "c", "top"], tree)
    assert data.y.tolist() == ["a", "b", "c", "top"] and data.taxonomy.parents("a") == ["top"]


def test_files_of_every_kind(files, tmp_path):
    for name in ("dense.npz", "sets.svm", "words.jsonl"):
        data = clade.read_data(files / name)
        told = run_json("info", files / name)
        assert data.summary() == told, name
        assert data.shape == (told["samples"], told["features"])
    data = clade.read_data(files / "dense.npz")
    stored = np.load(files / "dense.npz")
    assert np.array_equal(data.X, stored[next(key for key in stored.files if stored[key].ndim == 2)])
    for name in ("copy.arff", "copy.csv", "copy.svm"):
        written = data.write(tmp_path / name)
        assert written[0] == str(tmp_path / name)
        assert np.array_equal(np.asarray(sp.csr_matrix(clade.read_data(tmp_path / name).X).todense()), data.X)
    with pytest.raises(clade.InputError, match="copy.csv"):
        data.write(tmp_path / "copy.csv")
    data.write(tmp_path / "copy.csv", overwrite=True)


def test_several_files_and_a_taxonomy_in_memory(files, tmp_path):
    data = clade.read_data(files / "sets.svm", storage="dense")
    for name, part in (("a.csv", data[:40]), ("b.csv", data[40:])):
        part.write(tmp_path / name)
        (tmp_path / f"{name}.meta.json").unlink(missing_ok=True)
    joined = clade.read_data([tmp_path / "a.csv", tmp_path / "b.csv"], taxonomy=data.taxonomy, storage="dense")
    assert joined.y == data.y and joined.taxonomy == data.taxonomy and np.array_equal(joined.X, data.X)


def test_parts_are_those_of_the_command(files, tmp_path):
    data = clade.read_data(files / "dense.npz")
    run("split", files / "dense.npz", "-o", tmp_path / "parts", "--test", "25%", "--quiet")
    for part, name in zip(data.split(0.25), ("train", "test")):
        assert part.difference(clade.read_data(tmp_path / "parts" / f"{name}.npz")) == ""
    run("split", files / "dense.npz", "-o", tmp_path / "few", "--per-class", 2, "--quiet")
    assert data.subsample(2).difference(clade.read_data(tmp_path / "few" / "train.npz")) == ""
    run("split", files / "dense.npz", "-o", tmp_path / "one.npz", "--subtree", "1", "--merge-below", 3, "--quiet")
    assert data.prepare(subtree="1", merge_below=3).difference(clade.read_data(tmp_path / "one.npz")) == ""


def test_groups_stay_together_and_the_latest_are_tested():
    rng = np.random.default_rng(3)
    data = Dataset(np.arange(60.0).reshape(-1, 1), rng.integers(0, 3, 60))
    groups = rng.choice(["p", "q", "r", "s", "t"], 60)
    train, test = data.split(0.4, groups=groups)
    of = lambda part: set(groups[part.X[:, 0].astype(int)])
    assert not of(train) & of(test) and len(train) + len(test) == 60
    days = pd.date_range("2024-01-01", periods=60).to_numpy()[rng.permutation(60)]
    train, test = data.split(0.25, times=days)
    of_day = lambda part: days[part.X[:, 0].astype(int)]
    assert of_day(train).max() < of_day(test).min() and len(test) == 15
    folds = data.folds(4)
    assert sorted(set(folds)) == [0, 1, 2, 3]
    for label in range(3):  # stratified: no fold has two more of a class than another
        counts = np.bincount(folds[data.y == label], minlength=4)
        assert counts.max() - counts.min() <= 1
    folds = data.folds(3, groups=groups)
    assert all(len(set(folds[groups == group])) == 1 for group in set(groups))


def test_texts_are_read_as_files_are(files):
    records = [json.loads(line) for line in (files / "words.jsonl").read_text().splitlines()]
    texts = [record["text"] if "text" in record else " ".join(record["doc_token"]) for record in records]
    labels = [record["doc_label"] for record in records]
    data = Dataset.from_texts(texts, labels, stem="english", min_documents=2)
    same = clade.read_data(files / "words.jsonl", stem="english", min_documents=2)
    assert data.feature_names == same.feature_names and not (data.X != same.X).nnz
    assert data.taxonomy == same.taxonomy
    flat = Dataset.from_texts(texts, labels, path_separator="")
    assert len(flat.taxonomy) == 1 + len({label for own in flat.y for label in own})


def test_frames(files):
    data = clade.read_data(files / "dense.npz")
    frame = data.to_frame()
    assert frame.shape == (90, 7) and frame["label"].tolist() == data.y.tolist()
    back = Dataset.from_frame(frame, "label", path_separator="")
    assert np.array_equal(back.X, data.X) and back.y.tolist() == data.y.tolist()
    sparse = clade.read_data(files / "words.jsonl").to_frame()
    assert sparse.shape[0] == 80 and "_repr_html_" in dir(data) and "90" in data._repr_html_()


def test_data_sets_are_pickled(files):
    for name in ("dense.npz", "sets.svm"):
        data = clade.read_data(files / name)
        back = pickle.loads(pickle.dumps(data[::2]))
        assert back.difference(data[::2]) == "" and list(back.y) == list(data[::2].y)
    numbers = Dataset(np.eye(3), [5, 7, 5], sample_names=["a", "b", "c"])
    assert pickle.loads(pickle.dumps(numbers)).y.tolist() == [5, 7, 5]
    with pytest.raises(TypeError, match="words"):
        pickle.dumps(clade.read_data(files / "words.jsonl"))


def test_generated_data(tmp_path):
    run("synth", "-o", tmp_path / "a.npz", "--samples", 50, "--features", 4, "--seed", 5, "--single-label", "--quiet")
    data = clade.synthetic_data(samples=50, features=4, single_label=True, random_state=5)
    assert np.array_equal(data.X, clade.read_data(tmp_path / "a.npz").X)
    texts, y, taxonomy = clade.synthetic_text(documents=30, levels=[2, 6], words=200)
    assert len(texts) == len(y) == 30 and set(y) <= set(taxonomy.leaves)


def test_a_corpus_out_of_wordnet(tmp_path):
    wordnet = write_wordnet(tmp_path / "wordnet")
    texts, y, taxonomy = clade.wordnet_corpus(wordnet=wordnet, min_size=2, tree=True)
    run("wordnet", "-o", tmp_path / "all.jsonl", "--wordnet", wordnet, "--min-size", 2, "--tree", "--quiet")
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert texts == [line["text"] for line in lines] and [[label] for label in y] == [line["doc_label"] for line in lines]
    data = clade.read_data(tmp_path / "all.jsonl", min_documents=1)
    assert set(taxonomy.nodes) == set(data.taxonomy.nodes) == set(y) | {"entity"}
    with pytest.raises(ValueError, match="index.noun is missing"):
        clade.wordnet_corpus(wordnet=tmp_path)


@pytest.mark.parametrize("make, message", [
    (lambda: Dataset(np.zeros(3), [1, 2, 3]), "dimensions"),
    (lambda: Dataset(np.zeros((3, 2)), ["a", "b"]), "labels of 2 samples for 3"),
    (lambda: Dataset(np.zeros((2, 2)), ["a", "b"], {"t": ["a"]}), "'b'"),
    (lambda: Dataset.from_texts(["a word", 3], ["x", "y"]), "text 1"),
    (lambda: Dataset.from_texts(["a word", "more"], ["x"]), "1 labels for 2 samples"),
    (lambda: clade.read_data("/nowhere/at.csv"), "/nowhere/at.csv"),
    (lambda: clade.read_data("/nowhere/at.csv", label_colum="x"), "label-colum"),
])
def test_mistakes_are_told_in_one_line(make, message):
    with pytest.raises(ValueError) as error:
        make()
    assert message in str(error.value).replace("_", "-") + str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("make, subject", [(clade.synthetic_data, "synthetic_data"), (clade.synthetic_text, "synthetic_text"),
                                           (clade.wordnet_corpus, "wordnet_corpus")])
def test_the_options_of_generated_data_are_documented(make, subject):
    for option in json.loads(clade._core.options()[subject]):
        assert f"\n    {option['name'].replace('-', '_')} : " in make.__doc__
    with pytest.raises(TypeError, match=r"has no option 'zzz'; expected one of [dm]"):
        make(zzz=1)
    wrong = {"synthetic_data": "sample", "synthetic_text": "label", "wordnet_corpus": "min_sizes"}[subject]
    with pytest.raises(TypeError, match="did you mean '(labels|samples|min_size)'"):
        make(**{wrong: 5})


def test_labels_may_stand_behind_the_data():
    data = clade.synthetic_data(samples=60, single_label=True)
    X, y = data.X, data.y
    expected = clade.train(X, "path-svm", y=y).to_bytes()
    assert clade.train(X, y, classifier="path-svm").to_bytes() == clade.train(X, y, "path-svm").to_bytes() == expected
    folds = clade.cross_validate(X, y, classifier="path-svm", folds=2)
    assert folds.accuracy == clade.cross_validate(X, "path-svm", y=y, folds=2).accuracy
    assert str(clade.select(X, y, method="fisher")) == str(clade.select(X, "fisher", y=y))


@pytest.mark.parametrize("call, message", [
    (lambda X, y: clade.train(X, y, "path-svm", y=y), "labels twice"),
    (lambda X, y: clade.train(X, clade.PathSVM, y=y), "the class PathSVM; expected"),
    (lambda X, y: clade.train(X, 3, y=y), "got int; expected the name of a classifier"),
    (lambda X, y: clade.train(clade.Dataset(X, y), y), "'y' beside a data set"),
])
def test_what_stands_behind_the_data_is_checked(call, message):
    data = clade.synthetic_data(samples=40, single_label=True)
    with pytest.raises(TypeError, match=message):
        call(data.X, data.y)
