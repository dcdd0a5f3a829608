"""How long does reading a table with columns of several kinds take, against the same words as plain text?

    bench/load_columns/run.py BUILD_TREE [ROWS]

The same documents are written as JSON lines with one text each, as JSON objects with columns, as an array of them, and
as CSV. `clade info` reads each of them with one thread; the least processor time of three runs counts, and the ratio is
that to plain text per byte of the file, in the same run. With --skip-bad, rows are checked first."""

import csv
import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from ratio import record  # noqa: E402

REPEATS = 3


def rows_of(count):
    draw = random.Random(1)
    words = ["".join(draw.choice("bdfgklmnprst") + draw.choice("aeiou") for _ in range(draw.randrange(2, 5)))
             for _ in range(20_000)]
    for k in range(count):
        yield {"title": " ".join(draw.choices(words, k=6)), "description": " ".join(draw.choices(words, k=40)),
               "price": round(draw.uniform(1, 900), 2), "added": f"2024-{1 + k % 12:02}-{1 + k % 28:02}",
               "brand": draw.choice(words[:50]), "label": f"class{k % 40}"}


def write_files(folder, count):
    rows = list(rows_of(count))
    paths = {name: folder / name for name in ("text.jsonl", "columns.jsonl", "columns.json", "columns.csv")}
    with paths["text.jsonl"].open("w") as text, paths["columns.jsonl"].open("w") as lines:
        for row in rows:
            text.write(json.dumps({"text": f"{row['title']} {row['description']}", "doc_label": row["label"]}) + "\n")
            lines.write(json.dumps(row) + "\n")
    paths["columns.json"].write_text(json.dumps(rows))
    with paths["columns.csv"].open("w", newline="") as table:
        writer = csv.DictWriter(table, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return paths


def seconds(tool, path, *options):
    best = float("inf")
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([tool, "info", path, "--format", "csv" if path.suffix == ".csv" else "json-lines", "--quiet",
                        "--threads", "1", *options], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def main():
    tool, count = Path(sys.argv[1]) / "clade", int(sys.argv[2]) if len(sys.argv) > 2 else 30_000
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder), count)
        print(f"{'file':24}{'MB':>8}{'seconds':>10}{'MB/s':>8}{'ratio':>8}")
        plain = 0
        runs = [(name, ()) for name in paths] + [("columns.csv", ("--skip-bad",)), ("columns.jsonl", ("--skip-bad",))]
        for name, options in runs:
            size, time_taken = paths[name].stat().st_size / 1e6, seconds(tool, paths[name], *options)
            if plain:
                record("load_columns", " ".join((name, *options)), "plain text", time_taken / size / plain, data=f"{count} rows",
                       measure="processor seconds per byte")
            plain = plain or time_taken / size
            print(f"{' '.join((name, *options)):24}{size:8.1f}{time_taken:10.2f}{size / time_taken:8.1f}"
                  f"{time_taken / size / plain:8.2f}", flush=True)


if __name__ == "__main__":
    main()
