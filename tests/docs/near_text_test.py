"""What examples may differ in, and what they may not."""

import pytest
from near_text import is_near


@pytest.mark.parametrize("found, shown", [
    ("accuracy 0.6565", "accuracy 0.6569"),
    ("  forgotten    2.84", "  forgotten    2.88"),
    ("p = 0.006", "p = 0.014"),  # both small
    ("100.5  a", " 99.5  a"),  # another width
    ("1.19e+06 +- 2.1", "1.18758e+06 +- 2.1"),
    ("took 12 ms, 0.5 s", "took 7.5 ms, 12 s"),
    ("-1.30 and +0.61", "-1.31 and +0.60"),
    ("3  1000  898  0.8980  159", "3  1000  896  0.8960  157"),  # counts beside their shares
])
def test_near(found, shown):
    assert is_near([found], [shown])


@pytest.mark.parametrize("found, shown", [
    ("accuracy 0.64", "accuracy 0.66"),
    ("samples 101", "samples 100"),
    ("p = 0.03", "p = 0.01"),
    ("+0.61", "-0.61"),
    ("version 0.2.1", "version 0.2.0"),
    ("path 1.44", "flat 1.44"),
    ("0.5 0.7", "0.7 0.5"),
    ("1.5", "1.5 better"),
    ("103.0", "100.0"),
    ("covered 940, share 0.894", "covered 894, share 0.894"),
    ("3  940  0.894", "3  894  0.894"),
    ("level 4  894  0.894", "level 3  894  0.894"),
])
def test_not_near(found, shown):
    assert not is_near([found], [shown])


def test_dots_stand_for_any_lines():
    lines = ["first", "value 0.50", "last"]
    assert is_near(lines, ["...", "value 0.501", "..."])
    assert is_near(lines, ["first", "...", "value 0.5", "last", "..."])
    assert is_near(lines, ["..."])
    assert not is_near(lines, ["...", "value 0.501"])
    assert not is_near(lines, ["first", "last"])
    assert not is_near(lines, ["...", "last", "value 0.50", "..."])
