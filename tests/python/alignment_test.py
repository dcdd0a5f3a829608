"""Where memory of numpy begins changes nothing: rankings, models and predictions are those of the command line.

Vectorised sums may add in another order where they begin at another address. Buffers of the library begin at multiples
of 64 bytes, arrays of numpy anywhere.
"""

import json

import numpy as np
import pytest
import scipy.sparse

from clade import _core
from clade._runtime import settings, texts_of
from clade_tool import run

SAMPLES, FEATURES = 45, 24  # rows are a multiple of 64 bytes, so that the first address decides about all
CLASSES = ["a/x", "a/y", "a/z", "b/u", "b/v"]
OFFSETS = {
    "dense double": (0, 8, 16, 32, 48),
    "dense float": (0, 4, 16, 40),
    "sparse double": (0, 8, 16, 48),
    "sparse float": (0, 4, 40),
}
ONE_THREAD = settings(1)

# Fewer trees and starts, for speed; numbers stored as they were computed, so that no bit is hidden.
QUICKER = {
    "forest": {"trees": 10},
    "blend": {"trees": 10},
    "eufs": {"starts": 1},
    "hufs": {"starts": 1},
    "ndfs": {"clusters": 3},
}


def methods(table):
    return [method["name"] for method in json.loads(table())]


def quick_parameters(table, name):
    known = {p["name"] for method in json.loads(table()) if method["name"] == name for p in method["parameters"]}
    return texts_of({**QUICKER.get(name, {}), **({"weights": "double"} if "weights" in known else {})})


def at(values, offset):
    """A copy that begins `offset` bytes behind a multiple of 64."""
    room = np.empty(values.nbytes + 128, dtype=np.uint8)
    begin = -room.ctypes.data % 64 + offset
    copy = room[begin : begin + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    assert copy.ctypes.data % 64 == offset
    return copy


def features(storage):
    rng = np.random.default_rng(5)
    values = rng.normal(size=(SAMPLES, FEATURES))
    values[:, : len(CLASSES)] += 2 * np.eye(len(CLASSES))[np.arange(SAMPLES) % len(CLASSES)]
    if "sparse" in storage:
        values = np.where(rng.random(values.shape) < 0.6, np.abs(values), 0)
    return values.astype(np.float32 if "float" in storage else np.float64)


def data_at(storage, offset):
    taxonomy = _core.Taxonomy.from_paths(CLASSES, "/")
    codes = (np.arange(SAMPLES) % len(CLASSES)).astype(np.int32)
    labels = _core.Labels(taxonomy.find(CLASSES), codes, np.arange(SAMPLES + 1))
    values = features(storage)
    if "dense" in storage:
        return _core.Dataset.dense(at(values, offset), taxonomy, labels, None, None)
    rows = scipy.sparse.csr_matrix(values)
    parts = at(rows.indices, offset), at(rows.data, offset)
    return _core.Dataset.sparse(rows.indptr, *parts, FEATURES, taxonomy, labels, None, None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The data as files for the command line, and a tree of the features."""
    folder = tmp_path_factory.mktemp("data")
    for storage in OFFSETS:
        data, name = data_at(storage, 0), storage.replace(" ", "_")
        _core.write_data(data, str(folder / f"{name}.svm"), str(folder / "tree.csv"), {"force": "true"}, ONE_THREAD)
    tree = str(folder / "features.json")
    _core.make_feature_tree(data_at("dense double", 0), "agglomerative", {}, "", ONE_THREAD).write(tree, True)
    return folder


def data_arguments(folder, storage):
    name, precision = storage.replace(" ", "_"), storage.split()[1]
    file = folder / f"{name}.svm"
    return [file, "--taxonomy", folder / "tree.csv", "--storage", storage.split()[0], "--precision", precision]


def flags(parameters):
    return [part for name, text in parameters.items() for part in (f"--{name}", text)]


def all_numbers(ranking):
    """Nodes, features and weights of a ranking's JSON, without the seconds that it took."""
    return [(node["node"], node["ranking"], node["weight"]) for node in ranking["nodes"]], ranking["objective"]


@pytest.mark.parametrize("storage", OFFSETS)
@pytest.mark.parametrize("name", methods(_core.selectors))
def test_a_ranking_depends_on_no_address(folder, name, storage):
    parameters = quick_parameters(_core.selectors, name)
    if name == "hufs":
        parameters["feature-tree"] = str(folder / "features.json")
    request = {"method": name, "parameters": parameters, "options": {}, "nodes": [], "top": ""}
    found = [_core.select(data_at(storage, offset), request, ONE_THREAD) for offset in OFFSETS[storage]]
    file = folder / f"{name}.json"
    select = ["select", *data_arguments(folder, storage), "--method", name, *flags(parameters)]
    run(*select, "--threads", 1, "-o", file, "--force")
    expected = all_numbers(json.loads(file.read_text()))
    for ranking in found:
        assert all_numbers(json.loads(ranking.json())) == expected


@pytest.mark.parametrize("storage", OFFSETS)
@pytest.mark.parametrize("name", methods(_core.classifiers))
def test_a_model_and_its_predictions_depend_on_no_address(folder, name, storage):
    parameters = quick_parameters(_core.classifiers, name)
    recipe = _core.Recipe(name, parameters, None, None, "", "error", {})
    file = folder / f"{name}.clade"
    train = ["train", *data_arguments(folder, storage), "--classifier", name, *flags(parameters)]
    run(*train, "--threads", 1, "-o", file, "--force")
    expected, scores = file.read_bytes(), None
    for offset in OFFSETS[storage]:
        data = data_at(storage, offset)
        model = _core.train(data, recipe, np.zeros(0), "", False, ONE_THREAD)
        model.write(str(file), True)
        assert file.read_bytes() == expected
        ranked = _core.rank(model, data, False, ONE_THREAD)
        own = [*(array.tobytes() for array in ranked), _core.node_scores(model, data, {}, ONE_THREAD).tobytes()]
        assert own == (scores or own)
        scores = own
