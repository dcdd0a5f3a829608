"""Runs the examples of a page of documentation and compares what they print with what the page shows."""

import re

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
    """A line of a page as a regular expression: `...` stands for any lines, and times differ from run to run."""
    if line == "...":
        return "(.*\n)*?"
    return re.sub(r"\d+\\\.\d\d\\ s$", r"\\d+\\.\\d\\d s", re.escape(line)) + "\n"


def run_page(page, folder, commands=("evaluate", "compare")):
    """Makes the files that the page shows by `cat`, runs its commands, and compares. Returns how many it ran."""
    count = 0
    for command, shown in steps_of(SOURCE / page):
        program, *arguments = command.split()
        if program == "cat":
            (folder / arguments[0]).write_text("\n".join(shown) + "\n")
        elif program.endswith("clade") and arguments[0] in commands:
            count += 1
            found = [line.rstrip() for line in run(*arguments, cwd=folder).stdout.splitlines()]
            pattern = "".join(map(pattern_of, shown))
            assert re.fullmatch(pattern, "\n".join(found) + "\n"), f"{command}\n" + "\n".join(found)
    return count
