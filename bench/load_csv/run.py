#!/usr/bin/python3
"""How fast does Clade load CSV and ARFF files, and in how much memory, next to pandas, numpy and scipy?

Usage: run.py BUILD_TREE [MEGABYTES]      (default: 200)

Generates the same table in both formats, loads it with each contender in turn, checks that all loaded the same numbers,
and prints the best time of each and its peak memory relative to the size of the values. By default pandas reads numbers
approximately; its numbers can be compared only in exact mode. The files are in the page cache throughout.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from ratio import record  # noqa: E402


def measure(command, repeats):
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(repeats)]
    return {**runs[0], "seconds": min(run["seconds"] for run in runs), "peak": max(run["peak"] for run in runs)}


def contenders(programs, csv, arff):
    script = pathlib.Path(__file__).parent / "python_load.py"
    for name, path in ("pandas", csv), ("pandas-exact", csv), ("numpy", csv), ("scipy", arff):
        if importlib.util.find_spec(name.split("-")[0]):
            yield f"{name}, {path.suffix}", ["/usr/bin/python3", script, name, path], 1 if name == "scipy" else 2
    for path in csv, arff:
        for threads in "1", "2":
            plural = "" if threads == "1" else "s"
            yield f"clade, {path.suffix}, {threads} thread{plural}", [programs / "clade_load", path, threads], 5


def main():
    programs = pathlib.Path(sys.argv[1]) / "bench" / "load_csv"
    megabytes = sys.argv[2] if len(sys.argv) > 2 else "200"
    csv, arff = programs / "data.csv", programs / "data.arff"
    try:
        subprocess.run([programs / "generate", csv, arff, megabytes], check=True)
        results = {name: measure(command, repeats) for name, command, repeats in contenders(programs, csv, arff)}
    finally:
        csv.unlink(missing_ok=True)
        arff.unlink(missing_ok=True)

    best = results["clade, .csv, 2 threads"]
    print(f"{megabytes} MB, {best['rows']} rows, {best['columns']} columns")
    print(f"{'':26}{'best s':>8}{'MB/s':>7}{'times slower':>14}{'peak / values':>15}")
    for name, result in results.items():
        if name.startswith("clade"):
            threads = int(name.split()[2])
            for other in results:
                if not other.startswith("clade") and other.split(", ")[1] == name.split(", ")[1]:
                    record("load_csv", name, other, result["seconds"] / results[other]["seconds"], data=f"{megabytes} MB", measure="seconds",
                           threads=threads)
            record("load_csv", name, "size of the values", result["peak"] / result["bytes"], data=f"{megabytes} MB", measure="peak memory",
                   threads=threads)
        print(f"{name:26}{result['seconds']:8.3f}{int(megabytes) / result['seconds']:7.0f}"
              f"{result['seconds'] / best['seconds']:14.1f}{result['peak'] / result['bytes']:15.2f}")
    for name, result in results.items():
        if name != "pandas, .csv" and any(result[key] != best[key] for key in ("rows", "columns", "checksum")):
            sys.exit(f"{name} has loaded other numbers than clade")
    print("all but the approximate pandas have loaded the same numbers")


main()
