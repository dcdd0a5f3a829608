#!/usr/bin/python3
"""What does compression cost when Clade loads a LIBSVM file, and what do threads gain?

    bench/load_compressed/run.py BUILD_TREE [--megabytes N] [--rounds N] [--threads 1,2] [--files FOLDER] [--page PAGE]

Generates a file (200 MB), packs it with gzip, zstd and xz and by `clade convert`, loads every file with one and two threads
in turn, checks that all gave the same numbers, and prints the best times: in seconds, relative to the plain file with one
thread, and relative to the same file with one thread. The files are in the page cache throughout. A file of one stream is
unpacked by one thread, beside which others parse; Clade's own files and those of `xz -T` are unpacked by all. --files keeps
the files in a folder, and takes them from there the next time; --page puts the table into a page."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from history import commit_of, this_processor, today  # noqa: E402
from pages import put, table  # noqa: E402
from ratio import divided, record  # noqa: E402

PACKERS = {"gzip": (["gzip", "-c"], "gz"), "zstd": (["zstd", "-q", "-c"], "zst"),
           "xz -1 -T2 --block-size=8MiB": (["xz", "-1", "-T2", "--block-size=8MiB", "-c"], "xz")}
OWN = ["gz", "zst"]  # as `clade convert` packs


def load(program, path, threads):
    run = subprocess.run([program, path, str(threads)], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def make(path, command, to_output=False):
    """Runs a command that writes the file, unless it is there from the time before."""
    if path.exists():
        return path
    unfinished = path.with_name(f"unfinished-{path.name}")
    if to_output:
        with open(unfinished, "wb") as file:
            subprocess.run(command, check=True, stdout=file)
    else:
        subprocess.run([*command, unfinished], check=True, stdout=subprocess.DEVNULL)
    return unfinished.rename(path)


def make_files(tree, folder, megabytes):
    plain = folder / f"plain-{megabytes}.svm"
    if not plain.exists():
        subprocess.run([tree / "bench" / "load_libsvm" / "generate", plain, str(megabytes)], check=True)
    files = {"plain": plain}
    for name, (command, ending) in PACKERS.items():
        files[name] = make(folder / f"{command[0]}-{megabytes}.svm.{ending}", [*command, plain], to_output=True)
    for ending in OWN:
        files[f"`clade convert`, .{ending}"] = make(folder / f"clade-{megabytes}.svm.{ending}", [tree / "clade", "convert", plain, "--quiet", "-o"])
        for beside in folder.glob("*.meta.json"):
            beside.unlink()
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=lambda text: sorted(map(int, text.split(","))), default=[1, 2])
    parser.add_argument("--files", type=Path)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    tree, rounds = arguments.tree.resolve(), arguments.rounds
    load_average = os.getloadavg()[0]  # before anything is measured
    results = {}
    with tempfile.TemporaryDirectory(dir=tree) as name:
        folder = arguments.files or Path(name)
        folder.mkdir(exist_ok=True)
        files = make_files(tree, folder, arguments.megabytes)
        sizes = {kind: path.stat().st_size for kind, path in files.items()}
        for _ in range(rounds):
            for kind, path in files.items():
                for threads in arguments.threads:
                    results.setdefault((kind, threads), []).append(load(tree / "bench" / "load_libsvm" / "clade_load", path, threads))
    reference = results["plain", arguments.threads[0]][0]
    for (kind, threads), runs in results.items():
        if any(run[key] != reference[key] for run in runs for key in ("rows", "columns", "checksums")):
            sys.exit(f"{kind} with {threads} threads has given other numbers than the plain file")

    seconds = {key: [run["seconds"] for run in runs] for key, runs in results.items()}
    rows = []
    for kind in files:
        row = [kind, f"{sizes[kind] / 1e6:.0f}"]
        for threads in arguments.threads:
            own, first = seconds[kind, threads], seconds[kind, arguments.threads[0]]
            if kind != "plain":
                record("load_compressed", kind, "the plain file", divided(own, seconds["plain", threads]), measure="seconds", threads=threads,
                       data=f"{arguments.megabytes} MB of LIBSVM")
            row += [f"{min(own):.2f}", f"{min(own) / min(seconds['plain', threads]):.1f}"]
            if threads != arguments.threads[0]:
                row.append(f"{min(first) / min(own):.2f}")
        row.append(f"{max(run['peak'] / run['bytes'] for threads in arguments.threads for run in results[kind, threads]):.2f}")
        rows.append(row)
    head = ["", "MB"]
    for threads in arguments.threads:
        head += [f"{threads} thread{'s' if threads > 1 else ''}: s", "/ plain"] + (["times faster"] if threads != arguments.threads[0] else [])
    made = table([*head, "peak / data"], rows)
    print(f"{arguments.megabytes} MB, {reference['rows']} rows; all have loaded the same numbers\n\n{made}")
    if arguments.page:
        busy = f" The machine also did other work (load {load_average:.1f} before)." if load_average > 0.5 else ""
        put(arguments.page, "compressed", f"{this_processor()}, commit {commit_of(tree / 'clade')}, {today()}; {arguments.megabytes} MB, "
            f"{reference['rows']:,} rows, the best of {rounds} rounds.{busy}\n\n{made}")


if __name__ == "__main__":
    main()
