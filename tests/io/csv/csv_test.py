"""CSV and TSV through the tool, against Python's csv module and pandas."""

import csv
import random

import numpy as np
import pytest
from clade_tool import error_line, run, run_json


def table(path, **options):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, **options))


def random_rows(rows, columns, seed):
    generator = random.Random(seed)
    names = ["plain", "with,comma", 'with "quotes"', "two\nlines", " blank ", "tab\there"]
    header = ["sample"] + [generator.choice(names) + str(k) for k in range(columns)] + ["label"]
    body = []
    for r in range(rows):
        values = [generator.choice([repr(generator.gauss(0, 1)), "0", "1e-300", "-2.5E+10"]) for _ in range(columns)]
        label = ";".join(sorted(generator.sample(["a", "b", "c,d", 'e"f', "g\nh"], generator.randint(1, 3))))
        body.append([f"s,{r}"] + values + [label])
    return [header] + body


@pytest.mark.parametrize("delimiter,ending", [(",", "csv"), ("\t", "tsv"), (";", "csv")])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_what_python_writes_is_read_and_written_back(tmp_path, delimiter, ending, threads):
    rows = random_rows(60, 7, seed=threads)
    source = tmp_path / f"in.{ending}"
    with open(source, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    target = tmp_path / "out.csv"
    run("convert", source, "-o", target, "--threads", threads)
    back = table(target)
    assert back[0] == [name.strip() for name in rows[0]]  # blanks around plain fields are no part of them
    for stated, read in zip(rows[1:], back[1:], strict=True):
        assert read[0] == stated[0]
        assert [float(v) for v in read[1:-1]] == [float(v) for v in stated[1:-1]]
        assert sorted(read[-1].split(";")) == sorted(stated[-1].split(";"))


def test_numbers_are_those_of_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    generator = np.random.default_rng(3)
    values = generator.normal(size=(300, 12)) * 10.0 ** generator.integers(-20, 20, size=(300, 12))
    values[generator.random(values.shape) < 0.05] = np.nan
    frame = pandas.DataFrame(values, columns=[f"x{k}" for k in range(12)])
    frame["label"] = generator.choice(["p", "q"], size=300)
    source = tmp_path / "in.csv"
    frame.to_csv(source, index=False)
    target = tmp_path / "out.csv"
    run("convert", source, "-o", target, "--missing", "keep")
    expected = pandas.read_csv(source, float_precision="round_trip")
    pandas.testing.assert_frame_equal(pandas.read_csv(target, float_precision="round_trip"), expected, check_exact=True)
    info = run_json("info", source, "--missing", "keep")
    assert info["samples"] == 300 and info["features"] == 12
    assert info["missing_values"] == int(np.isnan(values).sum())


def test_options_of_the_command_line(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("gene:kind:v\ng1:x:1\ng2:y:2\n")
    info = run_json("info", source, "--delimiter", ":", "--label-column", "kind", "--sample-column", "gene")
    assert info["samples"] == 2 and info["features"] == 1 and info["leaves"] == 2


def test_errors_are_one_line_with_the_place(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("a,b,label\n1,2,x\n3,abc,y\n")
    assert error_line("info", source) == (
        f"{source}:3:3: 'abc' in column 'b' is not a number; "
        "expected a number, or nothing, ?, NA, NaN or null for a missing value"
    )
    source.write_text("a,b,label\n1,2,x\n3,y\n")
    assert error_line("info", source) == f"{source}:3: 2 columns; expected 3 as in the first row"
    source.write_bytes(b"a,label\n1,caf\xe9\n")
    assert f"{source}:2:6: byte 0xE9 is not UTF-8" in error_line("info", source)
    source.write_text("")
    assert "empty file" in error_line("info", source)
