#!/usr/bin/env python3
"""What the default and --auto reach, beside every classifier with its own defaults, on every set of a folder and on
generated text.

    bench/defaults.py CLADE DATA WORK [--sets 'DD;text 500'] [--methods default,auto] [--limit 60]
    bench/defaults.py CLADE DATA WORK --table

The first form adds rows to WORK/results.csv, and leaves out what is there already; models stay in WORK, too. The second
prints the table of docs/default.md from it. The public training and test parts are used; where there are none, three
stratified thirds are held out in turn (--seed 1, 2, 3). Training stops after --limit seconds of CPU time. Everything
runs on one thread."""

import argparse
import csv
import json
import random
import resource
import statistics
import subprocess
import sys
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

SINGLE = ["top-down-svm", "top-down-logistic", "path-svm", "flat-svm", "hierarchical-svm", "flat-perceptron",
          "hierarchical-perceptron", "hieron", "kernel-ridge", "forest", "blend", "dnc-svm"]
METHODS = ["default", "auto", *SINGLE]
COLUMNS = ["set", "part", "method", "recipe", "samples", "accuracy", "hierarchical_f1", "expected_calibration_error",
           "node_calibration_error", "seconds", "problem"]
MARGIN = 0.005


@dataclass
class Set:
    parts: object  # a function from a folder to pairs of a training and a test file
    options: list = field(default_factory=list)  # for reading
    kernel: str = ""  # of the methods that need one


class Tool:
    def __init__(self, path, limit):
        self.path, self.limit = path, limit

    def __call__(self, *arguments, limit=None):
        def set_limit():
            if limit:
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

        command = [str(self.path), *map(str, arguments), "--threads", "1", "--quiet"]
        return subprocess.run(command, capture_output=True, text=True, preexec_fn=set_limit)

    def json(self, *arguments):
        done = self(*arguments, "--json")
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)


def given(train, test):
    return lambda folder: [(train, test)]


def thirds(tool, source, options, count=3):
    """Parts of a file that has none."""
    def make(folder):
        made = []
        for seed in range(1, count + 1):
            part = folder / str(seed)
            if not part.exists():
                tool.json("split", source(folder) if callable(source) else source, *options, "-o", part, "--test", "33%", "--seed", seed)
            made.append(tuple(next(path for path in part.glob(f"{name}.*") if not path.name.endswith(".meta.json"))
                              for name in ("train", "test")))
        return made
    return make


def write_lines(path, rows):
    if not path.exists():
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def messages(archive, wanted, every):
    """Labels and texts of every so manieth file of an archive, in the order of their names."""
    with tarfile.open(archive) as members:
        found = sorted((m.name, members.extractfile(m).read().decode("latin-1")) for m in members
                       if m.isfile() and wanted in m.name)
    return [(name.split("/")[-2], text) for name, text in found[::every]]


def newsgroups(archive, with_hierarchy):
    def label(group):
        return group.replace(".", "/") if group.split(".")[0] in ("comp", "rec", "sci", "talk") else group

    def make(folder):
        return [tuple(write_lines(folder / f"{part}.jsonl", [
            {"text": text, "doc_label": label(group) if with_hierarchy else group}
            for group, text in messages(archive, f"20news-bydate-{part}/", 4)]) for part in ("train", "test"))]
    return make


def sport(archive):
    return lambda folder: write_lines(folder / "all.jsonl",
                                      [{"text": text, "doc_label": label} for label, text in messages(archive, "bbcsport/", 1)])


def web_pages(data):
    def make(folder):
        stems = (data / "WebKB.clean.txt").read_text().splitlines()
        kinds = [line.split("\t")[1:] for line in (data / "WebKB.txt").read_text().splitlines()]
        return [tuple(write_lines(folder / f"{part}.jsonl", [
            {"text": text, "doc_label": kind[:4]} for text, (of, kind) in zip(stems, kinds) if of == part])
            for part in ("train", "test"))]
    return make


def generated(tool, documents, labels):
    def make(folder):
        parts = folder / "train.jsonl", folder / "test.jsonl"
        for path, first, count in zip(parts, (0, 10000), (documents, 2000)):
            if not path.exists():
                tool.json("synth", "--text", "--documents", count, "--first", first, "--levels", "5,20,80",
                          "--labels", labels, "-o", path)
        return [parts]
    return make


