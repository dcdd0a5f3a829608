"""Faults of one of several processes: all of them end, one line says which process it was and why, and no file is left."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from clade_tool import CLADE, cached, error_line, run
from team import MARK, Team, needs_mpi, run_team

pytestmark = needs_mpi

TRAIN = ["train", "data.npz", "-o", "model.clade", "--classifier", "top-down-svm", "--quiet"]
HOST = re.escape(socket.gethostname())


def place(rank):
    return f"rank {rank} on {HOST}"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    made = tmp_path_factory.mktemp("inputs")
    large = ["--samples", 40000, "--features", 100, "--depth", 3, "--fanout", 6, "--single-label"]
    run("synth", "-o", made / "large.npz", *large)
    run("synth", "-o", made / "small.npz")
    run("synth", "-o", made / "other.npz", "--seed", 2)
    return made


@pytest.fixture
def folder(tmp_path, inputs):
    """Where the command runs, with data for a moment."""
    shutil.copy(inputs / "small.npz", tmp_path / "data.npz")
    return tmp_path


@pytest.fixture
def long_folder(tmp_path, inputs):
    """With data for seconds."""
    shutil.copy(inputs / "large.npz", tmp_path / "data.npz")
    return tmp_path


def for_rank(folder, rank, command, otherwise='exec "$CLADE" "$@"'):
    """A program that runs this shell command first in one of the ranks."""
    path = folder / "program"
    path.write_text(f'#!/bin/sh\nif [ "$OMPI_COMM_WORLD_RANK" = {rank} ]; then\n  {command}\nfi\n{otherwise}\n')
    path.chmod(0o755)
    return path


def check_failure(team, line, folder):
    status, shown, said = team.end()
    assert status != 0
    assert shown == ""
    own = [text for text in said.splitlines() if text.startswith("clade: ")]
    assert len(own) == 1 and re.fullmatch(f"clade: {line}", own[0]), said
    check_no_model(folder)


def check_no_model(folder):
    assert [path.name for path in folder.iterdir() if path.name.startswith("model.clade")] == []


def at_work(size, folder, **environment):
    """A team in the middle of its work."""
    team = Team(size, *TRAIN, "--work", "work", cwd=folder, **environment)
    team.wait_for_start()
    assert team.wait_until(lambda: list((folder / "work").glob("*.piece")))
    return team


# ---- processes that end, or hang


@pytest.mark.parametrize("rank, number", [(0, signal.SIGKILL), (2, signal.SIGKILL), (1, signal.SIGSEGV)])
def test_a_process_that_dies(long_folder, rank, number):
    team = at_work(3, long_folder)
    team.kill(rank, number=number)
    check_failure(team, f"{place(rank)} has ended before the work was done: .*", long_folder)


@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_that_hangs(long_folder, rank):
    team = at_work(3, long_folder, CLADE_TEAM_SILENCE="3")
    team.kill(rank, number=signal.SIGSTOP)
    check_failure(team, rf"{place(rank)} has given no sign of life for \d+ s; .*", long_folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_mpirun_that_is_asked_to_stop(long_folder, number):
    team = at_work(3, long_folder)
    team.process.send_signal(number)
    check_failure(team, rf"rank \d on {HOST}: stopped before the end, as asked", long_folder)


def test_a_process_that_is_asked_to_stop(long_folder):
    team = at_work(3, long_folder)
    team.kill(2, number=signal.SIGTERM)
    check_failure(team, f"{place(2)}: stopped before the end, as asked", long_folder)


def test_mpirun_that_is_killed(long_folder):
    team = at_work(3, long_folder)
    team.process.kill()
    status, *_ = team.end()
    assert status == -signal.SIGKILL
    check_no_model(long_folder)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A library that is loaded before others, and does a fault to the process of one rank."""
    folder = tmp_path_factory.mktemp("faulty")
    (folder / "faulty.c").write_text("""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int PMPI_Init_thread(int *, char ***, int, int *) __attribute__((weak));
int PMPI_Finalize(void) __attribute__((weak));
void *__libc_malloc(size_t);
void *__libc_memalign(size_t, size_t);
static int is_wanted(const char *fault) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank && strcmp(getenv("FAULT_RANK"), rank) == 0 && strcmp(getenv("FAULT"), fault) == 0;
}
int MPI_Init_thread(int *count, char ***values, int wanted, int *given) {
  if (is_wanted("begin")) raise(atoi(getenv("FAULT_SIGNAL")));
  return PMPI_Init_thread(count, values, wanted, given);
}
int MPI_Finalize(void) {
  if (is_wanted("end")) raise(atoi(getenv("FAULT_SIGNAL")));
  return PMPI_Finalize();
}
static int is_too_much(size_t bytes) { return bytes > 200000 && is_wanted("memory"); }
void *malloc(size_t bytes) { return is_too_much(bytes) ? NULL : __libc_malloc(bytes); }
void *aligned_alloc(size_t unit, size_t bytes) { return is_too_much(bytes) ? NULL : __libc_memalign(unit, bytes); }
""")
    compiler = cached("CMAKE_CXX_COMPILER")
    subprocess.run([compiler, "-xc", "-w", "-shared", "-fPIC", folder / "faulty.c", "-o", folder / "faulty.so"], check=True)
    return folder / "faulty.so"


