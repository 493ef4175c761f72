"""How much probabilities cost: log loss, bits, Brier score."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._estimate import Estimate
from ._rows import figure, judged, truth


def log_loss(y_true: Any, y_prob: Any, *, sample_weight: Any = None, labels: Any = None, weighting: str = "frequency") -> Estimate:
    """Mean of −log p of the true class, in nats.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    y_prob : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probability of the second class, or of every class in sorted order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    labels : array-like, default=None
        All classes, where `y_true` does not hold every one.
    weighting : {'frequency', 'sampling'}, default='frequency'
        What weights mean for the interval: a row so many times, or so many units of the population.

    Returns
    -------
    Estimate
        The loss with its interval. A row that is impossible in its class makes it infinite, which is a `NoEstimateError`.

    Examples
    --------
    >>> from oddsmith.metrics import log_loss
    >>> round(log_loss([0, 1, 1], [0.2, 0.8, 0.6]), 4)
    0.319
    """
    return figure(judged(y_true, y_prob, sample_weight, labels, weighting), "log_loss")


def bits(y_true: Any, y_prob: Any, *, sample_weight: Any = None, labels: Any = None, weighting: str = "frequency") -> Estimate:
    """Mean of −log₂ p of the true class: the bits that a code with these probabilities spends per row.

    Parameters are those of `log_loss`.

    Returns
    -------
    Estimate
        Bits per row.

    Examples
    --------
    >>> from oddsmith.metrics import bits
    >>> float(bits([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5]))
    1.0
    """
    return figure(judged(y_true, y_prob, sample_weight, labels, weighting), "bits")


def base_rate_bits(y_true: Any, *, sample_weight: Any = None, labels: Any = None) -> Estimate:
    """Bits per row of the proportions of the classes alone: the entropy of `y_true`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    labels : array-like, default=None
        All classes, where `y_true` does not hold every one.

    Returns
    -------
    Estimate
        Bits per row.

    Examples
    --------
    >>> from oddsmith.metrics import base_rate_bits
    >>> float(base_rate_bits([0, 1, 1, 0]))
    1.0
    """
    classes, codes = truth(y_true, labels)
    even = np.full((len(codes), len(classes)), 1.0 / len(classes))
    return figure(judged(y_true, even, sample_weight, classes), "base_rate_bits")


def bits_saved(y_true: Any, y_prob: Any, *, sample_weight: Any = None, labels: Any = None, weighting: str = "frequency") -> Estimate:
    """Bits per row that the probabilities save against the proportions of the classes.

    Parameters are those of `log_loss`.

    Returns
    -------
    Estimate
        Bits per row; below zero where the shares alone would do better.

    Examples
    --------
    >>> from oddsmith.metrics import bits_saved
    >>> round(bits_saved([0, 1, 1, 0], [0.2, 0.8, 0.7, 0.4]), 3)
    0.526
    """
    return figure(judged(y_true, y_prob, sample_weight, labels, weighting), "bits_saved")


def brier(y_true: Any, y_prob: Any, *, sample_weight: Any = None, labels: Any = None, weighting: str = "frequency") -> Estimate:
    """Mean squared distance between probabilities and truth.

    With two classes (p − y)² of the event, with more the sum over all classes. Parameters are those of `log_loss`.

    Returns
    -------
    Estimate
        The score with its interval.

    Examples
    --------
    >>> from oddsmith.metrics import brier
    >>> round(brier([0, 1, 1], [0.2, 0.8, 0.6]), 4)
    0.08
    """
    return figure(judged(y_true, y_prob, sample_weight, labels, weighting), "brier")
