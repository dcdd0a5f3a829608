"""Texts and frames as files of the kinds that the library reads: columns, words and gaps mean the same as in files.

The files are in memory where the system allows it, and gone when they have been read.
"""

from __future__ import annotations

import csv
import datetime
import json
import os
import re
from dataclasses import dataclass, replace
from typing import Any, Mapping, Sequence

import numpy as np

from clade import _core
from clade._persist import scratch_file
from clade._runtime import logger
from clade._tree_inputs import is_missing
from clade.labels import parse_labels

_TEXT_FIELD = "text"
_LABEL_FIELD = "doc_label"  # beside a text; a label of this name makes no table of it


def is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and hasattr(data, "iloc")


def is_texts(data: Any) -> bool:
    """Is this a sequence of texts, one per sample?"""
    if isinstance(data, (str, bytes)) or is_frame(data):
        return False
    if isinstance(data, np.ndarray):
        return data.ndim == 1 and (data.dtype.kind == "U" or (data.dtype == object and _holds_texts(data)))
    if hasattr(data, "iloc") or isinstance(data, (list, tuple)):
        return _holds_texts(data)
    return False


def _holds_texts(data: Any) -> bool:
    found = False
    for text in data:
        if isinstance(text, str):
            found = True
        elif not is_missing(text):
            return False
    return found


@dataclass(frozen=True)
class LabelColumns:
    """Labels as columns of a file."""

    layout: str
    fields: list[str]
    cells: list[list[Any]]  # per sample, per field: a list of labels, or the name of a level
    options: dict[str, str]
    written: list[Any]  # per sample what the user wrote: its labels, or its row of levels
    order: tuple[Any, ...] = ()  # the distinct labels, sorted

    @property
    def samples(self) -> int:
        return len(self.cells)


def label_columns(
    y: Any, layout: str = "auto", path_separator: str | None = None, taken: Sequence[str] = ()
) -> LabelColumns:
    """Labels for a file that has the columns `taken`, in a column named as `y` is, or "label"."""
    parsed = parse_labels(_without_gaps(y), None, layout, "")
    if parsed.layout == "levels":
        return _level_columns(y, taken)
    names = [label if isinstance(label, str) else str(label) for label in parsed.classes.tolist()]
    values = list(parsed.classes.tolist())
    cells, written = [], []
    offsets, all_codes = parsed.offsets.tolist(), parsed.codes.tolist()
    for begin, end in zip(offsets[:-1], offsets[1:]):
        codes = all_codes[begin:end]
        cells.append([[names[code] for code in codes]])
        written.append([values[code] for code in codes])
    _refuse_blanks("label", names)
    named = getattr(y, "name", None)
    chosen = _free_name(named if isinstance(named, str) and named else "label", taken)
    return LabelColumns(parsed.layout, [chosen], cells, _path_options(path_separator), written, tuple(values))


def _refuse_blanks(kind: str, names: Sequence[str]) -> None:
    """Tables do not keep blanks around names, so that two could become one."""
    for name in names:
        if name != name.strip():
            raise ValueError(f"{kind} {name!r} begins or ends with a blank; expected names without, as tables have them")


def _without_gaps(y: Any) -> Any:
    """Missing labels among texts as empty ones, which stand for none in files, too."""
    is_column = isinstance(y, (list, tuple)) or (getattr(y, "ndim", 0) == 1 and getattr(y, "dtype", None) == object)
    if not is_column or not any(is_missing(label) for label in y):
        return y
    labels = ["" if is_missing(label) else label for label in y]
    return labels if all(isinstance(label, str) for label in labels) else y


def _path_options(path_separator: str | None) -> dict[str, str]:
    if path_separator is None:
        return {}
    return {"path-separator": path_separator} if path_separator else {"label-paths": "no"}


def _level_columns(y: Any, taken: Sequence[str]) -> LabelColumns:
    rows = np.asarray(y, dtype=object)
    if rows.ndim == 1:
        rows = rows.reshape(-1, 1)
    columns = [str(name) for name in y.columns] if is_frame(y) else [f"level_{k + 1}" for k in range(rows.shape[1])]
    fields: list[str] = []
    for name in columns:
        fields.append(_free_name(name, [*taken, *fields]))
    cells = [["" if is_missing(cell) else str(cell) for cell in row] for row in rows]
    return LabelColumns("levels", fields, cells, {}, [list(row) for row in rows])


