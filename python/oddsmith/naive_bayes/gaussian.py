"""Normal densities of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _checks
from ..exceptions import ParameterError
from ._family import _NaiveBayes


class GaussianNB(_NaiveBayes):
    """Gaussian naive Bayes: in every class, every column has a normal density.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the proportions of the classes in the data.
    var_smoothing : float, default=1e-9
        What is added to every variance, as a share of the largest overall variance of any column.
    var_tying : {'per-class', 'per-column', 'single'}, default='per-class'
        Which densities share a variance: none, those of a column, or all. Shared ones make log odds linear.
    divisor : {'ml', 'unbiased'}, default='ml'
        What squared deviations are divided by: the number of rows, or one less per mean that was estimated.
    predictive : bool, default=False
        Integrate means and variances out instead of plugging in estimates: honest about small classes.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of every class.
    theta_ : ndarray of shape (n_classes, n_features)
        Means; with `var_` and the classes' figures ``float32`` for such rows, as answers then are.
    var_ : ndarray of shape (n_classes, n_features)
        Variances, smoothing included.
    epsilon_ : float
        What was added to the variances.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import GaussianNB
    >>> X = np.array([[1.0, 5.0], [2.0, 4.0], [4.0, 4.5], [5.0, 1.0], [6.0, 2.0], [9.0, 1.5]])
    >>> y = np.array(["healthy", "healthy", "healthy", "ill", "ill", "ill"])
    >>> model = GaussianNB().fit(X, y)
    >>> model.predict([[2.0, 5.0]])
    array(['healthy'], dtype='<U7')
    >>> bool(model.predict_proba([[2.0, 5.0]])[0, 0] > 0.99)
    True
    """

    _family = "gaussian"
    _wanted = "moments"
    _shown = "theta_"

    def __init__(self, *, priors=None, var_smoothing=1e-9, var_tying="per-class", divisor="ml", predictive=False, n_jobs=None):
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.var_tying = var_tying
        self.divisor = divisor
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _checks.at_least("var_smoothing", self.var_smoothing, 0)
        _checks.declared("tying", "var_tying", self.var_tying)
        _checks.declared("divisor", "divisor", self.divisor)

    def _core_params(self) -> dict[str, Any]:
        prior = "data" if self.priors is None else self.class_prior_.tolist()
        own = {"prior": prior, "variance_addend": float(self.var_smoothing), "tying": self.var_tying, "divisor": self.divisor}
        return super()._core_params() | own

    def _learn(self, X: Any, codes: np.ndarray, sample_weight: Any, *, first: bool) -> None:
        super()._learn(X, codes, sample_weight, first=first)
        self._show(X, "class_count_", "class_prior_", "theta_", "var_")

    def _describe(self) -> None:
        counts = self.class_count_
        means, squares = self._sums.moments()
        overall = squares[-1] / counts.sum()
        self.theta_ = means[:-1]
        self.epsilon_ = float(self.var_smoothing * overall.max())
        with np.errstate(invalid="ignore", divide="ignore"):
            self.var_ = np.nan_to_num(self._variances(squares[:-1], counts[:, None], overall > 0), posinf=0.0) + self.epsilon_
        if self.priors is None:
            self.class_prior_ = self._class_shares()
        else:
            self.class_prior_ = _checks.class_prior("priors", self.priors, len(counts))
            if not np.isclose(self.class_prior_.sum(), 1.0):
                raise ParameterError("The sum of the priors should be 1.")

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        shape = (len(self.classes_), self.n_features_in_)
        self.class_prior_ = np.exp(arrays["prior.log"])
        self.theta_, self.var_, self.epsilon_ = np.full(shape, np.nan), np.full(shape, np.nan), 0.0
        # A model of constant columns only has no part.
        columns = arrays.get("part0.columns", np.zeros(0)).astype(int)
        self.predictive = "part0.location" in arrays
        for attribute, name, power in (("theta_", "location" if self.predictive else "mean", 1), ("var_", "scale" if self.predictive else "sd", 2)):
            if len(columns):
                getattr(self, attribute)[:, columns] = arrays[f"part0.{name}"].reshape(len(self.classes_), -1) ** power

    def _variances(self, squares: np.ndarray, counts: np.ndarray, varying: np.ndarray) -> np.ndarray:
        """Squared deviations over divisors, shared as the tying says."""
        divisors = np.broadcast_to(counts - (self.divisor == "unbiased") * (counts > 0), squares.shape)
        if self.var_tying == "per-class":
            return squares / divisors
        if self.var_tying == "per-column":
            return np.broadcast_to(squares.sum(axis=0) / divisors.sum(axis=0), squares.shape).copy()
        shared = squares[:, varying].sum() / divisors[:, varying].sum()
        return np.where(varying, shared, np.zeros_like(squares))
