"""Runs the examples of a page of documentation and compares what they print with what the page shows."""

import re
import shlex

from clade_tool import SOURCE, run


def steps_of(page):
    """The commands of a page and what it shows below each."""
    steps, shown = [], None
    for line in page.read_text().splitlines():
        if line.startswith("    $ "):
            shown = []
            steps.append((line[6:], shown))
        elif line.startswith("    ") or not line:
            if shown is not None:
                shown.append(line[4:])
        else:
            shown = None
    return [(command, "\n".join(lines).strip("\n").splitlines()) for command, lines in steps]


def pattern_of(line):
    """A line of a page as a regular expression: `...` stands for any lines; times and sizes of files differ from run to run."""
    if line == "...":
        return "(.*\n)*?"
    varying = re.search(r"\d[\d.e-]* (s|kB)$", line)
    if varying:
        return re.escape(line[: varying.start()]) + r"\d[\d.e-]* " + varying[1] + "\n"
    return re.escape(line) + "\n"


def check_head(path, shown):
    """Compares lines that a page shows of a file: numbers but for rounding, all else to the letter."""
    found = path.read_text().splitlines()[: len(shown)]
    assert len(found) == len(shown), found
    for a, b in zip(found, shown):
        for x, y in zip(a.split(","), b.split(","), strict=True):
            if x != y:
                assert abs(float(x) - float(y)) < 1e-6, (a, b)


def run_page(page, folder, commands=("evaluate", "compare")):
    """Makes the files that the page shows by `cat`, runs its commands, and compares what they print and what the page shows of
    their files by `head`. Returns how many it ran."""
    count = 0
    for command, shown in steps_of(SOURCE / page):
        program, *arguments = shlex.split(command)
        if program == "cat":
            (folder / arguments[0]).write_text("\n".join(shown) + "\n")
        elif program == "head":
            if (folder / arguments[-1]).exists():
                check_head(folder / arguments[-1], shown)
        elif program.endswith("clade") and arguments[0] in commands:
            count += 1
            found = [line.rstrip() for line in run(*arguments, cwd=folder).stdout.splitlines()]
            pattern = "".join(map(pattern_of, shown))
            assert re.fullmatch(pattern, "\n".join(found).strip("\n") + "\n"), f"{command}\n" + "\n".join(found)
    return count
