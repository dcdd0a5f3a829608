#!/usr/bin/env python3
"""What other programs reach on the labelled sets of the leaderboard: scikit-learn and liblinear with their defaults, which
know nothing of the hierarchy, in three stratified folds.

    peers.py CLADE RESULTS SPECIFICATION... [--jobs N] [--limit SECONDS]

Reads the data sets of the experiment files, and writes RESULTS (dataset,method,accuracy,hierarchical_f1,tie,seconds,memory_mib).
Clade converts the data, and measures the predictions. A method that needs more CPU seconds than the limit for a set is left out,
and so is what is in RESULTS already."""

import argparse
import concurrent.futures
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

METHODS = ["sklearn LinearSVC", "sklearn LogisticRegression", "sklearn RandomForest", "sklearn KNeighbors", "liblinear -s 4"]
COLUMNS = ["dataset", "method", "accuracy", "hierarchical_f1", "tie", "seconds", "memory_mib"]
FOLDS = 3


def data_sets(paths):
    for path in paths:
        for table in tomllib.loads(path.read_text())["data"]:
            table = {key: re.sub(r"\$\{(\w+)\}", lambda match: os.environ[match[1]], value) if isinstance(value, str) else value
                     for key, value in table.items()}
            yield table


def reading(table):
    return [text for key in ("taxonomy", "missing") if key in table for text in (f"--{key}", table[key])]


def loaded(clade, table, folder):
    """Labels of every sample as lists of names, and texts or a matrix."""
    from sklearn.datasets import load_svmlight_file
    numbers = folder / "data.svm"
    subprocess.run([clade, "convert", table["file"], *reading(table), "-o", numbers, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    labels = [line.split(" ", 1)[0].split(",") for line in numbers.read_text().splitlines()]
    if table["file"].endswith(("jsonl", "hierar.json")):
        rows = [json.loads(line) for line in open(table["file"])]
        return labels, [row.get("text") or " ".join(row["doc_token"]) for row in rows]
    # Labels are names, which the reader of scikit-learn does not take.
    plain = folder / "plain.svm"
    plain.write_text("".join("0 " + line.partition(" ")[2] + "\n" for line in numbers.read_text().splitlines()))
    return labels, load_svmlight_file(str(plain))[0]


def fitted(method, train, train_labels, test, is_text, several, folder):
    """The labels of the test samples."""
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler
    from sklearn.svm import LinearSVC
    if is_text:
        words = TfidfVectorizer(sublinear_tf=True, min_df=2)
        train, test = words.fit_transform(train), words.transform(test)
    elif "Forest" not in method:
        scale = StandardScaler(with_mean=False)
        train, test = scale.fit_transform(train), scale.transform(test)
    if method == "liblinear -s 4":
        return by_liblinear(train, train_labels, test, folder)
    model = {"sklearn LinearSVC": LinearSVC(), "sklearn LogisticRegression": LogisticRegression(max_iter=200),
             "sklearn RandomForest": RandomForestClassifier(random_state=1), "sklearn KNeighbors": KNeighborsClassifier()}[method]
    if not several:
        return [[label] for label in model.fit(train, [labels[0] for labels in train_labels]).predict(test)]
    binary = MultiLabelBinarizer().fit(train_labels)
    target = binary.transform(train_labels)
    if hasattr(model, "decision_function"):
        scores = OneVsRestClassifier(model).fit(train, target).decision_function(test)
        chosen = (scores > 0) | (scores == scores.max(axis=1, keepdims=True))
    else:
        chosen = np.asarray(model.fit(train, target).predict(test)) > 0
        common = np.argmax(target.sum(axis=0))
        chosen[~chosen.any(axis=1), common] = True
    return [list(binary.classes_[row]) for row in chosen]


def by_liblinear(train, train_labels, test, folder):
    from sklearn.datasets import dump_svmlight_file
    names = sorted({labels[0] for labels in train_labels})
    number = {name: k + 1 for k, name in enumerate(names)}
    files = [folder / name for name in ("train.svm", "test.svm", "model", "answers")]
    dump_svmlight_file(train, [number[labels[0]] for labels in train_labels], str(files[0]), zero_based=False)
    dump_svmlight_file(test, [1] * test.shape[0], str(files[1]), zero_based=False)
    subprocess.run(["liblinear-train", "-q", "-s", "4", files[0], files[2]], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["liblinear-predict", files[1], files[2], files[3]], check=True, stdout=subprocess.DEVNULL)
    return [[names[int(line) - 1]] for line in files[3].read_text().split()]


def cpu():
    return sum(getattr(resource.getrusage(who), part) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
               for part in ("ru_utime", "ru_stime"))


def measure(clade, table, method):
    """In a process of its own; prints the row."""
    from sklearn.model_selection import KFold, StratifiedKFold
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        labels, samples = loaded(clade, table, folder)
        about = folder / "data.svm.meta.json"
        names = json.loads(about.read_text()).get("sample_names") if about.exists() else None
        several = any(len(found) > 1 for found in labels)
        if several and method == "liblinear -s 4":
            return
        first = [found[0] for found in labels]
        folds = (KFold if several else StratifiedKFold)(FOLDS, shuffle=True, random_state=1)
        is_text = isinstance(samples, list)
        answers = [None] * len(labels)
        begin = cpu()
        for train, test in folds.split(first, first):
            parts = [[samples[k] for k in part] if is_text else samples[part] for part in (train, test)]
            found = fitted(method, parts[0], [labels[k] for k in train], parts[1], is_text, several, folder)
            for k, answer in zip(test, found):
                answers[k] = answer
        seconds = (cpu() - begin) / FOLDS
        predictions = folder / "predictions.csv"
        with predictions.open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["sample", "rank", "label", "score"])
            for k, answer in enumerate(answers):
                for rank, label in enumerate(answer):
                    out.writerow([names[k] if names else k, rank + 1, label, -rank])
        done = subprocess.run([clade, "evaluate", "--predictions", predictions, table["file"], *reading(table), "--json", "--quiet"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        values = json.loads(done.stdout)
    row = {"dataset": table["name"], "method": method, "seconds": f"{seconds:.3f}",
           "memory_mib": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}"}
    print(json.dumps(row | {name: values[name] for name in ("accuracy", "hierarchical_f1", "tie")}))


def run(clade, table, method, limit):
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", __file__, clade, json.dumps(table), method, "--one"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    if done.stdout:
        return json.loads(done.stdout)
    print(f"{table['name']}, {method}: {(done.stderr.strip().splitlines() or ['no result'])[-1]}", file=sys.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clade")
    parser.add_argument("results", type=Path)
    parser.add_argument("specifications", type=Path, nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, default=600)
    arguments = parser.parse_args()
    clade = str(Path(arguments.clade).resolve())
    is_new = not arguments.results.exists()
    there = set() if is_new else {(row["dataset"], row["method"]) for row in csv.DictReader(arguments.results.open())}
    todo = [(table, method) for table in data_sets(arguments.specifications) for method in METHODS if (table["name"], method) not in there]
    with arguments.results.open("a", newline="") as file, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        out = csv.DictWriter(file, COLUMNS)
        if is_new:
            out.writeheader()
        for done in concurrent.futures.as_completed([pool.submit(run, clade, *work, arguments.limit) for work in todo]):
            if row := done.result():
                out.writerow(row)
                file.flush()


if __name__ == "__main__":
    if sys.argv[-1] == "--one":
        measure(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3])
    else:
        main()
