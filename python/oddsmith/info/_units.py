"""Bases of logarithms, distributions along an axis and codes of classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..exceptions import DataError, ParameterError


def unit_of(base: float) -> float:
    """One unit of this base in nats."""
    if not (base > 1 and math.isfinite(base)):
        raise ParameterError(f"base = {base} is not accepted: a number above 1, such as 2, math.e or 10")
    return math.log(base)


def rows_along(p: Any, axis: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """The distributions along an axis as rows, and the shape of what has one number for each."""
    array = np.asarray(p, dtype=np.float64)
    if array.ndim == 0:
        raise DataError("a distribution is a list of numbers, not a single one")
    moved = np.moveaxis(array, axis, -1)
    if moved.shape[-1] == 0:
        raise DataError("a distribution without outcomes has no probabilities; give one number at least")
    return np.ascontiguousarray(moved.reshape(-1, moved.shape[-1])), moved.shape[:-1]


def shaped(values: np.ndarray, shape: tuple[int, ...], base: float) -> Any:
    """Nats in the unit of a base, a single number where there was one distribution."""
    values = values / unit_of(base)
    return float(values[0]) if shape == () else values.reshape(shape)


def codes_of(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Sorted classes, and the place of every row's among them."""
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return classes, np.ascontiguousarray(codes.reshape(-1), dtype=np.uint32)
