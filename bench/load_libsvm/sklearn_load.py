"""Loads a LIBSVM file with scikit-learn and prints the same JSON object as clade_load.cpp."""

import json
import sys
import time

import numpy as np
from sklearn.datasets import load_svmlight_file


def peak_memory():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def checksum(items):
    """Sum of item[k] * (2 k + 1), modulo 2^64; computed in pieces, to avoid a second copy of the data."""
    total = np.uint64(0)
    with np.errstate(over="ignore"):
        for begin in range(0, len(items), 1 << 20):
            piece = items[begin : begin + (1 << 20)]
            factors = np.arange(begin, begin + len(piece), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
            bits = piece.view(np.uint64) if piece.dtype == np.float64 else piece.astype(np.uint64)
            total += (bits * factors).sum(dtype=np.uint64)
    return int(total)


def main():
    start = time.perf_counter()
    matrix, labels = load_svmlight_file(sys.argv[1])
    seconds = time.perf_counter() - start
    parts = [matrix.data, matrix.indices, matrix.indptr, labels]
    print(json.dumps({
        "seconds": seconds,
        "peak": peak_memory(),
        "bytes": sum(part.nbytes for part in parts),
        "rows": matrix.shape[0],
        "columns": matrix.shape[1],
        "checksums": [checksum(part) for part in parts],
    }))


main()
