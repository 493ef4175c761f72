"""Class probabilities where classes are more or less common than they were in training."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from . import _checks
from ._base import no_prediction
from ._wrapped import Wrapped, log_scores
from .exceptions import ParameterError, tell

__all__ = ["PriorShift"]

_MOST_STEPS = 10_000


class PriorShift(Wrapped):
    """Change the prior of a classifier: p'(k | x) is proportional to p(k | x) · prior'_k / prior_k.

    Right when the classes themselves look the same and only their shares differ: a screening population instead of a clinic,
    a case-control sample, training rows that were balanced by hand.

    Parameters
    ----------
    estimator : classifier
        The classifier whose probabilities are changed; anything with `predict_proba`.
    priors : array-like of shape (n_classes,), default=None
        Proportions of the classes where predictions are made; ``None`` leaves them as in training until `adapt` finds them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimator_ : classifier
        The fitted classifier.
    train_priors_ : ndarray of shape (n_classes,)
        Proportions of the classes in training.
    priors_ : ndarray of shape (n_classes,)
        Proportions of the classes where predictions are made.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import GaussianNB, PriorShift
    >>> X, y = np.array([[0.0], [1.0], [2.0], [1.5], [2.5], [3.5]]), np.array([0, 0, 0, 1, 1, 1])
    >>> balanced = GaussianNB().fit(X, y)
    >>> rare = PriorShift(GaussianNB(), priors=[0.99, 0.01]).fit(X, y)
    >>> bool(rare.predict_proba([[2.0]])[0, 1] < 0.05 < balanced.predict_proba([[2.0]])[0, 1])
    True
    """

    def __init__(self, estimator, *, priors=None):
        self.estimator = estimator
        self.priors = priors

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PriorShift:
        """Fit the classifier and remember the proportions of its classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The class of every row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up.

        Returns
        -------
        PriorShift
            The fitted estimator itself.
        """
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._adopt(clone(self.estimator).fit(X, y, **weights))
        labels = column_or_1d(y)
        rows = np.ones(len(labels)) if sample_weight is None else _check_sample_weight(sample_weight, labels)
        shares = np.bincount(np.searchsorted(self.classes_, labels), weights=rows, minlength=len(self.classes_))
        self.train_priors_ = shares / shares.sum()
        self.priors_ = self.train_priors_.copy()
        if self.priors is not None:
            self.priors_ = _checks.class_prior("priors", self.priors, len(self.classes_))
            if not np.isclose(self.priors_.sum(), 1.0):
                raise ParameterError("The sum of the priors should be 1.")
        return self

    def adapt(self, X: Any, tol: float = 1e-10) -> PriorShift:
        """Find the proportions of the classes among new rows without labels, and use them from now on.

        The shares that make the new rows most probable, by expectation and maximisation: every step replaces them by the mean of the
        probabilities that they give. Needs probabilities that are calibrated under the training prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.
        tol : float, default=1e-10
            Steps end when no share moves by more than this.

        Returns
        -------
        PriorShift
            The estimator itself, with new `priors_`.
        """
        check_is_fitted(self)
        scores = log_scores(self.estimator_, X)
        lacking = np.isnan(scores).any(axis=1)
        if lacking.any():
            tell([no_prediction(int(lacking.sum()), "tells nothing", "tell nothing")])
            scores = scores[~lacking]
        for _ in range(_MOST_STEPS):
            shifted = self._moved(scores)
            shares = np.exp(shifted).mean(axis=0)
            change = np.abs(shares - self.priors_).max()
            self.priors_ = shares / shares.sum()
            if change <= tol:
                break
        return self

    def _moved(self, scores: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            moved = scores + np.log(self.priors_) - np.log(self.train_priors_)
        return moved - logsumexp(moved, axis=1, keepdims=True)