def sequences(folder):
    """Strings of 60 to 120 letters, each with the signs of its class and of the group above it, one letter in five changed."""
    draw = random.Random(1)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    groups = [f"{a}/{b}" for a in "ab" for b in "xyz"]
    signs = {name: "".join(draw.choices(letters, k=8)) for name in [*groups, "a", "b"]}

    def one(group):
        string = draw.choices(letters, k=draw.randrange(60, 121))
        for name in (group, group[0]):
            at = draw.randrange(len(string) - 8)
            string[at:at + 8] = [letter if draw.random() < 0.8 else draw.choice(letters) for letter in signs[name]]
        return "".join(string)

    made = []
    for part, count in (("train", 300), ("test", 300)):
        path = folder / f"{part}.fasta"
        lines = [f">{part}{k} label={groups[k % 6]}\n{one(groups[k % 6])}\n" for k in range(count)]
        if not path.exists():
            path.write_text("".join(lines))
        made.append(path)
    return [tuple(made)]


def all_sets(tool, data):
    sets = {
        "Bridges": Set(given(data / "Bridges/BridgesTrain.mat", data / "Bridges/BridgesTest.mat")),
        "DD": Set(given(data / "DD/DDTrain.mat", data / "DD/DDTest.mat")),
        "BBCSport": Set(thirds(tool, sport(data / "BBCSport/bbcsport.tar.xz"), [])),
        "RCV1": Set(thirds(tool, data / "RCV1/rcv1_dev.hierar.json", taxonomy := ["--taxonomy", data / "RCV1/rcv1.taxonomy"]),
                    taxonomy),
        "newsgroups20": Set(newsgroups(data / "newsgroups20/20news-bydate.tar.xz", True)),
        "newsgroups20, flat": Set(newsgroups(data / "newsgroups20/20news-bydate.tar.xz", False)),
        "WebKB4": Set(web_pages(data / "WebKB4")),
    }
    for count in (500, 2000, 5000):
        sets[f"text {count}"] = Set(generated(tool, count, 1))
        sets[f"text {count}, several labels"] = Set(generated(tool, count, 3))
    for view in ("bbc", "guardian", "reuters"):
        sets[f"3sources_{view}"] = Set(thirds(tool, data / f"3sources/3sources_{view}.mtx", []))
    for name in ("GLIOMA", "lymphoma", "nci9", "Yale", "COIL20"):
        sets[name] = Set(thirds(tool, data / f"{name}/{name}.mat", []))
    sets["News20"] = Set(thirds(tool, data / "News20/News20groupsTrain.mat", []))
    sets["sequences"] = Set(sequences, kernel="subsequence")
    sets["Enron"] = Set(given(data / "Enron/Enron_corr_trainvalid.arff", data / "Enron/Enron_corr_test.arff"))
    sets["Diatoms"] = Set(given(data / "Diatoms/Diatoms_train.arff", data / "Diatoms/Diatoms_test.arff"))
    for kind in ("FUN", "GO"):
        for name in (f"{study}_{kind}" for study in ("eisen", "cellcycle", "gasch1", "gasch2")):
            sets[name] = Set(given(data / f"{name}/{name}.train.arff", data / f"{name}/{name}.test.arff"),
                             ["--missing", "mean"])
    sets["ImCLEF07A"] = Set(given(data / "ImCLEF07A/ImCLEF07A_Train.arff", data / "ImCLEF07A/ImCLEF07A_Test.arff"))
    sets["CLEF"] = Set(given(data / "CLEF/CLEFTrain.mat", data / "CLEF/CLEFTest.mat"))
    sets["SAIAPR"] = Set(thirds(tool, data / "SAIAPR/SAIAPRok5000.mat", [], 1))
    return sets


def recipe_of(found):
    return found["classifier"] + (" --calibrate " + found["parameters"]["calibrate"]
                                  if found["parameters"].get("calibrate", "none") != "none" else "")


