"""Strings of symbols as data: FASTA, text with --sequences, what is kept with them, and who refuses them."""

import gzip
import json
import random

import pytest
from clade_tool import error_line, run, run_json

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def make_sequences(count=40, seed=1):
    """Names, labels and strings of 0 to 120 letters."""
    draw = random.Random(seed)
    return [(f"s{k}", draw.choice(["a/x", "a/y", "b"]), "".join(draw.choices(LETTERS, k=draw.randrange(121))))
            for k in range(count)]


def fasta_text(sequences, width=60, labels=True):
    lines = []
    for name, label, string in sequences:
        lines.append(f">{name} label={label} of no meaning" if labels else f">{name}")
        lines += [string[k:k + width] for k in range(0, len(string), width)]
    return "\n".join(lines) + "\n"


def summary_of(sequences):
    lengths = [len(string) for _, _, string in sequences]
    return {"shortest": min(lengths), "longest": max(lengths), "alphabet": len(set("".join(s for _, _, s in sequences)))}


def test_info_of_fasta_and_of_the_same_strings_in_other_layouts(tmp_path):
    sequences = make_sequences()
    (tmp_path / "x.fasta").write_text(fasta_text(sequences))
    with gzip.open(tmp_path / "x.fa.gz", "wt") as file:
        file.write(fasta_text(sequences, width=7))
    with open(tmp_path / "x.jsonl", "w") as file:
        for _, label, string in sequences:
            file.write(json.dumps({"text": string, "doc_label": label}) + "\n")
    for name in ("x.fasta", "x.fa.gz", "x.jsonl"):
        info = run_json("info", tmp_path / name, "--sequences")
        assert info["sequences"] == summary_of(sequences)
        assert (info["samples"], info["leaves"], info["nodes"]) == (40, 3, 5)
        assert info["nonzeros"] == sum(len(string) for _, _, string in sequences)


def test_converted_sequences_stay_sequences(tmp_path):
    sequences = make_sequences()
    (tmp_path / "x.fasta").write_text(fasta_text(sequences))
    run("convert", tmp_path / "x.fasta", "-o", tmp_path / "x.svm")
    first = (tmp_path / "x.svm").read_text().splitlines()[0].split()[1:]
    assert [int(float(pair.split(":")[1])) for pair in first] == [ord(c) for c in sequences[0][2]]
    assert run_json("info", tmp_path / "x.svm")["sequences"] == summary_of(sequences)
    meta = json.loads((tmp_path / "x.svm.meta.json").read_text())
    assert meta["vectorizer"]["sequences"] is True
    # The way of reading comes with the file beside, as a vocabulary does.
    (tmp_path / "new.txt").write_text("AC GT\nACGTACGT\n")
    info = run_json("info", tmp_path / "new.txt", "--vocabulary", tmp_path / "x.svm.meta.json")
    assert info["sequences"] == {"shortest": 4, "longest": 8, "alphabet": 4}


def test_what_works_on_vectors_refuses_sequences(tmp_path):
    (tmp_path / "x.fasta").write_text(fasta_text(make_sequences()))
    line = error_line("train", tmp_path / "x.fasta", "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    assert "top-down-svm learns from vectors, and the data are sequences" in line
    assert not (tmp_path / "m.clade").exists()
    assert "sequences" in error_line("select", tmp_path / "x.fasta", "--method", "hier-fisher", "-o", tmp_path / "r.json")


def test_models_of_words_refuse_sequences(tmp_path):
    (tmp_path / "words.jsonl").write_text("".join(
        json.dumps({"text": text, "doc_label": label}) + "\n"
        for text, label in [("red apple", "a"), ("green apple", "a"), ("fast car", "b"), ("slow car", "b")]))
    run("train", tmp_path / "words.jsonl", "--classifier", "top-down-svm", "-o", tmp_path / "words.clade")
    (tmp_path / "x.fasta").write_text(fasta_text(make_sequences(), labels=False))
    line = error_line("predict", tmp_path / "words.clade", tmp_path / "x.fasta", "-o", tmp_path / "p.csv")
    assert "the vocabulary is of words" in line
    run("synth", "-o", tmp_path / "numbers.arff", "--samples", 50, "--single-label")
    run("train", tmp_path / "numbers.arff", "--classifier", "top-down-svm", "-o", tmp_path / "numbers.clade")
    line = error_line("predict", tmp_path / "numbers.clade", tmp_path / "x.fasta", "-o", tmp_path / "p.csv")
    assert "the model is not of sequences" in line


@pytest.mark.parametrize("text, problem", [
    ("ACGT\n", "x.fasta:1: text before the first sequence"),
    (">a\nAC\n>\nAC\n", "x.fasta:3: a sequence without a name"),
    ("", "empty file"),
    (">a\n\n", "no symbol"),
])
def test_bad_fasta_says_where(tmp_path, text, problem):
    (tmp_path / "x.fasta").write_text(text)
    assert problem in error_line("info", tmp_path / "x.fasta")
