"""Tables 2 and 3 of "Exploiting hierarchical structures for unsupervised feature selection" (Wang et al. 2017), as Markdown.

    unsupervised_tables.py CLADE [DATASET...] [--journal FILE] [--tables] [--iterations N] [--scale WORD]
                           [--full] [--methods LIST] [--jobs N] [--surfaces FILE]

CLADE is the tool. Data sets: Yale, Guardian, BBCSport, COIL20, Webkb4, 20Newsgroup of the paper, and GLIOMA, lymphoma and nci9 as data
of its third kind (default: all), looked for under CLADE_DATA (default ../shared/data). Every run is a line of the journal, and a run
that is there is not repeated; --tables runs nothing. --full takes the paper's whole grid everywhere, which takes hours on the larger
data sets; --methods takes some methods only. --iterations (of hufs and eufs) and --scale (of selection and clustering) are for
comparison: give each a journal of its own. --surfaces writes the runs of hufs as a table (CSV) over alpha, beta and the number of
features, as Figures 3 and 4 of the paper show. Runs of one thread each, --jobs of them at a time. About half an hour. Needs scipy and
WordNet.
"""

import argparse
import itertools
import json
import os
import random
import re
import subprocess
import tarfile
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import scipy.io

METHODS = {"laplacian": "LS", "mcfs": "MCFS", "ndfs": "NDFS", "rufs": "RUFS", "eufs": "EUFS", "hufs": "HUFS"}
KEPT = "hufs, groups kept"
MANY = "eufs, as many runs"
CLUSTERS = {"Yale": 15, "Guardian": 6, "BBCSport": 5, "COIL20": 20, "Webkb4": 4, "20Newsgroup": 20, "GLIOMA": 4, "lymphoma": 9,
            "nci9": 9}
IMAGES = ("Yale", "COIL20")
BIOLOGY = ("GLIOMA", "lymphoma", "nci9")

# Published accuracy in percent and NMI, in the order of METHODS: mean, deviation, features.
ACCURACY = {
    "BBCSport": "73.4±10.9(300) 75.7±12.8(200) 77.0±1.15(250) 76.2±11.9(250) 75.9±13.87(150) 79.2±6.69(150)",
    "Webkb4": "49.5±1.07(300) 48.5±2.50(250) 51.2±0.74(250) 51.1±0.81(200) 50.7±1.67(200) 52.1±1.05(200)",
    "Guardian": "50.0±6.55(200) 51.1±4.55(150) 51.2±8.96(300) 53.0±6.87(150) 51.1±6.90(250) 53.9±6.78(150)",
    "20Newsgroup": "17.8±1.33(100) 17.1±0.78(150) 17.2±1.85(250) 17.7±1.35(200) 17.1±1.23(200) 18.2±1.49(150)",
    "COIL20": "56.2±5.45(250) 60.4±4.52(50) 59.3±3.86(300) 62.02±6.35(250) 61.9±5.43(250) 63.9±4.25(250)",
    "Yale": "43.9±4.58(250) 42.9±4.19(150) 42.5±2.21(200) 41.5±3.35(250) 42.0±3.52(150) 44.5±3.12(150)",
}
NMI = {
    "BBCSport": "0.627±0.10(300) 0.655±0.12(300) 0.643±0.02(300) 0.652±0.09(250) 0.628±0.11(200) 0.660±0.09(150)",
    "Webkb4": "0.208±0.02(250) 0.227±0.02(200) 0.235±0.03(250) 0.236±0.02(200) 0.228±0.03(200) 0.245±0.02(200)",
    "Guardian": "0.369±0.06(200) 0.371±0.07(150) 0.393±0.10(300) 0.413±0.07(300) 0.385±0.07(250) 0.425±0.08(200)",
    "20Newsgroup": "0.165±0.02(200) 0.153±0.01(150) 0.170±0.02(200) 0.167±0.02(200) 0.166±0.02(200) 0.174±0.02(150)",
    "COIL20": "0.708±0.03(250) 0.737±0.03(50) 0.727±0.02(300) 0.746±0.02(250) 0.748±0.02(250) 0.767±0.03(250)",
    "Yale": "0.518±0.02(200) 0.515±0.03(150) 0.501±0.03(250) 0.503±0.02(150) 0.508±0.03(150) 0.522±0.03(150)",
}

COUNTS = ["--sublinear", "no"]  # words count as often as they occur

