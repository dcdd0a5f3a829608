#!/usr/bin/python3
"""Runs clang-tidy on one file; prints only what it finds.

Usage: scripts/tidy.py BUILD_TREE SOURCE STAMP

Touches STAMP if nothing is found, and writes STAMP.d, which names the headers that the file includes, so that ninja
checks the file again only when it or one of them has changed.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

tree, source, stamp = sys.argv[1:]


def flags():
    """The compiler and the flags of `source` without those for g++ alone, such as its precompiled header."""
    entries = {entry["file"]: entry["command"] for entry in json.loads(Path(tree, "compile_commands.json").read_text())}
    # A source in a batch (cmake/CladeBatches.cmake) has no entry of its own, but all sources of a target share their
    # flags.
    folder = "cli" if "/src/cli/" in source else "core"
    command = shlex.split(entries.get(source) or next(entries[file] for file in entries if f"/src/batches/{folder}_" in file))
    kept = []
    words = iter(command)
    for word in words:
        if word in ("-o", "-c"):
            next(words)
        elif word == "-include":
            header = next(words)
            if "cmake_pch" not in header:
                kept += [word, header]
        elif word != "-Winvalid-pch" and not word.startswith("--param="):  # clang knows neither
            kept.append(word)
    return kept[0], kept[1:]


compiler, flags = flags()
subprocess.run([compiler, *flags, "-MM", "-MT", stamp, "-MF", stamp + ".d", source], cwd=tree, check=True)
# g++ has warnings that clang does not know by name, and clang 19 one about what -march=native means on some processors.
silent = ["-Wno-unknown-warning-option", "-Wno-invalid-feature-combination"]
check = subprocess.run(["clang-tidy-19", "--quiet", source, "--", *flags, *silent], cwd=tree, capture_output=True, text=True)
if check.returncode != 0:
    sys.exit(check.stdout + check.stderr)
Path(stamp).touch()
