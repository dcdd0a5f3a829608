#!/usr/bin/python3
"""The joint classifiers on samples with several labels over a DAG of 4,000 nodes: processor seconds of training, and the
quality on other samples; beside another version of the tool if there is one.

    bench/joint/several_labels.py CLADE [BEFORE] [--classifiers hierarchical-svm,...] [--nodes N] [--samples N]

The data has the shape of the gene ontology sets: 77 dense features, 1 to 9 labels per sample anywhere in a DAG of 13
levels, where every third node has a second parent. Training on one thread, from reading the file to writing the
model."""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy

FEATURES = 77
LEVELS = 13
CLASSIFIERS = "hierarchical-svm,flat-svm,hierarchical-perceptron,flat-perceptron"


def random_dag(nodes, random):
    """The parents of every node; node 0 is the root. Levels grow by a factor and shrink again at the end."""
    share = numpy.array([min(2.0 ** level, 2.0 ** (1.4 * (LEVELS - level))) for level in range(1, LEVELS)])
    level = numpy.sort(random.choice(numpy.arange(1, LEVELS), size=nodes - 1, p=share / share.sum()))
    level[:LEVELS - 1] = numpy.arange(1, LEVELS)
    level = numpy.concatenate([[0], numpy.sort(level)])
    parents = [[]]
    for node in range(1, nodes):
        above = numpy.flatnonzero(level == level[node] - 1)
        count = 2 if random.random() < 1 / 3 and len(above) > 1 else 1
        parents.append([int(p) for p in random.choice(above, size=count, replace=False)])
    return parents


def closed(labels, parents):
    """The labels and everything above them, without the root."""
    seen, waiting = set(), list(labels)
    while waiting:
        node = waiting.pop()
        if node not in seen and node > 0:
            seen.add(node)
            waiting.extend(parents[node])
    return seen


def write(path, parents, samples, direction, popular, random):
    nodes = len(parents)
    name = [f"n{node}" if node else "root" for node in range(nodes)]
    with open(path, "w") as out:
        out.write("@RELATION joint\n")
        for f in range(FEATURES):
            out.write(f"@ATTRIBUTE f{f} numeric\n")
        edges = ",".join(f"{name[p]}/{name[node]}" for node in range(1, nodes) for p in parents[node])
        out.write(f"@ATTRIBUTE class hierarchical {edges}\n@DATA\n")
        for _ in range(samples):
            labels = set(int(y) for y in random.choice(numpy.arange(1, nodes), size=random.integers(1, 10), p=popular))
            labels -= set().union(*(closed(parents[y], parents) for y in labels))  # the most specific ones
            above = sorted(closed(labels, parents))
            x = direction[above].mean(axis=0) + 0.25 * random.standard_normal(FEATURES)
            out.write(",".join(f"{v:.4f}" for v in x) + "," + "@".join(name[y] for y in sorted(labels)) + "\n")


def run(tool, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run([tool, *map(str, arguments), "--json", "--quiet", "--threads", "1"], capture_output=True, text=True,
                            check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(output), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clade", type=Path)
    parser.add_argument("before", type=Path, nargs="?")
    parser.add_argument("--classifiers", default=CLASSIFIERS)
    parser.add_argument("--nodes", type=int, default=4000)
    parser.add_argument("--samples", type=int, default=1600)
    arguments = parser.parse_args()
    random = numpy.random.default_rng(5)
    parents = random_dag(arguments.nodes, random)
    direction = random.standard_normal((arguments.nodes, FEATURES))
    popular = 1 / random.permutation(numpy.arange(10.0, arguments.nodes + 9))
    popular /= popular.sum()
    tools = [tool for tool in (arguments.clade, arguments.before) if tool]
    with tempfile.TemporaryDirectory() as scratch:
        train, test, model = (Path(scratch) / name for name in ("train.arff", "test.arff", "model.clade"))
        write(train, parents, arguments.samples, direction, popular, random)
        write(test, parents, 400, direction, popular, random)
        print("| classifier | " + " | ".join(f"{tool}: s, hierarchical F1, AU(PRC)" for tool in tools) + " | times faster |")
        print("|---|" + "---|" * (len(tools) + 1))
        for classifier in arguments.classifiers.split(","):
            cells, seconds = [], []
            for tool in tools:
                seconds.append(run(tool, "train", train, "--classifier", classifier, "-o", model, "--force")[1])
                found = run(tool, "evaluate", model, test)[0]
                area = f"{found['au_prc']:.4f}" if "au_prc" in found else "-"
                cells.append(f"{seconds[-1]:.1f}, {found['hierarchical_f1']:.4f}, {area}")
            ratio = f"{seconds[1] / seconds[0]:.1f}" if len(seconds) > 1 else "-"
            print(f"| {classifier} | " + " | ".join(cells) + f" | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
