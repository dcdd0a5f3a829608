"""clade evaluate: wrong predictions, folds and options, each with the line that must be said."""

import re

import pytest
from clade_tool import error_line


@pytest.fixture
def files(tmp_path):
    (tmp_path / "data.csv").write_text("sample,x,label\ns1,1,a/b\ns2,2,a/c\ns3,3,d\n")
    (tmp_path / "good.csv").write_text("sample,rank,label,score\ns1,1,a/b,1\ns2,1,a/c,1\ns3,1,d,1\n")
    (tmp_path / "clusters.csv").write_text("sample,cluster\ns1,x\ns2,x\ns3,y\n")
    return tmp_path


HEADER = "sample,rank,label,score\n"
BAD = {
    "unknown sample": (HEADER + "s1,1,a/b,1\ns9,1,a/c,1\ns3,1,d,1\n", ("3", "sample 's9' is not in the data")),
    "unknown label": (HEADER + "s1,1,a/b,1\ns2,1,a/z,1\ns3,1,d,1\n", ("3", "label 'a/z' is not in the taxonomy")),
    "missing sample": (HEADER + "s1,1,a/b,1\ns3,1,d,1\n", ("3", "the file ends without a prediction of sample 's2'")),
    "rank twice": (HEADER + "s1,1,a/b,1\ns1,1,d,1\ns2,1,a/c,1\ns3,1,d,1\n", ("3", "sample 's1' has rank 1 in line 2 already")),
    "label twice": (HEADER + "s1,1,d,1\ns1,2,d,1\ns2,1,a/c,1\ns3,1,d,1\n", ("3", "sample 's1' has label 'd' in line 2")),
    "rank 0": (HEADER + "s1,0,a/b,1\ns2,1,a/c,1\ns3,1,d,1\n", ("2", "'0' is not a rank")),
    "no score": (HEADER + "s1,1,a/b,nan\ns2,1,a/c,1\ns3,1,d,1\n", ("2", "score 'nan' is not finite")),
    "a rising score": (HEADER + "s1,1,a/b,1\ns1,2,d,2\ns2,1,a/c,1\ns3,1,d,1\n", ("3", "sample 's1': score 2 at rank 2 is above")),
    "empty": ("", ("1", "empty file")),
    "header only": (HEADER, ("1", "a header and no rows")),
    "no label column": ("sample,rank\ns1,1\n", ("1", "no column is named 'label'")),
    "too few fields": (HEADER + "s1,1,a/b\n", ("2", "3 columns; expected 4")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_predictions(files, case):
    text, expected = BAD[case]
    path = files / "predictions.csv"
    path.write_text(text)
    line = error_line("evaluate", "--predictions", path, files / "data.csv")
    where, message = re.fullmatch(re.escape(str(path)) + r"(?::(\d+))?(?::\d+)?: (.*)", line).groups()
    assert (where, message.startswith(expected[1])) == (expected[0], True), line


def test_wrong_usage(files):
    data, good, clusters = files / "data.csv", files / "good.csv", files / "clusters.csv"
    assert "with one of --predictions FILE, --clusters FILE and --classifier C" in error_line("evaluate", data)
    assert "several things to measure" in error_line("evaluate", data, "--predictions", good, "--clusters", clusters)
    base = ["evaluate", "--predictions", good, data]
    assert "--top-k: '0'" in error_line(*base, "--top-k", 0)
    assert "--confidence-level: '2'" in error_line(*base, "--confidence-level", 2)
    assert "--resamples: '1'" in error_line(*base, "--resamples", 1)
    assert "--confusions: '-1'" in error_line(*base, "--confusions", -1)
    assert "--threshold: 'nan'" in error_line(*base, "--threshold", "nan")
    assert "expected one of micro, samples, macro" in error_line(*base, "--average", "much")
    assert "expected one of standard, published" in error_line(*base, "--protocol", "much")
    assert "expected one of auto, top-1, top-k" in error_line(*base, "--label-set", "much")
    assert "no such file" in error_line("evaluate", "--predictions", files / "none.csv", data)
    assert "no such file" in error_line("evaluate", "--predictions", good, files / "none.csv")
    error_line("evaluate", "--predictions", good)


FOLDS = {
    "too few": ("0\n1\n", ": folds for 2 samples; expected 3"),
    "none": ("", ": folds for 0 samples; expected 3"),
    "too many": ("0\n1\n0\n1\n", ":4: more folds than samples; expected 3 lines"),
    "a word": ("0\none\n1\n", ":2: 'one' is no fold"),
    "negative": ("0\n-1\n1\n", ":2: '-1' is no fold"),
    "an empty line": ("0\n\n1\n", ":2: '' is no fold"),
    "a fraction": ("0\n1.5\n1\n", ":2: '1.5' is no fold"),
}


@pytest.mark.parametrize("case", FOLDS)
def test_bad_folds(files, case):
    text, expected = FOLDS[case]
    path = files / "folds.csv"
    path.write_text(text)
    line = error_line("evaluate", "--predictions", files / "good.csv", files / "data.csv", "--fold-file", path)
    assert line.removeprefix(str(path)).startswith(expected), line


def test_a_fold_without_labels(files):
    (files / "data.csv").write_text("sample,x,label\ns1,1,a/b\ns2,2,a/c\ns3,3,\n")
    (files / "good.csv").write_text(HEADER + "s1,1,a/b,1\ns2,1,a/c,1\ns3,1,a,1\n")
    (files / "folds.csv").write_text("0\n0\n1\n")
    line = error_line("evaluate", "--predictions", files / "good.csv", files / "data.csv", "--fold-file", files / "folds.csv",
                      "--quiet")
    assert "fold 1 has no labelled sample" in line


def test_clusters_need_one_label_each(files):
    (files / "data.csv").write_text("sample,x,label\ns1,1,a;b\ns2,2,a\ns3,3,b\n")
    line = error_line("evaluate", "--clusters", files / "clusters.csv", files / "data.csv")
    assert "sample s1 has 2 labels; expected one label per sample" in line


@pytest.mark.parametrize(
    "options, problem",
    [
        (["--top-k", "3"], "--top-k has no effect"),
        (["--threshold", "0.5"], "--threshold has no effect"),
        (["--protocol", "published", "--average", "macro"], "--protocol published averages over samples"),
    ],
)
def test_options_without_effect_are_refused(tmp_path, options, problem):
    assert problem in error_line("evaluate", "--predictions", tmp_path / "p.csv", tmp_path / "d.csv", *options)


def test_options_that_do_not_concern_clusters_are_refused(tmp_path):
    for option in (["--bootstrap"], ["--breakdown"], ["--fold-file", "folds.csv"]):
        assert "do not concern --clusters" in error_line("evaluate", "--clusters", "c.csv", "d.csv", *option)
