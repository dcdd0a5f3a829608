"""What a model is applied to: anything that has samples, as the model knows them."""

from __future__ import annotations

import os
from typing import Any, Mapping

import numpy as np
import scipy.sparse

from clade import _core
from clade._arrays import dataset_of, unmasked
from clade._runtime import logger
from clade._tables import is_frame, is_texts, label_columns, read_frame, read_texts
from clade.data import Dataset, paths_of
from clade.labels import ParsedLabels, parse_labels


def data_for(
    model: _core.Model, data: Any, y: Any, read: Mapping[str, str], settings: _core.Settings
) -> _core.Dataset:
    """Data as a model knows them, with labels if these are given or part of them; `read` says how files are read."""
    is_file = isinstance(data, (str, os.PathLike)) or _is_paths(data)
    idle = sorted(set(read) - {"missing"})
    if idle and not is_file:
        name = idle[0].replace("-", "_")
        raise TypeError(f"'{name}' concerns reading files; expected the name of a file with it")
    if is_file:
        core, report = _core.read_data(paths_of(data), dict(read), model, settings)
        for note in report["notes"]:
            logger.info(note)
        return core
    if isinstance(data, Dataset):
        if y is not None:
            raise TypeError("labels beside a data set, which has its own; expected one of them")
        return _core.data_for(model, data._core, settings)
    if is_texts(data):
        return read_texts(data, None if y is None else label_columns(y), {}, settings, model)[0]
    if is_frame(data) and model.columns() is not None:
        labels = None if y is None else label_columns(y, taken=[str(name) for name in data.columns])
        return read_frame(data, labels, {}, settings, model)[0]
    parsed = None if y is None else parse_labels(y)
    if is_frame(data):
        return numbers_for(model, data, parsed)
    return dataset_of(data if scipy.sparse.issparse(data) else np.asarray(unmasked(data)), parsed)


def numbers_for(model: _core.Model, frame: Any, labels: ParsedLabels | None) -> _core.Dataset:
    """The features of a frame of numbers, found by name where the model has names."""
    names = model.feature_names()
    if names is not None:
        columns = {str(name): name for name in frame.columns}
        names = [name for name in names if name in columns]
        frame = frame[[columns[name] for name in names]]
    return dataset_of(frame.to_numpy(dtype=np.float64), labels, names)


def shown_texts(
    model: _core.Model, data: Any, read: Mapping[str, str], samples: int, settings: _core.Settings
) -> list[str] | None:
    """The texts that data consist of, or the first column of them; None if there are none."""
    if is_texts(data):
        return [text if isinstance(text, str) else "" for text in data]
    columns = model.columns()
    if columns is None:
        return None
    column = next((name for name, kind in columns if kind == "text"), None if columns else "text")
    found: list[str] = []
    if column is not None and is_frame(data) and column in data.columns:
        found = [str(text) for text in data[column]]
    elif column is not None and isinstance(data, (str, os.PathLike)):
        try:
            found = _core.read_column(os.fspath(data), dict(read), column, settings)
        except _core.InputError:  # documents may be lists of words, or files of a folder
            return None
    return found if found and len(found) == samples else None


def _is_paths(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and len(data) > 0 and all(isinstance(path, os.PathLike) for path in data)
