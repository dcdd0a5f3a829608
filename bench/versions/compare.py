#!/usr/bin/env python3
"""Compares two versions of the tool on the same machine, in the same run: CPU seconds of whole commands, taken in turn.

    bench/versions/compare.py OLD NEW [ROUNDS]

OLD and NEW are programs (another checkout's build/clade, and this one's). Each command runs ROUNDS (3) times with both;
the smallest time counts, because other work on the machine can only add to it. Real data are read from CLADE_DATA
(default ../shared/data); commands whose data are absent are skipped. Ends with status 1 if a command got slower by
more than a fifth.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SLOWER = 1.2


def commands(data, text):
    text_of = [text, "--threads", "1"]
    yield "read JSON lines", ["info", *text_of]
    for classifier in ["top-down-svm", "top-down-logistic", "path-svm", "hierarchical-svm", "flat-svm", "hieron"]:
        yield f"train {classifier}, text", ["train", *text_of, "--classifier", classifier, "-o", "OUT"]
    yield "evaluate by folds, text", ["evaluate", *text_of, "--classifier", "top-down-svm", "--folds", "3"]
    dd, imclef = data / "DD" / "DDTrain.mat", data / "ImCLEF07A" / "ImCLEF07A_Train.arff"
    for method in ["hier-fs", "hirr-fam", "hier-fisher", "hier-mrmr"]:
        yield f"select {method}, DD", ["select", dd, "--method", method, "--threads", "1", "-o", "OUT"]
    for classifier in ["top-down-svm", "hierarchical-svm"]:
        yield f"train {classifier}, ImCLEF07A", ["train", imclef, "--threads", "1", "--classifier", classifier, "-o", "OUT"]


def seconds(tool, arguments, folder):
    out = Path(folder) / "out"
    out.unlink(missing_ok=True)
    words = [str(tool)] + [str(out) if word == "OUT" else str(word) for word in arguments]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(words)}: failed")
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    old, new = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    data = Path(os.environ.get("CLADE_DATA", "../shared/data"))
    slower = []
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.jsonl"
        subprocess.run([new, "synth", "--text", "-o", text], check=True, stdout=subprocess.DEVNULL)
        for name, arguments in commands(data, text):
            missing = [word for word in arguments if isinstance(word, Path) and not word.exists()]
            if missing:
                print(f"{name:36} skipped: no {missing[0]}; set CLADE_DATA")
                continue
            pairs = [(seconds(old, arguments, folder), seconds(new, arguments, folder)) for _ in range(rounds)]
            before, after = (min(times) for times in zip(*pairs))
            print(f"{name:36} {before:7.2f} s {after:7.2f} s   ratio {after / before:.2f}", flush=True)
            if after > SLOWER * before:
                slower.append(name)
    if slower:
        sys.exit("slower: " + "; ".join(slower))


if __name__ == "__main__":
    main()
