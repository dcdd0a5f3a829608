"""Values at the ends of the range of numbers, features under other names, and models that hold what is no number."""

import csv
import ctypes
import ctypes.util
import json
import random
import struct

import pytest
from clade_tool import attempt, error_line, run, run_json

LEAVES = ["p/x", "p/y", "q/z", "q/w"]


def table(path, rows, header="a,b,c,label"):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def samples(seed=1, count=60):
    rng = random.Random(seed)
    return [[rng.gauss(k % 4, 0.5), rng.gauss(k % 2, 0.5), rng.random(), LEAVES[k % 4]] for k in range(count)]


@pytest.mark.parametrize("classifier", ["hierarchical-perceptron", "flat-perceptron", "hieron"])
def test_training_goes_on_with_columns_in_another_order(tmp_path, classifier):
    first, rows = table(tmp_path / "first.csv", samples()), samples(2)
    same = table(tmp_path / "same.csv", rows)
    other = table(tmp_path / "other.csv", [[c, label, a, b] for a, b, c, label in rows], "c,label,a,b")
    more = table(tmp_path / "more.csv", [[7, b, a, c, label] for a, b, c, label in rows], "extra,b,a,c,label")
    shown = []
    for data in (same, other, more):
        run("train", first, "--classifier", classifier, "--epochs", 1, "-o", tmp_path / "m.clade", "--force")
        run("train", "--append", tmp_path / "m.clade", data)
        shown.append(run("predict", tmp_path / "m.clade", first).stdout)
    assert shown[0] == shown[1] == shown[2]


def test_what_differs_is_said(tmp_path):
    rows = samples()
    first = table(tmp_path / "first.csv", rows)
    lacks = table(tmp_path / "lacks.csv", [[a, b, label] for a, b, _, label in rows], "a,b,label")
    renamed = table(tmp_path / "renamed.csv", rows, "x,y,z,label")
    model = tmp_path / "m.clade"
    run("train", first, "--classifier", "hieron", "-o", model)
    none = "the data have none of the model's 3 features: a, b, c; expected columns of these names"
    for words in (["predict", model], ["evaluate", model], ["train", "--append", model]):
        line = error_line(*words, lacks)
        assert "the data lack 1 of the model's 3 features: c; expected all of them" in line
        assert ("--align-features" in line) == (words[0] != "train")
        assert none in error_line(*words, renamed)
    assert none in error_line("predict", model, renamed, "--align-features")
    run("predict", model, lacks, "--align-features")
    for words in (["train", first, "--classifier", "prior", "--test", lacks, "-o", tmp_path / "n.clade", "--quiet"],
                  ["compare", model, model, "--data", lacks, "--quiet"]):
        line = error_line(*words)
        assert "the data lack 1 of the model's 3 features: c; expected all of them" in line and "align" not in line


def test_a_test_that_is_not_there_is_found_first(tmp_path):
    line = error_line("train", table(tmp_path / "d.csv", samples()), "--test", tmp_path / "nope.csv", "-o", tmp_path / "m.clade")
    assert "nope.csv: no such file; expected a data set for --test" in line and not (tmp_path / "m.clade").exists()


@pytest.mark.parametrize("value", [1.7e308, 1e200])
def test_values_that_are_too_large_are_named(tmp_path, value):
    rows = samples()
    rows[17][1] = -value
    rows[20][0] = ""
    data = table(tmp_path / "d.csv", rows)
    for classifier in ("blend", "kernel-ridge", "top-down-svm", "hierarchical-svm"):
        line = error_line("train", data, "--classifier", classifier, "--missing", "mean", "-o", tmp_path / "m.clade", "--quiet")
        assert f"the largest value is {value:.2g}, of feature b and sample 17, and squares" in line
        assert not (tmp_path / "m.clade").exists()


def test_means_of_large_values_are_numbers(tmp_path):
    rows = [[1.7e308 if k % 2 else 1.6e308, *row[1:]] for k, row in enumerate(samples())]
    rows[3][0] = ""
    data = table(tmp_path / "d.csv", rows)
    run("train", data, "--classifier", "forest", "--missing", "mean", "-o", tmp_path / "m.clade")
    run("predict", tmp_path / "m.clade", data)
    run("convert", data, "--missing", "mean", "-o", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        filled = float(list(csv.DictReader(file))[3]["a"])
    expected = sum(row[0] / 59 for row in rows if row[0] != "")
    assert filled == pytest.approx(expected, rel=1e-12)


# Powers of two change no digit: what is scaled must not depend on them. The last are near the ends of the range.
@pytest.mark.parametrize("scale", ["standard", "minmax"])
@pytest.mark.parametrize("power", [-1000, -600, 600, 1000])
def test_scaling_takes_values_of_any_size(tmp_path, scale, power):
    rows = samples()
    plain = table(tmp_path / "plain.csv", rows)
    sized = table(tmp_path / "sized.csv", [[*(v * 2.0**power for v in row[:3]), row[3]] for row in rows])
    for method in ("fisher", "hirr-fam"):
        found = [run_json("select", data, "--method", method, "--scale", scale)["nodes"] for data in (plain, sized)]
        for one, other in zip(*found):
            assert one["ranking"] == other["ranking"] and one["weight"] == pytest.approx(other["weight"], rel=1e-9)
    said = [run("cluster", data, "--scale", scale).stdout.splitlines()[-1] for data in (plain, sized)]
    assert said[0] == said[1]


def test_the_smallest_numbers_are_scaled(tmp_path):
    data = table(tmp_path / "d.csv", [[(k % 4 + 1) * 5e-324, (k % 3) * 5e-324, k % 5, LEAVES[k % 4]] for k in range(60)])
    plain = table(tmp_path / "e.csv", [[k % 4 + 1, k % 3, k % 5, LEAVES[k % 4]] for k in range(60)])
    found = [run_json("select", path, "--method", "fisher", "--scale", "standard")["nodes"][0] for path in (data, plain)]
    assert found[0]["ranking"] == found[1]["ranking"]
    assert found[0]["weight"] == pytest.approx(found[1]["weight"], rel=1e-9)


def with_first_value(path, array, value):
    """The model file with another first element of an array, and the checksum that belongs to it."""
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[24:32], "little")
    description = json.loads(data[64:64 + size])
    start = (64 + size + 63) // 64 * 64
    kind, offset = next((kind, offset) for name, kind, offset, _ in description["arrays"] if name == array)
    struct.pack_into({"f32": "<f", "f64": "<d"}[kind], data, start + offset, value)
    library = ctypes.CDLL(ctypes.util.find_library("xxhash"))
    library.XXH3_64bits.restype = ctypes.c_uint64
    library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    data[-8:] = library.XXH3_64bits(bytes(data[:-8]), len(data) - 8).to_bytes(8, "little")
    path.write_bytes(data)