def _free_name(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def cell_of(value: Any) -> Any:
    """A cell of a frame as JSON has it: a number, a text, a list of texts, or None where there is nothing."""
    if isinstance(value, str):
        return value
    if is_missing(value):
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return number if np.isfinite(number) else str(number)
    if isinstance(value, datetime.datetime):
        is_day = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
        return value.date().isoformat() if is_day else value.isoformat()
    if isinstance(value, np.datetime64):
        return str(value)
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return [cell_of(part) for part in value]
    return str(value)


def without_label(y: Any) -> int | None:
    """The first sample of a column of labels that has none."""
    is_column = isinstance(y, (list, tuple)) or getattr(y, "ndim", 0) == 1
    return next((k for k, label in enumerate(y) if is_missing(label)), None) if is_column else None


def column_names(frame: Any) -> list[str]:
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the frame has two columns '{repeated}'; expected each name once")
    return names


def is_numeric(frame: Any) -> bool:
    """Are all columns numbers? Such a table is read as numbers, and no words are learnt from it."""
    return all(getattr(dtype, "kind", "O") in "iuf" for dtype in frame.dtypes)


def _columns_of(frame: Any) -> list[list[Any]]:
    return [[cell_of(value) for value in frame.iloc[:, k].tolist()] for k in range(frame.shape[1])]


def _write_json_lines(
    path: str, names: Sequence[str], columns: Sequence[Sequence[Any]], labels: LabelColumns | None
) -> None:
    count = len(columns[0]) if columns else 0
    encode = json.JSONEncoder(ensure_ascii=False).encode
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for row in range(count):
            record = {name: column[row] for name, column in zip(names, columns)}
            if labels is not None:
                record.update(zip(labels.fields, labels.cells[row]))
            file.write(encode(record))
            file.write("\n")


def _write_csv(path: str, names: Sequence[str], frame: Any, labels: LabelColumns | None) -> dict[str, str]:
    """Writes a table of numbers; returns the options that it must be read with."""
    options = {"delimiter": ",", "header": "yes"}
    separator = ";"
    if labels is not None and labels.layout != "levels":
        separator = _free_separator([label for cells in labels.cells for label in cells[0]])
        options["label-separators"] = separator
    columns = [
        ["" if is_missing(value) else repr(value) for value in frame.iloc[:, k].tolist()]
        for k in range(frame.shape[1])
    ]
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, *(labels.fields if labels else [])])
        for row in range(len(frame)):
            cells = labels.cells[row] if labels else []
            own = [separator.join(cell) if isinstance(cell, list) else cell for cell in cells]
            writer.writerow([*(column[row] for column in columns), *own])
    return options


def _free_separator(names: Sequence[str]) -> str:
    for separator in (";", "|", "\t", "\x1f", "\x1e"):
        if not any(separator in name for name in names):
            return separator
    raise ValueError("labels contain every separator that could stand between them; expected labels without ';'")


def _require_as_many(labels: LabelColumns | None, samples: int) -> None:
    if labels is not None and labels.samples != samples:
        raise ValueError(f"{labels.samples} labels for {samples} samples; expected as many")


def _list_of(names: Sequence[str], columns: Sequence[str]) -> str:
    """Columns as an option has them; names that would be cut at a comma stand by their number."""
    return ",".join(
        str(columns.index(name) + 1) if "," in name or name != name.strip() or not name else name for name in names
    )


def _read(
    path: str, options: Mapping[str, str], model: _core.Model | None, settings: _core.Settings, name: str
) -> tuple[_core.Dataset, dict[str, Any]]:
    # The file is gone when the user reads of it.
    first = 2 if options["format"] == "csv" else 1
    try:
        core, report = _core.read_data([path], dict(options), model, settings)
    except _core.InputError as error:
        # The file is gone when the user reads this.
        raise _core.InputError(_with_rows(str(error), path, name, first)) from None
    report["notes"] = [_with_rows(note, path, name, first) for note in report["notes"]]
    for note in report["notes"]:
        logger.info(note)
    return core, report


def _with_rows(message: str, path: str, name: str, first: int) -> str:
    """A message about a file as one about its table, whose rows count from 0; the first is the line `first`.

    >>> _with_rows("/dev/shm/t.csv:5:3: 'x' is not a number", "/dev/shm/t.csv", "the frame", 2)
    "the frame, row 3: 'x' is not a number"
    """

    def row(match: re.Match[str]) -> str:
        return f"row {int(match[1]) - first}"

    message = re.sub(re.escape(path) + r":([0-9]+)(:[0-9]+)?", lambda match: f"{name}, {row(match)}", message)
    message = re.sub(r"(?<=\bin )line ([0-9]+)", row, message)
    return message.replace(path, name).replace(os.path.basename(path), name)


def text_field(texts: Any) -> str:
    """The name of the column that texts make: that of a series, or "text"."""
    name = getattr(texts, "name", None)
    return name if isinstance(name, str) and name else _TEXT_FIELD


