"""Least squares and the perceptron behind scikit-learn's door."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from . import _checks
from ._margins import MarginClassifier
from .exceptions import ParameterError

__all__ = ["Perceptron", "RidgeClassifier"]

_NOT_CONVERGED = "W431"


class RidgeClassifier(MarginClassifier):
    """Least-squares lines through +1 for a class and −1 for the others, with a quadratic penalty.

    Scores are margins: `CalibratedClassifier` makes probabilities of them. The fit is exact, from one pass over the rows, with a second one
    where columns are nearly combinations of others.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty: α Σ β² is added to the sum of squares.
    fit_intercept : bool, default=True
        There always is an intercept, which is never penalised.
    copy_X : bool, default=True
        Accepted for compatibility; rows are never changed.
    max_iter : int, default=None
        Accepted for compatibility; there are no iterations.
    tol : float, default=1e-4
        Accepted for compatibility; the solution is exact.
    class_weight : dict or 'balanced', default=None
        Factors of the weights of rows by class.
    solver : {'auto', 'svd', 'cholesky', 'lsqr', 'sparse_cg', 'sag', 'saga', 'lbfgs'}, default='auto'
        Names of scikit-learn's solvers; all lead to the same solution, and one way serves for all.
    positive : bool, default=False
        Coefficients from zero up are not to be had.
    random_state : default=None
        Accepted for compatibility; nothing is random.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.
    missing : {'drop', 'indicator', 'mean', 'error'}, default='drop'
        Rows of a data frame with a missing predictor: leave them out, a level or column of their own, the mean, or an error.
    kinds : dict, default=None
        The kind of columns of a data frame that should not be read as their type suggests.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients, of the second class where there are two.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_iter_ : int
        1: the solution is exact.
    solver_ : str
        What the fit was solved by.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> from oddsmith import RidgeClassifier
    >>> model = RidgeClassifier(alpha=0.5).fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
    >>> model.coef_.round(4), model.predict([[1.2], [3.0]])
    (array([[0.5405]]), array([0, 1]))
    """

    _declared = "least-squares"
    _forms = ("numbers",)

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        class_weight=None,
        solver="auto",
        positive=False,
        random_state=None,
        n_jobs=None,
        missing="drop",
        kinds=None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.missing = missing
        self.kinds = kinds

    def _options(self) -> dict[str, Any]:
        _checks.at_rest("fit_intercept", self.fit_intercept, True, "the lines always have an intercept; centre columns and classes to do without")
        _checks.at_rest("positive", self.positive, False, "coefficients are free")
        _checks.one_of("solver", self.solver, ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"))
        return {"l2": self.alpha, "coding": "plus-minus", "missing": self.missing}

    def _show(self) -> None:
        coefficients, intercepts = self._lines()
        account = json.loads(self._model.head())["account"]
        start, factor = (-1.0, 2.0) if account["coding"] == "plus-minus" else (0.0, 1.0)
        coefficients, intercepts = factor * coefficients, start + factor * intercepts
        last = slice(1, 2) if len(self.classes_) == 2 else slice(None)
        self.coef_, self.intercept_ = coefficients[last], intercepts[last]
        self.n_iter_, self.solver_ = 1, account["solver"]


class Perceptron(MarginClassifier):
    """The perceptron: a step towards every row that is on the wrong side, in the order of rows.

    Scores are margins: `CalibratedClassifier` makes probabilities of them. Rows are gone through in their order, so shuffle them where the order
    means something. By default the last weights predict, as in scikit-learn; averaged ones are steadier.

    Parameters
    ----------
    penalty : None, default=None
        A perceptron has no penalty.
    alpha : float, default=1e-4
        Accepted for compatibility; there is no penalty.
    l1_ratio : float, default=0.15
        Accepted for compatibility; there is no penalty.
    fit_intercept : bool, default=True
        There always is an intercept.
    max_iter : int, default=1000
        Most epochs. The fit ends before when an epoch makes no mistake.
    tol : float, default=None
        A perceptron has no loss whose changes could be small.
    shuffle : bool, default=False
        Rows are gone through in their order.
    verbose : int, default=0
        Accepted for compatibility.
    eta0 : float, default=1
        Length of a step; it stretches all weights and changes no class, so 1 is the only one.
    n_jobs : int, default=None
        Accepted for compatibility; one row comes after the other.
    random_state : default=None
        Accepted for compatibility; nothing is random.
    early_stopping : bool, default=False
        There is no held-out part.
    validation_fraction : float, default=0.1
        Accepted for compatibility.
    n_iter_no_change : int, default=5
        Accepted for compatibility.
    class_weight : dict or 'balanced', default=None
        Factors of the weights of rows by class.
    warm_start : bool, default=False
        Every fit starts from zero.
    variant : {'last', 'averaged', 'pocket'}, default='last'
        Weights that predict.
    missing : {'drop', 'indicator', 'mean', 'error'}, default='drop'
        Rows of a data frame with a missing predictor: leave them out, a level or column of their own, the mean, or an error.
    kinds : dict, default=None
        The kind of columns of a data frame that should not be read as their type suggests.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_iter_ : int
        Epochs.
    mistakes_ : ndarray of shape (n_iter_,)
        Mistakes of every epoch.
    converged_ : bool
        Whether an epoch went by without a mistake.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> from oddsmith import Perceptron
    >>> model = Perceptron().fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [3.0]]), model.converged_
    (array([0, 1]), True)
    """

    _declared = "perceptron"
    _forms = ("numbers",)
    _quiet = (*MarginClassifier._quiet, _NOT_CONVERGED)

    def __init__(
        self,
        *,
        penalty=None,
        alpha=1e-4,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=None,
        shuffle=False,
        verbose=0,
        eta0=1.0,
        n_jobs=None,
        random_state=None,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
        warm_start=False,
        variant="last",
        missing="drop",
        kinds=None,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.variant = variant
        self.missing = missing
        self.kinds = kinds

    def fit(self, X: Any, y: Any = None, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Perceptron:
        """Fit the model.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The class of every row.
        coef_init : None, default=None
            Only ``None`` is accepted: every fit starts from zero.
        intercept_init : None, default=None
            Only ``None`` is accepted: every fit starts from zero.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up; a row of weight 2 counts as the row twice.

        Returns
        -------
        Perceptron
            The fitted estimator itself.
        """
        for name, given in (("coef_init", coef_init), ("intercept_init", intercept_init)):
            if given is not None:
                raise ParameterError(f"{name} is not accepted: every fit starts from zero")
        return super().fit(X, y, sample_weight)

    def _options(self) -> dict[str, Any]:
        _checks.at_rest("penalty", self.penalty, None, "the perceptron makes no penalised loss small; LogisticRegression does")
        _checks.at_rest("fit_intercept", self.fit_intercept, True, "the lines always have an intercept")
        _checks.at_rest("tol", self.tol, None, "there is no loss whose changes could be small; the fit ends when an epoch makes no mistake")
        _checks.at_rest("shuffle", self.shuffle, False, "rows are gone through in their order; shuffle them before the fit")
        _checks.at_rest("eta0", self.eta0, 1.0, "the length of a step stretches all weights and changes no class")
        _checks.at_rest("early_stopping", self.early_stopping, False, "there is no held-out part")
        _checks.at_rest("warm_start", self.warm_start, False, "every fit starts from zero")
        return {"epochs": self.max_iter, "variant": self.variant, "missing": self.missing, "no-verdict": True}

    def _take(self, model: Any, make: str, notices: list[Any], *, named: bool) -> None:
        super()._take(model, make, notices, named=named)
        for told in self.diagnostics_:
            if told.id == _NOT_CONVERGED:
                # scikit-learn's word for it, for those who filter its warnings.
                warnings.warn(str(told), ConvergenceWarning, stacklevel=5)

    def _show(self) -> None:
        self.coef_, self.intercept_ = self._lines()
        account = json.loads(self._model.head())["account"]
        self.n_iter_, self.converged_ = int(account["epochs"]), bool(account["converged"])
        self.mistakes_ = np.array(account["mistakes"]).reshape(self.n_iter_, -1).sum(axis=1)