@pytest.mark.skipif(ctypes.util.find_library("xxhash") is None, reason="no library for the checksum")
@pytest.mark.parametrize("stored", ["float", "double"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_weights_that_are_no_numbers_are_refused(tmp_path, stored, value):
    data, model = table(tmp_path / "d.csv", samples()), tmp_path / "m.clade"
    run("train", data, "--classifier", "path-svm", "--weights", stored, "-o", model)
    size = int.from_bytes(model.read_bytes()[24:32], "little")
    arrays = [name for name, *_ in json.loads(model.read_bytes()[64:64 + size])["arrays"]]
    array = next(name for name in arrays if name.startswith("weights"))
    with_first_value(model, array, 0.5)
    run("predict", model, data)
    with_first_value(model, array, value)
    for words in (["predict", model, data], ["info", model], ["evaluate", model, data]):
        assert "a weight that is not finite" in error_line(*words)


def test_missing_values_are_shown_as_missing(tmp_path):
    rows = samples()
    for row in rows[::3]:
        row[0] = ""
    data = table(tmp_path / "d.csv", rows)
    run("train", data, "--classifier", "forest", "-o", tmp_path / "m.clade")
    text = run("predict", tmp_path / "m.clade", data, "--explain", 1).stdout
    assert "a is missing" in text and "nan" not in text


def test_the_coverage_is_what_was_asked_for(tmp_path):
    data, model = table(tmp_path / "d.csv", samples()), tmp_path / "m.clade"
    run("train", data, "--classifier", "top-down-logistic", "--conformal", "split", "-o", model)
    for asked, said in {"99.99%": "0.9999", "0.9999": "0.9999", "95%": "0.95", "7.3%": "0.073", "9e1%": None}.items():
        process = attempt("predict", model, data, "--coverage", asked)
        if said is None:
            assert process.returncode == 2 and "--coverage: '9e1%'" in process.stderr
        else:
            assert {row["coverage"] for row in csv.DictReader(process.stdout.splitlines())} == {said}


def test_messages_name_what_to_type(tmp_path):
    data = table(tmp_path / "d.csv", samples())
    several = table(tmp_path / "several.csv", [[*row[:3], ["x;y", "y", "z;x", "w"][k % 4]] for k, row in enumerate(samples())])
    out = ["-o", tmp_path / "m.clade", "--force"]
    line = error_line("train", several, "--classifier", "top-down-logistic", "--decide", "one", "--decide-folds", 61, *out)
    assert line == "--decide-folds 61: there are 60 samples to learn from; expected at most 60"
    line = error_line("train", data, "--classifier", "kernel-ridge", "--memory", "1K", *out)
    assert "1 KiB, the limit of memory; --memory sets another" in line
    selectors = {method["name"] for method in run_json("methods")["selectors"]}
    for classifier in ("forest", "kernel-ridge"):
        line = error_line("train", data, "--classifier", classifier, "--select", "hirr-fam", *out)
        named = line.partition("(such are made by ")[2].rstrip(")").split(", ")
        assert named and set(named) <= selectors
        run("train", data, "--classifier", classifier, "--select", "fisher", "--top", 2, *out)
        assert "fisher" in named
    holes = table(tmp_path / "holes.csv", [["", 1, 2, "x"], [3, 4, 5, "y"]])
    assert "--missing mean, zero or drop-sample, or keep where they may stay" in error_line("select", holes, "--method", "fisher")


def test_a_precision_that_is_not_reached_is_noted(tmp_path):
    rng = random.Random(5)
    rows = [[rng.random(), rng.random(), rng.random(), rng.choice(["x;y", "y", "z;x", "w", "x"])] for _ in range(80)]
    data = table(tmp_path / "d.csv", rows)
    options = ["--classifier", "top-down-logistic", "--decide-for", "recall", "-o", tmp_path / "m.clade", "--force"]
    noted = "--least-precision 0.99 was not reached on held-out samples"
    assert noted in run("train", data, *options, "--least-precision", 0.99).stderr
    assert "not reached" not in run("train", data, *options, "--least-precision", 0.1).stderr
