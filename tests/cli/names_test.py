"""Misspelt names of commands, options and methods: one line that says which word is wrong, and the name that was meant."""

import re

import pytest
from clade_tool import SOURCE, error_line, run, run_json

SUGGESTIONS = [
    (["predct", "m.clade", "x.csv"], "unknown command 'predct'; did you mean 'predict'?"),
    (["help", "trian"], "unknown command 'trian'; did you mean 'train'?"),
    (["man", "evalute"], "unknown command 'evalute'; did you mean 'evaluate'?"),
    (["select", "x.csv", "--lamda", "5"], "clade select has no option '--lamda'; did you mean '--lambda'?"),
    (["info", "x.csv", "--text_field", "body"], "clade info has no option '--text_field'; did you mean '--text-field'?"),
    (["info", "x.csv", "--Taxonomy=t.csv"], "clade info has no option '--Taxonomy'; did you mean '--taxonomy'?"),
    (["train", "x.csv", "--classifier", "top-down-svn", "-o", "m"], "no classifier 'top-down-svn'; did you mean 'top-down-svm'?"),
    (["train", "--classifier", "top-down-svn", "--help"], "no classifier 'top-down-svn'; did you mean 'top-down-svm'?"),
    (["select", "x.csv", "--method", "hier_fs"], "no selector 'hier_fs'; did you mean 'hier-fs'?"),
    (["learn-taxonomy", "x.csv", "--method", "aglomerative", "-o", "t.csv"],
     "no taxonomy learner 'aglomerative'; did you mean 'agglomerative'?"),
    (["train", "x.csv", "--classifier", "path-svm", "--select", "fischer", "-o", "m"], "no selector 'fischer'; did you mean 'fisher'?"),
    (["train", "x.csv", "--classifier", "top-down-svm", "--select", "hier-fs", "--select-parameters", "lamda=1", "-o", "m"],
     "hier-fs has no parameter --lamda; did you mean --lambda?"),
]


@pytest.mark.parametrize("words, said", SUGGESTIONS, ids=[" ".join(words) for words, _ in SUGGESTIONS])
def test_the_nearest_name_is_suggested(words, said):
    assert error_line(*words) == said


def test_the_first_wrong_word_is_named():
    assert "'--frist'" in error_line("info", "--frist", "x.csv", "--secnd")
    assert "unexpected argument 'b'" in error_line("info", "a", "b", "c")
    assert error_line("info", "a", "b") == "unexpected argument 'b'; clade info takes DATA"


def test_a_name_unlike_all_others_gets_the_list_or_the_help():
    assert "expected one of info, convert" in error_line("zzzzzzzz")
    assert error_line("info", "x.csv", "--zzzzzzzz") == "clade info has no option '--zzzzzzzz'; clade info --help-all shows its options"
    assert "it is an option of clade train" in error_line("info", "x.csv", "--classifier", "top-down-svm")
    assert "options stand after the command" in error_line("--seed", "info")


def test_values_that_look_like_options_are_values():
    assert "--threads: '-1'" in error_line("info", "x.csv", "--threads", "-1")
    assert "-x.csv: no such file" in error_line("info", "--", "-x.csv")


def test_letters_may_be_joined(tmp_path):
    for words in (["-vo", tmp_path / "a.arff"], ["-o" + str(tmp_path / "b.arff"), "-v"], [f"--output={tmp_path / 'c.arff'}"]):
        run("synth", *words, "--samples", 5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.arff", "b.arff", "c.arff"]
    assert "'-x'" in error_line("synth", "-vx")


def test_help_is_a_command():
    assert run("help").stdout == run("--help").stdout
    for command in ("train", "predict", "info"):
        text = run("help", command).stdout
        assert text == run(command, "--help").stdout == run(command, "-h").stdout
        assert text.startswith(f"clade {command}: ")


def test_help_of_a_method_shows_its_parameters_and_no_others():
    short = run("train", "--help").stdout
    assert "  --calibrate" not in short and "clade train --classifier NAME --help" in short
    assert len(short.splitlines()) <= 40
    own = run("train", "--classifier", "top-down-logistic", "--help").stdout
    assert "Parameters of top-down-logistic" in own and "  --calibrate" in own and "  --kernel" not in own
    assert own == run("help", "train", "--classifier", "top-down-logistic").stdout
    assert "--kernel" in run("train", "--classifier=hierarchical-svm", "--help").stdout
    assert "  --lambda" not in run("select", "--help").stdout
    assert "--lambda" in run("select", "--method", "hier-fs", "--help").stdout
    assert "  --linkage" not in run("learn-taxonomy", "--help").stdout
    assert "--linkage" in run("learn-taxonomy", "--method", "agglomerative", "--help").stdout


def test_shared_options_have_a_page_of_their_own():
    assert "  --min-documents" not in run("train", "--help").stdout
    assert "clade help reading" in run("train", "--help").stdout
    assert "--min-documents" in run("help", "reading").stdout
    for line in run("help", "reading").stdout.splitlines() + run("train", "--help").stdout.splitlines():
        assert len(line) <= 120, line


def test_the_short_help_fits_on_a_screen_and_the_long_one_has_all():
    with_all = run("train", "--help-all").stdout
    assert all(f"  {flag}" in with_all for flag in ("--decide", "--storage", "--sample-weights", "--threads", "--select "))
    for command in run_json("help")["commands"]:
        short = run(command, "--help").stdout
        whole = run(command, "--help-all").stdout
        assert len(short.splitlines()) <= 40, command
        if short == whole:
            continue
        assert f"clade {command} --help-all" in short and "Examples:" in short
        options = [line.strip() for line in short.splitlines() if line.startswith("  -")]
        listed = [line.strip() for line in whole.splitlines()]
        assert len(options) >= 5 and all(option in listed for option in options)
    assert "clade train [DATA...]" in run("train", "--help").stdout
    assert "--help-all" in run("completion", "bash").stdout
    assert "minover" not in run("train", "--classifier", "hieron", "--help").stdout


def test_every_option_of_the_short_help_exists():
    """Flags that the sources name for the short help; a misspelt one would be left out in silence."""
    for path in (SOURCE / "src" / "cli").iterdir():
        for flags in re.findall(r'(?:arguments\.often\(\s*|kOften = |read_\.declare\(arguments, )"([^"]*)"', path.read_text()):
            command = "train" if path.name == "read_arguments.h" else path.stem.replace("_", "-")
            whole = run(command, "--help-all").stdout
            assert [flag for flag in flags.split() if f"  {flag} " not in whole and f", {flag} " not in whole] == []