def read_texts(
    texts: Any,
    labels: LabelColumns | None,
    options: Mapping[str, str],
    settings: _core.Settings,
    model: _core.Model | None = None,
    field: str = _TEXT_FIELD,
) -> tuple[_core.Dataset, dict[str, Any]]:
    """Texts as a table with one column, `field`; to a model they are its column of text."""
    cells = ["" if is_missing(text) else text for text in texts]
    if not cells:
        raise _core.InputError("no texts; expected one at least")
    for number, text in enumerate(cells):
        if not isinstance(text, str):
            raise ValueError(f"text {number} is {type(text).__name__}; expected a text")
    _require_as_many(labels, len(cells))
    is_table = "sequences" not in options
    if model is not None:
        columns = model.columns()
        if columns is None:
            raise _core.InputError("the model was not trained on text; expected its features")
        of_text = [name for name, kind in columns if kind == "text"]
        if columns and not of_text:
            raise _core.InputError("the model was not trained on text; expected a frame with its columns")
        is_table = bool(columns)
        field = of_text[0] if of_text else _TEXT_FIELD
    asked = {**options, "format": "json-lines"}
    if is_table:
        if labels is not None:
            labels = replace(labels, fields=[_free_name(name, [field]) for name in labels.fields])
        asked.update(_label_options(labels, [field], model))
        if model is None:
            asked["text-columns"] = _list_of([field], [field])
    elif labels is not None:
        labels = _beside_text(labels)
        asked.update(labels.options)
    with scratch_file("texts.jsonl") as path:
        _write_json_lines(path, [field], [cells], labels)
        return _read(path, asked, model, settings, "the texts")


def _beside_text(labels: LabelColumns) -> LabelColumns:
    """Labels where the library expects those of documents that are no table."""
    if labels.layout != "levels":
        return replace(labels, fields=[_LABEL_FIELD])
    fields = [f"level_{k + 1}" for k in range(len(labels.fields))]
    return replace(labels, fields=fields, options={"label-levels": ",".join(fields), "text-columns": _TEXT_FIELD})


def _label_options(labels: LabelColumns | None, names: Sequence[str], model: _core.Model | None) -> dict[str, str]:
    """Which columns of a table, behind those of `names`, have the labels."""
    if labels is None:
        return {} if model is not None else {"label-column": "none"}
    option = "label-levels" if labels.layout == "levels" else "label-column"
    return {**labels.options, option: _list_of(labels.fields, [*names, *labels.fields])}


def read_frame(
    frame: Any,
    labels: LabelColumns | None,
    options: Mapping[str, str],
    settings: _core.Settings,
    model: _core.Model | None = None,
) -> tuple[_core.Dataset, dict[str, Any]]:
    """A frame as a table: CSV if it has numbers alone, and JSON lines, whose columns may be of any kind, otherwise."""
    names = column_names(frame)
    if not names:
        raise ValueError("the frame has no columns; expected some to learn from")
    _refuse_blanks("column", names)
    _require_as_many(labels, len(frame))
    if len(frame) == 0:
        raise _core.InputError("the frame has no rows; expected one at least")
    asked = {**options, **_label_options(labels, names, model)}
    if model is None and is_numeric(frame) and not asked.keys() & {"text-columns", "categorical-columns"}:
        with scratch_file("table.csv") as path:
            asked.update(_write_csv(path, names, frame, labels))
            return _read(path, {**asked, "format": "csv"}, model, settings, "the frame")
    with scratch_file("table.jsonl") as path:
        _write_json_lines(path, names, _columns_of(frame), labels)
        return _read(path, {**asked, "format": "json-lines"}, model, settings, "the frame")


def column_options(frame: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options whose columns may be given as lists of the frame's names, and what the types of its columns say.

    A column of the dtype `category` is one of categories, whatever its values look like.
    """
    names = column_names(frame)
    result = dict(options)
    given: set[str] = set()
    for option in ("text_columns", "numeric_columns", "categorical_columns", "ignore_columns"):
        value = result.get(option)
        if value is None:
            continue
        listed = [value] if isinstance(value, str) and value in names else value
        if not isinstance(listed, str):
            listed = [str(name) for name in listed]
            given.update(listed)
            result[option] = _list_of(listed, names)
        else:
            given.update(part.strip() for part in listed.split(","))
    categories = [
        name
        for name, dtype in zip(names, frame.dtypes)
        if getattr(dtype, "name", "") == "category" and name not in given
    ]
    if categories:
        own = result.get("categorical_columns")
        listed_names = _list_of(categories, names)
        result["categorical_columns"] = f"{own},{listed_names}" if own else listed_names
    return result
