"""What acting on probabilities does: predicted classes, thresholds, what they are worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _checks, _core
from ..exceptions import ParameterError
from ._estimate import Estimate
from ._rows import figure, judged, ranked, truth

_AIMS = ("youden", "prevalence", "costs", "sensitivity", "specificity", "precision")


def _called(y_true: Any, y_pred: Any, sample_weight: Any, labels: Any) -> _core.Evaluation:
    """Predicted classes judged, over all classes that were true or predicted: probabilities of 0 and 1 say the same."""
    if labels is None:
        labels = np.unique(np.concatenate([np.asarray(y_true), np.asarray(y_pred)]))
    classes, codes = truth(y_pred, labels)
    return judged(y_true, np.eye(len(classes))[codes], sample_weight, classes)


_PARAMETERS = """

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    y_pred : array-like of shape (n_samples,)
        The predicted classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    labels : array-like, default=None
        All classes, where neither holds every one.

    Returns
    -------
    Estimate
        The figure, with an interval where there is one.

    Examples
    --------
    >>> from oddsmith.metrics import {name}
    >>> round(float({name}([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])), 4)
    {value}
    """


def _figure_of_calls(name: str, key: str, summary: str, value: float) -> Any:
    def metric(y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None) -> Estimate:
        return figure(_called(y_true, y_pred, sample_weight, labels), key)

    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = summary + _PARAMETERS.format(name=name, value=value)
    return metric


accuracy = _figure_of_calls("accuracy", "accuracy", "Proportion of rows whose predicted class is right, with Wilson's interval.", 0.8)
balanced_accuracy = _figure_of_calls("balanced_accuracy", "balanced_accuracy", "Mean over the classes of the proportion that was predicted right.", 0.8333)
matthews_corrcoef = _figure_of_calls("matthews_corrcoef", "mcc", "Matthews' correlation between truth and call.", 0.6667)
cohen_kappa = _figure_of_calls("cohen_kappa", "kappa", "Cohen's kappa: agreement beyond chance.", 0.6154)
sensitivity = _figure_of_calls("sensitivity", "sensitivity", "Proportion of events that are predicted positive; of two classes.", 0.6667)
specificity = _figure_of_calls("specificity", "specificity", "Proportion of others that are not predicted positive; of two classes.", 1.0)
precision = _figure_of_calls("precision", "precision", "Positive predictive value: proportion of positive predictions that are events; of two classes.", 1.0)
f1 = _figure_of_calls("f1", "f1", "Harmonic mean of precision and sensitivity; of two classes.", 0.8)


def confusion_matrix(y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None) -> np.ndarray:
    """Weights of rows by true class (down) and predicted class (across).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    y_pred : array-like of shape (n_samples,)
        The predicted classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    labels : array-like, default=None
        All classes, where neither holds every one.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        The matrix.

    Examples
    --------
    >>> from oddsmith.metrics import confusion_matrix
    >>> confusion_matrix([0, 1, 1, 0, 1], [0, 1, 0, 0, 1]).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    return _called(y_true, y_pred, sample_weight, labels).confusion()


def net_benefit(
    y_true: Any, y_prob: Any, *, thresholds: Any = None, sample_weight: Any = None, pos_label: Any = None
) -> dict[str, np.ndarray]:
    """What acting from a probability up is worth, in events found per row.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes, of which there are two.
    y_prob : array-like of shape (n_samples,)
        Probability of the event.
    thresholds : array-like, default=None
        Thresholds above 0 and below 1; by default 0.01 to 0.99.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.

    Returns
    -------
    dict of ndarray
        threshold, net_benefit and net_benefit_of_all; acting on no row is worth 0.

    Examples
    --------
    >>> from oddsmith.metrics import net_benefit
    >>> net_benefit([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.8], thresholds=[0.5])["net_benefit"].tolist()
    [0.5]
    """
    wanted = np.arange(1, 100) / 100 if thresholds is None else np.sort(np.asarray(thresholds, dtype=np.float64).ravel())
    if len(wanted) and not (wanted[0] > 0 and wanted[-1] < 1):
        raise ParameterError("thresholds are not accepted: numbers above 0 and below 1")
    return ranked(y_true, y_prob, sample_weight, pos_label, "frequency").net_benefit(wanted.tolist())


def lift(y_true: Any, y_score: Any, *, parts: int = 10, sample_weight: Any = None, pos_label: Any = None) -> dict[str, np.ndarray]:
    """Gains and lift: how many of all events lie among the rows with the highest scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes, of which there are two.
    y_score : array-like of shape (n_samples,)
        Scores of the event in any unit.
    parts : int, default=10
        Number of equal parts of the rows.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.

    Returns
    -------
    dict of ndarray
        share_of_rows, share_of_events, lift and rate.

    Examples
    --------
    >>> from oddsmith.metrics import lift
    >>> lift([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.8], parts=2)["lift"].tolist()
    [2.0, 1.0]
    """
    return ranked(y_true, y_score, sample_weight, pos_label, "frequency", scale="order").lift(_checks.whole("parts", parts, 1))


def choose_threshold(
    y_true: Any,
    y_prob: Any,
    *,
    aim: str = "youden",
    value: float | None = None,
    costs: tuple[float, float] | None = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    weighting: str = "frequency",
    random_state: int = 1,
) -> tuple[Estimate, dict[str, Estimate | None]]:
    """Choose the probability from which the event is predicted.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes, of which there are two.
    y_prob : array-like of shape (n_samples,)
        Probability of the event.
    aim : {'youden', 'prevalence', 'costs', 'sensitivity', 'specificity', 'precision'}, default='youden'
        The largest sensitivity + specificity, the base rate, the least cost, or at least `value` of the named proportion.
    value : float, default=None
        The wanted sensitivity, specificity or precision.
    costs : (float, float), default=None
        Costs of a false alarm and of a missed event.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up.
    pos_label : label, default=None
        The event; by default the second of two classes.
    weighting : {'frequency', 'sampling'}, default='frequency'
        What weights mean for the intervals.
    random_state : int, default=1
        Start of the random numbers of the bootstrap that gives the interval.

    Returns
    -------
    threshold : Estimate
        The threshold with its interval.
    shares : dict
        sensitivity, specificity, precision, negative_predictive_value and predicted_positive at the threshold, as `Estimate`; one that the rows do not
        determine is NaN and says why in its ``note``.

    Examples
    --------
    >>> from oddsmith.metrics import choose_threshold
    >>> threshold, shares = choose_threshold([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.7, 0.9], aim="costs", costs=(1, 3))
    >>> float(threshold), float(shares["sensitivity"])
    (0.25, 1.0)
    """
    _checks.one_of("aim", aim, _AIMS)
    if aim == "costs" and costs is None:
        raise ParameterError("aim = 'costs' needs costs, a pair of the costs of a false alarm and of a missed event")
    if aim in ("sensitivity", "specificity", "precision"):
        value = _checks.share("value", value)
    ranking = ranked(y_true, y_prob, sample_weight, pos_label, weighting)
    threshold, shares = ranking.threshold(aim, value, costs, random_state)
    return Estimate(*threshold), {name: Estimate(*ends) for name, ends in shares.items()}
