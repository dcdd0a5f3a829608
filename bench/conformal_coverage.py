"""Do answers with a guarantee keep it on real data, and what do they cost in depth and size?

    bench/conformal_coverage.py CLADE DATA [--splits 20] [--only CLEF] [--at-random]

prints the table of docs/conformal.md. Each data set is divided at random into 70 % to train on, calibration included, and
30 % to answer, by `clade split --seed S` with S = 1, 2, ...; the share is the mean over the splits, with the standard
error of that mean. Such splits deal each label to both parts; with --at-random the labels have no say. The last column is the CPU time of training with --conformal, as a multiple of training without."""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path
from statistics import mean, stdev

SETS = [("CLEF, tree", "CLEF/CLEFTrain.mat", "top-down-logistic"),
        ("Enron, tree, several labels", "Enron/Enron_corr_trainvalid.arff", "forest"),
        ("cellcycle_GO, DAG, several labels", "cellcycle_GO/cellcycle_GO.train.arff", "forest")]
ASKED = [("complete", ["--set-size", "1"]), ("complete", ["--set-size", "3"]), ("complete", ["--set-size", "10"]),
         ("correct", ["--guarantee", "correct"])]


def run(clade, *arguments):
    """What the command prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    process = subprocess.run([clade, *map(str, arguments), "--quiet"], check=True, capture_output=True, text=True)
    return process.stdout, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clade")
    parser.add_argument("data", type=Path)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--only", default="", help="data sets whose names begin so")
    parser.add_argument("--at-random", action="store_true", help="split without regard to the labels")
    given = parser.parse_args()
    print("| data | calibration | guarantee | nodes | share covered | size | depth | training |\n|---|---|---|---|---|---|---|---|")
    for name, path, classifier in SETS:
        if not (given.data / path).exists() or not name.startswith(given.only):
            continue
        found, costs = {}, {}
        for seed in range(1, given.splits + 1):
            with tempfile.TemporaryDirectory() as folder:
                parts, model = Path(folder) / "parts", Path(folder) / "model.clade"
                groups = []
                if given.at_random:  # a group of its own for each sample
                    samples = json.loads(run(given.clade, "info", given.data / path, "--json")[0])["samples"]
                    (Path(folder) / "groups").write_text("".join(f"{s}\n" for s in range(samples)))
                    groups = ["--group-file", Path(folder) / "groups"]
                run(given.clade, "split", given.data / path, "--test", "30%", "--seed", seed, "-o", parts, *groups)
                train, test = (next(parts.glob(f"{part}.*[!n]")) for part in ("train", "test"))
                _, plain = run(given.clade, "train", train, "--classifier", classifier, "--seed", seed, "-o", model)
                for way in ["split:30%", "cross:5"]:
                    _, seconds = run(given.clade, "train", train, "--classifier", classifier, "--seed", seed, "--conformal", way, "-o", model, "--force")
                    costs.setdefault(way, []).append(seconds / plain)
                    for guarantee, options in ASKED:
                        text, _ = run(given.clade, "evaluate", model, test, "--coverage", "0.9", *options, "--node-measures", "no", "--json")
                        found.setdefault((way, guarantee, options[-1]), []).append(json.loads(text)["conformal"])
        for (way, guarantee, size), rows in found.items():
            shares = [row["share"] for row in rows]
            error = stdev(shares) / len(shares) ** 0.5 if len(shares) > 1 else 0
            nodes = "any" if guarantee == "correct" else f"at most {size}"
            print(f"| {name} | {way} | {guarantee} | {nodes} | {mean(shares):.3f} ± {error:.3f} | {mean(r['size'] for r in rows):.2f} | "
                  f"{mean(r['depth'] for r in rows):.2f} | {mean(costs[way]):.1f} |")


if __name__ == "__main__":
    main()
