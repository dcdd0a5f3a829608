#!/usr/bin/python3
"""How fast does the exact solver reach the minimum next to scikit-learn's MultiTaskLasso, on the same problem?

Usage: run.py BUILD_TREE

One node with 20 classes and features correlated with their neighbours; lambda is a share of the smallest one that makes
W = 0. Both minimise ||X W - Y||^2 + lambda ||W||_21 without an intercept; scikit-learn divides that by 2n. scikit-learn
gets ever smaller tolerances until its objective is at most 1e-6 above Clade's, relatively; only that last fit counts,
timed in process. `clade select` is timed as a whole process, including reading. Best of three runs each.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import blas_kernel  # noqa: E402, F401

import numpy as np  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.linear_model import MultiTaskLasso  # noqa: E402

from ratio import record  # noqa: E402

SHAPES = [(3000, 473), (7000, 1000), (500, 4000)]
SHARES = [0.3, 0.1]
TOLERANCES = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6]
REPEATS = 3
EXCESS = 1e-6


def problem(samples, features, classes=20, correlation=0.95):
    random = np.random.default_rng(1)
    x = random.standard_normal((samples, features))
    for j in range(1, features):
        x[:, j] = correlation * x[:, j - 1] + np.sqrt(1 - correlation**2) * x[:, j]
    weights = random.standard_normal((features, classes)) * (random.random((features, 1)) < 0.1)
    labels = (x @ weights + random.standard_normal((samples, classes))).argmax(1)
    return x, labels, (labels[:, None] == np.unique(labels)).astype(float)


def objective(x, y, w, penalty):
    return ((x @ w - y) ** 2).sum() + penalty * np.linalg.norm(w, axis=1).sum()


def best_seconds(work, repeats):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def with_clade(program, path, penalty):
    """Seconds, objective, and the number of features kept."""
    command = [program, "select", path, "--method", "hier-fs", "--solver", "exact", "--lambda", repr(penalty), "--quiet", "--json"]
    ranking = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    seconds = best_seconds(lambda: subprocess.run(command, check=True, capture_output=True), REPEATS)
    return seconds, ranking["objective"][-1], sum(weight > 0 for weight in ranking["nodes"][0]["weight"])


def with_sklearn(x, y, penalty, enough):
    """Seconds and objective at the loosest tolerance that is good enough, or else at the tightest."""
    for tolerance in TOLERANCES:
        lasso = MultiTaskLasso(alpha=penalty / (2 * len(x)), fit_intercept=False, tol=tolerance, max_iter=100_000)
        found = objective(x, y, lasso.fit(x, y).coef_.T, penalty)
        if found <= enough:
            break
    return best_seconds(lambda: lasso.fit(x, y), REPEATS), found


def main():
    warnings.simplefilter("error", ConvergenceWarning)
    program = pathlib.Path(sys.argv[1]) / "clade"
    print(f"{'samples x features':20}{'lambda':>7}{'rows':>6}{'clade s':>9}{'sklearn s':>11}{'times faster':>14}{'sklearn above':>15}")
    for samples, features in SHAPES:
        x, labels, y = problem(samples, features)
        largest = 2 * np.linalg.norm(x.T @ y, axis=1).max()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "data.npz"
            np.savez(path, X=x, y=labels)
            for share in SHARES:
                penalty = share * largest
                clade, minimum, rows = with_clade(program, path, penalty)
                sklearn, found = with_sklearn(np.asfortranarray(x), np.asfortranarray(y), penalty, minimum * (1 + EXCESS))
                above = found / minimum - 1
                record("exact", "hier-fs --solver exact", "scikit-learn MultiTaskLasso", clade / sklearn,
                       data=f"{samples} x {features}, lambda {share}", measure="seconds")
                print(f"{samples:>8,} x {features:<9,}{share:7.2g}{rows:6}{clade:9.3f}{sklearn:11.3f}{sklearn / clade:14.1f}"
                      f"{above:15.1e}", flush=True)
                if above < -EXCESS:
                    sys.exit("clade has not reached the minimum")


main()
