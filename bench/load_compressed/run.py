#!/usr/bin/python3
"""What does compression cost when Clade loads a LIBSVM file, and what do threads gain?

Usage: run.py BUILD_TREE [MEGABYTES]      (default: 200)

Generates a file, packs it with gzip, zstd and xz and by `clade convert`, loads every file with one and two threads in
turn, checks that all gave the same numbers, and prints the best times: in seconds, relative to the plain file with one
thread, and relative to the same file with one thread. The files are in the page cache throughout. A file of one stream is
unpacked by one thread, beside which others parse; Clade's own files and those of `xz -T` are unpacked by all.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

REPEATS = 3


def load(program, path, threads):
    run = subprocess.run([program, path, str(threads)], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def pack(command, plain, packed):
    with open(packed, "wb") as file:
        subprocess.run([*command, plain], check=True, stdout=file)
    return packed


def main():
    tree = pathlib.Path(sys.argv[1])
    megabytes = sys.argv[2] if len(sys.argv) > 2 else "200"
    programs = tree / "bench" / "load_libsvm"
    with tempfile.TemporaryDirectory(dir=tree) as name:
        folder = pathlib.Path(name)
        plain = folder / "plain.svm"
        subprocess.run([programs / "generate", plain, megabytes], check=True)
        files = {"plain": plain}
        files["gzip"] = pack(["gzip", "-c"], plain, folder / "gzip.svm.gz")
        files["zstd"] = pack(["zstd", "-q", "-c"], plain, folder / "zstd.svm.zst")
        files["xz -1 -T2"] = pack(["xz", "-1", "-T2", "--block-size=8MiB", "-c"], plain, folder / "xz.svm.xz")
        for ending in ("gz", "zst"):
            files[f"clade, .{ending}"] = folder / f"clade.svm.{ending}"
            subprocess.run([tree / "clade", "convert", plain, "-o", files[f"clade, .{ending}"], "--quiet"], check=True)
            pathlib.Path(f"{files[f'clade, .{ending}']}.meta.json").unlink()
        sizes = {kind: path.stat().st_size for kind, path in files.items()}
        results = {}
        for _ in range(REPEATS):
            for kind, path in files.items():
                for threads in (1, 2):
                    results.setdefault((kind, threads), []).append(load(programs / "clade_load", path, threads))

    seconds = {key: min(run["seconds"] for run in runs) for key, runs in results.items()}
    print(f"{megabytes} MB, {results['plain', 1][0]['rows']} rows")
    print(f"{'':12}{'threads':>8}{'MB':>7}{'seconds':>9}{'/ plain':>9}{'/ 1 thread':>12}{'peak / data':>13}")
    for (kind, threads), best in seconds.items():
        peak = max(run["peak"] / run["bytes"] for run in results[kind, threads])
        print(f"{kind:12}{threads:8}{sizes[kind] / 1e6:7.0f}{best:9.3f}{best / seconds['plain', 1]:9.2f}"
              f"{best / seconds[kind, 1]:12.2f}{peak:13.2f}")
    reference = results["plain", 1][0]
    for (kind, threads), runs in results.items():
        if any(run[key] != reference[key] for run in runs for key in ("rows", "columns", "checksums")):
            sys.exit(f"{kind} with {threads} threads has given other numbers than the plain file")
    print("all have loaded the same numbers")


main()
