"""Loads a CSV or ARFF file with pandas, numpy or scipy and prints the same JSON object as clade_load.cpp.

Usage: python_load.py pandas|pandas-exact|numpy|scipy FILE
"""

import json
import sys
import time

import numpy as np


def peak_memory():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def checksum(values):
    """Sum of bits[k] * (2 k + 1), modulo 2^64, row by row."""
    bits = np.ascontiguousarray(values).reshape(-1).view(np.uint64)
    with np.errstate(over="ignore"):
        factors = np.arange(len(bits), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        return int((bits * factors).sum(dtype=np.uint64))


def load(contender, path):
    if contender.startswith("pandas"):
        import pandas

        exact = {"float_precision": "round_trip"} if contender == "pandas-exact" else {}
        return lambda: pandas.read_csv(path, **exact).iloc[:, :-1].to_numpy()
    if contender == "numpy":
        with open(path) as file:
            columns = file.readline().count(",")
        return lambda: np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(columns))
    from scipy.io import arff

    def with_scipy():
        records, meta = arff.loadarff(path)
        return np.column_stack([records[name] for name in meta.names()[:-1]])

    return with_scipy


def main():
    contender, path = sys.argv[1:]
    run = load(contender, path)
    start = time.perf_counter()
    values = run()
    seconds = time.perf_counter() - start
    peak = peak_memory()
    print(json.dumps({
        "seconds": seconds,
        "peak": peak,
        "bytes": values.nbytes,
        "rows": values.shape[0],
        "columns": values.shape[1],
        "checksum": checksum(values),
    }))


main()
