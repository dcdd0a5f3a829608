#!/usr/bin/python3
"""Has a ratio become worse than the kept one by more than its noise?

    bench/check.py BUILD_TREE [--record] [--only REGEX] [--rounds N]
    bench/check.py --ratios FILE [--record]

Measures the quick forms of the ratios (bench/quick.py, minutes), or takes those that a run of scripts/bench.sh has left in
FILE, and compares them with the last ones in bench/history.jsonl that were measured on the same kind of processor. What
seems worse is measured once more. Ends with status 1 if a ratio is worse, 2 if there is nothing to compare with. With
--record, nothing is compared: the ratios are added to the history.

A ratio is the median of its rounds, and its spread their median absolute deviation. Worse is: by more than a tenth, and by
more than three times both spreads together."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import history  # noqa: E402
import ratio as ratios  # noqa: E402


def measured(arguments, only, rounds):
    """The quick ratios of questions that match, as data."""
    import quick  # loads scikit-learn

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratios.jsonl"
        path.touch()
        os.environ[ratios.VARIABLE] = str(path)
        tool = Path(arguments.tree).resolve() / "clade"
        quick.run(tool, Path(folder), rounds, only)
        return read(path, history.commit_of(tool))


def read(path, commit):
    return history.read_ratios(path, commit, history.today(), history.this_processor())


def ratios_of(arguments):
    if arguments.ratios:
        return read(arguments.ratios, history.this_commit())
    return measured(arguments, arguments.only, arguments.rounds)


def show(word, before, found):
    print(f"{word:8} {found.name}: {found.ratio:.3g}, kept {before.ratio:.3g} ({before.date}, {before.commit}), noise up to "
          f"{history.margin(before, found):.2g}")


def check(arguments):
    path, processor = arguments.history, history.this_processor()
    known = history.read_history(path)
    kept = history.kept(known, processor)
    if not kept:
        others = sorted({ratio.processor for ratio in known})
        raise history.BadHistory(f"{path}: no ratio of this processor ({processor}); "
                                 + (f"those of {'; '.join(others)} cannot be compared. " if others else "")
                                 + "`make bench-record` keeps the ratios of this one")
    verdict = history.compare(kept, ratios_of(arguments))
    if verdict.worse and not arguments.ratios:
        questions = sorted({found.question for _, found in verdict.worse})
        print(f"once more: {', '.join(questions)}", flush=True)
        suspects = {found.key for _, found in verdict.worse}
        again = measured(arguments, "^(" + "|".join(questions) + ")$", 2 * arguments.rounds)
        second = history.compare(kept, [found for found in again if found.key in suspects])
        verdict.worse, verdict.fine = second.worse, verdict.fine + second.fine
    for before, found in verdict.fine:
        show("better" if history.is_better(before, found) else "ok", before, found)
    for found in verdict.new:
        print(f"new      {found.name}: {found.ratio:.3g}")
    for found in verdict.unjudged:
        print(f"unjudged {found.name}: {found.ratio:.3g}, from fewer than {history.ENOUGH_ROUNDS} rounds")
    for before, found in verdict.worse:
        show("WORSE", before, found)
    if not verdict.fine and not verdict.worse:
        raise history.BadHistory(f"nothing was compared: {path} has none of these ratios, measured in at least {history.ENOUGH_ROUNDS} rounds")
    return 1 if verdict.worse else 0


def keep(arguments):
    history.read_history(arguments.history)  # a broken one is not made longer
    found = ratios_of(arguments)
    history.append(arguments.history, found)
    print(f"{len(found)} ratios added to {arguments.history}")
    return 0


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", default="build/release")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ratios", type=Path)
    parser.add_argument("--history", type=Path, default=history.PATH)
    arguments = parser.parse_args(words)
    try:
        return keep(arguments) if arguments.record else check(arguments)
    except history.BadHistory as error:
        print(f"bench-check: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
