"""clade.toml: defaults of options, in the working folder and in the user's."""

import os

import pytest
from clade_tool import error_line, run, run_json


@pytest.fixture
def folder(tmp_path):
    run("synth", "-o", tmp_path / "d.arff", "--samples", 120, "--single-label")
    return tmp_path


def configure(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "clade.toml").write_text(text)


def described(folder, name="m"):
    return run_json("info", folder / name)


def test_defaults_are_taken_and_said(folder):
    configure(folder, '[train]\nclassifier = "top-down-svm"\nc = 7\noutput = "m"\n\n[select]\nmethod = "fisher"\n')
    process = run("train", "d.arff", cwd=folder)
    assert process.stderr == "clade: from clade.toml: --c 7 --classifier top-down-svm --output m\n"
    assert described(folder)["classifier"] == "top-down-svm" and described(folder)["parameters"]["c"] == "7"
    assert "fisher on" in run("select", "d.arff", cwd=folder).stdout
    assert run("train", "d.arff", "--quiet", "--force", cwd=folder).stderr == ""


def test_the_command_line_wins(folder):
    configure(folder, '[train]\nclassifier = "top-down-svm"\nc = 7\nforce = true\n')
    process = run("train", "d.arff", "--c", 3, "-o", "m", cwd=folder)
    assert described(folder)["parameters"]["c"] == "3"
    assert process.stderr == "clade: from clade.toml: --classifier top-down-svm --force\n"
    # Parameters of another method do not get in the way of the one that was asked for.
    run("train", "d.arff", "--classifier", "hieron", "-o", "m", cwd=folder)
    assert described(folder)["classifier"] == "hieron"


def test_lines_before_the_sections_are_for_every_command_that_has_the_option(folder):
    configure(folder, 'seed = 5\nverbose = false\nclassifier = "path-svm"\n\n[info]\nstorage = "sparse"\n')
    process = run("info", "d.arff", cwd=folder)
    assert process.stderr == "clade: from clade.toml: --seed 5 --storage sparse\n"
    assert "sparse" in process.stdout
    assert run("train", "d.arff", "-o", "m", cwd=folder).stderr == "clade: from clade.toml: --classifier path-svm --seed 5\n"


def test_the_users_folder_comes_second(folder):
    configure(folder / "home" / ".config" / "clade", '[train]\nclassifier = "path-svm"\nc = 2\n')
    environment = {key: value for key, value in os.environ.items() if key != "XDG_CONFIG_HOME"} | {"HOME": str(folder / "home")}
    run("train", "d.arff", "-o", "a", cwd=folder, env=environment)
    assert described(folder, "a")["classifier"] == "path-svm"
    configure(folder, '[train]\nclassifier = "top-down-svm"\n')
    run("train", "d.arff", "-o", "b", cwd=folder, env=environment)
    assert described(folder, "b")["classifier"] == "top-down-svm" and described(folder, "b")["parameters"]["c"] == "2"
    environment["XDG_CONFIG_HOME"] = str(folder / "elsewhere")
    configure(folder / "elsewhere" / "clade", "[train]\nc = 4\n")
    run("train", "d.arff", "-o", "c", cwd=folder, env=environment)
    assert described(folder, "c")["parameters"]["c"] == "4"


MISTAKES = [
    ('[trian]\nc = 1\n', "clade.toml: no command 'trian'; did you mean 'train'?"),
    ('[train]\nclasifier = "x"\n', "clade.toml: no option of clade train 'clasifier'; did you mean 'classifier'?"),
    ('[select]\nlamda = 1\n', "clade.toml: no option of clade select 'lamda'; did you mean 'lambda'?"),
    ('thraeds = 1\n', "clade.toml: no option 'thraeds'; did you mean 'threads'?"),
    ('[info]\njson = maybe\n', "clade.toml: json = maybe; expected true or false"),
]


@pytest.mark.parametrize("text, said", MISTAKES)
def test_mistakes_are_refused(folder, text, said):
    configure(folder, text)
    assert error_line("info", "d.arff", cwd=folder) == said
    run("help", cwd=folder)
    run("train", "--help", cwd=folder)


def test_a_bad_value_says_where_it_came_from(folder):
    configure(folder, '[info]\nmissing = "maybe"\n')
    line = error_line("info", "d.arff", cwd=folder)
    assert line.startswith("--missing: 'maybe'; expected one of") and "from clade.toml" in line
