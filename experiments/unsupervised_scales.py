"""What --scale does to selectors without labels: the evidence for --scale auto, as Markdown.

    unsupervised_scales.py CLADE [--journal FILE] [--tables]

Every selector that needs no feature hierarchy ranks the features of every data set after every scaling, with default parameters and as
many clusters as classes. k-means then clusters the samples by the best features, scaled in the same way: 10, 25 and 50 % of them, of 200 at
most. The tables show the mean NMI over the numbers of features and 20 starts; the last one the mean over selectors but ndfs, which diverges
on several sets, and k-means on all features. Data are looked for under CLADE_DATA (default ../shared/data);
wine, breast cancer and digits come with scikit-learn. Every run is a line of the journal, and a run that is there is not repeated;
--tables runs nothing. Runs of one thread each, one at a time. About ten minutes. Needs scipy and scikit-learn.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse
import sklearn.datasets

METHODS = {"laplacian": [], "mcfs": [], "ndfs": [], "rufs": [], "eufs": []}
SCALES = ["none", "standard", "minmax", "unit"]
SETS = ["wine", "breast cancer", "digits", "CLEF", "DD", "Yale", "COIL20", "GLIOMA", "lymphoma", "nci9", "Guardian counts", "BBC counts",
        "Reuters counts"]


def read(name):
    source = Path(os.environ.get("CLADE_DATA", "../shared/data"))
    if name in ("wine", "breast cancer", "digits"):
        data = getattr(sklearn.datasets, "load_" + name.replace(" ", "_"))()
        return data.data, data.target
    if name.endswith("counts"):
        stem = f"3sources_{name.split()[0].lower()}"
        matrix = scipy.io.mmread(source / f"3sources/{stem}.mtx").T.tocsr()
        topics = {}
        for line in (source / "3sources/3sources.disjoint.clist").read_text().splitlines():
            topic, *stories = line.replace(",", " ").split()
            topics.update((story, topic) for story in stories)
        names = (source / f"3sources/{stem}.docs").read_text().split()
        return matrix, np.unique([topics[one] for one in names], return_inverse=True)[1]
    if name == "CLEF":
        values = scipy.io.loadmat(source / "CLEF/CLEF63.mat")["data_array"][8368:]
        return values[:, :-1], values[:, -1]
    if name == "DD":
        values = scipy.io.loadmat(source / "DD/DDTest.mat")["data_array"]
        return values[:, :-1], values[:, -1]
    values = scipy.io.loadmat(source / name / f"{name}.mat")
    return values["X"].astype(float), values["Y"].ravel()


def clade(*arguments):
    done = subprocess.run([CLADE, *map(str, arguments), "--quiet", "--threads", "1"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def counts(features):
    most = min(200, features)
    return sorted({max(min(10, features // 2), round(most * share)) for share in (0.1, 0.25, 0.5)})


def run(name, folder, known):
    values, classes = read(name)
    classes = np.unique(classes, return_inverse=True)[1]
    data = folder / "data.svm"
    rows = scipy.sparse.csr_matrix(values)
    if scipy.sparse.issparse(values):
        sklearn.datasets.dump_svmlight_file(rows, classes, data, zero_based=False)
    else:
        data = folder / "data.mat"
        scipy.io.savemat(data, {"X": values, "Y": classes[:, None] + 1.0})
    sweep = ",".join(map(str, counts(values.shape[1])))
    for method in ["all features", *METHODS]:
        for scale in SCALES:
            if (name, method, scale) in known:
                continue
            found = {"data": name, "method": method, "scale": scale}
            try:
                if method == "all features":
                    measured = [json.loads(clade("cluster", data, "--scale", scale, "--json"))]
                else:
                    clusters = [] if method == "laplacian" else ["--clusters", classes.max() + 1]
                    clade("select", data, "--method", method, *clusters, "--scale", scale, "-o", folder / "r.json", "--force")
                    found["weighted"] = sum(w > 0 for w in json.loads((folder / "r.json").read_text())["nodes"][0]["weight"])
                    measured = json.loads(clade("cluster", data, "--features", folder / "r.json", "--sweep", sweep, "--scale", scale,
                                                "--json"))["sweep"]
                found["nmi"] = float(np.mean([one["nmi"] for one in measured]))
                found["accuracy"] = float(np.mean([one["accuracy"] for one in measured]))
            except RuntimeError as error:
                found["failed"] = str(error)
            with JOURNAL.open("a") as file:
                file.write(json.dumps(found) + "\n")


def journal():
    return [json.loads(line) for line in JOURNAL.read_text().splitlines()] if JOURNAL.exists() else []


def shown(value):
    return "-" if value is None else f"{value:.3f}"


def tables():
    found = {(one["data"], one["method"], one["scale"]): one.get("nmi") for one in journal()}
    head = f"| | {' | '.join(SCALES)} |\n{'|---' * (len(SCALES) + 1)}|"
    for method in METHODS:
        print(f"\n## {method}\n\n{head}")
        for name in SETS:
            print(f"| {name} | {' | '.join(shown(found.get((name, method, scale))) for scale in SCALES)} |")
    print(f"\n## mean of the selectors but ndfs, all features\n\n{head}")
    for name in SETS:
        cells = []
        for scale in SCALES:
            some = [found.get((name, method, scale)) for method in METHODS if method != "ndfs"]
            cells.append(f"{shown(None if None in some else float(np.mean(some)))}, {shown(found.get((name, 'all features', scale)))}")
        print(f"| {name} | {' | '.join(cells)} |")


def main():
    known = {(one["data"], one["method"], one["scale"]) for one in journal()}
    for name in SETS if not ASKED.tables else []:
        with tempfile.TemporaryDirectory() as folder:
            run(name, Path(folder), known)
    tables()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("clade")
    parser.add_argument("--journal", default="scales.jsonl")
    parser.add_argument("--tables", action="store_true")
    ASKED = parser.parse_args()
    CLADE = str(Path(ASKED.clade).resolve())
    JOURNAL = Path(ASKED.journal)
    main()