FULL = ["1e-6", "1e-4", "1e-2", "1", "1e2", "1e4", "1e6"]  # the grid of the paper
COARSE = ["1e-4", "1e-2", "1", "1e2"]
FIGURE = ["1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1", "1e1"]  # of Figures 3 and 4, the other parameter at 1e-2
# alpha and beta of hufs, alpha and beta of ndfs and rufs.
GRIDS = {
    "Yale": (FULL, FULL, FULL, FULL),
    "Guardian": (FULL, FULL, FULL, FULL),
    "BBCSport": (FULL, FULL, COARSE, COARSE),
    "COIL20": (FULL, FULL, COARSE, COARSE),
    "Webkb4": (["1e-4", "1e-2"], ["1e-2"], ["1"], ["1"]),
    "20Newsgroup": (["1e-4", "1e-2", "1"], ["1e-4", "1e-2"], ["1e-2", "1"], ["1", "1e2"]),
    "GLIOMA": (FULL, FULL, FULL, FULL),
    "lymphoma": (FULL, FULL, FULL, FULL),
    "nci9": (FULL, FULL, FULL, FULL),
}


def runs(dataset):
    """(method, parameters, seed) of the runs asked for."""
    return [one for one in all_runs(dataset) if ASKED.methods is None or one[0] in ASKED.methods.split(",")]


def all_runs(dataset):
    """eufs gets as many runs as hufs, by its seeds."""
    alphas, betas, regression, sparsity = (FULL,) * 4 if ASKED.full else GRIDS[dataset]
    yield "all features", [], 1
    yield "laplacian", [], 1
    for bandwidth in [*COARSE, "1e4", "1e6"]:
        yield "laplacian", ["--bandwidth", bandwidth], 1
    for nonzeros in ["50", "100", "200", "300"]:
        yield "mcfs", ["--nonzeros", nonzeros], 1
    pairs = list(itertools.product(alphas, betas))
    if FULL in (alphas, betas):
        pairs += [pair for value in FIGURE for pair in ((value, "1e-2"), ("1e-2", value)) if pair not in pairs]
    for alpha, beta in dict.fromkeys(pairs):
        yield "hufs", ["--alpha", alpha, "--beta", beta, "--iterations", ASKED.iterations], 1
    for seed, beta in itertools.product(range(1, len(alphas) + 1), betas):
        yield "eufs", ["--beta", beta, "--iterations", ASKED.iterations], seed
    for method in ["ndfs", "rufs"]:
        for alpha, beta in itertools.product(regression, sparsity):
            yield method, ["--alpha", alpha, "--beta", beta], 1
            if method == "ndfs" and dataset == "20Newsgroup":  # at the default it diverges
                yield method, ["--alpha", alpha, "--beta", beta, "--gamma", "1e10"], 1


def clade(*arguments, limit=None):
    done = subprocess.run([CLADE, *map(str, arguments), "--quiet"], capture_output=True, text=True, timeout=limit)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def prepare(dataset, folder):
    """The data as a file that clade reads, and its feature tree."""
    data = folder / f"{dataset}.npz"
    source = Path(os.environ.get("CLADE_DATA", "../shared/data"))
    tree = folder / f"{dataset}-tree.json"
    method = ["--method", "wordnet"]
    stems = ["--stop-words", "none", "--min-length", 1, "--format", "text-lines"]
    if dataset in BIOLOGY:
        method = ["--method", "agglomerative"]
        data = source / dataset / f"{dataset}.mat"
    elif dataset in IMAGES:
        method = ["--method", "spatial", "--height", 32, "--width", 32]
        values = scipy.io.loadmat(source / dataset / f"{dataset}.mat")
        scale = 255.0 if dataset == "Yale" else 1.0
        data = folder / f"{dataset}.mat"
        scipy.io.savemat(data, {"X": values["X"] / scale, "Y": values["Y"].astype(float)})
    elif dataset == "Guardian":
        # The counts are written out as text, so that they get the same weights as the other texts.
        matrix = scipy.io.mmread(source / "3sources/3sources_guardian.mtx").tocsc()
        terms = (source / "3sources/3sources_guardian.terms").read_text().split()
        names = (source / "3sources/3sources_guardian.docs").read_text().split()
        topics = {}
        for line in (source / "3sources/3sources.disjoint.clist").read_text().splitlines():
            topic, *stories = line.replace(",", " ").split()
            topics.update((story, topic) for story in stories)
        lines = [" ".join(" ".join([terms[row]] * int(count)) for row, count in zip(column.indices, column.data))
                 for column in (matrix[:, k] for k in range(matrix.shape[1]))]
        (folder / "guardian.txt").write_text("\n".join(lines) + "\n")
        (folder / "guardian.labels").write_text("".join(topics[name] + "\n" for name in names))
        clade("convert", folder / "guardian.txt", "--labels-file", folder / "guardian.labels", "-o", data, *stems, *COUNTS)
    elif dataset == "Webkb4":
        clade("convert", source / "WebKB4/WebKB.clean.txt", "--labels-file", source / "WebKB4/WebKB.txt", "-o", data, *stems, *COUNTS)
    elif dataset == "BBCSport":
        clade("convert", source / "BBCSport/bbcsport.tar.xz", "-o", data, "--min-documents", 3, *COUNTS)
    else:
        by_group = {}
        with tarfile.open(source / "newsgroups20/20news-bydate.tar.xz") as tar:
            for member in tar:
                if member.isfile():
                    by_group.setdefault(Path(member.name).parts[-2], []).append((member.name, tar.extractfile(member).read()))
        chooser = random.Random(1)
        for group, documents in sorted(by_group.items()):
            for name, text in chooser.sample(sorted(documents), 50):
                target = folder / "newsgroups" / group / Path(name).name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text)
        clade("convert", folder / "newsgroups", "-o", data, "--min-documents", 2, *COUNTS)
    clade("feature-tree", data, *method, "-o", tree)
    return data, tree


