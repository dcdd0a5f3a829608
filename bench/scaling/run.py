#!/usr/bin/python3
"""How much faster does Clade get with more threads?

    bench/scaling/run.py BUILD_TREE [--threads 1,2,4] [--documents N] [--samples N] [--features N] [--rounds N]
                         [--modelled 2,4,8,16] [--only NAME] [--page PAGE] [--json FILE]

Whole processes, reading and writing included: training and predicting on generated text, selecting on generated dense data.
Seconds by the clock, the least of the rounds (2), in which all numbers of threads follow each other; and processor seconds
of the fewest and of the most threads: what these differ by is the price of sharing the work. Everything must be written
with the same bytes by any number of threads. By default 1 to 16 threads, in powers of 2, as many as the machine has
processors. The default sizes take a minute or two; they are too small for 16 threads, for which --documents 20000
--samples 20000 --features 2048 are meant (ten minutes). --page puts the tables into a page.

A second table says how many times faster runs would be with numbers of threads that the machine may not have, by a model
(loop_record.py) that knows how long every task takes on one thread. Where the machine has the processors, the first table
says how far off the model is.

Other work on the machine takes processors away: times faster can only be measured on an idle one."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from finished_process import Run  # noqa: E402
from history import commit_of, this_processor, today  # noqa: E402
from loop_record import Costs  # noqa: E402
from model import Recording, process_seconds  # noqa: E402
from pages import put, table  # noqa: E402
from ratio import divided, record  # noqa: E402

CLASSIFIERS = ["top-down-svm", "top-down-logistic", "path-svm", "flat-svm", "hierarchical-svm", "hieron"]
PREDICTED = ["top-down-svm", "path-svm", "hierarchical-svm"]
SELECTORS = ["hier-fs", "hirr-fam", "hier-fisher", "hier-mrmr"]


class Scaling:
    def __init__(self, tree, folder, threads, modelled, rounds):
        self.tool, self.folder, self.threads, self.modelled, self.rounds = tree / "clade", folder, threads, modelled, rounds
        self.costs = measured_costs(tree / "bench" / "scaling" / "pool_costs")
        self.outside = process_seconds(self.tool) if modelled else 0
        self.rows = []

    def make(self, *arguments):
        Run(self.tool, *arguments, "--force", "--quiet")

    def measure(self, name, data, output, *arguments):
        """`output` names the file that the command writes with -o."""
        wall = {count: [] for count in self.threads}
        processor, content = {}, None
        recording = Recording(self.tool, [*arguments, "-o", self.folder / output, "--force", "--quiet"])
        for _ in range(self.rounds):
            if self.modelled:
                recording.add()
            for count in self.threads:
                run = Run(self.tool, *arguments, "-o", self.folder / output, "--force", "--quiet", "--threads", count)
                wall[count].append(run.wall)
                processor[count] = min(run.processor, processor.get(count, run.processor))
                written = (self.folder / output).read_bytes()
                if content is None:
                    content = written
                elif content != written:
                    sys.exit(f"{name}: {count} threads write other bytes")
        one = self.threads[0]
        for count in self.threads[1:]:
            record("scaling", name, f"{one} thread{'s' if one > 1 else ''}", divided(wall[count], wall[one]), data=data, measure="seconds",
                   threads=count)
        best = {count: min(found) for count, found in wall.items()}
        faster = recording.times_faster(self.modelled, self.costs, self.outside) if self.modelled else {}
        self.rows.append({"name": name, "data": data, "wall": best, "processor": processor, "modelled": faster})
        print(f"{name:28}" + "".join(f"{best[count]:9.2f}" for count in self.threads)
              + "".join(f"{best[one] / best[count]:8.2f} x" for count in self.threads[1:]) + f"{processor[one]:9.2f}{processor[self.threads[-1]]:9.2f}"
              + "".join(f"{times:8.2f} m" for times in faster.values()), flush=True)

    def markdown(self):
        head = ["", *(f"{count} thread{'s' if count > 1 else ''}" for count in self.threads), "times faster", "processor seconds"]
        rows = []
        for row in self.rows:
            wall = row["wall"]
            faster = ", ".join(f"{wall[self.threads[0]] / wall[count]:.2f}" for count in self.threads[1:])
            rows.append([f"`{row['name']}`", *(f"{wall[count]:.2f}" for count in self.threads), faster or "-",
                         ", ".join(f"{row['processor'][count]:.2f}" for count in (self.threads[0], self.threads[-1]))])
        return table(head, rows)

    def modelled_markdown(self):
        both = [count for count in self.modelled if count in self.threads and self.threads[0] == 1]
        head = ["", *(f"{count} threads" for count in self.modelled), *(f"measured with {count}" for count in both)]
        rows = [[f"`{row['name']}`", *(f"{row['modelled'][count]:.1f}" for count in self.modelled),
                 *(f"{row['wall'][1] / row['wall'][count]:.2f} (model {row['modelled'][count]:.2f})" for count in both)] for row in self.rows]
        return table(head, rows)

    def model_error(self):
        """How far the model is off, in words, where both are there."""
        off = [abs(row["modelled"][count] * row["wall"][count] / row["wall"][1] - 1) for row in self.rows
               for count in self.modelled if count in row["wall"] and count > 1 and 1 in row["wall"]]
        if not off:
            return ""
        return f" Where measured, the model is off by {100 * statistics.median(off):.0f} % (median), at most {100 * max(off):.0f} %."


def measured_costs(program):
    """Of the thread pool, where the program that measures them was built."""
    if not program.exists():
        return Costs()
    return Costs(**json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout))


def default_threads():
    """Processors that this process may use, in powers of 2."""
    most = len(os.sched_getaffinity(0))
    return [count for count in (1, 2, 4, 8, 16) if count <= most]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, nargs="?", default=Path("build/release"))
    parser.add_argument("--threads", type=lambda text: sorted(map(int, text.split(","))), default=default_threads())
    parser.add_argument("--modelled", type=lambda text: sorted(map(int, text.split(","))) if text else [], default=[2, 4, 8, 16])
    parser.add_argument("--documents", type=int, default=4_000)
    parser.add_argument("--samples", type=int, default=2_000)
    parser.add_argument("--features", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="", help="only commands whose names contain this")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    text = f"{arguments.documents:,} documents, 500 classes, 50,000 words"
    dense = f"{arguments.samples:,} x {arguments.features:,}, 13 inner nodes"
    load = os.getloadavg()[0]  # before anything is measured
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scaling = Scaling(arguments.tree.resolve(), folder, arguments.threads, arguments.modelled, arguments.rounds)
        scaling.make("synth", "--text", "-o", folder / "text.svm", "--taxonomy-out", folder / "tree.csv", "--documents",
                     arguments.documents)
        scaling.make("synth", "-o", folder / "dense.npz", "--samples", arguments.samples, "--features",
                     arguments.features)
        print(f"seconds with {', '.join(map(str, arguments.threads))} threads, times faster, processor seconds of the first and the last"
              + (f", times faster with {', '.join(map(str, arguments.modelled))} threads by the model" if arguments.modelled else ""))
        for classifier in CLASSIFIERS:
            if arguments.only in f"train {classifier}":
                scaling.measure(f"train {classifier}", text, f"{classifier}.clade", "train", folder / "text.svm", "--taxonomy",
                                folder / "tree.csv", "--classifier", classifier)
        for classifier in PREDICTED:
            if arguments.only in f"predict {classifier}" and (folder / f"{classifier}.clade").exists():
                scaling.measure(f"predict {classifier}", text, "predictions.csv", "predict", folder / f"{classifier}.clade", folder / "text.svm")
        for selector in SELECTORS:
            if arguments.only in f"select {selector}":
                scaling.measure(f"select {selector}", dense, "ranking.json", "select", folder / "dense.npz", "--method", selector)
    print("the same bytes for any number of threads")
    about = {"processor": this_processor(), "processors": len(os.sched_getaffinity(0)), "load before": load,
             "commit": commit_of(arguments.tree / "clade"), "date": today(), "text": text, "dense": dense}
    if arguments.json:
        arguments.json.write_text(json.dumps({**about, "rows": scaling.rows}, indent=1) + "\n")
    if arguments.page:
        busy = f" The machine also did other work (load {load:.1f} before): times faster say little." if load > 0.5 else ""
        lines = [f"{about['processors']} processors ({about['processor']}), commit {about['commit']}, {about['date']}.{busy}",
                 f"Text: {text}. Dense data: {dense}."]
        if scaling.costs.to_and_fro:
            lines.append(f"A number takes {scaling.costs.to_and_fro:.0f} ns from one processor to another and back.")
        put(arguments.page, "scaling", "\n".join(lines) + f"\n\n{scaling.markdown()}")
        if arguments.modelled:
            put(arguments.page, "modelled", f"The same runs as above.{scaling.model_error()}\n\n{scaling.modelled_markdown()}")


if __name__ == "__main__":
    main()
