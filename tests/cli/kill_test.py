"""Death at any moment: an output is the old file or the new one, never a part or a mixture, and the next run succeeds."""

import fcntl
import json
import random
import shutil
import signal
import subprocess
import time

import pytest
from clade_tool import CLADE, error_line, run, run_json

TRIES = 8


def start(*arguments, **options):
    return subprocess.Popen([CLADE, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def kill(process):
    process.kill()
    return process.wait()


def leftovers(folder):
    return [path for path in folder.iterdir() if ".tmp." in path.name]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Two data sets of one shape, so that only a checksum tells a mixture."""
    folder = tmp_path_factory.mktemp("inputs")
    for seed, name in enumerate(["old", "new"]):
        run("synth", "-o", folder / f"{name}.arff", "--samples", 1500, "--features", 30, "--seed", seed)
        run("synth", "-o", folder / f"{name}_small.arff", "--samples", 200, "--seed", seed)
    return folder


# What is written, from the name of an input.
COMMANDS = {
    "data with a file beside": (lambda source: ["convert", source], "out.mtx"),
    "packed data": (lambda source: ["convert", source], "out.svm.gz"),
    "data alone": (lambda source: ["convert", source], "out.npz"),
    "model": (lambda source: ["train", source, "--classifier", "top-down-svm"], "out.clade"),
    "ranking": (lambda source: ["select", source, "--method", "fisher"], "out.json"),
    "taxonomy": (lambda source: ["learn-taxonomy", source], "out.csv"),
}


def contents(out):
    """The output and the file beside it, if there is one."""
    beside = out.with_name(out.name + ".meta.json")
    return out.read_bytes(), beside.read_bytes() if beside.exists() else None


@pytest.mark.parametrize("what", COMMANDS)
def test_a_killed_run_leaves_the_old_file_or_the_new_one(inputs, tmp_path, what):
    chance = random.Random(7)
    command, name = COMMANDS[what]
    sources = {age: inputs / (f"{age}_small.arff" if what in ("model", "taxonomy") else f"{age}.arff") for age in ("old", "new")}
    whole = {}
    seconds = 0
    for age, source in sources.items():
        (tmp_path / age).mkdir()
        begin = time.monotonic()
        run(*command(source), "-o", tmp_path / age / name)
        seconds = time.monotonic() - begin
        whole[age] = contents(tmp_path / age / name)
    folder = tmp_path / "work"
    folder.mkdir()
    out = folder / name
    for _ in range(TRIES):
        for path in (tmp_path / "old").iterdir():
            shutil.copy(path, folder / path.name)
        process = start(*command(sources["new"]), "-o", out, "--force")
        time.sleep(seconds * chance.uniform(0, 1.2))
        assert kill(process) in (0, -signal.SIGKILL)
        data, beside = contents(out)
        assert data in (whole["old"][0], whole["new"][0])
        assert beside in (whole["old"][1], whole["new"][1])
        if (data, beside) in (whole["old"], whole["new"]):
            check_readable(what, out)
        else:
            assert "was written with other data than" in error_line("info", out)
    run(*command(sources["new"]), "-o", out, "--force")
    assert leftovers(folder) == []
    check_readable(what, out)
    assert contents(out) == whole["new"]


def check_readable(what, out):
    if what == "ranking":
        assert json.loads(out.read_text())["method"] == "fisher"
    else:
        run("info", out)


@pytest.mark.parametrize("name", ["out.mtx", "out.svm", "out.npy", "out.csv.gz"])
def test_death_between_the_two_renames_never_mixes_data_sets(inputs, tmp_path, name):
    out = tmp_path / name
    beside = tmp_path / (name + ".meta.json")
    run("convert", inputs / "old_small.arff", "-o", out)
    old = contents(out)
    run("convert", inputs / "new_small.arff", "-o", out, "--force")
    new = contents(out)
    for data, meta in [(old[0], new[1]), (new[0], old[1])]:
        out.write_bytes(data)
        beside.write_bytes(meta)
        line = error_line("info", out)
        assert line == (f"{beside}: was written with other data than {out} now holds; write the data again, or remove this file to "
                        "read the data without it")
        error_line("train", out, "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
        run("convert", inputs / "new_small.arff", "-o", out, "--force")
        assert contents(out) == new
    out.write_bytes(old[0])
    beside.unlink()
    assert run_json("info", out)["features"] == 20


def test_what_a_killed_run_has_left_is_removed_and_what_a_living_one_writes_is_not(inputs, tmp_path):
    out = tmp_path / "out.csv"
    left, living, other = (tmp_path / f"{name}.tmp.0123456789abcde{digit}" for name, digit in [("out.csv", 1), ("out.csv", 2), ("b", 3)])
    for path in (left, living, other):
        path.write_text("half")
    with living.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # as a process does that is at work
        run("convert", inputs / "old_small.arff", "-o", out)
    run("info", out)
    assert sorted(leftovers(tmp_path)) == sorted([living, other])
