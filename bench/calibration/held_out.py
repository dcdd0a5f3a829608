#!/usr/bin/env python3
"""Calibration errors on held-out parts, as a table in Markdown.

    bench/calibration/held_out.py build/clade DATA [--all] [--sets 'DD;Bridges']

DATA is a folder with the public sets named below (DD/DDTrain.mat, ...). Text is generated. Each row is trained on the
training part as the rule says (default) and measured on the test part; --all adds classifiers with --calibrate auto.

"by chance" is the calibration error that exactly right probabilities would have on as many samples: labels are drawn as
right with the probabilities that the model gave, 2,000 times; the mean of the errors, and what 95 % of them stay below.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

BINS = 15
DRAWS = 2000
CLASSIFIERS = {
    "dense": ["flat-svm --scale standard --bias 1 --c 0.1", "hierarchical-svm --scale standard --bias 1 --c 0.1",
              "path-svm --c 0.1", "hierarchical-perceptron --scale standard"],
    "text": ["flat-svm", "hierarchical-svm", "path-svm", "hierarchical-perceptron"],
    "several": ["hierarchical-svm"],
}


def clade(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments), "--quiet"], capture_output=True, text=True, check=True)
    return done.stdout


def sets(tool, data, folder):
    """name -> kind, training part, test part, further arguments"""
    found = {name: ("dense", data / train, data / test, []) for name, train, test in (
        ("DD", "DD/DDTrain.mat", "DD/DDTest.mat"), ("Bridges", "Bridges/BridgesTrain.mat", "Bridges/BridgesTest.mat"),
        ("Diatoms", "Diatoms/Diatoms_train.arff", "Diatoms/Diatoms_test.arff"),
        ("ImCLEF07A", "ImCLEF07A/ImCLEF07A_Train.arff", "ImCLEF07A/ImCLEF07A_Test.arff"))}
    for documents in (500, 4000):
        for labels in (1, 3):
            name = f"generated text of {documents}" + (", several labels" if labels > 1 else "")
            parts = folder / f"train{documents}-{labels}.jsonl", folder / f"test{documents}-{labels}.jsonl"
            for part, first, count in zip(parts, (0, 4000), (documents, 2000)):
                clade(tool, "synth", "--text", "--documents", count, "--first", first, "--levels", "5,20,80",
                      "--labels", labels, "-o", part)
            found[name] = ("text" if labels == 1 else "several", *parts, [])
    found["Enron"] = ("several", data / "Enron/Enron_corr_trainvalid.arff", data / "Enron/Enron_corr_test.arff", [])
    for name in ("eisen_FUN", "cellcycle_FUN"):
        found[name] = ("several", data / name / f"{name}.train.arff", data / name / f"{name}.test.arff", ["--missing", "mean"])
    return found


def first_scores(tool, model, test, further, path):
    clade(tool, "predict", model, test, *further, "-o", path, "--force")
    first = {}
    with path.open(newline="") as rows:
        for row in csv.DictReader(rows):
            first.setdefault(row["sample"], float(row["score"]))
    return np.array(list(first.values()))


def by_chance(p):
    """The errors of exactly right probabilities: their mean and 95 % point."""
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    draw = np.random.default_rng(1)
    errors = []
    for _ in range(DRAWS):
        gaps = np.bincount(bins, weights=(draw.random(len(p)) < p) - p, minlength=BINS)
        errors.append(np.abs(gaps).sum() / len(p))
    return np.mean(errors), np.quantile(errors, 0.95)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("data", type=Path)
    parser.add_argument("--all", action="store_true", help="the joint classifiers, too")
    parser.add_argument("--sets", default="", help="names, separated by ;")
    arguments = parser.parse_args()
    tool = arguments.tool
    print("| data | classifier | test samples | accuracy | hierarchical F1 | calibration error | by chance | error of predicted nodes | of all pairs |\n"
          "|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.clade"
        chosen = sets(tool, arguments.data, Path(folder))
        for name in arguments.sets.split(";") if arguments.sets else chosen:
            kind, train, test, further = chosen[name]
            for classifier in ["default", *(CLASSIFIERS[kind] if arguments.all else [])]:
                options = [] if classifier == "default" else ["--classifier", *classifier.split(), "--calibrate", "auto"]
                trained = json.loads(clade(tool, "train", train, *options, *further, "-o", model, "--force", "--json"))
                found = json.loads(clade(tool, "evaluate", model, test, *further, "--json"))
                mean, most = by_chance(first_scores(tool, model, test, further, Path(folder) / "p.csv"))
                shown = f"default: `{trained['classifier']}`" if classifier == "default" else f"`{classifier}`"
                print(f"| {name} | {shown} | {found['samples']} | {found['accuracy']:.3f} | {found['hierarchical_f1']:.3f} | "
                      f"{found['expected_calibration_error']:.3f} | {mean:.3f}, {most:.3f} | {found['node_calibration_error']:.3f} | "
                      f"{found['pair_calibration_error']:.4f} |", flush=True)


if __name__ == "__main__":
    main()
