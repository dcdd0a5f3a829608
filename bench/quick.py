"""Quick forms of the ratios, for bench/check.py: small data, processor seconds on one thread, contenders and their baseline
in turn. A baseline is another program, or a computation in this process, that does the same work or work of the same kind;
what counts is that it stays the same."""

import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
sys.path.insert(0, str(Path(__file__).resolve().parent))
import blas_kernel  # noqa: E402, F401

import numpy as np  # noqa: E402
import pandas  # noqa: E402
from scipy.cluster.hierarchy import linkage  # noqa: E402
from scipy.linalg import cho_factor, cho_solve  # noqa: E402
from scipy.spatial.distance import pdist  # noqa: E402
from sklearn.datasets import load_svmlight_file  # noqa: E402
from sklearn.ensemble import ExtraTreesRegressor  # noqa: E402
from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: E402
from sklearn.linear_model import LogisticRegression, MultiTaskLasso  # noqa: E402
from sklearn.neighbors import NearestNeighbors  # noqa: E402
from sklearn.svm import SVC, LinearSVC  # noqa: E402

from finished_process import Run  # noqa: E402
from hierarchical_text import TextOptions, generate, node_problems  # noqa: E402
from ratio import alternating, divided, record  # noqa: E402


def in_process(work):
    """A function that returns the processor seconds of `work`."""
    def timed():
        start = time.process_time()
        work()
        return time.process_time() - start
    return timed


class Bench:
    """Where a question puts its data, and how it measures and reports."""

    def __init__(self, tool, folder, rounds):
        self.tool, self.folder, self.rounds = tool, folder, rounds
        self.peaks = defaultdict(list)  # bytes, of every run by its name

    def make(self, *arguments):
        subprocess.run([str(word) for word in (self.tool, *arguments, "--force", "--quiet")], check=True, stdout=subprocess.DEVNULL)

    def clade(self, name, *arguments, output=".out"):
        """A function that returns the processor seconds of `clade ARGUMENTS -o NAME.out`."""
        out = ["-o", self.folder / (name + output), "--force"] if output else []

        def timed():
            run = Run(self.tool, *arguments, *out, "--quiet", "--threads", 1)
            self.peaks[name].append(run.memory)
            return run.processor
        return timed

    def compare(self, question, data, baselines, contenders):
        """`baselines` and `contenders` are {name: function}; a contender is {name: (function, name of its baseline)}."""
        found = alternating(self.rounds, {**{("base", name): work for name, work in baselines.items()},
                                          **{("own", name): work for name, (work, _) in contenders.items()}})
        for name, (_, baseline) in contenders.items():
            rounds = divided(found["own", name], found["base", baseline])
            middle = record(question, name, baseline, rounds, data=data)
            print(f"{question:12} {name:34} {np.median(found['own', name]):7.3f} s   {middle:7.3f} x {baseline}", flush=True)

    def memory(self, question, data, name, file):
        """The largest resident memory, relative to the file that was read."""
        peaks, size = self.peaks[name], file.stat().st_size
        middle = record(question, f"train {name}", "size of the file", [peak / size for peak in peaks], data=data, measure="peak memory")
        print(f"{question:12} {'train ' + name:34} {np.median(peaks) / 2**20:5.0f} MiB   {middle:7.3f} x size of the file", flush=True)


def write_plain(data):
    """The same values, without labels that only Clade reads."""
    plain = data.with_suffix(".plain.svm")
    plain.write_text(re.sub(r"^\S+", "1", data.read_text(), flags=re.M))
    return str(plain)


def loading(bench):
    svm, csv, text = (bench.folder / name for name in ("load.svm", "load.csv", "load.jsonl"))
    bench.make("synth", "--text", "-o", svm, "--documents", 40_000)
    bench.make("synth", "-o", csv, "--samples", 10_000, "--features", 100, "--single-label")
    bench.make("synth", "--text", "-o", text, "--documents", 6_000)
    plain = write_plain(svm)
    texts = text.read_text().splitlines()
    bench.compare("loading", "generated, 2 to 20 MB", {
        "scikit-learn load_svmlight_file": in_process(lambda: load_svmlight_file(plain)),
        "pandas read_csv": in_process(lambda: pandas.read_csv(csv, float_precision="round_trip")),
        "scikit-learn TfidfVectorizer": in_process(lambda: TfidfVectorizer().fit_transform(texts)),
    }, {
        "LIBSVM": (bench.clade("LIBSVM", "info", plain, output=""), "scikit-learn load_svmlight_file"),
        "CSV": (bench.clade("CSV", "info", csv, output=""), "pandas read_csv"),
        "texts": (bench.clade("texts", "info", text, output=""), "scikit-learn TfidfVectorizer"),
    })


TEXT = TextOptions(words=15_000, levels=(8, 40, 200), train=4_000, test=4_000, length=64)
TEXT_DATA = "4,000 documents, 200 classes, 15,000 words"