def run(dataset, data, tree, folder, method, parameters, seed):
    """One ranking, clustered with 50, 100, ..., 300 features from 20 starts each."""
    found = {"dataset": dataset, "method": method, "parameters": parameters, "seed": seed}
    try:
        if method == "all features":
            measured = [json.loads(clade("cluster", data, "--scale", ASKED.scale, "--threads", 1, "--json"))]
        else:
            ranking = folder / ("-".join([dataset, method, str(seed), *parameters]).replace("/", "_") + ".json")
            arguments = ["--clusters", CLUSTERS[dataset]] if method != "laplacian" else []
            arguments += ["--feature-tree", tree] if method == "hufs" else []
            clade("select", data, "--method", method, *arguments, *parameters, "--seed", seed, "--top", 300, "--threads", 1,
                  "--scale", ASKED.scale, "--allow-zero-weights", "-o", ranking, limit=LIMIT)
            result = json.loads(ranking.read_text())
            found["weighted"] = sum(weight > 0 for weight in result["nodes"][0]["weight"])
            found["iterations"] = len(result["objective"])
            found["notes"] = [note for note in result["notes"] if "WordNet" not in note]
            measured = json.loads(clade("cluster", data, "--features", ranking, "--sweep", "50,100,...,300", "--threads", 1,
                                        "--scale", ASKED.scale, "--json"))["sweep"]
        found["sweep"] = [{name: one[name] for name in ["features", "accuracy", "accuracy_deviation", "nmi", "nmi_deviation"]}
                          for one in measured]
    except subprocess.TimeoutExpired:
        found["failed"] = f"longer than {LIMIT} s"
    except RuntimeError as error:
        if "every weight is 0" in str(error):
            found["weighted"] = 0
        else:
            found["failed"] = str(error)
    with LOCK, JOURNAL.open("a") as file:
        file.write(json.dumps(found) + "\n")


def key(one):
    return one["dataset"], one["method"], tuple(one["parameters"]), one["seed"]


def journal():
    return [json.loads(line) for line in JOURNAL.read_text().splitlines()] if JOURNAL.exists() else []


def best(found, measure):
    """The best over settings and numbers of features, as in the paper. Features without weight are in no order and do not count."""
    choices = [(one[measure], one, run) for run in found for one in run.get("sweep", [])
               if run["method"] == "all features" or one["features"] <= run["weighted"]]
    return max(choices, key=lambda choice: choice[0]) if choices else None


def groups_hold(run):
    """Is P = M V near? Where alpha is too large P is 0, so that no feature should have a weight, yet V is not."""
    return not any(float(value) > 0.01 for note in run.get("notes", []) for value in re.findall(r"groups ([0-9.e+-]+)", note))


def in_figures_only(run):
    """A run of hufs with values that only the figures have: it would be one more try."""
    return run["method"] == "hufs" and not set(run["parameters"][1:4:2]) <= set(FULL)


