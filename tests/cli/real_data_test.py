"""Public data sets load with the counts that are known of them. Skipped where the data is not there (CLADE_DATA)."""

import numpy
import pytest
from clade_tool import DATA, run, run_json

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data sets in {DATA}: set CLADE_DATA")

# set: files with their samples; features, nodes, internal nodes, leaves, edges on the longest path, kind,
# most specific labels per sample over all files (None: one each), missing values over all files
HIERARCHICAL = {
    "DD": (["DD/DDTrain.mat:3020", "DD/DDTest.mat:605"], 473, 32, 5, 27, 2, "tree", None, 0),
    "CLEF": (["CLEF/CLEFTrain.mat:8368", "CLEF/CLEFTest.mat:939"], 80, 88, 25, 63, 3, "tree", None, 0),
    "CLEF63": (["CLEF/CLEF63.mat:9307"], 80, 88, 25, 63, 3, "tree", None, 0),
    "Bridges": (["Bridges/BridgesTrain.mat:65", "Bridges/BridgesTest.mat:43"], 11, 8, 2, 6, 2, "tree", None, 0),
    "BridgesAll": (["Bridges/Bridges.mat:108"], 11, 8, 2, 6, 2, "tree", None, 0),
    "SAIAPR": (["SAIAPR/SAIAPRok5000.mat:5000"], 512, 256, 53, 203, 5, "tree", None, 0),
    "News20": (["News20/News20groupsTrain.mat:951"], 26214, 25, 5, 20, 2, "tree", None, 0),
    "ImCLEF07A": (["ImCLEF07A/ImCLEF07A_Train.arff:10000", "ImCLEF07A/ImCLEF07A_Test.arff:1006"], 80, 97, 34, 63, 3,
                  "tree", None, 0),
    "Diatoms": (["Diatoms/Diatoms_train.arff:2065", "Diatoms/Diatoms_test.arff:1054"], 371, 399, 88, 311, 3, "tree",
                None, 0),
    "Enron": (["Enron/Enron_corr_trainvalid.arff:988", "Enron/Enron_corr_test.arff:660"], 1001, 57, 5, 52, 3, "tree",
              2.87, 0),
}
for name, samples, features, missing, shape, labels in [
        ("cellcycle_GO", (1625, 848, 1278), 77, 16136, (4126, 2085, 2041, 14, "dag"), 4.97),
        ("eisen_GO", (1055, 528, 835), 79, 3686, (3574, 1867, 1707, 14, "dag"), 5.17),
        ("gasch1_GO", (1631, 846, 1281), 173, 18067, (4126, 2085, 2041, 14, "dag"), 4.97),
        ("gasch2_GO", (1636, 849, 1288), 52, 6975, (4132, 2089, 2043, 14, "dag"), 4.97),
        ("cellcycle_FUN", (1628, 848, 1281), 77, 16122, (500, 176, 324, 6, "tree"), 3.23),
        ("eisen_FUN", (1058, 529, 837), 79, 3697, (462, 166, 296, 6, "tree"), 3.40),
        ("gasch1_FUN", (1634, 846, 1284), 173, 18064, (500, 176, 324, 6, "tree"), 3.22),
        ("gasch2_FUN", (1639, 849, 1291), 52, 6972, (500, 176, 324, 6, "tree"), 3.22)]:
    parts = [f"{name}/{name}.{part}.arff:{count}" for part, count in zip(("train", "valid", "test"), samples)]
    HIERARCHICAL[name] = (parts, features, *shape, labels, missing)

FLAT = {
    "3sources/3sources_bbc.mtx": (352, 3560, 6),
    "3sources/3sources_guardian.mtx": (302, 3631, 6),
    "3sources/3sources_reuters.mtx": (294, 3068, 6),
    "COIL20/COIL20.mat": (1440, 1024, 20),
    "Yale/Yale.mat": (165, 1024, 15),
    "GLIOMA/GLIOMA.mat": (50, 4434, 4),
    "lymphoma/lymphoma.mat": (96, 4026, 9),
    "nci9/nci9.mat": (60, 9712, 9),
}


@pytest.mark.parametrize("name", HIERARCHICAL)
def test_hierarchical_sets(name):
    files, features, nodes, internal, leaves, longest, kind, labels, missing = HIERARCHICAL[name]
    total = total_labels = total_missing = 0
    for entry in files:
        path, samples = entry.rsplit(":", 1)
        found = run_json("info", DATA / path)
        assert found["samples"] == int(samples), path
        assert found["features"] == features, path
        assert (found["nodes"], found["internal"], found["leaves"]) == (nodes, internal, leaves), path
        assert (found["longest_path"], found["height"], found["kind"]) == (longest, longest + 1, kind), path
        total += found["samples"]
        total_labels += found["labels_per_sample"] * found["samples"]
        total_missing += found["missing_values"]
    assert total_missing == missing
    assert round(total_labels / total, 2) == (labels or 1.0)


