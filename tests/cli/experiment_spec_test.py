"""clade experiment: wrong files are refused at their line before any work."""

import subprocess

import pytest
from clade_tool import CLADE, error_line, run
from study import small_sets, spec


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return small_sets(tmp_path_factory.mktemp("inputs"), "one", "two")


GOOD = """seed = 1
[[data]]
name = "one"
file = "one.arff"
folds = 2

[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = { c = 1 }
"""

# What to change in the good file, the line of the error, and what it says.
BAD = {
    "unknown classifier": ('"top-down-svm"', '"top-down-svn"', 9, "no classifier 'top-down-svn'; did you mean 'top-down-svm'?"),
    "unknown selector": ("parameters", 'select = "fishr"\nparameters', 10, "no selector 'fishr'; did you mean 'fisher'?"),
    "unknown measure": ("seed = 1", 'measures = ["acuracy"]', 1, "no measure 'acuracy'; did you mean 'accuracy'?"),
    "wrong type": ("c = 1", 'c = "much"', 10, "c: 'much'; expected a number"),
    "table for a number": ("folds = 2", "folds = { n = 2 }", 5, "folds is a table; expected one value"),
    "list for a number": ("folds = 2", "folds = [2, 3]", 5, "folds is a list; expected one value"),
    "half a fold": ("folds = 2", "folds = 2.5", 5, "folds: '2.5'; expected a whole number"),
    "out of range": ("folds = 2", "folds = 1", 5, "folds: '1'"),
    "missing file": ('"one.arff"', '"none.arff"', 4, "there is no file"),
    "duplicate recipe": ("", '[[recipe]]\nname = "svm"\nclassifier = "prior"\n', 12,
                         "a second recipe 'svm'; expected another name: line 7 has this one"),
    "duplicate data": ("[[recipe]]", '[[data]]\nname = "one"\nfile = "one.arff"\nfolds = 3\n[[recipe]]', 8,
                       "a second data set 'one'"),
    "parameter of another": ("c = 1", "epochs = 2", 10, "top-down-svm has no parameter 'epochs'; it is a parameter of"),
    "misspelt parameter": ("c = 1", "tolerence = 2", 10, "did you mean 'tolerance'?"),
    "unknown key": ("folds = 2", "fold = 2", 5, "no key 'fold' in data set 'one'; did you mean 'folds'?"),
    "unknown table": ("[[data]]", "[[dta]]", 2, "no key 'dta' in an experiment; did you mean 'data'?"),
    "10^9 cells": ("c = 1", "c = [" + ",".join(str(k + 1) for k in range(1000)) + "], tolerance = ["
                   + ",".join(f"0.{k + 1:04}" for k in range(1000)) + "], iterations = [" +
                   ",".join(str(k + 1) for k in range(1000)) + "]", 7, "1e+09 combinations of parameters; expected at most"),
    "many repeats": ("folds = 2", "folds = 2\nrepeats = 100000\n[[taxonomy]]\nname = \"r\"\nkind = \"random\"\ndraws = 1000", 0,
                     "the experiment has 1e+08 cells"),
    "no protocol": ("folds = 2", "", 2, "data set 'one' has no test samples"),
    "two protocols": ("folds = 2", "folds = 2\nholdout = 0.2", 2, "measured in several ways"),
    "no name": ('name = "svm"', "", 7, "a recipe without a name"),
    "idle top": ("parameters", "top = 3\nparameters", 7, "selects no features"),
    "bad top": ("parameters", 'select = "fisher"\ntop = "many"\nparameters', 11, "top: 'many'"),
    "given and tuned": ("parameters = { c = 1 }", "parameters = { c = 1 }\ntune = { parameters = { c = [1, 2] } }", 11,
                        "parameters.c is both given and tuned"),
    "other data": ("parameters", 'data = "onee"\nparameters', 10, "no 'onee' in this experiment; did you mean 'one'?"),
    "bad toml": ("folds = 2", "folds = = 2", 5, ""),
    "a date": ("seed = 1", "seed = 2020-01-01", 1, "a date or time"),
    "same value twice": ("c = 1", "c = [1, 1]", 10, "c has 1 twice"),
    "empty grid": ("c = 1", "c = []", 10, "c is an empty list"),
    "no recipes": (GOOD[GOOD.index("[[recipe]]"):], "", 0, "no [[recipe]]"),
    "kind of taxonomy": ("[[recipe]]", '[[taxonomy]]\nname = "t"\nkind = "falt"\n[[recipe]]', 9, "did you mean 'flat'?"),
    "taxonomy learner": ("[[recipe]]", '[[taxonomy]]\nname = "t"\nkind = "learned"\nmethod = "aglomerative"\n[[recipe]]', 10,
                         "did you mean 'agglomerative'?"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_at_their_line_before_any_work(inputs, tmp_path, case):
    old, new, line, problem = BAD[case]
    text = GOOD.replace(old, new, 1) if old else GOOD + new
    assert text != GOOD
    path = spec(inputs, text, "bad.toml")
    message = error_line("experiment", path, "-o", tmp_path / "out")
    assert message.startswith(f"{path}:{line}:" if line else f"{path}"), message
    assert problem in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("changed, expected", [
    ('file = "${NO_SUCH_VARIABLE}/two.arff"', "study.toml:4: the variable NO_SUCH_VARIABLE is not set"),
    ('file = "${STUDY"', "study.toml:4: '${STUDY': ${ without }"),
    ('file = "two.arff"\nselect-on = "wide.arff"', "wide.arff: 20 features instead of 12"),
    ('file = "two.arff"\nselect-on = "none.arff"', "study.toml:5: select-on: there is no file"),
])
def test_other_files_that_do_not_fit(inputs, tmp_path, changed, expected):
    run("synth", "-o", inputs / "wide.arff", "--samples", 60, "--features", 20, "--single-label", "--force")
    study = spec(inputs, f"""
[[data]]
name = "two"
{changed}
folds = 3
[[recipe]]
name = "svm"
classifier = "top-down-svm"
select = "hier-fisher"
top = 3
""")
    done = subprocess.run([CLADE, "experiment", study, "-o", tmp_path / "out", "--quiet"], capture_output=True, text=True)
    assert done.returncode != 0
    summary = tmp_path / "out/summary.json"
    assert expected in done.stderr + (summary.read_text() if summary.exists() else "")


@pytest.mark.parametrize("data, recipe, expected", [
    ("", '[[recipe]]\nname = "a top=5"\nclassifier = "top-down-svm"\n[[recipe]]\nname = "a"\nclassifier = "top-down-svm"\n'
         'select = "fisher"\ntop = [5, 6]\n', "study.toml:10: recipe 'a top=5' and recipe 'a' are both called 'a top=5' in results"),
    ('[[data]]\nname = "one"\nfile = "one.arff"\nfolds = 3\nper-class = 2\n[[data]]\nname = "one k=2"\nfile = "one.arff"\nfolds = 3\n',
     '[[recipe]]\nname = "a"\nclassifier = "top-down-svm"\n',
     "study.toml:12: data set 'one' and data set 'one k=2' are both called 'one k=2' in results"),
    ('[[data]]\nname = "three"\nfile = "one.arff"\nfolds = 3\ntaxonomy = "."\n', '[[recipe]]\nname = "a"\nclassifier = "top-down-svm"\n',
     "study.toml:10: taxonomy: "),
])
def test_names_that_come_out_alike_and_folders(inputs, data, recipe, expected):
    study = spec(inputs, f"""
[[data]]
name = "two"
file = "two.arff"
folds = 3
{data}{recipe}""")
    assert expected in error_line("experiment", study, "--dry-run")
