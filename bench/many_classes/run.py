#!/usr/bin/env python3
"""Can Clade learn the shape of Amazon-670K? run.py CLADE|BUILD_TREE [FOLDER] [--scale S] [--threads N] trains on the data
that generate.py wrote to FOLDER (it writes them first if they are not there), and prints as JSON: seconds and memory of
training, the size of the model, the time to open it, the time per answer of one thread, and how many of the first and of
the first five answers are labels of their document. The scale is 1 (0.01 without a folder)."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def timed(command):
    """Seconds by the clock, CPU seconds and MiB of a command, and what it wrote to standard error."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed: {text}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def precision(answers, test, count):
    """Of the first answers of every document, the share that are its labels."""
    with open(test) as known:
        labels = [set(line.split(" ", 1)[0].split(",")) for line in known]
    right = 0
    with open(answers, newline="") as found:
        for row in csv.DictReader(found):
            right += int(row["rank"]) <= count and row["label"] in labels[int(row["sample"])]
    return right / (count * len(labels))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clade")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--scale", type=float)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("options", nargs="*", help="more options of clade train, after --")
    args = parser.parse_args()
    if os.path.isdir(args.clade):
        args.clade = os.path.join(args.clade, "clade")
    args.scale = args.scale or (1.0 if args.folder else 0.01)
    if args.folder:
        return measure(args)
    with tempfile.TemporaryDirectory() as args.folder:
        measure(args)


def measure(args):
    train, test, model = (os.path.join(args.folder, name) for name in ("train.svm", "test.svm", "model.clade"))
    if not os.path.exists(train):
        subprocess.run(
            [sys.executable, os.path.join(HERE, "generate.py"), args.folder, "--scale", str(args.scale)], check=True
        )
    threads = ["--threads", str(args.threads)]
    clock, cpu, memory, _ = timed(
        [args.clade, "train", train, "--classifier", "top-down-svm", "-o", model, "--force", *threads, *args.options]
    )
    result = {
        "train_seconds": round(clock, 1),
        "train_cpu_seconds": round(cpu, 1),
        "train_mib": round(memory),
        "model_mb": round(os.path.getsize(model) / 1e6, 1),
    }
    answers = os.path.join(args.folder, "answers.csv")
    first = os.path.join(args.folder, "first.svm")
    with open(test) as source:
        lines = source.readlines()
    with open(first, "w") as target:
        target.write(lines[0])

    def predict(data, output):
        options = ["--policy", "best", "--top-k", "5", "--force", "--threads", "1"]
        return timed([args.clade, "predict", model, data, "-o", output, *options])

    predict(test, answers)  # the file is then in the page cache
    start = predict(first, os.path.join(args.folder, "first.csv"))
    result["open_and_answer_one_seconds"] = round(start[0], 3)
    result["cpu_ms_per_answer"] = round(1000 * (predict(test, answers)[1] - start[1]) / len(lines), 4)
    result["precision_at_1"] = round(precision(answers, test, 1), 4)
    result["precision_at_5"] = round(precision(answers, test, 5), 4)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
