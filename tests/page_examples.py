"""Runs the examples of a page of documentation and compares what they print with what the page shows.

An example is an indented line `    $ COMMAND`, and what it prints stands below it:

- `cat FILE` makes the file if nothing has made it yet; else, like any command, it must print what is shown.
- Every other command runs in a shell, in the folder of the page, where `clade` is the tool that is tested. It must
  succeed, or fail with status 2 where the page shows its line `clade: ...`. A `\\` at the end continues it on the next line.
- `...` on a line of its own stands for any lines. Times and sizes may differ, and decimals by as much as near_text.py
  allows. A command with nothing below it may print anything.
- `<!-- not run: WHY -->` before a block leaves the block out. `<!-- needs: FILE -->` links a file below CLADE_DATA into the
  folder, or asks for a file of the system (`/usr/...`); where it is absent, the rest of the page is skipped.
- A picture that the page shows, if a command makes a file of its name, is that file.

A command without `$ ` is left out only where it is a synopsis: capitals stand for what the reader puts in (`clade info DATA`).
"""

import difflib
import importlib.util
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from clade_tool import CLADE, DATA, SOURCE
from near_text import is_near

PROGRAM = re.compile(r"(\w+=\S+ )*((clade|make|cmake|ninja|python3?|pip3?|git|source) .*"
                     r"|([\w/.-]*/)?(build|bin|bench|scripts|experiments)/[\w./-]+( .*)?|\w.* \| (build/)?clade .*|>>> .*)")
SYNOPSIS = re.compile(r".*[ =<\[]-?[A-Z]{2,}\b.*|.* [A-Z]( .*)?")


class Step(NamedTuple):
    kind: str  # run, needs, not run, bare (a command without `$ `)
    line: int
    what: str  # the command or the file
    shown: list  # run: the lines below it; not run: why


def pages():
    """Every page of the documentation, by its path in the source tree."""
    return ["README.md", *sorted(str(path.relative_to(SOURCE)) for path in (SOURCE / "docs").rglob("*.md"))]


def pages_with_examples():
    return [page for page in pages() if any(step.kind == "run" for step in steps_of(page))]


def steps_of(page):
    """What a page does, in order."""
    steps, shown, why, fence, open_line = [], None, None, None, None
    for number, line in enumerate((SOURCE / page).read_text().splitlines(), 1):
        if line.startswith("```"):
            fence = (line[3:] or "text") if fence is None else None
        elif needed := re.fullmatch(r"<!-- needs: (\S+) -->", line):
            steps.append(Step("needs", number, needed[1], []))
        elif reason := re.fullmatch(r"<!-- not run:(.*)-->", line):
            why = [reason[1].strip()]
        elif fence is not None:
            if fence not in ("python", "cpp") and PROGRAM.fullmatch(line.strip().removeprefix("$ ")):
                steps.append(Step("bare", number, line.strip(), []))
        elif open_line is not None:  # goes on after a backslash
            steps[-1] = steps[-1]._replace(what=steps[-1].what[:-1] + line.strip())
            open_line = number if line.endswith("\\") else None
        elif line.startswith("    $ "):
            shown = []
            steps.append(Step("not run", number, line[6:], why) if why else Step("run", number, line[6:], shown))
            open_line = number if line.endswith("\\") else None
        elif line.startswith("    ") or not line:
            if shown is not None:
                shown.append(line[4:])
            elif PROGRAM.fullmatch(line.strip()):
                steps.append(Step("not run" if why else "bare", number, line.strip(), why or []))
                open_line = number if line.endswith("\\") else None
        else:
            shown, why = None, None
    return [step._replace(shown="\n".join(step.shown).strip("\n").splitlines()) for step in steps]


def is_synopsis(command):
    return bool(SYNOPSIS.fullmatch(command.split("  #")[0]))


def is_shown(found, shown):
    """Whether a page shows the lines that its command prints."""
    return is_near("\n".join(found).strip("\n").split("\n"), shown)


def file_of(step):
    """The file that a `cat` shows, if this is one."""
    made = re.fullmatch(r"cat ([\w./-]+)", step.what) if step.kind == "run" else None
    return made and made[1]


def make_file(step, folder):
    path = folder / file_of(step)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(step.shown) + "\n")


def make_files(page, folder):
    """Makes only the files that a page shows by `cat`."""
    for step in steps_of(page):
        if file_of(step):
            make_file(step, folder)


def find_needed(what, folder):
    """Links a file of CLADE_DATA into the folder, or skips."""
    file = Path(what) if what.startswith("/") else next(DATA.glob(what + "*"), None)
    if file is None or not file.exists():
        pytest.skip(f"no {what}" if what.startswith("/") else f"no {what} in {DATA}: set CLADE_DATA to the folder of data sets")
    if not what.startswith("/"):
        (folder / file.name).symlink_to(file.resolve())


def run_example(page, step, folder, environment):
    process = subprocess.run(["bash", "-c", step.what.replace("build/clade", "clade")], cwd=folder, env=environment,
                             capture_output=True, text=True)
    if "No module named 'clade'" in process.stderr and importlib.util.find_spec("clade") is None:
        pytest.skip("no Python package: it was not built")
    place = f"{page}:{step.line}: {step.what}\n"
    failing = bool(step.shown) and step.shown[0].startswith("clade: ")
    expected = 2 if failing else 0
    said = process.stdout + process.stderr
    assert process.returncode == expected, f"{place}status {process.returncode}; expected {expected}\n{said}"
    found = [line.rstrip() for line in (process.stderr if failing else process.stdout).splitlines()]
    if step.shown and not is_shown(found, step.shown):
        difference = difflib.unified_diff(step.shown, found, "the page shows", "the command prints", lineterm="")
        pytest.fail(place + "\n".join(difference), pytrace=False)


def run_examples(page, folder):
    """Runs all commands of a page."""
    programs = folder / ".programs"
    programs.mkdir()
    (programs / "clade").symlink_to(Path(CLADE).resolve())
    (programs / "python3").symlink_to("/usr/bin/python3")
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # of `make test`; they would make a page's own build talk of folders
        environment.pop(name, None)
    for step in steps_of(page):
        if step.kind == "needs":
            find_needed(step.what, folder)
        elif file_of(step) and not (folder / file_of(step)).exists():
            make_file(step, folder)
        elif step.kind == "run":
            run_example(page, step, folder, environment)
    for picture in re.findall(r"!\[[^]]*\]\(([\w./-]+\.svg)\)", (SOURCE / page).read_text()):
        made, shown = folder / Path(picture).name, (SOURCE / page).parent / picture
        assert not made.exists() or made.read_text() == shown.read_text(), f"{page} shows another picture than {made.name}"
