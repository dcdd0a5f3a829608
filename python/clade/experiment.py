"""Many recipes on many data sets: running them, and what came out, as frames, comparisons and pages."""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence
from urllib.parse import quote

from clade import _core, html
from clade._optional import frame, needed
from clade._persist import scratch_file
from clade._runtime import logger, settings, texts_of
from clade._toml import toml_places, toml_text
from clade.statistics import Comparison, compare

__all__ = ["Estimate", "Experiment", "estimate_experiment", "run_experiment"]

# Keys of a data set that name files, which are looked for beside the experiment file.
_FILE_KEYS = ("file", "train", "test", "fold-file", "select-on", "taxonomy", "labels-file", "label-map")

_MOST_ROWS = 40  # of the table that a notebook shows
_GROUP = ("dataset", "recipe", "cells", "seconds_per_cell", "memory_bytes")


class Experiment:
    """The results in the folder of an experiment, finished or under way.

    Parameters
    ----------
    folder : str or path
        What ``clade experiment -o`` or :func:`run_experiment` wrote.

    Attributes
    ----------
    folder : pathlib.Path
    outcome : dict
        What the run said at its end: ``cells``, ``resumed``, ``failed``, ``seconds``; empty if it was not run here.
    """

    def __init__(self, folder: str | os.PathLike[str], outcome: Mapping[str, Any] | None = None) -> None:
        self.folder = Path(folder)
        self.outcome = dict(outcome or {})
        if not self.results_file.is_file():
            raise _core.InputError(f"{self.folder}: no results.csv; expected the folder of an experiment")

    @property
    def results_file(self) -> Path:
        return self.folder / "results.csv"

    @property
    def results(self) -> Any:
        """A frame with a row per cell, fold and measure."""
        return needed("pandas", "frames").read_csv(self.results_file, keep_default_na=False, na_values={"value": [""]})

    @property
    def summary(self) -> dict[str, Any]:
        """What summary.json has: means, tests, failures, and what was run."""
        found: dict[str, Any] = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
        return found

    @property
    def measures(self) -> list[str]:
        return list(self.summary["measures"])

    @property
    def values(self) -> Any:
        """A frame with the mean and the deviation of each method on each data set, for each measure."""
        return frame(self.summary["values"], ["measure", "dataset", "method", "mean", "deviation", "folds", "best"])

    @property
    def failures(self) -> list[Any]:
        """The cells that failed, with their errors."""
        return list(self.summary["failed"])

    @property
    def tables(self) -> str:
        """The tables of all measures, as Markdown."""
        return (self.folder / "tables.md").read_text(encoding="utf-8")

    def table(self, measure: str | None = None) -> Any:
        """A frame of means with a row per method and a column per data set.

        Parameters
        ----------
        measure : str, optional
            By default the first of the experiment.
        """
        chosen = self._measure(measure)
        entries = [entry for entry in self.summary["values"] if entry["measure"] == chosen]
        methods = list(dict.fromkeys(entry["method"] for entry in entries))
        datasets = list(dict.fromkeys(entry["dataset"] for entry in entries))
        table = frame(entries, ["method", "dataset", "mean"]).pivot(index="method", columns="dataset", values="mean")
        return table.reindex(index=methods, columns=datasets)

    def compare(self, measure: str | None = None, **options: Any) -> Comparison:
        """Compares the methods over the data sets; `options` are those of :func:`clade.compare`."""
        return compare(str(self.results_file), self._measure(measure), **options)

    def report(self, title: str = "", measures: Sequence[str] = (), height: int = 700) -> html.Page:
        """The page that ``clade report`` writes: tables, tests, and figures.

        Parameters
        ----------
        title : str
            By default the name of the experiment's file.
        measures : sequence of str
            By default all.
        height : int
            Of the frame in a notebook, in pixels.
        """
        page, notes = _core.experiment_page(str(self.folder), title, list(measures), settings())
        return html.Page(page, title or str(self.folder), notes, height)

    def _measure(self, measure: str | None) -> str:
        known = self.measures
        if measure is None:
            return known[0]
        if measure not in known:
            raise ValueError(f"no measure {measure!r} in {self.folder}; expected one of {', '.join(known)}")
        return measure

    def __repr__(self) -> str:
        return f"<Experiment of {self.summary['cells']} cells in {str(self.folder)!r}>"

    def __str__(self) -> str:
        return self.tables

    def _repr_html_(self) -> str:
        # The whole page would make notebooks large; this is what fits on a screen.
        summary = self.summary
        first = self.measures[0] if self.measures else ""
        means = {(v["method"], v["dataset"]): v["mean"] for v in summary["values"] if v["measure"] == first}
        methods = list(dict.fromkeys(method for method, _ in means))
        datasets = list(dict.fromkeys(dataset for _, dataset in means))
        rows = [[method, *(means.get((method, name)) for name in datasets)] for method in methods[:_MOST_ROWS]]
        text = html.table(["method", *datasets], rows, f"{first}, means over folds" if first else "")
        left_out = len(methods) - len(rows)
        more = f"{left_out} more methods. " if left_out else ""
        failed = f"{len(summary['failed'])} of {summary['cells']} cells failed. " if summary["failed"] else ""
        tables = self.folder / "tables.md"
        address = tables.as_uri() if tables.is_absolute() else quote(tables.as_posix())
        link = f'<a href="{html.escaped(address)}" target="_blank">all measures</a>'
        rest = f"Tables of {link}; <code>.report()</code> shows the page with tests and figures."
        return f"{text}<p>{more}{failed}{rest}</p>"


