"""Truth, answers and weights as the core judges them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from .. import _checks, _core
from .._inputs import class_names, codes_among, encode_labels, row_weights
from ..exceptions import DataError
from ._estimate import Estimate

MEANINGS = ("frequency", "sampling")


def truth(y_true: Any, labels: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The classes in order and the class of every row as a code."""
    y_true = column_or_1d(y_true)
    if labels is None:
        return encode_labels(y_true)
    classes = np.unique(np.asarray(labels))
    return classes, codes_among(y_true, classes)


def weighted(sample_weight: Any, rows: Any, weighting: str) -> tuple[np.ndarray | None, str]:
    """Weights and what they mean."""
    _checks.one_of("weighting", weighting, MEANINGS)
    weights = row_weights(sample_weight, rows)
    return weights, "none" if weights is None else weighting


def judged(
    y_true: Any,
    y_prob: Any,
    sample_weight: Any = None,
    labels: Any = None,
    weighting: str = "frequency",
    threshold: float | None = None,
    bins: int = 10,
    groups: int = 10,
) -> _core.Evaluation:
    """Probabilities judged: of the second class (one-dimensional), or of every class."""
    classes, codes = truth(y_true, labels)
    answers = np.asarray(y_prob, dtype=np.float64)
    check_consistent_length(codes, answers)
    if answers.ndim == 1:
        if len(classes) > 2:
            raise DataError(f"y_prob has one column and y_true has {len(classes)} classes; one column per class is needed")
        if len(classes) < 2:
            raise DataError("y_true has only one class; pass labels to name the other" if len(classes) else "y_true has no rows")
        answers = np.column_stack([1.0 - answers, answers])
    if answers.shape[1] != len(classes):
        raise DataError(f"y_prob has {answers.shape[1]} columns and y_true has {len(classes)} classes; pass labels to name them all")
    weights, meaning = weighted(sample_weight, codes, weighting)
    params = {"threshold": threshold, "weighting": meaning, "bins": bins, "groups": groups}
    return _core.judge(np.ascontiguousarray(answers), False, codes, weights, class_names(classes), params)


def figure(judged_rows: _core.Evaluation, name: str) -> Estimate:
    """One figure of judged rows."""
    return Estimate(*judged_rows.figure(name))


def events(y_true: Any, pos_label: Any = None) -> np.ndarray:
    """One where a row has the event: the second of two classes, or the one that is named."""
    y_true = column_or_1d(y_true)
    if pos_label is not None:
        return (y_true == pos_label).astype(np.uint32)
    classes, codes = encode_labels(y_true)
    if len(classes) > 2:
        raise DataError(f"y_true has {len(classes)} classes; pass pos_label to name the event, or use oddsmith.evaluate")
    if len(classes) == 1 and classes[0] in (0, False):
        return np.zeros(len(codes), np.uint32)
    return codes if len(classes) == 2 else np.ones(len(codes), np.uint32)


def _check(values: np.ndarray, accepted: np.ndarray, what: str, rule: str) -> None:
    """Name the first row whose value is not accepted."""
    if not accepted.all():
        row = int(np.argmin(accepted))
        raise DataError(f"row {row + 1}: {what} cannot be `{values[row]}`; {rule}")


def ranked(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, weighting: str, *, scale: str = "probability"
) -> _core.Ranking:
    """Rows in the order of their scores: probabilities, or mere order."""
    found = events(y_true, pos_label)
    scores = column_or_1d(np.asarray(y_score, dtype=np.float64))
    check_consistent_length(found, scores)
    _check(scores, np.isfinite(scores), "a score", "scores are finite numbers")
    if scale == "probability":
        _check(scores, (scores >= 0) & (scores <= 1), "a probability", "probabilities are numbers from 0 to 1")
    weights, meaning = weighted(sample_weight, found, weighting)
    return _core.Ranking(np.ascontiguousarray(scores), found, weights, scale, meaning)
