"""Raw text against scikit-learn: the same documents through `clade convert` and through CountVectorizer."""

import json
import random
import tarfile
import unicodedata

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from clade_tool import error_line, run

WORDS = (
    "match goal striker minister plan vote Parlament straße ÉCOLE naïve Москва ΣΊΣΥΦΟΣ x86 2023 ３４ NATO e-mail "
    "under_score co-op (bracket) semi;colon dash—dash 1,000 U.S. http://example.org/a?b=c"
).split()
GLUE = [" ", ", ", "\n", "\t", " - ", "... ", "!"]


def make_documents(count=300, seed=1):
    """Documents of words by a power law, some of them empty; no apostrophes, which Clade treats in its own way."""
    draw = random.Random(seed)
    documents = []
    for _ in range(count):
        parts = []
        for _ in range(draw.randrange(60)):
            common = int(400 ** draw.random())
            word = draw.choice(WORDS) if common < 4 else f"Word{common}"
            parts.append(draw.choice([word, word.upper(), word.lower()]) + draw.choice(GLUE))
        documents.append("".join(parts))
    return documents


def fold(text):
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def expected(documents, weight, raw_length, **options):
    """The rows by scikit-learn, with idf = ln(N / df)."""
    vectorizer = CountVectorizer(token_pattern=r"[^\W_]+", dtype=np.float64, **options)
    counts = vectorizer.fit_transform(documents)
    if weight == "binary":
        counts.data[:] = 1
    if weight == "tf-idf":
        counts.data = 1 + np.log(counts.data)  # --sublinear is auto
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        counts = counts.multiply(np.log(counts.shape[0] / frequency)).tocsr()
        counts.eliminate_zeros()
    return list(vectorizer.get_feature_names_out()), counts if raw_length else normalize(counts)


def read_libsvm(path, columns):
    """Rows and labels of a LIBSVM file whose labels are names."""
    labels, values, indices, offsets = [], [], [], [0]
    for line in path.read_text().splitlines():
        fields = line.split(" ")
        labels.append(fields[0])
        for field in fields[1:]:
            index, value = field.split(":")
            indices.append(int(index) - 1)
            values.append(float(value))
        offsets.append(len(indices))
    return csr_matrix((values, indices, offsets), shape=(len(labels), columns)), labels


def convert(data, out, *options):
    """Rows, labels and meta data of the converted documents."""
    run("convert", data, "-o", out, "--force", "--quiet", *options)
    meta = json.loads(out.with_name(out.name + ".meta.json").read_text())
    rows, labels = read_libsvm(out, meta["features"])
    return rows, labels, meta


def write_folder(root, documents):
    for number, text in enumerate(documents):
        folder = root / f"class{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:05}").write_text(text, encoding="utf-8", newline="")
    return [f"class{n % 3}/{n:05}" for n in range(len(documents))]


def assert_same(rows, reference):
    assert rows.shape == reference.shape
    assert np.array_equal(rows.indptr, reference.indptr)
    reference = reference.sorted_indices()
    assert np.array_equal(rows.indices, reference.indices)
    np.testing.assert_allclose(rows.data, reference.data, rtol=1e-13)


KEEP_ALL = ("--stop-words", "none", "--min-length", "1")


@pytest.mark.parametrize("weight", ["tf", "tf-idf", "binary"])
@pytest.mark.parametrize("raw", [False, True])
def test_folder_gives_the_rows_of_scikit_learn(tmp_path, weight, raw):
    documents = make_documents()
    names = write_folder(tmp_path / "data", documents)
    order = sorted(range(len(names)), key=lambda n: names[n])
    options = (*KEEP_ALL, "--weight", weight, "--min-documents", "3", *(["--raw-length"] if raw else []))
    rows, labels, meta = convert(tmp_path / "data", tmp_path / "out.svm", *options)
    words, reference = expected([documents[n] for n in order], weight, raw, min_df=3, lowercase=True, preprocessor=fold)
    assert meta["vectorizer"]["words"] == words
    assert_same(rows, reference)
    assert labels == [f"class{n % 3}" for n in order]
    assert meta["sample_names"] == [names[n] for n in order]


def test_stop_words_lengths_and_case(tmp_path):
    documents = [text + " The cat and THE dog, of a" for text in make_documents(50)]
    write_folder(tmp_path / "data", documents)
    rows, _, meta = convert(tmp_path / "data", tmp_path / "out.svm", "--weight", "tf", "--raw-length")
    words, _ = expected(documents, "tf", True, preprocessor=fold)
    dropped = set(words) - set(meta["vectorizer"]["words"])
    assert {"the", "and", "of", "a"} <= dropped
    assert all(len(word) > 1 for word in meta["vectorizer"]["words"])
    assert {"cat", "dog", "minister"} <= set(meta["vectorizer"]["words"])
    # The others keep their counts.
    kept, reference = expected(documents, "tf", True, preprocessor=fold, stop_words=sorted(dropped))
    assert meta["vectorizer"]["words"] == kept
    assert rows.sum() == reference.sum()

    rows, _, meta = convert(tmp_path / "data", tmp_path / "case.svm", *KEEP_ALL, "--weight", "tf", "--raw-length",
                            "--keep-case")
    words, reference = expected([documents[n] for n in sorted(range(50), key=lambda n: (n % 3, n))], "tf", True,
                                lowercase=False)
    assert meta["vectorizer"]["words"] == words
    assert_same(rows, reference)


