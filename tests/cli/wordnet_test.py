"""clade wordnet: the corpus beside one that a few lines of Python make of the same files, by the definition of its page."""

import collections
import gzip
import json
import random
from pathlib import Path

import pytest
from clade_tool import SOURCE, attempt, error_line, run, run_json
from small_wordnet import LICENCE, write_wordnet

REAL = Path("/usr/share/wordnet")
real_wordnet = pytest.mark.skipif(not (REAL / "data.noun").exists(), reason="no WordNet: install Debian's wordnet-base")


def synsets_of(folder):
    """The lines of data.noun, by the name of the document: words, hypernyms, gloss."""
    found = {}
    for line in (folder / "data.noun").read_text().splitlines():
        if line.startswith("  "):
            continue
        left, _, gloss = line.partition(" | ")
        fields = left.split()
        count = int(fields[3], 16)
        words = fields[4:4 + 2 * count:2]
        pointers = fields[5 + 2 * count:]
        above = [f"n{pointers[k + 1]}" for k in range(0, len(pointers), 4) if pointers[k] in ("@", "@i")]
        found[f"n{fields[0]}"] = ([word.replace("_", " ") for word in words], list(dict.fromkeys(above)), gloss.strip())
    return found


def names_of(folder, synsets):
    """The first word of every synset, with the number of its meaning in index.noun unless that is the first."""
    places = {}
    for line in (folder / "index.noun").read_text().splitlines():
        if not line.startswith("  "):
            fields = line.split()
            places[fields[0]] = fields[6 + int(fields[3]):]
    names = {}
    for synset, (words, _, _) in synsets.items():
        sense = places[words[0].replace(" ", "_").lower()].index(synset[1:]) + 1
        names[synset] = words[0] if sense == 1 else f"{words[0]}#{sense}"
    return names


class Corpus:
    """The classes, their parents and the labels of all documents, each from its definition."""

    def __init__(self, folder, min_size, tree=False):
        self.synsets = synsets_of(folder)
        self.names = names_of(folder, self.synsets)
        self.kinds = {synset: above[:1] if tree else above for synset, (_, above, _) in self.synsets.items()}
        self.above = {}
        for synset in self.synsets:
            self.all_above(synset)
        below = collections.Counter(other for above in self.above.values() for other in above)
        self.classes = {synset for synset in self.synsets if below[synset] >= min_size}

    def all_above(self, synset):
        if synset not in self.above:
            self.above[synset] = set(self.kinds[synset]).union(*map(self.all_above, self.kinds[synset]))
        return self.above[synset]

    def labels(self, synset):
        candidates = self.above[synset] & self.classes
        return {self.names[c] for c in candidates if not any(c in self.above[other] for other in candidates)}

    def edges(self):
        return {(self.names[c], parent) for c in self.classes for parent in self.labels(c)}

    def documents(self):
        return {synset: self.labels(synset) for synset in self.synsets if self.labels(synset)}

    def text(self, synset):
        words, _, gloss = self.synsets[synset]
        return ", ".join(words) + (f": {gloss}" if gloss else "")


def lines_of(path):
    opened = gzip.open(path, "rt") if path.name.endswith(".gz") else open(path)
    with opened as file:
        return [json.loads(line) for line in file]


def edges_of(path):
    return {tuple(line.split(",")) for line in path.read_text().splitlines()[1:] if "," in line}


def write_nouns(folder, synsets):
    """Files of nouns; each synset has words, the numbers of those that it is a kind of, and a gloss."""
    folder.mkdir(exist_ok=True)
    offsets = [0] * len(synsets)
    for _ in range(2):  # lines have the same length whatever the offsets
        data = LICENCE
        for k, (words, kinds, gloss) in enumerate(synsets):
            offsets[k] = len(data)
            pointers = "".join(f" {'@i' if k % 5 == 0 else '@'} {offsets[kind]:08} n 0000" for kind in kinds)
            data += (f"{offsets[k]:08} 03 n {len(words):02x} " + "".join(f"{word} 0 " for word in words)
                     + f"{len(kinds) + 1:03} + 00000001 v 0101{pointers} | {gloss}  \n")
    places = collections.defaultdict(list)
    for offset, (words, _, _) in zip(offsets, synsets):
        for word in words:
            places[word.lower()].append(f"{offset:08}")
    (folder / "data.noun").write_text(data)
    (folder / "index.noun").write_text(LICENCE + "".join(
        f"{word} n {len(found)} 2 @ ~ {len(found)} 0 {' '.join(found)}  \n" for word, found in sorted(places.items())))
    (folder / "noun.exc").write_text("geese goose\n")
    return folder


