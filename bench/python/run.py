"""What does Python cost beside the command line? Usage: bench/python/run.py BUILD_TREE

Text (20,000 documents, 500 classes, `bench/hierarchical_text.py`), one thread. Training from an array and labels,
through the package, against `clade train` on the same numbers, and prediction against `clade predict`: processor
seconds, each round one after the other, the median of the ratios. What the command line spends on files is taken off:
the same files are read and written by the same functions of the library, through the module. The target is 5 %.

Then the latency of a prediction for one sample, and the memory that selection, training and prediction take beyond a
matrix of 200 MB: one that numpy has, and one that the library has read from a file. A copy would show.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse

TREE = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(TREE / "python")]
from finished_process import Run  # noqa: E402
from hierarchical_text import generate  # noqa: E402
from ratio import divided, record  # noqa: E402

ROUNDS = 5
CLADE = TREE / "clade"


def processor(work):
    before = resource.getrusage(resource.RUSAGE_SELF)
    result = work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tool(*arguments):
    return Run(CLADE, *arguments, "--threads", 1, "--quiet", "--force").processor


def overhead(folder):
    import clade
    from clade import _core
    from clade._runtime import settings

    text = generate(CLADE, folder)
    files = [folder / "train.svm", "--taxonomy", folder / "taxonomy.csv"]
    taxonomy = clade.Taxonomy.of(str(folder / "taxonomy.csv"))
    names = np.array([str(leaf) for leaf in text.leaves])

    def train():
        return clade.TopDownSVM(taxonomy=taxonomy, n_jobs=1).fit(text.values, names)

    def read():
        options = {"taxonomy": str(folder / "taxonomy.csv")}
        return _core.read_data([str(folder / "train.svm")], options, None, settings(1))[0]

    model = train()
    model.save(folder / "copy.clade")
    core = _core.read_model(str(folder / "copy.clade"))
    predictions = _core.predict(core, read(), {}, settings(1))
    seconds = {"train": [], "predict": []}
    for _ in range(ROUNDS):
        _, own = processor(train)
        whole = tool("train", *files, "--classifier", "top-down-svm", "-o", folder / "svm.clade")
        _, reading = processor(read)
        _, writing = processor(lambda: core.write(str(folder / "copy.clade"), True))
        seconds["train"].append((own, whole - reading - writing))
        _, own = processor(lambda: model.predict(text.values))
        whole = tool("predict", folder / "svm.clade", folder / "train.svm", "-o", folder / "svm.csv")
        data, reading = processor(read)
        _, writing = processor(
            lambda: _core.write_predictions(predictions, data, str(folder / "copy.csv"), True, settings(1)))
        seconds["predict"].append((own, whole - reading - writing))
    for name, pairs in seconds.items():
        ratio = record("python", name, "command line", divided(*zip(*pairs)), data="20,000 documents, 500 classes")
        own, other = (statistics.median(column) for column in zip(*pairs))
        print(f"{name:8} Python {own:.3f} s  command line {other:.3f} s  ratio {ratio:.3f}")

    row = text.values[:1]
    times = []
    for _ in range(300):
        start = time.perf_counter()
        model.predict(row)
        times.append(time.perf_counter() - start)
    print(f"one sample: {1e6 * statistics.median(times):.0f} us")


def matrix(kind):
    """About 200 MB, and the labels of its rows."""
    rng = np.random.default_rng(1)
    samples = 25_000
    names = np.array([f"{c // 3}/{c}" for c in np.arange(samples) % 12])
    if kind == "dense":
        return rng.random((samples, 1000)), names
    stored = 700
    columns = np.cumsum(rng.integers(1, 28, (samples, stored)), axis=1, dtype=np.int32)
    rows = (rng.random(samples * stored), columns.ravel(), np.arange(samples + 1, dtype=np.int32) * stored)
    return scipy.sparse.csr_matrix(rows, shape=(samples, 28 * stored)), names


def status(field):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def extra_memory(work):
    """Megabytes at the peak of `work` beyond what there was before."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    before = status("VmRSS")
    result = work()
    return result, status("VmHWM") - before


def memory(kind, source, folder):
    """Runs in a process of its own, so that nothing that was freed before can be reused."""
    from clade import _core
    from clade._arrays import dataset_of
    from clade._runtime import settings
    from clade.labels import parse_labels

    one = settings(1)
    file = folder / f"{kind}.npz"
    recipe = _core.Recipe("top-down-svm", {"iterations": "3"}, None, None, "", "error", {})
    request = {"method": "fisher", "parameters": {}, "options": {}, "nodes": [], "top": ""}
    found = {}
    if source == "array":
        values, names = matrix(kind)
        data, found["data set"] = extra_memory(lambda: dataset_of(values, parse_labels(names, path_separator="/")))
    else:
        data, _ = _core.read_data([str(file)], {}, None, one)
    _, found["fisher"] = extra_memory(lambda: _core.select(data, request, one))
    model, found["training"] = extra_memory(lambda: _core.train(data, recipe, np.zeros(0), "", False, one))
    _, found["prediction"] = extra_memory(lambda: _core.predict(model, data, {}, one))
    if source == "array":
        _core.write_data(data, str(file), "", {"force": "true"}, one)
    return found


def main():
    if len(sys.argv) > 2:  # the process that measures memory
        print(json.dumps(memory(sys.argv[2], sys.argv[3], Path(sys.argv[4]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        overhead(Path(folder))
        for kind in ("dense", "sparse"):
            for source in ("array", "file"):
                command = [sys.executable, "-B", __file__, str(TREE), kind, source, folder]
                found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                steps = ", ".join(f"{step} {size:.0f}" for step, size in found.items())
                print(f"{kind} {source}, 200 MB; MB beyond it: {steps}", flush=True)


if __name__ == "__main__":
    main()
