"""Growth as exponents and as a picture, and tables put into pages."""

import sys
import xml.etree.ElementTree as xml

import pytest
from clade_tool import SOURCE

sys.path.insert(0, str(SOURCE / "bench"))
from loglog import Axis, exponent, picture  # noqa: E402
from pages import put, table  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def test_exponents_are_those_of_powers():
    sizes = [10, 30, 70, 500]
    for power in (-0.5, 0, 1, 2.5):
        assert exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power, abs=1e-12)
    # One value off the line: the slope by hand.
    assert exponent([1, 10, 100], [1, 10, 1000]) == pytest.approx(1.5)


def test_an_axis_keeps_all_in_and_spans_a_power_of_ten():
    axis = Axis([20, 2000], 300)
    assert 0 < axis.at(20) < axis.at(200) < axis.at(2000) < 300
    assert axis.at(200) == pytest.approx(150)
    assert 100 in axis.ticks and 50 in axis.ticks
    flat = Axis([20, 22], 300)
    assert flat.at(22) - flat.at(20) < 20


def test_the_picture_has_every_point_inside_of_its_panel():
    lines = {"a < b": ([1, 10, 100], [5, 6, 7]), "c": ([1, 10, 100], [0.1, 10, 1000])}
    root = xml.fromstring(picture([[("time & space", "size", "s", lines)], [("m", "size", "s", {"c": lines["c"]})]], list(lines)))
    panels = root.findall(f"{SVG}g")
    assert [len(panel.findall(f"{SVG}circle")) for panel in panels] == [6, 3]
    for panel in panels:
        frame = panel.find(f"{SVG}rect")
        for circle in panel.findall(f"{SVG}circle"):
            assert 0 < float(circle.get("cx")) < float(frame.get("width"))
            assert 0 < float(circle.get("cy")) < float(frame.get("height"))
    # More is further right and higher up.
    first, *_, last = panels[1].findall(f"{SVG}circle")
    assert float(first.get("cx")) < float(last.get("cx")) and float(first.get("cy")) > float(last.get("cy"))
    assert {text.text for text in root.iter(f"{SVG}text")} >= {"a < b", "c", "time & space"}


def test_a_table_replaces_the_one_before(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- growth -->\nold\n<!-- end -->\n\n<!-- other -->\nstays\n<!-- end -->\n")
    for _ in range(2):
        put(page, "growth", table(["a", "b"], [[1, r"\1"]]))
        assert page.read_text() == ("# Page\n\n<!-- growth -->\n\n| a | b |\n|---|---|\n| 1 | \\1 |\n\n<!-- end -->\n\n"
                                    "<!-- other -->\nstays\n<!-- end -->\n")
    with pytest.raises(SystemExit, match="expected one part"):
        put(page, "absent", "")
