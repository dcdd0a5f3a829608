"""What the benchmarks measure of a process: its own memory and time, and not those of the benchmark."""

import sys

import pytest
from clade_tool import SOURCE

sys.path.insert(0, str(SOURCE / "bench"))
from finished_process import Run  # noqa: E402

MIB = 2**20


def test_memory_is_that_of_the_process_alone():
    own = bytearray(200 * MIB)
    own[::4096] = b"x" * len(own[::4096])
    small = Run("echo", "a small", "process")
    assert small.text == "a small process\n"
    assert small.memory < 60 * MIB
    large = Run(sys.executable, "-S", "-c", f"x = bytearray({300 * MIB}); x[::4096] = b'x' * len(x[::4096])")
    assert 300 * MIB < large.memory < 400 * MIB


def test_processor_time_is_not_waiting():
    assert Run("sleep", "0.3").wall >= 0.3
    assert Run("sleep", "0.3").processor < 0.2
    assert Run(sys.executable, "-S", "-c", "import time\nwhile time.process_time() < 0.2: pass").processor >= 0.2


def test_failures_end_the_benchmark():
    with pytest.raises(SystemExit, match="exit status 3"):
        Run("sh", "-c", "exit 3")
    with pytest.raises(SystemExit, match="could not be started"):
        Run("/no/such/program")
