"""NumPy and SciPy as independent readers and writers of .npy and .npz files."""

import json
import zipfile

import numpy
import pytest
import scipy.sparse
from clade_tool import run as clade


def convert(source, target, *options):
    clade("convert", source, "-o", target, *options)
    return target


def load_features(path):
    """What a NumPy user sees of a file that Clade wrote."""
    with numpy.load(path, allow_pickle=False) as file:
        if "format" not in file.files:
            return file["X"]
    return scipy.sparse.load_npz(path).toarray()


def load_labels(path):
    with numpy.load(path, allow_pickle=False) as file:
        names = file["node_names"]
        starts = file["label_indptr"]
        nodes = file["label_indices"]
    return [sorted(names[nodes[starts[s]:starts[s + 1]]]) for s in range(len(starts) - 1)]


def random_matrix(seed=1, rows=23, columns=9, density=1.0):
    random = numpy.random.default_rng(seed)
    values = random.standard_normal((rows, columns))
    return numpy.where(random.random((rows, columns)) < density, values, 0.0)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_every_type_and_order(tmp_path, dtype, order, layout):
    matrix = numpy.asarray(random_matrix() * 20, dtype="f8")
    if dtype[0] == "u" or dtype == "?":
        matrix = abs(matrix)
    matrix = numpy.array(matrix.astype(numpy.dtype(dtype).newbyteorder(order)), order=layout)
    numpy.save(tmp_path / "x.npy", matrix)
    numpy.testing.assert_array_equal(load_features(convert(tmp_path / "x.npy", tmp_path / "y.npz")), matrix.astype("f8"))


def test_all_half_precision_numbers(tmp_path):
    numbers = numpy.arange(65536, dtype="u2").view("f2").reshape(256, 256)
    numbers = numpy.where(numpy.isinf(numbers), numpy.float16(1), numbers)
    numpy.save(tmp_path / "x.npy", numbers)
    got = load_features(convert(tmp_path / "x.npy", tmp_path / "y.npz", "--missing", "keep"))
    numpy.testing.assert_array_equal(got, numbers.astype("f8"))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version(tmp_path, version):
    matrix = random_matrix()
    with open(tmp_path / "x.npy", "wb") as file:
        numpy.lib.format.write_array(file, matrix, version=version)
    numpy.testing.assert_array_equal(load_features(convert(tmp_path / "x.npy", tmp_path / "y.npz")), matrix)


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("density", [1.0, 0.1])
def test_numpy_reads_our_npy(tmp_path, precision, density):
    matrix = random_matrix(density=density)
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(matrix))
    convert(tmp_path / "x.npz", tmp_path / "y.npy", "--precision", precision)
    got = numpy.load(tmp_path / "y.npy", allow_pickle=False)
    assert got.dtype == ("f4" if precision == "float" else "f8")
    numpy.testing.assert_array_equal(got, matrix.astype(got.dtype))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_sparse_matrices_of_scipy(tmp_path, form, compressed, dtype):
    matrix = (random_matrix(density=0.1) * 10).astype(dtype)
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(matrix).asformat(form), compressed=compressed)
    convert(tmp_path / "x.npz", tmp_path / "y.npz")
    got = scipy.sparse.load_npz(tmp_path / "y.npz")
    assert got.format == "csr" and got.has_sorted_indices and got.dtype == "f8"
    numpy.testing.assert_array_equal(got.toarray(), matrix)


def test_unsorted_indices_are_sorted_and_duplicates_refused(tmp_path):
    matrix = scipy.sparse.csr_matrix(([1.0, 2.0], [3, 1], [0, 2]), shape=(1, 4))
    scipy.sparse.save_npz(tmp_path / "x.npz", matrix)
    numpy.testing.assert_array_equal(load_features(convert(tmp_path / "x.npz", tmp_path / "y.npz")), [[0, 2, 0, 1]])
    twice = scipy.sparse.coo_matrix(([1.0, 2.0], ([0, 0], [3, 3])), shape=(1, 4))
    scipy.sparse.save_npz(tmp_path / "x.npz", twice)
    assert "row 1 has two values for column 4" in clade("info", tmp_path / "x.npz", status=2).stderr


@pytest.mark.parametrize("save", [numpy.savez, numpy.savez_compressed])
def test_features_and_labels(tmp_path, save):
    matrix = random_matrix(rows=4)
    cases = [
        (numpy.array([3, 1, 3, 20], dtype=">i2"), [["3"], ["1"], ["3"], ["20"]]),
        (numpy.array([3.0, 1.0, 3.0, 20.0]), [["3"], ["1"], ["3"], ["20"]]),
        (numpy.array(["naïve", "日本", "x;y", ""]), [["naïve"], ["日本"], ["x", "y"], []]),
        (numpy.array([b"a", b"b", b"a", b"b"]), [["a"], ["b"], ["a"], ["b"]]),
        (numpy.array([[0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]]), [["1", "2"], ["0"], [], ["0", "1", "2"]]),
        (numpy.asfortranarray([[False, True], [True, True], [True, False], [True, True]]),
         [["1"], ["0", "1"], ["0"], ["0", "1"]]),
    ]
    for labels, expected in cases:
        save(tmp_path / "x.npz", X=matrix, y=labels)
        convert(tmp_path / "x.npz", tmp_path / "y.npz", "--force")
        numpy.testing.assert_array_equal(load_features(tmp_path / "y.npz"), matrix)
        assert load_labels(tmp_path / "y.npz") == expected


