"""What programs do to the extension module: threads, interrupts, forks, callbacks that raise, arrays of every kind."""

import gc
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import joblib
import numpy as np
import pytest
import scipy.sparse

import clade
from clade import _core
from clade._arrays import dataset_of
from clade._runtime import settings
from clade.labels import parse_labels

SAMPLES = 60
LABELS = [("a/b", "a/c", "d/e")[k % 3] for k in range(SAMPLES)]
VALUES = np.random.default_rng(0).normal(size=(SAMPLES, 8))
NOTHING = np.zeros(0)
FISHER = {"method": "fisher", "parameters": {}, "options": {}, "nodes": [], "top": ""}
# Has something to say: it stops before the tolerance is reached.
TELLING = {**FISHER, "method": "hirr-fam", "parameters": {"iterations": "1", "tolerance": "1e-9"}}
RECIPE = _core.Recipe("top-down-svm", {}, None, None, "", "error", {})

# `long` takes minutes unless somebody stops it.
LONG = """
import numpy as np, os, signal, sys, threading, time
import clade
from clade import _core
from clade._runtime import settings
data = _core.synthetic_data({"samples": "3000", "features": "200"}, settings(2))
long = _core.Recipe("forest", {"trees": "100000"}, None, None, "", "error", {})
short = _core.Recipe("top-down-svm", {}, None, None, "", "error", {})
few = data.subset(np.arange(100))
def train(recipe):
    return _core.train(data if recipe is long else few, recipe, np.zeros(0), "", False, settings(2))
"""


def data_of(values=VALUES, labels=LABELS):
    return dataset_of(values, parse_labels(labels, path_separator="/"))


def fit(values=VALUES, labels=LABELS, weights=NOTHING, given=None):
    return _core.train(data_of(values, labels), RECIPE, weights, "", False, given or settings(1))


def scores(model, values=VALUES):
    return _core.predict(model, dataset_of(values), {}, settings(1))[2]


def long_training(given):
    data = _core.synthetic_data({"samples": "3000", "features": "200"}, settings(2))
    recipe = _core.Recipe("forest", {"trees": "100000"}, None, None, "", "error", {})
    return _core.train(data, recipe, NOTHING, "", False, given)


class Stop(Exception):
    pass


def test_other_threads_go_on_during_long_calls():
    counted = [0]
    begun = threading.Event()

    def report(task, done, total):
        begun.set()
        if counted[0] > 1000:
            raise Stop

    def count():
        begun.wait()
        while counted[0] <= 1000:
            counted[0] += 1
            time.sleep(0)  # takes the lock of the interpreter again

    counter = threading.Thread(target=count)
    counter.start()
    with pytest.raises(Stop):
        long_training(_core.Settings(2, 1, None, report))
    counter.join()


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_a_progress_callback_stops_the_work_and_is_raised(threads):
    calls = []

    def report(task, done, total):
        calls.append((task, done, total))
        raise Stop(task)

    with pytest.raises(Stop) as raised:
        long_training(_core.Settings(threads, 1, None, report))
    assert raised.value.args == (calls[0][0],)
    assert fit().samples == SAMPLES


def test_an_exception_that_comes_too_late_to_stop_anything_is_raised_all_the_same():
    def report(task, done, total):
        if done == total:
            raise Stop

    with pytest.raises(Stop):
        fit(given=_core.Settings(1, 1, None, report))


def test_an_exception_in_a_log_callback_is_raised():
    def log(level, message):
        raise Stop(message)

    request = TELLING
    with pytest.raises(Stop):
        _core.select(data_of(), request, _core.Settings(1, 1, log, None))


def test_callbacks_may_use_the_library():
    models, told = [], []

    def log(level, message):
        told.append(message)
        if len(told) < 5:
            _core.select(data_of(), request, _core.Settings(1, 1, log, None))

    def report(task, done, total):
        models.append(fit())

    request = TELLING
    _core.select(data_of(), request, _core.Settings(1, 1, log, report))
    assert len(told) >= 5 and len(set(told)) == 1
    assert models and all(model.samples == SAMPLES for model in models)


