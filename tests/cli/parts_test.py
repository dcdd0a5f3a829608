"""Data in parts: clade convert --parts, folders of parts, and processes that predict for some of them each."""

import gzip
import json

import pytest
from clade_tool import error_line, run, run_json
from products import products, write_csv, write_json_lines
from team import attempt_team, needs_mpi, run_team

RANKS = [2, 3, 4, 7]


def without_comments(found):
    """What is said about data, but not how it came about."""
    return {key: value for key, value in found.items() if key not in ("file", "path", "format", "warnings")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A set with several labels per sample in a file, and the same in 5 parts."""
    folder = tmp_path_factory.mktemp("whole")
    run("synth", "-o", folder / "whole.npz", "--samples", 3000, "--features", 12, "--quiet")
    run("convert", folder / "whole.npz", "-o", folder / "whole.svm", "--quiet")
    (folder / "parts").mkdir()
    run("convert", folder / "whole.svm", "-o", folder / "parts" / "part.svm", "--parts", 5, "--quiet")
    for name, classifier in {"several": "top-down-logistic", "joint": "hierarchical-svm"}.items():
        run("train", folder / "whole.svm", "-o", folder / f"{name}.clade", "--classifier", classifier, "--quiet")
    run("synth", "-o", folder / "single.npz", "--samples", 2000, "--features", 12, "--single-label", "--quiet")
    run("train", folder / "single.npz", "-o", folder / "single.clade", "--classifier", "top-down-logistic", "--quiet")
    return folder


@pytest.mark.parametrize("ending", ["svm", "csv", "tsv", "arff", "mat", "npz", "npy", "mtx", "svm.gz", "csv.xz"])
@pytest.mark.parametrize("parts", [1, 7])
def test_parts_are_the_data_set(tmp_path, whole, ending, parts):
    (tmp_path / "parts").mkdir()
    done = run_json("convert", whole / "single.npz", "-o", tmp_path / "parts" / f"p.{ending}", "--parts", parts,
                    "--taxonomy-out", tmp_path / "tree.csv")
    assert set(done["files"]) == {str(file) for file in (tmp_path / "parts").iterdir()} | {str(tmp_path / "tree.csv")}
    files = [file for file in done["files"] if ".part-" in file and not file.endswith(".meta.json")]
    assert [file.rsplit("/", 1)[1] for file in files] == \
        [f"p.part-{k + 1:04}-of-{parts:04}.{ending}" for k in range(parts)]
    sizes = [run_json("info", file)["samples"] for file in files]
    assert sum(sizes) == 2000 and max(sizes) - min(sizes) <= 1
    for name, data in {"folder": [tmp_path / "parts"], "files": files}.items():
        run("convert", *data, "-o", tmp_path / f"{name}.npz", "--storage", "dense", "--quiet")
        assert (tmp_path / f"{name}.npz").read_bytes() == (whole / "single.npz").read_bytes()
    run("convert", whole / "single.npz", "-o", tmp_path / "x.csv", "--taxonomy-out", tmp_path / "whole.csv", "--quiet")
    assert (tmp_path / "tree.csv").read_text() == (tmp_path / "whole.csv").read_text()


def test_commands_take_a_folder_of_parts(tmp_path, whole):
    parts, one = whole / "parts", whole / "whole.svm"
    assert without_comments(run_json("info", parts)) == without_comments(run_json("info", one))
    models = []
    for name, data in {"parts": parts, "one": one}.items():
        models.append(tmp_path / f"{name}.clade")
        run("train", data, "-o", models[-1], "--quiet")
        run("select", data, "--method", "fisher", "-o", tmp_path / f"{name}.json", "--quiet")
        run("predict", whole / "several.clade", data, "-o", tmp_path / f"{name}.csv", "--quiet")
    assert models[0].read_bytes() == models[1].read_bytes()
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()
    rankings = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("parts", "one")]
    assert rankings[0]["nodes"] == rankings[1]["nodes"]
    assert run_json("evaluate", whole / "several.clade", parts) == run_json("evaluate", whole / "several.clade", one)


@pytest.mark.parametrize("ending, write", [(".csv", write_csv), (".jsonl", write_json_lines)])
def test_parts_of_raw_text_need_no_meta_file(tmp_path, ending, write):
    rows = products(90)
    whole = write(tmp_path / f"whole{ending}", rows)
    (tmp_path / "parts").mkdir()
    for k in range(3):
        write(tmp_path / "parts" / f"shop.part-{k + 1}-of-3{ending}", rows[30 * k:30 * k + 30])
    models = [tmp_path / "one.clade", tmp_path / "parts.clade"]
    for data, model in zip((whole, tmp_path / "parts"), models):
        run("train", data, "-o", model, "--quiet")
        run("predict", model, data, "-o", model.with_suffix(".csv"), "--keep", "sku,title", "--quiet")
    assert models[0].read_bytes() == models[1].read_bytes()
    assert models[0].with_suffix(".csv").read_bytes() == models[1].with_suffix(".csv").read_bytes()


def test_what_is_refused_is_said_in_a_line(tmp_path, whole):
    run("synth", "-o", tmp_path / "a.csv", "--samples", 12, "--quiet")
    convert = ["convert", tmp_path / "a.csv", "--quiet", "-o"]
    assert "--parts 13 of 12 samples" in error_line(*convert, tmp_path / "b.csv", "--parts", 13)
    assert "cannot be in parts" in error_line(*convert, "/dev/stdout", "--to", "csv", "--parts", 2)
    (tmp_path / "tree.edges").write_text("child,parent\na,b\nc,b\n")
    taxonomy = ["convert", tmp_path / "tree.edges", "-o", tmp_path / "t.json"]
    assert "--parts has no effect on a taxonomy" in error_line(*taxonomy, "--parts", 2)
    assert not list(tmp_path.glob("*part*"))
    parts = tmp_path / "parts"
    parts.mkdir()
    run(*convert, parts / "a.csv", "--parts", 4)
    assert "exists already; use --force" in error_line(*convert, parts / "a.csv", "--parts", 4)
    assert error_line(*convert, parts / "a.csv", "--parts", 3, "--force") == (
        f"{parts}/a.part-0001-of-0004.csv: is a part of the same data set, but not one of 3; expected a folder without other "
        "parts of it")
    (parts / "notes.txt").write_text("")
    assert "holds notes.txt beside parts" in error_line("info", parts)
    (parts / "notes.txt").unlink()
    (parts / "a.part-0003-of-0004.csv").unlink()
    for command in (["info"], ["train", "-o", tmp_path / "m.clade"], ["select", "--method", "fisher"],
                    ["predict", whole / "single.clade"], ["evaluate", whole / "single.clade"],
                    ["convert", "-o", tmp_path / "c.csv"]):
        assert "part 3 of 4 is not there" in error_line(*command, parts)
    model = whole / "several.clade"
    assert "--skip-bad with several files" in error_line("predict", model, whole / "parts", "--skip-bad")
    for command in ("predict", "evaluate"):
        assert "--resume has no effect" in error_line(command, model, whole / "parts", "--resume", "--quiet")
    one_file = ["predict", model, whole / "whole.svm", "--work", tmp_path / "w"]
    assert "expected a folder with the parts" in error_line(*one_file)


# Options that change what is written.
SHAPES = [["--top-k", "1"], ["--to", "json-lines"], ["--nodes", "--node-threshold", "0.2"]]


@needs_mpi
@pytest.mark.parametrize("ranks", RANKS)
def test_processes_predict_what_one_does(tmp_path, whole, ranks):
    for name in ("several", "joint"):
        for k, shape in enumerate(SHAPES):
            if name == "several" and k == 0:
                shape = []
            elif name == "joint" and k == 0:
                shape = ["--label-set", "top-k", "--top-k", "3"]
            request = ["predict", whole / f"{name}.clade", whole / "parts", *shape, "--quiet"]
            alone, shared = tmp_path / f"{name}{k}.one", tmp_path / f"{name}{k}.all"
            run(*request, "-o", alone)
            run_team(ranks, *request, "-o", shared)
            assert shared.read_bytes() == alone.read_bytes()
            assert run_team(ranks, *request)[0] == alone.read_text()


@needs_mpi
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", ["several", "joint"])
def test_processes_measure_what_one_does(tmp_path, whole, ranks, name):
    for data in ("parts", "whole.svm"):
        for options in ([], ["--node-measures", "no"], ["--bootstrap", "--breakdown"]):
            request = ["evaluate", whole / f"{name}.clade", whole / data, *options, "--json", "--quiet"]
            assert run_team(ranks, *request)[0] == run(*request).stdout
    request = ["evaluate", whole / f"{name}.clade", whole / "parts", "--quiet", "--curve"]
    run(*request, tmp_path / "one.csv")
    run_team(ranks, *request, tmp_path / "all.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "all.csv").read_bytes()


@needs_mpi
def test_other_answers_are_shared_as_well(tmp_path, whole):
    (tmp_path / "parts").mkdir()
    run("convert", whole / "single.npz", "-o", tmp_path / "parts" / "p.csv.gz", "--parts", 6, "--quiet")
    model = tmp_path / "m.clade"
    run("train", tmp_path / "parts", "-o", model, "--classifier", "top-down-logistic", "--conformal", "split:20%",
        "--quiet")
    for shape in (["--levels"], ["--coverage", "0.9"], ["--confidence", "0.7"]):
        request = ["predict", model, tmp_path / "parts", *shape, "--quiet", "--force"]
        run(*request, "-o", tmp_path / "one.csv.gz")
        run_team(3, *request, "-o", tmp_path / "all.csv.gz")
        assert (tmp_path / "all.csv.gz").read_bytes() == (tmp_path / "one.csv.gz").read_bytes()
        assert len(gzip.decompress((tmp_path / "all.csv.gz").read_bytes()).splitlines()) > 2000
    request = ["evaluate", model, tmp_path / "parts", "--coverage", "0.9", "--json", "--quiet"]
    assert run_team(3, *request)[0] == run(*request).stdout


@needs_mpi
def test_training_measures_together(tmp_path, whole):
    request = ["train", whole / "parts", "--test", whole / "whole.svm", "--classifier", "top-down-svm", "--json",
               "--quiet"]
    found = [run(*request, "-o", tmp_path / "one.clade").stdout, run_team(3, *request, "-o", tmp_path / "all.clade")[0]]
    assert (tmp_path / "one.clade").read_bytes() == (tmp_path / "all.clade").read_bytes()
    assert json.loads(found[0])["test"] == json.loads(found[1])["test"]


@needs_mpi
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_finished_pieces_are_kept(tmp_path, whole, command):
    request = [command, whole / "several.clade", whole / "parts", "--quiet"]
    expected = run(*request).stdout
    work = tmp_path / "work"
    assert run_team(3, *request, "--work", work)[0] == expected
    pieces = sorted(work.glob("*.piece"))
    assert len(pieces) > 4
    for lost in pieces[::2]:
        lost.unlink()
    # Answers are made again where what was found out about them is lost.
    kept = {piece: piece.stat().st_mtime_ns for piece in pieces[1::2] if "answers" not in piece.name}
    assert run_team(2, *request, "--work", work, "--resume")[0] == expected
    assert {piece: piece.stat().st_mtime_ns for piece in kept} == kept
    assert sorted(work.glob("*.piece")) == pieces
    assert run(*request, "--work", work, "--resume").stdout == expected
    assert "holds work that was begun" in error_line(*request, "--work", work)
    other = [command, whole / "joint.clade", whole / "parts", "--quiet", "--work", work, "--resume"]
    assert "the work was begun with another" in error_line(*other)


@needs_mpi
def test_one_file_is_predicted_by_one_process(tmp_path, whole):
    request = ["predict", whole / "several.clade", whole / "whole.svm", "-o"]
    run(*request, tmp_path / "one.csv", "--quiet")
    assert "this is the work of one process" in run_team(3, *request, tmp_path / "all.csv")[1]
    assert (tmp_path / "all.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()
    explained = ["predict", whole / "several.clade", whole / "parts", "--explain", 2, "--quiet"]
    assert run_team(3, *explained)[0] == run(*explained).stdout


@needs_mpi
def test_a_bad_part_ends_all_processes(tmp_path, whole):
    (tmp_path / "parts").mkdir()
    run("convert", whole / "whole.svm", "-o", tmp_path / "parts" / "p.svm", "--parts", 4, "--quiet")
    bad = tmp_path / "parts" / "p.part-0003-of-0004.svm"
    bad.write_text(bad.read_text() + "1 2:oh\n")
    request = ["predict", whole / "several.clade", tmp_path / "parts", "-o", tmp_path / "out.csv", "--quiet"]
    assert "p.part-0003-of-0004.svm:751" in attempt_team(3, *request, status=2)[1]
    assert not list(tmp_path.glob("out.csv*"))


@needs_mpi
def test_a_part_that_leads_nowhere_ends_all_processes(tmp_path, whole):
    (tmp_path / "parts").mkdir()
    run("convert", whole / "whole.svm", "-o", tmp_path / "parts" / "p.svm", "--parts", 2, "--quiet")
    part = tmp_path / "parts" / "p.part-0002-of-0002.svm"
    part.unlink()
    part.symlink_to("nowhere")
    request = ["predict", whole / "several.clade", tmp_path / "parts", "-o", tmp_path / "out.csv", "--quiet"]
    assert f"{part}: no such file; expected a file to read" in attempt_team(2, *request, status=2)[1]


@needs_mpi
@pytest.mark.parametrize("beside", ["", ".meta.json"])
def test_copies_of_parts_with_other_content_are_refused(tmp_path, whole, beside):
    """Of the same size: each process would predict for other data."""
    for name in ("a", "b"):
        (tmp_path / name / "parts").mkdir(parents=True)
        run("convert", whole / "whole.npz", "-o", tmp_path / name / "parts" / "p.csv", "--parts", 2, "--quiet")
    changed = tmp_path / "b" / "parts" / ("p.part-0002-of-0002.csv" + beside)
    if beside:
        (tmp_path / "a" / "parts" / changed.name).write_text("{ }")
    changed.write_text("{}\n" if beside else changed.read_text().replace("1", "2"))
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ncd {tmp_path}/$([ "$OMPI_COMM_WORLD_RANK" = 0 ] && echo a || echo b)\nexec "$CLADE" "$@"\n')
    program.chmod(0o755)
    request = ["predict", whole / "several.clade", "parts", "-o", tmp_path / "out.csv", "--quiet"]
    assert "the content of the parts of the data differs between processes" in \
        attempt_team(2, *request, program=program, status=2)[1]


def test_a_part_that_does_not_fit_the_model_is_named(tmp_path, whole):
    (tmp_path / "parts").mkdir()
    run("convert", whole / "whole.svm", "-o", tmp_path / "parts" / "p.svm", "--parts", 2, "--quiet")
    part = tmp_path / "parts" / "p.part-0002-of-0002.svm"
    part.write_text(part.read_text() + "1 13:1\n")
    said = error_line("predict", whole / "several.clade", tmp_path / "parts", "-o", tmp_path / "out.csv")
    assert said.startswith(f"{part}: the data have 13 features and the model 12; expected")
