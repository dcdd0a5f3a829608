#!/usr/bin/python3
"""How long would a run of Clade take with more threads than this machine has processors?

    bench/scaling/model.py PROGRAM ARGUMENTS... [--model-threads 2,4,8,16] [--rounds N] [--record FILE] [--where N]

Runs a command of `clade` twice with one thread and a record of its parallel loops, and models what it would take with more
(loop_record.py says how, and what the model leaves out). --where N adds what keeps the run from being N times as fast: serial
time between loops, and loops with too few or too long tasks. --record keeps the last record, or, with no command, reads it:

    bench/scaling/model.py build/release/clade train text.svm --taxonomy tree.csv -o model.clade --force --where 16"""

import argparse
import os
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from finished_process import Run  # noqa: E402
from loop_record import Costs, Loop, Names, least_steps, modelled, read_events, seconds_with, work  # noqa: E402

VARIABLE = "CLADE_LOOP_RECORD"


class Recording:
    """Records of a command that runs with one thread."""

    def __init__(self, program, arguments):
        self.command, self.records = [program, *arguments, "--threads", 1], []

    def add(self, path=None):
        """Runs it once more."""
        with tempfile.TemporaryDirectory() as folder:
            path = path or Path(folder) / "record"
            os.environ[VARIABLE] = str(path)
            try:
                Run(*self.command)
            finally:
                del os.environ[VARIABLE]
            self.records.append(read_events(path))

    def steps(self):
        return least_steps(self.records)

    def times_faster(self, threads, costs, outside):
        """`outside` is what starting and ending a process takes, in seconds."""
        steps = self.steps()
        alone = outside + seconds_with(steps, 1)
        return {count: alone / (outside + seconds_with(steps, count, costs)) for count in threads}


def process_seconds(program):
    """Of a command that does nothing to speak of: the start and the end of a process."""
    return min(Run(program, "formats").wall for _ in range(5))


def short(function):
    """Without arguments and what is the same everywhere."""
    function = function.replace("clade::", "").replace("(anonymous namespace)::", "")
    function = re.sub(r"\(.*", "", re.sub(r"\s*\[clone .*", "", function))
    return re.sub(r"<.*", "", function) or function


def costly(steps, threads, names, costs):
    """{where: (seconds with so many threads, seconds on one, times, longest task)} of a list of steps."""
    found = defaultdict(lambda: [0.0, 0.0, 0, 0.0])
    before = "start"
    loops = [step for step in steps if isinstance(step, Loop)] + [None]
    next_loop = 0
    for step, took in modelled(steps, threads, costs):
        following = loops[next_loop]
        if isinstance(step, Loop):
            next_loop += 1
            before = short(names.of(step.caller))
            where = ("loop", before)
            longest = max(map(work, step.tasks))
        else:
            where = ("serial", f"{before} -> {short(names.of(following.caller)) if following else 'end'}")
            longest = step
        entry = found[where]
        entry[0] += took * 1e-9
        entry[1] += work([step]) * 1e-9
        entry[2] += 1
        entry[3] = max(entry[3], longest * 1e-9)
    return found


def where_text(steps, threads, names, costs, indent="  ", depth=3):
    """What takes longer than an even share of its work, the worst first; the longest tasks of loops that do are taken
    apart in turn."""
    total, lines = work(steps) * 1e-9, []
    found = costly(steps, threads, names, costs)
    worst = sorted(found.items(), key=lambda item: item[1][1] / threads - item[1][0])
    for (kind, where), (took, alone, times, longest) in worst[:6]:
        excess = took - alone / threads
        if excess < 0.01 * total:
            continue
        lines.append(f"{indent}{1e3 * took:8.1f} ms of {1e3 * alone:.1f} {kind}{'' if times == 1 else f', {times} times'}: {where}"
                     + (f"; longest task {1e3 * longest:.1f} ms" if kind == "loop" else ""))
        if kind == "loop" and depth:
            of = [step for step in steps if isinstance(step, Loop) and step.nested and short(names.of(step.caller)) == where]
            if of:
                task = max((task for loop in of for task in loop.tasks), key=work)
                if work(task) * 1e-9 > 0.3 * took:
                    lines += where_text(task, threads, names, costs, indent + "     ", depth - 1)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--model-threads", type=lambda text: sorted(map(int, text.split(","))), default=[2, 4, 8, 16])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--where", type=int)
    arguments, command = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.record or Path(folder) / "record"
        if command:
            recording = Recording(arguments.program, command)
            for _ in range(arguments.rounds):
                recording.add(path)
            steps = recording.steps()
        else:
            steps = least_steps([read_events(path)])
    outside = process_seconds(arguments.program)
    alone = outside + seconds_with(steps, 1)
    print(f"1 thread: {alone:.3f} s, {outside:.3f} s of it for starting and ending the process")
    for threads in arguments.model_threads:
        took = outside + seconds_with(steps, threads)
        print(f"{threads} threads, modelled: {took:.3f} s, {alone / took:.2f} times faster")
    if arguments.where:
        print("\n".join(where_text(steps, arguments.where, Names(arguments.program), Costs())))


if __name__ == "__main__":
    main()
