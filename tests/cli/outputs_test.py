"""Two outputs of a command are never one file, and values that say nothing are refused."""

import os

import pytest
from clade_tool import error_line, run, run_json


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    rows = [f"{k},{k * k % 7},{'xy'[k % 2]}" for k in range(30)]
    (folder / "d.csv").write_text("a,b,label\n" + "\n".join([*rows, "1,2"]) + "\n")
    run("train", folder / "d.csv", "-o", folder / "m.clade", "--skip-bad", "--classifier", "top-down-logistic")
    return folder


# Each command with two of its outputs; {0} and {1} are their names.
PAIRS = {
    "convert": ["convert", "d.csv", "-o", "{0}", "--bad-rows", "{1}"],
    "convert taxonomy": ["convert", "d.csv", "-o", "{0}", "--taxonomy-out", "{1}", "--skip-bad"],
    "convert list and taxonomy": ["convert", "d.csv", "-o", "other.svm", "--taxonomy-out", "{0}", "--bad-rows", "{1}"],
    "split": ["split", "d.csv", "-o", "{0}", "--bad-rows", "{1}"],
    "select": ["select", "d.csv", "--method", "fisher", "-o", "{0}", "--bad-rows", "{1}"],
    "cluster": ["cluster", "d.csv", "-o", "{0}", "--bad-rows", "{1}"],
    "train": ["train", "d.csv", "-o", "{0}", "--bad-rows", "{1}"],
    "predict": ["predict", "m.clade", "d.csv", "-o", "{0}", "--bad-rows", "{1}"],
    "evaluate": ["evaluate", "m.clade", "d.csv", "--curve", "{0}", "--bad-rows", "{1}"],
    "feature-tree": ["feature-tree", "d.csv", "--method", "hac", "-o", "{0}", "--bad-rows", "{1}"],
    "learn-taxonomy": ["learn-taxonomy", "d.csv", "-o", "{0}", "--picture", "{1}", "--skip-bad"],
    "synth": ["synth", "-o", "{0}", "--taxonomy-out", "{1}"],
}


@pytest.mark.parametrize("command", PAIRS)
@pytest.mark.parametrize("spelling", ["same", "dots", "absolute", "link"])
def test_two_outputs_are_two_files(folder, tmp_path, command, spelling):
    for name in ("d.csv", "m.clade"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "sub").mkdir()
    os.symlink("sub", tmp_path / "link")
    first = "sub/x.csv"
    second = {"same": first, "dots": "./sub/../sub/x.csv", "absolute": str(tmp_path / first), "link": "link/x.csv"}[spelling]
    line = error_line(*(word.format(first, second) for word in PAIRS[command]), cwd=tmp_path)
    assert "is named for two outputs, --" in line and "expected a file for each" in line
    assert not (tmp_path / first).exists()


def test_links_to_one_file_and_the_file_beside_the_data(folder, tmp_path):
    list_file = tmp_path / "bad.csv"
    list_file.write_text("file,line,reason\n")
    os.link(list_file, tmp_path / "hard.csv")
    os.symlink(list_file, tmp_path / "soft.csv")
    for other in ("hard.csv", "soft.csv"):
        line = error_line("convert", folder / "d.csv", "-o", tmp_path / other, "--bad-rows", list_file, "--force")
        assert "two outputs" in line
    line = error_line("convert", folder / "d.csv", "-o", tmp_path / "x.svm", "--bad-rows", tmp_path / "x.svm.meta.json")
    assert "two outputs" in line
    run("convert", folder / "d.csv", "-o", "/dev/null", "--bad-rows", "/dev/null", "--to", "csv")
    assert list_file.read_text() == "file,line,reason\n"


EMPTY = [
    ("train", "--conformal"), ("train", "--holdout"), ("train", "--budget"), ("train", "--test"), ("train", "--append"),
    ("train", "--classifier"), ("train", "--features"), ("train", "--select"), ("train", "--select-parameters"),
    ("train", "--top"), ("train", "--sample-weights"), ("train", "--c-grid"), ("train", "--loss-matrix"),
    ("train", "--memory"), ("train", "--taxonomy"), ("train", "--label-column"), ("train", "--labels-file"),
    ("train", "--bad-rows"), ("train", "--format"), ("train", "--stem"), ("train", "--delimiter"), ("train", "-o"),
    ("predict", "--coverage"), ("predict", "--set-size"), ("predict", "--keep"), ("predict", "--text"), ("predict", "-o"),
    ("evaluate", "--coverage"), ("evaluate", "--predictions"), ("evaluate", "--fold-file"), ("evaluate", "--curve"),
    ("evaluate", "--exclude-nodes"), ("select", "--nodes"), ("select", "--top"), ("select", "--memory"),
    ("split", "--test"), ("split", "--subtree"), ("split", "--group-column"), ("cluster", "--sweep"),
    ("convert", "--to"), ("convert", "--taxonomy-out"), ("compare", "--metric"),
]


@pytest.mark.parametrize("command, flag", EMPTY)
def test_empty_values_are_refused(command, flag, tmp_path):
    data = ["m", "d"] if command in ("predict", "evaluate") else [] if command == "synth" else ["m"]
    needed = ["-o", "out"] if command in ("split", "convert", "synth") else []
    name = "--output" if flag == "-o" else flag
    for words in ([flag, ""], [f"{flag}="]) if flag != "-o" else ([flag, ""],):
        assert f"{name}: the value is empty" in error_line(command, *words, *data, *needed, cwd=tmp_path)


def test_empty_names_and_settings_are_refused(folder, tmp_path):
    assert "DATA: the value is empty" in error_line("train", "", "-o", tmp_path / "m.clade")
    assert "DATA: the value is empty" in error_line("evaluate", folder / "d.csv", "")
    (tmp_path / "clade.toml").write_text('[train]\nconformal = ""\n')
    line = error_line("train", folder / "d.csv", "-o", tmp_path / "m.clade", "--skip-bad", cwd=tmp_path)
    assert "--conformal: the value is empty" in line and "clade.toml" in line


def test_no_separators_is_a_value(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,label\n1,x;y\n2,z\n")
    assert run_json("info", path, "--label-paths", "no")["labels_per_sample"] == 1.5
    assert run_json("info", path, "--label-paths", "no", "--label-separators=")["labels_per_sample"] == 1
