"""ARFF through the tool, against scipy's reader."""

import numpy as np
import pytest
from clade_tool import error_line, run, run_json
from scipy.io import arff


def write_numeric(path, values, labels):
    lines = ["@relation r"] + [f"@attribute 'x {k}' numeric" for k in range(values.shape[1])]
    lines += ["@attribute class {p,q,r}", "@data"]
    for row, label in zip(values, labels, strict=True):
        lines.append(",".join("?" if np.isnan(v) else repr(float(v)) for v in row) + f",{label}")
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_values_and_labels_are_those_of_scipy(tmp_path, threads):
    generator = np.random.default_rng(threads)
    values = generator.normal(size=(200, 9)) * 10.0 ** generator.integers(-10, 10, size=(200, 9))
    values[generator.random(values.shape) < 0.1] = np.nan
    source = tmp_path / "in.arff"
    write_numeric(source, values, generator.choice(["p", "q", "r"], size=200))
    target = tmp_path / "out.npz"
    run("convert", source, "-o", target, "--missing", "keep", "--threads", threads)
    records, _ = arff.loadarff(source)
    expected = np.array([[record[k] for k in range(9)] for record in records])
    written = np.load(target, allow_pickle=False)
    np.testing.assert_array_equal(written["X"], expected)

    info = run_json("info", source, "--missing", "keep")
    assert info["samples"] == 200 and info["features"] == 9 and info["leaves"] == 3
    assert info["missing_values"] == int(np.isnan(values).sum())


def test_what_is_written_is_read_by_scipy(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("a,b c,label\n1.5,,x\n-2e-30,3,y\n")
    target = tmp_path / "out.arff"
    run("convert", source, "-o", target, "--missing", "keep")
    # scipy knows no hierarchical attribute; in a flat hierarchy the entries are the values of a nominal one.
    lines = [
        "@attribute class {" + line.removeprefix("@attribute class hierarchical ") + "}"
        if line.startswith("@attribute class hierarchical ")
        else line
        for line in target.read_text().splitlines()
    ]
    (tmp_path / "plain.arff").write_text("\n".join(lines) + "\n")
    records, meta = arff.loadarff(tmp_path / "plain.arff")
    assert meta.names() == ["a", "b c", "class"]
    assert records["a"].tolist() == [1.5, -2e-30]
    assert np.isnan(records["b c"][0]) and records["b c"][1] == 3
    assert records["class"].tolist() == [b"x", b"y"]


def test_hierarchies_survive_conversion(tmp_path):
    source = tmp_path / "in.arff"
    source.write_text(
        "@relation r\n@attribute a numeric\n@attribute class hierarchical root/p,p/q,root/r,r/q\n@data\n1,q\n?,p@r\n"
    )
    target = tmp_path / "out.arff"
    run("convert", source, "-o", target, "--missing", "keep")
    assert target.read_text() == (
        "@relation data\n\n@attribute a numeric\n@attribute class hierarchical root/p,root/r,p/q,r/q\n\n"
        "@data\n1,q\n?,p@r\n"
    )
    info = run_json("info", target, "--missing", "keep")
    assert info["kind"] == "dag" and info["nodes"] == 4 and info["leaves"] == 1


def test_errors_are_one_line_with_the_place(tmp_path):
    source = tmp_path / "in.arff"
    source.write_text("@relation r\n@attribute a numeric\n@attribute class hierarchical x,y\n@data\n1,x\n2,z\n")
    assert error_line("info", source) == (
        f"{source}:6: label 'z' is not in the class hierarchy of the header; expected one of its 2 classes"
    )
    source.write_text("@relation r\n@attribute s string\n@attribute class {p}\n@data\nx,p\n")
    assert error_line("info", source).startswith(f"{source}:2: attribute 's' is text; ")
    source.write_text("@relation r\n@attribute a numeric\n@attribute class hierarchical x,y\n@data\n?,x\n")
    assert error_line("convert", source, "-o", tmp_path / "out.csv").startswith(f"{source}:5:1: missing value (1 in the file); ")
