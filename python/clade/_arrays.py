"""Features from arrays, without a copy wherever the library can use them as they are."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
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
    count = X.shape[0]
    labels = no_labels(count) if labels is None else labels
    names = None if feature_names is None else [str(name) for name in feature_names]
    samples = None if sample_names is None else [str(name) for name in sample_names]
    if scipy.sparse.issparse(X):
        rows = X if X.format == "csr" else X.tocsr()
        if rows.dtype not in (np.float64, np.float32):
            rows = rows.astype(np.float64)
        if not rows.has_canonical_format:
            rows = rows.copy() if rows is X else rows
            rows.sum_duplicates()
        columns = rows.indices
        if columns.dtype != np.int32:
            if rows.shape[1] > np.iinfo(np.int32).max:
                raise _core.InputError(f"{rows.shape[1]} features; expected at most {np.iinfo(np.int32).max}")
            columns = columns.astype(np.int32)
        return _core.Dataset.sparse(
            np.ascontiguousarray(rows.indptr),
            np.ascontiguousarray(columns),
            np.ascontiguousarray(rows.data),
            rows.shape[1],
            labels.taxonomy,
            labels.core(),
            names,
            samples,
        )
    values = np.asarray(X)
    if values.dtype not in (np.float64, np.float32):
        values = values.astype(np.float64)
    return _core.Dataset.dense(np.ascontiguousarray(values), labels.taxonomy, labels.core(), names, samples)
