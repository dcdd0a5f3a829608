"""Experiments in tests: writing their files, and reading what they found."""

import csv

from clade_tool import run


def small_sets(folder, *names):
    """A data set of 27 classes for each of the names, drawn with the seeds 1, 2, ..."""
    for seed, name in enumerate(names):
        run("synth", "-o", folder / f"{name}.arff", "--samples", 150, "--features", 12, "--single-label", "--seed", seed + 1)
    return folder


def spec(folder, text, name="study.toml"):
    path = folder / name
    path.write_text(text)
    return path


def rows(folder):
    with open(folder / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def values(folder, **wanted):
    """The values of the rows that have what is wanted, in their order."""
    return [float(row["value"]) for row in rows(folder) if all(row[key] == value for key, value in wanted.items())]
