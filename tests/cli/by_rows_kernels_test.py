"""clade train --by-rows --classifier kernel-ridge: samples stay with the processes that read them, and all learn what
one process does."""

import json

import numpy as np
import pytest
from clade_tool import run
from team import attempt_team, needs_mpi, run_team, sizes_for

pytestmark = needs_mpi

SAMPLES = 4500  # two blocks of rows
SMALL = ["--classifier", "kernel-ridge", "--landmarks", 150, "--search-samples", 200]
CASES = {"several": ["--scale", "standard"], "text": [], "one": ["--scale", "none", "--kernel", "rbf", "--width", 1, "--penalty", 0.1]}


def of_parts(folder, whole, ending):
    parts = folder / f"parts-{ending}"
    parts.mkdir()
    run("convert", whole, "-o", parts / f"p.{ending}", "--parts", 7, "--quiet")
    return parts


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Dense samples with several labels; dense ones with one, and sparse ones."""
    folder = tmp_path_factory.mktemp("kernels")
    run("synth", "-o", folder / "several.npz", "--depth", 2, "--fanout", 3, "--samples", SAMPLES, "--features", 10, "--quiet")
    run("synth", "-o", folder / "text.svm", "--text", "--levels", "2,6", "--words", 60, "--documents", SAMPLES, "--quiet")
    rng = np.random.default_rng(5)
    classes = rng.integers(0, 6, SAMPLES)
    values = (1.5 * rng.normal(size=(6, 10)))[classes] + rng.normal(size=(SAMPLES, 10))
    np.savez(folder / "one.npz", X=values * 10.0 ** rng.integers(-2, 3, 10), y=[f"g{c // 3}/c{c}" for c in classes])
    return {"several": of_parts(folder, folder / "several.npz", "npz"), "text": of_parts(folder, folder / "text.svm", "svm"),
            "one": of_parts(folder, folder / "one.npz", "arff")}


@pytest.mark.parametrize("kind", CASES)
def test_the_model_is_that_of_one_process(data, tmp_path, kind):
    request = ["train", data[kind], "--by-rows", *SMALL, *CASES[kind], "--quiet"]
    run(*request, "-o", tmp_path / "one.clade", "--threads", 1)
    for ranks in sizes_for(list(CASES).index(kind)):
        run_team(ranks, *request, "-o", tmp_path / f"{ranks}.clade")
        assert (tmp_path / f"{ranks}.clade").read_bytes() == (tmp_path / "one.clade").read_bytes(), ranks


def measured(model, data):
    found = json.loads(run("evaluate", model, data, "--json").stdout)
    return [found[name] for name in ("accuracy", "hierarchical_f1")]


@pytest.mark.parametrize("kind", CASES)
def test_the_model_is_as_good_as_without(data, tmp_path, kind):
    request = ["train", data[kind], *SMALL, *CASES[kind], "--quiet"]
    run(*request, "-o", tmp_path / "whole.clade")
    run_team(3, *request, "--by-rows", "-o", tmp_path / "rows.clade")
    assert measured(tmp_path / "rows.clade", data[kind]) == pytest.approx(measured(tmp_path / "whole.clade", data[kind]), abs=2e-3)


def test_of_few_samples_all_are_landmarks(tmp_path):
    """Then the model is the exact solution, up to rounding, and keeps the names of the samples."""
    names = [f"n{k}" for k in range(60)]
    rng = np.random.default_rng(6)
    (tmp_path / "parts").mkdir()
    rows = [f"{name},{rng.normal() + (k % 3):.3f},{rng.normal():.3f},{'abc'[k % 3]}\n" for k, name in enumerate(names)]
    (tmp_path / "whole.csv").write_text("id,x,y,label\n" + "".join(rows))
    (tmp_path / "tree.csv").write_text("child,parent\na,root\nb,root\nc,root\n")
    for part, (begin, end) in enumerate([(0, 5), (5, 40), (40, 60)]):
        (tmp_path / "parts" / f"p.part-000{part + 1}-of-0003.csv").write_text("id,x,y,label\n" + "".join(rows[begin:end]))
    more = ["--sample-column", "id", "--taxonomy", tmp_path / "tree.csv", "--classifier", "kernel-ridge", "--quiet"]
    run("train", tmp_path / "whole.csv", *more, "-o", tmp_path / "whole.clade")
    run("train", tmp_path / "parts", *more, "--by-rows", "-o", tmp_path / "one.clade")
    run_team(3, "train", tmp_path / "parts", *more, "--by-rows", "-o", tmp_path / "three.clade")
    assert (tmp_path / "three.clade").read_bytes() == (tmp_path / "one.clade").read_bytes()
    assert b"n37" in (tmp_path / "three.clade").read_bytes()
    assert measured(tmp_path / "three.clade", tmp_path / "whole.csv") == pytest.approx(measured(tmp_path / "whole.clade", tmp_path / "whole.csv"))


def refused(*arguments):
    err = attempt_team(3, *arguments, "--quiet", status=2)[1]
    lines = [line for line in err.splitlines() if line.startswith("clade: ")]
    assert len(lines) == 1, err
    return lines[0]


def test_what_cannot_be_done_is_refused(data, tmp_path):
    request = ["train", data["one"], "--by-rows", "--classifier", "kernel-ridge", "-o", tmp_path / "out.clade"]
    said = refused(*request, "--memory", "1M")
    assert "in every process for 3000 landmarks" in said and "fewer --landmarks" in said
    assert "the same features at all nodes" in refused(*request, "--select", "hier-fisher", "--top", 5)
    assert "--by-rows together with --holdout" in refused(*request, "--holdout", "20%")
    gaps = tmp_path / "gaps"
    gaps.mkdir()
    for part in range(3):
        (gaps / f"t.part-000{part + 1}-of-0003.csv").write_text(f"x,y,label\n{part},,a\n3,4,b\n")
    said = refused("train", gaps, "--by-rows", "--classifier", "kernel-ridge", "-o", tmp_path / "out.clade")
    assert "feature y of sample" in said and "missing" in said
    assert not (tmp_path / "out.clade").exists()