@pytest.mark.parametrize("mode,ending", [("w", ".tar"), ("w:gz", ".tar.gz"), ("w:bz2", ".tar.bz2"), ("w:xz", ".tar.xz")])
@pytest.mark.parametrize("layout", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archive_gives_the_files_of_the_folder(tmp_path, mode, ending, layout):
    documents = make_documents(60)
    write_folder(tmp_path / "data", documents)
    (tmp_path / "data" / "class1" / "Ähnlich").write_text("umlaut in the name")
    run("convert", tmp_path / "data", "-o", tmp_path / "folder.svm")
    archive = tmp_path / ("data" + ending)
    with tarfile.open(archive, mode, format=layout) as tar:
        tar.add(tmp_path / "data", arcname=".")
    for locale in ("C", "C.UTF-8"):
        out = tmp_path / f"{locale}.svm"
        run("convert", archive, "-o", out, env={"LC_ALL": locale})
        assert out.read_bytes() == (tmp_path / "folder.svm").read_bytes()
        meta = (tmp_path / "folder.svm.meta.json").read_bytes()
        assert out.with_name(out.name + ".meta.json").read_bytes() == meta


def test_lines_and_json_lines_give_the_same_rows(tmp_path):
    documents = [" ".join(text.split()) for text in make_documents(200)]
    classes = [f"class{n % 4}" for n in range(len(documents))]
    (tmp_path / "docs.txt").write_text("\n".join(documents), encoding="utf-8")
    (tmp_path / "labels.txt").write_text("\n".join(classes))
    with open(tmp_path / "docs.jsonl", "w", encoding="utf-8") as file:
        for text, label in zip(documents, classes):
            file.write(json.dumps({"text": text, "doc_label": [label]}, ensure_ascii=len(text) % 2 == 0) + "\n")
    words, reference = expected(documents, "tf-idf", False, preprocessor=fold)
    lines = convert(tmp_path / "docs.txt", tmp_path / "a.svm", *KEEP_ALL, "--labels-file", tmp_path / "labels.txt")
    objects = convert(tmp_path / "docs.jsonl", tmp_path / "b.svm", *KEEP_ALL)
    for rows, labels, meta in (lines, objects):
        assert meta["vectorizer"]["words"] == words
        assert_same(rows, reference)
        assert labels == classes


def test_tokens_are_counted_as_they_are(tmp_path):
    lists = [["New York", "Boral/US", "the", "New York"], ["The", "x"], []]
    with open(tmp_path / "docs.json", "w", encoding="utf-8") as file:
        for tokens in lists:
            file.write(json.dumps({"doc_token": tokens, "doc_label": "a--b"}) + "\n")
    rows, labels, meta = convert(tmp_path / "docs.json", tmp_path / "a.svm", *KEEP_ALL, "--keep-case", "--weight", "tf",
                                 "--raw-length")
    vectorizer = CountVectorizer(analyzer=lambda tokens: tokens)
    assert_same(rows, vectorizer.fit_transform(lists).astype(float))
    assert meta["vectorizer"]["words"] == list(vectorizer.get_feature_names_out())
    assert labels == ["a/b"] * 3


def test_a_vocabulary_gives_new_text_the_old_columns(tmp_path):
    documents = make_documents(120)
    write_folder(tmp_path / "data", documents)
    options = ("--stem", "english", "--min-documents", "2")
    old, _, meta = convert(tmp_path / "data", tmp_path / "old.svm", *options)
    again, _, _ = convert(tmp_path / "data", tmp_path / "new.svm", "--vocabulary", tmp_path / "old.svm.meta.json")
    assert (tmp_path / "old.svm").read_bytes() == (tmp_path / "new.svm").read_bytes()
    # A part of the documents gets its part of the rows, whatever options are given now.
    names = meta["sample_names"]
    part = [n for n, name in enumerate(names) if name.startswith("class1/")]
    rows, _, _ = convert(tmp_path / "data", tmp_path / "part.svm", "--under", "class1", "--weight", "binary",
                         "--vocabulary", tmp_path / "old.svm.meta.json")
    assert (rows != old[part]).nnz == 0
    assert again.shape == old.shape


def test_threads_change_nothing(tmp_path):
    documents = make_documents(3000) * 2
    write_folder(tmp_path / "data", documents)
    outputs = []
    for threads in (1, 2, 3):
        out = tmp_path / f"{threads}.svm"
        run("convert", tmp_path / "data", "-o", out, "--threads", threads, "--stem", "german")
        outputs.append((out.read_bytes(), out.with_name(out.name + ".meta.json").read_bytes()))
    assert outputs[0] == outputs[1] == outputs[2]


def test_errors_are_one_line(tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"text": "a", "doc_label": "x"}\n\n{"text": 5}\n')
    assert "bad.jsonl:3: " in error_line("info", tmp_path / "bad.jsonl")
    write_folder(tmp_path / "data", make_documents(10))
    line = error_line("info", tmp_path / "data", "--stem", "klingon")
    assert "klingon" in line and "english" in line
    assert "no document below 'nowhere'" in error_line("info", tmp_path / "data", "--under", "nowhere")
    (tmp_path / "cut.tar").write_bytes(b"\x1f\x8b\x08 garbage")
    assert "cut.tar" in error_line("info", tmp_path / "cut.tar", "--format", "text-folder")
