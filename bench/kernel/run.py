#!/usr/bin/python3
"""Kernel classifiers on some 10,000 samples x 80 features: flat-svm and hierarchical-svm with `--kernel rbf --c 10` beside
scikit-learn's SVC with the same C and gamma on the same samples, scaled to length 1; then kernel-ridge with all samples and
with landmarks, and on 100,000 generated samples with landmarks.

    bench/kernel/run.py BUILD_TREE [DATA] [--skip-large]

DATA/ImCLEF07A has the ARFF files; without DATA, samples are generated. Seconds are processor seconds of training, on one
thread; memory is the largest resident one. SVC solves another problem (a machine with a bias for every pair of classes), so
its seconds are a measure of the task, not of the same optimum."""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from finished_process import Run  # noqa: E402
from ratio import record  # noqa: E402

MIB = 2**20


def train(tool, data, model, *options):
    return Run(tool, "train", data, *options, "--threads", 1, "-o", model, "--force", "--json")


def table(tool, data, folder):
    """Values and labels, through a conversion to CSV."""
    Run(tool, "convert", data, "-o", folder / "plain.csv", "--force")
    rows = [line.split(",") for line in (folder / "plain.csv").read_text().splitlines()]
    at = rows[0].index("label")
    x = np.array([[float(v) for k, v in enumerate(row) if k != at and rows[0][k] != "sample"] for row in rows[1:]])
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300), [row[at] for row in rows[1:]]


def svms(tool, training, test, folder):
    x, y = table(tool, training, folder)
    queries, truth = table(tool, test, folder)
    start = time.process_time()
    machine = SVC(C=10, gamma="scale").fit(x, y)
    theirs = time.process_time() - start
    accuracy = np.mean(machine.predict(queries) == np.array(truth))
    print(f"scikit-learn SVC: {theirs:.1f} s, accuracy {accuracy:.4f}, {len(machine.support_)} support samples")
    for classifier in ("flat-svm", "hierarchical-svm"):
        fit = train(tool, training, folder / "m.clade", "--classifier", classifier, "--kernel", "rbf", "--c", 10)
        found = json.loads(Run(tool, "evaluate", folder / "m.clade", test, "--json").text)
        record("kernel", f"{classifier}, rbf", "scikit-learn SVC", fit.processor / theirs, data=training.name)
        print(f"{classifier}: {fit.processor:.1f} s, accuracy {found['accuracy']:.4f}, hierarchical F1 {found['hierarchical_f1']:.4f}, "
              f"{json.loads(fit.text)['summary']['support samples']} support samples, {fit.memory / MIB:.0f} MiB; SVC / {classifier}: "
              f"{theirs / fit.processor:.2f}",
              flush=True)


def ridges(tool, training, test, folder):
    for landmarks in (0, 500, 1000, 2000, 3000):
        fit = train(tool, training, folder / "m.clade", "--classifier", "kernel-ridge", "--landmarks", landmarks)
        found = json.loads(Run(tool, "evaluate", folder / "m.clade", test, "--json").text)
        print(f"kernel-ridge, {landmarks or 'no'} landmarks: {fit.processor:.1f} s, accuracy {found['accuracy']:.4f}, hierarchical F1 "
              f"{found['hierarchical_f1']:.4f}, {fit.memory / MIB:.0f} MiB", flush=True)


def large(tool, folder):
    Run(tool, "synth", "-o", folder / "large.arff", "--features", 80, "--samples", 100_000)
    fit = Run(tool, "train", folder / "large.arff", "--classifier", "kernel-ridge", "--memory", "4G", "-o",
              folder / "m.clade", "--force", "--json", "--threads", 2)
    print(f"kernel-ridge, 100,000 samples, {json.loads(fit.text)['summary']['landmarks']} landmarks: {fit.processor:.0f} s, wall "
          f"{fit.wall:.0f} s with two threads, {fit.memory / MIB:.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--skip-large", action="store_true")
    arguments = parser.parse_args()
    tool = arguments.tree / "clade"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if arguments.data:
            training, test = (arguments.data / "ImCLEF07A" / f"ImCLEF07A_{part}.arff" for part in ("Train", "Test"))
        else:
            training, test = folder / "parts" / "train.arff", folder / "parts" / "test.arff"
            Run(tool, "synth", "-o", folder / "all.arff", "--features", 80, "--samples", 11_000, "--single-label")
            Run(tool, "split", folder / "all.arff", "--test", 0.09, "-o", folder / "parts")
        svms(tool, training, test, folder)
        ridges(tool, training, test, folder)
        if not arguments.skip_large:
            large(tool, folder)


if __name__ == "__main__":
    main()
