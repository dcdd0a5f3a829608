#!/usr/bin/env python3
"""Is a learned taxonomy worth having? The table of docs/learn-taxonomy.md.

    bench/induce/newsgroups.py CLADE DATA/newsgroups20/20news-bydate.tar.xz

Fifteen of the 20 newsgroups, trained on the older messages and tested on the newer ones: without a hierarchy, with the one that
`clade learn-taxonomy` makes of the training part, with five subjects made by people, and with five random ones of the same shape."""

import json
import statistics
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SUBJECTS = {
    "religion": ["alt.atheism", "soc.religion.christian", "talk.religion.misc"],
    "computers": ["comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "comp.windows.x"],
    "vehicles": ["rec.autos", "rec.motorcycles"],
    "sport": ["rec.sport.baseball", "rec.sport.hockey"],
    "politics": ["talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"],
}
CLASSIFIERS = ["top-down-svm", "path-svm"]


def unpack(archive, folder):
    groups = {group for subject in SUBJECTS.values() for group in subject}
    with tarfile.open(archive) as members:
        for member in members:
            part, group, number = ["", "", *member.name.split("/")][-3:]
            if member.isfile() and group in groups:
                path = folder / part.split("-")[-1] / group / number
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(members.extractfile(member).read())


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        unpack(sys.argv[2], folder)

        def clade(*arguments):
            return subprocess.run([tool, *map(str, arguments), "--quiet"], capture_output=True, text=True, check=True).stdout

        def accuracy(classifier, taxonomy):
            with_it = ["--taxonomy", taxonomy] if taxonomy else ["--label-paths", "no"]
            found = clade("train", folder / "train", "--classifier", classifier, *with_it, "--test", folder / "test", "-o", folder / "m.clade",
                          "--force", "--json")
            return json.loads(found)["test"]["accuracy"]

        learned, subjects = folder / "learned.csv", folder / "subjects.csv"
        clade("learn-taxonomy", folder / "train", "-o", learned)
        subjects.write_text("child,parent\n" + "".join(f"{name},root\n" + "".join(f"{group},{name}\n" for group in groups)
                                                       for name, groups in SUBJECTS.items()))
        random = [folder / f"random{seed}.csv" for seed in range(1, 6)]
        for seed, path in enumerate(random, 1):
            clade("synth", "--random-taxonomy-like", subjects, "-o", path, "--seed", seed)
        print("| | no hierarchy | learned | five subjects | random: mean of 5, largest |\n|---|---|---|---|---|")
        for classifier in CLASSIFIERS:
            values = [accuracy(classifier, taxonomy) for taxonomy in (None, learned, subjects)]
            by_chance = [accuracy(classifier, taxonomy) for taxonomy in random]
            print(f"| `{classifier}` | " + " | ".join(f"{value:.4f}" for value in values) +
                  f" | {statistics.mean(by_chance):.4f}, {max(by_chance):.4f} |", flush=True)


if __name__ == "__main__":
    main()
