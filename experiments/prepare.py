#!/usr/bin/env python3
"""Makes of the public data what experiments here read, unless it is there already.

    prepare.py CLADE DATA FOLDER

Fifteen of the 20 newsgroups below five subjects as word counts, without documents that occur twice; generated data of the
thesis' two shapes; texts that come as archives, as lines of JSON."""

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SUBJECTS = {
    "computers": ["comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware",
                  "comp.windows.x"],
    "politics": ["talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"],
    "religion": ["alt.atheism", "soc.religion.christian", "talk.religion.misc"],
    "vehicles": ["rec.autos", "rec.motorcycles"],
    "sports": ["rec.sport.baseball", "rec.sport.hockey"],
}
SHAPES = [(3, 3), (6, 2)]
SEEDS = 30


def clade(*arguments):
    done = subprocess.run([CLADE, *map(str, arguments), "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr.strip())


def messages(archive, wanted):
    """Group, part and text of the files of an archive, in the order of their names."""
    with tarfile.open(archive) as members:
        found = sorted((m.name, members.extractfile(m).read().decode("latin-1")) for m in members
                       if m.isfile() and wanted in m.name)
    return [(name.split("/")[-2], name.split("/")[-3], text) for name, text in found]


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def newsgroups15(archive, folder):
    tree, counts = folder / "newsgroups15-tree.csv", folder / "newsgroups15.svm"
    tree.write_text("child,parent\n" + "".join(f"{group},{node}\n" for node, below in SUBJECTS.items() for group in below)
                    + "".join(f"{node},all\n" for node in SUBJECTS))
    groups = {group for below in SUBJECTS.values() for group in below}
    with tempfile.TemporaryDirectory() as scratch:
        texts = Path(scratch) / "texts.jsonl"
        # One class after the other: an experiment that wants another order asks for it.
        found = sorted((group, part, text) for group, part, text in messages(archive, "20news") if group in groups)
        write_lines(texts, [{"text": text, "doc_label": group} for group, _, text in found])
        clade("convert", texts, "-o", counts, "--weight", "tf", "--min-documents", 2)
    # The same document in two groups would be one too many for learners that end when all is separated.
    seen, kept = set(), []
    for line in counts.read_text().splitlines():
        values = line.partition(" ")[2]
        if values and values not in seen:
            seen.add(values)
            kept.append(line + "\n")
    counts.write_text("".join(kept))
    Path(f"{counts}.meta.json").unlink(missing_ok=True)


def newsgroups20(archive, folder):
    def label(group):
        return group.replace(".", "/") if group.split(".")[0] in ("comp", "rec", "sci", "talk") else group

    for part in ("train", "test"):
        write_lines(folder / f"newsgroups20-{part}.jsonl",
                    [{"text": text, "doc_label": label(group)} for group, of, text in messages(archive, f"20news-bydate-{part}/")])


def sport(archive, folder):
    write_lines(folder / "BBCSport.jsonl", [{"text": text, "doc_label": group} for group, _, text in messages(archive, "bbcsport/")])


def web_pages(data, folder):
    stems = (data / "WebKB.clean.txt").read_text().splitlines()
    kinds = [line.split("\t")[1:] for line in (data / "WebKB.txt").read_text().splitlines()]
    for part in ("train", "test"):
        write_lines(folder / f"WebKB4-{part}.jsonl",
                    [{"text": text, "doc_label": kind[:4]} for text, (of, kind) in zip(stems, kinds) if of == part])


def generated(fanout, depth, folder):
    for seed in range(1, SEEDS + 1):
        clade("synth", "-o", folder / f"thesis-{fanout}x{depth}-{seed}.arff", "--fanout", fanout, "--depth", depth,
              "--features", 20, "--samples", 200, "--seed", seed)


if __name__ == "__main__":
    CLADE = str(Path(sys.argv[1]).resolve())
    data, folder = Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    work = {"thesis-%dx%d" % shape: lambda shape=shape: generated(*shape, folder) for shape in SHAPES}
    if (archive := data / "newsgroups20/20news-bydate.tar.xz").exists():
        work |= {"newsgroups15": lambda: newsgroups15(archive, folder), "newsgroups20": lambda: newsgroups20(archive, folder)}
    if (texts := data / "BBCSport/bbcsport.tar.xz").exists():
        work["BBCSport"] = lambda: sport(texts, folder)
    if (data / "WebKB4").exists():
        work["WebKB4"] = lambda: web_pages(data / "WebKB4", folder)
    for name, make in work.items():
        done = folder / f"{name}.done"
        if not done.exists():
            make()
            done.touch()
