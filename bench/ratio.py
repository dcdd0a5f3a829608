"""The ratios of benchmarks as data. A benchmark hands every ratio that it prints to record(), which appends it as a line of
JSON to the file that CLADE_BENCH_RATIOS names; without that variable, nothing is written. bench/ratio.h does the same for
programs in C++, and bench/history.py keeps such lines.

    {"question": "joint", "contender": "flat-svm", "baseline": "liblinear -s 4", "data": "20,000 documents, 500 classes",
     "measure": "processor seconds", "threads": 1, "better": "lower", "rounds": [0.29, 0.31, 0.3]}

A round is what the contender takes divided by what the baseline takes, measured next to each other."""

import json
import os
import statistics

VARIABLE = "CLADE_BENCH_RATIOS"


def record(question, contender, baseline, rounds, *, data="", measure="processor seconds", threads=1, better="lower"):
    """The median of the rounds, for the benchmark to print. `rounds` is a list of ratios, or only one."""
    rounds = [float(value) for value in (rounds if isinstance(rounds, (list, tuple)) else [rounds])]
    path = os.environ.get(VARIABLE)
    if path:
        line = {"question": question, "contender": contender, "baseline": baseline, "data": data, "measure": measure,
                "threads": threads, "better": better, "rounds": [float(f"{value:.4g}") for value in rounds]}
        with open(path, "a") as file:
            file.write(json.dumps(line) + "\n")
    return statistics.median(rounds)


def alternating(rounds, works):
    """Calls all of {name: function} in turn, `rounds` times, every second time in the opposite order; what else the machine
    does then disturbs all of them alike. What they return, as {name: list}."""
    found = {name: [] for name in works}
    for turn in range(rounds):
        for name in list(works)[:: -1 if turn % 2 else 1]:
            found[name].append(works[name]())
    return found


def divided(contender, baseline):
    """Round by round."""
    return [own / other for own, other in zip(contender, baseline)]
