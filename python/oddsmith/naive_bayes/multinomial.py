"""Shares of counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._discrete import _CountingNB


class MultinomialNB(_CountingNB):
    """Multinomial naive Bayes over counts, such as words of texts.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of every column in every class.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10.
    fit_prior : bool, default=True
        Take class probabilities from the data; otherwise all classes are equally probable.
    class_prior : array-like of shape (n_classes,), default=None
        Class probabilities given from outside.
    predictive : bool, default=False
        Integrate the shares out instead of plugging in estimates.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log probability of every class.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Sums of counts.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log share of every column in every class.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import MultinomialNB
    >>> X = np.array([[2, 1, 0], [3, 0, 0], [0, 1, 4]])
    >>> model = MultinomialNB().fit(X, ["ham", "ham", "spam"])
    >>> model.predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    _family = "multinomial"
    _wanted = "totals"

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, predictive=False, n_jobs=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _log_shares(self, counts: np.ndarray, alpha: Any) -> np.ndarray:
        smoothed = counts + alpha
        return np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
