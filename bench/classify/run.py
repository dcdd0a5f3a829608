"""Training and prediction on sparse hierarchical text: Clade beside liblinear.

    run.py BUILD_TREE

Generates 20,000 + 5,000 documents (`clade synth --text`) of about 60 words over 50,000, in 500 classes below 80 and 10
inner nodes. Prints the training time with two threads and with one, relative to liblinear (through scikit-learn, one
thread) on the same node problems: one linear SVM per inner node, hinge loss, C = 1, tolerance 0.1. Also times
scikit-learn's flat one-vs-rest. Then prediction for 100,000 documents (those trained on, five times): whole processes
with one thread and with two, prediction alone, and liblinear-predict beside them where it is installed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from sklearn.svm import LinearSVC

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from finished_process import Run  # noqa: E402
from hierarchical_text import generate, node_problems  # noqa: E402
from ratio import alternating, divided, record  # noqa: E402

DATA = "20,000 documents, 500 classes"
COPIES, ROUNDS = 5, 3


def liblinear_seconds(text):
    total = 0.0
    for samples, children in node_problems(text):
        part = text.values[samples]
        start = time.perf_counter()
        LinearSVC(loss="hinge", C=1, tol=0.1).fit(part, children)
        total += time.perf_counter() - start
    return total


def predicting(tree, folder):
    """Microseconds per document, by the clock."""
    tool, many = tree / "clade", folder / "many.svm"
    many.write_text((folder / "train.svm").read_text() * COPIES)
    documents = 20_000 * COPIES
    names = ("top-down-svm", "path-svm", "hierarchical-svm", "flat-svm")
    models = [folder / f"{name}.clade" for name in names]
    for name, model in zip(names, models):
        Run(tool, "train", folder / "train.svm", "--taxonomy", folder / "taxonomy.csv", "--classifier", name, "--threads", 1, "--quiet", "-o", model)

    def whole(model, threads):
        return lambda: Run(tool, "predict", model, many, "-o", folder / "out.csv", "--force", "--quiet", "--threads", threads).wall * 1e6 / documents

    works = {(name, threads): whole(model, threads) for name, model in zip(names, models) for threads in (1, 2)}
    baseline = "liblinear-predict" if shutil.which("liblinear-predict") else None
    if baseline:
        Run("liblinear-train", "-s", 4, "-c", 1, "-e", 0.1, folder / "train.svm", folder / "liblinear.model")
        works[baseline] = lambda: Run(baseline, many, folder / "liblinear.model", folder / "liblinear.out").wall * 1e6 / documents
    found = alternating(ROUNDS, works)
    for name in names:
        one, two = (sorted(found[name, threads])[ROUNDS // 2] for threads in (1, 2))
        gain = record("predict", f"{name}, 2 threads", f"{name}, 1 thread", divided(found[name, 2], found[name, 1]), data=DATA,
                      measure="seconds", threads=2)
        print(f"clade predict, {name}: {one:.2f} microseconds per document with one thread, {two:.2f} with two ({1 / gain:.2f} x)")
        if baseline:
            ratio = record("predict", name, baseline, divided(found[name, 1], found[baseline]), data=DATA, measure="seconds")
            print(f"  {ratio:.3f} x {baseline}")
    for threads in (1, 2):
        print(f"prediction alone, threads: {threads}", flush=True)
        print(Run(tree / "bench" / "classify" / "predict_models", many, folder / "taxonomy.csv", threads, *models).text, end="")


def main():
    warnings.simplefilter("ignore")
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = generate(tree / "clade", folder)
        start = time.perf_counter()
        LinearSVC(loss="squared_hinge", C=1, tol=0.1).fit(text.values, text.leaves)
        print(f"scikit-learn flat one-vs-rest, one thread: {time.perf_counter() - start:.2f} s")
        base = liblinear_seconds(text)
        print(f"liblinear, the node problems of top-down-svm, one thread: {base:.2f} s")
        for threads in ["1", "2"]:
            print(f"Clade, threads: {threads}", flush=True)
            found = subprocess.run([tree / "bench" / "classify" / "train_models", folder / "train.svm",
                                    folder / "test.svm", folder / "taxonomy.csv", threads],
                                   check=True, capture_output=True, text=True).stdout
            print(found, end="")
            for name, seconds, flat in re.findall(r"^(\S+) +([\d.]+) s, ([\d.]+) x flat", found, re.M):
                record("classify", name, "the flat one-vs-rest problem", float(flat), data=DATA, measure="seconds", threads=int(threads))
                record("classify", name, "liblinear, SVMs of inner nodes", float(seconds) / base, data=DATA, measure="seconds",
                       threads=int(threads))
            seconds = float(found.split("top-down-svm")[1].split(" s")[0])
            print(f"top-down-svm: {base / seconds:.2f} x as fast as liblinear on the same problems")
        predicting(tree, folder)


if __name__ == "__main__":
    main()
