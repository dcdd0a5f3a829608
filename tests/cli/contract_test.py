"""The command-line contract: exit statuses, one-line errors, JSON, atomic files, determinism."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest
from clade_tool import CLADE, SOURCE, error_line, run, run_json

INFO_SCHEMA = {
    "type": "object",
    "required": ["samples", "features", "nonzeros", "nodes", "internal", "leaves", "height", "kind",
                 "labels_per_sample", "missing_values", "warnings"],
    "properties": {
        **{key: {"type": "integer", "minimum": 0} for key in
           ["samples", "features", "nonzeros", "nodes", "internal", "leaves", "height", "missing_values"]},
        "kind": {"enum": ["tree", "dag"]},
        "labels_per_sample": {"type": "number"},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
}

DATA_ENDINGS = ["svm", "csv", "tsv", "arff", "mat", "npz", "mtx", "npy"]


@pytest.fixture
def synth(tmp_path):
    path = tmp_path / "synth.arff"
    run("synth", "-o", path, "--samples", 60)
    return path


def test_help_shows_commands_and_examples():
    assert "convert" in run("--help").stdout
    text = run("convert", "--help").stdout
    assert "Examples:" in text and "--missing" in text and "drop-sample" in text


def test_version_is_that_of_the_build():
    version = run("--version").stdout
    assert f"clade {project_version()}" in version


def project_version():
    for line in (SOURCE / "CMakeLists.txt").read_text().splitlines():
        if line.startswith("project(clade VERSION "):
            return line.split()[2]
    raise AssertionError("no version")


def test_info_json_follows_its_schema(synth):
    document = run_json("info", synth)
    jsonschema.validate(document, INFO_SCHEMA)
    assert document["samples"] == 60 and document["features"] == 20
    assert (document["nodes"], document["internal"], document["leaves"]) == (40, 13, 27)
    assert document["height"] == 4 and document["kind"] == "tree"


def test_wrong_usage_is_status_2_and_one_line(synth, tmp_path):
    assert "no command" in run(status=2).stderr
    assert "--missing: 'maybe'; expected one of auto, error, keep" in error_line("info", synth, "--missing", "maybe")
    assert "--threads: '-1'" in error_line("info", synth, "--threads", "-1")
    error_line("convert", synth)
    error_line("info")
    error_line("nonsense")
    error_line("info", synth, "--nonsense")
    assert "expected one of libsvm" in error_line("info", synth, "--format", "xyz")
    assert "cannot tell the format" in error_line("convert", synth, "-o", tmp_path / "out.xyz")
    assert "does not write" in error_line("convert", synth, "-o", tmp_path / "out.jsonl")


def test_no_such_file_and_directory(tmp_path, synth):
    assert "none.csv: no such file" in error_line("info", tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "is a directory" in error_line("info", tmp_path / "folder.csv", "--format", "csv")
    assert "is a directory" in error_line("convert", synth, "-o", tmp_path / "folder.csv")


@pytest.mark.parametrize("data, secret", [("secret.csv", "secret.csv"), ("documents", "documents/sport/1.txt")])
def test_no_permission_is_the_systems_failure(tmp_path, data, secret):
    path = tmp_path / secret
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("a,label\n1,x\n")
    path.chmod(0)
    command = [CLADE, "info", str(tmp_path / data)]
    if os.geteuid() == 0:  # root may read everything, unless it gives that right up
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    process = subprocess.run(command, capture_output=True, text=True)
    if "setpriv:" in process.stderr:
        pytest.skip("root cannot drop its rights here")
    assert process.returncode == 1
    assert process.stderr == f"clade: {path}: cannot open: Permission denied\n"


def test_a_full_disk_is_the_systems_failure(synth):
    assert "No space left on device" in error_line("convert", synth, "-o", "/dev/full", "--to", "csv", status=1)


def test_a_write_that_fails_halfway_leaves_nothing(synth, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    line = error_line("convert", synth, "-o", folder / "out.csv", status=1, preexec_fn=limit)
    assert "cannot write: File too large" in line
    assert list(folder.iterdir()) == []


def test_existing_files_are_kept_without_force(synth, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("precious")
    assert "exists already; use --force" in error_line("convert", synth, "-o", out)
    assert out.read_text() == "precious"
    run("convert", synth, "-o", out, "--force")
    assert out.read_text() != "precious"


def test_a_convert_that_fails_leaves_nothing(synth, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / "out.csv"
    assert "is named for two outputs" in error_line("convert", synth, "-o", out, "--taxonomy-out", out)
    meta = folder / "out.csv.meta.json"
    assert "is named for two outputs" in error_line("convert", synth, "-o", out, "--taxonomy-out", meta, "--force")
    assert "cannot tell the taxonomy format" in error_line("convert", synth, "-o", out, "--taxonomy-out", folder / "t.bogus")
    error_line("convert", synth, "-o", out, "--taxonomy-out", folder / "missing" / "t.csv", status=1)
    before = synth.read_text()
    assert "is the input" in error_line("convert", synth, "-o", out, "--taxonomy-out", synth, "--force")
    assert synth.read_text() == before
    (folder / "link.csv").symlink_to("nowhere.csv")
    assert "is a link to a file that does not exist" in error_line("convert", synth, "-o", folder / "link.csv")
    assert [entry.name for entry in folder.iterdir()] == ["link.csv"]


def test_a_table_of_edges_is_a_taxonomy(tmp_path):
    table = tmp_path / "tree.csv"
    table.write_text("child,parent\n1,root\n2,root\n1.1,1\n")
    found = run_json("info", table)
    assert found["nodes"] == 4 and "samples" not in found
    table.write_text("child,parent\na,b\nb,a\n")
    assert "tree.csv:3: the hierarchy has a cycle" in error_line("info", table)


def test_threads_have_a_limit(synth):
    assert "--threads: '100000'" in error_line("info", synth, "--threads", 100000)
    run("info", synth, "--threads", 64)


def test_data_without_samples_needs_a_format_that_can_hold_it(tmp_path):
    (tmp_path / "zero.csv").write_text("a,b,label\n")
    assert "without samples" in error_line("convert", tmp_path / "zero.csv", "-o", tmp_path / "zero.svm", "--quiet")
    run("convert", tmp_path / "zero.csv", "-o", tmp_path / "zero.npz")


def test_a_stale_meta_file_is_not_left_behind(synth, tmp_path):
    out = tmp_path / "out.svm"
    run("convert", synth, "-o", out)
    assert (tmp_path / "out.svm.meta.json").exists()
    flat = tmp_path / "flat.csv"
    flat.write_text("a,b,label\n1,2,x\n3,4,y\n")
    error_line("convert", flat, "-o", out)
    run("convert", flat, "-o", out, "--force")
    document = run_json("info", out)
    assert document["samples"] == 2 and document["leaves"] == 2


def test_a_meta_file_of_other_data_is_refused(synth, tmp_path):
    out = tmp_path / "out.svm"
    run("convert", synth, "-o", out)
    lines = out.read_text().splitlines()
    out.write_text("\n".join(lines[:-1]) + "\n")
    meta = tmp_path / "out.svm.meta.json"
    assert f"was written with other data than {out} now holds; write the data again, or remove" in error_line("info", out)
    content = json.loads(meta.read_text())
    assert content.pop("data").keys() == {"bytes", "xxh3"}
    meta.write_text(json.dumps(content))
    assert "says 60 samples, but the data file beside it has 59" in error_line("info", out)
    out.write_text("\n".join(lines) + "\n")
    assert run_json("info", out)["samples"] == 60  # as early versions wrote it
    meta.write_text("{]")
    assert "meta.json:1:2: not well-formed JSON" in error_line("info", out)
    (tmp_path / "out.svm.meta.json").write_text("{}")
    assert "not a meta file" in error_line("info", out)


def test_every_format_keeps_everything(synth, tmp_path):
    original = tmp_path / "reference.arff"
    run("convert", synth, "-o", original)
    for ending in DATA_ENDINGS:
        there = tmp_path / f"there.{ending}"
        back = tmp_path / f"back_{ending}.arff"
        run("convert", synth, "-o", there)
        run("convert", there, "-o", back, "--storage", "dense")
        assert back.read_text() == original.read_text(), ending


@pytest.mark.parametrize("compression", ["gz", "xz", "zst", "bz2"])
def test_compression_is_transparent_both_ways(synth, tmp_path, compression):
    packed = tmp_path / f"out.svm.{compression}"
    run("convert", synth, "-o", packed)
    assert not packed.read_bytes()[:1].isdigit()
    back = tmp_path / "back.arff"
    run("convert", packed, "-o", back, "--storage", "dense")
    assert back.read_text() == synth.read_text()
    packed.write_bytes(packed.read_bytes()[:-20])
    assert "corrupt compressed file" in error_line("info", packed)


def test_results_do_not_depend_on_threads(tmp_path):
    outputs = []
    for threads in (1, 2, 3):
        data = tmp_path / f"synth{threads}.csv"
        run("synth", "-o", data, "--samples", 500, "--threads", threads, "--seed", 5)
        meta = tmp_path / f"synth{threads}.csv.meta.json"
        outputs.append((data.read_bytes(), meta.read_bytes(), run("info", data, "--threads", threads).stdout.split("\n", 1)[1]
                        .replace(str(data), "DATA")))
    assert outputs[0] == outputs[1] == outputs[2]
    other = tmp_path / "other.csv"
    run("synth", "-o", other, "--samples", 500, "--seed", 6)
    assert other.read_bytes() != outputs[0][0]


def test_a_file_of_another_format_behind_the_ending(synth, tmp_path):
    packed = tmp_path / "data.mat"
    run("convert", synth, "-o", packed)
    disguised = tmp_path / "data.csv"
    disguised.write_bytes(packed.read_bytes())
    assert "data.csv: this is a mat file, not csv; use --format mat" in error_line("info", disguised)
    disguised.write_bytes(b"a,b\n1,\x00\n")
    assert "data.csv:2: a binary file" in error_line("info", disguised)
    text = tmp_path / "text.mat"
    text.write_text("a,b,label\n1,2,x\n")
    error_line("info", text)


def test_an_empty_file(tmp_path):
    for ending in [*DATA_ENDINGS, "jsonl"]:
        path = tmp_path / f"empty.{ending}"
        path.write_bytes(b"")
        assert f"empty.{ending}: empty file" in error_line("info", path)


def test_labels_outside_the_taxonomy_name_the_line(tmp_path):
    (tmp_path / "tree.csv").write_text("child,parent\na,r\nb,r\n")
    (tmp_path / "data.csv").write_text("x,label\n1,a\n2,b\n3,zebra\n")
    line = error_line("info", tmp_path / "data.csv", "--taxonomy", tmp_path / "tree.csv")
    assert line == f"{tmp_path}/data.csv:4: label 'zebra' is not in the taxonomy; expected one of its 3 nodes"


def test_missing_values_are_an_error_unless_told(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("x,y,label\n1,2,a\n,4,b\n5,?,a\n")
    line = error_line("convert", data, "-o", tmp_path / "out.svm")
    assert "data.csv:3" in line and "missing value (2 in the file)" in line and "--missing mean" in line
    assert run_json("info", data)["missing_values"] == 2
    for policy, rows in (("mean", ["1,2,a", "3,4,b", "5,3,a"]), ("zero", ["1,2,a", "0,4,b", "5,0,a"]),
                         ("drop-sample", ["1,2,a"]), ("keep", ["1,2,a", ",4,b", "5,,a"])):
        out = tmp_path / f"{policy}.csv"
        run("convert", data, "-o", out, "--missing", policy)
        assert out.read_text().splitlines() == ["x,y,label", *rows]


def test_path_labels_imply_a_tree(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("x,label\n1,a/b\n2,a/c\n3,d\n4,a\n")
    document = run_json("info", data)
    assert (document["nodes"], document["leaves"], document["height"]) == (5, 3, 3)
    assert document["inner_label_samples"] == 1
    flat = run_json("info", data, "--label-paths", "no")
    assert (flat["nodes"], flat["leaves"], flat["height"]) == (5, 4, 2)


def test_json_alone_on_standard_output(synth, tmp_path):
    process = run("convert", synth, "-o", tmp_path / "a.csv", "--json")
    assert json.loads(process.stdout)["files"] == [str(tmp_path / "a.csv"), str(tmp_path / "a.csv.meta.json")]
    assert json.loads(run("formats", "--json").stdout)["data"]


def test_streams(synth, tmp_path):
    process = run("convert", synth, "-o", "/dev/stdout", "--to", "csv")
    assert process.stdout.startswith("f0,f1,")
    assert process.stdout.count("\n") == 61
    with open(synth) as stream:
        piped = subprocess.run([CLADE, "info", "/dev/stdin", "--format", "arff", "--json"], stdin=stream,
                               capture_output=True, text=True)
    assert json.loads(piped.stdout)["samples"] == 60


def test_interruption_leaves_nothing(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    process = subprocess.Popen([CLADE, "synth", "-o", str(folder / "big.csv"), "--samples", "3000000", "--features", "300",
                                "--depth", "5", "--fanout", "3"], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.splitlines()[-1] == "clade: stopped before the end, as asked"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("has_writer", [False, True])
def test_waiting_for_a_pipe_ends_when_asked(tmp_path, has_writer):
    pipe = tmp_path / "pipe.svm"
    os.mkfifo(pipe)
    process = subprocess.Popen([CLADE, "info", str(pipe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    opened = Path(f"/proc/{process.pid}/fd")
    until = time.monotonic() + 5
    while not any(link.is_fifo() and link.resolve() == pipe for link in opened.iterdir()) and time.monotonic() < until:
        time.sleep(0.02)
    writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK) if has_writer else None
    process.send_signal(signal.SIGTERM)
    try:
        assert process.communicate(timeout=20)[1] == "clade: stopped before the end, as asked\n"
        assert process.returncode == 1
    finally:
        process.kill()
        if writer is not None:
            os.close(writer)


def test_a_pipe_is_read_to_its_end(tmp_path):
    pipe = tmp_path / "pipe.svm"
    os.mkfifo(pipe)
    process = subprocess.Popen([CLADE, "info", str(pipe), "--json"], stdout=subprocess.PIPE, text=True)
    with open(pipe, "w") as writer:
        for piece in ("a 1:1\n", "b 2:1\n"):
            writer.write(piece)
            writer.flush()
            time.sleep(0.2)
    assert json.loads(process.communicate(timeout=20)[0])["samples"] == 2


def test_taxonomies_convert_and_show(tmp_path):
    obo = tmp_path / "go.obo"
    obo.write_text("format-version: 1.2\n\n[Term]\nid: A\n\n[Term]\nid: B\nis_a: A\n\n[Term]\nid: C\nis_a: A\n"
                   "relationship: part_of B ! b\n")
    document = run_json("info", obo)
    assert (document["nodes"], document["edges"], document["kind"]) == (3, 3, "dag")
    for ending in ("csv", "json", "taxonomy"):
        there = tmp_path / f"tree.{ending}"
        run("convert", obo, "-o", there)
        back = tmp_path / f"back_{ending}.obo"
        name = {"csv": "edges", "json": "json", "taxonomy": "child-lists"}[ending]
        run("convert", there, "-o", back, "--taxonomy-format", name)
        assert run_json("info", back)["edges"] == 3


def test_the_reference_page_is_up_to_date():
    assert (SOURCE / "docs" / "reference.md").read_text() == run("--reference").stdout, \
        "run scripts/update_reference.sh"
