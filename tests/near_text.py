"""Compares text that a page or notebook shows with what a program prints on this machine.

A solver stops at its tolerance, and rounding differs between processors, so decimals may differ a little: by 2 % or by
0.01, whichever is more. So may counts of 100 and more on a line that also has decimals, where they are results (how many
samples were covered, beside the share). Other whole numbers, words and their order must be the same. `...` on a line of its
own stands for any lines, and times and sizes may be any number.
"""

import doctest
import re

NUMBER = r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?"
VARYING = re.compile(rf"{NUMBER}(?= (?:s|ms|us|kB|MB)(?:\W|$))")
DECIMAL = re.compile(r"(?<![\d.])[-+]?\d+\.\d+(?:e[-+]?\d+)?(?![\d.])")
COUNT = re.compile(r"(?<!\S)\d{3,}(?!\S)")
SHARE = 0.02
LEAST = 0.01


def is_near_number(a, b):
    return abs(a - b) <= max(SHARE * max(abs(a), abs(b)), LEAST) * (1 + 1e-9)


def is_near_line(found, shown):
    """Whether a line that was printed is a line that is shown, but for spaces before numbers, times and decimals."""
    pattern, numbers, end = [], [], 0
    spots = [(spot, None) for spot in VARYING.finditer(shown)]
    taken = [spot.span() for spot, _ in spots]
    compared = [DECIMAL, COUNT] if DECIMAL.search(shown) else []
    spots += [(spot, kind) for kind in compared for spot in kind.finditer(shown)
              if not any(begin < spot.end() and spot.start() < finish for begin, finish in taken)]
    for spot, kind in sorted(spots, key=lambda spot: spot[0].start()):
        before = shown[end : spot.start()]
        pattern += [re.escape(before.rstrip(" ")), " *", f"({kind.pattern})" if kind else NUMBER]
        numbers += [float(spot[0])] if kind else []
        end = spot.end()
    match = re.fullmatch("".join([*pattern, re.escape(shown[end:])]), found)
    return match is not None and all(map(is_near_number, map(float, match.groups()), numbers))


def is_near(found, shown):
    """The same for lists of lines."""
    reached = {0}  # how many of the found lines can stand for the shown ones so far
    for line in shown:
        if line == "...":
            reached = set(range(min(reached), len(found) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(found) and is_near_line(found[at], line)}
        if not reached:
            return False
    return len(found) in reached


class NearChecker(doctest.OutputChecker):
    """Lets examples in Python differ by as much."""

    def check_output(self, want, got, optionflags):
        lines = [[" ".join(line.split()) for line in text.strip().splitlines()] for text in (got, want)]
        return super().check_output(want, got, optionflags) or is_near(*lines)