def random_nouns(folder, seed, count=60):
    """Synsets over a random DAG, in random order, with several roots and words of several meanings."""
    draw = random.Random(seed)
    place = list(range(count))
    draw.shuffle(place)
    synsets = [None] * count
    for k in range(count):
        kinds = draw.sample(range(k), min(k, draw.choice([0, 1, 1, 1, 2, 2, 3]))) if k > 2 else []
        words = [f"{draw.choice('aB')}{draw.randrange(12)}_{k % 3}"]
        words += [f"w{k}"] * draw.randrange(2)
        synsets[place[k]] = (words, [place[kind] for kind in kinds], f'about {k}; "an \\ example"')
    return write_nouns(folder, synsets)


@pytest.mark.parametrize("seed", range(5))
def test_every_document_of_a_random_wordnet(tmp_path, seed):
    folder = random_nouns(tmp_path / "wordnet", seed)
    for min_size in (1, 3, 8):
        for tree in (False, True):
            expected = Corpus(folder, min_size, tree)
            shown = run_json("wordnet", "-o", tmp_path / "all.jsonl", "--taxonomy-out", tmp_path / "t.csv", "--wordnet",
                             folder, "--min-size", min_size, "--force", *["--tree"] * tree)
            lines = lines_of(tmp_path / "all.jsonl")
            assert [line["id"] for line in lines] == [synset for synset in expected.synsets if expected.labels(synset)]
            assert {line["id"]: set(line["doc_label"]) for line in lines} == expected.documents()
            assert all(line["text"] == expected.text(line["id"]) for line in lines)
            assert edges_of(tmp_path / "t.csv") == expected.edges()
            assert shown["documents"] == len(lines) and shown["left_out"] == 60 - len(lines)
            assert not tree or (shown["kind"] == "tree" and shown["labels_per_document"] == 1)
            info = run_json("info", tmp_path / "all.jsonl", "--min-documents", 1)
            roots = sum(not expected.labels(synset) for synset in expected.classes)
            assert info["nodes"] == shown["nodes"] == len(expected.classes) + (roots > 1)


@real_wordnet
@pytest.mark.parametrize("tree", [False, True])
def test_the_real_one(tmp_path, tree):
    expected = Corpus(REAL, 50, tree)
    shown = run_json("wordnet", "-o", tmp_path / "corpus", *["--tree"] * tree)
    parts = [lines_of(tmp_path / "corpus" / part) for part in ("train.jsonl", "test.jsonl")]
    lines = parts[0] + parts[1]
    assert shown["documents"] == len(lines) == len(expected.synsets) - 1 and shown["left_out"] == 1
    assert [shown["train_documents"], shown["test_documents"]] == [len(part) for part in parts]
    assert abs(len(parts[1]) / len(lines) - 0.2) < 0.001
    assert {line["id"]: set(line["doc_label"]) for line in lines} == expected.documents()
    assert all(line["text"] == expected.text(line["id"]) for line in lines)
    assert shown["nodes"] == len(expected.classes) > 800
    assert edges_of(tmp_path / "corpus" / "taxonomy.csv") == expected.edges()
    if not tree:
        page = (SOURCE / "docs" / "wordnet.md").read_text()
        inner = {parent for _, parent in expected.edges()}
        labels = [label for line in lines for label in line["doc_label"]]
        words = sum(len(line["text"].split()) for line in lines) / len(lines)
        assert f"makes a real corpus in half a second: {len(lines):,} short texts ({words:.0f} words on average)" in page
        assert f"Half of the labels ({sum(label in inner for label in labels):,} of {len(labels):,}) are inner nodes" in page
        nodes = [run_json("wordnet", "-o", tmp_path / "all.jsonl", "--min-size", size, "--force")["nodes"] for size in (10, 50, 500)]
        assert "10 gives {:,} classes, 50 gives {:,}, 500 gives {:,} |".format(*nodes) in page
    dog = next(line for line in lines if line["text"].startswith("dog, domestic dog"))
    assert set(dog["doc_label"]) <= {"canine#2", "domestic animal"} and "barked" in dog["text"]
    # Every class has enough documents at or below it.
    above = collections.defaultdict(set)
    for child, parent in sorted(expected.edges()):
        above[child].add(parent)

    def upwards(node):
        return {node}.union(*(upwards(parent) for parent in above[node]))

    closed = {node: upwards(node) for node in expected.names.values() if node in above or node == "entity"}
    counts = collections.Counter(node for line in lines for node in set().union(*(closed[x] for x in line["doc_label"])))
    assert min(counts[node] for node in closed) >= 50 and counts["entity"] == len(lines)


