"""Runs the examples of a page of documentation and compares what they print with what the page shows.

An example is an indented line `    $ COMMAND`, and what it prints stands below it:

- `cat FILE` makes the file if nothing has made it yet; else, like any command, it must print what is shown.
- Every other command runs in a shell, in the folder of the page, where `clade` is the tool that is tested. It must
  succeed, or fail with status 2 where the page shows its line `clade: ...`.
- `...` on a line of its own stands for any lines. Times and sizes may differ, and so may the last digits of numbers that `head`
  shows. A command with nothing below it may print anything.
- `<!-- not run: WHY -->` before a block leaves the block out. `<!-- needs: FILE -->` links a file below CLADE_DATA into the
  folder; where that is absent, the rest of the page is skipped.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
from clade_tool import CLADE, DATA, SOURCE

NUMBER = r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?"
VARYING = re.compile(rf"{NUMBER}(?= (?:s|ms|us|kB|MB)(?:\W|$))")


def pages():
    """Every page of the documentation, by its path in the source tree."""
    return [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]


def steps_of(page):
    """What a page does, in order: ("run", command, lines shown), ("needs", file) and ("not run", command)."""
    steps, shown, left_out, fenced = [], None, False, False
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            continue
        elif needed := re.fullmatch(r"<!-- needs: (\S+) -->", line):
            steps.append(("needs", needed[1]))
        elif line.startswith("<!-- not run: "):
            left_out = True
        elif line.startswith("    $ "):
            shown = []
            steps.append(("not run", line[6:]) if left_out else ("run", line[6:], shown))
        elif line.startswith("    ") or not line:
            if shown is not None:
                shown.append(line[4:])
        else:
            shown, left_out = None, False
    return [(*step[:2], "\n".join(step[2]).strip("\n").splitlines()) if step[0] == "run" else step for step in steps]


def pattern_of(line):
    """A line of a page as a regular expression."""
    if line == "...":
        return "(.*\n)*?"
    parts, end = [], 0
    for varying in VARYING.finditer(line):
        parts += [re.escape(line[end : varying.start()]).rstrip("\\ "), r"\s*", NUMBER]
        end = varying.end()
    return "".join([*parts, re.escape(line[end:])]) + "\n"


def check_rounded(found, shown):
    """Compares lines of a file: numbers but for rounding, all else to the letter."""
    assert len(found) == len(shown), found
    for a, b in zip(found, shown):
        for x, y in zip(a.split(","), b.split(","), strict=True):
            if x != y:
                assert abs(float(x) - float(y)) < 1e-6, (a, b)


def check_shown(command, found, shown):
    found = [line.rstrip() for line in found.splitlines()]
    if command.startswith("head "):
        return check_rounded(found, shown)
    pattern = "".join(map(pattern_of, shown))
    assert not shown or re.fullmatch(pattern, "\n".join(found).strip("\n") + "\n"), f"{command}\n" + "\n".join(found)


def run_examples(page, folder):
    """Runs all commands of a page. Returns how many."""
    programs = folder / ".programs"
    programs.mkdir()
    (programs / "clade").symlink_to(Path(CLADE).resolve())
    (programs / "python3").symlink_to("/usr/bin/python3")
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    count = 0
    for kind, what, *rest in steps_of(SOURCE / page):
        if kind == "needs":
            file = next(DATA.glob(what + "*"), None)
            if file is None:
                pytest.skip(f"no {what} in {DATA}: set CLADE_DATA to the folder of data sets")
            (folder / file.name).symlink_to(file.resolve())
        elif kind == "run":
            shown = rest[0]
            made = re.fullmatch(r"cat ([\w./-]+)", what)
            if made and not (folder / made[1]).exists():
                (folder / made[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / made[1]).write_text("\n".join(shown) + "\n")
                continue
            count += 1
            process = subprocess.run(["bash", "-c", what.replace("build/clade", "clade")], cwd=folder, env=environment,
                                     capture_output=True, text=True)
            failing = bool(shown) and shown[0].startswith("clade: ")
            assert process.returncode == (2 if failing else 0), f"{what}\n{process.stdout}{process.stderr}"
            check_shown(what, process.stderr if failing else process.stdout, shown)
    return count
