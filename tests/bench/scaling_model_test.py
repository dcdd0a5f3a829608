"""The model of more threads: hand-made records whose times are known, bounds that always hold, and a record of the tool."""

import json
import os
import random
import subprocess
import sys

import pytest
from clade_tool import CLADE, SOURCE

sys.path.insert(0, str(SOURCE / "bench" / "scaling"))
from loop_record import Costs, Loop, Pool, flat_loop, least_steps, read_events, seconds_with, work  # noqa: E402

FREE = Costs(awake=0, asleep=0, wake=0, task=0)
SECOND = 10**9


def loop(*tasks):
    made = Loop(0, [task if isinstance(task, list) else [task] for task in tasks])
    made.nested = any(isinstance(step, Loop) for task in made.tasks for step in task)
    return made


def seconds(steps, threads, costs=FREE):
    return seconds_with(steps, threads, costs)


def test_serial_time_stays_and_tasks_are_shared():
    steps = [2 * SECOND, loop(*[SECOND] * 8), SECOND]
    assert [seconds(steps, threads) for threads in (1, 2, 4, 8, 16)] == [11, 7, 5, 4, 4]


def test_tasks_are_taken_in_order():
    # One thread takes 1 and then 3, the other 2: the long task comes last.
    assert seconds([loop(SECOND, 2 * SECOND, 4 * SECOND)], 2) == 5
    assert seconds([loop(4 * SECOND, 2 * SECOND, SECOND)], 2) == 4


def test_threads_without_work_help_with_loops_inside_of_tasks():
    inner = loop(*[SECOND] * 4)
    # The second thread ends its task after one second, and then takes half of what is left of the inner loop.
    assert seconds([loop([inner], [SECOND])], 2) == pytest.approx(3)
    assert seconds([loop([inner], [SECOND])], 4) == pytest.approx(2)
    # A loop inside of the only long task is as good as one outside.
    assert seconds([loop([SECOND, inner], [0])], 4) == pytest.approx(2)


def test_outer_loops_come_first():
    # While tasks of the outer loop are left, nobody helps with the inner ones: 2 threads, 4 tasks of 2 inner seconds.
    assert seconds([loop(*[[loop(SECOND, SECOND)]] * 4)], 2) == pytest.approx(4)


def random_steps(rng, depth):
    steps = []
    for _ in range(rng.randint(1, 4)):
        steps.append(rng.randint(0, SECOND))
        if depth and rng.random() < 0.7:
            steps.append(loop(*[random_steps(rng, depth - 1) for _ in range(rng.randint(2, 9))]))
    return steps


def longest_chain(steps):
    return sum(max(map(longest_chain, step.tasks)) if isinstance(step, Loop) else step for step in steps)


@pytest.mark.parametrize("seed", range(30))
def test_bounds_of_random_runs(seed):
    steps = random_steps(random.Random(seed), 3)
    total, chain = work(steps) / SECOND, longest_chain(steps) / SECOND
    assert seconds(steps, 1) == pytest.approx(total)
    for threads in (2, 3, 16):
        took = seconds(steps, threads)
        assert max(chain, total / threads) <= took * (1 + 1e-9)
        assert took <= total * (1 + 1e-9)
        # What a schedule in which no thread idles while tasks are open takes at most, for loops without loops inside.
        if not any(isinstance(step, Loop) and step.nested for step in steps):
            assert took <= (total - chain) / threads + chain + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_both_ways_to_model_a_plain_loop_agree(seed):
    rng = random.Random(seed)
    plain = loop(*[rng.randint(1, SECOND) for _ in range(rng.randint(2, 60))])
    for threads in (2, 5, 16):
        assert flat_loop(plain, threads, FREE, 0) == pytest.approx(Pool(threads, FREE, 0).run([plain]))


def test_costs_are_paid_by_every_loop():
    costs = Costs(awake=1000, asleep=50_000, wake=0, task=0)
    close = [loop(SECOND, SECOND), 10, loop(SECOND, SECOND)]
    apart = [loop(SECOND, SECOND), SECOND, loop(SECOND, SECOND)]
    assert seconds(close, 2, costs) < seconds(apart, 2, costs) - 1
    assert seconds(apart, 2, costs) == pytest.approx(3, abs=2e-4)
    assert seconds(apart, 2, costs) > 3


def test_a_record_of_the_tool(tmp_path):
    subprocess.run([CLADE, "synth", "-o", tmp_path / "data.npz", "--quiet"], check=True)
    for name in ("first", "second"):
        subprocess.run([CLADE, "select", tmp_path / "data.npz", "--method", "hier-fisher", "-o", tmp_path / "ranking.json", "--force", "--quiet",
                        "--threads", "1"], check=True, env={**os.environ, "CLADE_LOOP_RECORD": str(tmp_path / name)}, stdout=subprocess.DEVNULL)
    records = [read_events(tmp_path / name) for name in ("first", "second")]
    least = least_steps(records)
    assert any(isinstance(step, Loop) for step in least)
    assert 0 < work(least) <= min(sum(times) for _, times in records)


def test_the_script_says_what_is_in_the_way(tmp_path):
    command = [sys.executable, "-B", SOURCE / "bench" / "scaling" / "model.py", CLADE, "synth", "-o", tmp_path / "data.npz", "--force", "--quiet",
               "--where", "16"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "16 threads, modelled: " in done.stdout
    assert "serial: start -> " in done.stdout


def test_a_page_gets_both_tables(tmp_path):
    page, found = tmp_path / "page.md", tmp_path / "found.json"
    page.write_text("<!-- scaling -->\n<!-- end -->\n<!-- modelled -->\n<!-- end -->\n")
    (tmp_path / "clade").symlink_to(CLADE)
    subprocess.run([sys.executable, "-B", SOURCE / "bench" / "scaling" / "run.py", tmp_path, "--threads", "1,2", "--documents", "60", "--samples", "30",
                    "--features", "5", "--rounds", "1", "--only", "train top-down-svm", "--page", page, "--json", found], check=True,
                   capture_output=True)
    assert page.read_text().count("| `train top-down-svm` |") == 2
    assert set(json.loads(found.read_text())["rows"][0]["modelled"]) == {"2", "4", "8", "16"}