def test_the_folder_of_a_small_wordnet(tmp_path):
    wordnet = write_wordnet(tmp_path / "wordnet")
    out = tmp_path / "corpus"
    shown = run("wordnet", "-o", out, "--wordnet", wordnet, "--min-size", 2, "--test", "30%")
    assert shown.stdout == (
        "10 documents over 5 classes: a tree of 3 levels, 1.00 labels per document; 6 to train on, 4 to test on\n"
        + "".join(f"  {out}/{name}\n" for name in ("train.jsonl", "train.jsonl.meta.json", "test.jsonl",
                                                   "test.jsonl.meta.json", "taxonomy.csv")))
    assert shown.stderr == "clade: 1 noun synset left out: nothing that it is a kind of is a class\n"
    assert (out / "taxonomy.csv").read_text() == (
        "child,parent\nentity\nanimal,entity\ncarnivore,animal\nasset,entity\nmoney,asset\n")
    both = sorted(lines_of(out / "train.jsonl") + lines_of(out / "test.jsonl"), key=lambda line: line["id"])
    assert [(line["doc_label"], line["text"]) for line in both] == [
        (["entity"], "animal: a gloss"), (["animal"], "carnivore: a gloss"), (["carnivore"], "dog: a gloss"),
        (["carnivore"], "cat: a gloss"), (["carnivore"], "poodle: a gloss"), (["animal"], "goose: a gloss"),
        (["entity"], "asset: a gloss"), (["asset"], "money: a gloss"), (["money"], "cash: a gloss"),
        (["money"], "coin: a gloss")]
    assert not list(out.glob("*.tmp*"))


def test_the_hierarchy_is_found_without_a_flag(tmp_path):
    wordnet = random_nouns(tmp_path / "wordnet", 3)
    run("wordnet", "-o", tmp_path / "c", "--wordnet", wordnet, "--min-size", 3)
    beside = run_json("info", tmp_path / "c" / "train.jsonl")
    given = run_json("info", tmp_path / "c" / "train.jsonl", "--taxonomy", tmp_path / "c" / "taxonomy.csv")
    for key in ("nodes", "leaves", "height", "kind", "labels_per_sample"):
        assert beside[key] == given[key]
    run("train", tmp_path / "c" / "train.jsonl", "--classifier", "top-down-svm", "-o", tmp_path / "m.clade")
    found = run_json("evaluate", tmp_path / "m.clade", tmp_path / "c" / "test.jsonl")
    assert found["samples"] == len(lines_of(tmp_path / "c" / "test.jsonl"))
    # Other data under the same name are noticed.
    with open(tmp_path / "c" / "train.jsonl", "a") as file:
        file.write('{"doc_label": "x", "text": "more"}\n')
    assert "was written with other data" in error_line("info", tmp_path / "c" / "train.jsonl")


