"""Runs of characters and hashed words, against their definitions."""

import csv
import json
import math
import random
from collections import Counter

import pytest
from clade_tool import error_line, measures, run, run_json
from products import products, write_json_lines

DOCUMENTS = ["Red knives cut bread", "a blue pan of iron, blue iron", "Æbleskive på en pande", "the knife and the pan",
             "Bread bread BREAD baking"] * 4
COUNTS = ["--weight", "tf", "--raw-length", "--stop-words", "none", "--min-documents", "1"]


def write(path, documents=DOCUMENTS):
    path.write_text("".join(json.dumps({"text": text, "doc_label": "ab"[k % 2]}) + "\n"
                            for k, text in enumerate(documents)))
    return path


def features(path, tmp_path, *options):
    out = tmp_path / f"{random.random()}.csv"
    run("convert", path, "-o", out, "--quiet", *options)
    with out.open(newline="") as file:
        header, *rows = csv.reader(file)
    return [{name: float(value) for name, value in zip(header[:-1], row) if float(value) != 0} for row in rows]


def words_of(text):
    return [word.casefold() for word in text.replace(",", " ").split() if len(word) >= 2]


def runs_of(word, least, most):
    bordered = f"_{word}_"
    return ["~" + bordered[k:k + n] for n in range(least, most + 1) for k in range(len(bordered) - n + 1)]


def bucket(word, bits):
    value = 0xCBF29CE484222325
    for byte in word.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    value ^= value >> 31
    return f"#{value >> 64 - bits:0{(bits + 3) // 4}x}"


@pytest.mark.parametrize(("option", "least", "most"), [("3", 3, 3), ("2-4", 2, 4), ("1-10", 1, 10)])
def test_runs_of_characters_match_their_definition(tmp_path, option, least, most):
    found = features(write(tmp_path / "t.jsonl"), tmp_path, *COUNTS, "--characters", option)
    for text, row in zip(DOCUMENTS, found):
        expected = Counter()
        for word in words_of(text):
            expected.update([word, *runs_of(word, least, most)])
        assert row == dict(expected)


@pytest.mark.parametrize("bits", [1, 4, 10, 24])
def test_hashed_words_match_their_definition(tmp_path, bits):
    found = features(write(tmp_path / "t.jsonl"), tmp_path, *COUNTS, "--hash-bits", bits, "--characters", "3",
                     "--word-runs", 2)
    for text, row in zip(DOCUMENTS, found):
        words = words_of(text)
        expected = Counter(words + [f"{a} {b}" for a, b in zip(words, words[1:])])
        for word in words:
            expected.update(runs_of(word, 3, 3))
        hashed = Counter()
        for word, count in expected.items():
            hashed[bucket(word, bits)] += count
        assert row == dict(hashed)


def test_inverse_frequencies_are_those_of_the_numbers(tmp_path):
    found = features(write(tmp_path / "t.jsonl"), tmp_path, "--hash-bits", 3, "--raw-length", "--stop-words", "none",
                     "--min-documents", "1")
    rows = [Counter(bucket(word, 3) for word in words_of(text)) for text in DOCUMENTS]
    frequency = Counter(name for row in rows for name in row)
    for row, counts in zip(found, rows):
        idf = {name: math.log(len(DOCUMENTS) / frequency[name]) for name in counts}
        expected = {name: (1 + math.log(count)) * idf[name] for name, count in counts.items() if idf[name] > 0}
        assert row == pytest.approx(expected)


@pytest.mark.parametrize("options", [["--characters", "2-4"], ["--hash-bits", "12"],
                                     ["--characters", "3", "--hash-bits", "16", "--text-fields", "separate"]])
def test_the_model_keeps_the_treatment(tmp_path, options):
    rows = products(120)
    data = write_json_lines(tmp_path / "p.jsonl", rows)
    model = tmp_path / "m.clade"
    run("train", data, "-o", model, *options)
    whole = run("predict", model, data).stdout
    single = write_json_lines(tmp_path / "one.jsonl", rows[7:8])
    assert run("predict", model, single).stdout.splitlines()[1].split(",", 1)[1] in whole
    for threads in (1, 3):
        other = tmp_path / f"{threads}.clade"
        run("train", data, "-o", other, "--threads", threads, *options)
        assert run("predict", other, data).stdout == whole
    folds = run_json("evaluate", data, "--folds", "3", "--classifier", "top-down-svm", *options)
    assert folds["samples"] == 120


def test_a_model_of_hashed_words_has_none(tmp_path):
    model = tmp_path / "m.clade"
    run("train", write(tmp_path / "t.jsonl"), "-o", model, "--hash-bits", "14")
    content = model.read_bytes()
    assert b"knife" not in content and b"bread" not in content
    text = run("explain", model, "--class", "a").stdout
    assert "names of features are not known" in text and "#" in text
    plain = tmp_path / "plain.clade"
    run("train", write(tmp_path / "t.jsonl"), "-o", plain)
    assert "not known" not in run("explain", plain, "--class", "a").stdout


def test_what_is_refused(tmp_path):
    path = write(tmp_path / "t.jsonl")
    for bad in ("0", "4-2", "2-11", "x", "2-", "-3", "2-3-4"):
        assert "--characters" in error_line("info", path, f"--characters={bad}")
    assert "--hash-bits" in error_line("info", path, "--hash-bits", "25")


@pytest.mark.parametrize(("documents", "least"), [(499, 1), (500, 2)])
def test_rare_words_are_dropped_from_many_documents(tmp_path, documents, least):
    rng = random.Random(8)
    texts = [" ".join(f"word{min(int(rng.expovariate(0.01)), 999)}" for _ in range(5)) for _ in range(documents)]
    frequency = Counter(word for text in texts for word in set(text.split()))
    expected = sum(count >= least for count in frequency.values())
    path = write(tmp_path / "t.jsonl", texts)
    assert run_json("info", path)["features"] == expected
    assert run_json("info", path, "--min-documents", "1")["features"] == len(frequency)


def test_folds_drop_the_words_that_the_whole_would(tmp_path):
    rng = random.Random(9)
    texts = [" ".join(f"word{min(int(rng.expovariate(0.01)), 999)}" for _ in range(5)) for _ in range(500)]
    path = write(tmp_path / "t.jsonl", texts)
    command = ["evaluate", path, "--classifier", "top-down-svm", "--folds", 2]
    assert measures(*command) == measures(*command, "--min-documents", 2) != measures(*command, "--min-documents", 1)
