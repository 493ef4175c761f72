"""Logistic regression behind scikit-learn's door."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core
from ._base import Classifier, check_not_single
from ._inputs import core_rows, encode_labels, row_weights, thread_count
from .exceptions import ParameterError

__all__ = ["LogisticRegression"]

_SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
_PENALTIES = ("deprecated", "l1", "l2", "elasticnet", None)
_FEWEST_STEPS = 200
_COARSEST = 1e-8


class LogisticRegression(Classifier):
    """Logistic regression, and softmax regression for more than two classes.

    The fit ends at the optimum, not near it: `solver`, `tol` and `max_iter` are accepted for compatibility, and no choice of
    them changes the answer. Without a penalty (``C=np.inf``) classes that can be told apart without error have no finite
    optimum; that is an error which names the columns, unless `on_separation` says otherwise. For standard errors, intervals
    and tests see `Logit`.

    Parameters
    ----------
    penalty : {'l1', 'l2', 'elasticnet', None}, default='deprecated'
        Accepted for compatibility; ``None`` is ``C=np.inf``, 'l1' is ``l1_ratio=1``.
    C : float, default=1.0
        Inverse strength of the penalty: ((1 − r) ½ Σ β² + r Σ |β|) / C with r the `l1_ratio` is added to the log loss.
        ``np.inf`` is no penalty.
    l1_ratio : float, default=0.0
        Share of the absolute penalty; above 0 for two classes only.
    dual : bool, default=False
        Accepted for compatibility.
    tol : float, default=1e-4
        Accepted for compatibility; smaller values than 1e-8 are obeyed.
    fit_intercept : bool, default=True
        Whether there is an intercept, which is never penalised.
    intercept_scaling : float, default=1
        Accepted for compatibility.
    class_weight : dict or 'balanced', default=None
        Factors of the weights of rows by class.
    random_state : default=None
        Accepted for compatibility; nothing is random.
    solver : str, default='lbfgs'
        Accepted for compatibility; the solver is chosen by the data.
    max_iter : int, default=100
        Accepted for compatibility; larger values than 200 are obeyed.
    verbose : int, default=0
        Accepted for compatibility.
    warm_start : bool, default=False
        Accepted for compatibility; the optimum does not depend on the start.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.
    firth : bool, default=False
        Firth's penalised likelihood, which is finite always and less biased for few rows; needs ``C=np.inf``.
    on_separation : {'error', 'firth'}, default='error'
        What to do where no finite optimum exists.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; with more than two classes they add up to zero over the classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_iter_ : ndarray of shape (1,)
        Steps of the solver.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import LogisticRegression
    >>> X = np.array([[0.5], [1.0], [1.5], [2.0], [2.5], [3.0]])
    >>> model = LogisticRegression(C=np.inf).fit(X, [0, 0, 1, 0, 1, 1])
    >>> model.coef_.round(4)
    array([[2.4281]])
    """

    _sparse = True

    def __init__(
        self,
        penalty="deprecated",
        *,
        C=1.0,
        l1_ratio=0.0,
        dual=False,
        tol=1e-4,
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        random_state=None,
        solver="lbfgs",
        max_iter=100,
        verbose=0,
        warm_start=False,
        n_jobs=None,
        firth=False,
        on_separation="error",
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.firth = firth
        self.on_separation = on_separation

    def _knobs(self) -> dict[str, Any]:
        _checks.one_of("solver", self.solver, _SOLVERS)
        _checks.flag("fit_intercept", self.fit_intercept)
        if self.penalty not in _PENALTIES:
            raise ParameterError(f"penalty = {self.penalty!r} is not accepted: 'l2' or None")
        if not (isinstance(self.C, (int, float, np.number)) and self.C > 0):
            raise ParameterError(f"C = {self.C!r} is not accepted: a number above 0")
        if self.penalty is None and self.C != 1.0:
            warnings.warn("Setting penalty=None will ignore the C and l1_ratio parameters", stacklevel=3)
        absolute = {"l1": 1.0, "l2": 0.0}.get(self.penalty, _checks.share("l1_ratio", self.l1_ratio or 0.0))
        free = self.penalty is None or self.C == np.inf
        if self.firth and not free:
            raise ParameterError("firth = True is not accepted: Firth's penalty does not go with another; set C=np.inf")
        return {
            "formula": None if self.fit_intercept else "y ~ . - 1",
            "l2": 0.0 if free else (1.0 - absolute) / float(self.C),
            "l1": 0.0 if free else absolute / float(self.C),
            "firth": _checks.flag("firth", self.firth),
            "firth_if_separated": _checks.one_of("on_separation", self.on_separation, ("error", "firth")) == "firth",
            "precision": "none",
            "level": 0.95,
            "tests": False,
            "robust": None,
            "cluster": None,
            "units": [],
            "tolerance": min(_checks.at_least("tol", self.tol, 0), _COARSEST) or _COARSEST,
            "most_steps": max(_checks.whole("max_iter", self.max_iter, 0), _FEWEST_STEPS),
        }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The class of every row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up; a row of weight 2 counts as the row twice.

        Returns
        -------
        LogisticRegression
            The fitted estimator itself.
        """
        knobs = self._knobs()
        X, y = self._checked(X, y, reset=True)
        self.classes_, codes = encode_labels(y)
        weights = row_weights(sample_weight, X)
        check_not_single(self.classes_)
        if self.class_weight is not None:
            factors = compute_class_weight(self.class_weight, classes=self.classes_, y=y, sample_weight=weights)
            weights = factors[codes] if weights is None else weights * factors[codes]
        if weights is not None:
            check_not_single(self.classes_[np.bincount(codes, weights=weights, minlength=len(self.classes_)) > 0])
        make = _core.Columns.numbers if isinstance(X, np.ndarray) else _core.Columns.words
        columns = make(self._names(), self._labels())
        self._obstacle = None
        self._adopt(_core.fit_logistic(columns, core_rows(X), codes, weights, knobs, thread_count(self.n_jobs)))
        self.n_iter_ = np.array([self._model.facts()["steps"]], dtype=np.int32)
        self._describe_weights()
        return self

    def _describe_weights(self) -> None:
        """Weights as scikit-learn gives them: those of the second class, or symmetric ones."""
        intercept, coef = self._model.linear()
        if len(self.classes_) == 2:
            self.intercept_, self.coef_ = intercept[1:], coef[1:]
        else:
            self.intercept_, self.coef_ = intercept - intercept.mean(), coef - coef.mean(axis=0)
        if not self.fit_intercept:
            self.intercept_ = np.zeros(len(self.coef_))

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        self.n_iter_ = np.array([self._model.facts()["steps"]], dtype=np.int32)
        if self._model.linear() is not None:
            self._describe_weights()

    def decision_function(self, X: Any) -> np.ndarray:
        """Give scores: log odds of the second class with two classes, else scores that add up to zero over the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores.
        """
        check_is_fitted(self)
        scores = self._ask(X, "scores")
        if len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores - scores.mean(axis=1, keepdims=True)
