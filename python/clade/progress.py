"""A bar that shows how far long calls have come, in a terminal or a notebook."""

from __future__ import annotations

import html
import shutil
import sys
import threading
import time
from types import TracebackType
from typing import Any, TextIO

from clade import _runtime

__all__ = ["progress_bar"]

_INTERVAL = 0.1  # seconds between two pictures of the same task
_BAR = 30  # characters


class progress_bar:
    """Shows the progress of calls inside a `with` block: in place on standard error, or in the output of a notebook.

    Where standard error is no terminal, nothing is written.

    Parameters
    ----------
    file : text stream, optional
        Where to draw, terminal or not.

    Examples
    --------
    >>> import io
    >>> stream = io.StringIO()
    >>> with progress_bar(file=stream) as bar:
    ...     bar("training", 1, 4)
    >>> "training" in stream.getvalue() and "25 %" in stream.getvalue()
    True
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self._picture: _Picture | None = None
        self._file = file
        self._lock = threading.Lock()
        self._former: _runtime.Progress | None = None
        self._task = ""
        self._begin = 0.0
        self._next = 0.0

    def __enter__(self) -> progress_bar:
        self._picture = _picture_for(self._file)
        self._task = ""
        self._former = _runtime.set_progress(self)
        if self._picture is None:
            _runtime.set_progress(self._former)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _runtime.set_progress(self._former)
        if self._picture is not None:
            self._picture.close()

    def __call__(self, task: str, done: int, total: int) -> None:
        with self._lock:  # calls of several threads may report at once
            now = time.monotonic()
            if task != self._task or done == 0:
                self._task, self._begin, self._next = task, now, now
            if self._picture is None or (now < self._next and done < total):
                return
            self._next = now + _INTERVAL
            self._picture.show(task, done, total, now - self._begin)


class _Picture:
    def show(self, task: str, done: int, total: int, seconds: float) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class _Line(_Picture):
    """One line of a terminal, written again and again; removed in the end, so that nothing of it is left."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._width = 0

    def show(self, task: str, done: int, total: int, seconds: float) -> None:
        share = min(1.0, done / total) if total > 0 else 0.0
        filled = int(share * _BAR)
        line = f"{task} [{'#' * filled}{'.' * (_BAR - filled)}] {share:4.0%}".replace("%", " %")
        line += f"  {_times(done, total, seconds)}"
        line = line[: shutil.get_terminal_size().columns - 1]
        self._stream.write("\r" + line + " " * max(0, self._width - len(line)))
        self._stream.flush()
        self._width = len(line)

    def close(self) -> None:
        if self._width > 0:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0


class _Display(_Picture):
    """An output of a notebook that is updated in place, and emptied in the end."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, task: str, done: int, total: int, seconds: float) -> None:
        share = min(1.0, done / total) if total > 0 else 0.0
        self._draw(
            f'<div>{html.escape(task)} <progress value="{share:.4f}" max="1" style="width: 20em"></progress> '
            f"{100 * share:.0f} % {_times(done, total, seconds)}</div>"
        )

    def close(self) -> None:
        if self._handle is not None:
            self._draw("")

    def _draw(self, text: str) -> None:
        from IPython import display

        if self._handle is None:
            self._handle = display.display(display.HTML(text), display_id=True)
        else:
            self._handle.update(display.HTML(text))


def _times(done: int, total: int, seconds: float) -> str:
    """The time since the beginning, and an estimate of what is left.

    >>> _times(1, 4, 65.0)
    '1:05 < 3:15'
    """
    if done <= 0 or done >= total:
        return _clock(seconds)
    return f"{_clock(seconds)} < {_clock(seconds * (total - done) / done)}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours > 0 else f"{minutes}:{rest:02}"


def _picture_for(file: TextIO | None) -> _Picture | None:
    if file is not None:
        return _Line(file)
    if _is_notebook():
        return _Display()
    return _Line(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None


def _is_notebook() -> bool:
    """Whether a kernel runs this program; IPython in a terminal has none."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is not None
