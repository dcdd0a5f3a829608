"""Runs the tool as a user would. CLADE names the program, CLADE_SOURCE the source tree (ctest sets both)."""

import json
import os
import subprocess
from pathlib import Path

CLADE = os.environ["CLADE"]
SOURCE = Path(os.environ["CLADE_SOURCE"])
FULL = bool(os.environ.get("CLADE_FULL"))  # `make test-full`: also what takes long and has a shorter test beside it
DATA = Path(os.environ.get("CLADE_DATA", SOURCE / ".." / "shared" / "data"))


def cached(variable):
    """A variable of the build that the tool comes from."""
    for line in (Path(CLADE).parent / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{variable}:"):
            return line.split("=", 1)[1]
    return ""


def attempt(*arguments, **options):
    """Runs `clade ARGUMENTS` and returns the finished process, whatever its exit status."""
    return subprocess.run([CLADE, *map(str, arguments)], capture_output=True, text=True, errors="replace", **options)


def run(*arguments, status=0, **options):
    """Runs `clade ARGUMENTS`, checks the exit status, and returns the finished process."""
    process = attempt(*arguments, **options)
    assert process.returncode == status, f"{arguments}: status {process.returncode}\n{process.stdout}{process.stderr}"
    return process


def run_json(*arguments):
    """Runs `clade ARGUMENTS --json` and returns the one document that standard output must be."""
    return json.loads(run(*arguments, "--json", "--quiet").stdout)


def measures(*arguments):
    """The same of `clade evaluate`, without what says how the predictions came about, and the baseline."""
    found = run_json(*arguments)
    return {key: value for key, value in found.items() if key not in ("method", "parameters", "selection", "baseline")}


def error_line(*arguments, status=2, **options):
    """Runs a command that must fail, checks that it said one line and nothing else, and returns the line."""
    process = run(*arguments, status=status, **options)
    lines = process.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("clade: "), process.stderr
    assert process.stdout == ""
    return lines[0].removeprefix("clade: ")
