"""Probabilities that mean what they say, from any classifier."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, column_or_1d, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from . import _checks, _core
from ._base import Classifier, check_not_single, no_prediction
from ._inputs import encode_labels, row_weights
from ._wrapped import Wrapped, log_scores
from .exceptions import NoEstimateError, OddsmithWarning, UnsupportedError, tell

__all__ = ["CalibratedClassifier"]

_METHODS = {"sigmoid": "platt", "platt": "platt", "isotonic": "isotonic", "temperature": "temperature", "beta": "beta"}
# Log probability of what a classifier calls impossible: half the distance from 1 to the next smaller number.
_FLOOR = float(np.log(2.0**-53))


def _savable(self: CalibratedClassifier) -> bool:
    return isinstance(getattr(self, "estimator_", self.estimator), Classifier)


class CalibratedClassifier(Wrapped):
    """Calibrate the probabilities of a classifier on rows that it has not seen.

    The rows are cut into folds; every row is scored by a classifier that was fitted to the other folds, one map from scores to
    probabilities is learned from all of these, and the classifier is fitted to all rows. Where held-out scores do not rise
    with the classes there is no map; then all scores share one temperature, or predictions are the proportions of the classes, and a
    warning says so.

    Parameters
    ----------
    estimator : classifier
        Anything with `predict_log_proba`, `predict_proba` or `decision_function`. A `FrozenEstimator` is left as it is.
    method : {'sigmoid', 'isotonic', 'temperature', 'beta'}, default='sigmoid'
        Platt's line on the log odds, a rising curve, one factor for all scores, or two slopes and an intercept. With more than two
        classes all but 'temperature' map every class against the rest.
    cv : int, splitter, iterable or 'prefit', default=5
        Folds; 'prefit' takes a fitted classifier as it is and learns the map from all rows.
    n_jobs : int, default=None
        Folds that are fitted side by side, as joblib counts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimator_ : classifier
        The classifier, fitted to all rows.
    calibration_ : str
        The map in words.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import CalibratedClassifier, GaussianNB
    >>> from oddsmith.metrics import log_loss
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 400)
    >>> X = np.repeat(rng.normal(size=(400, 1)) + y[:, None], 5, axis=1)
    >>> plain, calibrated = GaussianNB().fit(X, y), CalibratedClassifier(GaussianNB()).fit(X, y)
    >>> bool(log_loss(y, calibrated.predict_proba(X)) < log_loss(y, plain.predict_proba(X)))
    True
    """

    def __init__(self, estimator, *, method="sigmoid", cv=5, n_jobs=None):
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CalibratedClassifier:
        """Fit classifier and map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The class of every row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up, for the classifier (where it takes them) and for the map.

        Returns
        -------
        CalibratedClassifier
            The fitted estimator itself.
        """
        method = _METHODS[_checks.one_of("method", self.method, tuple(_METHODS))]
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        y = column_or_1d(y, warn=True)
        X, y = indexable(X, y)
        classes, codes = encode_labels(y)
        check_not_single(classes)
        weights = row_weights(sample_weight, y)
        if isinstance(self.cv, str) and self.cv == "prefit":
            check_is_fitted(self.estimator)
            self._adopt(self.estimator)
            classes, codes = self.classes_, np.searchsorted(self.classes_, y).astype(np.uint32)
            scores = log_scores(self.estimator_, X)
        else:
            # Wrong input is found by the classifier itself, before rows are dealt.
            self._adopt(_fitted(self.estimator, X, y, weights))
            scores = self._held_out(X, y, classes, weights)
        lacking = np.isnan(scores).any(axis=1)
        if lacking.any():
            tell([no_prediction(int(lacking.sum()), "teaches the map nothing", "teach the map nothing")])
            scores, codes, weights = scores[~lacking], codes[~lacking], None if weights is None else weights[~lacking]
        self._floor = _FLOOR if np.isneginf(scores).any() else -np.inf
        self._learn(method, np.maximum(scores, self._floor), codes, weights)
        return self

    def _held_out(self, X: Any, y: np.ndarray, classes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """Scores of every row from a classifier that has not seen it."""
        splits = list(check_cv(self.cv, y, classifier=True).split(X, y))

        def scored(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            part = None if weights is None else weights[train]
            fitted = _fitted(self.estimator, _safe_indexing(X, train), y[train], part)
            return np.searchsorted(classes, fitted.classes_), log_scores(fitted, _safe_indexing(X, test))

        answers = Parallel(n_jobs=self.n_jobs)(delayed(scored)(train, test) for train, test in splits)
        scores, held_out = np.full((len(y), len(classes)), np.nan), np.zeros(len(y), dtype=bool)
        for (_, test), (places, part) in zip(splits, answers, strict=True):
            known = np.full((len(test), len(classes)), -np.inf)
            known[:, places] = part
            scores[test], held_out[test] = known, True
        if not held_out.all():
            raise ValueError("cv must hold every row out once")
        return scores

    def _learn(self, method: str, scores: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> None:
        """Learns the map, or a simpler one where the rows determine none."""
        scores, notices = np.ascontiguousarray(scores), []
        for simpler in dict.fromkeys((method, "temperature")):
            try:
                self._map = _core.CalibrationMap.fit(simpler, scores, codes, weights)
                break
            except NoEstimateError as error:
                notices.append(("W304", None, None, f"{error}; the next simpler map is used"))
        else:
            counts = np.bincount(codes, weights=weights, minlength=scores.shape[1]) + 1.0
            self._map = _core.CalibrationMap.from_parts([("affine", [0.0, *np.log(counts / counts.sum())])])
        self.calibration_ = self._map.describe()
        self.diagnostics_: list[OddsmithWarning] = tell(notices)

    def _moved(self, scores: np.ndarray) -> np.ndarray:
        return self._map.apply(np.ascontiguousarray(np.maximum(scores, self._floor)))

    @available_if(_savable)
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write classifier and map to one model file that the command and every other front end can read.

        Parameters
        ----------
        path : path-like
            Where to write; an existing file is replaced as a whole or not at all.
        """
        check_is_fitted(self)
        if self._floor > -np.inf:
            raise UnsupportedError("the classifier calls some rows impossible, which a model file would calibrate otherwise")
        _core.write_file(path, self.estimator_._finished_model().calibrated(self._map, self.method).to_bytes())


def _fitted(estimator: Any, X: Any, y: np.ndarray, weights: np.ndarray | None) -> Any:
    """A fitted copy of a classifier; weights go to those that take them."""
    takes = weights is not None and has_fit_parameter(estimator, "sample_weight")
    return clone(estimator).fit(X, y, **({"sample_weight": weights} if takes else {}))
