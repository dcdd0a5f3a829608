#!/usr/bin/python3
"""How fast does Clade load a LIBSVM file, and in how much memory, next to scikit-learn?

Usage: run.py BUILD_TREE [MEGABYTES]      (default: 500)

Generates a file, loads it with both in turn, checks that both loaded the same numbers, and prints the best time of each
and its peak memory relative to the size of what was loaded. The file is in the page cache throughout.
"""

import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from ratio import record  # noqa: E402

REPEATS = {"scikit-learn": 2, "clade": 5}


def measure(command, repeats):
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(repeats)]
    return {
        **runs[0],
        "seconds": min(run["seconds"] for run in runs),
        "median": statistics.median(run["seconds"] for run in runs),
        "peak": max(run["peak"] for run in runs),
    }


def main():
    tree = pathlib.Path(sys.argv[1])
    megabytes = sys.argv[2] if len(sys.argv) > 2 else "500"
    here = pathlib.Path(__file__).parent
    programs = tree / "bench" / "load_libsvm"
    data = programs / "data.svm"
    try:
        subprocess.run([programs / "generate", data, megabytes], check=True)
        contenders = {
            "scikit-learn": ["/usr/bin/python3", here / "sklearn_load.py", data],
            "clade, 1 thread": [programs / "clade_load", data, "1"],
            "clade, 2 threads": [programs / "clade_load", data, "2"],
        }
        results = {name: measure(command, REPEATS[name.split(",")[0]]) for name, command in contenders.items()}
    finally:
        data.unlink(missing_ok=True)

    reference = results["scikit-learn"]
    print(f"{megabytes} MB, {reference['rows']} rows, {reference['columns']} columns")
    print(f"{'':18}{'best s':>8}{'median s':>10}{'MB/s':>7}{'times faster':>14}{'peak / data':>13}")
    for name, result in results.items():
        if name != "scikit-learn":
            about = {"data": f"{megabytes} MB", "threads": int(name.split()[1])}
            record("load_libsvm", name, "scikit-learn", result["seconds"] / reference["seconds"], measure="seconds", **about)
            record("load_libsvm", name, "size of the data", result["peak"] / result["bytes"], measure="peak memory", **about)
        print(f"{name:18}{result['seconds']:8.3f}{result['median']:10.3f}"
              f"{int(megabytes) / result['seconds']:7.0f}{reference['seconds'] / result['seconds']:14.1f}"
              f"{result['peak'] / result['bytes']:13.2f}")
    for name, result in results.items():
        if any(result[key] != reference[key] for key in ("rows", "columns", "checksums")):
            sys.exit(f"{name} has loaded other numbers than scikit-learn")
    print("all have loaded the same numbers")


main()
