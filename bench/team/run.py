#!/usr/bin/python3
"""How far do several processes get, and where does it stop paying?

    bench/team/run.py BUILD_TREE [--processes 1,2,4] [--samples N] [--documents N] [--rounds N] [--page PAGE] [--picture FILE.svg]

Dense data of 2,048 features with 50 inner nodes: hier-fs --by-rows, where each process has a part of the data, and hier-fs,
where each has all of it. Generated text with some 2,000 inner nodes: top-down-svm. Measured with processes of one
thread each under mpirun, on this machine, in powers of two up to its processors: seconds by the clock of the command without
the start of mpirun (the least of the rounds), bytes sent, and the share of the time in which the process that waited most
waited for others. What they write must have the same bytes.

Up to 1,024 processes, laws fitted to these runs say what to expect: time is what every process does, plus what is shared
divided by the processes, plus a term for each doubling of them (none of them negative, with the least sum of squared
relative errors); traffic is a power of the number of processes. --page puts the tables into a page, --picture draws measured
and expected times and traffic with logarithmic axes."""

import argparse
import hashlib
import itertools
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from finished_process import Run  # noqa: E402
from history import commit_of, this_processor, today  # noqa: E402
from loglog import exponent, picture  # noqa: E402
from pages import put, table  # noqa: E402

import numpy as np  # noqa: E402

FEATURES = 2_048
INNER = (7, 6)  # children of the root, and of each of these: 1 + 7 + 42 = 50 inner nodes
LEAVES = 4
LEVELS = "20,200,2000,10000"
MOST = 1_024
SHOWN = (16, 64, 256, 1_024)
PARTS = 64
WORTH = 1.25  # times faster by twice as many processes: less does not pay
MIB = 2**20


