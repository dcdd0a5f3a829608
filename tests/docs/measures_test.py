"""The page of measures: its worked example, and a place for every measure."""

from fractions import Fraction

from clade_tool import SOURCE, run_json
from evaluation_cases import FIRST, MEASURES, NODES, RANKING, close
from page_examples import make_files


def fraction(cell):
    return float(Fraction(cell.split(":")[0]))


def test_the_worked_example_of_the_measures(tmp_path):
    make_files("docs/methods/measures.md", tmp_path)
    page = (SOURCE / "docs" / "methods" / "measures.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")]
    by_sample = {row[0].strip("`"): [fraction(cell) for cell in row[1:]] for row in rows if len(row) == 6}
    assert sorted(by_sample) == sorted(set(MEASURES) - {*RANKING, *FIRST, *NODES})
    arguments = ["--taxonomy", tmp_path / "tree.csv", "--predictions"]
    data, predictions = ((tmp_path / name).read_text().splitlines() for name in ("data.csv", "single.csv"))
    for column, part in enumerate([[1], [2], [3], [4], [1, 2, 3, 4]]):
        for name, lines in (("part.csv", data), ("part_predictions.csv", predictions)):
            (tmp_path / name).write_text("\n".join([lines[0], *(lines[k] for k in part)]) + "\n")
        found = run_json("evaluate", tmp_path / "part.csv", *arguments, tmp_path / "part_predictions.csv")
        for name, values in by_sample.items():
            close(found[name], values[column], name)
    averages = {row[0].strip("`"): [fraction(cell) for cell in row[1:]] for row in rows if len(row) == 4 and "/" in row[1]}
    assert sorted(averages) == ["macro", "micro", "samples"]
    for average, values in averages.items():
        found = run_json("evaluate", tmp_path / "data.csv", *arguments, tmp_path / "single.csv", "--average", average)
        close([found[f"hierarchical_{name}"] for name in ("precision", "recall", "f1")], values, average)


def test_every_measure_has_its_place_on_the_page():
    page = (SOURCE / "docs" / "methods" / "measures.md").read_text()
    assert [name for name in MEASURES if f"`{name}`" not in page] == []
