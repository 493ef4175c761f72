"""Whether probabilities mean what they say."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _checks
from ._estimate import Estimate
from ._rows import ranked


class BrierParts(NamedTuple):
    """Brier score = reliability − resolution + uncertainty, exactly."""

    reliability: float
    resolution: float
    uncertainty: float


class HosmerLemeshow(NamedTuple):
    """Hosmer and Lemeshow's test and its groups."""

    chi_squared: float
    df: int
    p_value: float
    groups: dict[str, np.ndarray]


def brier_decomposition(y_true: Any, y_prob: Any, *, sample_weight: Any = None, pos_label: Any = None) -> BrierParts:
    """Split the Brier score into what recalibrating would gain, what the order gains, and what no model can know.

    Without bins: the recalibrated probabilities are the rising curve nearest to the outcomes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes, of which there are two.
    y_prob : array-like of shape (n_samples,)
        Probability of the event.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.

    Returns
    -------
    BrierParts
        reliability, resolution and uncertainty.

    Examples
    --------
    >>> from oddsmith.metrics import brier, brier_decomposition
    >>> y, p = [0, 1, 0, 1, 1], [0.2, 0.3, 0.4, 0.6, 0.9]
    >>> parts = brier_decomposition(y, p)
    >>> abs(parts.reliability - parts.resolution + parts.uncertainty - brier(y, p)) < 1e-15
    True
    """
    return BrierParts(*ranked(y_true, y_prob, sample_weight, pos_label, "frequency").reliability()[1])


def reliability_curve(
    y_true: Any, y_prob: Any, *, sample_weight: Any = None, pos_label: Any = None, weighting: str = "frequency"
) -> dict[str, np.ndarray]:
    """Observed rates against predicted probabilities, without bins and with a 95 % band.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes, of which there are two.
    y_prob : array-like of shape (n_samples,)
        Probability of the event.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.
    weighting : {'frequency', 'sampling'}, default='frequency'
        What weights mean for the band.

    Returns
    -------
    dict of ndarray
        One entry per step: predicted_low, predicted_high, predicted, observed, band_low, band_high and weight.

    Examples
    --------
    >>> from oddsmith.metrics import reliability_curve
    >>> reliability_curve([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])["observed"].tolist()
    [0.0, 0.5, 1.0]
    """
    return ranked(y_true, y_prob, sample_weight, pos_label, weighting).reliability()[0]


def calibration_intercept(
    y_true: Any, y_prob: Any, *, sample_weight: Any = None, pos_label: Any = None, weighting: str = "frequency"
) -> Estimate:
    """Log odds by which predictions are too low on the whole: 0 when calibrated in the large.

    Parameters are those of `reliability_curve`.

    Returns
    -------
    Estimate
        The intercept with the slope held at 1, and its interval.

    Examples
    --------
    >>> from oddsmith.metrics import calibration_intercept
    >>> abs(calibration_intercept([0, 1, 0, 1], [0.3, 0.5, 0.5, 0.7])) < 1e-12
    True
    """
    return Estimate(*ranked(y_true, y_prob, sample_weight, pos_label, weighting).calibration("intercept"))


def calibration_slope(
    y_true: Any, y_prob: Any, *, sample_weight: Any = None, pos_label: Any = None, weighting: str = "frequency"
) -> Estimate:
    """What predicted log odds are to be multiplied by: 1 when calibrated, below 1 when overconfident.

    Parameters are those of `reliability_curve`.

    Returns
    -------
    Estimate
        The slope with its interval.

    Examples
    --------
    >>> from oddsmith.metrics import calibration_slope
    >>> y = [0, 0, 1, 0, 1, 0, 1, 1]
    >>> calibration_slope(y, [0.01, 0.02, 0.03, 0.1, 0.9, 0.97, 0.98, 0.99]) < 1
    True
    """
    return Estimate(*ranked(y_true, y_prob, sample_weight, pos_label, weighting).calibration("slope"))


def expected_calibration_error(
    y_true: Any, y_prob: Any, *, bins: int = 10, sample_weight: Any = None, pos_label: Any = None, weighting: str = "frequency"
) -> Estimate:
    """Mean distance between observed rates and predicted probabilities over bins of equal width.

    Calibrated probabilities do not have zero; ``by_chance`` of the result is what they would show on as many rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes, of which there are two.
    y_prob : array-like of shape (n_samples,)
        Probability of the event.
    bins : int, default=10
        Number of bins.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.
    weighting : {'frequency', 'sampling'}, default='frequency'
        What weights mean for the interval.

    Returns
    -------
    Estimate
        The error with its interval and the attribute ``by_chance``.

    Examples
    --------
    >>> from oddsmith.metrics import expected_calibration_error
    >>> round(expected_calibration_error([0, 1, 0, 1], [0.25, 0.75, 0.25, 0.75]), 3)
    0.25
    """
    figure, by_chance = ranked(y_true, y_prob, sample_weight, pos_label, weighting).ece(_checks.whole("bins", bins, 1))
    error = Estimate(*figure)
    error.by_chance = by_chance
    return error


def hosmer_lemeshow(
    y_true: Any, y_prob: Any, *, groups: int = 10, sample_weight: Any = None, pos_label: Any = None, weighting: str = "frequency"
) -> HosmerLemeshow:
    """Test calibration by comparing observed and expected counts in groups of the predicted probability.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes, of which there are two.
    y_prob : array-like of shape (n_samples,)
        Probability of the event.
    groups : int, default=10
        Number of groups, at most.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.
    weighting : {'frequency', 'sampling'}, default='frequency'
        What weights mean.

    Returns
    -------
    HosmerLemeshow
        chi_squared, df, p_value and the groups.

    Examples
    --------
    >>> from oddsmith.metrics import hosmer_lemeshow
    >>> test = hosmer_lemeshow([0, 0, 1, 0, 1, 1] * 5, [0.2, 0.3, 0.4, 0.5, 0.6, 0.7] * 5, groups=3)
    >>> test.df, round(test.chi_squared, 2)
    (1, 8.82)
    """
    return HosmerLemeshow(*ranked(y_true, y_prob, sample_weight, pos_label, weighting).hosmer_lemeshow(_checks.whole("groups", groups, 3)))
