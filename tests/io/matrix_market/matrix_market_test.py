"""SciPy as an independent reader and writer of Matrix Market files."""

import numpy
import pytest
import scipy.io
import scipy.sparse
from clade_tool import run as clade


def through_clade(tmp_path, *options):
    """Reads x.mtx with Clade and gives what it understood, through .npz."""
    clade("convert", tmp_path / "x.mtx", "-o", tmp_path / "y.npz", "--force", *options)
    with numpy.load(tmp_path / "y.npz", allow_pickle=False) as file:
        if "format" not in file.files:
            return file["X"]
    return scipy.sparse.load_npz(tmp_path / "y.npz").toarray()


def random_matrix(rows=17, columns=17, density=0.2, seed=5):
    random = numpy.random.default_rng(seed)
    values = random.standard_normal((rows, columns))
    return numpy.where(random.random((rows, columns)) < density, values, 0.0)


KINDS = [(field, symmetry, sparse) for field in ("real", "integer") for symmetry in ("general", "symmetric", "skew-symmetric")
         for sparse in (True, False)] + [("pattern", "general", True), ("pattern", "symmetric", True)]


@pytest.mark.parametrize("field, symmetry, sparse", KINDS)
def test_reads_what_scipy_writes(tmp_path, field, symmetry, sparse):
    matrix = random_matrix()
    if field == "integer":
        matrix = numpy.round(100 * matrix).astype(int)
    if symmetry == "symmetric":
        matrix = matrix + matrix.T
    if symmetry == "skew-symmetric":
        matrix = matrix - matrix.T
    stored = scipy.sparse.coo_matrix(matrix) if sparse else matrix
    scipy.io.mmwrite(str(tmp_path / "x.mtx"), stored, field=field, symmetry=symmetry, precision=17, comment="a\nb")
    expected = scipy.io.mmread(str(tmp_path / "x.mtx"))
    expected = expected.toarray() if sparse else expected
    numpy.testing.assert_array_equal(through_clade(tmp_path), expected)
    numpy.testing.assert_array_equal(through_clade(tmp_path, "--transpose"), expected.T)


@pytest.mark.parametrize("storage", ["sparse", "dense"])
@pytest.mark.parametrize("ending", ["", ".gz", ".xz"])
def test_scipy_reads_what_we_write(tmp_path, storage, ending):
    matrix = random_matrix(rows=11, columns=7)
    numpy.save(tmp_path / "x.npy", matrix)
    name = "y.mtx" + ending
    clade("convert", tmp_path / "x.npy", "-o", tmp_path / name, "--storage", storage)
    if ending:
        clade("convert", tmp_path / name, "-o", tmp_path / "y.mtx")
    got = scipy.io.mmread(str(tmp_path / "y.mtx"))
    assert scipy.sparse.issparse(got) == (storage == "sparse")
    numpy.testing.assert_array_equal(got.toarray() if storage == "sparse" else got, matrix)


def test_large_files_agree_with_scipy(tmp_path):
    matrix = scipy.sparse.random(3000, 1000, density=0.1, random_state=1, format="coo")
    scipy.io.mmwrite(str(tmp_path / "x.mtx"), matrix, precision=17)
    expected = scipy.io.mmread(str(tmp_path / "x.mtx")).toarray()
    for threads in (1, 2, 3):
        numpy.testing.assert_array_equal(through_clade(tmp_path, "--threads", threads), expected)


def test_names_and_labels_survive_beside_the_matrix(tmp_path):
    numpy.savez(tmp_path / "x.npz", X=random_matrix(rows=3, columns=2), y=numpy.array(["a/b", "a;c", ""]),
                feature_names=numpy.array(["f", "g"]), sample_names=numpy.array(["p", "q", "r"]))
    clade("convert", tmp_path / "x.npz", "-o", tmp_path / "y.mtx")
    clade("convert", tmp_path / "y.mtx", "-o", tmp_path / "again.npz")
    clade("convert", tmp_path / "x.npz", "-o", tmp_path / "direct.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "direct.npz").read_bytes()


def test_labels_outside_the_taxonomy_name_their_file_and_line(tmp_path):
    scipy.io.mmwrite(str(tmp_path / "x.mtx"), scipy.sparse.coo_matrix(random_matrix(rows=2)))
    (tmp_path / "labels.txt").write_text("a\nz\n")
    (tmp_path / "tree.csv").write_text("child,parent\na,top\n")
    error = clade("info", tmp_path / "x.mtx", "--labels-file", tmp_path / "labels.txt", "--taxonomy",
                  tmp_path / "tree.csv", status=2).stderr
    assert "labels.txt:2" in error and "'z'" in error
