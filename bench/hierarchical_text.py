"""Text over a hierarchy of classes to benchmark classifiers: made by `clade synth --text`, written as tf-idf."""

import subprocess
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, diags
from sklearn.datasets import dump_svmlight_file


@dataclass
class TextOptions:
    words: int = 50_000
    levels: tuple = (10, 80, 500)  # nodes per level, from below the root down to the classes
    train: int = 20_000
    test: int = 5_000
    length: int = 64  # average words per document, counting repeats
    seed: int = 1


@dataclass
class Text:
    values: csr_matrix  # of the training documents
    leaves: np.ndarray  # their classes, as node numbers
    parents: dict  # of every node but the root


def generate(tool, folder, options=None):
    """Writes train.svm, test.svm (if there is anything to test on) and taxonomy.csv: tf-idf, rows of length 1. Labels
    are node numbers, as other programs want them; those in test.svm are the true ones."""
    o = options or TextOptions()
    counts, leaves, edges = documents(tool, folder / "train.npz", o, 0, o.train)
    frequency = np.maximum(1, np.asarray((counts > 0).sum(axis=0)).ravel())
    idf = np.log(o.train / frequency).clip(0)
    values = weighted(counts, idf)
    dump_svmlight_file(values, leaves, str(folder / "train.svm"), zero_based=False)
    if o.test:
        counts, right, _ = documents(tool, folder / "test.npz", o, o.train, o.test, "--noise", 0)
        dump_svmlight_file(weighted(counts, idf), right, str(folder / "test.svm"), zero_based=False)
    (folder / "taxonomy.csv").write_text("child,parent\n" + "".join(f"{child},{parent}\n" for parent, child in edges))
    return Text(values, leaves, {child: parent for parent, child in edges})


def documents(tool, path, o, first, count, *arguments):
    """Word counts, the class of every document, and the edges (parent, child) as node numbers."""
    command = [tool, "synth", "--text", "-o", path, "--first", first, "--documents", count, "--words", o.words, "--length", o.length,
               "--levels", ",".join(map(str, o.levels)), "--seed", o.seed, "--quiet", "--force", *arguments]
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    with np.load(path) as found:
        counts = csr_matrix((found["data"], found["indices"], found["indptr"]), shape=(count, o.words))
        return counts, found["label_indices"], found["edges"].tolist()


def weighted(counts, idf):
    values = counts @ diags(idf)
    lengths = np.sqrt(np.asarray(values.multiply(values).sum(axis=1)).ravel())
    return (diags(1 / np.maximum(lengths, 1e-9)) @ values).tocsr()


def node_problems(text):
    """For every inner node, the samples below it and the child that each belongs to."""
    paths = [text.leaves]  # from the class to the root
    for _ in range(3):
        paths.append(np.array([text.parents[node] for node in paths[-1]]))
    paths = np.stack(paths[::-1], axis=1)
    for level in range(3):
        for node in np.unique(paths[:, level]):
            samples = np.flatnonzero(paths[:, level] == node)
            children = paths[samples, level + 1]
            if len(set(children)) > 1:
                yield samples, children
