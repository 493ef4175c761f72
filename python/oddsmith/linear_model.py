"""Logistic regression behind scikit-learn's door."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core
from ._base import check_not_single
from ._inputs import classes_of_names, core_rows, encode_labels, row_weights, thread_count
from ._scores import RegressionScores
from ._weights import WeightedClassifier, contents
from .passes import TARGET
from .exceptions import OddsmithWarning, ParameterError, UnsupportedError, tell

__all__ = ["LogisticRegression"]

_SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
_PENALTIES = ("deprecated", "l1", "l2", "elasticnet", None)
_STOPPED_EARLY = "W215"
# What scikit-learn says when a solver runs out of steps, for those who filter its warnings by their beginning.
_UNFINISHED = {
    "liblinear": "Liblinear failed to converge, increase the number of iterations.",
    "newton-cholesky": "Newton solver did not converge after {steps} iterations",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
}
_COARSEST = 1e-8
# Without second derivatives the last digits take many steps; the objective is then right to ten digits.
_COARSEST_OF_WORDS = 1e-5
# Of two classes and many words, whose rows are held: the objective is then right to ten digits.
_COARSEST_OF_TWO = 1e-4
_MANY_WORDS = 1000
_MANY_ENTRIES = 1_000_000


class LogisticRegression(RegressionScores, WeightedClassifier):
    """Logistic regression, and softmax regression for more than two classes.

    The fit ends at the optimum, not near it, and takes every penalty with every `solver`. Without a penalty (``C=np.inf``) classes
    that can be told apart without error have no finite optimum; that is an error which names the columns, unless `on_separation`
    says otherwise. For standard errors, intervals and tests see `Logit`.

    Parameters
    ----------
    penalty : {'l1', 'l2', 'elasticnet', None}, default='deprecated'
        As in scikit-learn, on its way out; ``None`` is ``C=np.inf``, 'l1' is ``l1_ratio=1``.
    C : float, default=1.0
        Inverse strength of the penalty: ((1 − r) ½ Σ β² + r Σ |β|) / C with r the `l1_ratio` is added to the log loss.
        ``np.inf`` is no penalty.
    l1_ratio : float, default=0.0
        Share of the absolute penalty.
    dual : bool, default=False
        Accepted for compatibility.
    tol : float, default=1e-4
        How near to the optimum the fit ends, in standard errors; where `tol` asks for less it ends at 1e-8, at 1e-4 for sparse rows of two
        classes and more than 1000 columns, and at 1e-5 for others that are many or have an absolute penalty. A fit that runs out of steps farther away than `tol` warns.
    fit_intercept : bool, default=True
        Whether there is an intercept, which is never penalised.
    intercept_scaling : float, default=1
        Accepted for compatibility; the intercept is never penalised.
    class_weight : dict or 'balanced', default=None
        Factors of the weights of rows by class.
    random_state : default=None
        Accepted for compatibility; nothing is random.
    solver : {'lbfgs', 'liblinear', 'newton-cg', 'newton-cholesky', 'sag', 'saga'}, default='lbfgs'
        Names of scikit-learn's solvers. All of them lead to the same optimum, so one search serves for all: Newton's with
        corrections by the last steps, or L-BFGS where the columns are too many for second derivatives.
    max_iter : int, default=100
        Most steps; where they do not reach the optimum there is a `ConvergenceWarning` and the last point is taken.
    verbose : int, default=0
        Accepted for compatibility.
    warm_start : bool, default=False
        Start from the last fit's weights.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.
    offset : int, str or list of them, default=None
        A column of an array, by number or name, that enters the log odds of two classes as it is, with weight 1; or a column for each
        class, in their order, which enters the score of that class.
    firth : bool, default=False
        Firth's penalised likelihood, which is finite always and less biased for few rows; needs ``C=np.inf``.
    on_separation : {'error', 'firth', 'drop', 'infinite'}, default='error'
        What to do where no finite optimum exists: raise, use Firth's likelihood, leave the columns out that separate the classes (W204 names
        them), or report their coefficients as infinite.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights, ``float32`` for such rows; others may be written into them or put in their place. With more than two classes they
        add up to zero over the classes, or, under an absolute penalty, are those of the smallest size.
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
    _forms = ("numbers", "words")

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
        offset=None,
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
        self.offset = offset
        self.firth = firth
        self.on_separation = on_separation

    def _strengths(self) -> tuple[float, float]:
        """Strengths of the quadratic and of the absolute penalty, with scikit-learn's warnings about how they were asked for."""
        if self.penalty not in _PENALTIES:
            raise ParameterError(f"penalty = {self.penalty!r} is not accepted: 'l1', 'l2', 'elasticnet' or None")
        if not (isinstance(self.C, Real) and self.C > 0):
            raise ParameterError(f"C = {self.C!r} is not accepted: a number above 0")
        ratio = self.l1_ratio
        if ratio is not None:
            _checks.share("l1_ratio", ratio)
        if self.penalty == "elasticnet" and ratio is None:
            raise ParameterError("l1_ratio must be specified when penalty is elasticnet.")
        if self.penalty != "deprecated":
            warnings.warn("'penalty' was deprecated in scikit-learn 1.8; use l1_ratio, and C=np.inf for no penalty", FutureWarning, stacklevel=4)
        elif ratio is None:
            warnings.warn("'l1_ratio=None' was deprecated in scikit-learn 1.8; use 0 <= l1_ratio <= 1", FutureWarning, stacklevel=4)
        if self.penalty in ("l1", "l2", None) and ratio is not None and 0 < ratio < 1:
            warnings.warn(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={self.penalty})", stacklevel=4)
        if (self.penalty == "l2" and ratio != 0) or (self.penalty == "l1" and ratio != 1):
            warnings.warn(f"Inconsistent values: penalty={self.penalty} with l1_ratio={ratio}. Please use l1_ratio only.", stacklevel=4)
        if self.penalty is None and self.C != 1.0:
            warnings.warn("Setting penalty=None will ignore the C and l1_ratio parameters", stacklevel=4)
        if self.penalty is None or self.C == np.inf:
            return 0.0, 0.0
        absolute = {"l1": 1.0, "l2": 0.0}.get(self.penalty, float(ratio or 0.0))
        return (1.0 - absolute) / float(self.C), absolute / float(self.C)

    def _core_params(self) -> dict[str, Any]:
        _checks.one_of("solver", self.solver, _SOLVERS)
        _checks.flag("fit_intercept", self.fit_intercept)
        _checks.flag("warm_start", self.warm_start)
        l2, l1 = self._strengths()
        if self.firth and (l2 or l1):
            raise ParameterError("firth = True is not accepted: Firth's penalty does not go with another; set C=np.inf")
        return {
            "formula": None if self.fit_intercept else "y ~ . - 1",
            "l2": l2,
            "l1": l1,
            "firth": _checks.flag("firth", self.firth),
            "on_separation": _checks.declared("on-separation", "on_separation", self.on_separation),
            "precision": "none",
            "level": 0.95,
            "tests": False,
            "robust": None,
            "cluster": None,
            "units": [],
            "tolerance": min(_checks.at_least("tol", self.tol, 0), _COARSEST) or _COARSEST,
            "most_steps": _checks.whole("max_iter", self.max_iter, 0),
            "start": None,
            "unfinished": float(self.tol),
        }

    def _start(self, before: np.ndarray | None) -> tuple[list[float], list[float]] | None:
        """Where the search starts: at zero if it makes no step, at the last fit's weights if it is warm."""
        outputs = len(self.classes_) - 1
        if self.warm_start and before is not None and np.array_equal(before, self.classes_) and hasattr(self, "coef_"):
            coef = self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_
            if coef.shape[1] == self.n_features_in_:
                if outputs > 1:
                    intercept, coef = self.intercept_[1:] - self.intercept_[0], coef[1:] - coef[0]
                else:
                    intercept = self.intercept_
                return intercept.tolist(), coef.ravel().tolist()
        return ([0.0] * outputs, [0.0] * (outputs * self.n_features_in_)) if self.max_iter == 0 else None

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
        params = self._core_params()
        X, y = self._checked(X, y, reset=True)
        before = getattr(self, "classes_", None)
        self.classes_, codes = encode_labels(y)
        params["start"] = self._start(before)
        if self.offset is not None:
            if not isinstance(X, np.ndarray):
                raise UnsupportedError("an offset is a column of an array, not of sparse rows; leave it out")
            columns = [f"`{name}`" for name in self._offset_names()]
            rest = " - ".join([".", *dict.fromkeys(columns)])
            params |= {"formula": f"y ~ {rest} + offset({', '.join(columns)}){'' if self.fit_intercept else ' - 1'}", "start": None}
        if not isinstance(X, np.ndarray):
            held = len(self.classes_) == 2 and X.shape[1] > _MANY_WORDS
            coarsest = _COARSEST_OF_TWO if held else _COARSEST_OF_WORDS if params["l1"] or X.nnz > _MANY_ENTRIES else _COARSEST
            params["tolerance"] = min(self.tol, coarsest) or coarsest
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
        self._adopt(_core.fit_logistic(columns, core_rows(X), codes, weights, params, thread_count(self.n_jobs)))
        self.n_iter_ = np.array([self._model.steps], dtype=np.int32)
        # Liblinear alone has no arithmetic of four bytes.
        self._describe_weights((params["l2"], params["l1"]), None if self.solver == "liblinear" else X)
        return self

    def _first_pass(self, target: str | None, features: Any, kinds: dict[str, str], weights: str | None, layout: Any) -> _core.Round:
        """The first question of a fit whose rows stay where they are."""
        for name in ("offset", "class_weight"):
            if getattr(self, name) is not None:
                raise UnsupportedError(f"{name} is for rows that are at hand; leave it out of a fit in passes")
        named = target or TARGET
        params = self._core_params()
        options = {name: params[name] for name in ("l2", "l1", "firth", "tolerance")}
        options |= {"on-separation": self.on_separation, "max-steps": params["most_steps"], "ci": "none", "no-tests": True}
        formula = f"`{named}` ~ .{'' if self.fit_intercept else ' - 1'}"
        known = None if layout is None else layout._core(named, weights is not None)
        return _core.Round.begin(_core.model_of_formulas(), options, formula, None, features, kinds, weights, known, False, None)

    def _last_pass(self, model: _core.Model) -> None:
        """Takes the model that all passes led to."""
        self._obstacle, self.classes_ = None, classes_of_names(model.class_labels)
        self._take_names(model.names)
        self._adopt(model)
        self.n_iter_ = np.array([model.steps], dtype=np.int32)
        self._describe_weights(self._strengths())

    def _offset_names(self) -> list[str]:
        """The names of the column that is the offset of two classes, or of those that are the offsets of all classes."""
        names, classes = self._names(), len(self.classes_)
        given = list(self.offset) if isinstance(self.offset, (list, tuple, np.ndarray)) else [self.offset]
        if len(given) != classes and (len(given) != 1 or classes != 2):
            raise ParameterError(f"offset = {self.offset!r} is not accepted: a column for each of the {classes} classes, or one for two classes")
        numbered = dict(enumerate(names))
        found = [column if isinstance(column, str) else numbered.get(column) for column in given]
        if not set(found) <= set(names):
            raise ParameterError(f"offset = {self.offset!r} is not accepted: columns of X, by name or by number from 0")
        return found

    def _adopt(self, model: _core.Model) -> None:
        """Takes a model; that the steps did not reach the optimum is told as scikit-learn tells it."""
        self._model = model
        unfinished = [notice for notice in model.notices if notice[0] == _STOPPED_EARLY]
        self.diagnostics_ = tell(notice for notice in model.notices if notice[0] != _STOPPED_EARLY)
        for notice in unfinished:
            self.diagnostics_.append(OddsmithWarning(*notice))
            said = _UNFINISHED.get(self.solver, f"{self.solver} failed to converge").format(steps=self.max_iter)
            warnings.warn(f"{said}: {notice[3]}. Increase the number of iterations.", ConvergenceWarning, stacklevel=3)

    def _describe_weights(self, penalty: tuple[float, float] = (1.0, 0.0), X: Any = None) -> None:
        """Weights as scikit-learn gives them: those of the second class, or symmetric ones."""
        linear = self._model.linear()
        if linear is None:
            linear = self._weights_beside_offsets()
        intercept, coef = linear
        if len(self.classes_) == 2:
            intercept, coef = intercept[1:], coef[1:]
        else:
            intercept, coef = intercept - intercept.mean(), coef - _cheapest_centre(coef, *penalty)
        self._hand_out(coef, intercept if self.fit_intercept else np.zeros(len(coef)), X)

    def _weights_beside_offsets(self) -> tuple[np.ndarray, np.ndarray]:
        """Intercepts by class, and weights by class and column: 1 for the column that is a class's own offset."""
        columns = {name: j for j, name in enumerate(self._names())}
        rows = {label: k for k, label in enumerate(self._labels())}
        intercept, coef = np.zeros(len(rows)), np.zeros((len(rows), len(columns)))
        tidy = self._model.tidy()
        for label, term, estimate in zip(tidy["class"], tidy["term"], tidy["estimate"], strict=True):
            if term in columns:
                coef[rows[label], columns[term]] = estimate
            else:
                intercept[rows[label]] = estimate
        offsets = [columns[name] for name in self._offset_names()]
        for k in range(len(rows)) if len(offsets) > 1 else [1]:
            coef[k, offsets[k if len(offsets) > 1 else 0]] += 1.0
        return intercept, coef - coef[0]

    def sparsify(self) -> LogisticRegression:
        """Keep `coef_` as a sparse matrix.

        Returns
        -------
        LogisticRegression
            The estimator itself.
        """
        check_is_fitted(self)
        return self._shown_as(sparse.csr_matrix(self.coef_))

    def densify(self) -> LogisticRegression:
        """Keep `coef_` as an array again.

        Returns
        -------
        LogisticRegression
            The estimator itself.
        """
        check_is_fitted(self)
        return self._shown_as(self.coef_.toarray()) if sparse.issparse(self.coef_) else self

    def _shown_as(self, coef: Any) -> LogisticRegression:
        own = not self._rewritten()
        self.coef_ = coef
        if own:
            self._handed_out = contents(coef), contents(self.intercept_)
        return self

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        self.n_iter_ = np.array([self._model.steps], dtype=np.int32)
        if self._model.linear() is not None:
            self._describe_weights()


def _cheapest_centre(coef: np.ndarray, l2: float, l1: float) -> np.ndarray:
    """What is taken away from the weights of every column: of all weights with the same differences, those that cost least."""
    if l1 == 0:
        return coef.mean(axis=0)
    if l2 == 0:
        return np.sort(coef, axis=0)[(len(coef) - 1) // 2]
    # The least of Σ l |v − c| + ½ λ (v − c)² is the median of the values and of the minima between them.
    count = len(coef)
    between = coef.mean(axis=0) + (l1 / l2) * (1 - 2 * np.arange(count + 1)[:, None] / count)
    return np.median(np.concatenate([coef, between]), axis=0)
