"""clade evaluate: the true labels of real data are perfect predictions."""

import csv
import io

import pytest
from clade_tool import DATA, run, run_json
from evaluation_cases import PERFECT, close


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no data sets in {DATA}: set CLADE_DATA")
@pytest.mark.parametrize("path", ["DD/DDTest.mat", "cellcycle_GO/cellcycle_GO.test.arff", "Enron/Enron_corr_test.arff"])
def test_the_true_labels_of_real_data_are_perfect(tmp_path, path):
    if not (DATA / path).exists():
        pytest.skip(f"no {path} in {DATA}: set CLADE_DATA to the folder of data sets")
    text = run("convert", DATA / path, "-o", "/dev/stdout", "--to", "csv", "--missing", "keep", "--quiet").stdout
    rows = list(csv.reader(io.StringIO(text)))
    with open(tmp_path / "predictions.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample", "rank", "label"])
        for sample, row in enumerate(rows[1:]):
            writer.writerows([sample, rank, label] for rank, label in enumerate(row[-1].split(";"), 1))
    found = run_json("evaluate", "--predictions", tmp_path / "predictions.csv", DATA / path, "--breakdown")
    assert found["samples"] == len(rows) - 1
    for name, value in PERFECT.items():
        close(found[name], value, name)
    assert all(level["right"] == level["samples"] for level in found["levels"])
    assert found["most_frequent_confusions"] == []