def with_fault(faulty, fault, rank, folder, number=0, **options):
    program = for_rank(folder, -1, "true", f'LD_PRELOAD={faulty} exec "$CLADE" "$@"')
    return Team(3, *TRAIN, cwd=folder, program=program, FAULT=fault, FAULT_RANK=str(rank), FAULT_SIGNAL=str(int(number)),
                CLADE_TEAM_MEETING="5", **options)


@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_without_memory(long_folder, faulty, rank):
    check_failure(with_fault(faulty, "memory", rank, long_folder), f"{place(rank)}: .*[mM]emory.*", long_folder)


@pytest.mark.parametrize("when", ["begin", "end"])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_that_dies_while_mpi_begins_or_ends(folder, faulty, when, rank):
    status, _, said = with_fault(faulty, when, rank, folder, signal.SIGKILL, quiet=False).end()
    assert status != 0
    # mpirun says which process it was, or only that there was one.
    assert "clade:" not in said and re.search(rf"process rank {rank} .* exited on\s+signal 9|non-zero exit code", said), said
    check_model(folder, when)


@pytest.mark.parametrize("when, rank", [("begin", 1), ("end", 0)])
def test_a_process_that_hangs_while_mpi_begins_or_ends(folder, faulty, when, rank):
    status, _, said = with_fault(faulty, when, rank, folder, signal.SIGSTOP).end()
    assert status != 0
    verb = {"begin": "met", "end": "parted"}[when]
    own = [text for text in said.splitlines() if text.startswith("clade: ")]  # those of MPI's own threads come beside it
    assert len(own) == 1
    assert re.fullmatch(rf"clade: {place(1 - rank)}: the processes have not {verb} within \d s; .*", own[0])
    check_model(folder, when)


def check_model(folder, when):
    """It is written before MPI ends."""
    if when == "end":
        run("info", folder / "model.clade")
    else:
        check_no_model(folder)


# ---- several machines, as far as one can stand for them


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """Options of mpirun for three machines: processes see a host name and process numbers of their own, and talk by TCP."""
    agent = tmp_path_factory.mktemp("agent") / "agent"
    # mpirun calls it as it calls ssh: options, the machine, and a command.
    agent.write_text("""#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec unshare --uts --pid --fork --kill-child --mount-proc sh -c "hostname $host; exec $*"
""")
    agent.chmod(0o755)
    if subprocess.run([agent, "nodea", "true"], capture_output=True).returncode != 0:
        pytest.skip("namespaces cannot be made here")
    return ["--leave-session-attached", "-H", "nodea:1,nodeb:1,nodec:1", "-x", MARK, "-x", "LD_LIBRARY_PATH",
            *(word for name, value in {"plm_rsh_agent": agent, "plm_rsh_no_tree_spawn": 1, "oob_tcp_if_include": "lo",
                                       "btl_tcp_if_include": "lo"}.items() for word in ("--mca", name, value))]


def on_machines(machines, folder, *more):
    """Paths are whole: a process that another machine starts may be in another folder."""
    arguments = [folder / word if word in ("data.npz", "model.clade") else word for word in TRAIN]
    return Team(3, *arguments, *more, cwd=folder, more=machines, LD_LIBRARY_PATH=os.environ.get("LD_LIBRARY_PATH", ""))