def measure(tool, method, parts, model, options, kernel):
    """One row of the results: trained on the one part, measured on the other."""
    chosen = {"default": [], "auto": ["--auto", "--budget", "60s"]}.get(method, ["--classifier", method])
    if kernel and method in SINGLE:
        chosen += ["--kernel", kernel]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    trained = tool("train", parts[0], *chosen, *options, "-o", model, "--force", "--json",
                   limit=tool.limit if method in SINGLE else None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    row = {"seconds": f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f}"}
    if trained.returncode != 0:
        return row | {"problem": trained.stderr.strip().removeprefix("clade: ") or f"more than {tool.limit} s"}
    found = json.loads(trained.stdout)
    measured = tool.json("evaluate", model, parts[1], *options, "--node-measures", "no")
    names = ["samples", "accuracy", "hierarchical_f1", "expected_calibration_error", "node_calibration_error"]
    return row | {"recipe": recipe_of(found)} | {name: measured[name] for name in names if measured.get(name) is not None}


def again(rows, name, part, method):
    """kernel-ridge as the default is the same training."""
    if method != "kernel-ridge":
        return None
    found = [row for row in rows if (row["set"], row["part"], row["method"]) == (name, str(part), "default")]
    return {k: found[0][k] for k in COLUMNS[3:]} if found and found[0]["recipe"] == method else None


def model_path(work, name, part, method):
    return work / name.replace(", ", "-").replace(" ", "-") / f"{method}-{part}.clade"


def run_all(tool, arguments):
    results = arguments.work / "results.csv"
    rows = read_rows(results) if results.exists() else []
    done = {(row["set"], row["part"], row["method"]) for row in rows}
    sets = all_sets(tool, arguments.data)
    chosen = arguments.sets.split(";") if arguments.sets else list(sets)
    with results.open("a", newline="") as file:
        out = csv.DictWriter(file, COLUMNS)
        if not rows:
            out.writeheader()
        for name in chosen:
            of = sets[name]
            folder = model_path(arguments.work, name, 1, "").parent
            folder.mkdir(parents=True, exist_ok=True)
            for part, files in enumerate(of.parts(folder), 1):
                for method in arguments.methods.split(","):
                    if (name, str(part), method) in done:
                        continue
                    row = again(rows, name, part, method) or measure(tool, method, files, model_path(arguments.work, name, part, method), of.options, of.kernel)
                    rows.append(dict.fromkeys(COLUMNS, "") | {"set": name, "part": str(part), "method": method} | row)
                    out.writerow(rows[-1])
                    file.flush()
                    print(name, part, method, row, file=sys.stderr, flush=True)


def read_rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def mean_of(rows, column):
    return statistics.mean(float(row[column]) for row in rows)


def difference(tool, of, work, name, first, second, files):
    """Of the hierarchical F1: the mean over parts, and how sure it is: the p-value of a permutation test on the test
    part, or the standard error over several parts."""
    gaps = [float(b["hierarchical_f1"]) - float(a["hierarchical_f1"]) for a, b in zip(first, second)]
    gap = statistics.mean(gaps)
    if len(gaps) > 1:
        return gap, f"± {statistics.stdev(gaps) / len(gaps) ** 0.5:.3f}"
    if gap == 0:
        return 0, ""
    models = [model_path(work, name, row["part"], row["method"]) for row in (first[0], second[0])]
    if not models[0].exists():  # not trained again
        models[0] = model_path(work, name, 1, "default")
    found = tool.json("compare", *models, "--data", files[0][1], *of.options)
    return gap, f"p {found['hierarchical_f1']['p']:.2f}"


def print_table(tool, arguments):
    rows = read_rows(arguments.work / "results.csv")
    sets = all_sets(tool, arguments.data)
    print("| set | best single method | F1 | default | F1 | difference | `--auto` | F1 | difference |\n|---|---|---|---|---|---|---|---|---|")
    behind = {"default": [], "auto": []}
    for name, of in sets.items():
        found = {}
        for row in rows:
            if row["set"] == name and not row["problem"]:
                found.setdefault(row["method"], []).append(row)
        parts = max((len(of) for of in found.values()), default=0)
        single = {m: r for m, r in found.items() if m in SINGLE and len(r) == parts}
        if not single or len(found.get("default", [])) < parts:
            continue
        best = max(single, key=lambda m: mean_of(single[m], "hierarchical_f1"))
        files = of.parts(model_path(arguments.work, name, 1, "").parent)
        cells = [name, f"`{best}`", f"{mean_of(single[best], 'hierarchical_f1'):.3f}"]
        for method in ("default", "auto"):
            if len(found.get(method, [])) < parts:
                cells += ["", "", ""]
                continue
            gap, how_sure = difference(tool, of, arguments.work, name, single[best], found[method], files)
            if gap < -MARGIN:
                behind[method].append(name)
            recipes = sorted({row["recipe"] for row in found[method]})
            cells += [", ".join(f"`{recipe}`" for recipe in recipes), f"{mean_of(found[method], 'hierarchical_f1'):.3f}",
                      f"{gap:+.3f} {how_sure}".strip() if gap else "0"]
        print("| " + " | ".join(cells) + " |", flush=True)
    for method, names in behind.items():
        print(f"\n{method}: more than {MARGIN} behind on {', '.join(names) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clade", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path, help="folder for results.csv, models and parts of sets")
    parser.add_argument("--sets", default="", help="names, separated by ;")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--limit", type=int, default=60, help="seconds of CPU time for the training of a single method")
    parser.add_argument("--table", action="store_true", help="print the table of the results that there are")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    tool = Tool(arguments.clade.resolve(), arguments.limit)
    return print_table(tool, arguments) if arguments.table else run_all(tool, arguments)


if __name__ == "__main__":
    main()
