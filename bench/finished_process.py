"""Runs a command and measures the whole process; for the benchmarks that compare Clade with other programs."""

import os
import subprocess
import sys
import tempfile
import time


class Run:
    """A finished process: what it printed, wall and processor seconds, and its largest resident memory in bytes."""

    def __init__(self, *command):
        start = time.perf_counter()
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen([str(c) for c in command], stdout=out, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                sys.exit(f"{command}: exit status {process.returncode}")
            out.seek(0)
            self.text = out.read().decode()
        self.wall = time.perf_counter() - start
        self.processor = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024
