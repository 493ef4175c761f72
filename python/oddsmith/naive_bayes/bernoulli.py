"""Flags, set or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _checks
from ..exceptions import ParameterError
from ._discrete import _CountingNB


class BernoulliNB(_CountingNB):
    """Bernoulli naive Bayes over flags: what is absent speaks as well as what is present.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of both values of every column in every class.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10.
    binarize : float or None, default=0.0
        A value above this is a set flag; ``None`` says that the values are 0 and 1 already.
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
        Weight of the rows whose flag is set.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log probability of a set flag.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import BernoulliNB
    >>> X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1]])
    >>> model = BernoulliNB().fit(X, ["ham", "ham", "spam"])
    >>> model.predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    _family = "bernoulli"
    _wanted = "flags"

    def __init__(self, *, alpha=1.0, force_alpha=True, binarize=0.0, fit_prior=True, class_prior=None, predictive=False, n_jobs=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _threshold(self) -> float:
        return 0.0 if self.binarize is None else float(self.binarize)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if np.ndim(self.alpha) > 0:
            raise ParameterError("alpha must be one number: both values of a flag share it")
        if self.binarize is not None:
            _checks.at_least("binarize", self.binarize, 0)

    def _core_params(self) -> dict[str, Any]:
        return super()._core_params() | {"threshold": self._threshold()}

    def _counted(self) -> np.ndarray:
        return self._sums.flags()

    def _log_shares(self, counts: np.ndarray, alpha: Any) -> np.ndarray:
        return np.log(counts + alpha) - np.log(self.class_count_ + 2 * alpha)[:, None]

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        super()._describe_model(arrays, head)
        if "part0.present" in arrays:
            self.feature_log_prob_ = self._by_class(arrays["part0.present"])
            self.binarize = next(part["threshold"] for part in head["naive-bayes"]["parts"] if part["part"] == "flags")
        elif "part0.table" in arrays:
            # The weight of a word is the log odds of its presence.
            self.feature_log_prob_ = -np.logaddexp(0.0, -self.feature_log_prob_)