@pytest.mark.parametrize("path", FLAT)
def test_flat_sets(path):
    found = run_json("info", DATA / path)
    samples, features, classes = FLAT[path]
    assert (found["samples"], found["features"], found["leaves"]) == (samples, features, classes)
    assert (found["nodes"], found["internal"], found["height"]) == (classes + 1, 1, 2)


def test_shortest_levels_are_those_of_the_papers():
    for name, levels in (("cellcycle_GO", 12), ("eisen_GO", 11), ("gasch2_GO", 12)):
        assert run_json("info", DATA / name / f"{name}.train.arff")["shortest_path"] == levels


def test_oddities_are_reported():
    clef = run_json("info", DATA / "CLEF/CLEF63.mat")
    assert clef["leaves_without_sample"] == 5
    saiapr = run_json("info", DATA / "SAIAPR/SAIAPRok5000.mat")
    assert saiapr["inner_label_samples"] == 970 and saiapr["leaves_without_sample"] == 45
    assert saiapr["constant_features"] == 63
    diatoms = [run_json("info", DATA / f"Diatoms/Diatoms_{part}.arff")["inner_label_samples"] for part in ("train", "test")]
    assert sum(diatoms) == 186
    news = run_json("info", DATA / "News20/News20groupsTrain.mat")
    assert news["storage"] == "sparse" and news["constant_features"] == 11555


def test_raw_text():
    news = DATA / "newsgroups20/20news-bydate.tar.xz"
    for under, samples in (("20news-bydate-train", 11314), ("20news-bydate-test", 7532)):
        found = run_json("info", news, "--under", under)
        assert (found["samples"], found["leaves"]) == (samples, 20)
    sport = run_json("info", DATA / "BBCSport/bbcsport.tar.xz")
    assert (sport["samples"], sport["leaves"]) == (737, 5)
    nothing_dropped = ("--stop-words", "none", "--min-length", 1, "--min-documents", 1)
    webkb = run_json("info", DATA / "WebKB4/WebKB.clean.txt", "--labels-file", DATA / "WebKB4/WebKB.txt", *nothing_dropped)
    assert (webkb["samples"], webkb["features"], webkb["leaves"]) == (4199, 7772, 4)
    rcv1 = run_json("info", DATA / "RCV1/rcv1_dev.hierar.json", "--taxonomy", DATA / "RCV1/rcv1.taxonomy", "--keep-case",
                    *nothing_dropped)
    assert (rcv1["samples"], rcv1["features"]) == (2316, 32272)
    assert (rcv1["nodes"], rcv1["internal"], rcv1["leaves"], rcv1["longest_path"]) == (104, 22, 82, 4)
    assert rcv1["inner_label_samples"] == 544 and round(rcv1["labels_per_sample"], 2) == 1.45


def test_taxonomies():
    wos = run_json("info", DATA / "WOS/wos.taxonomy")
    assert (wos["nodes"], wos["internal"], wos["leaves"], wos["height"]) == (142, 8, 134, 3)


@pytest.mark.parametrize("path", ["DD/DDTest.mat", "CLEF/CLEFTest.mat", "Enron/Enron_corr_test.arff",
                                  "eisen_GO/eisen_GO.valid.arff", "gasch1_FUN/gasch1_FUN.valid.arff",
                                  "Diatoms/Diatoms_test.arff", "3sources/3sources_bbc.mtx", "Yale/Yale.mat"])
def test_round_trips_through_every_format(path, tmp_path):
    reference = tmp_path / "reference.npz"
    run("convert", DATA / path, "-o", reference, "--missing", "keep")
    for ending in ("svm", "csv", "arff", "mat", "mtx", "npy", "svm.zst"):
        there, back = tmp_path / f"there.{ending}", tmp_path / f"back.{ending}.npz"
        run("convert", reference, "-o", there, "--missing", "keep")
        run("convert", there, "-o", back, "--missing", "keep", "--storage", run_json("info", reference)["storage"])
        if ending == "arff":  # its edges name parents first, so the order of first mention changes, and nothing else
            assert content(back) == content(reference)
        else:
            assert back.read_bytes() == reference.read_bytes(), ending


def content(path):
    """Values, names, labels by name and edges by name."""
    file = numpy.load(path)
    names = file["node_names"].tolist()
    labels = [names[k] for k in file["label_indices"]]
    arrays = {key: file[key].tobytes() for key in file.files if key not in ("node_names", "edges", "label_indices")}
    bounds = file["label_indptr"]
    return (arrays, sorted(names), sorted((names[parent], names[child]) for parent, child in file["edges"]),
            [sorted(labels[begin:end]) for begin, end in zip(bounds, bounds[1:])])
