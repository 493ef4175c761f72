"""Mutual information of tables, numbers and classes."""

from __future__ import annotations

import contextlib
import math
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._inputs import thread_count
from ..exceptions import DataError
from ._units import codes_of, unit_of


class MutualInformation(NamedTuple):
    """Mutual information of a table of counts, with what is known of its precision."""

    mutual_information: float
    corrected: float
    bias: float
    std_error: float
    conf_low: float
    conf_high: float
    g: float
    df: float
    p_value: float
    row_entropy: float
    column_entropy: float
    joint_entropy: float
    non_central_low: float
    non_central_high: float


class NumberPair(NamedTuple):
    """What two numbers tell about each other, by three estimates of one quantity.

    `neighbours` sees any kind of dependence, `binned` (with interval and test) loses a little of it, `normal` sees straight lines only.
    """

    neighbours: float
    binned: float
    conf_low: float
    conf_high: float
    p_value: float
    normal: float
    correlation: float


def mutual_information(table: Any, *, base: float = 2.0, level: float = 0.95) -> MutualInformation:
    """Mutual information of the two variables of a table of counts.

    Parameters
    ----------
    table : array-like of shape (n_rows, n_columns)
        Counts.
    base : float, default=2
        Base of logarithms.
    level : float, default=0.95
        Coverage of the interval.

    Returns
    -------
    MutualInformation
        The plug-in estimate, what it is less its bias, standard error, interval, the G test of independence, entropies, and limits by the
        non-central chi-squared distribution in place of the interval.

    Examples
    --------
    >>> from oddsmith.info import mutual_information
    >>> mutual_information([[10, 0], [0, 10]]).mutual_information
    1.0
    """
    array = np.ascontiguousarray(np.asarray(table, dtype=np.float64))
    if array.ndim != 2:
        raise DataError(f"a table of two variables has two dimensions, not {array.ndim}")
    found = _core.info_table(array, level)
    unit = unit_of(base)
    kept = {"g", "df", "p_value"}
    return MutualInformation(**{name: value if name in kept else value / unit for name, value in found.items()})


def neighbour_information(x: Any, y: Any, *, n_neighbors: int = 3, base: float = 2.0) -> float:
    """Mutual information of a number with a class from nearest neighbours (Ross), without added noise.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        Numbers. Values that tie make the estimate worthless: more than one in twenty are an error.
    y : array-like of shape (n_samples,)
        Classes.
    n_neighbors : int, default=3
        Which neighbour of the same class sets the distance.
    base : float, default=2
        Base of logarithms.

    Returns
    -------
    float
        The estimate; by chance it may be a little below 0.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith.info import neighbour_information
    >>> x = np.arange(100.0) ** 1.1
    >>> round(neighbour_information(x, x > x[49]), 1)
    1.0
    """
    classes, codes = codes_of(y)
    x = np.ascontiguousarray(np.asarray(x, dtype=np.float64).reshape(-1))
    found = _core.info_neighbours(x, codes, len(classes), n_neighbors)
    if found is None:
        raise DataError("no class has two rows, so there are no neighbours of the same class")
    estimate, ties = found
    if ties > 0.05:
        raise DataError(f"{100 * ties:.0f} % of the values occur more than once; use mutual_information of a table of counts")
    return estimate / unit_of(base)


def number_information(x: Any, y: Any, *, n_neighbors: int = 3, level: float = 0.95, base: float = 2.0) -> NumberPair:
    """Mutual information of two numbers: from neighbours (Kraskov, Stögbauer, Grassberger), from quantile bins, from the correlation.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Numbers; pairs of which one is missing are left out. Where more than one in twenty values tie, neighbours say nothing (NaN).
    n_neighbors : int, default=3
        Which neighbour sets the distance.
    level : float, default=0.95
        Coverage of the interval of the binned estimate.
    base : float, default=2
        Base of logarithms.

    Returns
    -------
    NumberPair
        The three estimates, and the correlation.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith.info import number_information
    >>> x = np.linspace(-1, 1, 500) ** 3
    >>> number_information(x, np.abs(x) + x / 9).neighbours > 2
    True
    """
    x, y = (np.asarray(v, dtype=np.float64).reshape(-1) for v in (x, y))
    if len(x) != len(y):
        raise DataError(f"{len(x)} values of one number come with {len(y)} of the other")
    both = ~(np.isnan(x) | np.isnan(y))
    found = _core.info_number_pair(np.ascontiguousarray(x[both]), np.ascontiguousarray(y[both]), n_neighbors, level)
    unit, ties = unit_of(base), found.pop("ties")
    if ties > 0.05:
        found["neighbours"] = math.nan
    kept = {"p_value", "correlation"}
    return NumberPair(**{name: value if name in kept else value / unit for name, value in found.items()})


