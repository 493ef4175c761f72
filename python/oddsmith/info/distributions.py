"""Entropies and divergences of distributions, and the capacity of a channel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..exceptions import DataError
from ._units import rows_along, shaped, unit_of


class Capacity(NamedTuple):
    """Capacity of a channel: both bounds, the input that achieves it and its output."""

    capacity: float
    lower: float
    upper: float
    input: np.ndarray
    output: np.ndarray


def entropy(p: Any, *, base: float = 2.0, counts: bool = False, axis: int = -1) -> Any:
    """Entropy of distributions along an axis.

    Parameters
    ----------
    p : array-like
        Probabilities that add up to 1 along `axis`, or counts.
    base : float, default=2
        Base of logarithms: 2 for bits, `math.e` for nats.
    counts : bool, default=False
        Whether the numbers are counts.
    axis : int, default=-1
        Along which a distribution lies.

    Returns
    -------
    float or ndarray
        One entropy for each distribution.

    Examples
    --------
    >>> from oddsmith.info import entropy
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    """
    rows, shape = rows_along(p, axis)
    return shaped(_core.info_entropy(rows, counts), shape, base)


def _divergence(p: Any, q: Any, what: str, base: float, counts: bool, axis: int) -> Any:
    p, q = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64))
    (left, shape), (right, _) = rows_along(p, axis), rows_along(q, axis)
    return shaped(_core.info_divergence(left, right, counts, what), shape, base)


def cross_entropy(p: Any, q: Any, *, base: float = 2.0, counts: bool = False, axis: int = -1) -> Any:
    """Cross-entropy H(p, q) = H(p) + D(p‖q): what `p` costs in the code of `q`.

    Parameters are those of `entropy`; shapes are broadcast.

    Examples
    --------
    >>> from oddsmith.info import cross_entropy
    >>> cross_entropy([0.5, 0.5], [0.25, 0.75]) > 1
    True
    """
    return _divergence(p, q, "cross", base, counts, axis)


def kl_divergence(p: Any, q: Any, *, base: float = 2.0, counts: bool = False, axis: int = -1) -> Any:
    """Relative entropy (Kullback–Leibler divergence) D(p‖q); infinite where `q` is 0 and `p` is not.

    Parameters are those of `entropy`; shapes are broadcast.

    Examples
    --------
    >>> from oddsmith.info import kl_divergence
    >>> kl_divergence([0.5, 0.5], [1.0, 0.0])
    inf
    """
    return _divergence(p, q, "kl", base, counts, axis)


def jensen_shannon(p: Any, q: Any, *, base: float = 2.0, counts: bool = False, axis: int = -1) -> Any:
    """Jensen–Shannon divergence, from 0 to 1 bit; its square root is scipy's `jensenshannon`.

    Parameters are those of `entropy`; shapes are broadcast.

    Examples
    --------
    >>> from oddsmith.info import jensen_shannon
    >>> jensen_shannon([1.0, 0.0], [0.0, 1.0])
    1.0
    """
    return _divergence(p, q, "js", base, counts, axis)


def channel_capacity(channel: Any, *, base: float = 2.0) -> Capacity:
    """Capacity of a channel, whose row x holds the probabilities of the outputs after input x.

    Examples
    --------
    >>> from oddsmith.info import channel_capacity
    >>> round(channel_capacity([[0.9, 0.1], [0.1, 0.9]]).capacity, 6)
    0.531004
    """
    array = np.ascontiguousarray(np.asarray(channel, dtype=np.float64))
    if array.ndim != 2:
        raise DataError(f"a channel has two dimensions, inputs and outputs, not {array.ndim}")
    lower, upper, given, output = _core.info_capacity(array)
    unit = unit_of(base)
    return Capacity((lower + upper) / (2 * unit), lower / unit, upper / unit, given, output)
