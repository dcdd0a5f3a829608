"""Tables 7.5, 7.10, 7.20, 7.21 and 7.24 of Lijuan Cai's thesis on data that can be had, as Markdown.

    joint_tables.py CLADE [synthetic|newsgroups|folds] [REPEATS] [by-class]

CLADE is the tool. 20 newsgroups is looked for under CLADE_DATA (default ../shared/data). Online learners see the documents
in random order, or class by class. Takes some minutes.
"""

import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel

TREE = {
    "computers": ["comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware",
                  "comp.windows.x"],
    "politics": ["talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"],
    "religion": ["alt.atheism", "soc.religion.christian", "talk.religion.misc"],
    "vehicles": ["rec.autos", "rec.motorcycles"],
    "sports": ["rec.sport.baseball", "rec.sport.hockey"],
}


def clade(*arguments):
    done = subprocess.run([CLADE, *map(str, arguments), "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: {done.stderr}")
    return done.stdout


def measures(*arguments):
    return json.loads(clade("evaluate", *arguments, "--json"))


def shown(name, value):
    return f"{value:.3f}" if "loss" in name and name != "ranking_loss" else f"{100 * value:.1f}"


def table(title, rows, names):
    print(f"\n### {title}\n")
    print("| | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for label, values in rows:
        print(f"| {label} | " + " | ".join(values) + " |")


def synthetic(folder, repeats):
    """Flat and hierarchical SVM at C = 10,000 on the data of 7.1.1, 10-fold, over seeds."""
    names = ["one_accuracy", "average_precision", "maximal_loss", "ranking_loss", "parent_accuracy"]
    for fanout, depth in [(3, 3), (6, 2)]:
        found = {"flat-svm": [], "hierarchical-svm": []}
        for seed in range(1, repeats + 1):
            path = folder / f"{fanout}-{depth}-{seed}.arff"
            clade("synth", "-o", path, "--fanout", fanout, "--depth", depth, "--features", 20, "--samples", 200, "--seed", seed)
            for classifier, values in found.items():
                one = measures(path, "--classifier", classifier, "--folds", 10, "--c", 10000, "--tolerance", 0.01)
                values.append([one[name] for name in names])
        flat, hierarchical = (np.array(values) for values in found.values())
        p = ttest_rel(flat, hierarchical).pvalue
        rows = [(label, [shown(n, v) for n, v in zip(names, values.mean(axis=0))]) for label, values in
                [("flat", flat), ("hierarchical", hierarchical)]]
        rows.append(("p (paired t test)", [f"{value:.1g}" for value in p]))
        table(f"Synthetic data, fan-out {fanout}, depth {depth}: mean of {repeats} seeds", rows, names)


class Newsgroups:
    def __init__(self, folder):
        self.folder = folder
        archive = Path(os.environ.get("CLADE_DATA", "../shared/data")) / "newsgroups20/20news-bydate.tar.xz"
        groups = {group for below in TREE.values() for group in below}
        documents = folder / "documents"
        with tarfile.open(archive) as tar:
            for member in tar:
                parts = Path(member.name).parts
                if not member.isfile() or parts[-2] not in groups:
                    continue
                target = documents / parts[-2] / f"{parts[-3]}-{parts[-1]}"
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(tar.extractfile(member).read())
        self.tree = folder / "tree.csv"
        self.tree.write_text("child,parent\n" + "".join(f"{group},{node}\n" for node, below in TREE.items() for group in below)
                             + "".join(f"{node},all\n" for node in TREE))
        self.all = folder / "all.svm"
        clade("convert", documents, "-o", self.all, "--weight", "tf", "--min-documents", 2)
        # A document that is there twice, in two groups, is one too many for minover, and for us.
        lines, seen = [], set()
        for line in self.all.read_text().splitlines():
            label, _, values = line.partition(" ")
            if values and values not in seen:
                seen.add(values)
                lines.append(line)
        self.lines = lines
        self.all.write_text("\n".join(lines) + "\n")
        self.labels = [line.split(" ", 1)[0] for line in lines]
        self.width = max(int(line.rsplit(" ", 1)[1].split(":")[0]) for line in lines)

    def write(self, chosen, chooser):
        """The chosen documents in their order, and all others."""
        train, test = self.folder / "train.svm", self.folder / "test.svm"
        order = sorted(chosen) if BY_CLASS else sorted(sorted(chosen), key=lambda _: chooser.random())
        train.write_text("".join(self.lines[k] + "\n" for k in order))
        test.write_text("".join(line + "\n" for k, line in enumerate(self.lines) if k not in chosen))
        return train, test

    def split(self, count, seed):
        chooser = random.Random(seed)
        by_group = {}
        for k, label in enumerate(self.labels):
            by_group.setdefault(label, []).append(k)
        return self.write({k for below in by_group.values() for k in chooser.sample(below, count)}, chooser)

    def folds(self, count):
        chooser = random.Random(0)
        order = list(range(len(self.lines)))
        chooser.shuffle(order)
        for fold in range(count):
            yield self.write(set(order) - set(order[fold::count]), chooser)

    def measure(self, train, test, tree, *parameters):
        """Trained over one hierarchy, measured over the true one."""
        model, predictions = self.folder / "m.clade", self.folder / "p.csv"
        width = ["--feature-count", self.width]
        clade("train", train, "--taxonomy", tree, *width, *parameters, "-o", model, "--force")
        clade("predict", model, test, "--taxonomy", tree, *width, "--top-k", 15, "-o", predictions, "--force")
        return measures("--predictions", predictions, test, "--taxonomy", self.tree, *width)

    def measure_all(self, train, test, methods, found):
        learned = self.folder / "learned.csv"
        clade("learn-taxonomy", train, "-o", learned, "--force")
        for name, parameters in methods.items():
            one = self.measure(train, test, learned if "learned" in name else self.tree, *parameters)
            found.setdefault(name, []).append([one[m] for m in NAMES])


NAMES = ["one_accuracy", "average_precision", "top_loss", "parent_accuracy"]
METHODS = {
    "flat SVM": ["--classifier", "flat-svm", "--tolerance", 0.01],
    "hierarchical SVM": ["--classifier", "hierarchical-svm", "--tolerance", 0.01],
    "flat Hieron, averaged": ["--classifier", "hieron", "--flat"],
    "hierarchical Hieron, averaged": ["--classifier", "hieron"],
    "flat perceptron, averaged": ["--classifier", "flat-perceptron"],
    "hierarchical perceptron, averaged": ["--classifier", "hierarchical-perceptron"],
    "hierarchical perceptron, averaged, learned hierarchy": ["--classifier", "hierarchical-perceptron"],
    "flat perceptron, online": ["--classifier", "flat-perceptron", "--variant", "online"],
    "hierarchical perceptron, online": ["--classifier", "hierarchical-perceptron", "--variant", "online"],
    "flat Hieron, online": ["--classifier", "hieron", "--flat", "--variant", "online"],
    "hierarchical Hieron, online": ["--classifier", "hieron", "--variant", "online"],
    "flat perceptron, minover": ["--classifier", "flat-perceptron", "--variant", "minover"],
    "hierarchical perceptron, minover": ["--classifier", "hierarchical-perceptron", "--variant", "minover"],
}


def show(title, found):
    rows = [(name, [shown(n, v) for n, v in zip(NAMES, np.mean(values, axis=0))]) for name, values in found.items()]
    flat, best = "flat perceptron, averaged", "hierarchical perceptron, averaged"
    for other, label in [(best, "hierarchical"), (f"{best}, learned hierarchy", "learned")]:
        p = ttest_rel(found[flat], found[other]).pvalue
        rows.append((f"p of flat against {label}, perceptron, averaged", [f"{value:.1g}" for value in p]))
    table(title, rows, NAMES)


def newsgroups(folder, repeats):
    """Few documents per class, all others to test on."""
    data = Newsgroups(folder)
    for count in [5, 10, 20]:
        found = {}
        for seed in range(repeats):
            data.measure_all(*data.split(count, seed), METHODS, found)
        show(f"{count} documents per class: mean of {repeats} draws", found)


def folds(folder, repeats):
    """All documents, cross-validation."""
    data = Newsgroups(folder)
    found = {}
    for train, test in data.folds(repeats):
        data.measure_all(train, test, {name: p for name, p in METHODS.items() if "minover" not in name}, found)
    show(f"All {len(data.lines)} documents: {repeats} folds", found)


if __name__ == "__main__":
    CLADE = str(Path(sys.argv[1]).resolve())
    which = sys.argv[2] if len(sys.argv) > 2 else "synthetic"
    BY_CLASS = "by-class" in sys.argv
    count = int(sys.argv[3]) if len(sys.argv) > 3 else (20 if which == "synthetic" else 10)
    with tempfile.TemporaryDirectory() as name:
        {"synthetic": synthetic, "newsgroups": newsgroups, "folds": folds}[which](Path(name), count)
