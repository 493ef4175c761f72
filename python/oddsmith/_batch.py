"""Batches of rows as tables, whatever they come as: frames, Arrow batches, arrays with their classes beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrow import is_frame, table_of, texts_of, TEXT
from .exceptions import ParameterError


def batch_table(batch: Any, target: str, weight: str | None) -> _core.Frame:
    """The table of a batch with the target (and the weights) among its columns."""
    if not isinstance(batch, tuple):
        return rows_table(batch)
    rows, labels, weights = (*batch, None)[:3]
    frame = rows_table(rows)
    if weights is not None and weight is None:
        raise ParameterError("sample_weight is not accepted: begin the fit with a name for the weights")
    classes, codes = np.unique(np.asarray(labels), return_inverse=True)
    names = [str(label) for label in classes.tolist()]
    given = None if weights is None else (weight, np.ascontiguousarray(weights, dtype=np.float64))
    return frame.with_target(target, names, codes.astype(np.uint32), given)


def rows_table(rows: Any) -> _core.Frame:
    """Rows without anything beside them as a table. Columns of an array are x0, x1 …"""
    if is_frame(rows):
        return table_of(rows)
    if hasattr(rows, "__arrow_c_array__"):
        import pyarrow

        return table_of(pyarrow.Table.from_batches([pyarrow.record_batch(rows)]))
    texts = texts_of(rows)
    if texts is not None:
        return _core.Frame.of_texts(TEXT, texts)
    if hasattr(rows, "tocsr"):
        raise ParameterError("sparse rows are not accepted in passes: pass them as arrays, or texts themselves")
    array = np.asarray(rows, dtype=np.float64)
    if array.ndim != 2:
        raise ParameterError(f"a batch of shape {array.shape} is not accepted: rows and columns are needed")
    return _core.Frame.of_array([f"x{j}" for j in range(array.shape[1])], array)
