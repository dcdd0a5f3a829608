"""Features from arrays, without a copy wherever the library can use them as they are."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse

from clade import _core
from clade.labels import ParsedLabels, no_labels


def dataset_of(
    X: Any,
    labels: ParsedLabels | None = None,
    feature_names: Sequence[str] | None = None,
    sample_names: Sequence[str] | None = None,
) -> _core.Dataset:
    """A data set over a matrix: a C-contiguous array, or compressed rows (CSR), of doubles or floats.

    Their memory is shared and must not change meanwhile. Anything else is copied into that form first: other types,
    other orders, rows whose columns do not ascend, 64-bit column numbers.
    """
    names = None if feature_names is None else [str(name) for name in feature_names]
    samples = None if sample_names is None else [str(name) for name in sample_names]
    if scipy.sparse.issparse(X):
        rows = _compressed_rows(X)
        labels = no_labels(rows.shape[0]) if labels is None else labels
        return _core.Dataset.sparse(
            np.ascontiguousarray(rows.indptr),
            np.ascontiguousarray(rows.indices),
            np.ascontiguousarray(rows.data),
            rows.shape[1],
            labels.taxonomy,
            labels.core(),
            names,
            samples,
        )
    values = _dense_rows(X)
    labels = no_labels(values.shape[0]) if labels is None else labels
    return _core.Dataset.dense(values, labels.taxonomy, labels.core(), names, samples)


def unmasked(X: Any) -> Any:
    """What is masked is missing: NaN. Otherwise NumPy would use the values under the mask."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    masked: Any = X
    return masked.astype(np.float64).filled(np.nan)


def _dense_rows(X: Any) -> npt.NDArray[Any]:
    values = np.asarray(unmasked(X))
    if values.ndim != 2:
        raise _core.InputError(f"an array of {values.ndim} dimensions; expected 2, a row per sample")
    # Numbers are at addresses that their size divides, or else the compiler's code for them is wrong.
    return np.require(values.astype(_scalar_of(values), copy=False), requirements=["C", "ALIGNED"])


def _compressed_rows(X: Any) -> Any:
    rows = X if X.format == "csr" else X.tocsr()
    _check_offsets(rows)
    rows = rows.astype(_scalar_of(rows), copy=False)
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X or np.shares_memory(rows.indices, X.indices) else rows
        rows.sum_duplicates()
    if rows.shape[1] > np.iinfo(np.int32).max:
        raise _core.InputError(f"{rows.shape[1]} features; expected at most {np.iinfo(np.int32).max}")
    stored = rows.indptr[-1]  # the arrays may have room for more
    indices = rows.indices[:stored].astype(np.int32, copy=False)
    if rows.indices.dtype != np.int32 or len(rows.data) != stored:
        rows = _Rows(rows.indptr, indices, rows.data[:stored], rows.shape)
    return rows


class _Rows:
    """The parts of compressed rows; a matrix of scipy would choose the types of its parts again."""

    def __init__(
        self, indptr: npt.NDArray[Any], indices: npt.NDArray[Any], data: npt.NDArray[Any], shape: tuple[int, int]
    ) -> None:
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, shape


def _check_offsets(rows: Any) -> None:
    """Refuses offsets outside of the arrays, which scipy would follow; the library checks the rest."""
    offsets = rows.indptr
    fits = (
        len(offsets) == rows.shape[0] + 1
        and offsets[0] == 0
        and offsets[-1] <= min(len(rows.indices), len(rows.data))
        and bool(np.all(offsets[1:] >= offsets[:-1]))
    )
    if not fits:
        raise _core.InputError("a sparse matrix whose offsets do not rise from 0; expected compressed rows (CSR)")


def _scalar_of(values: Any) -> npt.DTypeLike:
    """The type in which the library takes these values; refuses what is no number."""
    kind: str = values.dtype.kind
    if kind not in "fiubO":
        raise _core.InputError(f"an array of {values.dtype}; expected numbers")
    return np.float32 if values.dtype == np.float32 else np.float64
