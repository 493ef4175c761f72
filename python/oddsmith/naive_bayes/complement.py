"""Shares of counts in all other classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _checks
from ._discrete import _CountingNB


class ComplementNB(_CountingNB):
    """Multinomial naive Bayes learned from all other classes, for classes of uneven size.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of every column in every class.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10.
    fit_prior, class_prior
        Change ``class_log_prior_`` only: the rule has no prior.
    norm : bool, default=False
        Divide the weights of every class by their sum.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log probability of every class, which the rule does not use.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Sums of counts.
    feature_all_ : ndarray of shape (n_features,)
        Sums of counts over all classes.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weight of every column in every class.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import ComplementNB
    >>> X = np.array([[2, 1, 0], [3, 0, 0], [0, 1, 4]])
    >>> model = ComplementNB().fit(X, ["ham", "ham", "spam"])
    >>> model.predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    _family = "complement"
    _wanted = "totals"
    predictive = False

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, norm=False, n_jobs=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _checks.flag("norm", self.norm)

    def _core_params(self) -> dict[str, Any]:
        return super()._core_params() | {"prior": "uniform", "normalized": bool(self.norm)}

    def _describe_columns(self, alpha: Any) -> None:
        super()._describe_columns(alpha)
        self.feature_all_ = self.feature_count_.sum(axis=0)

    def _log_shares(self, counts: np.ndarray, alpha: Any) -> np.ndarray:
        elsewhere = self.feature_all_ - counts + alpha
        weights = -np.log(elsewhere / elsewhere.sum(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True) if self.norm else weights

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Give the unnormalised score of every row and class; complement naive Bayes has no joint distribution.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Scores in the order of ``classes_``.
        """
        return self._ask(X, "scores") + np.log(len(self.classes_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
