"""Parameters of selectors without labels, chosen without labels: how good the choices are, as Markdown.

    unsupervised_tuning.py CLADE [DATASET...] [--journal FILE] [--tables] [--top N]

For every data set and selector, every setting of the selector's own grid ranks the features, and k-means clusters the samples by the
best 100 (--top; at most a quarter of them) from 20 starts. The tables compare what `--tune stability` and `--tune reconstruction` choose with the default, with the
mean over the grid (what a blind choice gets), and with the best and the worst setting, which only labels can tell. Data sets: those of
unsupervised_tables.py but 20Newsgroup and Webkb4, and wine, breast cancer, digits, CLEF and DD (default: all), looked for under CLADE_DATA
(default ../shared/data). hufs has the tree of unsupervised_tables.py, for the last five one by correlation. Every selector on every data set
is a line of the journal, and one that is there is not repeated; --tables runs nothing. Runs of one thread each, one at a time. Half an hour
without BBCSport and COIL20. Needs scipy, scikit-learn and WordNet.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.stats
import unsupervised_scales
import unsupervised_tables as paper

METHODS = ["laplacian", "mcfs", "ndfs", "rufs", "eufs", "hufs"]
SMALL = ["wine", "breast cancer", "CLEF", "DD", "digits"]
SETS = [*SMALL, "GLIOMA", "lymphoma", "nci9", "Yale", "Guardian", "BBCSport", "COIL20"]
CRITERIA = ["stability", "reconstruction"]
CHOICES = ["default", *CRITERIA, "mean", "worst", "best"]


def prepare(dataset, folder):
    """The data, their feature tree, and how many features to select."""
    if dataset not in SMALL:
        return *paper.prepare(dataset, folder), ASKED.top
    values, classes = unsupervised_scales.read(dataset)
    scipy.io.savemat(folder / "data.mat", {"X": values.astype(float), "Y": np.unique(classes, return_inverse=True)[1][:, None] + 1.0})
    paper.clade("feature-tree", folder / "data.mat", "--method", "agglomerative", "-o", folder / "tree.json")
    return folder / "data.mat", folder / "tree.json", min(ASKED.top, values.shape[1] // 4)


def run(dataset, data, tree, top, folder, method):
    shared = ["--method", method, "--top", top, "--threads", 1]
    shared += ["--feature-tree", tree] if method == "hufs" else []
    found = {"dataset": dataset, "method": method}
    try:
        tuned = {one: json.loads(paper.clade("select", data, *shared, "--tune", one, "--json"))["tuning"] for one in CRITERIA}
    except RuntimeError as error:
        return {**found, "failed": str(error)}
    usual = json.loads(paper.clade("methods", "--json"))
    found["settings"] = []
    for k, setting in enumerate(tuned["stability"]["settings"]):
        one = {"parameters": setting["parameters"]}
        for criterion in CRITERIA:
            tried = tuned[criterion]["settings"][k]
            one[criterion] = tried["value"]
            one["problem"] = tried["problem"]
        if one["reconstruction"] is not None:
            parameters = [text for name, value in setting["parameters"].items() for text in (f"--{name}", value)]
            paper.clade("select", data, *shared, *parameters, "-o", folder / "r.json", "--force")
            measured = json.loads(paper.clade("cluster", data, "--features", folder / "r.json", "--json", "--threads", 1))
            one |= {"accuracy": measured["accuracy"], "nmi": measured["nmi"]}
        found["settings"].append(one)
    found["default"] = default_setting(usual, method, found["settings"])
    return found


def default_setting(methods, method, settings):
    """The number of the setting that has the default values."""
    (own,) = [one for one in methods["selectors"] if one["name"] == method]
    usual = {one["name"]: one["default"] for one in own["parameters"]}
    return next(k for k, one in enumerate(settings) if all(float(usual[name]) == float(value) for name, value in one["parameters"].items()))


def journal():
    return [json.loads(line) for line in JOURNAL.read_text().splitlines()] if JOURNAL.exists() else []


def choices(found, measure):
    """What each way to choose gets. A setting that is of no use is no choice of a blind one."""
    usable = [one for one in found["settings"] if measure in one]
    values = [one[measure] for one in usable]
    result = {"default": found["settings"][found["default"]].get(measure), "mean": float(np.mean(values)), "worst": min(values),
              "best": max(values)}
    for criterion in CRITERIA:
        judged = [one for one in usable if one[criterion] is not None]
        result[criterion] = max(judged, key=lambda one: one[criterion])[measure] if judged else None
    return result


def correlation(found, criterion, measure):
    usable = [one for one in found["settings"] if measure in one and one[criterion] is not None]
    if len({one[criterion] for one in usable}) < 2 or len({one[measure] for one in usable}) < 2:
        return None
    return scipy.stats.spearmanr([one[criterion] for one in usable], [one[measure] for one in usable])[0]


def tables(datasets):
    done = [one for one in journal() if one["dataset"] in datasets and "settings" in one]
    for measure in ["nmi", "accuracy"]:
        print(f"\n## {measure}\n\n| data | selector | {' | '.join(CHOICES)} |\n{'|---' * (len(CHOICES) + 2)}|")
        by_set = {}
        for one in sorted(done, key=lambda one: (SETS.index(one["dataset"]), METHODS.index(one["method"]))):
            got = choices(one, measure)
            by_set.setdefault(one["dataset"], []).append(got)
            print(f"| {one['dataset']} | {one['method']} | " + " | ".join("-" if got[c] is None else f"{got[c]:.3f}" for c in CHOICES) + " |")
        # Selectors of which every choice is known, so that all means are over the same ones.
        whole = {name: [got for got in all_got if None not in got.values()] for name, all_got in by_set.items()}
        means = {name: {c: np.mean([got[c] for got in all_got]) for c in CHOICES} for name, all_got in whole.items()}
        for name, mean in means.items():
            print(f"| {name} | mean | " + " | ".join(f"{mean[c]:.3f}" for c in CHOICES) + " |")
        print("| all | mean | " + " | ".join(f"{np.mean([mean[c] for mean in means.values()]):.3f}" for c in CHOICES) + " |")
        print(f"\n{measure}, paired over {len(means)} data sets (means over selectors):\n")
        for one, other in [("stability", "mean"), ("reconstruction", "mean"), ("stability", "default"), ("reconstruction", "default"),
                           ("default", "mean"), ("reconstruction", "stability")]:
            difference = [mean[one] - mean[other] for mean in means.values()]
            p = scipy.stats.wilcoxon(difference).pvalue if len(difference) > 1 and np.any(difference) else 1
            print(f"- {one} - {other}: {np.mean(difference):+.4f}, better on {sum(d > 0 for d in difference)} of {len(difference)}, "
                  f"Wilcoxon p = {p:.3f}")
        for criterion in CRITERIA:
            all_ranks = [correlation(one, criterion, measure) for one in done]
            ranks = [rank for rank in all_ranks if rank is not None]
            print(f"- rank correlation of {criterion} with {measure} within a grid: mean {np.mean(ranks):+.2f} over {len(ranks)} grids, "
                  f"positive in {sum(rank > 0 for rank in ranks)}")


def main(datasets):
    known = {(one["dataset"], one["method"]) for one in journal()}
    for dataset in datasets if not ASKED.tables else []:
        todo = [method for method in METHODS if (dataset, method) not in known]
        if not todo:
            continue
        with tempfile.TemporaryDirectory() as name:
            data, tree, top = prepare(dataset, Path(name))
            for method in todo:
                found = run(dataset, data, tree, top, Path(name), method)
                with JOURNAL.open("a") as file:
                    file.write(json.dumps(found) + "\n")
    tables(datasets)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("clade")
    parser.add_argument("datasets", nargs="*", metavar="DATASET")
    parser.add_argument("--journal", default="tuning.jsonl")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--top", type=int, default=100)
    ASKED = parser.parse_intermixed_args()
    paper.CLADE = str(Path(ASKED.clade).resolve())
    paper.COUNTS = []  # text as clade reads it by default
    JOURNAL = Path(ASKED.journal)
    main(ASKED.datasets or SETS)
