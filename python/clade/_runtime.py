"""The settings of calls into the library: threads, seed, messages and progress."""

from __future__ import annotations

import logging
import os
from typing import Any, Callable, Mapping

import numpy as np

from clade import _core

logger = logging.getLogger("clade")

Progress = Callable[[str, int, int], None]

_progress: Progress | None = None


def set_progress(report: Progress | None) -> Progress | None:
    """Sets who is told of the progress of long calls, with a task, what is done, and the total; returns the former.

    >>> set_progress(lambda task, done, total: print(f"{task}: {done} of {total}")) is None
    True
    >>> former = set_progress(None)
    """
    global _progress
    former, _progress = _progress, report
    return former


def _log(level: str, message: str) -> None:
    logger.log(getattr(logging, level.upper()), message)


def threads_of(n_jobs: int | None) -> int:
    """The number of threads that `n_jobs` asks for, 0 for one per core; it never changes a result.

    None means all cores, or OMP_NUM_THREADS, by which joblib shares the cores among its workers; -1 all cores, -2 all
    but one.
    """
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return int(limit) if limit.isdigit() else 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0 or abs(n_jobs) > 1_000_000:
        raise ValueError(f"n_jobs is {n_jobs!r}; expected a number of threads, or -1 for all cores")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def seed_of(random_state: Any) -> int:
    """The seed of a `random_state`; None is the seed of the command line, 1, so that results repeat."""
    if random_state is None:
        return 1
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**31 - 1))
    if not isinstance(random_state, (int, np.integer)) or not 0 <= random_state < 2**64:
        raise ValueError(f"random_state is {random_state!r}; expected 0 to 2**64 - 1, or a generator of NumPy")
    return int(random_state)


def settings(n_jobs: int | None = None, random_state: Any = None) -> _core.Settings:
    return _core.Settings(threads_of(n_jobs), seed_of(random_state), _log, _progress)


def text_of(value: Any) -> str:
    """A value as a user of the command line would write it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ",".join(text_of(part) for part in value)
    return str(value)


def top_text(count: int | float | str | None) -> str:
    """A number of features, or a share of them, as the command line has it; all of them, None, is an empty text.

    >>> top_text(40), top_text("10%"), top_text(0.1)
    ('40', '10%', '10%')
    """
    if count is None:
        return ""
    if isinstance(count, (float, np.floating)) and 0 < count < 1:
        return f"{float(count) * 100:.15g}%"
    return text_of(count)


def texts_of(values: Mapping[str, Any]) -> dict[str, str]:
    """Options by the names and texts of the command line; None leaves an option at its default.

    >>> texts_of({"top_k": 3, "label_set": None})
    {'top-k': '3'}
    """
    return {name.rstrip("_").replace("_", "-"): text_of(value) for name, value in values.items() if value is not None}
