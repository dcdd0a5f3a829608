#!/usr/bin/env python3
"""Expected calibration error on held-out parts, as a table in Markdown.

    bench/calibration/held_out.py build/clade DATA

DATA is a folder with the public sets named below (DD/DDTrain.mat, ...). Text is generated. Each row is trained on the
training part with --calibrate auto, or as the rule says (default), and measured on the test part.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CLASSIFIERS = {
    "dense": ["flat-svm --scale standard --bias 1 --c 0.1", "hierarchical-svm --scale standard --bias 1 --c 0.1",
              "path-svm --c 0.1", "hierarchical-perceptron --scale standard", "default"],
    "text": ["flat-svm", "hierarchical-svm", "path-svm", "hierarchical-perceptron", "default"],
    "several": ["hierarchical-svm", "default"],
}


def clade(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments), "--quiet"], capture_output=True, text=True, check=True)
    return done.stdout


def sets(tool, data, folder):
    """(name, kind, training part, test part, further arguments)"""
    yield "DD", "dense", data / "DD/DDTrain.mat", data / "DD/DDTest.mat", []
    yield "Bridges", "dense", data / "Bridges/BridgesTrain.mat", data / "Bridges/BridgesTest.mat", []
    yield "ImCLEF07A", "dense", data / "ImCLEF07A/ImCLEF07A_Train.arff", data / "ImCLEF07A/ImCLEF07A_Test.arff", []
    for name, labels in (("generated text", 1), ("generated text, several labels", 3)):
        parts = folder / f"train{labels}.jsonl", folder / f"test{labels}.jsonl"
        for part, first, count in zip(parts, (0, 4000), (4000, 2000)):
            clade(tool, "synth", "--text", "--documents", count, "--first", first, "--levels", "5,20,80",
                  "--labels", labels, "-o", part)
        yield name, "text" if labels == 1 else "several", *parts, []
    yield ("Enron", "several", data / "Enron/Enron_corr_trainvalid.arff", data / "Enron/Enron_corr_test.arff", [])
    yield ("eisen_FUN", "several", data / "eisen_FUN/eisen_FUN.train.arff", data / "eisen_FUN/eisen_FUN.test.arff",
           ["--missing", "mean"])


def main():
    tool, data = sys.argv[1], Path(sys.argv[2])
    print("| data | classifier | accuracy | hierarchical F1 | calibration error |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.clade"
        for name, kind, train, test, further in sets(tool, data, Path(folder)):
            for classifier in CLASSIFIERS[kind]:
                chosen = [] if classifier == "default" else ["--classifier", *classifier.split(), "--calibrate", "auto"]
                clade(tool, "train", train, *chosen, *further, "-o", model, "--force")
                found = json.loads(clade(tool, "evaluate", model, test, "--json"))
                print(f"| {name} | `{classifier}` | {found['accuracy']:.3f} | {found['hierarchical_f1']:.3f} | "
                      f"{found['expected_calibration_error']:.3f} |", flush=True)


if __name__ == "__main__":
    main()
