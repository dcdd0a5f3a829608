"""Work on several processes, started by mpirun: the bytes are those of one process, also after interruptions."""

import json
import random
import re
import signal
import time

import pytest
from clade_tool import FULL, run
from team import Team, needs_mpi, run_team

pytestmark = needs_mpi

METHODS = {
    "svm": ["--classifier", "top-down-svm"],
    "logistic": ["--classifier", "top-down-logistic", "--calibrate", "temperature"],
    "label tree": ["--classifier", "top-down-svm", "--label-tree", 10, "--label-group", 4],
    "dnc": ["--classifier", "dnc-svm"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("team")
    run("synth", "-o", made / "data.npz", "--samples", 800, "--features", 20, "--depth", 2, "--fanout", 12, "--single-label")
    return made


def without_times(text):
    return re.sub(r"in [\d.]+ m?s\b", "in some time", text)


@pytest.mark.parametrize("method", METHODS)
def test_any_number_of_processes_writes_the_bytes_of_one(folder, method):
    out = folder / "model.clade"
    arguments = ["train", folder / "data.npz", "-o", out, "--force", *METHODS[method]]
    alone = run(*arguments)
    expected = out.read_bytes()
    for size in (2, 3, 4, 7):
        out.unlink()
        shown, said = run_team(size, *arguments)
        assert out.read_bytes() == expected, size
        assert without_times(shown) == without_times(alone.stdout), size
        assert said == alone.stderr, size


def test_a_command_for_one_process_is_run_once(folder):
    shown, said = run_team(3, "info", folder / "data.npz")
    assert shown == run("info", folder / "data.npz").stdout
    assert said == "clade: clade info is the work of one process; the others wait\n"


# ---- interruptions

KILLS = 50 if FULL else 12
SIZES = (1, 2, 3, 4)


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """A command of seconds, the bytes that it has to write, and the number of pieces that it keeps."""
    made = tmp_path_factory.mktemp("job")
    run("synth", "-o", made / "data.npz", "--samples", 8000, "--features", 80, "--depth", 2, "--fanout", 15, "--single-label")
    arguments = ["train", made / "data.npz", "--classifier", "top-down-logistic", "--calibrate", "temperature", "--quiet"]
    run(*arguments, "-o", made / "alone.clade")
    run(*arguments, "-o", made / "kept.clade", "--work", made / "work")
    expected = (made / "alone.clade").read_bytes()
    assert (made / "kept.clade").read_bytes() == expected
    return arguments, expected, len(pieces_in(made / "work"))


def pieces_in(work):
    return list(work.glob("*.piece"))


def interrupt(team, what, chance):
    if what == "one":
        team.kill(chance.randrange(team.size))
    elif what == "all":
        team.kill()
    else:
        team.process.kill()


def test_killed_work_goes_on_with_any_number_of_processes(job, tmp_path):
    arguments, expected, pieces = job
    chance = random.Random(11)
    kills = in_the_middle = 0
    while kills < KILLS:
        folder = tmp_path / f"chain{kills}"
        folder.mkdir()
        work, out = folder / "work", folder / "model.clade"
        command = [*arguments, "-o", out, "--work", work, "--resume"]
        for _ in range(3):
            team = Team(chance.choice(SIZES), *command)
            done = len(pieces_in(work))
            if done == pieces:
                break
            # Before the next piece, in the middle, and at the end, when the model is written.
            share = chance.uniform(-0.2, 1.05)
            wanted = min(done + max(0, share) * (pieces - done), pieces)
            if share >= 0:
                team.wait_for_start()
            if team.wait_until(lambda: len(pieces_in(work)) >= wanted):
                time.sleep(chance.uniform(0, 0.4 if share < 0 else 0.02))
                interrupt(team, ("one", "all", "mpirun")[kills % 3], chance)
                kills += 1
                in_the_middle += 0 < len(pieces_in(work)) < pieces
            team.end_of_killed()
            if out.exists():
                break
        if out.exists():
            assert out.read_bytes() == expected
        run_team(chance.choice(SIZES), *command, "--force")
        assert out.read_bytes() == expected
        assert [path.name for path in folder.iterdir() if ".tmp." in path.name] == []
    assert in_the_middle >= KILLS // 4


def test_kept_pieces_are_not_made_again(job, tmp_path):
    arguments, expected, pieces = job
    command = [*arguments, "-o", tmp_path / "model.clade", "--work", tmp_path / "work", "--force"]
    run_team(2, *command)
    before = {path: path.stat().st_mtime_ns for path in pieces_in(tmp_path / "work")}
    damaged, missing = random.Random(3).sample(sorted(before), 2)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    missing.unlink()
    run_team(3, *command, "--resume")
    after = {path: path.stat().st_mtime_ns for path in pieces_in(tmp_path / "work")}
    assert {path for path in before if after[path] != before[path]} == {damaged, missing}
    assert len(after) == pieces and (tmp_path / "model.clade").read_bytes() == expected


def test_the_measured_predictions_are_of_the_test_data_that_are_there(tmp_path):
    """They may be replaced between a run and the one that goes on with it."""
    run("synth", "-o", tmp_path / "data.npz", "--samples", 700, "--quiet")
    command = ["train", tmp_path / "data.npz", "--classifier", "top-down-svm", "-o", tmp_path / "model.clade", "--force",
               "--test", tmp_path / "test.npz", "--json", "--quiet"]
    for count in (600, 90, 400):
        run("synth", "-o", tmp_path / "test.npz", "--samples", count, "--seed", count, "--quiet", "--force")
        expected = json.loads(run(*command).stdout)["test"]
        resumed = ["--resume"] if count < 600 else []
        found = json.loads(run(*command, "--work", tmp_path / "work", *resumed).stdout)["test"]
        for report in (expected, found):
            report.pop("seconds", None)
        assert found == expected
