"""The joint SVMs on sparse hierarchical text: Clade beside liblinear's solver of Crammer and Singer's SVM (-s 4).

    run.py BUILD_TREE

Generates 20,000 + 5,000 documents (`clade synth --text`) of about 60 words over 50,000, in 500 classes below 80 and 10
inner nodes. flat-svm solves the same problem as liblinear, to a dual objective that is at least as good; times are
processor seconds of whole processes on one thread, from reading the file to writing the model. Then come
hierarchical-svm on the same data with two threads, a problem like that of the published experiments (1,710 documents,
18,077 features, 160 classes among 188 nodes, tolerance 0.01), and the memory of 100,000 features x 5,000 nodes where
few weights are touched. Then few classes with dense features, where scoring a sample costs little: 20,000 samples, 50
features, 10 classes, beside liblinear again. Last, flat-perceptron beside scikit-learn's.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sklearn.linear_model import Perceptron

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from finished_process import Run  # noqa: E402
from hierarchical_text import TextOptions, generate  # noqa: E402
from ratio import record  # noqa: E402

C = 1  # for both; the default of Clade
TEXT = "20,000 documents, 500 classes"
TOLERANCES = [0.1, 0.05, 0.02, 0.01, 0.005, 0.002]
REPEATS = 3


def fastest(*command):
    return min((Run(*command) for _ in range(REPEATS)), key=lambda run: run.processor)


class Clade:
    def __init__(self, tree, folder):
        self.tool, self.folder = tree / "clade", folder

    def train_arguments(self, classifier, *arguments, threads=1):
        return [self.tool, "train", self.folder / "train.svm", "--taxonomy", self.folder / "taxonomy.csv", "--classifier", classifier,
                "--scale", "none", "-o", self.folder / f"{classifier}.clade", "--force", "--json", "--quiet", "--threads",
                threads, *arguments]

    def measures(self, classifier):
        run = Run(self.tool, "evaluate", self.folder / f"{classifier}.clade", self.folder / "test.svm", "--taxonomy",
                  self.folder / "taxonomy.csv", "--json", "--quiet")
        found = json.loads(run.text)
        return ", ".join(f"{name} {found[key]:.4f}" for name, key in
                         [("accuracy", "accuracy"), ("hierarchical F1", "hierarchical_f1"), ("tree-induced error", "tie")])


def summary(run):
    return json.loads(run.text)["summary"]


def beside_liblinear(tree, folder):
    liblinear = shutil.which("liblinear-train")
    if liblinear is None:
        print("liblinear-train is not installed: nothing to compare with")
        return None
    base = fastest(liblinear, "-s", 4, "-c", C, "-e", 0.1, folder / "train.svm", folder / "liblinear.model")
    # liblinear minimises the negative dual.
    dual = -float(base.text.split("Objective value =")[1].split()[0])
    print(f"liblinear -s 4, tolerance 0.1: {base.processor:.2f} s, dual objective {dual:.4f}")
    return base.processor, dual


def flat(clade, base, data=TEXT):
    for tolerance in TOLERANCES if base else TOLERANCES[:1]:
        arguments = clade.train_arguments("flat-svm", "--tolerance", tolerance)
        run = Run(*arguments)
        dual = float(summary(run)["dual objective"])
        if base is None or dual >= base[1] - 1e-6 * abs(base[1]):
            break
    run = fastest(*arguments)
    print(f"flat-svm, tolerance {tolerance}: {run.processor:.2f} s ({json.loads(run.text)['seconds']:.2f} s of training), "
          f"dual objective {dual:.4f}")
    if base:
        record("joint", "flat-svm", "liblinear -s 4", run.processor / base[0], data=data)
        print(f"  liblinear / flat-svm: {base[0] / run.processor:.2f}")
    if data == TEXT:
        print("  " + clade.measures("flat-svm"))


def hierarchical(clade, base):
    seconds = {}
    for threads in (1, 2):
        run = min((Run(*clade.train_arguments("hierarchical-svm", threads=threads)) for _ in range(REPEATS)), key=lambda r: r.wall)
        seconds[threads] = json.loads(run.text)["seconds"]
        print(f"hierarchical-svm, threads {threads}: {run.wall:.2f} s, {seconds[threads]:.2f} s of training; processor {run.processor:.2f} s")
        if threads == 1 and base:
            record("joint", "hierarchical-svm", "liblinear -s 4", run.processor / base[0], data=TEXT)
            print(f"  liblinear (flat) / hierarchical-svm: {base[0] / run.processor:.2f}")
    record("joint", "hierarchical-svm", "one thread", seconds[2] / seconds[1], data=TEXT, measure="seconds", threads=2)
    print(f"  one thread / two: {seconds[1] / seconds[2]:.2f}")
    print("  " + clade.measures("hierarchical-svm"))
    # Siblings differ in only one of three attributes, so their margin costs more than in the flat problem.
    Run(*clade.train_arguments("hierarchical-svm", "--c", 3 * C))
    print(f"  C = {3 * C}: " + clade.measures("hierarchical-svm"))


def perceptron(clade, text):
    """Samples per second of an epoch, beside scikit-learn's one-vs-rest Perceptron on the same flat problem."""
    epochs = 3
    train = text.values
    learner = Perceptron(max_iter=epochs, tol=None, shuffle=False)
    start = time.perf_counter()
    learner.fit(train, text.leaves)
    theirs = train.shape[0] * epochs / (time.perf_counter() - start)
    run = fastest(*clade.train_arguments("flat-perceptron", "--variant", "online", "--epochs", epochs))
    own = train.shape[0] * int(summary(run)["epochs"]) / json.loads(run.text)["seconds"]
    record("joint", "flat-perceptron", "scikit-learn Perceptron", theirs / own, data=TEXT, measure="seconds per sample")
    print(f"flat-perceptron: {own:,.0f} samples per second, scikit-learn {theirs:,.0f}: {own / theirs:.1f} times as many")