def test_messages_of_the_library_reach_logging(caplog):
    request = TELLING
    with caplog.at_level(logging.DEBUG, logger="clade"):
        ranking = _core.select(data_of(), request, settings(1))
    notes = ranking.notes()
    assert notes and [record.getMessage() for record in caplog.records][-len(notes) :] == notes


def run_program(text):
    return subprocess.run([sys.executable, "-B", "-c", LONG + text], capture_output=True, text=True)


def test_an_interrupt_stops_the_work_and_leaves_a_usable_process():
    done = run_program(
        """
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    train(long)
except KeyboardInterrupt:
    print("interrupted")
print(train(short).classifier)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    train(long)
except KeyboardInterrupt:
    print("interrupted")
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("Python has its handler back")
"""
    )
    expected = ["interrupted", "top-down-svm", "interrupted", "Python has its handler back"]
    assert done.stdout.splitlines() == expected, done.stderr


def test_a_program_may_end_while_a_thread_works():
    done = run_program(
        """
import clade
clade.set_progress(lambda task, done, total: started.set())
started = threading.Event()
threading.Thread(target=train, args=(long,), daemon=True).start()
started.wait()
print("over")
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


def test_an_interrupt_reaches_the_main_thread_while_another_works():
    done = run_program(
        """
def stop(task, done, total):
    if stopped: raise SystemExit
stopped = []
def work():
    try:
        _core.train(data, long, np.zeros(0), "", False, _core.Settings(1, 1, None, stop))
    except SystemExit:
        print("worker stopped")
worker = threading.Thread(target=work)
worker.start()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True: time.sleep(0.01)
except KeyboardInterrupt:
    print("interrupted", worker.is_alive())
stopped.append(True)
worker.join()
"""
    )
    assert done.stdout.splitlines() == ["interrupted True", "worker stopped"], done.stderr


def test_the_handler_of_a_program_is_kept():
    done = run_program(
        """
signal.signal(signal.SIGINT, lambda number, frame: print("own handler"))
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    train(long)
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert done.stdout.splitlines() == ["own handler", "interrupted"], done.stderr


def test_a_forked_process_can_learn_after_its_parent_has():
    expected = scores(fit(given=settings(2)))
    # A method with dense algebra, whose library has threads of its own.
    request = {"method": "hirr-fam", "parameters": {}, "options": {}, "nodes": [], "top": ""}
    ranked = _core.select(data_of(), request, settings(2)).nodes()[0][2].tobytes()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            same = np.array_equal(scores(fit(given=settings(2))), expected)
            same &= _core.select(data_of(), request, settings(2)).nodes()[0][2].tobytes() == ranked
            status = 0 if same else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def scores_with_seed(seed):
    recipe = _core.Recipe("forest", {"trees": "5"}, None, None, "", "error", {})
    model = _core.train(data_of(), recipe, NOTHING, "", False, settings(2, seed))
    return scores(model)


@pytest.mark.parametrize("how", ["multiprocessing", "joblib threads", "joblib processes"])
def test_results_are_the_same_in_threads_and_in_processes(how):
    seeds = [1, 2, 3, 1, 2, 3, 1, 2]
    expected = [scores_with_seed(seed) for seed in seeds]
    if how == "multiprocessing":
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map(scores_with_seed, seeds)
    else:
        backend = "threading" if how == "joblib threads" else "multiprocessing"
        found = joblib.Parallel(n_jobs=4, backend=backend)(joblib.delayed(scores_with_seed)(seed) for seed in seeds)
    for one, other in zip(found, expected):
        assert np.array_equal(one, other)


def unaligned(values):
    return np.frombuffer(b"x" + values.tobytes(), dtype=np.uint8)[1:].view(values.dtype).reshape(values.shape)


def read_only(values):
    copy = values.copy()
    copy.setflags(write=False)
    return copy


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda values: np.repeat(values, 2, axis=1)[:, ::2],
        lambda values: values[::-1][::-1],
        lambda values: values.astype(">f8"),
        lambda values: values.astype(object),
        lambda values: values.astype(np.longdouble),
        lambda values: values.tolist(),
        pytest.param(np.matrix, marks=pytest.mark.filterwarnings("ignore")),
        read_only,
        unaligned,
    ],
)
def test_arrays_of_every_layout_give_the_same(change):
    expected = scores(fit())
    before = np.array(VALUES)
    assert np.array_equal(scores(fit(change(VALUES)), change(VALUES)), expected)
    assert np.array_equal(VALUES, before)


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.bool_, np.float16, np.float32])
def test_arrays_of_other_numbers_are_those_numbers(kind):
    values = (np.abs(VALUES) * 3).astype(kind)
    close = scores(fit(values.astype(np.float64)), values.astype(np.float64))
    assert np.allclose(scores(fit(values), values), close, atol=1e-5)