def test_several_machines(folder, machines):
    run(*TRAIN, cwd=folder)
    alone = (folder / "model.clade").read_bytes()
    (folder / "model.clade").unlink()
    status, _, said = on_machines(machines, folder, "--work", folder / "work").end()
    assert status == 0, said
    assert (folder / "model.clade").read_bytes() == alone


@pytest.mark.parametrize("what, line", [
    ("the leader", "rank 0 on nodea does not answer since all were asked to stop: .*"),
    ("another", "rank 1 on nodeb does not answer since all were asked to stop: .*"),
    ("mpirun", "rank . on node.: stopped before the end, as asked"),
])
def test_faults_on_several_machines(long_folder, machines, what, line):
    team = on_machines(machines, long_folder, "--work", long_folder / "work")
    team.wait_for_start()
    assert team.wait_until(lambda: list((long_folder / "work").glob("*.piece")))
    if what == "mpirun":
        team.process.terminate()
    else:
        team.kill(0 if what == "the leader" else 1)
    check_failure(team, line, long_folder)


# ---- files


@pytest.fixture
def small_disk(tmp_path):
    """A folder with room for less than a model."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", disk], capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


def test_a_full_disk_for_the_model(folder, small_disk):
    arguments = [word if word != "model.clade" else small_disk / word for word in TRAIN]
    team = Team(3, *arguments, cwd=folder)
    check_failure(team, f"{place(0)}: {small_disk}/model.clade: .*: No space left on device", small_disk)


def test_a_full_disk_for_the_work(folder, small_disk):
    team = Team(3, *TRAIN, "--work", small_disk / "work", cwd=folder)
    check_failure(team, rf"rank \d on {HOST}: {small_disk}/work/.*: No space left on device", folder)
    assert [path.name for path in (small_disk / "work").iterdir() if ".tmp." in path.name] == []


def elsewhere(folder, **files):
    """A program whose rank 1 runs in a folder of its own, with other files."""
    (folder / "elsewhere").mkdir()
    for name, source in files.items():
        shutil.copy(source, folder / "elsewhere" / f"{name}.npz")
    return for_rank(folder, 1, "cd elsewhere")


@pytest.mark.parametrize("is_there", [False, True])
def test_a_work_folder_that_is_not_the_same_for_all(folder, inputs, is_there):
    program = elsewhere(folder, data=inputs / "small.npz")
    if is_there:
        (folder / "elsewhere" / "work").mkdir()
    team = Team(3, *TRAIN, "--work", "work", cwd=folder, program=program)
    check_failure(team, f"{place(1)}: work: is not the work folder of rank 0; .*", folder)


def work_of_one(folder):
    """What a process has kept; the model is as good as lost."""
    run(*TRAIN, "--work", "work", cwd=folder)
    (folder / "model.clade").rename(folder / "first")
    return sorted((folder / "work").glob("*.piece"))


def test_a_piece_in_the_place_of_another_is_made_again(folder):
    pieces = work_of_one(folder)
    contents = {piece: piece.read_bytes() for piece in pieces}
    shutil.copy(pieces[1], pieces[0])
    run(*TRAIN, "--work", "work", "--resume", cwd=folder)
    assert (folder / "model.clade").read_bytes() == (folder / "first").read_bytes()
    assert {piece: piece.read_bytes() for piece in pieces} == contents


@pytest.mark.parametrize("name", ["job", "piece"])
def test_a_folder_in_the_place_of_a_piece(folder, name):
    pieces = work_of_one(folder)
    piece = pieces[0] if name == "piece" else folder / "work" / "job"
    piece.unlink()
    piece.mkdir()
    said = error_line(*TRAIN, "--work", "work", "--resume", cwd=folder)
    assert said == f"{piece.relative_to(folder)}: is no file; expected a finished piece of the work, or none"


def test_a_work_folder_that_is_a_link_to_nothing(folder):
    (folder / "work").symlink_to("nowhere")
    said = error_line(*TRAIN, "--work", "work", cwd=folder)
    assert said.startswith("work: is a link to a folder that is not there; expected a folder for finished pieces")


def test_a_process_without_the_data(folder):
    team = Team(3, *TRAIN, cwd=folder, program=elsewhere(folder))
    check_failure(team, f"{place(1)}: data.npz: no such file; .*", folder)


def test_a_process_with_other_data(folder, inputs):
    team = Team(3, *TRAIN, cwd=folder, program=elsewhere(folder, data=inputs / "other.npz"))
    check_failure(team, rf"rank \d on {HOST}: the data differs between processes: {place(0)} .*, and {place(1)} .*", folder)


def test_data_that_no_process_has(tmp_path):
    check_failure(Team(3, *TRAIN, cwd=tmp_path), rf"rank \d on {HOST}: data.npz: no such file; .*", tmp_path)


# ---- programs


def test_another_command(folder):
    program = for_rank(folder, 2, 'exec "$CLADE" "$@" --seed 2')
    team = Team(3, *TRAIN, cwd=folder, program=program)
    check_failure(team, rf"rank \d on {HOST}: the command differs between processes: .*{place(2)} '.*--seed=2'.*", folder)


def changed_copy(folder, old, new, *names):
    """The tool, in a folder of its own, where these files say something else of the same length."""
    own = folder / "another"
    own.mkdir()
    for name in ("clade", "clade_mpi.so"):
        shutil.copy(Path(CLADE).parent / name, own / name)
    for name in names:
        (own / name).write_bytes((own / name).read_bytes().replace(old.encode(), new.encode()))
    return own / "clade"


def of_another_version(folder, *names):
    version = run("--version").stdout.split()[1]
    return changed_copy(folder, version, "9" + version[1:], *names)


def of_another_commit(folder):
    commit = json.loads(run("--version", "--json").stdout)["commit"]
    if commit == "unknown":
        pytest.skip("the tool was built without Git")
    return changed_copy(folder, commit, "x" * len(commit), "clade")


def test_another_version(folder):
    other = of_another_version(folder, "clade")
    team = Team(3, *TRAIN, cwd=folder, program=for_rank(folder, 1, f'exec {other} "$@"'))
    check_failure(team, rf"rank \d on {HOST}: the version of Clade differs between processes: .*{place(1)} '9.*", folder)


def test_another_commit(folder):
    other = of_another_commit(folder)
    team = Team(3, *TRAIN, cwd=folder, program=for_rank(folder, 1, f'exec {other} "$@"'))
    check_failure(team, rf"rank \d on {HOST}: the build of Clade differs between processes: .*{place(1)} 'xx.*", folder)


def test_a_folder_of_another_commit(folder):
    run(*TRAIN, "--work", "work", cwd=folder)
    (folder / "model.clade").unlink()
    team = Team(2, *TRAIN, "--work", "work", "--resume", cwd=folder, program=of_another_commit(folder))
    check_failure(team, f"{place(0)}: work: the work was begun with another build of Clade; expected the same .*", folder)


def test_a_library_of_another_version(folder):
    team = Team(3, *TRAIN, cwd=folder, program=of_another_version(folder, "clade_mpi.so"))
    check_failure(team, f"{place(0)} was started together with others, but clade_mpi.so is of another version; .*", folder)


@pytest.mark.parametrize("rank", [None, 1])
def test_no_mpi(folder, rank):
    """One line from all, or from the one that lacks it."""
    missing = "export CLADE_MPI=/nonexistent"
    program = for_rank(folder, rank, missing) if rank else CLADE
    environment = {} if rank else {"CLADE_MPI": "/nonexistent"}
    team = Team(3, *TRAIN, cwd=folder, program=program, **environment)
    check_failure(team, f"{place(rank or 0)} was started together with others, but clade_mpi.so is not there; .*", folder)


def test_no_mpi_is_needed_by_a_process_alone(folder, monkeypatch):
    monkeypatch.setenv("CLADE_MPI", "/nonexistent")
    run(*TRAIN, cwd=folder)


def test_a_usage_error_is_said_once(folder):
    check_failure(Team(3, *TRAIN, "--no-such-option", cwd=folder), f"{place(0)}: clade train has no option .*", folder)


def test_a_folder_of_another_job(folder):
    run_team(2, *TRAIN, "--work", "work", cwd=folder)
    (folder / "model.clade").unlink()
    team = Team(3, *TRAIN, "--work", "work", cwd=folder)
    check_failure(team, f"{place(0)}: work: holds work that was begun; .*", folder)
    team = Team(3, *TRAIN, "--work", "work", "--resume", "--seed", 2, cwd=folder)
    check_failure(team, f"{place(0)}: work: the work was begun with another .*", folder)
