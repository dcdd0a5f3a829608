"""LIBSVM files as the tool reads and writes them, against scikit-learn's reader and writer."""

import gzip
import json

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from clade_tool import attempt as clade
from sklearn.datasets import dump_svmlight_file, load_svmlight_file


def convert(source, target, *arguments):
    result = clade("convert", source, "-o", target, "--quiet", *arguments)
    assert result.returncode == 0, result.stderr


def random_matrix(seed, rows=200, columns=300, density=0.1):
    random = np.random.default_rng(seed)
    matrix = scipy.sparse.random(rows, columns, density, format="csr", random_state=random)
    matrix.data = random.normal(size=matrix.nnz) * 10.0 ** random.integers(-12, 12, matrix.nnz)
    return matrix


def same(a, b):
    return a.shape == b.shape and (a != b).nnz == 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("zero_based", [False, True])
def test_what_scikit_learn_writes_is_read(tmp_path, zero_based, threads):
    matrix = random_matrix(1)
    labels = np.random.default_rng(2).integers(-3, 4, matrix.shape[0])
    source, target = tmp_path / "in.svm", tmp_path / "out.svm"
    dump_svmlight_file(matrix, labels, str(source), zero_based=zero_based, comment="written by scikit-learn")
    convert(source, target, "--threads", threads, *(["--zero-based"] if zero_based else []))

    # scikit-learn writes 16 digits, so what it reads from its own file is the reference.
    expected, expected_labels = load_svmlight_file(str(source), zero_based=zero_based, n_features=matrix.shape[1])
    found, found_labels = load_svmlight_file(str(target), zero_based=False, n_features=matrix.shape[1])
    assert same(found, expected)
    assert np.array_equal(found_labels, expected_labels)


def test_several_labels_per_sample(tmp_path):
    matrix = random_matrix(3)
    labels = np.random.default_rng(4).integers(0, 2, (matrix.shape[0], 5))
    source, target = tmp_path / "in.svm", tmp_path / "out.svm"
    dump_svmlight_file(matrix, labels, str(source), zero_based=False, multilabel=True)
    convert(source, target)
    expected, expected_labels = load_svmlight_file(str(source), multilabel=True, zero_based=False, n_features=300)
    found, found_labels = load_svmlight_file(str(target), multilabel=True, zero_based=False, n_features=300)
    assert same(found, expected)
    assert found_labels == expected_labels


def test_query_ids_are_skipped(tmp_path):
    matrix = random_matrix(5)
    labels = np.arange(matrix.shape[0]) % 4
    source, target = tmp_path / "in.svm", tmp_path / "out.svm"
    dump_svmlight_file(matrix, labels, str(source), zero_based=False, query_id=labels)
    convert(source, target)
    expected = load_svmlight_file(str(source), zero_based=False, n_features=300)[0]
    assert same(load_svmlight_file(str(target), zero_based=False, n_features=300)[0], expected)


def test_values_arrive_in_a_file_that_scipy_reads(tmp_path):
    matrix = random_matrix(6)
    source, target = tmp_path / "in.svm.gz", tmp_path / "out.mtx"
    plain = tmp_path / "plain.svm"
    dump_svmlight_file(matrix, np.zeros(matrix.shape[0], int), str(plain), zero_based=False)
    with gzip.open(source, "wb") as file:
        file.write(plain.read_bytes())
    convert(source, target)
    expected = load_svmlight_file(str(plain), zero_based=False)[0]
    found = scipy.sparse.csr_matrix(scipy.io.mmread(str(target)))
    assert same(found, expected)


def test_large_indices_cost_no_memory(tmp_path):
    source = tmp_path / "in.svm"
    source.write_text("a 1:1 1000000000:2\nb 5:1\n")
    result = clade("info", source, "--json")
    assert result.returncode == 0, result.stderr
    info = json.loads(result.stdout)
    assert (info["samples"], info["features"], info["nonzeros"], info["leaves"]) == (2, 1000000000, 3, 2)


BAD = {
    "only comments": ("# nothing\n\n", 2, "no samples"),
    "zero index": ("a 1:1\nb 0:1\n", 2, "index 0; indices start at 1 (use --zero-based)"),
    "repeated": ("a 1:1\nb 2:1 2:3\n", 2, "twice in one row"),
    "unsorted": ("a 1:1\n\nb 7:1 2:3\n", 3, "--sort-features"),
    "infinite": ("a 1:1\nb 7:inf\n", 2, "expected a finite number"),
    "huge": ("a 1:1e999\n", 1, "expected a finite number"),
    "truncated": ("a 1:1\nb 7:", 2, "no value at index 7"),
    "other format": ("@relation x\n", 1, "no index:value pair"),
    "not UTF-8": (b"a 1:1\ncaf\xe9 1:1\n", 2, "not UTF-8"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_status_two(tmp_path, name):
    text, line, message = BAD[name]
    source = tmp_path / "in.svm"
    source.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = clade("info", source)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"clade: {source}:{line}:")
    assert message in result.stderr


def test_a_label_that_cannot_be_written_leaves_no_file(tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.svm"
    source.write_text("x,y,class\n1,2,two words\n3,4,one\n")
    result = clade("convert", source, "-o", target)
    assert result.returncode == 2
    assert "'two words' cannot be written as LIBSVM" in result.stderr
    assert not target.exists()
