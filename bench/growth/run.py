#!/usr/bin/python3
"""How do time and memory grow with documents, classes and features?

    bench/growth/run.py BUILD_TREE [--scale X] [--rounds N] [--page PAGE] [--picture FILE.svg] [--json FILE]

Trains on generated text (`clade synth --text`) in which one of the three changes while the others stay: 3,000 documents,
200 classes, 20,000 words; and selects on generated dense data, where samples (1,500) or features (200) change. Processor
seconds of whole processes on one thread, reading and writing included, the least of the rounds (2), and the largest
resident memory. Prints the exponents of both, fitted by least squares on logarithms: 1 means in proportion. What the same
method takes for next to no data is subtracted before. --scale multiplies all sizes. --page puts the tables into a page,
--picture draws all with logarithmic axes."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from finished_process import Run  # noqa: E402
from history import commit_of, this_processor, today  # noqa: E402
from loglog import exponent, picture  # noqa: E402
from pages import put, table  # noqa: E402

CLASSIFIERS = ["top-down-svm", "top-down-logistic", "path-svm", "flat-svm", "hierarchical-svm", "hieron"]
SELECTORS = ["hier-fs", "hirr-fam", "hier-fisher", "hier-mrmr"]
TEXT = {"documents": 3_000, "classes": 200, "words": 20_000}
TEXT_STEPS = {"documents": [1_500, 3_000, 6_000, 12_000], "classes": [50, 100, 200, 400], "words": [5_000, 10_000, 20_000, 40_000]}
DENSE = {"samples": 1_500, "features": 200}
DENSE_STEPS = {"samples": [750, 1_500, 3_000, 6_000], "features": [100, 200, 400, 800]}
MIB = 2**20


def text_file(tool, folder, documents, classes, words):
    """Classes in groups of five, and these in groups of five."""
    name = folder / f"text-{documents}-{classes}-{words}.svm"
    if not name.exists():
        levels = f"{max(2, classes // 25)},{max(4, classes // 5)},{classes}"
        Run(tool, "synth", "--text", "-o", name, "--taxonomy-out", name.with_suffix(".csv"), "--documents", documents, "--levels", levels,
            "--words", words, "--quiet", "--force")
    return [name, "--taxonomy", name.with_suffix(".csv")]


def dense_file(tool, folder, samples, features):
    name = folder / f"dense-{samples}-{features}.npz"
    if not name.exists():
        Run(tool, "synth", "-o", name, "--samples", samples, "--features", features, "--quiet", "--force")
    return [name]


class Growth:
    """Points of one kind of command: {what changes: {method: [(size, seconds, bytes)]}}."""

    def __init__(self, tool, folder, rounds, command, option, methods):
        self.tool, self.folder, self.rounds = tool, folder, rounds
        self.command, self.option, self.methods = command, option, methods
        self.points = {}
        self.start = {}  # seconds and bytes of a method with next to no data

    def measure_start(self, data):
        for method in self.methods:
            runs = [self.run(method, data) for _ in range(3)]
            self.start[method] = min(run.processor for run in runs), min(run.memory for run in runs)

    def run(self, method, data):
        return Run(self.tool, self.command, *data, self.option, method, "-o", self.folder / "out", "--force", "--quiet", "--threads", 1)

    def measure(self, what, size, method, data):
        runs = [self.run(method, data) for _ in range(self.rounds)]
        point = size, min(run.processor for run in runs), min(run.memory for run in runs)
        self.points.setdefault(what, {}).setdefault(method, []).append(point)
        print(f"{self.command} {method:20} {size:>7,} {what:10} {point[1]:8.2f} s {point[2] / MIB:8.0f} MiB", flush=True)

    def exponents(self, method, what):
        sizes, *measured = zip(*self.points[what][method])
        return [exponent(sizes, [max(value - start, 0.05 * value) for value in values]) for values, start in zip(measured, self.start[method])]

    def rows(self):
        for method in self.methods:
            cells = [f"`{method}`"]
            for what in self.points:
                _, seconds, memory = self.points[what][method][-1]
                by_time, by_memory = self.exponents(method, what)
                cells += [f"{by_time:.2f}", f"{by_memory:.2f}", f"{seconds:.2f} s, {memory / MIB:.0f} MiB"]
            yield cells

    def table(self):
        head = [""]
        for what, points in self.points.items():
            largest = next(iter(points.values()))[-1][0]
            head += [f"{what}: time", "memory", f"{largest:,} {what}"]
        return table(head, self.rows())

    def panels(self, part, up):
        return [(f"{self.command}, {up} by {what}", what, up,
                 {method: ([point[0] for point in points], [part(point) for point in points]) for method, points in lines.items()})
                for what, lines in self.points.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, nargs="?", default=Path("build/release"))
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    tool = arguments.tree.resolve() / "clade"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        growths = [Growth(tool, folder, arguments.rounds, "train", "--classifier", CLASSIFIERS),
                   Growth(tool, folder, arguments.rounds, "select", "--method", SELECTORS)]
        for growth, usual, all_steps, make in zip(growths, (TEXT, DENSE), (TEXT_STEPS, DENSE_STEPS), (text_file, dense_file)):
            growth.measure_start(make(tool, folder, *([30] * len(usual))))
            for what, steps in all_steps.items():
                for step in steps:
                    sizes = {of: round(arguments.scale * (step if of == what else size)) for of, size in usual.items()}
                    for method in growth.methods:
                        growth.measure(what, sizes[what], method, make(tool, folder, **sizes))
    for growth in growths:
        print(f"\n{growth.table()}")
    seconds, memory = zip(*(start for growth in growths for start in growth.start.values()))
    about = (f"One thread of {this_processor()}; commit {commit_of(tool)}, {today()}. Subtracted: {min(seconds):.2f} to {max(seconds):.2f} s and "
             f"{min(memory) / MIB:.0f} to {max(memory) / MIB:.0f} MiB.")
    if arguments.json:
        points = {growth.command: growth.points for growth in growths}
        arguments.json.write_text(json.dumps({"about": about, "points": points}, indent=1) + "\n")
    if arguments.picture:
        rows = [growth.panels(part, up) for growth in growths
                for part, up in ((lambda point: point[1], "seconds"), (lambda point: point[2] / MIB, "MiB"))]
        arguments.picture.write_text(picture(rows, CLASSIFIERS + SELECTORS))
    if arguments.page:
        put(arguments.page, "growth", "\n\n".join([about, *(growth.table() for growth in growths)]))


if __name__ == "__main__":
    main()
