"""Generated sparse text over a hierarchy of classes, for the benchmarks of classifiers."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, diags
from sklearn.datasets import dump_svmlight_file


@dataclass
class TextOptions:
    words: int = 50_000
    levels: tuple = (10, 80, 500)  # nodes from below the root to the classes
    train: int = 20_000
    test: int = 5_000
    length: int = 75  # words of a document, repeats counted
    topic: int = 60  # words that a node prefers


def hierarchy(levels):
    """The parent of every node but the root, 0; nodes are numbered level by level."""
    parents, first, above = {}, 1, None
    for size in levels:
        parents.update({first + k: 0 if above is None else above[0] + k * above[1] // size for k in range(size)})
        above, first = (first, size), first + size
    return parents


def generate(random, options=None):
    """Documents as rows of length 1, their classes, and the parents of all nodes. Words come from the background, and a share of
    them from the topics of the class and of the two nodes above it."""
    o = options or TextOptions()
    parents = hierarchy(o.levels)
    background = 1 / (10 + np.arange(o.words))
    topics = {node: random.choice(o.words, o.topic, replace=False) for node in parents}
    share = random.pareto(1.5, o.levels[-1]) + 0.3
    leaves = 1 + sum(o.levels[:-1]) + random.choice(o.levels[-1], o.train + o.test, p=share / share.sum())
    common = random.choice(o.words, size=(o.train + o.test, o.length), p=background / background.sum())
    rows, columns = [], []
    for document, leaf in enumerate(leaves):
        words = common[document]
        draw = random.random(o.length)
        way = [leaf, parents[leaf], parents[parents[leaf]]]
        for node, low, high in zip(way, [0, 0.12, 0.24], [0.12, 0.24, 0.34]):
            chosen = (draw >= low) & (draw < high)
            words[chosen] = random.choice(topics[node], chosen.sum())
        rows.append(np.full(o.length, document))
        columns.append(words)
    counts = csr_matrix((np.ones(o.length * len(leaves)), (np.concatenate(rows), np.concatenate(columns))),
                        shape=(len(leaves), o.words))
    frequency = np.maximum(1, np.asarray((counts[:o.train] > 0).sum(axis=0)).ravel())
    values = counts @ diags(np.log(o.train / frequency).clip(0))
    lengths = np.sqrt(np.asarray(values.multiply(values).sum(axis=1)).ravel())
    values = diags(1 / np.maximum(lengths, 1e-9)) @ values
    return values.tocsr(), leaves, parents


def write(folder, values, leaves, parents, train):
    """Writes train.svm, test.svm (if there is anything to test on) and taxonomy.csv."""
    dump_svmlight_file(values[:train], leaves[:train], str(folder / "train.svm"), zero_based=False)
    if len(leaves) > train:
        dump_svmlight_file(values[train:], leaves[train:], str(folder / "test.svm"), zero_based=False)
    edges = "".join(f"{child},{parent}\n" for child, parent in parents.items())
    (folder / "taxonomy.csv").write_text("child,parent\n" + edges)
