#!/usr/bin/python3
"""How far off is `clade plan`?

    bench/plan/run.py BUILD_TREE [--rounds N] [--budget TIME] [--page PAGE]

Plans work on generated data with a small budget, so that trials have a part of the samples only, then does the work: by one
process on all threads, and by two under mpirun with one thread each where there is one. Prints what was predicted relative to
what was measured, for the time (of several processes without that of mpirun), the largest resident memory of one, and the
bytes that all have sent. The least and the largest of the rounds (3): other programs on the machine change the times of both.
--page puts the table into a page."""

import argparse
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from finished_process import Run  # noqa: E402
from history import commit_of, this_processor, today  # noqa: E402
from pages import put, table  # noqa: E402

import numpy as np  # noqa: E402

DENSE = {"samples": 60_000, "features": 400}
TEXT = {"documents": 150_000, "words": 50_000}
WORK = [("dense", "train", "top-down-svm"), ("dense", "train", "top-down-logistic"), ("dense", "train", "hierarchical-perceptron"),
        ("dense", "select", "hirr-fam"), ("dense", "select", "hier-fsnm"), ("dense", "select", "mrmr"),
        ("text", "train", "top-down-svm"), ("text", "train", "path-svm"), ("text", "train", "dnc-svm")]


def dense_file(folder):
    """64 classes in three levels."""
    rng = np.random.default_rng(1)
    labels = rng.integers(64, size=DENSE["samples"])
    centres = sum(np.repeat(rng.normal(size=(4**level, DENSE["features"])), 4 ** (3 - level), axis=0) for level in (1, 2, 3))
    np.savez(folder / "dense.npz", X=centres[labels] + rng.normal(0, 6, (DENSE["samples"], DENSE["features"])),
             y=np.array([f"a{c // 16}/b{c // 4}/c{c}" for c in labels]))
    return [folder / "dense.npz"]


def text_file(tool, folder):
    """Sparse counts of words, 200 classes."""
    name = folder / "text.svm"
    Run(tool, "synth", "--text", "-o", name, "--taxonomy-out", name.with_suffix(".csv"), "--documents", TEXT["documents"], "--levels",
        "8,40,200", "--words", TEXT["words"], "--quiet")
    return [name, "--taxonomy", name.with_suffix(".csv")]


# One process of several: a launcher that says what it took.
MEMBER = ("import os, resource, subprocess, sys; status = subprocess.run(sys.argv[1:]).returncode; "
          "print('peak:', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(status)")


def command_of(tool, work, method, data, folder):
    if work == "select":
        return [tool, "select", *data, "--method", method]
    return [tool, "train", *data, "--classifier", method, "-o", folder / "model.clade", "--force"]


def alone(command):
    """Seconds and memory of one process; it sends nothing."""
    run = Run(*command, "--quiet")
    return run.wall, run.memory, 0


def together(command, folder):
    """The same of two processes with a thread each, and what they send."""
    shown = folder / "shown"
    text = f'exec "$@" >/dev/null 2>{shown}'
    Run("sh", "-c", text, "sh", "mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet", "-np", 2, sys.executable, "-I", "-S", "-c",
              MEMBER, *command, "--threads", 1, "--verbose")
    said = shown.read_text()
    peaks = [1024 * int(number) for number in re.findall(r"peak: (\d+)", said)]
    seconds = max(float(number) for number in re.findall(r"all: ([\d.]+) s", said))
    return seconds, max(peaks), sum(int(number) for number in re.findall(r"sent: (\d+)", said))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build_tree", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", default="3s")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    tool = options.build_tree / "clade"
    several = shutil.which("mpirun") is not None and (options.build_tree / "clade_mpi.so").is_file()
    if not several:
        print("two processes are left out: no mpirun, or Clade was built without MPI")
    print(f"{'data':7}{'method':25}{'ranks':>5}{'largest trial':>15}{'seconds':>9}   {'predicted/measured':24}")
    print(f"{'':61}   {'time':14}{'memory':14}{'traffic':14}")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {"dense": dense_file(folder), "text": text_file(tool, folder)}
        for data, work, method in WORK:
            for ranks in (1, 2) if several else (1,):
                rows.append(compare(tool, files[data], data, work, method, ranks, folder, options))
    if options.page:
        head = ["", "processes", "largest trial", "took", "time", "memory", "traffic"]
        text = (f"{this_processor()}, commit {commit_of(tool)}, {today()}; `--budget {options.budget}`, {options.rounds} rounds.\n"
                f"Dense: {DENSE['samples']:,} x {DENSE['features']}, 64 classes; text: {TEXT['documents']:,} documents, 200 classes.")
        put(options.page, "measured", f"{text}\n\n{table(head, rows)}")


def compare(tool, files, data, work, method, ranks, folder, options):
    command = command_of(tool, work, method, files, folder)
    ratios, share, seconds = [], 0, 0
    for _ in range(options.rounds):
        plan = json.loads(Run(tool, "plan", *files, "--method", method, "--ranks", ranks, "--budget", options.budget, "--json", "--quiet",
                              *(["--threads", 1] if ranks > 1 else [])).text)
        row = plan["processes"][-1]
        seconds, memory, sent = alone(command) if ranks == 1 else together(command, folder)
        share = plan["trials"][-1]["samples"] / plan["samples"]
        ratios.append((row["seconds"] / seconds, row["memory_bytes"] / memory, row["sent_bytes"] / sent if sent > 10_000 else None))
    cells = []
    for values in zip(*ratios):
        known = [value for value in values if value is not None]
        cells.append(f"{min(known):.2f} - {max(known):.2f}" if known else "-")
    print(f"{data:7}{method:25}{ranks:5}{share:15.0%}{seconds:9.2f}   {cells[0]:14}{cells[1]:14}{cells[2]:14}", flush=True)
    return [f"`{work} {method}`, {data}", ranks, f"{share:.0%} of the samples", f"{seconds:.1f} s", *cells]


main()
