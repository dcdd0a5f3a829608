"""--by-rows: every process reads some of the data, and all select, or learn, as one process does."""

import gzip
import json
import shutil

import numpy as np
import pytest
from clade_tool import run
from team import Team, attempt_team, needs_mpi, run_team, sizes_for

pytestmark = needs_mpi


@pytest.fixture(scope="module", params=["svm", "npz"])
def parts(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    whole = folder / f"whole.{request.param}"
    # One label per sample in a tree, and several.
    what = {"svm": ["--text", "--levels", "3,12,40", "--words", 300, "--documents", 1100],
            "npz": ["--depth", 3, "--fanout", 4, "--samples", 1100, "--features", 90]}
    run("synth", "-o", whole, *what[request.param], "--quiet")
    (folder / "parts").mkdir()
    run("convert", whole, "-o", folder / "parts" / f"p.{request.param}", "--parts", 7, "--quiet")
    return folder / "parts"


METHODS = ["hier-fs", "hirr-fam", "hier-fisher", "mrmr"]


@pytest.mark.parametrize("method", METHODS)
def test_the_ranking_is_that_of_one_process(parts, tmp_path, method):
    request = ["select", parts, "--method", method, "--quiet"]
    run(*request, "-o", tmp_path / "one.json")
    for ranks in sizes_for(METHODS.index(method)):
        run_team(ranks, *request, "--by-rows", "-o", tmp_path / f"{ranks}.json")
        assert (tmp_path / f"{ranks}.json").read_bytes() == (tmp_path / "one.json").read_bytes(), ranks


def test_sums_of_many_children_are_those_of_one_process(tmp_path):
    """Of numbers whose sums depend on the order."""
    rng = np.random.default_rng(1)
    np.savez(tmp_path / "d.npz", X=rng.normal(size=(24, 18)), y=[f"{'ab'[i % 2]}/{i % 12}" for i in range(24)])
    run("select", tmp_path / "d.npz", "--method", "fs-base", "-o", tmp_path / "one.json")
    for ranks in (2, 3):
        run_team(ranks, "select", tmp_path / "d.npz", "--method", "fs-base", "-o", tmp_path / f"{ranks}.json")
        assert (tmp_path / f"{ranks}.json").read_bytes() == (tmp_path / "one.json").read_bytes(), ranks


CLASSIFIERS = {"logistic": ["--classifier", "top-down-logistic", "--scale", "unit"],
               "svm": ["--classifier", "top-down-svm", "--loss", "squared-hinge", "--scale", "unit"]}


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_model_is_that_of_one_process(parts, tmp_path, classifier):
    request = ["train", parts, "--by-rows", *CLASSIFIERS[classifier], "--quiet"]
    run(*request, "-o", tmp_path / "one.clade")
    for ranks in sizes_for(list(CLASSIFIERS).index(classifier)):
        run_team(ranks, *request, "-o", tmp_path / f"{ranks}.clade", "--test", parts)
        assert (tmp_path / f"{ranks}.clade").read_bytes() == (tmp_path / "one.clade").read_bytes(), ranks


def accuracy(model, data):
    return json.loads(run("evaluate", model, data, "--json").stdout)["accuracy"]


def test_the_model_is_as_good_as_without(parts, tmp_path):
    for classifier in CLASSIFIERS.values():
        request = ["train", parts, *classifier, "--decide", "own", "--quiet"]
        run(*request, "-o", tmp_path / "whole.clade", "--force")
        run(*request, "--by-rows", "-o", tmp_path / "rows.clade", "--force")
        assert accuracy(tmp_path / "rows.clade", parts) == pytest.approx(accuracy(tmp_path / "whole.clade", parts), abs=0.02)


def test_training_goes_on_with_another_number_of_processes(parts, tmp_path):
    request = ["train", parts, "--by-rows", *CLASSIFIERS["svm"], "--quiet", "--work", tmp_path / "work"]
    run_team(3, *request, "-o", tmp_path / "three.clade")
    pieces = sorted((tmp_path / "work").glob("*.piece"))
    assert len(pieces) > 2
    for piece in pieces[::2]:
        piece.unlink()
    run_team(4, *request, "--resume", "-o", tmp_path / "four.clade")
    assert (tmp_path / "four.clade").read_bytes() == (tmp_path / "three.clade").read_bytes()


def test_a_run_goes_on_with_another_number_of_processes(parts, tmp_path):
    request = ["select", parts, "--by-rows", "--method", "hier-fs", "--quiet", "--work", tmp_path / "work"]
    run_team(3, *request, "-o", tmp_path / "three.json")
    pieces = sorted((tmp_path / "work").glob("*.piece"))
    assert len(pieces) == 2
    pieces[1].unlink()
    run_team(2, *request, "--resume", "-o", tmp_path / "two.json")
    pieces[0].write_bytes(pieces[0].read_bytes()[:-1])
    run(*request, "--resume", "-o", tmp_path / "one.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes() == (tmp_path / "three.json").read_bytes()


FILES = {"--taxonomy": ("child,parent\nx,root\ny,root\na,x\nb,x\nc,y\nd,y\n", ("c,y", "c,x")),
         "--label-map": ("a -> b\n", ("b", "c")),
         "--labels-file": ("a\nb\nc\nd\n" * 10, ("a", "b"))}


@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize("request_", [["select", "--method", "hier-fisher"], ["train", *CLASSIFIERS["svm"]]], ids=["select", "train"])
def test_a_run_does_not_go_on_with_another_hierarchy_or_other_labels(tmp_path, option, request_):
    """The data stay as they are: what changes is in another file."""
    data = tmp_path / ("data.npy" if option == "--labels-file" else "data.svm")  # as the option is for some formats
    if data.suffix == ".npy":
        np.save(data, np.arange(80.0).reshape(40, 2))
    else:
        data.write_text("".join(f"{'abcd'[k % 4]} 1:{k % 4 + 1} 2:{k}\n" for k in range(40)))
    text, change = FILES[option]
    file = tmp_path / "file.csv"
    file.write_text(text)
    command = [request_[0], data, *request_[1:], "--by-rows", option, file, "--quiet", "--force",
               "--work", tmp_path / "work", "-o", tmp_path / "out"]
    run(*command)
    run(*command, "--resume")
    file.write_text(text.replace(*change))
    assert "the work was begun with another hierarchy, or other labels" in run(*command, "--resume", status=2).stderr


def test_a_run_does_not_go_on_with_another_file_beside_the_parts(parts, tmp_path):
    if not next(parts.iterdir()).name.endswith((".svm", ".json")):
        pytest.skip("only these parts have such files")
    folder = tmp_path / "parts"
    shutil.copytree(parts, folder)
    command = ["select", folder, "--method", "hier-fisher", "--by-rows", "--quiet", "--force", "--work",
               tmp_path / "work", "-o", tmp_path / "out.json"]
    run_team(3, *command)
    for file in folder.glob("*.meta.json"):
        meta = json.loads(file.read_text())
        names = meta["taxonomy"]["nodes"]
        names[-1], names[-2] = names[-2], names[-1]
        file.write_text(json.dumps(meta))
    assert "another hierarchy" in run(*command, "--resume", status=2).stderr


def refused(*arguments):
    err = attempt_team(3, *arguments, "--quiet", status=2)[1]
    lines = [line for line in err.splitlines() if line.startswith("clade: ")]
    assert len(lines) == 1, err
    return lines[0]


def test_what_cannot_be_done_is_refused(parts, tmp_path):
    request = ["select", parts, "--by-rows", "-o", tmp_path / "out.json"]
    assert "every process needs the values of all samples" in refused(*request, "--method", "hier-fsnm")
    assert "every process needs the values of all samples" in refused(*request, "--method", "hier-fs", "--solver", "exact")
    assert "expected --scale none" in refused(*request, "--method", "hier-fs", "--scale", "standard")
    assert "expected no --bias" in refused(*request, "--method", "hier-fs", "--bias")
    request = ["train", parts, "--by-rows", "-o", tmp_path / "out.clade"]
    assert "--by-rows without --classifier" in refused(*request)
    assert "every process needs the values of all samples" in refused(*request, "--classifier", "hierarchical-svm")
    assert "--by-rows together with --holdout" in refused(*request, *CLASSIFIERS["svm"], "--holdout", "20%")
    assert "--by-rows does not concern --append" in refused("train", "--append", tmp_path / "out.clade", parts, "--by-rows")
    assert "thresholds are learnt" in refused(*request, *CLASSIFIERS["svm"], "--decide-folds", 4)
    assert not list(tmp_path.iterdir())


def test_nothing_is_told_from_the_samples_of_one_process(tmp_path):
    texts = folder_with(tmp_path / "texts", ["text,label\n" + "some words,a\nothers,b\n" * 4] * 3)
    request = ["train", texts, "--by-rows", *CLASSIFIERS["svm"], "-o", tmp_path / "out.clade"]
    assert "words are counted in all samples" in refused(*request)
    assert "words are counted in all samples" in run(*request, "--quiet", status=2).stderr
    gaps = folder_with(tmp_path / "gaps", [f"x,y,label\n{k},,a\n3,4,b\n" for k in range(3)])
    for command in ("select", "train"):
        request = [command, gaps, "--by-rows", *(["--method", "hier-fs"] if command == "select" else CLASSIFIERS["svm"])]
        assert "no process has the values of all samples" in refused(*request, "--missing", "mean", "-o", tmp_path / "out")
    assert "--skip-bad" in refused("select", gaps, "--by-rows", "--method", "hier-fs", "--skip-bad")


def folder_with(folder, texts):
    """Tables that are the parts of a data set."""
    folder.mkdir()
    for k, text in enumerate(texts):
        (folder / f"t.part-{k + 1:04}-of-{len(texts):04}.csv").write_text(text)
    return folder


def test_storage_is_that_of_one_process(tmp_path):
    """Dense files with few values beside 0: sparse if they are large together, however small the part of one process."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1100, 1000)) * (rng.random((1100, 1000)) < 0.05)
    np.savez(tmp_path / "whole.npz", X=values, y=rng.choice(["a/b", "a/c", "d/e", "d/f"], size=1100))
    (tmp_path / "parts").mkdir()
    run("convert", tmp_path / "whole.npz", "-o", tmp_path / "parts" / "p.npz", "--storage", "dense", "--parts", 4, "--quiet")
    select = ["select", tmp_path / "parts", "--method", "hier-fisher"]
    train = ["train", tmp_path / "parts", "--by-rows", *CLASSIFIERS["logistic"]]
    alone = run(*select, "-o", tmp_path / "one.json").stderr
    run(*train, "-o", tmp_path / "one.clade", "--quiet")
    said = run_team(4, *select, "--by-rows", "-o", tmp_path / "four.json")[1]
    assert "kept sparse in memory" in said and "kept sparse in memory" in alone
    run_team(4, *train, "-o", tmp_path / "four.clade", "--quiet")
    assert (tmp_path / "four.json").read_bytes() == (tmp_path / "one.json").read_bytes()
    assert (tmp_path / "four.clade").read_bytes() == (tmp_path / "one.clade").read_bytes()


def test_a_model_of_counted_words_reads_text(tmp_path):
    lines = [f"{'cats purr at night' if k % 2 else 'dogs bark all day'} {k % 7}\t{'pets/cat' if k % 2 else 'pets/dog'}" for k in range(40)]
    texts = tmp_path / "texts.tsv"
    texts.write_text("text\tlabel\n" + "\n".join(lines) + "\n")
    (tmp_path / "parts").mkdir()
    run("convert", texts, "-o", tmp_path / "parts" / "p.svm", "--parts", 3, "--quiet")
    request = ["train", tmp_path / "parts", "--by-rows", *CLASSIFIERS["svm"], "--quiet"]
    run(*request, "-o", tmp_path / "one.clade")
    run_team(3, *request, "-o", tmp_path / "three.clade")
    assert (tmp_path / "three.clade").read_bytes() == (tmp_path / "one.clade").read_bytes()
    assert accuracy(tmp_path / "three.clade", texts) == 1


@pytest.mark.parametrize("method", ["hier-fs", "hirr-fam"])
def test_inner_nodes_may_have_no_samples(tmp_path, method):
    rng = np.random.default_rng(4)
    classes = ["a1", "a2", "b1", "b2"]
    np.savez(tmp_path / "data.npz", X=rng.normal(size=(900, 700)), y=rng.choice(classes, size=900))
    tree = [("a", "root"), ("b", "root"), ("none", "root"), ("deep", "none"), ("n1", "deep"), ("n2", "deep"), ("n3", "none")]
    tree += [(name, name[0]) for name in classes]
    (tmp_path / "tree.csv").write_text("child,parent\n" + "".join(f"{child},{parent}\n" for child, parent in tree))
    request = ["select", tmp_path / "data.npz", "--taxonomy", tmp_path / "tree.csv", "--method", method, "--quiet"]
    run(*request, "-o", tmp_path / "one.json")
    for ranks in (2, 5):
        run_team(ranks, *request, "-o", tmp_path / f"{ranks}.json")
        assert (tmp_path / f"{ranks}.json").read_bytes() == (tmp_path / "one.json").read_bytes(), ranks


@pytest.fixture(scope="module", params=["svm", "csv"])
def one_file(request, tmp_path_factory):
    """Text files whose lines are shared; in the table, a record may take several lines."""
    folder = tmp_path_factory.mktemp(request.param)
    rng = np.random.default_rng(5)
    labels = rng.choice(["a/b", "a/c", "d/e", "d/f", "d/g"], size=700)
    centres = {label: rng.normal(size=12) for label in np.unique(labels)}
    values = np.array([centres[label] for label in labels]) + rng.normal(size=(700, 12))
    values[:, -1] *= rng.random(700) < 0.01  # a feature that few of the rows have
    file = folder / f"data.{request.param}"
    with file.open("w") as out:
        if request.param == "csv":
            out.write("sample," + ",".join(f"x{f}" for f in range(12)) + ",label\n")
        for k, (label, row) in enumerate(zip(labels, values)):
            if request.param == "svm":
                out.write(label + "".join(f" {f + 1}:{v:.4f}" for f, v in enumerate(row) if v != 0) + "\n")
            else:
                name = [f"row {k}", f'"row {k}, with ""quotes"""', f'"row {k}\n1,2,""\n"'][k % 3]
                out.write(f"{name}," + ",".join(f"{v:.4f}" for v in row) + f",{label}\n")
    return file


def test_one_file_is_selected_from_by_all(one_file, tmp_path):
    request = ["select", one_file, "--method", "hier-fisher", "--quiet"]
    run(*request, "-o", tmp_path / "one.json")
    for ranks in sizes_for(0):
        run_team(ranks, *request, "--by-rows", "-o", tmp_path / f"{ranks}.json")
        assert (tmp_path / f"{ranks}.json").read_bytes() == (tmp_path / "one.json").read_bytes(), ranks


def test_one_file_is_learnt_from_by_all(one_file, tmp_path):
    request = ["train", one_file, "--by-rows", *CLASSIFIERS["logistic"], "--quiet"]
    run(*request, "-o", tmp_path / "one.clade")
    for ranks in sizes_for(1):
        run_team(ranks, *request, "-o", tmp_path / f"{ranks}.clade")
        assert (tmp_path / f"{ranks}.clade").read_bytes() == (tmp_path / "one.clade").read_bytes(), ranks


def test_training_from_one_file_goes_on_with_another_number_of_processes(one_file, tmp_path):
    if one_file.suffix != ".svm":
        pytest.skip("the pieces do not depend on the format")
    request = ["train", one_file, "--by-rows", *CLASSIFIERS["svm"], "--quiet", "--work", tmp_path / "work"]
    run_team(2, *request, "-o", tmp_path / "two.clade")
    for piece in sorted((tmp_path / "work").glob("*.piece"))[::2]:
        piece.unlink()
    run_team(3, *request, "--resume", "-o", tmp_path / "three.clade")
    assert (tmp_path / "three.clade").read_bytes() == (tmp_path / "two.clade").read_bytes()
    one_more = tmp_path / one_file.name
    one_more.write_text(one_file.read_text() + one_file.read_text().splitlines()[-1] + "\n")
    changed = ["train", one_more, *request[2:], "--resume", "-o", tmp_path / "four.clade"]
    assert "the work was begun with another" in refused(*changed)


def test_a_compressed_file_is_shared(one_file, tmp_path):
    packed = tmp_path / (one_file.name + ".gz")
    packed.write_bytes(gzip.compress(one_file.read_bytes()))
    run("train", one_file, "--by-rows", *CLASSIFIERS["svm"], "--quiet", "-o", tmp_path / "one.clade")
    run_team(3, "train", packed, "--by-rows", *CLASSIFIERS["svm"], "--quiet", "-o", tmp_path / "three.clade")
    assert (tmp_path / "three.clade").read_bytes() == (tmp_path / "one.clade").read_bytes()


def test_two_files_are_shared_by_more_processes(tmp_path, parts):
    if not next(parts.iterdir()).name.endswith((".svm", ".json")):
        pytest.skip("features in other formats need a file for each process")
    run("convert", parts, "-o", tmp_path / "p.svm", "--parts", 2, "--quiet")
    run("select", parts, "--method", "hier-fs", "--quiet", "-o", tmp_path / "one.json")
    (tmp_path / "two").mkdir()
    for file in tmp_path.glob("p.part*"):
        file.rename(tmp_path / "two" / file.name)
    run_team(5, "select", tmp_path / "two", "--by-rows", "--method", "hier-fs", "--quiet", "-o", tmp_path / "five.json")
    assert (tmp_path / "five.json").read_bytes() == (tmp_path / "one.json").read_bytes()


def test_an_error_names_the_line_in_the_whole_file(one_file, tmp_path):
    text = one_file.read_text()
    bad = tmp_path / one_file.name
    bad.write_text(text + ("a/b 3:oh\n" if bad.suffix == ".svm" else "x,oh" + ",1" * 11 + ",a/b\n"))
    line = text.count("\n") + 1
    said = refused("select", bad, "--by-rows", "--method", "hier-fs")
    assert f"{bad.name}:{line}:" in said and "oh" in said
    assert "rank 2" in said


def test_a_file_may_have_fewer_lines_than_there_are_processes(tmp_path):
    (tmp_path / "few.svm").write_text("a 1:1 2:3\nb 1:2\na 3:1")
    (tmp_path / "few.csv").write_text("x,y,z,label\n1,3,0,a\n2,0,0,b\n0,0,1,a")
    select = ["select", tmp_path / "few.csv", "--method", "hier-fisher", "--quiet", "-o"]
    run(*select, tmp_path / "one.json")
    run_team(7, *select, tmp_path / "seven.json", "--by-rows")
    assert (tmp_path / "seven.json").read_bytes() == (tmp_path / "one.json").read_bytes()
    train = ["train", tmp_path / "few.svm", "--by-rows", *CLASSIFIERS["svm"], "--quiet", "-o"]
    run(*train, tmp_path / "one.clade")
    run_team(7, *train, tmp_path / "seven.clade")
    assert (tmp_path / "seven.clade").read_bytes() == (tmp_path / "one.clade").read_bytes()


def test_other_formats_need_a_file_for_every_process(parts, tmp_path):
    some = tmp_path / "parts"
    some.mkdir()
    run("convert", parts, "-o", some / "p.npz", "--parts", 2, "--quiet")
    said = refused("select", some, "--by-rows", "--method", "hier-fs")
    assert "2 files of the format npz for 3 processes" in said and "--parts" in said


def test_whole_files_may_be_in_utf16(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    rng = np.random.default_rng(5)
    for k in (1, 2):
        rows = [f"{x:.3f},{y:.3f},{'ä/b' if x > y else 'ä/c'}\n" for x, y in rng.normal(size=(40, 2))]
        (folder / f"t.part-{k:04}-of-0002.csv.gz").write_bytes(gzip.compress(("x,y,label\n" + "".join(rows)).encode("utf-16")))
    request = ["train", folder, "--by-rows", *CLASSIFIERS["svm"], "--quiet"]
    run(*request, "-o", tmp_path / "one.clade")
    run_team(2, *request, "-o", tmp_path / "two.clade")
    assert (tmp_path / "two.clade").read_bytes() == (tmp_path / "one.clade").read_bytes()
    assert "UTF-16" in refused(*request[:-1], "-o", tmp_path / "three.clade")


def test_copies_with_other_content_are_refused(tmp_path):
    """Of the same size: each process would read its range of another file."""
    run("synth", "-o", tmp_path / "a.svm", "--samples", 120, "--single-label", "--quiet")
    text = (tmp_path / "a.svm").read_text()
    digit = text.index(".", text.index(" 3:")) + 1
    other = text[:digit] + ("2" if text[digit] == "1" else "1") + text[digit + 1:]
    for name, changed in {"a": text, "b": other}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.svm").write_text(changed)
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ncd {tmp_path}/$([ "$OMPI_COMM_WORLD_RANK" = 0 ] && echo a || echo b)\nexec "$CLADE" "$@"\n')
    program.chmod(0o755)
    request = ["select", "data.svm", "--by-rows", "--method", "hier-fisher", "-o", tmp_path / "out.json", "--quiet"]
    status, _, said = Team(2, *request, program=program).end()
    assert status == 2 and "the data differs between processes" in said


def test_columns_cannot_be_chosen_and_folders_hold_parts(tmp_path):
    (tmp_path / "t.csv").write_text("x,y,label\n" + "1,2,a\n3,4,b\n" * 8)
    request = ["select", "--by-rows", "--method", "hier-fisher", "-o", tmp_path / "out.json"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "t.csv").write_text("x,y,label\n1,2,a\n3,4,b\n")
    for attempt in (lambda *more: refused(*request, *more), lambda *more: run(*request, *more, "--quiet", status=2).stderr):
        assert "--ignore-columns or the like" in attempt(tmp_path / "t.csv", "--ignore-columns", "y")
        assert "a folder, but not of parts of a data set" in attempt(tmp_path / "folder")


def test_weights_that_exceed_the_memory_are_refused(tmp_path):
    (tmp_path / "wide.svm").write_text("a 1:1\nb 2:1\n" * 40 + "a 100000000:1\n")
    request = ["train", tmp_path / "wide.svm", "--by-rows", *CLASSIFIERS["svm"], "-o", tmp_path / "out.clade"]
    assert "in every process" in refused(*request, "--memory-limit", "1G")
    assert "in every process" in run(*request, "--memory-limit", "1G", "--quiet", status=2).stderr
