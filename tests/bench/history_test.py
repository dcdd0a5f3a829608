"""The history of ratios: what counts as worse, which records are compared, and what happens to broken ones."""

import contextlib
import io
import json
import os
import statistics
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from clade_tool import CLADE, SOURCE, run

sys.path.insert(0, str(SOURCE / "bench"))
import check as bench_check  # noqa: E402
import history  # noqa: E402
import ratio as ratios  # noqa: E402

KEPT = history.Ratio("joint", "flat-svm", "liblinear", "text", "processor seconds", 1, "lower", [0.29, 0.30, 0.30, 0.31, 0.33], 0.30, 0.01,
                     "0123456789", "2026-01-01", history.this_processor())


def measured(rounds, **changes):
    return replace(KEPT, rounds=rounds, ratio=sorted(rounds)[len(rounds) // 2], spread=history.spread_of(rounds), **changes)


def written(path, *records):
    history.append(path, records)
    return path


def check(*arguments):
    """The status of `bench/check.py ARGUMENTS`, and what it prints."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = bench_check.main([str(word) for word in arguments])
    return SimpleNamespace(returncode=status, stdout=out.getvalue(), stderr=errors.getvalue())


def ratios_file(path, rounds, **changes):
    """What a benchmark writes."""
    line = {name: getattr(KEPT, name) for name in ("question", "contender", "baseline", "data", "measure", "threads", "better")}
    path.write_text(json.dumps({**line, "rounds": rounds, **changes}) + "\n")
    return path


def test_the_spread_is_that_of_the_middle_rounds():
    assert history.spread_of([5]) == 0
    assert history.spread_of([1, 2, 3, 4, 100]) == 1
    assert history.spread_of([1, 1, 2, 2]) == 0.5


@pytest.mark.parametrize("rounds, worse", [
    ([0.30] * 5, False),
    ([0.329] * 5, False),  # a tenth is always allowed
    ([0.336, 0.337, 0.337, 0.337, 0.338], True),  # 0.3 + 3 x 0.01 < 0.337, and the rounds agree
    ([0.28, 0.33, 0.35, 0.40, 0.50], False),  # they do not agree: 3 x (0.01 + 0.05)
    ([0.52, 0.55, 0.55, 0.58, 0.60], True),
    ([0.1] * 5, False),
])
def test_worse_is_more_than_the_noise(rounds, worse):
    assert history.is_worse(KEPT, measured(rounds)) == worse
    assert history.is_better(KEPT, measured(rounds)) == (rounds == [0.1] * 5)
    # The same of a ratio that should be large.
    upside_down = [0.6 - value for value in rounds]
    assert history.is_worse(replace(KEPT, better="higher"), measured(upside_down, better="higher")) == worse


def test_the_kept_ratio_is_the_last_one_of_this_processor_and_problem():
    later, elsewhere = replace(KEPT, ratio=0.2, rounds=[0.2] * 3), replace(KEPT, ratio=0.1, processor="another")
    kept = history.kept([KEPT, later, elsewhere], KEPT.processor)
    assert kept == {KEPT.key: later}
    for change in ({"question": "x"}, {"contender": "x"}, {"baseline": "x"}, {"data": "x"}, {"measure": "peak memory"}, {"threads": 2}):
        verdict = history.compare(kept, [replace(KEPT, **change)])
        assert (len(verdict.new), verdict.fine, verdict.worse) == (1, [], []), change


def test_few_rounds_say_nothing():
    kept = {KEPT.key: KEPT}
    assert [r.ratio for r in history.compare(kept, [measured([9.0, 9.0])]).unjudged] == [9.0]
    assert len(history.compare(kept, [measured([9.0, 9.0, 9.0])]).worse) == 1


def test_records_survive_being_written(tmp_path):
    path = written(tmp_path / "history.jsonl", KEPT, replace(KEPT, threads=2))
    assert history.read_history(path) == [KEPT, replace(KEPT, threads=2)]
    assert history.read_history(tmp_path / "none.jsonl") == []


def test_a_benchmark_writes_what_the_history_reads(tmp_path, monkeypatch):
    path = tmp_path / "ratios.jsonl"
    monkeypatch.setenv(ratios.VARIABLE, str(path))
    assert ratios.record("joint", "flat-svm", "liblinear", [0.5, 0.25, 0.75], data="text") == 0.5
    assert ratios.record("model", "open", "read", 2, measure="seconds", threads=2) == 2
    first, second = history.read_ratios(path, "c", "2026-01-01", "p")
    assert first == replace(KEPT, rounds=[0.5, 0.25, 0.75], ratio=0.5, spread=0.25, commit="c", processor="p")
    assert (second.ratio, second.spread, second.rounds, second.threads) == (2, 0, [2.0], 2)
    monkeypatch.delenv(ratios.VARIABLE)
    assert ratios.record("joint", "flat-svm", "liblinear", [1.0]) == 1.0
    assert len(path.read_text().splitlines()) == 2


def test_rounds_alternate():
    calls = []
    found = ratios.alternating(3, {name: lambda name=name: calls.append(name) or len(calls) for name in "ab"})
    assert "".join(calls) == "abbaab"
    assert found == {"a": [1, 4, 5], "b": [2, 3, 6]}
    assert ratios.divided([1, 6], [2, 3]) == [0.5, 2]


def test_check_fails_where_a_ratio_is_worse(tmp_path):
    kept = written(tmp_path / "history.jsonl", KEPT)
    bad = check("--history", kept, "--ratios", ratios_file(tmp_path / "bad.jsonl", [0.6, 0.61, 0.62]))
    assert bad.returncode == 1
    assert [line for line in bad.stdout.splitlines() if line.startswith("WORSE")] == [
        "WORSE    joint: flat-svm / liblinear (processor seconds): 0.61, kept 0.3 (2026-01-01, 0123456789), noise up to 0.06"]
    good = check("--history", kept, "--ratios", ratios_file(tmp_path / "good.jsonl", [0.31, 0.30, 0.32]))
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("ok ")


def test_check_says_that_another_processor_was_measured(tmp_path):
    kept = written(tmp_path / "history.jsonl", replace(KEPT, processor="Some Processor"))
    found = check("--history", kept, "--ratios", ratios_file(tmp_path / "bad.jsonl", [0.6, 0.61, 0.62]))
    assert (found.returncode, found.stdout) == (2, "")
    assert len(found.stderr.splitlines()) == 1
    assert f"no ratio of this processor ({history.this_processor()})" in found.stderr and "Some Processor" in found.stderr


def test_check_without_anything_in_common_does_not_pass(tmp_path):
    kept = written(tmp_path / "history.jsonl", KEPT)
    found = check("--history", kept, "--ratios", ratios_file(tmp_path / "r.jsonl", [1.0], question="another"))
    assert found.returncode == 2 and "nothing was compared" in found.stderr
    none = check("--history", tmp_path / "none.jsonl", "--ratios", tmp_path / "r.jsonl")
    assert none.returncode == 2 and "bench-record" in none.stderr


def test_record_appends(tmp_path):
    path = tmp_path / "history.jsonl"
    for rounds in ([0.3, 0.3, 0.3], [0.4, 0.4, 0.4]):
        done = check("--record", "--history", path, "--ratios", ratios_file(tmp_path / "r.jsonl", rounds))
        assert (done.returncode, done.stderr) == (0, "")
    first, second = history.read_history(path)
    assert (first.ratio, second.ratio) == (0.3, 0.4)
    assert history.kept([first, second], history.this_processor())[first.key] is second


COMPLETE = {**{field: getattr(KEPT, field) for field in history.Ratio.__dataclass_fields__}}


@pytest.mark.parametrize("line, message", [
    ("{", "expected a JSON object"),
    ("[1]", "expected a JSON object"),
    (json.dumps({**COMPLETE, "rounds": []}), '"rounds" must be positive numbers'),
    (json.dumps({**COMPLETE, "rounds": [0.1, -1]}), '"rounds" must be positive numbers'),
    (json.dumps({**COMPLETE, "rounds": [0.1, float("nan")]}), '"rounds" must be positive numbers'),
    (json.dumps({**COMPLETE, "ratio": "0.3"}), '"ratio" must be a number'),
    (json.dumps({**COMPLETE, "better": "faster"}), '"better" must be "lower" or "higher"'),
    (json.dumps({**COMPLETE, "colour": 1}), 'unknown "colour"'),
    (json.dumps({name: value for name, value in COMPLETE.items() if name != "processor"}), 'no "processor"'),
])
def test_a_broken_history_is_one_clear_line(tmp_path, line, message):
    path = written(tmp_path / "history.jsonl", KEPT)
    with path.open("a") as file:
        file.write(line + "\n")
    before = path.read_text()
    fine = ratios_file(tmp_path / "r.jsonl", [0.3, 0.3, 0.3])
    for more in ([], ["--record"]):
        found = check("--history", path, "--ratios", fine, *more)
        assert (found.returncode, found.stdout) == (2, "")
        assert found.stderr == f"bench-check: {path}:2: {message}\n"
    assert path.read_text() == before


def test_bad_ratios_are_not_recorded(tmp_path):
    path = tmp_path / "history.jsonl"
    found = check("--record", "--history", path, "--ratios", ratios_file(tmp_path / "r.jsonl", [0.3, "x"]))
    assert found.returncode == 2 and not path.exists()
    assert found.stderr == f'bench-check: {tmp_path / "r.jsonl"}:1: "rounds" must be positive numbers\n'


def test_the_history_in_the_repository_is_sound():
    if not history.PATH.exists():
        pytest.skip("no ratios have been kept yet")
    kept = history.read_history(history.PATH)
    assert kept
    for ratio in kept:
        assert ratio.ratio == pytest.approx(statistics.median(ratio.rounds), rel=1e-3)


def test_the_commit_is_that_of_the_program():
    assert f"commit:    {history.commit_of(CLADE)}\n" in run("--version").stdout
    assert history.commit_of("true") == "unknown"


@pytest.mark.skipif(not os.path.exists("/proc/cpuinfo"), reason="Linux tells its processor there")
def test_the_processor_has_a_name():
    assert "family" in history.this_processor() and len(history.this_processor()) > 20