def classifying(bench):
    text = generate(bench.tool, bench.folder, TEXT)
    problems = [(text.values[samples], children) for samples, children in node_problems(text)]
    train, test, model = (bench.folder / name for name in ("train.svm", "test.svm", "liblinear.model"))

    def fit(learner):
        for values, children in problems:
            learner.fit(values, children)

    svm, logistic = "liblinear, SVMs of inner nodes", "liblinear, regressions of inner nodes"
    baselines = {
        svm: in_process(lambda: fit(LinearSVC(loss="hinge", C=1, tol=0.1))),
        logistic: in_process(lambda: fit(LogisticRegression(solver="liblinear", C=1, tol=0.1, multi_class="ovr"))),
    }
    joint, predict = logistic, svm
    if shutil.which("liblinear-train"):
        joint, predict = "liblinear -s 4", "liblinear-predict"
        baselines[joint] = lambda: Run("liblinear-train", "-s", 4, "-c", 1, "-e", 0.1, train, model).processor
        baselines[predict] = lambda: Run("liblinear-predict", test, model, bench.folder / "liblinear.out").processor
    contenders = {}
    of = {"top-down-svm": svm, "top-down-logistic": logistic, "path-svm": joint, "flat-svm": joint, "hierarchical-svm": joint, "hieron": joint,
          "flat-perceptron": joint}
    for name, baseline in of.items():
        work = bench.clade(name, "train", train, "--taxonomy", bench.folder / "taxonomy.csv", "--scale", "none", "--classifier", name)
        contenders[f"train {name}"] = (work, baseline)
        work()  # the models to predict with
    for name in ("top-down-svm", "path-svm", "hierarchical-svm"):
        work = bench.clade(f"predict {name}", "predict", bench.folder / f"{name}.out", test)
        contenders[f"predict {name}"] = (work, predict)
    bench.compare("text", TEXT_DATA, baselines, contenders)
    for name in of:
        bench.memory("text", TEXT_DATA, name, train)


def many_nodes(bench):
    """Several labels over a DAG."""
    data, taxonomy = bench.folder / "dag.svm", bench.folder / "dag.csv"
    bench.make("synth", "--text", "-o", data, "--taxonomy-out", taxonomy, "--documents", 1_000, "--words", 1_000, "--length", 80, "--levels",
               "10,60,250", "--dag", 0.3, "--labels", 3)
    values, _ = load_svmlight_file(write_plain(data))
    other = np.arange(values.shape[0]) % 40
    baseline = "liblinear, 40 classes"
    names = ("top-down-svm", "path-svm", "hierarchical-svm")
    bench.compare("many nodes", "1,000 documents, a DAG of 321 nodes", {
        baseline: in_process(lambda: LinearSVC(loss="hinge", C=1, tol=0.1).fit(values, other)),
    }, {f"train {name}": (bench.clade(name, "train", data, "--taxonomy", taxonomy, "--classifier", name), baseline) for name in names})


def selecting(bench):
    data = bench.folder / "dense.npz"
    bench.make("synth", "-o", data, "--samples", 3_000, "--features", 256)
    x = np.load(data)["X"].astype(float)
    right = np.ones((256, 3))

    def linear_algebra():
        """What ten iterations over 13 inner nodes cannot do without."""
        gram = x.T @ x + 10 * np.eye(256)
        for _ in range(130):
            cho_solve(cho_factor(gram), right)

    baseline = "NumPy, the Gram matrix and all factorisations"
    names = ("hier-fs", "hirr-par", "hirr-fam", "hier-fisher", "hier-mrmr", "lccshfs")
    bench.compare("select", "3,000 x 256, 13 inner nodes", {baseline: in_process(linear_algebra)},
                  {name: (bench.clade(name, "select", data, "--method", name), baseline) for name in names})


def exactly(bench):
    random = np.random.default_rng(1)
    works, baselines = {}, {}
    for samples, features in [(1_000, 200), (200, 1_000)]:
        x = random.standard_normal((samples, features)).cumsum(axis=1) / np.sqrt(np.arange(1, features + 1))
        labels = (x @ random.standard_normal((features, 10)) + random.standard_normal((samples, 10))).argmax(1)
        y = (labels[:, None] == np.unique(labels)).astype(float)
        penalty = 0.1 * 2 * np.linalg.norm(x.T @ y, axis=1).max()
        path = bench.folder / f"exact{features}.npz"
        np.savez(path, X=x, y=labels)
        size, a, b = f"{samples} x {features}", np.asfortranarray(x), np.asfortranarray(y)
        lasso = MultiTaskLasso(alpha=penalty / (2 * samples), fit_intercept=False, tol=1e-4, max_iter=100_000)
        baselines[f"scikit-learn MultiTaskLasso, {size}"] = in_process(lambda lasso=lasso, a=a, b=b: lasso.fit(a, b))
        works[f"exact solver, {size}"] = (bench.clade(f"exact{features}", "select", path, "--method", "hier-fs", "--solver", "exact",
                                                      "--lambda", repr(penalty)), f"scikit-learn MultiTaskLasso, {size}")
    bench.compare("exact", "10 classes", baselines, works)


