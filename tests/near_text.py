"""Compares text that a page or notebook shows with what a program prints on this machine.

A solver stops at its tolerance, and rounding differs between processors, so decimals may differ a little: by 2 % or by
0.01, whichever is more. Whole numbers, words and their order must be the same. `...` on a line of its own stands for any
lines, and times and sizes may be any number.
"""

import doctest
import re

NUMBER = r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?"
VARYING = re.compile(rf"{NUMBER}(?= (?:s|ms|us|kB|MB)(?:\W|$))")
DECIMAL = re.compile(r"(?<![\d.])[-+]?\d+\.\d+(?:e[-+]?\d+)?(?![\d.])")
SHARE = 0.02
LEAST = 0.01


def is_near_number(a, b):
    return abs(a - b) <= max(SHARE * max(abs(a), abs(b)), LEAST) * (1 + 1e-9)


def is_near_line(found, shown):
    """Whether a line that was printed is a line that is shown, but for spaces before numbers, times and decimals."""
    pattern, decimals, end = [], [], 0
    spots = [(spot, False) for spot in VARYING.finditer(shown)]
    taken = [spot.span() for spot, _ in spots]
    spots += [(spot, True) for spot in DECIMAL.finditer(shown)
              if not any(begin < spot.end() and spot.start() < finish for begin, finish in taken)]
    for spot, is_decimal in sorted(spots, key=lambda spot: spot[0].start()):
        before = shown[end : spot.start()]
        pattern += [re.escape(before.rstrip(" ")), " *", f"({DECIMAL.pattern})" if is_decimal else NUMBER]
        decimals += [float(spot[0])] if is_decimal else []
        end = spot.end()
    match = re.fullmatch("".join([*pattern, re.escape(shown[end:])]), found)
    return match is not None and all(map(is_near_number, map(float, match.groups()), decimals))


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
