"""clade plan: what it says of memory and traffic against what runs take, its formats and its errors. No times: those depend on
the machine."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from clade_tool import CLADE, attempt, error_line, run, run_json

MPIRUN = shutil.which("mpirun")
HAS_MPI = MPIRUN is not None and (Path(CLADE).parent / "clade_mpi.so").is_file()
needs_mpi = pytest.mark.skipif(not HAS_MPI, reason="no mpirun, or Clade was built without MPI")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data of 64 classes in three levels; the second has more values."""
    folder = tmp_path_factory.mktemp("plan")
    rng = np.random.default_rng(5)
    for name, samples, features in (("small", 1500, 100), ("large", 20000, 400)):
        labels = rng.integers(64, size=samples)
        centres = sum(np.repeat(rng.normal(size=(4**level, features)), 4 ** (3 - level), axis=0) for level in (1, 2, 3))
        np.savez(folder / f"{name}.npz", X=centres[labels] + rng.normal(0, 3, (samples, features)),
                 y=np.array([f"a{c // 16}/b{c // 4}/c{c}" for c in labels]))
    return folder


def peak_of(*arguments):
    """The most memory, in bytes, that a run of the tool had in use."""
    process = subprocess.Popen([CLADE, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return 1024 * usage.ru_maxrss


def sent_by(processes, *arguments):
    """Bytes that each process says to have sent."""
    command = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--quiet", "-np", str(processes), CLADE, *map(str, arguments),
               "--threads", "1", "--verbose"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    sent = [int(number) for number in re.findall(r"sent: (\d+) bytes to other processes", found.stderr)]
    assert len(sent) == processes
    return sent


@pytest.mark.parametrize("method, kind", [("top-down-svm", "train"), ("hier-fs", "select"), ("fisher", "select")])
def test_document(folder, method, kind):
    found = run_json("plan", folder / "small.npz", "--method", method, "--ranks", 6, "--budget", "2s", "--threads", 1)
    assert found["method"] == method and found["work"] == kind
    assert (found["samples"], found["features"], found["threads"]) == (1500, 100, 1)
    assert [row["processes"] for row in found["processes"]] == [1, 2, 4, 6]
    assert found["processes"][0]["sent_bytes"] == 0
    assert len(found["trials"]) >= 2
    assert all(row["seconds"] > 0 and row["fits"] for row in found["processes"])
    assert 0 <= found["shared"] <= 1 and (found["shared"] == 0) == (method == "fisher")


def test_text_has_the_rows_of_the_document(folder):
    text = run("plan", folder / "small.npz", "--method", "top-down-svm", "--ranks", 3, "--budget", "1s", "--memory", "1M",
               "--quiet").stdout
    lines = text.splitlines()
    assert lines[0].startswith(f"{folder / 'small.npz'}: 1,500 samples, 100 features; training by top-down-svm, ")
    rows = [line.split() for line in lines if re.match(r" +\d", line)]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert {row[-1] for row in rows} == {"no"}  # of memory of 1 MiB
    assert "Tried on" in text and "with 1 MiB of memory per process" in text


def test_methods_take_their_parameters(folder):
    few, some, many = (run_json("plan", folder / "small.npz", "--method", "hirr-par", "--iterations", iterations, "--ranks", 2)
                       ["processes"][1]["sent_bytes"] for iterations in (2, 11, 20))
    assert many - some == pytest.approx(some - few, rel=0.01)  # weights go to all after every iteration


def test_memory_is_that_of_a_run(folder):
    """The plan has tried a small part of the samples."""
    found = run_json("plan", folder / "large.npz", "--method", "hierarchical-perceptron", "--budget", "0.001s", "--threads", 2)
    assert found["trials"][-1]["samples"] < 2000
    peak = peak_of("train", folder / "large.npz", "--classifier", "hierarchical-perceptron", "-o", folder / "m.clade", "--threads", 2)
    assert 0.5 < found["processes"][0]["memory_bytes"] / peak < 2


@needs_mpi
@pytest.mark.parametrize("processes", [2, 4])
@pytest.mark.parametrize("method", ["top-down-svm", "hirr-par"])
def test_traffic_is_that_of_a_run(folder, method, processes):
    data = folder / "small.npz"
    row = run_json("plan", data, "--method", method, "--ranks", processes, "--budget", "5s", "--threads", 1)["processes"][-1]
    assert row["processes"] == processes
    command = ["select", data, "--method", method] if method == "hirr-par" else \
        ["train", data, "--classifier", method, "-o", folder / f"{processes}.clade", "--force"]
    sent = sent_by(processes, *command)
    if method == "hirr-par":
        assert 0.5 < row["sent_bytes"] / sum(sent) < 2
        assert 0.5 < row["sent_bytes_of_one"] / max(sent) < 2
    else:  # whatever the leader does itself need not be sent, and that is a matter of time
        everything = row["sent_bytes"] * processes / (processes - 1)
        assert 0 < sum(sent) < 1.5 * everything
        assert everything > 0.5 * (folder / f"{processes}.clade").stat().st_size


def test_one_that_is_both_must_be_named(folder):
    assert error_line("plan", folder / "small.npz", "--method", "forest") == \
        "forest is a classifier and a selector; expected --command train or --command select with it"
    works = {run_json("plan", folder / "small.npz", "--method", "forest", "--command", command, "--trees", 3)["work"]
             for command in ("train", "select")}
    assert works == {"train", "select"}


@pytest.mark.parametrize("arguments, message", [
    (["--method", "fischer"], "no method 'fischer'; did you mean 'fisher'?"),
    ([], "--method is required"),
    (["--method", "fisher", "--ranks", "0"], "--ranks: '0'; expected a whole number, 1 to 65536"),
    (["--method", "fisher", "--budget", "soon"], "--budget: 'soon'; expected a time such as 60s, 5min or 1h"),
    (["--method", "fisher", "--memory", "much"], "--memory: 'much'"),
    (["--method", "fisher", "--command", "train"], "clade train knows no method 'fisher'; expected --command select"),
    (["--method", "fisher", "--command", "tune"], "--command: 'tune'; expected train or select"),
    (["--method", "fisher", "--lambda", "3"], "fisher has no parameter --lambda"),
])
def test_errors(folder, arguments, message):
    assert error_line("plan", folder / "small.npz", *arguments).startswith(message)


def test_no_samples(tmp_path):
    (tmp_path / "tree.csv").write_text("parent,child\nr,a\nr,b\n")
    (tmp_path / "empty.svm").write_text("")
    line = error_line("plan", tmp_path / "empty.svm", "--taxonomy", tmp_path / "tree.csv", "--method", "fisher", "--quiet")
    assert "empty.svm" in line and "expected" in line
    assert attempt("plan", tmp_path / "none.svm", "--method", "fisher").returncode == 2
