"""SciPy and h5py as independent writers and readers of MATLAB files."""

import h5py
import numpy
import pytest
import scipy.io
import scipy.sparse

from clade_tool import DATA, error_line, run, run_json

NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def convert(source, target, *options):
    run("convert", source, "-o", target, "--missing", "keep", "--quiet", *options)
    return load(target)


def text_of(codes):
    return codes.astype("<u2").tobytes().decode("utf-16-le")


def load_hdf5_object(file, node):
    """What MATLAB's attributes make of an HDF5 group or dataset."""
    kind = node.attrs.get("MATLAB_class", b"double")
    if isinstance(node, h5py.Group):
        starts = node["jc"][()]
        values = node["data"][()] if "data" in node else numpy.zeros(0)
        rows = node["ir"][()] if "ir" in node else numpy.zeros(0, int)
        return scipy.sparse.csc_matrix((values, rows, starts), shape=(int(node.attrs["MATLAB_sparse"]), len(starts) - 1))
    if "MATLAB_empty" in node.attrs:
        return "" if kind == b"char" else numpy.zeros(tuple(map(int, node[()])))
    if kind == b"char":
        return text_of(node[()].T.ravel())
    if kind == b"cell":
        return [load_hdf5_object(file, file[reference]) for reference in node[()].T.ravel()]
    return node[()].T


def load(path):
    """The variables of a MATLAB file of either kind; cell arrays of texts as lists."""
    if path.read_bytes().startswith(b"MATLAB 7.3"):
        with h5py.File(path) as file:
            return {name: load_hdf5_object(file, file[name]) for name in file if not name.startswith("#")}
    variables = {}
    for name, value in scipy.io.loadmat(path).items():
        if name.startswith("__"):
            continue
        if value.dtype == object:
            value = [cell.item() if cell.size else "" for cell in value.ravel()]
        variables[name] = value
    return variables


def dense(value):
    return numpy.asarray(value.todense() if scipy.sparse.issparse(value) else value, dtype="f8")


def assert_same(found, expected):
    numpy.testing.assert_array_equal(dense(found), dense(expected))


def sample_matrix(dtype="f8", rows=31, columns=7):
    random = numpy.random.default_rng(3)
    matrix = random.standard_normal((rows, columns)) * 40
    matrix[random.random(matrix.shape) < 0.5] = 0
    if numpy.dtype(dtype).kind == "u":
        matrix = abs(matrix)
    return matrix.astype(dtype)


LABELS = numpy.arange(31)[:, None] % 3 + 1.0
TREE = numpy.array([[4, 1], [4, 1], [2, 2], [0, 0]], "f8")


# ---- files by SciPy


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("dtype", NUMBERS + ["?"])
@pytest.mark.parametrize("target", [[], ["--mat73"]])
def test_scipy_numbers(tmp_path, packed, dtype, target):
    matrix = sample_matrix(dtype)
    scipy.io.savemat(tmp_path / "a.mat", {"X": matrix, "Y": LABELS.astype("u1")}, do_compression=packed)
    found = convert(tmp_path / "a.mat", tmp_path / "b.mat", *target)
    assert sorted(found) == ["X", "Y"]
    assert_same(found["X"], matrix)
    assert_same(found["Y"], LABELS)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "bool", "empty"])
@pytest.mark.parametrize("target", [[], ["--mat73"]])
def test_scipy_sparse(tmp_path, packed, kind, target):
    matrix = sample_matrix()
    if kind == "empty":
        matrix[:] = 0
    if kind == "bool":
        matrix = matrix != 0
    stored = getattr(scipy.sparse, ("csc" if kind in ("bool", "empty") else kind) + "_matrix")(matrix)
    scipy.io.savemat(tmp_path / "a.mat", {"X": stored, "Y": LABELS}, do_compression=packed)
    found = convert(tmp_path / "a.mat", tmp_path / "b.mat", *target)
    assert scipy.sparse.issparse(found["X"])
    assert_same(found["X"], matrix)


