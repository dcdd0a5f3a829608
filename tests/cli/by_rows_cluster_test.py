"""clade cluster --by-rows: every process reads some parts of the data, and all find the clusters of one process."""

import json

import numpy as np
import pytest
from clade_tool import run
from team import attempt_team, needs_mpi, run_team, sizes_for

pytestmark = needs_mpi

SAMPLES = 9000  # several blocks of rows


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Two kinds of data in parts of different sizes: dense ones with names of samples, and sparse ones."""
    folder = tmp_path_factory.mktemp("cluster")
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 6, SAMPLES)
    values = (2 * rng.normal(size=(6, 8)))[classes] + rng.normal(size=(SAMPLES, 8))
    values[:, 3] *= 50
    names = "".join(f"x{f}," for f in range(8))
    ends = [0, 300, 350, 4000, 5000, 8990, 8991, SAMPLES]
    (folder / "dense").mkdir()
    (folder / "sparse").mkdir()
    for part, (begin, end) in enumerate(zip(ends, ends[1:])):
        rows = [f"s{k}," + "".join(f"{v:.4f}," for v in values[k]) + f"c{classes[k]}\n" for k in range(begin, end)]
        (folder / "dense" / f"p.part-{part + 1:04}-of-0007.csv").write_text(f"id,{names}label\n" + "".join(rows))
    run("synth", "-o", folder / "whole.svm", "--text", "--levels", "2,6", "--words", 200, "--documents", SAMPLES, "--quiet")
    run("convert", folder / "whole.svm", "-o", folder / "sparse" / "p.svm", "--parts", 7, "--quiet")
    (folder / "tree.csv").write_text("child,parent\n" + "".join(f"c{c},root\n" for c in range(6)))
    return {"dense": [folder / "dense", "--sample-column", "id", "--taxonomy", folder / "tree.csv"], "sparse": [folder / "sparse"]}


@pytest.mark.parametrize("kind,scale", [("dense", "none"), ("dense", "auto"), ("dense", "minmax"), ("sparse", "auto"), ("sparse", "none")])
def test_clusters_are_those_of_one_process(parts, tmp_path, kind, scale):
    request = ["cluster", *parts[kind], "--repeats", 2, "--rounds", 15, "--scale", scale, "--quiet", "-o"]
    whole = run(*request, tmp_path / "whole.csv", "--threads", 1)
    for ranks in (1, *sizes_for(["none", "auto", "minmax"].index(scale))):
        out = run_team(ranks, *request, tmp_path / f"{ranks}.csv", "--by-rows")[0]
        assert out.replace(f"{ranks}.csv", "whole.csv") == whole.stdout
        assert (tmp_path / f"{ranks}.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes(), ranks


def test_a_sweep_over_a_ranking_is_that_of_one_process(parts, tmp_path):
    run("select", *parts["dense"], "--method", "fisher", "-o", tmp_path / "ranking.json", "--quiet")
    request = ["cluster", *parts["dense"], "--features", tmp_path / "ranking.json", "--sweep", "2,5", "--repeats", 2, "--json", "--quiet"]
    whole = json.loads(run(*request).stdout)
    for ranks in (1, 3):
        assert json.loads(run_team(ranks, *request, "--by-rows")[0]) == whole


def test_samples_are_called_by_their_rows_where_some_are_left_out(tmp_path):
    """Of the first part, all are."""
    rng = np.random.default_rng(2)
    (tmp_path / "parts").mkdir()
    for part, rows in enumerate([5, 40, 12, 30]):
        lines = [f"{'' if part == 0 or k % 6 == 0 else k % 9},{rng.normal():.3f},{'ab'[k % 2]}\n" for k in range(rows)]
        (tmp_path / "parts" / f"p.part-000{part + 1}-of-0004.csv").write_text("x,y,label\n" + "".join(lines))
    request = ["cluster", tmp_path / "parts", "--missing", "drop-sample", "--repeats", 2, "--quiet", "-o"]
    run(*request, tmp_path / "whole.csv")
    assert (tmp_path / "whole.csv").read_text().startswith("sample,cluster\n6,")
    for ranks in (1, 3, 4):
        run_team(ranks, *request, tmp_path / f"{ranks}.csv", "--by-rows")
        assert (tmp_path / f"{ranks}.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_what_cannot_be_done_is_refused(parts):
    def refused(*arguments):
        err = attempt_team(3, "cluster", *parts["dense"], "--by-rows", *arguments, "--quiet", status=2)[1]
        lines = [line for line in err.splitlines() if line.startswith("clade: ")]
        assert len(lines) == 1, err
        return lines[0]

    assert "9001 clusters of 9000 samples" in refused("--clusters", 9001)
    assert "no process has the values of all samples" in refused("--missing", "mean")