SPARSE_KINDS = ("csc", "coo", "lil", "dok", "bsr", "array", "64 bits", "unsorted", "repeated", "zeros", "roomy", ">f8")


@pytest.mark.parametrize("kind", SPARSE_KINDS)
def test_sparse_matrices_of_every_layout_give_the_same(kind):
    plain = scipy.sparse.csr_matrix(np.where(VALUES > 0, VALUES, 0))
    expected = scores(fit(plain), plain)
    rows = plain.copy()
    if kind in ("csc", "coo", "lil", "dok", "bsr"):
        rows = plain.asformat(kind)
    elif kind == "array":
        rows = scipy.sparse.csr_array(plain)
    elif kind == "64 bits":
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    elif kind == "unsorted":
        for begin, end in zip(rows.indptr, rows.indptr[1:]):
            rows.indices[begin:end] = rows.indices[begin:end][::-1].copy()
            rows.data[begin:end] = rows.data[begin:end][::-1].copy()
        rows.has_sorted_indices = rows.has_canonical_format = False
    elif kind == "repeated":  # two halves of every value
        halves = (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), rows.indptr * 2)
        rows = scipy.sparse.csr_matrix(halves, shape=rows.shape)
    elif kind == "zeros":
        parts = (np.where(VALUES > 0, VALUES, 0).ravel(), np.tile(np.arange(8), SAMPLES), np.arange(SAMPLES + 1) * 8)
        rows = scipy.sparse.csr_matrix(parts, shape=rows.shape)
    elif kind == "roomy":
        rows.data, rows.indices = np.r_[rows.data, 7, 7], np.r_[rows.indices, 0, 0].astype(np.int32)
    else:
        rows.data = rows.data.astype(kind)
    stored = rows.data.copy() if hasattr(rows, "data") and isinstance(rows.data, np.ndarray) else None
    assert np.allclose(scores(fit(rows), rows), expected, atol=1e-6)
    if stored is not None and stored.dtype != object:
        assert np.array_equal(rows.data, stored)  # the user's matrix is left alone


def broken(**parts):
    rows = scipy.sparse.csr_matrix(np.where(VALUES > 0, VALUES, 0))
    for name, change in parts.items():
        values = getattr(rows, name).copy()
        setattr(rows, name, change(values))
    return rows


def put(position, value):
    def change(values):
        values[position] = value
        return values

    return change


@pytest.mark.parametrize("claims_order", [False, True])
@pytest.mark.parametrize(
    "parts",
    [
        {"indptr": put(5, 10**6)},
        {"indptr": put(5, -4)},
        {"indptr": put(5, 0)},
        {"indptr": put(0, 2)},
        {"indptr": put(-1, 10**6)},
        {"indptr": lambda offsets: offsets[:-1]},
        {"indptr": lambda offsets: offsets[:0]},
        {"indices": put(3, 10**6)},
        {"indices": put(3, -1)},
        {"indices": lambda columns: columns[:-5]},
        {"data": lambda values: values[:-5]},
    ],
)
def test_broken_compressed_rows_are_refused(parts, claims_order):
    rows = broken(**parts)
    if claims_order:
        rows.has_sorted_indices = rows.has_canonical_format = True
    with pytest.raises(clade.InputError):
        fit(rows)


