"""Writes one model of every kind by this version of Clade, with the data it predicts and what it must answer.

    CLADE=build/clade tests/compat/make.py [VERSION]

Makes tests/compat/VERSION/ (default: the tool's version): NAME.clade, the models; NAME.csv, what `clade predict` says with them of
the data beside them. Folders of earlier versions stay as they are: later versions must read them and answer the same
(compat_test.py beside this). Make a folder when a version is released, or when the format changes before that.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

CLADE = Path(os.environ.get("CLADE", "build/clade")).resolve()
TREE = {"a": "root", "b": "root", "a1": "a", "a2": "a", "b1": "b", "b2": "b"}
LEAVES = ["a1", "a2", "b1", "b2"]

# Of the root of the data with many classes, which is far too small for one of its own accord.
LABEL_TREE = ["--label-tree", "20", "--label-group", "6", "--label-branches", "3"]

# name: data, what train is told, what predict is told
MODELS = {
    "top-down-linear": ("data", ["--classifier", "top-down-svm"], []),
    "top-down-votes": ("data", ["--classifier", "top-down-svm", "--multiclass", "one-vs-one"], []),
    "logistic-calibrated": ("data", ["--classifier", "top-down-logistic", "--calibrate", "temperature"], ["--top-k", "2"]),
    "svm-isotonic": ("data", ["--classifier", "top-down-svm", "--calibrate", "isotonic"], []),
    "paths": ("data", ["--classifier", "path-svm"], ["--top-k", "3"]),
    "joint-threshold": ("labels", ["--classifier", "hierarchical-svm", "--learn-threshold", "yes"], []),
    "kernel": ("data", ["--classifier", "flat-svm", "--kernel", "rbf"], ["--top-k", "4"]),
    "online-state": ("data", ["--classifier", "hierarchical-perceptron", "--epochs", "3", "--bias", "1"], ["--top-k", "4"]),
    "sequences": ("sequences", ["--classifier", "flat-svm", "--kernel", "subsequence", "--subsequence-length", "2"], []),
    "means": ("holes", ["--classifier", "top-down-svm", "--missing", "mean"], []),
    "text": ("texts", ["--classifier", "top-down-svm", "--stem", "english"], []),
    "decided": ("labels", ["--classifier", "top-down-svm", "--decide", "level", "--decide-folds", "4"], []),
    "decided-joint": ("labels", ["--classifier", "flat-perceptron", "--decide", "one", "--decide-folds", "4"], []),
    "nodes-ridge": ("labels", ["--classifier", "kernel-ridge"], []),
    "nodes-forest": ("data", ["--classifier", "forest", "--trees", "5", "--min-leaf", "2"], ["--top-k", "2"]),
    "nodes-blend": ("labels", ["--classifier", "blend", "--trees", "5", "--share", "0.5"], []),
    "conformal": ("data", ["--classifier", "top-down-logistic", "--conformal", "cross:4"], ["--coverage", "0.9", "--set-size", "2"]),
    "conformal-by-class": ("data", ["--classifier", "top-down-logistic", "--conformal", "cross:4", "--conformal-by-class"], ["--coverage", "0.7"]),
    "conformal-labels": ("labels", ["--classifier", "kernel-ridge", "--conformal", "split:50%"], ["--coverage", "0.6", "--guarantee", "correct"]),
    "table": ("table", ["--classifier", "top-down-svm"], ["--top-k", "2"]),
    "table-hashed": ("table", ["--classifier", "top-down-svm", "--characters", "2-3", "--hash-bits", "10",
                               "--missing", "zero"], ["--top-k", "2"]),
    "label-tree": ("many", ["--classifier", "top-down-svm", *LABEL_TREE], ["--top-k", "3"]),
    "label-tree-dense": ("many", ["--classifier", "top-down-svm", *LABEL_TREE, "--storage", "dense"], ["--top-k", "3"]),
    "label-tree-logistic": ("many", ["--classifier", "top-down-logistic", *LABEL_TREE], ["--top-k", "3"]),
}


def vectors(path, several):
    generator = random.Random(3 if several else 2)
    centre = {leaf: [generator.gauss(0, 2) for _ in range(4)] for leaf in LEAVES}
    lines = ["w,x,y,z,label"]
    for k in range(16):
        own = [LEAVES[k % 4]] + ([LEAVES[(k + 1) % 4]] if several and k % 3 == 0 else [])
        values = [sum(centre[leaf][f] for leaf in own) / len(own) + generator.gauss(0, 0.7) for f in range(4)]
        lines.append(",".join(f"{v:.3f}" for v in values) + "," + ";".join(own))
    path.write_text("\n".join(lines) + "\n")


def texts(path):
    words = {"a1": "heart valve beats", "a2": "heart artery narrowed", "b1": "lung breathes air", "b2": "lung cough infections"}
    rows = [{"doc_token": f"{words[leaf]} case {k}".split(), "doc_label": [leaf]} for k in range(3) for leaf in LEAVES]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def table(path):
    """Columns of text, numbers, dates and categories; some numbers are missing."""
    words = {"a1": "heart valve beats", "a2": "heart artery narrowed", "b1": "lung breathes air", "b2": "lung cough infections"}
    generator = random.Random(5)
    lines = ["note,age,seen,ward,label"]
    for k in range(24):
        leaf = LEAVES[k % 4]
        note = " ".join(generator.sample(words[leaf].split() + ["case", "seen", "again"], 4))
        age = "" if k % 7 == 3 else generator.randrange(20, 50) + 30 * (leaf[0] == "b")
        lines.append(f"{note},{age},2024-0{1 + k % 9}-1{k % 10},{'north' if leaf[1] == '1' else 'south'},{leaf}")
    path.write_text("\n".join(lines) + "\n")


def sequences(path):
    generator = random.Random(4)
    letters = {"a1": "ACAC", "a2": "AGAG", "b1": "TCTC", "b2": "TGTG"}
    lines = []
    for k in range(12):
        leaf = LEAVES[k % 4]
        text = "".join(generator.choice(letters[leaf] + "ACGT"[k % 4]) for _ in range(10))
        lines.append(f">s{k} label={leaf}\n{text}")
    path.write_text("\n".join(lines) + "\n")


def many(path, classes=40):
    """Sparse vectors, 40 classes side by side."""
    generator = random.Random(6)
    lines = []
    for k in range(3 * classes):
        words = sorted({1 + k % classes, 1 + (7 * k) % classes, classes + 1 + generator.randrange(20), classes + 1 + generator.randrange(20)})
        lines.append(f"c{k % classes} " + " ".join(f"{word}:{1 + generator.random():.3f}" for word in words))
    path.write_text("\n".join(lines) + "\n")
    path.with_name("many-tree.csv").write_text("child,parent\n" + "".join(f"c{c},root\n" for c in range(classes)))


DATA = {"many": "many.svm", "data": "data.csv", "holes": "holes.csv", "labels": "labels.csv", "texts": "texts.json", "sequences": "sequences.fasta",
        "table": "columns.csv"}


def run(*arguments):
    return subprocess.run([str(CLADE), *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    version = sys.argv[1] if len(sys.argv) > 1 else run("--version").split()[1]
    folder = Path(__file__).resolve().parent / version
    folder.mkdir(exist_ok=True)
    (folder / "tree.csv").write_text("child,parent\n" + "".join(f"{c},{p}\n" for c, p in TREE.items()))
    vectors(folder / DATA["data"], False)
    vectors(folder / DATA["labels"], True)
    rows = [line.split(",") for line in (folder / DATA["data"]).read_text().splitlines()]
    for k, row in enumerate(rows[1:]):
        row[k % 4] = "" if k % 3 == 0 else row[k % 4]
    (folder / DATA["holes"]).write_text("".join(",".join(row) + "\n" for row in rows))
    texts(folder / DATA["texts"])
    sequences(folder / DATA["sequences"])
    table(folder / DATA["table"])
    many(folder / DATA["many"])
    asked = {}
    for name, (data, training, prediction) in MODELS.items():
        source, model = folder / DATA[data], folder / f"{name}.clade"
        tree = "many-tree.csv" if data == "many" else "tree.csv"
        run("train", source, "--taxonomy", folder / tree, *training, "-o", model, "--force", "--quiet")
        run("predict", model, source, "--taxonomy", folder / tree, *prediction, "-o", folder / f"{name}.csv", "--force", "--quiet")
        asked[name] = {"data": DATA[data], "taxonomy": tree, "predict": prediction}
    (folder / "asked.json").write_text(json.dumps(asked, indent=1) + "\n")


if __name__ == "__main__":
    main()
