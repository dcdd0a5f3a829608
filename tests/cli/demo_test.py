"""scripts/demo.sh: it runs to its end, and its summary says what its files say."""

import json
import os
import re
import subprocess

from clade_tool import CLADE, SOURCE


def test_the_demonstration(tmp_path):
    folder = tmp_path / "demo"
    process = subprocess.run(["sh", SOURCE / "scripts" / "demo.sh"], capture_output=True, text=True,
                             env={**os.environ, "CLADE": CLADE, "DEMO_FOLDER": str(folder)})
    assert process.returncode == 0, process.stdout + process.stderr
    steps, summary = process.stdout.split("Summary")
    assert len(re.findall(r"^ +\d+\.\d\d  \d\. ", summary, re.M)) == 7
    assert len(re.findall(r"^sample \d: \w+/\w+ ", steps, re.M)) == 3
    for model in ("all", "selected"):
        found = json.loads((folder / f"{model}.json").read_text())
        size = (folder / f"{model}.clade").stat().st_size
        assert re.search(rf"{model} words +{found['accuracy']:.4f} +{found['hierarchical_f1']:.4f} +{size}\n", summary)
        assert 0.5 < found["accuracy"] < found["hierarchical_f1"] < 1
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["all.clade", "all.json", "predictions.csv", "ranking.json", "ranks.svg", "results.csv", "selected.clade",
                    "selected.json", "test.jsonl", "train.jsonl"]
    assert all(f"{name} " in summary for name in left)