def without_labels(bench):
    data = bench.folder / "dense.npz"
    if not data.exists():
        bench.make("synth", "-o", data, "--samples", 3_000, "--features", 256)
    x = np.load(data)["X"].astype(float)
    baseline = "scikit-learn NearestNeighbors"
    bench.compare("unsupervised", "3,000 x 256", {
        baseline: in_process(lambda: NearestNeighbors(n_neighbors=6, algorithm="brute", metric="sqeuclidean").fit(x).kneighbors(x)),
    }, {"laplacian": (bench.clade("laplacian", "select", data, "--method", "laplacian"), baseline)})


def inducing(bench):
    random = np.random.default_rng(1)
    classes = np.arange(2_000)
    x = 3 * random.normal(size=(20, 50))[classes % 20] + random.normal(size=(len(classes), 50))
    path = bench.folder / "classes.npz"
    np.savez(path, X=x, y=classes)
    baseline = "scipy pdist and linkage"
    bench.compare("induce", "2,000 classes x 50", {baseline: in_process(lambda: linkage(pdist(x), "average"))},
                  {"learn-taxonomy": (bench.clade("learned", "learn-taxonomy", path, output=".csv"), baseline)})


def dense_learners(bench):
    data, small = bench.folder / "learn.npz", bench.folder / "small.npz"
    bench.make("synth", "-o", data, "--samples", 1_500, "--features", 40, "--single-label")
    bench.make("synth", "-o", small, "--samples", 400, "--features", 40, "--single-label")
    with np.load(data) as file:
        x = file["X"].astype(float)
    groups = np.linalg.norm(x[:, None, :8] - x[None, :27, :8], axis=2).argmin(1)  # 27 classes like those of the file
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    y = (groups[:, None] == np.arange(39)).astype(float)
    trees = ExtraTreesRegressor(n_estimators=20, min_samples_leaf=5, max_features=1 / 3, random_state=0, n_jobs=1)
    svc, forest = "scikit-learn SVC", "scikit-learn ExtraTreesRegressor"
    bench.compare("dense", "1,500 x 40, 27 classes", {
        svc: in_process(lambda: SVC(C=10, gamma="scale").fit(unit, groups)), forest: in_process(lambda: trees.fit(x, y)),
    }, {
        "train flat-svm": (bench.clade("flat", "train", data, "--classifier", "flat-svm"), svc),
        "train path-svm": (bench.clade("path", "train", data, "--classifier", "path-svm"), svc),
        "train hierarchical-svm": (bench.clade("joint", "train", data, "--classifier", "hierarchical-svm"), svc),
        "train flat-svm, rbf": (bench.clade("rbf", "train", data, "--classifier", "flat-svm", "--kernel", "rbf", "--c", 10), svc),
        "train kernel-ridge, 400 samples": (bench.clade("ridge", "train", small, "--classifier", "kernel-ridge"), svc),
        "train forest": (bench.clade("forest", "train", data, "--classifier", "forest", "--trees", 20), forest),
    })


def evaluating(bench):
    data, predictions = bench.folder / "truth.svm", bench.folder / "predictions.csv"
    bench.make("synth", "-o", data, "--depth", 3, "--fanout", 10, "--samples", 300_000, "--features", 1, "--single-label")
    labels = np.array([line.split(" ", 1)[0] for line in data.read_text().splitlines()])
    guesses = np.where(np.arange(len(labels)) % 5 == 0, np.roll(labels, 1), labels)
    with open(predictions, "w") as file:
        file.write("sample,rank,label,score\n" + "".join(f"{k},1,{label},0.5\n" for k, label in enumerate(guesses)))

    def plainly():
        table = pandas.read_csv(predictions)
        return (table["label"].to_numpy(dtype=str) == labels).mean()

    baseline = "pandas, accuracy alone"
    bench.compare("evaluate", "300,000 predictions, 1,000 classes", {baseline: in_process(plainly)},
                  {"evaluate": (bench.clade("evaluate", "evaluate", data, "--predictions", predictions, output=""), baseline)})


QUESTIONS = {"loading": loading, "text": classifying, "many nodes": many_nodes, "select": selecting, "exact": exactly,
             "unsupervised": without_labels, "induce": inducing, "dense": dense_learners, "evaluate": evaluating}


def run(tool, folder, rounds, only=""):
    """Measures every question whose name matches `only`."""
    warnings.simplefilter("ignore")
    for name, question in QUESTIONS.items():
        if re.search(only, name):
            question(Bench(tool, folder, rounds))
