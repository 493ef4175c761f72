"""Closed forms of normal distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ._units import unit_of


def _normal(mean: Any, covariance: Any) -> tuple[np.ndarray, np.ndarray]:
    mean = np.ascontiguousarray(np.atleast_1d(np.asarray(mean, dtype=np.float64)))
    covariance = np.ascontiguousarray(np.atleast_2d(np.asarray(covariance, dtype=np.float64)))
    return mean, covariance


def gaussian_entropy(covariance: Any, *, base: float = 2.0) -> float:
    """Differential entropy of a normal distribution with this covariance (a variance, or a matrix); it may be negative.

    Examples
    --------
    >>> from oddsmith.info import gaussian_entropy
    >>> round(gaussian_entropy(1.0), 6)
    2.047096
    """
    covariance = np.atleast_2d(np.asarray(covariance, dtype=np.float64))
    return _core.info_gaussian(*_normal(np.zeros(len(covariance)), covariance), None, None) / unit_of(base)


def gaussian_kl(mean: Any, covariance: Any, other_mean: Any, other_covariance: Any, *, base: float = 2.0) -> float:
    """Relative entropy of one normal distribution from another.

    Examples
    --------
    >>> import math
    >>> from oddsmith.info import gaussian_kl
    >>> round(gaussian_kl(0, 1, 1, 4, base=math.e), 6)
    0.443147
    """
    return _core.info_gaussian(*_normal(mean, covariance), _normal(other_mean, other_covariance), None) / unit_of(base)


def gaussian_mutual_information(covariance: Any, *, first: int = 1, base: float = 2.0) -> float:
    """Mutual information between the first variables of a normal distribution and all others.

    Examples
    --------
    >>> import math
    >>> from oddsmith.info import gaussian_mutual_information
    >>> round(gaussian_mutual_information([[1, 0.5], [0.5, 1]], base=math.e), 6)
    0.143841
    """
    covariance = np.atleast_2d(np.asarray(covariance, dtype=np.float64))
    return _core.info_gaussian(*_normal(np.zeros(len(covariance)), covariance), None, first) / unit_of(base)