def test_a_split_of_one_file_is_the_split_of_the_folder(tmp_path):
    wordnet = random_nouns(tmp_path / "wordnet", 4)
    run("wordnet", "-o", tmp_path / "all.jsonl.gz", "--wordnet", wordnet, "--min-size", 4)
    shown = run("split", tmp_path / "all.jsonl.gz", "-o", tmp_path / "parts", "--test", "20%", "--seed", 5, "--quiet").stdout
    assert f"{tmp_path}/parts/test.jsonl.gz, {tmp_path}/parts/test.jsonl.gz.meta.json\n" in shown
    run("wordnet", "-o", tmp_path / "c", "--wordnet", wordnet, "--min-size", 4, "--seed", 5)
    for part in ("train", "test"):
        copied = tmp_path / "parts" / f"{part}.jsonl.gz"
        assert lines_of(copied) == lines_of(tmp_path / "c" / f"{part}.jsonl")
        assert run_json("info", copied)["nodes"] == run_json("info", tmp_path / "c" / f"{part}.jsonl")["nodes"]


def test_no_hierarchy_of_earlier_data_is_left_beside_new_ones(tmp_path):
    wordnet = random_nouns(tmp_path / "wordnet", 4)
    parts = tmp_path / "parts"
    run("wordnet", "-o", parts, "--wordnet", wordnet, "--min-size", 4)
    (tmp_path / "other.jsonl").write_text("".join(json.dumps({"doc_label": f"a/{k % 3}", "text": f"w{k % 7}"}) + "\n" for k in range(30)))
    again = ["split", tmp_path / "other.jsonl", "-o", parts, "--test", "20%"]
    assert "train.jsonl: exists already" in error_line(*again)
    (parts / "train.jsonl").unlink()
    (parts / "test.jsonl").unlink()
    assert "train.jsonl.meta.json: exists already; use --force to remove it" in error_line(*again)
    assert run_json(*again, "--force")["files"] == [f"{parts}/train.jsonl", f"{parts}/test.jsonl"]
    assert not list(parts.glob("*.meta.json")) and run_json("info", parts / "train.jsonl")["samples"] == 24
    run("wordnet", "-o", parts, "--wordnet", wordnet, "--min-size", 4, "--force")
    run("synth", "--text", "--documents", 20, "--levels", 3, "-o", parts / "train.jsonl", "--force")
    assert run_json("info", parts / "train.jsonl")["samples"] == 20


@pytest.mark.parametrize("change", [{"samples": 1e30}, {"samples": 54.5}, {"clade_meta": 1.5}, {"samples": 2**63}, {"edges": [[0.5, 1]]}])
def test_numbers_beside_the_data_are_whole(tmp_path, change):
    run("wordnet", "-o", tmp_path / "a.jsonl", "--wordnet", write_wordnet(tmp_path / "wordnet"), "--min-size", 2)
    beside = tmp_path / "a.jsonl.meta.json"
    meta = json.loads(beside.read_text())
    (meta["taxonomy"] if "edges" in change else meta).update(change)
    beside.write_text(json.dumps(meta))
    assert error_line("info", tmp_path / "a.jsonl").startswith(f"{beside}: not a meta file of Clade; expected the fields")


