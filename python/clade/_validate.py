"""Checks of what users pass to estimators, with the messages of scikit-learn, in all of its versions."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from clade._arrays import unmasked

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
        return estimator._validate_data(X, **options)


_KEYWORDS = inspect.signature(check_array).parameters
_FINITE = "ensure_all_finite" if "ensure_all_finite" in _KEYWORDS else "force_all_finite"


def check_features(estimator: Any, X: Any, *, reset: bool, allow_nan: bool, by_name: bool = False) -> Any:
    """The features as a matrix that the library takes: no copy of doubles, floats and compressed rows.

    `by_name`: the library will find the features by their names, so they need not be those of training.
    """
    X = unmasked(X)
    options: dict[str, Any] = {
        "accept_sparse": "csr",
        "accept_large_sparse": True,
        "dtype": [np.float64, np.float32],
        _FINITE: "allow-nan" if allow_nan else True,
    }

    def checked(how: dict[str, Any]) -> Any:
        if by_name and not reset:
            return check_array(X, estimator=estimator, **how)
        return validate_data(estimator, X, reset=reset, **how)

    try:
        return checked(options)
    except ValueError as error:
        text = _text_in(X) if "could not convert string" in str(error) else None
        if text is not None:
            short = text if len(text) <= 40 else f"{text[:37]}..."
            raise ValueError(
                f"X has text ({short!r}); expected numbers, or HierarchicalPipeline, which takes texts and tables"
            ) from None
        if "contains NaN" not in str(error):
            raise
    raise ValueError(_first_gap(estimator, X, checked({**options, _FINITE: "allow-nan"})))


def _text_in(X: Any) -> str | None:
    """The first text that is no number."""
    for cell in np.asarray(X, dtype=object).flat:
        if isinstance(cell, str):
            try:
                float(cell)
            except ValueError:
                return cell
    return None


def _first_gap(estimator: Any, given: Any, X: Any) -> str:
    """Where the first NaN is, and what can be done about it."""
    if hasattr(X, "indptr"):
        entry = int(np.flatnonzero(np.isnan(X.data))[0])
        row, column = int(np.searchsorted(X.indptr, entry, side="right")) - 1, int(X.indices[entry])
    else:
        row = next(number for number, values in enumerate(X) if np.isnan(values).any())
        column = int(np.flatnonzero(np.isnan(X[row]))[0])
    names = names_of(given)
    where = f"column {column}" if names is None else f"column {names[column]!r}"
    remedy = "numbers, or `missing` 'mean' or 'zero'" if hasattr(estimator, "missing") else "numbers"
    return f"X contains NaN in row {row}, {where}; expected {remedy}"


def names_of(X: Any) -> list[str] | None:
    """The names of a frame's columns, if they are texts."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return list(columns)


def check_labels(estimator: Any, y: Any, X: Any) -> Any:
    """Labels that scikit-learn would take, or those of another layout, of which only the number is checked."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    if hasattr(y, "__array__") and not hasattr(y, "shape"):
        y = np.asarray(y)
    if hasattr(y, "shape") and len(y.shape) <= 2 and not hasattr(y, "columns"):
        is_column = len(y.shape) == 2 and y.shape[1] == 1
        if (len(y.shape) == 1 and not hasattr(y, "indptr")) or (is_column and np.asarray(y).dtype.kind not in "OU"):
            # Whole numbers of pandas that may be missing would become floats.
            is_nullable = type(getattr(y, "dtype", None)).__module__.startswith("pandas") and not hasattr(y, "cat")
            array = np.asarray(y, dtype=object) if is_nullable else column_or_1d(y, warn=True)
            if array.dtype.kind in "fc":
                check_array(array, ensure_2d=False, dtype=None, input_name="y")
                check_classification_targets(array)
            y = array
    check_consistent_length(X, y)
    return y


def check_weights(sample_weight: Any, X: Any) -> npt.NDArray[np.float64]:
    """A weight per sample; none at all if they are not given."""
    if sample_weight is None:
        return np.zeros(0)
    return np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