def dense_files(folder, samples):
    """Features around the centre of a class, which is near those of its siblings; in one file, and in parts."""
    rng = np.random.default_rng(1)
    many, few = INNER
    count = many * few * LEAVES
    centres = sum(np.repeat(rng.normal(size=(size, FEATURES)), count // size, axis=0) for size in (many, many * few, count))
    labels = rng.integers(count, size=samples)
    names = np.array([f"a{c // (few * LEAVES)}/b{c // LEAVES}/c{c}" for c in range(count)])
    (folder / "parts").mkdir()
    parts = np.array_split(labels, PARTS)
    values = [(centres[part] + rng.normal(0, 8, (len(part), FEATURES))).astype(np.float32) for part in parts]
    for k, (part, own) in enumerate(zip(parts, values), 1):
        np.savez(folder / "parts" / f"dense.part-{k:04}-of-{PARTS:04}.npz", X=own, y=names[part])
    np.savez(folder / "dense.npz", X=np.concatenate(values), y=names[labels])
    return folder / "dense.npz", folder / "parts"


def text_file(tool, folder, documents):
    name = folder / "text.svm"
    Run(tool, "synth", "--text", "-o", name, "--taxonomy-out", name.with_suffix(".csv"), "--documents", documents, "--levels", LEVELS,
        "--words", 100_000, "--quiet")
    return [name, "--taxonomy", name.with_suffix(".csv")]


class Together:
    """Some processes of one thread each under mpirun: the seconds of the longest, the bytes that all have sent and that the
    one has sent that sent most, the largest share of its time in which one has waited, and what was written."""

    def __init__(self, processes, command, folder):
        said, out = folder / "said", folder / "out"
        Run("sh", "-c", f'exec "$@" >/dev/null 2>{said}', "sh", "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
            "--quiet", "-np", processes, *command, "-o", out, "--force", "--threads", 1, "--verbose")
        text = said.read_text()
        seconds = [float(number) for number in re.findall(r"all: ([\d.]+) s", text)]
        found = re.findall(r"sent: (\d+) bytes to other processes, and waited ([\d.]+) s", text)
        self.seconds = max(seconds)
        self.sent = sum(int(sent) for sent, _ in found)
        self.sent_by_one = max((int(sent) for sent, _ in found), default=0)
        self.waited = max((float(waited) for _, waited in found), default=0) / self.seconds
        # A ranking also says how long it took.
        self.written = hashlib.sha256(re.sub(rb'"seconds": [^,}\n]+', b"", out.read_bytes())).hexdigest()


def fitted(processes, seconds):
    """Of alone + shared / p + step * log2(p)."""
    terms = np.array([[1, 1 / p, np.log2(p)] for p in processes]) / np.array(seconds)[:, None]
    best = None
    for used in itertools.chain.from_iterable(itertools.combinations(range(3), count) for count in range(1, min(3, len(processes)) + 1)):
        found = np.zeros(3)
        found[list(used)] = np.linalg.lstsq(terms[:, used], np.ones(len(processes)), rcond=None)[0]
        error = float(np.sum((terms @ found - 1) ** 2))
        if (found >= 0).all() and (best is None or error < best[0] - 1e-12):
            best = (error, found)
    alone, shared, step = best[1]
    return lambda p: alone + shared / p + step * np.log2(p)


class Work:
    def __init__(self, name, command):
        self.name, self.command, self.measured = name, command, {}

    def measure(self, counts, rounds, folder):
        for processes in counts:
            runs = [Together(processes, self.command, folder) for _ in range(rounds)]
            self.measured[processes] = run = min(runs, key=lambda run: run.seconds)
            if run.written != self.measured[counts[0]].written:
                sys.exit(f"{self.name}: {processes} processes write other bytes than {counts[0]}")
            print(f"{self.name:30} {processes:5} {run.seconds:8.2f} s {run.sent / MIB:9.1f} MiB, one {run.sent_by_one / MIB:7.1f} MiB, "
                  f"waited {run.waited:.0%}", flush=True)
        self.seconds = fitted(counts, [self.measured[p].seconds for p in counts])
        several = [p for p in counts if p > 1]
        self.traffic = [self.power(several, [getattr(self.measured[p], name) for p in several]) for name in ("sent_by_one", "sent")]

    @staticmethod
    def power(processes, values):
        slope = exponent(processes, values) if len(processes) > 1 else 1
        level = np.exp(np.mean([np.log(value) - slope * np.log(p) for p, value in zip(processes, values)]))
        return lambda p: level * p**slope

    def stops_paying(self):
        """The most processes, in powers of two, of which half as many would be slower by what is worth it."""
        p = 1
        while 2 * p <= MOST and self.seconds(p) > WORTH * self.seconds(2 * p):
            p *= 2
        return p

    def measured_rows(self):
        one = self.measured[min(self.measured)].seconds
        for processes, run in self.measured.items():
            yield [self.name, processes, f"{run.seconds:.1f} s", f"{one / run.seconds:.1f}", f"{self.seconds(processes):.1f} s",
                   f"{run.sent_by_one / MIB:,.0f} MiB", f"{run.sent / MIB:,.0f} MiB", f"{run.waited:.0%}"]

    def expected_row(self):
        one = self.seconds(1)
        return [self.name, *(f"{self.seconds(p):.1f} s ({one / self.seconds(p):.0f} x)" for p in SHOWN),
                " / ".join(f"{law(SHOWN[-1]) / MIB:,.0f} MiB" for law in self.traffic), f"{self.stops_paying():,}"]


def panels(works):
    sizes = [2**k for k in range(MOST.bit_length())]

    def lines(expected, measured):
        for work in works:
            own = list(work.measured)
            yield work.name, (own, [max(measured(run), 1e-3) for run in work.measured.values()])
            yield f"{work.name}, expected", (sizes, [max(expected(work)(p), 1e-3) for p in sizes])

    return [("seconds by processes", "processes", "seconds", dict(lines(lambda work: work.seconds, lambda run: run.seconds))),
            ("MiB sent by the one that sends most", "processes", "MiB",
             {name: (at[1:], values[1:]) for name, (at, values) in
              lines(lambda work: (lambda p: work.traffic[0](p) / MIB), lambda run: run.sent_by_one / MIB)})]


def main():
    most = len(os.sched_getaffinity(0))
    powers = [2**k for k in range(11) if 2**k <= most]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, nargs="?", default=Path("build/release"))
    parser.add_argument("--processes", type=lambda text: sorted(map(int, text.split(","))), default=powers)
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="only commands whose names contain one of these, separated by commas")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    tool = arguments.tree.resolve() / "clade"
    if shutil.which("mpirun") is None or not (tool.parent / "clade_mpi.so").is_file():
        print("left out: no mpirun, or Clade was built without MPI")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dense, parts = dense_files(folder, arguments.samples)
        text = text_file(tool, folder, arguments.documents)
        works = [Work("`select hier-fs --by-rows`", [tool, "select", parts, "--by-rows", "--method", "hier-fs"]),
                 Work("`train top-down-svm`", [tool, "train", *text, "--classifier", "top-down-svm"]),
                 Work("`select hier-fs`", [tool, "select", dense, "--method", "hier-fs"])]
        works = [work for work in works if any(name in work.name for name in arguments.only.split(","))]
        for work in works:
            work.measure(arguments.processes, arguments.rounds, folder)
    about = (f"Processes of one thread on {most} processors ({this_processor()}); commit {commit_of(tool)}, {today()}. Selection: "
             f"{arguments.samples:,} x {FEATURES:,} values, 50 inner nodes. Training: {arguments.documents:,} documents, 2,221 inner "
             "nodes, 10,000 classes.")
    measured = table(["measured", "processes", "time", "times faster", "by the law", "sent by one", "sent by all", "one waited at most"],
                     [row for work in works for row in work.measured_rows()])
    expected = table(["expected", *(f"{p:,} processes" for p in SHOWN), "sent by one / all, at the end", "more do not pay than"],
                     [work.expected_row() for work in works])
    print(f"\n{about}\n\n{measured}\n\n{expected}")
    if arguments.picture:
        drawn = panels(works)
        arguments.picture.write_text(picture([drawn], list(drawn[0][3])))
    if arguments.page:
        put(arguments.page, "team", "\n\n".join([about, measured, expected]))


if __name__ == "__main__":
    main()
