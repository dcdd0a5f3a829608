#!/usr/bin/env python3
"""Writes the tables of docs/leaderboard.md.

    leaderboard.py CLADE RESULTS PEERS PAGE PICTURE

RESULTS is the folder of the experiment leaderboard, PEERS what peers.py wrote. The parts of the page between `<!-- NAME -->` and
`<!-- end -->` are written anew, and PICTURE (SVG) shows the average ranks."""

import csv
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

MEASURE = "hierarchical_f1"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


class Values:
    """Of Clade's methods by fold, of other programs over all samples."""

    def __init__(self, folder, peers):
        self.folds, self.value, self.seconds, self.memory = defaultdict(list), {}, defaultdict(list), defaultdict(float)
        self.sets, self.methods = [], []
        for row in csv.DictReader(open(folder / "results.csv")):
            if row["metric"] == MEASURE and row["value"]:
                key = row["dataset"], row["method"]
                self.folds[key].append(float(row["value"]))
                self.seconds[key].append(float(row["fit_seconds"]) + float(row["predict_seconds"]))
        for key, folds in self.folds.items():
            self.value[key] = mean(folds)
        for row in csv.DictReader(open(peers)):
            key = row["dataset"], row["method"]
            self.value[key] = float(row[MEASURE])
            self.seconds[key] = [float(row["seconds"])]
        self.sets = list(dict.fromkeys(data for data, _ in self.value))
        self.methods = list(dict.fromkeys(method for _, method in self.value))

    def is_peer(self, method):
        return method.startswith(("sklearn", "liblinear"))


def overview(values, sizes):
    """Ranks over the sets on which all but a few methods have a value."""
    methods = [m for m in values.methods if sum((d, m) in values.value for d in values.sets) >= 16]
    common = [d for d in values.sets if all((d, m) in values.value for m in methods)]
    ranks = defaultdict(list)
    for data in common:
        for method in methods:
            own = values.value[data, method]
            better = sum(values.value[data, other] > own for other in methods)
            equal = sum(values.value[data, other] == own for other in methods)
            ranks[method].append(better + (equal + 1) / 2)
    rows = []
    for method in sorted(methods, key=lambda m: mean(ranks[m])):
        # Times were taken of all methods on the same sets.
        seconds = math.exp(mean(math.log(mean(values.seconds[d, method]) + 1e-4) for d in common))
        rows.append([f"`{method}`" if not values.is_peer(method) else method, f"{mean(ranks[method]):.2f}",
                     f"{mean(values.value[d, method] for d in common):.4f}",
                     sum(values.value[d, method] == max(values.value[d, m] for m in methods) for d in common),
                     f"{seconds:.2f}", sizes.get(method, "")])
    head = ["method", "average rank", "mean F1", "best on", "seconds per fold", "model of DD, KiB"]
    return common, methods, f"Over the {len(common)} sets on which all of these have a value: {', '.join(common)}.\n\n" + table(head, rows)


def every_set(values):
    names = ["kernel-ridge", "blend", "top-down-svm", "top-down-logistic", "path-svm", "flat-svm", "hierarchical-svm", "hieron", "forest"]
    rows = []
    for data in values.sets:
        row = [data]
        best = max(v for (d, m), v in values.value.items() if d == data)
        for method in names:
            value = values.value.get((data, method))
            if value is None:
                row.append("")
                continue
            text = f"{value:.3f} ± {stdev(values.folds[data, method]) / math.sqrt(len(values.folds[data, method])):.3f}"
            row.append(f"**{text}**" if value == best else text)
        tuned = [(v, m) for (d, m), v in values.value.items() if d == data and m.startswith("tuned")]
        peers = [(v, m) for (d, m), v in values.value.items() if d == data and values.is_peer(m)]
        for found in (tuned, peers):
            value, method = max(found, default=(None, ""))
            text = "" if value is None else f"{value:.3f} ({method.removeprefix('tuned ').removeprefix('sklearn ')})"
            row.append(f"**{text}**" if value == best else text)
        rows.append(row)
    return table(["data set"] + [f"`{name}`" for name in names] + ["best tuned", "best of other programs"], rows)


def model_sizes(clade, methods):
    train = Path(os.environ.get("CLADE_DATA", "../shared/data")) / "DD/DDTrain.mat"
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        for method in methods:
            if method.startswith(("tuned", "sklearn", "liblinear")) or not train.exists():
                continue
            model = Path(folder) / "model.clade"
            subprocess.run([clade, "train", train, "--classifier", method, "-o", model, "--force", "--quiet"], check=True, stdout=subprocess.DEVNULL)
            sizes[method] = f"{model.stat().st_size / 1024:,.0f}"
    return sizes


def main():
    clade, results, peers, page, picture = (Path(argument).resolve() for argument in sys.argv[1:])
    values = Values(results, peers)
    sizes = model_sizes(clade, values.methods)
    common, methods, text = overview(values, sizes)
    parts = {"overview": text, "sets": every_set(values)}
    with tempfile.TemporaryDirectory() as folder:
        wide = Path(folder) / "leaderboard.csv"
        with wide.open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["dataset", *methods])
            for data in common:
                out.writerow([data, *(values.value[data, method] for method in methods)])
        done = subprocess.run([clade, "compare", wide, "--metric", MEASURE, "--diagram", picture, "--force"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        tests = [line for line in done.stdout.splitlines() if line.lstrip().startswith(("Friedman", "Iman", "Nemenyi", "critical", "differ"))]
        parts["tests"] = "\n".join("    " + line.strip() for line in tests)
    content = page.read_text()
    for name, part in parts.items():
        content = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda match: f"{match[1]}\n{part}\n\n{match[2]}", content, flags=re.S)
    page.write_text(content)


if __name__ == "__main__":
    main()