def of(found, method):
    """Runs of a method; of eufs all seeds, or of hufs those that kept its groups, where asked for."""
    found = [one for one in found if not in_figures_only(one)]
    if method == MANY:
        return [one for one in found if one["method"] == "eufs"]
    if method == KEPT:
        return [one for one in found if one["method"] == "hufs" and groups_hold(one)]
    return [one for one in found if one["method"] == method and one["seed"] == 1]


def setting(run):
    names = [f"{name[2:]} {value}" for name, value in zip(run["parameters"][::2], run["parameters"][1::2]) if name != "--iterations"]
    return ", ".join(names + ([f"seed {run['seed']}"] if run["seed"] > 1 else [])) or "defaults"


def table(title, datasets, cell):
    print(f"\n## {title}\n\n| | {' | '.join(datasets)} |\n{'|---' * (len(datasets) + 1)}|")
    for method in ["all features", *METHODS, KEPT, MANY]:
        print(f"| {method} | " + " | ".join(cell(method, dataset) for dataset in datasets) + " |")


def tables(datasets):
    done = {dataset: [one for one in journal() if one["dataset"] == dataset] for dataset in datasets}

    def measured(measure, published, scale, digits):
        def cell(method, dataset):
            choice = best(of(done[dataset], method), measure)
            if choice is None:
                return "-"
            value, deviation = (f"{scale * choice[1][name]:.{digits}f}" for name in (measure, measure + "_deviation"))
            paper = dict(zip(METHODS, published.get(dataset, "").split())).get(method)
            return f"{value} ± {deviation}" + (f" ({paper.split('±')[0]})" if paper else "")
        return cell

    def chosen(measure):
        def cell(method, dataset):
            choice = best(of(done[dataset], method), measure)
            return f"{choice[1]['features']}: {setting(choice[2])}" if choice and method != "all features" else "-"
        return cell

    def counted(method, dataset):
        found = of(done[dataset], method)
        failed = sum("failed" in one for one in found)
        empty = sum(one.get("weighted") == 0 for one in found)
        return f"{len(found)}" + (f", {failed} failed" if failed else "") + (f", {empty} empty" if empty else "")

    table("Accuracy in percent, measured (published)", datasets, measured("accuracy", ACCURACY, 100, 1))
    table("NMI, measured (published)", datasets, measured("nmi", NMI, 1, 3))
    table("Features and setting of the best accuracy", datasets, chosen("accuracy"))
    table("Features and setting of the best NMI", datasets, chosen("nmi"))
    table("Runs; failed; without a feature that has a weight", datasets, counted)


def surfaces(datasets):
    """The runs of hufs, a row for each number of features. `weighted`: how many of the best 300 features have a weight."""
    def shown(value):
        return f"{value:.4f}" if value != "" else ""

    rows = ["data,alpha,beta,features,accuracy,nmi,weighted,groups_kept"]
    for one in journal():
        if one["method"] != "hufs" or one["dataset"] not in datasets or "failed" in one:
            continue
        alpha, beta = (float(one["parameters"][one["parameters"].index(name) + 1]) for name in ("--alpha", "--beta"))
        for at in one.get("sweep", []) or [{"features": "", "accuracy": "", "nmi": ""}]:
            rows.append(f"{one['dataset']},{alpha:g},{beta:g},{at['features']},{shown(at['accuracy'])},{shown(at['nmi'])},{one['weighted']},"
                        f"{int(groups_hold(one))}")
    Path(ASKED.surfaces).write_text("\n".join(rows) + "\n")


def main(datasets):
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(ASKED.jobs) as pool:
        known = {key(one) for one in journal()}
        for dataset in datasets if not ASKED.tables else []:
            todo = [one for one in runs(dataset) if (dataset, one[0], tuple(one[1]), one[2]) not in known]
            if todo:
                data, tree = prepare(dataset, Path(name))
                list(pool.map(lambda one: run(dataset, data, tree, Path(name), *one), todo))
    tables(datasets)
    if ASKED.surfaces:
        surfaces(datasets)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("clade")
    parser.add_argument("datasets", nargs="*", metavar="DATASET")
    parser.add_argument("--journal", default="unsupervised.jsonl")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--iterations", default="100")
    parser.add_argument("--scale", default="none")
    parser.add_argument("--methods")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--surfaces")
    ASKED = parser.parse_intermixed_args()
    CLADE = str(Path(ASKED.clade).resolve())
    JOURNAL = Path(ASKED.journal)
    LIMIT = 400  # seconds of one selection
    LOCK = threading.Lock()
    main(ASKED.datasets or list(CLUSTERS))