@pytest.mark.parametrize("target", [[], ["--mat73"]])
def test_tree_layout_stays_what_it_is(tmp_path, target):
    matrix = numpy.hstack([sample_matrix(), LABELS])
    scipy.io.savemat(tmp_path / "a.mat", {"tree": TREE, "data_array": matrix}, do_compression=True)
    summary = run_json("info", tmp_path / "a.mat")
    assert (summary["samples"], summary["features"], summary["nodes"], summary["leaves"]) == (31, 7, 4, 2)
    found = convert(tmp_path / "a.mat", tmp_path / "b.mat", *target)
    assert sorted(found) == ["data_array", "tree"]
    assert_same(found["data_array"], matrix)
    assert_same(found["tree"], TREE)


@pytest.mark.parametrize("target", [[], ["--mat73"]])
def test_names_go_through(tmp_path, target):
    def cells(texts):
        array = numpy.empty((len(texts), 1), object)
        array[:, 0] = texts
        return array

    features = ["f", "Größe", "", "a b ", "日本", "😀", "x" * 300]
    nodes = ["left", "right", "α/β", "top"]
    samples = [f"sample {k}" for k in range(31)]
    scipy.io.savemat(
        tmp_path / "a.mat",
        {
            "data_array": numpy.hstack([sample_matrix(), LABELS]),
            "tree": TREE,
            "feature_names": cells(features),
            "node_names": cells(nodes),
            "sample_names": cells(samples),
        },
    )
    found = convert(tmp_path / "a.mat", tmp_path / "b.mat", *target)
    assert found["feature_names"] == features
    assert found["node_names"] == nodes
    assert found["sample_names"] == samples
    again = convert(tmp_path / "b.mat", tmp_path / "c.mat", *target)
    assert (tmp_path / "b.mat").read_bytes() == (tmp_path / "c.mat").read_bytes()
    assert again["node_names"] == nodes


def test_missing_values_stay_missing(tmp_path):
    matrix = sample_matrix()
    matrix[4, 2] = numpy.nan
    scipy.io.savemat(tmp_path / "a.mat", {"X": matrix, "Y": LABELS})
    assert_same(convert(tmp_path / "a.mat", tmp_path / "b.mat")["X"], matrix)
    line = error_line("convert", tmp_path / "a.mat", "-o", tmp_path / "c.mat")
    assert line.startswith(f"{tmp_path / 'a.mat'}: row 5, column 3 of X: missing value (1 in the file); ")


def test_structures_are_skipped_and_said(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"X": sample_matrix(), "Y": LABELS, "notes": {"by": "hand", "at": [1, 2]}})
    summary = run_json("info", tmp_path / "a.mat")
    assert any("variables not used: notes (1 x 1 struct)" in warning for warning in summary["warnings"])


def test_level_4_is_refused(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", {"X": sample_matrix(), "Y": LABELS}, format="4")
    assert "MATLAB level 4 files are not read; save it with -v7" in error_line("info", tmp_path / "a.mat")


# ---- files by h5py


def matlab_file(path, write, user_block=True, **options):
    with h5py.File(path, "w", userblock_size=512 if user_block else 0, **options) as file:
        write(file)
    if user_block:
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, by h5py".ljust(116) + bytes(8) + b"\x00\x02IM")


def add(group, name, matrix, matlab_class="double", text=numpy.bytes_, **options):
    dataset = group.create_dataset(name, data=matrix.T, **options)
    dataset.attrs["MATLAB_class"] = text(matlab_class)


STORAGE = {
    "contiguous": {},
    "chunked": {"chunks": (3, 8)},
    "packed": {"chunks": (7, 10), "compression": "gzip"},
    "shuffled": {"chunks": (4, 31), "shuffle": True, "compression": "gzip", "compression_opts": 9},
    "shuffled only": {"chunks": (1, 5), "shuffle": True},
    "many chunks": {"chunks": (1, 1), "compression": "gzip"},
    "growing": {"chunks": (8, 16), "maxshape": (None, None)},
}


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("dtype", ["<" + name for name in NUMBERS] + [">f8", ">f4", ">i4", ">u2"])
def test_hdf5_storage(tmp_path, storage, dtype):
    matrix = sample_matrix(dtype)

    def write(file):
        add(file, "X", matrix, **STORAGE[storage])
        add(file, "Y", LABELS)

    matlab_file(tmp_path / "a.mat", write)
    assert_same(convert(tmp_path / "a.mat", tmp_path / "b.mat")["X"], matrix)


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}, {"libver": ("earliest", "v108")}, {"track_order": True}])
@pytest.mark.parametrize("user_block", [False, True])
@pytest.mark.parametrize("text", [numpy.bytes_, str])
def test_hdf5_versions(tmp_path, options, user_block, text):
    matrix = sample_matrix()

    def write(file):
        add(file, "data_array", numpy.hstack([matrix, LABELS]), text=text)
        add(file, "tree", TREE, text=text, chunks=(2, 4), compression="gzip")
        for k in range(3):
            file["tree"].attrs[f"more {k}"] = k

    matlab_file(tmp_path / "a.mat", write, user_block, **options)
    found = convert(tmp_path / "a.mat", tmp_path / "b.mat")
    assert_same(found["data_array"], numpy.hstack([matrix, LABELS]))
    assert_same(found["tree"], TREE)


