"""clade evaluate: labels at the root, above others, and none."""

from clade_tool import error_line, run, run_json
from evaluation_cases import FIRST, PERFECT, RANKING, Case, Graph, close


def test_a_taxonomy_of_the_root_alone(tmp_path):
    (tmp_path / "tree.json").write_text('["all"]')
    (tmp_path / "data.csv").write_text("x,label\n1,all\n2,all\n")
    (tmp_path / "predictions.csv").write_text("sample,label\n0,all\n1,all\n")
    found = run_json("evaluate", "--predictions", tmp_path / "predictions.csv", tmp_path / "data.csv",
                     "--taxonomy", tmp_path / "tree.json", "--breakdown", "--bootstrap", "--resamples", 10)
    assert {name: found[name] for name in PERFECT} == PERFECT
    assert found["levels"] == [] and len(found["nodes"]) == 1


def test_the_root_as_a_label(tmp_path):
    graph = Graph([[], [0], [0], [1]])
    case = Case(graph, [{"n0"}, {"n3"}, {"n0"}], [[("n0", 1.0)], [("n0", 1.0)], [("n2", 1.0)]])
    found = run_json(*case.write(tmp_path), "--average", "samples")
    close(found["accuracy"], 1 / 3)
    # Nothing predicted where nothing was asked for is right; nothing where something was asked for has precision 0.
    close([found[f"hierarchical_{m}"] for m in ("precision", "recall", "f1")], [1 / 3, 1 / 3, 1 / 3])
    close(found["tie"], (0 + 2 + 1) / 3)
    close(found["hierarchical_accuracy"], 1 / 3)
    counted = run_json(*case.write(tmp_path), "--average", "samples", "--count-root")
    close([counted[f"hierarchical_{m}"] for m in ("precision", "recall", "f1")],
          [(1 + 1 + 1 / 2) / 3, (1 + 1 / 3 + 1) / 3, (1 + 1 / 2 + 2 / 3) / 3])


def test_labels_above_others_are_implied(tmp_path):
    graph = Graph([[], [0], [1], [1], [0]])
    plain = Case(graph, [{"n2"}, {"n2", "n4"}], [[("n2", 3.0)], [("n4", 3.0), ("n3", 2.0)]])
    paths = Case(graph, [{"n2", "n1", "n0"}, {"n2", "n1", "n4"}],
                 [[("n2", 3.0), ("n1", 2.0), ("n0", 1.0)], [("n4", 3.0), ("n3", 2.0), ("n1", 1.5), ("n0", 1.0)]])
    expected = run_json(*plain.write(tmp_path), "--label-set", "all")
    found = run_json(*paths.write(tmp_path), "--label-set", "all")
    listed = [*RANKING, *FIRST]
    assert {k: v for k, v in found.items() if k not in listed} == {k: v for k, v in expected.items() if k not in listed}


def test_samples_without_a_label_are_left_out_and_counted(tmp_path):
    graph = Graph([[], [0], [0], [1]])
    case = Case(graph, [{"n3"}, set(), {"n2"}], [[("n3", 1.0)], [("n3", 1.0)], [("n3", 1.0)]])
    process = run(*case.write(tmp_path), "--json")
    assert "samples without a label, left out: 1" in process.stderr
    found = run_json(*case.write(tmp_path), "--breakdown")
    assert found["samples"] == 2 and found["accuracy"] == 0.5
    assert found["notes"] == ["samples without a label, left out: 1"]
    none = Case(graph, [set(), set()], [[("n3", 1.0)]] * 2)
    line = error_line(*none.write(tmp_path), "--quiet")
    assert "the data has no labelled sample" in line
