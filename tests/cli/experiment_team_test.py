"""clade experiment under mpirun: the results of one process, whatever the number of processes, and whichever of them die."""

import json
import random
import shutil
import signal
import time

import pytest
from clade_tool import CLADE, FULL, run
from study import rows, small_sets, spec
from team import Team, attempt_team, needs_mpi, run_team

pytestmark = needs_mpi
TIMES = ("fit_seconds", "predict_seconds", "memory_mib")

STUDY = """
predictions = true
[[data]]
name = "one"
file = "one.arff"
folds = 2
repeats = {repeats}
[[data]]
name = "two"
file = "two.arff"
holdout = 0.3
repeats = {repeats}
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = {{ c = [0.1, 1] }}
select = "hier-fisher"
top = [3, "50%", 12]
[[recipe]]
name = "tuned"
classifier = "top-down-svm"
tune = {{ parameters = {{ c = [1, 2] }} }}
"""


def results(folder):
    """All that must be the same in every run."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
             if path.is_file() and not path.name.startswith("journal")}
    files["results.csv"] = [{key: value for key, value in row.items() if key not in TIMES} for row in rows(folder)]
    return files


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return small_sets(tmp_path_factory.mktemp("inputs"), "one", "two")


def test_the_results_are_those_of_one_process(inputs, tmp_path):
    study = spec(inputs, STUDY.format(repeats=4))
    (tmp_path / "1").mkdir()
    alone = run("experiment", study, "-o", "out", cwd=tmp_path / "1")
    expected = results(tmp_path / "1" / "out")
    assert len(expected["results.csv"]) == (2 + 1) * 4 * 7 * 2 and len(expected) == 4 + 2 * 4 * 7
    for ranks in (2, 3, 4, 7):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        out, err = run_team(ranks, "experiment", study, "-o", "out", cwd=folder)
        assert results(folder / "out") == expected, ranks
        assert out == alone.stdout
        assert sorted(err.splitlines()) == sorted(alone.stderr.splitlines())
        again = json.loads(run_team(2, "experiment", study, "-o", "out", "--resume", "--json", "--quiet", cwd=folder)[0])
        assert again["resumed"] == again["cells"] == 2 * 4 * 7


def test_death_at_any_moment_changes_nothing(inputs, tmp_path):
    draw = random.Random(7)
    study = spec(inputs, STUDY.format(repeats=20))
    start = time.monotonic()
    run("experiment", study, "-o", tmp_path / "whole", "--quiet")
    seconds = time.monotonic() - start
    expected = results(tmp_path / "whole")
    times = 4 if FULL else 1
    for name, victims in {"ranks": ["a rank"] * 3 * times, "all": ["mpirun", "all"] * times}.items():
        folder = tmp_path / name
        for victim in victims:
            size = draw.choice((2, 3, 4))
            team = Team(size, "experiment", study, "-o", folder, "--resume", "--quiet")
            time.sleep(draw.uniform(0, seconds))
            if victim == "a rank":
                team.kill(draw.randrange(size))
            else:
                team.process.kill()
            if victim == "all":
                team.kill()
            team.end_of_killed()
        run_team(draw.choice((2, 3, 7)), "experiment", study, "-o", folder, "--resume", "--quiet")
        assert results(folder) == expected, name


@pytest.mark.parametrize("rank", [0, 1])
def test_a_request_to_stop_one_process_ends_all_in_order(inputs, tmp_path, rank):
    study = spec(inputs, STUDY.format(repeats=100))
    team = Team(3, "experiment", study, "-o", tmp_path / "out", "--quiet")
    team.wait_until(lambda: list(tmp_path.glob("out/predictions/*.csv")))
    team.kill(rank, number=signal.SIGTERM)
    status, shown, said = team.end()
    assert status == 1 and shown == ""
    lines = [line for line in said.splitlines() if line.startswith("clade: ")]
    assert len(lines) == 1 and lines[0].startswith(f"clade: rank {rank} on ")
    assert lines[0].endswith(": stopped before the end, as asked")
    assert not (tmp_path / "out" / "results.csv").exists()
    again = json.loads(run_team(2, "experiment", study, "-o", tmp_path / "out", "--resume", "--json", "--quiet")[0])
    assert again["cells"] == 2 * 100 * 7 and again["failed"] == []


def test_cells_that_fail_are_told_once(inputs, tmp_path):
    study = spec(inputs, STUDY.format(repeats=2).replace("12]", "500]"))
    said = attempt_team(3, "experiment", study, "-o", tmp_path / "out", "--quiet", status=1)[1]
    assert said.count("cells that failed: 8 of 28; ") == said.count("clade: ") == 1
    run("experiment", study, "-o", tmp_path / "alone", "--quiet", status=1)
    assert results(tmp_path / "out") == results(tmp_path / "alone")
    assert "500 features of 12" in json.loads((tmp_path / "out" / "summary.json").read_text())["failed"][0]["error"]


@pytest.mark.parametrize("what", ["one.arff", "study.toml"])
def test_all_processes_need_the_same_files(inputs, tmp_path, what):
    """Processes on other machines, here in another folder, may have older files of the same names."""
    for folder in (tmp_path / "here", tmp_path / "there"):
        folder.mkdir()
        spec(folder, STUDY.format(repeats=2))
        for name in ("one.arff", "two.arff"):
            shutil.copy(inputs / name, folder / name)
    changed = tmp_path / "there" / what
    changed.write_text(changed.read_text().replace("holdout = 0.3", "holdout = 0.4") if what == "study.toml" else
                       changed.read_text() + "\n")
    arguments = ["experiment", "study.toml", "-o", "out", "--quiet"]
    out, err = attempt_team(2, *arguments, ":", "-np", 1, "-wdir", tmp_path / "there", CLADE, *arguments,
                            cwd=tmp_path / "here", status=2)
    assert out == ""
    lines = [line for line in err.splitlines() if line.startswith("clade: ")]
    assert len(lines) == 1 and " differs between processes: rank 0 on " in lines[0] and ", and rank 2 on " in lines[0]
    assert ("data set 'two' differs" if what == "study.toml" else "file one.arff differs") in lines[0]
    assert not (tmp_path / "there" / "out").exists()


def test_a_dry_run_is_shown_once(inputs, tmp_path):
    study = spec(inputs, STUDY.format(repeats=2))
    found = json.loads(run_team(3, "experiment", study, "--dry-run", "--json", "--quiet")[0])
    assert len(found["cells"]) == 2 * 2 * 7
