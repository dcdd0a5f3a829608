#!/usr/bin/python3
"""AU(PRC) and hierarchical F1 of the classifiers that score all nodes, by the protocol of the published numbers: trained
on the training and validation parts, mean for missing values, measured on the test part over all nodes but the root and
the three top terms of the gene ontology.

    bench/several_labels/run.py CLADE DATA [--classifiers blend,kernel-ridge,forest,prior] [--sets eisen_FUN,...]
    bench/several_labels/run.py CLADE DATA --sets eisen_FUN,RCV1 --classifiers top-down-svm,prior --decide auto,own --f1

DATA has a folder per set with ARFF files. One recipe for all sets: the defaults. Seconds are CPU time of training. RCV1
has no parts; three tenths of it, drawn by `clade split`, are the test part. --f1 leaves out AU(PRC) and published
numbers, and shows hierarchical F1 and seconds of every classifier, with each way to decide on label sets."""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

# E. Giunchiglia and T. Lukasiewicz, 2020; C. Vens et al., 2008; L. Schietgat et al., 2010.
PUBLISHED = {"cellcycle_FUN": (.172, .227, .255), "eisen_FUN": (.204, .271, .306), "gasch1_FUN": (.205, .267, .286),
             "gasch2_FUN": (.195, .227, .258), "cellcycle_GO": (.357, .387, .413), "eisen_GO": (.380, .433, .455),
             "gasch1_GO": (.371, .415, .436), "gasch2_GO": (.369, .395, .414), "Diatoms": (.167, .379, .758),
             "Enron": (.638, .681, .756), "ImCLEF07A": (.574, .777, .956)}
TOP_TERMS = "GO0003674,GO0005575,GO0008150"


def training_file(folder, target):
    parts = {part: next((path for path in sorted(folder.iterdir()) if part in path.name.lower()), None)
             for part in ("train", "valid")}
    text = parts["train"].read_text()
    if parts["valid"] and parts["valid"] != parts["train"]:
        lines = parts["valid"].read_text().splitlines(keepends=True)
        start = next(k for k, line in enumerate(lines) if line.strip().lower() == "@data")
        text = text.rstrip("\n") + "\n" + "".join(lines[start + 1:])
    target.write_text(text)
    return target


def parts(clade, data, name, scratch):
    """The files to train and to test on, and what says how to read them."""
    if name != "RCV1":
        folder = data / name
        test = next(path for path in sorted(folder.iterdir()) if "test" in path.name.lower())
        return training_file(folder, scratch / f"{name}.arff"), test, ["--missing", "mean"]
    reading = ["--taxonomy", data / name / "rcv1.taxonomy"]
    target = scratch / name
    if not target.exists():
        run(clade, "split", data / name / "rcv1_dev.hierar.json", *reading, "--test", "0.3", "-o", target)
    return target / "train.hierar.json", target / "test.hierar.json", reading


def compare_f1(arguments, scratch):
    """Hierarchical F1 and seconds of every classifier, with each way to decide."""
    columns = [(classifier, decide) for classifier in arguments.classifiers.split(",")
               for decide in (["auto"] if classifier == "prior" else arguments.decide.split(","))]
    print("| set | " + " | ".join(name if decide == "auto" else f"{name}, {decide}" for name, decide in columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name in arguments.sets.split(","):
        train, test, reading = parts(arguments.clade, arguments.data, name, scratch)
        cells = []
        for classifier, decide in columns:
            model = scratch / "model.clade"
            _, seconds = run(arguments.clade, "train", train, *reading, "--classifier", classifier, "--decide", decide,
                             "-o", model, "--force")
            found, _ = run(arguments.clade, "evaluate", model, test, *(reading if name == "RCV1" else []),
                           "--node-measures", "no")
            cells.append(f"{found['hierarchical_f1']:.3f}, {seconds:.1f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def run(clade, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run([clade, *map(str, arguments), "--json"], capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(output), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clade", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--classifiers", default="blend,kernel-ridge,forest,prior")
    parser.add_argument("--sets", default=",".join(PUBLISHED))
    parser.add_argument("--decide", default="auto")
    parser.add_argument("--f1", action="store_true")
    arguments = parser.parse_args()
    if arguments.f1:
        with tempfile.TemporaryDirectory() as scratch:
            return compare_f1(arguments, Path(scratch))
    classifiers = arguments.classifiers.split(",")
    print("| set | CLUS-HMC | CLUS-Ens | C-HMCNN(h) | " + " | ".join(f"{name}: AU(PRC), F1, s" for name in classifiers) + " |")
    print("|---|" + "---|" * (3 + len(classifiers)))
    sums = dict.fromkeys(classifiers, 0.0)
    ahead = dict.fromkeys(classifiers, 0)
    sets = arguments.sets.split(",")
    with tempfile.TemporaryDirectory() as scratch:
        for name in sets:
            train, test, reading = parts(arguments.clade, arguments.data, name, Path(scratch))
            cells = [f"{value:.3f}" for value in PUBLISHED[name]]
            for classifier in classifiers:
                model = Path(scratch) / "model.clade"
                _, seconds = run(arguments.clade, "train", train, *reading, "--classifier", classifier, "-o", model,
                                 "--force")
                exclude = ["--exclude-nodes", TOP_TERMS] if name.endswith("_GO") else []
                found, _ = run(arguments.clade, "evaluate", model, test, *exclude)
                sums[classifier] += found["au_prc"]
                ahead[classifier] += found["au_prc"] > PUBLISHED[name][2]
                cells.append(f"{found['au_prc']:.4f}, {found['hierarchical_f1']:.3f}, {seconds:.1f}")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    means = [sum(PUBLISHED[name][k] for name in sets) / len(sets) for k in range(3)]
    print("| mean | " + " | ".join(f"{mean:.4f}" for mean in means) + " | " +
          " | ".join(f"{sums[name] / len(sets):.4f}, ahead of C-HMCNN(h) on {ahead[name]}" for name in classifiers) + " |")


if __name__ == "__main__":
    main()
