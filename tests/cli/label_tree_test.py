"""Models with a label tree: opened without a look at their weights, which are checked when they are used."""

import csv
import random

import pytest

from clade_tool import attempt, error_line, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Forty classes of two words each, and a model that finds them through groups of four."""
    path = tmp_path_factory.mktemp("tree")
    draw = random.Random(1)
    with open(path / "data.svm", "w") as file:
        for sample in range(400):
            c = sample % 40
            words = sorted({2 * c + 1 + draw.randrange(2), 81 + c % 8, 90 + draw.randrange(10)})
            print(f"c{c}", *(f"{word}:1" for word in words), file=file)
    run("train", path / "data.svm", "--classifier", "top-down-svm", "--label-tree", 10, "--label-group", 4,
        "-o", path / "m.clade")
    return path


def labels(path):
    with open(path, newline="") as file:
        return [row["label"] for row in csv.DictReader(file)]


def test_the_hierarchy_shows_no_groups(folder):
    text = run("info", folder / "m.clade").stdout
    assert "41 nodes (1 internal, 40 leaves)" in text
    run("predict", folder / "m.clade", folder / "data.svm", "-o", folder / "p.csv")
    found = labels(folder / "p.csv")
    known = [line.split()[0] for line in open(folder / "data.svm")]
    assert sum(a == b for a, b in zip(found, known)) > 350
    steps = run("predict", folder / "m.clade", folder / "data.svm", "--explain", "2", "--force", "-o",
                folder / "p.csv").stdout
    assert "c0" in steps


def test_a_changed_weight_is_found_by_who_uses_it(folder):
    data = bytearray((folder / "m.clade").read_bytes())
    early = int.from_bytes(data[32:40], "little")
    assert data[12] == 2 and 64 < early < len(data)
    changed = folder / "changed.clade"
    data[early + 20] ^= 1  # in the top group, which every sample needs
    changed.write_bytes(data)
    assert "checksum" in error_line("info", changed)
    assert "checksum" in error_line("predict", changed, folder / "data.svm")
    data[early + 20] ^= 1
    data[early - 100] ^= 1
    changed.write_bytes(data)
    assert "checksum" in error_line("predict", changed, folder / "data.svm")


def test_no_damage_is_more_than_an_error(folder):
    data = (folder / "m.clade").read_bytes()
    draw = random.Random(2)
    for _ in range(40):
        damaged = bytearray(data)
        for _ in range(draw.randrange(1, 4)):
            damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        (folder / "d.clade").write_bytes(damaged)
        assert attempt("info", folder / "d.clade").returncode == 2
        assert attempt("predict", folder / "d.clade", folder / "data.svm", "--force", "-o",
                       folder / "d.csv").returncode in (0, 2)
