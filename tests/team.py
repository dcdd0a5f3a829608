"""Runs the tool on several processes with mpirun, and finds and ends single ones of them."""

import os
import shutil
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest
from clade_tool import CLADE, FULL, cached

MARK = "CLADE_TEST_TEAM"


def reason_to_skip():
    if shutil.which("mpirun") is None:
        return "mpirun is missing (Debian: openmpi-bin)"
    if not (Path(CLADE).parent / "clade_mpi.so").exists():
        return "clade_mpi.so is missing: Clade was built where Open MPI is missing (Debian: libopenmpi-dev)"
    if cached("CLADE_SANITIZE"):
        return "Open MPI does not run under sanitizers"
    return None


needs_mpi = pytest.mark.skipif(reason_to_skip() is not None, reason=str(reason_to_skip()))


def sizes_for(case):
    """Numbers of processes: 2, 3, 4 and 7; outside of `make test-full` two of them, and in the next case the others."""
    return (2, 3, 4, 7) if FULL else ((2, 7), (3, 4))[case % 2]


def kill(pids, number=signal.SIGKILL):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Team:
    """`clade ARGUMENTS` in `size` processes. `program` is run instead of the tool, with the same arguments. Unless it is
    `quiet`, mpirun adds lines of its own to those of failed processes. `more` are further options of mpirun."""

    def __init__(self, size, *arguments, program=CLADE, cwd=None, quiet=True, more=(), **environment):
        self.size = size
        self.known = None
        self.mark = uuid.uuid4().hex
        as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            ["mpirun", *as_root, "--oversubscribe", "--bind-to", "none", *(["--quiet"] if quiet else []),
             *map(str, more), "-np", str(size), program, *map(str, arguments)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
            start_new_session=True, env={**os.environ, **environment, MARK: self.mark})

    def rank_of(self, pid):
        """Of one of these processes, unless it has ended."""
        try:
            lines = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        except OSError:
            return None
        if state == "Z" or f"{MARK}={self.mark}".encode() not in lines:
            return None
        return next((int(line.split(b"=")[1]) for line in lines if line.startswith(b"OMPI_COMM_WORLD_RANK=")), None)

    def living(self, among=None):
        """The numbers of the processes that mpirun has started, by rank."""
        found = {}
        for pid in among or [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]:
            rank = self.rank_of(pid)
            if rank is not None:
                found.setdefault(rank, []).append(pid)
        return found

    def wait_for_start(self):
        """Until all ranks are there; it takes less time to find them again."""
        self.wait_until(lambda: len(self.living()) == self.size)
        self.known = [pid for pids in self.living().values() for pid in pids]

    def kill(self, *ranks, number=signal.SIGKILL):
        """All of them, if none is named."""
        living = self.living(self.known)
        kill([pid for rank in ranks or living for pid in living.get(rank, [])], number)

    def is_running(self):
        return self.process.poll() is None

    def wait_until(self, is_reached, seconds=60):
        """Whether that came before the end of the processes."""
        begin = time.monotonic()
        while self.is_running() and not is_reached():
            assert time.monotonic() - begin < seconds
            time.sleep(0.003)
        return self.is_running()

    def end(self, seconds=30):
        """Exit status, standard output and standard error; no process is left after these seconds."""
        begin = time.monotonic()
        try:
            out, err = self.process.communicate(timeout=seconds)
            while left := self.living():
                assert time.monotonic() - begin < seconds, f"left over: {left}"
                time.sleep(0.02)
            return self.process.returncode, out, err
        finally:
            self.process.kill()
            kill([pid for pids in self.living().values() for pid in pids])


    def end_of_killed(self, seconds=30):
        """The same where processes were killed at any moment. The mpirun of Open MPI 4.1.4 now and then stays for ever, without
        a process, if one was killed while it was connecting to mpirun. The processes themselves have to end."""
        begin = last = time.monotonic()
        while self.is_running() and time.monotonic() - last < 10:
            if self.living():
                last = time.monotonic()
            assert last - begin < seconds, f"left over: {self.living()}"
            time.sleep(0.02)
        self.process.kill()
        return self.end()


def run_team(size, *arguments, **options):
    """Runs to the end, which must be a good one, and gives standard output and standard error."""
    return attempt_team(size, *arguments, status=0, **options)


def attempt_team(size, *arguments, status, **options):
    """The same for one that must end with this status."""
    ended, out, err = Team(size, *arguments, **options).end(seconds=300)
    assert ended == status, f"{arguments}: status {ended}\n{out}{err}"
    return out, err
