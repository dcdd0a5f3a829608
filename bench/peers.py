#!/usr/bin/env python3
"""Clade beside other programs on the same text: training and prediction, whole processes, one thread.

    bench/peers.py CLADE [FOLDER] [--rounds 3]

FOLDER has train.svm, test.svm and taxonomy.csv (child,parent), where labels are node numbers; without it `clade synth --text` makes
20,000 documents to train on and 5,000 to test, 500 classes below 80 and 10 inner nodes. The others know nothing of the
hierarchy: liblinear (Debian's liblinear-tools) and scikit-learn's LinearSVC. bench/hiclass.py does the same for HiClass.

A row has the fewest processor seconds of all rounds, in which the programs take turns. Files are read and models written within
that time. `clade evaluate` measures the predictions of all.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from finished_process import Run  # noqa: E402
from hierarchical_text import generate  # noqa: E402

SCIKIT_LEARN_TRAIN = """
import pickle, sys
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC
X, y = load_svmlight_file(sys.argv[1])
pickle.dump((LinearSVC(C=1).fit(X, y), X.shape[1]), open(sys.argv[2], "wb"), protocol=4)
"""
SCIKIT_LEARN_PREDICT = """
import pickle, sys
from sklearn.datasets import load_svmlight_file
model, features = pickle.load(open(sys.argv[1], "rb"))
X, _ = load_svmlight_file(sys.argv[2], n_features=features)
open(sys.argv[3], "w").writelines(f"{label:.0f}\\n" for label in model.predict(X))
"""


class Contender:
    """A program: how it trains and predicts, and the best that it has shown."""

    def __init__(self, name, train, predict, lines=True):
        self.name, self.train, self.predict, self.lines = name, train, predict, lines
        self.train_seconds = self.predict_seconds = float("inf")
        self.memory = self.size = 0
        self.measures = {}

    def turn(self, clade, data, folder, documents):
        model, found = folder / "model", folder / "found"
        for file in (model, found):
            file.unlink(missing_ok=True)
        trained = Run(*self.train(data / "train.svm", model))
        predicted = Run(*self.predict(model, data / "test.svm", found))
        self.train_seconds = min(self.train_seconds, trained.processor)
        self.predict_seconds = min(self.predict_seconds, predicted.processor / documents)
        self.memory, self.size = trained.memory, model.stat().st_size
        if self.lines:  # one label per line
            rows = "".join(f"{k},1,{label},1\n" for k, label in enumerate(found.read_text().split()))
            found.write_text("sample,rank,label,score\n" + rows)
        self.measures = json.loads(Run(clade, "evaluate", "--predictions", found, data / "test.svm", "--taxonomy",
                                       data / "taxonomy.csv", "--json", "--quiet").text)


def contenders(clade, data):
    taxonomy = ("--taxonomy", data / "taxonomy.csv")

    def of_clade(name, *options):
        return Contender(name, lambda train, model: (clade, "train", train, *taxonomy, *options, "-o", model, "--threads", 1, "--quiet"),
                         lambda model, test, found: (clade, "predict", model, test, "-o", found, "--threads", 1, "--quiet"), False)

    found = [of_clade("Clade, default")]
    found += [of_clade(f"Clade `{name}`", "--classifier", name) for name in ("top-down-svm", "path-svm", "flat-svm", "hierarchical-svm")]
    if shutil.which("liblinear-train"):
        found += [Contender(f"liblinear `-s {kind}`", lambda train, model, kind=kind: ("liblinear-train", "-q", "-s", kind, train, model),
                            lambda model, test, found: ("liblinear-predict", test, model, found)) for kind in (1, 4)]
    found.append(Contender("scikit-learn `LinearSVC`", lambda train, model: ("/usr/bin/python3", "-c", SCIKIT_LEARN_TRAIN, train, model),
                           lambda model, test, found: ("/usr/bin/python3", "-c", SCIKIT_LEARN_PREDICT, model, test, found)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clade")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        data = options.folder or folder
        if not options.folder:
            generate(options.clade, folder)
        documents = sum(1 for _ in open(data / "test.svm"))
        rivals = contenders(options.clade, data)
        for _ in range(options.rounds):
            for rival in rivals:
                rival.turn(options.clade, data, folder, documents)
    print("| | training, s | predicting, µs per document | model, MB | peak, MiB | accuracy | hierarchical F1 | tree-induced error |")
    print("|---|---|---|---|---|---|---|---|")
    for r in rivals:
        m = r.measures
        print(f"| {r.name} | {r.train_seconds:.1f} | {r.predict_seconds * 1e6:.0f} | {r.size / 1e6:.1f} | {r.memory / 2**20:.0f} "
              f"| {m['accuracy']:.3f} | {m['hierarchical_f1']:.3f} | {m['tie']:.3f} |")


if __name__ == "__main__":
    main()
