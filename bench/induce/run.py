#!/usr/bin/python3
"""How fast does Clade learn a taxonomy over 10,000 classes, next to scipy's clustering alone?

Usage: run.py BUILD_TREE

Dense data (10,000 classes x 100 features, like an embedding) and sparse text (40,000 documents, 50,000 words).
CPU seconds of one thread. First, both cluster the same distances, those of scipy's pdist() on the dense data. Then
`clade learn-taxonomy` runs as a whole process (reading, centroids, distances, clustering, cut, writing) against scipy's
linkage(), which gets its distances for free.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from ratio import record  # noqa: E402

CLASSES = 10_000
FEATURES = 100
DOCUMENTS, WORDS, LENGTH = 40_000, 50_000, 60


def dense_data(random):
    """Classes in 500 groups, which lie in 20 larger groups."""
    k = np.arange(CLASSES)
    return (3 * random.normal(size=(20, FEATURES))[k % 20] + 1.5 * random.normal(size=(500, FEATURES))[k % 500]
            + random.normal(size=(CLASSES, FEATURES)))


def sparse_data(random):
    """Documents of random words with the frequencies of natural text."""
    share = 1 / np.arange(1, WORDS + 1)
    words = random.choice(WORDS, size=(DOCUMENTS, LENGTH), p=share / share.sum())
    rows = np.repeat(np.arange(DOCUMENTS), LENGTH)
    matrix = scipy.sparse.csr_matrix((np.ones(words.size), (rows, words.ravel())), shape=(DOCUMENTS, WORDS))
    matrix.sum_duplicates()
    # Makes sure that every class has a document.
    return matrix, np.concatenate([np.arange(CLASSES), random.integers(0, CLASSES, DOCUMENTS - CLASSES)])


def write_libsvm(path, matrix, labels):
    with open(path, "w") as file:
        for s, label in enumerate(labels):
            part = slice(matrix.indptr[s], matrix.indptr[s + 1])
            file.write(f"{label} " + " ".join(f"{j + 1}:{v:g}" for j, v in zip(matrix.indices[part], matrix.data[part])) + "\n")


def learn(program, path, folder):
    """CPU seconds, the memory that the command announces, and the peak memory of any process so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run([program, "learn-taxonomy", path, "-o", folder / "t.csv", "--force", "--threads", "1", "--json", "--quiet"],
                             check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(process.stdout)["memory"], after.ru_maxrss * 1024


def cpu(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main():
    tree = pathlib.Path(sys.argv[1])
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        x = dense_data(random)
        np.savez(folder / "dense.npz", X=x, y=np.arange(CLASSES))
        write_libsvm(folder / "sparse.svm", *sparse_data(random))
        learned = {kind: min(learn(tree / "clade", folder / kind, folder) for _ in range(3)) for kind in ("dense.npz", "sparse.svm")}
        distance_seconds, distances = cpu(lambda: pdist(x))
        distances.tofile(folder / "distances")
        lines = subprocess.run([tree / "bench" / "induce" / "cluster_distances", folder / "distances", str(CLASSES)],
                               check=True, capture_output=True, text=True).stdout.splitlines()
    clade = {method: (float(seconds), float(total)) for method, seconds, total in map(str.split, lines)}
    differ = False
    print(f"{CLASSES} classes, one thread, CPU seconds\n\nthe same distances     scipy    Clade   scipy / Clade")
    for method, (seconds, total) in clade.items():
        scipy_seconds, found = cpu(lambda: linkage(distances, method))
        differ |= not np.isclose(found[:, 2].sum(), total, rtol=1e-12, atol=0)
        record("induce", f"{method} linkage", "scipy linkage", seconds / scipy_seconds, data=f"{CLASSES} classes")
        print(f"{method:20} {scipy_seconds:7.2f} {seconds:8.2f} {scipy_seconds / seconds:11.1f}")
        if method == "average":
            average = scipy_seconds
    print(f"\nclade learn-taxonomy, the whole process, average linkage (scipy's pdist takes {distance_seconds:.2f} s more)")
    for kind, (seconds, memory, peak) in learned.items():
        record("induce", f"learn-taxonomy, {kind}", "scipy linkage", seconds / average, data=f"{CLASSES} classes")
        print(f"{kind:20} {seconds:5.2f} s: scipy's linkage alone takes {average / seconds:.1f} times as long; "
              f"{memory / 2**20:.0f} MiB announced beside the data, largest process so far {peak / 2**20:.0f} MiB")
    if differ:
        sys.exit("the clusters differ")
    print("\nthe distances of the merges are the same")


main()
