"""Runs a command and measures the whole process; for the benchmarks that compare Clade with other programs."""

import json
import os
import subprocess
import sys
import tempfile

# Starts the command from a small process of its own: the kernel counts the memory of the process that starts another as that
# of the other, and a benchmark that has loaded data may be larger than what it measures. Usage: python3 -c LAUNCHER RESULT COMMAND.
LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as result:
    json.dump([os.waitstatus_to_exitcode(status), time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss], result)
"""


class Run:
    """A finished process: what it printed, wall and processor seconds, and its largest resident memory in bytes, which is
    some 10 MB for anything smaller than that."""

    def __init__(self, *command):
        command = [str(part) for part in command]
        with tempfile.TemporaryDirectory() as folder:
            result, out = os.path.join(folder, "result"), os.path.join(folder, "out")
            with open(out, "wb") as file:
                subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, result, *command], stdout=file,
                               stderr=subprocess.DEVNULL, check=False)
            with open(out, errors="replace") as file:
                self.text = file.read()
            try:
                with open(result) as file:
                    status, self.wall, self.processor, memory = json.load(file)
            except FileNotFoundError:
                sys.exit(f"{command[0]}: could not be started")
        if status != 0:
            sys.exit(f"{' '.join(command)}: exit status {status}")
        self.memory = memory * 1024