@pytest.mark.parametrize("text", [numpy.bytes_, str])
def test_hdf5_many_variables(tmp_path, text):
    """A group of several tree levels; heaps of many texts."""

    def write(file):
        for k in range(1500):
            add(file, f"other {k}", numpy.ones((1, 1)), text=text)
        add(file, "X", sample_matrix())
        add(file, "Y", LABELS)

    matlab_file(tmp_path / "a.mat", write)
    assert_same(convert(tmp_path / "a.mat", tmp_path / "b.mat")["X"], sample_matrix())


def test_hdf5_sparse_group(tmp_path):
    matrix = scipy.sparse.csc_matrix(sample_matrix())

    def write(file):
        group = file.create_group("X")
        group.attrs["MATLAB_class"] = numpy.bytes_("double")
        group.attrs["MATLAB_sparse"] = numpy.uint64(matrix.shape[0])
        group["data"] = matrix.data
        group["ir"] = matrix.indices.astype("u8")
        group["jc"] = matrix.indptr.astype("u8")
        add(file, "Y", LABELS)

    matlab_file(tmp_path / "a.mat", write)
    found = convert(tmp_path / "a.mat", tmp_path / "b.mat")
    assert scipy.sparse.issparse(found["X"])
    assert_same(found["X"], matrix)


def test_hdf5_cells(tmp_path):
    names = ["one", "", "zwölf", "😀", "one more", "f", "g"]

    def write(file):
        references = file.create_group("#refs#")
        cells = file.create_dataset("feature_names", (1, len(names)), dtype=h5py.ref_dtype)
        cells.attrs["MATLAB_class"] = numpy.bytes_("cell")
        for k, name in enumerate(names):
            codes = numpy.frombuffer(name.encode("utf-16-le"), "<u2")
            data = codes[:, None] if name else numpy.zeros(2, "u8")
            text = references.create_dataset(f"r{k}", data=data)
            text.attrs["MATLAB_class"] = numpy.bytes_("char")
            if not name:
                text.attrs["MATLAB_empty"] = numpy.uint8(1)
            cells[0, k] = text.ref
        add(file, "X", sample_matrix())
        add(file, "Y", LABELS)

    matlab_file(tmp_path / "a.mat", write)
    assert convert(tmp_path / "a.mat", tmp_path / "b.mat")["feature_names"] == names


def test_hdf5_unwritten_chunks_hold_the_fill_value(tmp_path):
    def write(file):
        dataset = file.create_dataset("X", (4, 31), chunks=(2, 8), fillvalue=2.5)
        dataset.attrs["MATLAB_class"] = numpy.bytes_("double")
        dataset[0, 9] = 7
        add(file, "Y", LABELS)

    matlab_file(tmp_path / "a.mat", write)
    expected = numpy.full((31, 4), 2.5)
    expected[9, 0] = 7
    assert_same(convert(tmp_path / "a.mat", tmp_path / "b.mat")["X"], expected)


def add_labels_and(write_features):
    def write(file):
        write_features(file)
        add(file, "Y", LABELS)

    return write


def huge(file):
    dataset = file.create_dataset("X", (10**6, 10**6), chunks=(100, 100), compression="gzip", dtype="f8")
    dataset.attrs["MATLAB_class"] = numpy.bytes_("double")


def unnamed(file):
    file.create_dataset("X", data=sample_matrix().T)