def _small_codes(y: Any) -> tuple[int, np.ndarray]:
    """Codes of classes, without sorting whole numbers of a small range."""
    array = np.asarray(y).reshape(-1)
    if array.dtype.kind in "iub" and len(array):
        array = array.astype(np.int64, copy=False)
        low, high = int(array.min()), int(array.max())
        if 0 <= low and high < 64:
            return high + 1, np.ascontiguousarray(array, dtype=np.uint32)
    classes, codes = codes_of(array)
    return len(classes), codes


def mutual_info_classif(
    X: Any, y: Any, *, discrete_features: Any = "auto", n_neighbors: int = 3, base: float = math.e, n_jobs: int | None = None
) -> np.ndarray:
    """Mutual information of every column with a class, as scikit-learn's function of this name, without its noise.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers. Discrete columns hold whole numbers.
    y : array-like of shape (n_samples,)
        Classes.
    discrete_features : 'auto', bool or array-like of bool, default='auto'
        Which columns are counted as they are; 'auto' those of an array of whole numbers. Others are looked at through their neighbours.
    n_neighbors : int, default=3
        Which neighbour of the same class sets the distance.
    base : float, default=math.e
        Base of logarithms; scikit-learn's is e.
    n_jobs : int, default=None
        Number of threads; None takes what the machine offers.

    Returns
    -------
    ndarray of shape (n_features,)
        Estimates, not below 0. A continuous column of which more than one in twenty values tie is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith.info import mutual_info_classif
    >>> y = np.array([0, 0, 1, 1])
    >>> mutual_info_classif(np.column_stack([y, [0, 1, 0, 1]]), y, base=2).tolist()
    [1.0, 0.0]
    """
    array = np.asarray(X)
    if array.ndim != 2:
        raise DataError(f"X has two dimensions, rows and columns, not {array.ndim}")
    discrete = array.dtype.kind in "iub" if isinstance(discrete_features, str) and discrete_features == "auto" else discrete_features
    mask = np.broadcast_to(np.asarray(discrete, dtype=bool), (array.shape[1],))
    classes, codes = _small_codes(y)
    found = np.empty(array.shape[1])
    if mask.any():
        found[mask] = _counts(array if mask.all() else array[:, mask], codes, classes, thread_count(n_jobs))
    if not mask.all():
        numbers = np.ascontiguousarray(array[:, ~mask] if mask.any() else array, dtype=np.float64)
        estimates, ties = _core.info_neighbour_screen(numbers, codes, classes, n_neighbors, thread_count(n_jobs))
        found[~mask] = np.where(ties > 0.05, np.nan, np.maximum(estimates, 0))
    return found / unit_of(base)


def _counts(array: np.ndarray, codes: np.ndarray, classes: int, threads: int) -> np.ndarray:
    """Mutual information of discrete columns with a class, in nats."""
    if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
        raise DataError("a discrete column has a value that is missing or infinite; leave such rows out")
    if array.dtype.kind in "iub" or (array.dtype.kind == "f" and np.all(array == np.floor(array))):
        # Counting tells numbers beyond 255 by itself: looking for them first would read all cells twice more.
        with contextlib.suppress(DataError):
            return _core.info_count_screen(np.ascontiguousarray(array, dtype=np.int64), codes, classes, threads)
    columns = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in array.T]
    many = [at for at, column in enumerate(columns) if len(column) and column.max() >= 256]
    if many:
        raise DataError(f"discrete column {many[0]} has more than 256 different values; screen() counts categories of any size")
    return _core.info_count_screen(np.ascontiguousarray(np.column_stack(columns), dtype=np.int64), codes, classes, threads)