def published_size(tree, folder):
    options = TextOptions(words=18_077, levels=(7, 20, 160), train=1_710, test=0, length=150, seed=2)
    text = generate(tree / "clade", folder, options)
    run = fastest(*Clade(tree, folder).train_arguments("hierarchical-svm", "--tolerance", 0.01))
    print(f"1,710 documents, 18,077 features, {len(text.parents) + 1} nodes, {len(set(text.leaves))} of 160 classes, tolerance 0.01: "
          f"{run.processor:.2f} processor s")


def memory(tree, folder):
    options = TextOptions(words=100_000, levels=(20, 300, 4_679), train=20_000, test=0, length=12, seed=3)
    text = generate(tree / "clade", folder, options)
    run = Run(*Clade(tree, folder).train_arguments("hierarchical-svm", "--iterations", 3))
    nodes = len(text.parents) + 1
    full = options.words * nodes * 4
    record("joint", "hierarchical-svm", "all weights as floats", run.memory / full, data="100,000 features, 5,000 nodes", measure="peak memory")
    print(f"{options.words:,} features, {nodes:,} nodes, {int(summary(run)['classes']):,} classes with samples, "
          f"{int(summary(run)['weights']):,} weights: peak {run.memory / 2**20:.0f} MiB, all weights as floats {full / 2**20:.0f} MiB; "
          f"{run.memory / full:.2f} of that")


def few_dense_classes(tree, folder):
    subprocess.run([tree / "clade", "synth", "-o", folder / "train.svm", "--depth", "1", "--fanout", "10", "--features", "50",
                    "--samples", "20000", "--single-label", "--taxonomy-out", folder / "taxonomy.csv", "--force", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    print("20,000 samples, 50 dense features, 10 classes:")
    flat(Clade(tree, folder), beside_liblinear(tree, folder), "20,000 x 50, 10 classes")


def main():
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = generate(tree / "clade", folder)
        clade = Clade(tree, folder)
        base = beside_liblinear(tree, folder)
        flat(clade, base)
        hierarchical(clade, base)
        perceptron(clade, text)
        published_size(tree, folder)
        memory(tree, folder)
        few_dense_classes(tree, folder)


if __name__ == "__main__":
    main()