def complex_numbers(file):
    add(file, "X", sample_matrix() + 1j)


REFUSED = {
    "fletcher32": (lambda file: add(file, "X", sample_matrix(), fletcher32=True), {}, "the HDF5 filter fletcher32 is not"),
    "lzf": (lambda file: add(file, "X", sample_matrix(), compression="lzf"), {}, "the HDF5 filter 32000 is not read"),
    "fixed array": (
        lambda file: add(file, "X", sample_matrix(), chunks=(2, 2)),
        {"libver": "latest"},
        "HDF5 fixed-array chunk indexes are not read; save with -v7",
    ),
    "many links": (
        lambda file: [add(file, f"v{k}", LABELS) for k in range(20)],
        {"libver": "latest"},
        "links in a fractal heap are not read; save with -v7",
    ),
    "huge": (huge, {}, "dataset 'X' says it has 8000000000000 bytes, its 0 chunks hold at most 0"),
    "complex": (complex_numbers, {}, "variable 'X' is compound values; expected a matrix of real numbers"),
    "not MATLAB's": (unnamed, {"user_block": False}, "variable 'X' is HDF5 dataset without MATLAB_class"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_hdf5_features_that_are_not_read_are_named(tmp_path, case):
    write, options, message = REFUSED[case]
    matlab_file(tmp_path / "a.mat", add_labels_and(write), **options)
    assert message in error_line("info", tmp_path / "a.mat")


# ---- real data

KNOWN = {  # samples, features, nodes, internal, leaves, height (levels)
    "DD/DDTrain": (3020, 473, 32, 5, 27, 3),
    "DD/DDTest": (605, 473, 32, 5, 27, 3),
    "CLEF/CLEF63": (9307, 80, 88, 25, 63, 4),
    "CLEF/CLEFTrain": (8368, 80, 88, 25, 63, 4),
    "CLEF/CLEFTest": (939, 80, 88, 25, 63, 4),
    "Bridges/Bridges": (108, 11, 8, 2, 6, 3),
    "Bridges/BridgesTrain": (65, 11, 8, 2, 6, 3),
    "Bridges/BridgesTest": (43, 11, 8, 2, 6, 3),
    "SAIAPR/SAIAPRok5000": (5000, 512, 256, 53, 203, 6),
    "News20/News20groupsTrain": (951, 26214, 25, 5, 20, 3),
    "COIL20/COIL20": (1440, 1024, 21, 1, 20, 2),
    "Yale/Yale": (165, 1024, 16, 1, 15, 2),
    "GLIOMA/GLIOMA": (50, 4434, 5, 1, 4, 2),
    "lymphoma/lymphoma": (96, 4026, 10, 1, 9, 2),
    "nci9/nci9": (60, 9712, 10, 1, 9, 2),
}


def real_file(name):
    path = DATA / f"{name}.mat"
    if not path.exists():
        pytest.skip(f"no {path}; CLADE_DATA names the folder of the public data sets")
    return path


@pytest.mark.parametrize("name", KNOWN)
def test_real_data_has_its_counts_and_values(tmp_path, name):
    path = real_file(name)
    summary = run_json("info", path)
    keys = ("samples", "features", "nodes", "internal", "leaves", "height")
    assert tuple(summary[key] for key in keys) == KNOWN[name]
    assert summary["missing_values"] == 0
    original = load(path)
    for options in ([], ["--mat73"]):
        found = convert(path, tmp_path / f"{len(options)}.mat", *options)
        assert sorted(found) == sorted(original)
        for variable in original:
            # The depths that some trees state are wrong: Clade writes those that the parents give.
            columns = slice(0, 1) if variable == "tree" else slice(None)
            assert_same(dense(found[variable])[:, columns], dense(original[variable])[:, columns])


def test_clef_is_the_same_in_both_kinds_of_file(tmp_path):
    whole = convert(real_file("CLEF/CLEF63"), tmp_path / "a.mat")["data_array"]
    train = convert(real_file("CLEF/CLEFTrain"), tmp_path / "b.mat")["data_array"]
    test = convert(real_file("CLEF/CLEFTest"), tmp_path / "c.mat")["data_array"]
    assert_same(train, whole[:8368])
    assert_same(test, whole[8368:])
