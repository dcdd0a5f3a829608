#!/usr/bin/env python3
"""Does Clade learn from data beyond memory, within its limit, and the same? run.py CLADE FOLDER [--samples N]
[--features F] [--limit 8G] [--against LIMIT] [--threads N] [--packed] [METHOD ...]

Writes FOLDER/data.npz (16 classes in four groups, dense doubles; a part at a time, so that it may be larger than memory)
unless it is there, and runs every method on it under --memory-limit. The system refuses the process more private memory
than the limit (RLIMIT_DATA), so that it can only end within. Prints a JSON object per method: seconds by the clock and of
CPU, the most private memory (RssAnon), what went through temporary files, and, with --against, whether the result under
the other limit (`none`: without one) has the same bytes.

The array in the file begins at a multiple of 64 bytes, as in a .npy file, and can be used where it stands; with --packed
it begins where NumPy's own .npz files have it, and is copied into a temporary file first."""
import argparse
import json
import os
import re
import resource
import struct
import subprocess
import sys
import threading
import time
import zipfile

import numpy

METHODS = {
    "hier-fisher": ["select", "--method", "hier-fisher", "--top", "50"],
    "hier-fs": ["select", "--method", "hier-fs", "--top", "50"],
    "top-down-svm": ["train", "--classifier", "top-down-svm", "--iterations", "5"],
    "hierarchical-perceptron": ["train", "--classifier", "hierarchical-perceptron", "--epochs", "1"],
    "hieron": ["train", "--classifier", "hieron", "--epochs", "1"],
}
BLOCK = 8192  # rows that are made at a time


def bytes_of(text):
    """4G, 512M or plain bytes."""
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1])
    return int(float(text[:-1]) * factor) if factor else int(text)


def write_array(archive, name, descr, shape, parts, aligned):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    info = zipfile.ZipInfo(name + ".npy")
    if aligned:  # local header, name, ZIP64 sizes, this field
        begin = archive.fp.tell() + 30 + len(info.filename) + 20 + 4
        info.extra = struct.pack("<HH", 0xD935, -begin % 64) + bytes(-begin % 64)
    with archive.open(info, "w", force_zip64=True) as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for part in parts:
            file.write(part)


def generate(path, samples, features, aligned):
    random = numpy.random.default_rng(7)
    labels = random.integers(0, 16, samples)
    centres = random.normal(0, 0.1, (16, features)) + numpy.repeat(random.normal(0, 0.1, (4, features)), 4, axis=0)
    noise = random.normal(0, 1, (BLOCK, features))

    def parts():
        for begin in range(0, samples, BLOCK):
            own = labels[begin : begin + BLOCK]
            shifted = numpy.roll(noise, int(random.integers(features)), axis=1)
            yield memoryview(centres[own] + shifted[random.permutation(BLOCK)[: len(own)]]).cast("B")

    with zipfile.ZipFile(path, "w") as archive:
        write_array(archive, "X", "<f8", (samples, features), parts(), aligned)
        names = numpy.array([f"g{c // 4}/c{c:02}" for c in range(16)])[labels]
        write_array(archive, "y", names.dtype.str, (samples,), [names.tobytes()], False)


def run(command, limit):
    """Runs a command, and watches its private memory."""
    facts = {}

    def bounded():
        if limit:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=bounded)
    most = {"RssAnon": 0}

    def watch():
        while process.returncode is None:
            try:
                with open(f"/proc/{process.pid}/status") as status:
                    found = re.search(r"RssAnon:\s+(\d+) kB", status.read())
            except OSError:
                return
            if found:
                most["RssAnon"] = max(most["RssAnon"], int(found[1]))
            time.sleep(0.05)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    watcher.join()
    facts["seconds"] = round(time.monotonic() - begin, 1)
    facts["cpu_seconds"] = round(usage.ru_utime + usage.ru_stime, 1)
    facts["private_mib"] = most["RssAnon"] // 1024
    filed = re.search(r"memory: (.*) went through temporary files", text)
    facts["through_files"] = filed[1] if filed else "nothing"
    if process.returncode != 0:
        facts["failed"] = f"{process.returncode}: {text[-300:]}"
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clade")
    parser.add_argument("folder")
    parser.add_argument("methods", nargs="*", metavar="METHOD", help=", ".join(METHODS))
    parser.add_argument("--samples", type=int, default=3_700_000)
    parser.add_argument("--features", type=int, default=1024)
    parser.add_argument("--limit", default="8G")
    parser.add_argument("--against", help="another limit, or none")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--against-threads", help="of the run under the other limit; the same by default")
    parser.add_argument("--packed", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    data = os.path.join(args.folder, "data.npz")
    if not os.path.exists(data):
        begin = time.monotonic()
        generate(data, args.samples, args.features, not args.packed)
        print(json.dumps({"bytes": os.path.getsize(data), "written_in_seconds": round(time.monotonic() - begin)}), flush=True)
    wrong = False
    for method in args.methods or METHODS:
        command, *options = METHODS[method]

        def learn(output, limit, threads):
            with_limit = [] if limit == "none" else ["--memory-limit", limit]
            return run(
                [args.clade, command, data, *options, "-o", output, "--force", "--threads", threads, *with_limit],
                0 if limit == "none" else bytes_of(limit),
            )

        first, second = (os.path.join(args.folder, f"{method}.{k}") for k in (1, 2))
        result = {"method": method, "limit": args.limit, **learn(first, args.limit, args.threads)}
        if args.against:
            result["against"] = learn(second, args.against, args.against_threads or args.threads)
            with open(first, "rb") as one, open(second, "rb") as other:
                result["same"] = one.read() == other.read()
        wrong = wrong or "failed" in result or not result.get("same", True)
        print(json.dumps(result), flush=True)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
