"""The history of ratios: bench/history.jsonl, a line of JSON per ratio and measurement, oldest first. A line is what
bench/ratio.py writes, with the median of its rounds ("ratio"), their median absolute deviation ("spread"), and the commit,
date and processor. The kept ratio is the last one of the same processor."""

import datetime
import json
import pathlib
import statistics
import subprocess
from dataclasses import asdict, dataclass, fields

PATH = pathlib.Path(__file__).resolve().parent / "history.jsonl"

SPREADS = 3  # what rounds differ by in the same program is noise: so many spreads of both measurements together
LEAST = 0.1  # and at least this share: no two builds of the same sources differ by less than some per cent
ENOUGH_ROUNDS = 3  # fewer say nothing about the noise


class BadHistory(Exception):
    """Says which line of which file is wrong."""


@dataclass
class Ratio:
    question: str
    contender: str
    baseline: str
    data: str
    measure: str
    threads: int
    better: str
    rounds: list
    ratio: float
    spread: float
    commit: str
    date: str
    processor: str

    @property
    def key(self):
        """What two measurements must share to be compared, but for the processor."""
        return self.question, self.contender, self.baseline, self.data, self.measure, self.threads

    @property
    def name(self):
        threads = "" if self.threads == 1 else f", {self.threads} threads"
        return f"{self.question}: {self.contender} / {self.baseline} ({self.measure}{threads})"


def spread_of(rounds):
    middle = statistics.median(rounds)
    return statistics.median(abs(value - middle) for value in rounds)


def margin(kept, found):
    """How much worse than the kept ratio is still noise."""
    return max(LEAST * kept.ratio, SPREADS * (kept.spread + found.spread))


def loss(kept, found):
    return found.ratio - kept.ratio if kept.better == "lower" else kept.ratio - found.ratio


def is_worse(kept, found):
    return loss(kept, found) > margin(kept, found)


def is_better(kept, found):
    return -loss(kept, found) > margin(kept, found)


def lines_of(path):
    """(place, object) of every line."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadHistory(f"{path}: cannot be read ({error})") from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found = json.loads(line)
            except ValueError:
                found = None
            if not isinstance(found, dict):
                raise BadHistory(f"{path}:{number}: expected a JSON object")
            yield f"{path}:{number}", found


def checked(place, line):
    """A Ratio of a complete line."""
    known = {field.name: field.type for field in fields(Ratio)}
    for name in known:
        if name not in line:
            raise BadHistory(f'{place}: no "{name}"')
    for name in set(line) - set(known):
        raise BadHistory(f'{place}: unknown "{name}"')
    rounds = line["rounds"] if isinstance(line["rounds"], list) else []
    if not rounds or not all(isinstance(value, (int, float)) and 0 < value < float("inf") for value in rounds):
        raise BadHistory(f'{place}: "rounds" must be positive numbers')
    for name in ("ratio", "spread"):
        if not isinstance(line[name], (int, float)):
            raise BadHistory(f'{place}: "{name}" must be a number')
    if line["better"] not in ("lower", "higher"):
        raise BadHistory(f'{place}: "better" must be "lower" or "higher"')
    return Ratio(**line)


def read_history(path):
    return [checked(place, line) for place, line in lines_of(path)] if path.exists() else []


def read_ratios(path, commit, date, processor):
    """What a run of benchmarks has recorded, as measured now."""
    found = []
    for place, line in lines_of(path):
        rounds = line.get("rounds")
        numbers = [value for value in rounds if isinstance(value, (int, float))] if isinstance(rounds, list) else []
        middle, spread = (statistics.median(numbers), spread_of(numbers)) if numbers else (0, 0)
        found.append(checked(place, {**line, "ratio": float(f"{middle:.4g}"), "spread": float(f"{spread:.2g}"), "commit": commit,
                                     "date": date, "processor": processor}))
    return found


def append(path, ratios):
    with open(path, "a") as file:
        for ratio in ratios:
            file.write(json.dumps(asdict(ratio)) + "\n")


def kept(history, processor):
    """The last ratio of every key on this processor."""
    return {ratio.key: ratio for ratio in history if ratio.processor == processor}


@dataclass
class Verdict:
    worse: list  # (kept, found)
    fine: list  # (kept, found)
    unjudged: list  # found: too few rounds in one of the two
    new: list  # found: nothing kept


def compare(kept_ratios, found):
    verdict = Verdict([], [], [], [])
    for ratio in found:
        before = kept_ratios.get(ratio.key)
        if before is None:
            verdict.new.append(ratio)
        elif min(len(before.rounds), len(ratio.rounds)) < ENOUGH_ROUNDS:
            verdict.unjudged.append(ratio)
        else:
            (verdict.worse if is_worse(before, ratio) else verdict.fine).append((before, ratio))
    return verdict


def this_processor():
    """The model; virtual machines hide its number behind a name of the family."""
    found = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    return f"{found.get('model name', 'unknown')}, family {found.get('cpu family', '?')}, model {found.get('model', '?')}"


def commit_of(tool):
    """What a program says that it was built from."""
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    return next((line.split()[1] for line in version.splitlines() if line.startswith("commit:")), "unknown")


def this_commit():
    """Of the sources."""
    folder = pathlib.Path(__file__).resolve().parent
    described = subprocess.run(["git", "-C", folder, "describe", "--always", "--dirty", "--abbrev=10"], capture_output=True,
                               text=True, check=False)
    return described.stdout.strip() or "unknown"


def today():
    return datetime.date.today().isoformat()