@pytest.mark.parametrize(
    "values",
    [
        VALUES[:, 0],
        VALUES[:, :, None],
        np.float64(1),
        np.where(VALUES > 2, np.nan, VALUES),
        np.where(VALUES > 2, np.inf, VALUES),
        np.ma.masked_greater(VALUES, 2),
        VALUES.astype(complex),
        VALUES.astype(str),
        VALUES.astype("datetime64[s]"),
        np.zeros((SAMPLES, 0, 0)),
        VALUES[:-1],
        np.zeros((0, 8)),
        [[1.0, 2.0], [3.0]],
        np.full((SAMPLES, 2), "x", dtype=object),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_arrays_that_are_no_features_are_refused(values):
    with pytest.raises(ValueError):
        fit(values)


def test_nothing_to_learn_from_is_no_crash():
    assert np.all(np.isfinite(scores(fit(VALUES[:, :0]), VALUES[:, :0])))
    model = fit()
    assert [len(part) for part in _core.predict(model, dataset_of(VALUES[:0]), {}, settings(1))] == [1, 0, 0]
    assert _core.node_scores(model, dataset_of(VALUES[:0]), {}, settings(1)).shape == (0, model.scored_nodes)


WRONG_WEIGHTS = {"negative": -np.ones(SAMPLES), "nan": np.full(SAMPLES, np.nan), "infinite": np.full(SAMPLES, np.inf),
                 "few": np.ones(SAMPLES - 1), "zero": np.zeros(SAMPLES)}  # fmt: skip


@pytest.mark.parametrize("weights", WRONG_WEIGHTS.values(), ids=WRONG_WEIGHTS)
def test_weights_that_make_no_sense_are_refused(weights):
    with pytest.raises(clade.InputError, match="weight"):
        fit(weights=weights)


@pytest.mark.parametrize("folds", [np.full(SAMPLES, -1), np.r_[np.zeros(SAMPLES - 1, dtype=int), 10**12], np.arange(3)])
def test_folds_that_make_no_sense_are_refused(folds):
    with pytest.raises(clade.InputError, match="fold"):
        _core.recipe_reports(data_of(), RECIPE, folds, NOTHING, {}, {}, False, settings(1))
    predictions = _core.predict(fit(), data_of(), {}, settings(1))
    with pytest.raises(clade.InputError, match="fold"):
        _core.evaluate_predictions(data_of(), predictions, {}, folds, False, settings(1))


@pytest.mark.parametrize(
    "predictions",
    [
        (np.arange(SAMPLES + 1), np.full(SAMPLES, 1000, dtype=np.int32), np.ones(SAMPLES)),
        (np.arange(SAMPLES + 1), np.full(SAMPLES, -1, dtype=np.int32), np.ones(SAMPLES)),
        (np.array([0, 1]), np.array([1], dtype=np.int32), np.ones(1)),
        (np.array([0, 5, 1]), np.array([1], dtype=np.int32), np.ones(1)),
        (np.zeros(SAMPLES + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)),
        (np.arange(SAMPLES + 1),),
    ],
)
def test_predictions_that_do_not_fit_are_refused(predictions, tmp_path):
    data, model = data_of(), fit()
    with pytest.raises(clade.InputError):
        _core.evaluate_predictions(data, predictions, {}, np.zeros(0, dtype=np.int64), False, settings(1))
    with pytest.raises(clade.InputError):
        _core.write_predictions(predictions, data, str(tmp_path / "p.csv"), True, settings(1))
    with pytest.raises(clade.InputError):
        _core.levels(model, data, predictions, settings(1))


def test_statistics_of_what_is_no_number_are_refused():
    holes = np.array([1.0, np.nan, 3.0, 4.0])
    for call in (
        lambda: _core.average_ranks(holes, 2, True),
        lambda: _core.friedman(holes, 2),
        lambda: _core.iman_davenport(holes, 2, 0.05),
        lambda: _core.wilcoxon(holes, np.ones(4)),
        lambda: _core.permutation(np.ones(4), holes, settings(1)),
        lambda: _core.holm(holes),
        lambda: _core.mcnemar(-1, 2),
    ):
        with pytest.raises(clade.InputError):
            call()


def test_a_ranking_of_other_data_is_refused():
    ranking = _core.select(data_of(), FISHER, settings(1))
    recipe = _core.Recipe("top-down-svm", {}, None, ranking, "3", "error", {})
    with pytest.raises(clade.InputError, match="ranking of other data"):
        _core.train(data_of(VALUES[:, :3]), recipe, NOTHING, "", False, settings(1))


def test_names_of_any_length_and_of_any_bytes_survive():
    names = ["x" * 10**6, "a\0b", "\udcff", "Ω≠", " ", "\n"]
    taxonomy = _core.Taxonomy.flat(names)
    assert set(names) <= set(taxonomy.names()) and np.all(taxonomy.find(names) >= 0)


def test_a_data_set_outlives_its_arrays():
    values = VALUES.copy()
    data, expected = data_of(values), scores(fit())
    rows = scipy.sparse.csr_matrix(np.abs(VALUES))
    sparse, dense = data_of(rows), rows.toarray()
    del values, rows
    gc.collect()
    junk = [np.full_like(VALUES, 7) for _ in range(200)]  # takes memory that has been freed
    model = _core.train(data, RECIPE, NOTHING, "", False, settings(1))
    assert np.array_equal(_core.predict(model, data, {}, settings(1))[2], expected)
    offsets, columns, numbers = sparse.matrix()
    assert np.array_equal(scipy.sparse.csr_matrix((numbers, columns, offsets), shape=dense.shape).toarray(), dense)
    assert len(junk) == 200


def test_arrays_outlive_what_they_came_from():
    ranking = _core.select(data_of(), FISHER, settings(1))
    data = _core.synthetic_data({"samples": "50", "features": "6"}, settings(1))
    kept = [ranking.nodes()[0][1], ranking.nodes()[0][2], data.matrix(), *data.labels(), data.taxonomy.edges()]
    copies = [array.copy() for array in kept]
    del ranking, data
    gc.collect()
    junk = [np.full(1000, 7) for _ in range(1000)]
    for array, copy in zip(kept, copies):
        assert np.array_equal(array, copy)
    assert len(junk) == 1000


def test_memory_that_the_library_shares_cannot_be_written():
    data = data_of()
    for array in (data.matrix(), _core.select(data, FISHER, settings(1)).nodes()[0][1]):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    predicted = _core.predict(fit(), data, {}, settings(1))
    predicted[2][:] = 0  # these are the caller's own


def test_arrays_are_shared_and_not_copied():
    values, rows = VALUES.copy(), scipy.sparse.csr_matrix(np.abs(VALUES))
    floats = VALUES.astype(np.float32)
    assert np.shares_memory(data_of(values).matrix(), values)
    assert np.shares_memory(data_of(floats).matrix(), floats)
    _, columns, numbers = data_of(rows).matrix()
    assert np.shares_memory(columns, rows.indices) and np.shares_memory(numbers, rows.data)


def test_texts_that_are_not_utf_8_reach_messages():
    taxonomy = parse_labels(LABELS, path_separator="/").taxonomy
    with pytest.raises(clade.InputError, match="'caf\udce9' is not in the taxonomy"):
        parse_labels(["caf\udce9"], taxonomy)
    with pytest.raises(clade.InputError, match="no class 'caf\udce9'"):
        fit().telling_features("caf\udce9", 3)


def test_more_threads_than_the_system_has_memory_for():
    assert np.array_equal(scores(fit(given=settings(10**6))), scores(fit()))


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True, 10**18])
def test_numbers_of_threads_that_make_no_sense_are_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs is .*; expected a number of threads"):
        settings(n_jobs)


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "1"])
def test_seeds_that_make_no_sense_are_refused(seed):
    with pytest.raises(ValueError, match="random_state is .*; expected 0 to"):
        settings(1, seed)


def test_names_of_files_are_any_bytes_but_nul(tmp_path):
    import clade

    model = clade.TopDownSVM().fit(VALUES, LABELS)
    odd = os.path.join(tmp_path, "m\udcff.clade")
    model.save(odd)
    assert clade.read_model(odd).classifier == "top-down-svm"
    with pytest.raises(ValueError, match="null byte"):
        model.save(str(tmp_path / "a\0b"))
    assert os.listdir(tmp_path) == ["m\udcff.clade"]


def test_objects_are_freed():
    class Kept(np.ndarray):  # plain arrays cannot be watched
        pass

    values = Kept(VALUES.shape)
    values[...] = VALUES
    watched = weakref.ref(values)
    for _ in range(3):
        labels = parse_labels(LABELS, path_separator="/")
        data = _core.Dataset.dense(values, labels.taxonomy, labels.core(), None, None)
        view = data.matrix()
    del values, data
    gc.collect()
    assert watched() is not None  # the view still needs it
    del view
    gc.collect()
    assert watched() is None
