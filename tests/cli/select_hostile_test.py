"""clade select on what nobody should ask: one clear line, the right status, nothing half-written."""

import os
import signal
import subprocess

import numpy as np
import pytest
from clade_tool import CLADE, error_line, run, run_json

TREE = "child,parent\na,r\nb,r\na1,a\na2,a\nb1,b\nb2,b\n"


@pytest.fixture
def files(tmp_path):
    generator = np.random.default_rng(1)
    rows = [",".join(f"{v:.3f}" for v in generator.normal(size=6)) + f",{('a1', 'a2', 'b1', 'b2')[s % 4]}\n" for s in range(40)]
    (tmp_path / "tree.csv").write_text(TREE)
    (tmp_path / "d.csv").write_text("u,v,w,x,y,z,label\n" + "".join(rows))
    return tmp_path


def command(files, name, *arguments, method="hier-fs"):
    return ["select", files / name, "--taxonomy", files / "tree.csv", "--method", method, *arguments]


DATA = {
    "empty": ("", "d.csv: empty file"),
    "a header alone": ("x,label\n", "d.csv: no samples"),
    "infinite": ("x,y,label\n1,inf,a1\n2,1,b1\n", "d.csv:2:3: 'inf' in column 'y' is not finite"),
    "a label outside": ("x,y,label\n1,2,a1\n2,1,zebra\n", "d.csv:3: label 'zebra' is not in the taxonomy"),
}


@pytest.mark.parametrize("case", DATA)
def test_bad_data(files, case):
    text, expected = DATA[case]
    (files / "d.csv").write_text(text)
    assert expected in error_line(*command(files, "d.csv", "-o", files / "r.json"))
    assert not (files / "r.json").exists()


@pytest.mark.parametrize("method", ["hier-fs", "hier-fisher", "mrmr", "fsnm"])
def test_no_labels(files, method):
    (files / "d.csv").write_text("x,y,label\n1,2,\n2,1,\n")
    assert "the data has no labelled sample; expected labels" in error_line(*command(files, "d.csv", "--quiet", method=method))


@pytest.mark.parametrize("method", ["hier-fs", "hirr-fam", "hfscn", "hfsdk", "fs-mgkc", "hier-fisher", "hier-fsnm", "fsnm"])
def test_values_whose_squares_overflow(files, method):
    (files / "d.csv").write_text("x,y,label\n1e308,1e308,a1\n-1e308,1,b1\n1e308,2,a2\n")
    line = error_line(*command(files, "d.csv", "-o", files / "r.json", method=method))
    assert "scaled features" in line or "keep it finite" in line
    assert not (files / "r.json").exists()
    run_json(*command(files, "d.csv", "--scale", "standard", method=method))


def test_a_path_over_values_that_overflow(files):
    (files / "d.csv").write_text("x,y,label\n1e308,1e308,a1\n-1e308,1,b1\n1e308,2,a2\n")
    assert "too large to compute with; expected scaled features" in error_line(*command(files, "d.csv", "--path", 3))


@pytest.mark.parametrize("method, flag", [("hier-fs", "--lambda"), ("hirr-fam", "--alpha"), ("hirr-sib", "--beta"), ("hfsgr", "--beta"),
                                          ("fs-mgkc", "--beta"), ("fs-dr", "--beta"), ("fs-mc", "--alpha")])
def test_parameters_that_overflow(files, method, flag):
    line = error_line(*command(files, "d.csv", flag, 1e308, "-o", files / "r.json", method=method))
    assert "cannot be solved; expected data and parameters that keep it finite" in line
    assert not (files / "r.json").exists()


def test_indefinite_systems_advise_what_helps(files):
    (note,) = run_json(*command(files, "d.csv", "--beta", 1e3, "--redundancy", "distances", method="fs-mgkc"))["notes"]
    assert note.startswith("systems that are indefinite: 3 of 3") and "--redundancy psd" in note
    notes = run_json(*command(files, "d.csv", "--beta", 1e200, "--allow-zero-weights", method="fs-dr"))["notes"]
    assert not any("--redundancy psd" in note for note in notes)


def test_the_request_is_checked_before_the_data_are_read(files):
    none = files / "none.csv"
    assert "--gap: '0'" in error_line("select", none, "--method", "hier-fs", "--gap", 0)
    assert "--iterations: '1000000'" in error_line("select", none, "--method", "hier-fs", "--iterations", 1000000)
    assert "--memory: 'lots'" in error_line("select", none, "--method", "hier-mrmr", "--memory", "lots")
    assert "hier-fs has no parameter --alpha" in error_line("select", none, "--method", "hier-fs", "--alpha", 1)


@pytest.mark.parametrize("memory, expected", [
    ("1", "selection needs about 4 KiB of memory and may use 1 KiB; expected a larger --memory"),
    ("3K", "may use 3 KiB; expected fewer features, 4 or so, or a larger --memory"),
    ("0", "--memory: '0'; expected an amount"),
    ("-4G", "--memory: '-4G'; expected an amount"),
])
def test_little_memory(files, memory, expected):
    assert expected in error_line(*command(files, "d.csv", "--memory", memory, "-o", files / "r.json"))
    assert not (files / "r.json").exists()


def test_more_folds_than_samples(files):
    line = error_line(*command(files, "d.csv", "--select-lambda", "cv", "--cv-folds", 41))
    assert "--cv-folds: '41'; expected no more folds than samples, of which there are 40" in line


@pytest.mark.parametrize("name", ["d.csv", "tree.csv", "./d.csv"])
def test_the_input_is_never_overwritten(files, name):
    before = (files / name).read_text()
    assert "is the input; expected another file" in error_line(*command(files, "d.csv", "-o", f"{files}/{name}", "--force"))
    assert (files / name).read_text() == before


def test_places_that_cannot_be_written(files):
    assert "cannot create a temporary file beside it: No such file" in error_line(*command(files, "d.csv", "-o", files / "none" / "r.json"), status=1)
    assert "is a directory" in error_line(*command(files, "d.csv", "-o", files))
    assert "cannot write: No space left" in error_line(*command(files, "d.csv", "-o", "/dev/full", "--force"), status=1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(files):
    (files / "closed").mkdir(mode=0o555)
    assert "Permission denied" in error_line(*command(files, "d.csv", "-o", files / "closed" / "r.json"), status=1)


@pytest.mark.parametrize("arguments", [["--method", "hirr-fam", "--iterations", 100000], ["--method", "hfsdk", "--iterations", 100000],
                                       ["--method", "hier-fs", "--path", 10000]])
def test_an_interrupted_run_leaves_nothing(tmp_path, arguments):
    run("synth", "-o", tmp_path / "s.arff", "--depth", 3, "--fanout", 3, "--features", 60, "--samples", 500, "--single-label")
    out = tmp_path / "out"
    out.mkdir()
    process = subprocess.Popen([CLADE, "select", tmp_path / "s.arff", *map(str, arguments), "-o", out / "r.json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, output) == (1, "")
    assert errors.splitlines()[-1] == "clade: stopped before the end, as asked"
    assert list(out.iterdir()) == []
