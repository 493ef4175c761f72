"""How well scores order events above the rest: areas, curves, and whether two scores differ."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from .. import _core
from ._estimate import Estimate
from ._rows import events, figure, judged, ranked, weighted


def auc(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None, weighting: str = "frequency"
) -> Estimate:
    """Area under the ROC curve, with DeLong's interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores of the event in any unit; or probabilities of more than two classes, for which the area is Hand and Till's mean over
        pairs of classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.
    labels : array-like, default=None
        All classes, where `y_score` has columns and `y_true` does not hold every one.
    weighting : {'frequency', 'sampling'}, default='frequency'
        What weights mean for the interval: a row so many times, or so many units of the population.

    Returns
    -------
    Estimate
        The area with its interval and DeLong's variance.

    Examples
    --------
    >>> from oddsmith.metrics import auc
    >>> float(auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    if np.ndim(y_score) == 2:
        return figure(judged(y_true, y_score, sample_weight, labels, weighting), "auc")
    ranking = ranked(y_true, y_score, sample_weight, pos_label, weighting, scale="order")
    return Estimate(*ranking.auc(), variance=ranking.auc_variance())


def average_precision(y_true: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None) -> float:
    """Mean precision over the events, each at the threshold of its own score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    y_score : array-like of shape (n_samples,)
        Scores of the event in any unit.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> from oddsmith.metrics import average_precision
    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    return ranked(y_true, y_score, sample_weight, pos_label, "frequency", scale="order").average_precision()


def roc_curve(y_true: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None) -> dict[str, np.ndarray]:
    """Rates of events and of false alarms at every threshold, from the highest down.

    Parameters are those of `average_precision`.

    Returns
    -------
    dict of ndarray
        threshold, true_positive_rate and false_positive_rate; the first threshold is infinite and calls no row.

    Examples
    --------
    >>> from oddsmith.metrics import roc_curve
    >>> roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])["true_positive_rate"].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    return ranked(y_true, y_score, sample_weight, pos_label, "frequency", scale="order").roc()


def precision_recall_curve(y_true: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None) -> dict[str, np.ndarray]:
    """Precision and recall at every threshold, from the highest down.

    Parameters are those of `average_precision`.

    Returns
    -------
    dict of ndarray
        threshold, precision and recall.

    Examples
    --------
    >>> from oddsmith.metrics import precision_recall_curve
    >>> precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])["recall"].tolist()
    [0.5, 0.5, 1.0, 1.0]
    """
    return ranked(y_true, y_score, sample_weight, pos_label, "frequency", scale="order").precision_recall()


class DeLongTest(NamedTuple):
    """Two areas over the same rows, and whether they differ."""

    first: float
    second: float
    difference: Estimate
    z: float | None
    p_value: float


def delong_test(
    y_true: Any, first: Any, second: Any, *, sample_weight: Any = None, pos_label: Any = None, weighting: str = "frequency"
) -> DeLongTest:
    """Test whether two scores of the same rows have the same area under the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    first, second : array-like of shape (n_samples,)
        Two scores of every row.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.
    weighting : {'frequency', 'sampling'}, default='frequency'
        What weights mean: a row so many times, or so many units of the population.

    Returns
    -------
    DeLongTest
        Both areas, their difference with its interval, z (``None`` where both order every pair alike) and the two-sided p-value.

    Examples
    --------
    >>> from oddsmith.metrics import delong_test
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> test = delong_test(y, [1, 2, 3, 5, 4, 6, 7, 8], [1, 6, 3, 5, 4, 2, 7, 8])
    >>> test.first, test.second, round(test.p_value, 3)
    (0.9375, 0.6875, 0.221)
    """
    found = events(y_true, pos_label)
    scores = [np.ascontiguousarray(column_or_1d(np.asarray(score, dtype=np.float64))) for score in (first, second)]
    check_consistent_length(found, *scores)
    weights, meaning = weighted(sample_weight, found, weighting)
    one, two, variance, z, p_value = _core.delong(*scores, found, weights, meaning)
    reach = 1.959963984540054 * variance**0.5
    return DeLongTest(one, two, Estimate(one - two, one - two - reach, one - two + reach, variance=variance), z, p_value)
