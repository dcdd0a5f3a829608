"""OpenBLAS is loaded where a command needs it. Where it cannot be had, or address space is short (ulimit -v, as batch
systems set it), a command does its work or says in one line why not."""

import json
import os
import resource
from pathlib import Path

import pytest
from clade_tool import CLADE, attempt, cached, error_line, run

MEGABYTE = 1 << 20
# Its BLAS must not start more threads, nor ask for more memory, than it does for users who set nothing.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}


def attempt_within(megabytes, *arguments):
    if cached("CLADE_SANITIZE"):
        pytest.skip("sanitizers reserve terabytes of address space")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))

    # The time is no requirement: it ends a command that would run for ever.
    return attempt(*arguments, env=ENVIRONMENT, preexec_fn=limit, timeout=600)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "synth.arff"
    run("synth", "-o", path, "--samples", 200)
    return path


COMMANDS = {
    "formats": ["formats"],
    "methods": ["methods"],
    "info": ["info", "DATA"],
    "train": ["train", "DATA", "--classifier", "top-down-svm", "-o", "OUT"],
    "train of a kernel": ["train", "DATA", "--classifier", "flat-svm", "--kernel", "rbf", "-o", "OUT"],
    "select": ["select", "DATA", "--method", "hirr-par", "-o", "OUT"],
    "learn-taxonomy": ["learn-taxonomy", "DATA", "-o", "OUT"],
}


def filled_in(command, data, out):
    return [{"DATA": data, "OUT": out}.get(word, word) for word in COMMANDS[command]]


@pytest.mark.parametrize("megabytes", [104, 160, 320])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_and_says_why(command, megabytes, data, tmp_path):
    out = tmp_path / "out.csv"
    process = attempt_within(megabytes, *filled_in(command, data, out))
    if process.returncode == 0:
        assert out.exists() or "OUT" not in COMMANDS[command]
    else:
        assert process.returncode == 1, process.stderr
        assert process.stderr.startswith("clade: ") and len(process.stderr.splitlines()) == 1, process.stderr
        assert not out.exists()


def test_commands_without_linear_algebra_need_no_blas(data):
    assert attempt_within(104, "formats").stdout == run("formats").stdout
    assert attempt_within(104, "info", data).stdout == run("info", data).stdout


@pytest.mark.parametrize("threads", [1, 3])
def test_a_selection_is_the_same_where_buffers_are_few(threads, data, tmp_path):
    """400 MB hold one buffer of OpenBLAS, so that its calls take turns."""
    command = ["select", data, "--method", "hirr-par", "--threads", threads]
    run(*command, "-o", tmp_path / "free.json")
    process = attempt_within(400, *command, "-o", tmp_path / "narrow.json")
    assert process.returncode == 0, process.stderr
    free, narrow = (json.loads((tmp_path / name).read_text()) for name in ("free.json", "narrow.json"))
    assert narrow | {"seconds": 0} == free | {"seconds": 0}


@pytest.mark.skipif(b"libopenblas.so.0" not in Path(CLADE).read_bytes(), reason="a build without a BLAS")
def test_a_library_that_cannot_be_loaded_is_named(data, tmp_path):
    for name in ("libopenblas.so.0", "libopenblas.so", "libopenblasp.so.0"):
        (tmp_path / name).write_bytes(b"no library")
    environment = ENVIRONMENT | {"LD_LIBRARY_PATH": str(tmp_path)}
    out = tmp_path / "ranking.json"
    line = error_line("select", data, "--method", "hirr-par", "--quiet", "-o", out, status=1, env=environment)
    assert "libopenblas.so.0" in line and "libopenblas0" in line
    assert not out.exists()
    run("info", data, env=environment)


@pytest.mark.parametrize("variable", ["OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE"])
def test_settings_for_openblas_change_no_more_than_its_kernel(variable, data, tmp_path):
    """Threads of its own would make results depend on their number; a kernel that the user asks for is used."""
    value = {"OPENBLAS_NUM_THREADS": "4", "OPENBLAS_CORETYPE": "Prescott"}[variable]
    rankings = []
    for environment in (ENVIRONMENT, ENVIRONMENT | {variable: value}):
        out = tmp_path / f"{len(rankings)}.json"
        run("select", data, "--method", "hirr-par", "-o", out, env=environment)
        rankings.append(json.loads(out.read_text()))
    if variable == "OPENBLAS_NUM_THREADS":
        assert rankings[0] | {"seconds": 0} == rankings[1] | {"seconds": 0}
    else:
        assert rankings[0]["objective"] == pytest.approx(rankings[1]["objective"], rel=1e-9)