def test_the_same_whatever_the_threads_and_another_split_for_another_seed(tmp_path):
    wordnet = random_nouns(tmp_path / "wordnet", 1)
    where = ["--wordnet", wordnet, "--min-size", 2]
    for name, more in (("a", ["--threads", 1]), ("b", ["--threads", 3]), ("c", ["--seed", 2])):
        run("wordnet", "-o", tmp_path / name, *where, *more)
    contents = {name: {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "abc"}
    assert contents["a"] == contents["b"] and contents["a"]["train.jsonl"] != contents["c"]["train.jsonl"]
    assert contents["a"]["taxonomy.csv"] == contents["c"]["taxonomy.csv"]


def test_wrong_usage(tmp_path):
    wordnet = write_wordnet(tmp_path / "wordnet")
    here = ["--wordnet", wordnet, "--min-size", 2]
    assert "(index.noun is missing); expected the package wordnet-base" in error_line(
        "wordnet", "-o", tmp_path / "c", "--wordnet", tmp_path)
    assert error_line("wordnet", "-o", tmp_path / "c", "--wordnet", wordnet) == (
        "--min-size 50 leaves no class of 11 documents; expected a smaller number")
    assert "expected a share such as 20% or 0.2" in error_line("wordnet", "-o", tmp_path / "c", *here, "--test", "2")
    assert error_line("wordnet", "-o", tmp_path / "c.jsonl", *here, "--test", "20%") == (
        "--test with one file of all documents; expected a folder for the parts")
    assert "expected a folder, or a file that ends in .jsonl" in error_line("wordnet", "-o", tmp_path / "c.svm", *here)
    assert "is a file of the documents" in error_line("wordnet", "-o", tmp_path / "c", *here, "--taxonomy-out",
                                                      tmp_path / "c" / "test.jsonl")
    assert error_line("wordnet", "-o", tmp_path / "new" / "c", *here, "--taxonomy-out", tmp_path / "t.bogus") == (
        f"{tmp_path}/t.bogus: cannot tell the taxonomy format from the name; expected a name that ends in one of "
        ".taxonomy, .json, .obo, .paths, .csv, .tsv, .edges")
    assert error_line("wordnet", "-o", "-", *here, cwd=tmp_path).startswith("-o - names no folder")
    assert [path.name for path in tmp_path.iterdir()] == ["wordnet"]  # what failed leaves no folder
    run("wordnet", "-o", tmp_path / "c", *here)
    before = (tmp_path / "c" / "train.jsonl").read_bytes()
    assert "exists already" in error_line("wordnet", "-o", tmp_path / "c", *here, "--seed", 4)
    assert (tmp_path / "c" / "train.jsonl").read_bytes() == before
    run("wordnet", "-o", tmp_path / "c", *here, "--seed", 4, "--force")


def test_bad_files_are_told_in_one_line(tmp_path):
    folder = write_wordnet(tmp_path / "wordnet")
    data = (folder / "data.noun").read_text()

    def message(text):
        (folder / "data.noun").write_bytes(text if isinstance(text, bytes) else text.encode())
        return error_line("wordnet", "-o", tmp_path / "x.jsonl", "--wordnet", folder, "--min-size", 2)

    assert "data.noun:3: not a line of WordNet's data; expected OFFSET" in message(data.replace("01 animal", "00 animal"))
    assert "data.noun:2: not a line" in message("  " + data)  # all places are two bytes further on
    assert "data.noun: no meanings" in message(LICENCE)
    assert "data.noun: no meanings" in message("")
    entity = data.index("entity") - len("00000033 03 n 01 ")
    assert "is a kind of that at byte 99999999, where none is" in message(data.replace(f"@ {entity:08}", "@ 99999999"))
    poodle = data.index("poodle") - len("00000000 03 n 01 ")
    cycle = data.replace("carnivore 0 001 @ " + data.split("carnivore 0 001 @ ")[1][:8], f"carnivore 0 001 @ {poodle:08}")
    assert "is a kind of itself; expected a hierarchy without cycles" in message(cycle)
    assert "is not UTF-8" in message(data.replace("a gloss", "a gl\udcffss").encode("utf-8", "surrogateescape"))
    assert "data.noun:3: not a line" in message(data.replace("animal 0 001", "animal 0 002"))  # fewer hypernyms than it says
    assert "has no meaning at byte" in message(data.replace("carnivore 0", "carnivoro 0"))
    draw = random.Random(7)
    for _ in range(40):
        broken = bytearray(data.encode())
        for _ in range(draw.randrange(1, 5)):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        (folder / "data.noun").write_bytes(bytes(broken))
        process = attempt("wordnet", "-o", tmp_path / "y.jsonl", "--wordnet", folder, "--min-size", 2, "--force")
        assert process.returncode in (0, 2) and len(process.stderr.splitlines()) <= 1
    assert {path.name for path in tmp_path.iterdir()} <= {"wordnet", "y.jsonl", "y.jsonl.meta.json"}


def test_the_name_of_a_root_is_text(tmp_path):
    folder = write_wordnet(tmp_path / "wordnet")
    for name in ("data.noun", "index.noun"):  # a root is no document, so its name is all that is read of it
        path = folder / name
        path.write_bytes(path.read_bytes().replace(b"entity", b"ent\xffty"))
    assert "the meaning at byte 33 is not UTF-8" in error_line("wordnet", "-o", tmp_path / "c", "--wordnet", folder, "--min-size", 2)
    assert not (tmp_path / "c").exists()