def test_labels_in_a_file_of_their_own(tmp_path):
    numpy.save(tmp_path / "x.npy", random_matrix(rows=2))
    numpy.save(tmp_path / "labels.npy", numpy.array(["b", "a"]))
    convert(tmp_path / "x.npy", tmp_path / "y.npz", "--labels-file", tmp_path / "labels.npy")
    assert load_labels(tmp_path / "y.npz") == [["b"], ["a"]]


def test_labels_of_a_npy_file_survive_beside_it(tmp_path):
    matrix = random_matrix(rows=3)
    numpy.savez(tmp_path / "x.npz", X=matrix, y=numpy.array(["a/b", "a;c", ""]), feature_names=numpy.array(list("abcdefghi")))
    convert(tmp_path / "x.npz", tmp_path / "y.npy")
    convert(tmp_path / "y.npy", tmp_path / "z.npz")
    convert(tmp_path / "x.npz", tmp_path / "direct.npz")
    assert load_labels(tmp_path / "z.npz") == [["a/b"], ["a", "c"], []]
    assert (tmp_path / "z.npz").read_bytes() == (tmp_path / "direct.npz").read_bytes()


def test_names_and_taxonomy(tmp_path):
    (tmp_path / "tree.csv").write_text("child,parent\nb,a\nc,a\nd,b\nd,c\ne,ä\n")
    numpy.savez(tmp_path / "x.npz", X=random_matrix(rows=2, columns=1), y=numpy.array(["d;e", "c"]),
                feature_names=numpy.array(["größe"]), sample_names=numpy.array(["s 1", "s 2"]))
    convert(tmp_path / "x.npz", tmp_path / "y.npz", "--taxonomy", tmp_path / "tree.csv")
    with numpy.load(tmp_path / "y.npz", allow_pickle=False) as file:
        names = list(file["node_names"])
        edges = {(names[p], names[c]) for p, c in file["edges"]}
        assert list(file["feature_names"]) == ["größe"]
        assert list(file["sample_names"]) == ["s 1", "s 2"]
        assert file["virtual_root"].item() is True
    assert names[-1] == "(root)"
    assert edges == {("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("ä", "e"), ("(root)", "a"), ("(root)", "ä")}
    assert load_labels(tmp_path / "y.npz") == [["d", "e"], ["c"]]
    convert(tmp_path / "y.npz", tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "y.npz").read_bytes()
    described = json.loads(clade("info", tmp_path / "y.npz", "--json").stdout)
    assert described["kind"] == "dag" and described["nodes"] == 7


def test_pickles_are_never_loaded(tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.array([{"a": 1}], dtype=object))
    assert "Python objects" in clade("info", tmp_path / "x.npy", status=2).stderr
    numpy.savez(tmp_path / "x.npz", X=random_matrix(), y=numpy.array([None] * 23, dtype=object))
    assert "array y: the array holds Python objects" in clade("info", tmp_path / "x.npz", status=2).stderr


def test_other_kinds_of_arrays_are_refused(tmp_path):
    for array, message in [
            (numpy.arange(3.0), "two dimensions"),
            (numpy.ones((2, 2), dtype=complex), "'<c16' cannot be read"),
            (numpy.zeros(2, dtype=[("a", "f8")]), "records"),
            (numpy.array([["a"]]), "holds strings"),
            (numpy.array([[1.0, numpy.inf]]), "row 1, column 2: infinite")]:
        numpy.save(tmp_path / "x.npy", array)
        error = clade("info", tmp_path / "x.npy", status=2).stderr
        assert message in error and len(error.strip().splitlines()) == 1


def test_missing_values(tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.array([[1.0, 2.0], [3.0, numpy.nan]]))
    error = clade("convert", tmp_path / "x.npy", "-o", tmp_path / "y.npz", status=2).stderr
    assert "x.npy:2:2: missing value" in error and not (tmp_path / "y.npz").exists()
    got = load_features(convert(tmp_path / "x.npy", tmp_path / "y.npz", "--missing", "keep"))
    numpy.testing.assert_array_equal(got, [[1, 2], [3, numpy.nan]])


@pytest.mark.parametrize("kind, packed", [("measured", zipfile.ZIP_STORED), ("counted", zipfile.ZIP_DEFLATED), ("few", zipfile.ZIP_DEFLATED)])
def test_only_what_shrinks_is_packed(tmp_path, kind, packed):
    values = random_matrix(rows=20 if kind == "few" else 700, columns=31)
    if kind == "counted":
        values = numpy.round(values)
    numpy.savez(tmp_path / "given.npz", X=values, y=["a", "b"] * (len(values) // 2))
    written = convert(tmp_path / "given.npz", tmp_path / "written.npz")
    with zipfile.ZipFile(written) as archive:
        assert archive.testzip() is None
        assert archive.getinfo("X.npy").compress_type == packed
    numpy.testing.assert_array_equal(load_features(written), values)
    # The reader of such a file is the one that wrote it.
    again = convert(written, tmp_path / "again.npz")
    assert again.read_bytes() == written.read_bytes()