def run_experiment(
    experiment: str | os.PathLike[str] | Mapping[str, Any],
    folder: str | os.PathLike[str],
    *,
    resume: bool = False,
    memory: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Experiment:
    """Runs all cells of an experiment; one that was interrupted goes on where it stopped.

    Parameters
    ----------
    experiment : str, path or dict
        An experiment file, or what would stand in it: ``{"data": [{...}], "recipe": [{...}], ...}``, with underscores
        or dashes in keys. Files that a dict names are looked for in the current folder.
    folder : str or path
        Where results go; new or empty, unless it resumes.
    resume : bool
        Whether to go on with a run that was interrupted.
    memory : str, optional
        Memory for everything, such as ``"4G"``.
    n_jobs, random_state
        Threads, which change no result, and the seed if the experiment has none.

    Returns
    -------
    Experiment
        Its results. Cells that failed are listed in its ``failures``, and a warning is logged.
    """
    options = texts_of({"resume": resume, "memory": memory})
    with _experiment_file(experiment) as path:
        outcome = _core.run_experiment(path, os.fspath(folder), options, settings(n_jobs, random_state))
    found = Experiment(folder, json.loads(outcome))
    if found.failures:
        first = found.failures[0]
        count = len(found.failures)
        logger.warning("%d of the cells failed, the first one %s: %s", count, first["cell"], first["error"])
    return found


@dataclass(frozen=True)
class Estimate:
    """What an experiment would do, and take.

    Attributes
    ----------
    cells : list of str
        All cells in words.
    seconds : float
        How long all of them would take.
    threads : int
        On so many threads.
    """

    cells: list[str]
    seconds: float
    threads: int
    _groups: list[dict[str, Any]] = field(repr=False)

    @property
    def groups(self) -> Any:
        """A frame of the recipes on each data set: the number of cells, and the time and memory of one."""
        return frame(self._groups, list(_GROUP))

    def __repr__(self) -> str:
        cells, threads = _count(len(self.cells), "cell"), _count(self.threads, "thread")
        return f"<Estimate: {cells}, {self.seconds:.3g} s on {threads}>"

    def _repr_html_(self) -> str:
        rows = [[*(group[name] for name in _GROUP[:-1]), group["memory_bytes"] / 2**20] for group in self._groups]
        return html.table([*_GROUP[:-1], "memory_mib"], rows, repr(self)[1:-1])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def estimate_experiment(
    experiment: str | os.PathLike[str] | Mapping[str, Any], *, n_jobs: int | None = None, random_state: Any = None
) -> Estimate:
    """Tries one cell of every recipe on every data set with few samples, and says what all would take."""
    with _experiment_file(experiment) as path:
        found = json.loads(_core.estimate_experiment(path, settings(n_jobs, random_state)))
    return Estimate(found["cells"], found["seconds"], found["threads"], found["groups"])


@contextlib.contextmanager
def _experiment_file(experiment: str | os.PathLike[str] | Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(experiment, Mapping):
        yield os.fspath(experiment)
        return
    document = dict(experiment)
    written: dict[str, str] = {}  # keys as the user wrote them
    for several, one in (("recipes", "recipe"), ("taxonomies", "taxonomy")):
        if several in document and one not in document:
            document[one] = document.pop(several)
            written[one] = several
    # The library misses lists that are not there, but takes empty ones.
    document = {key: value for key, value in document.items() if key not in ("data", "recipe") or len(value) > 0}
    if "data" in document:
        if isinstance(document["data"], Mapping) or not all(isinstance(entry, Mapping) for entry in document["data"]):
            raise ValueError("experiment['data'] is no list of dicts; expected one dict per data set")
        document["data"] = [_with_whole_paths(entry) for entry in document["data"]]
    with scratch_file("experiment.toml") as path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(toml_text(document))
        try:
            yield path
        except _core.InputError as error:
            raise _core.InputError(_in_dict(str(error), path, toml_places(document, written))) from None


def _in_dict(message: str, path: str, places: Sequence[str]) -> str:
    """An error of the file that was made of a dict, which is gone when the user reads it, with the keys instead.

    >>> _in_dict("/tmp/x:2: no key 'c'; expected one", "/tmp/x", ["", "['recipe'][0]"])
    "experiment['recipe'][0]: no key 'c'; expected one"
    """

    def place(match: re.Match[str]) -> str:
        line = int(match[1] or 0)
        return "experiment" + (places[line - 1] if 0 < line <= len(places) else "")

    found = re.sub(re.escape(path) + r"(?::(\d+))?", place, message)
    found = re.sub(r"no \[\[(\w+)\]\]", r"no '\1'", found)
    return found.replace("expected one, beside this file", "expected one; a path is relative to the current folder")


def _with_whole_paths(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _whole(value) if str(key).replace("_", "-") in _FILE_KEYS else value for key, value in entry.items()}


def _whole(path: Any) -> Any:
    """A list of files, which a grid has, stays one; ${NAME} begins with a whole path already."""
    if isinstance(path, (list, tuple)):
        return [_whole(part) for part in path]
    text = os.fspath(path)
    return text if not text or text.startswith("${") else os.path.abspath(text)
