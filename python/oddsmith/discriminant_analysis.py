"""Linear and quadratic discriminant analysis: classes with normal densities."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.covariance import ledoit_wolf
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core
from ._base import Classifier, check_not_single
from ._inputs import core_rows, encode_labels, row_weights, thread_count
from .exceptions import DataError, NoEstimateError, ParameterError, UnsupportedError

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]


class _Discriminant(Classifier):
    """Means and products of the classes, and a model with covariances that follow from them."""

    _solvers: ClassVar[tuple[str, ...]]

    def _check_parameters(self) -> None:
        _checks.one_of("solver", self.solver, self._solvers)
        _checks.one_of("divisor", self.divisor, ("ml", "unbiased"))
        _checks.flag("store_covariance", self.store_covariance)
        _checks.flag("predictive", self.predictive)
        _checks.at_least("tol", self.tol, 0)
        if self.shrinkage is not None and self.shrinkage != "auto":
            _checks.share("shrinkage", self.shrinkage)
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ParameterError(
                "covariance_estimator is not supported with solver='svd': a covariance estimator is not supported with svd solver. "
                "Try another solver"
            )
        if self.covariance_estimator is not None and self.shrinkage is not None and self.shrinkage != 0:
            raise ParameterError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")

    def _begin(self, X: Any, y: Any, sample_weight: Any, *, per_class: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Checks the rows and sums them up."""
        self._check_parameters()
        X, y = self._checked(X, y, reset=True, ensure_min_samples=2)
        self.classes_, codes = encode_labels(y)
        check_not_single(self.classes_)
        if len(codes) == len(self.classes_):
            raise DataError("The number of samples must be more than the number of classes.")
        weights = row_weights(sample_weight, X)
        self._layout = _core.Columns.numbers(self._names(), self._labels())
        wanted = "per-class" if per_class else "pooled"
        self._sums = _core.gather(type(self).__name__, self._layout, wanted, core_rows(X), codes, weights, 0.0, thread_count(self.n_jobs))
        check_not_single(self.classes_[self._sums.class_count > 0])
        return X, codes, weights

    def _divisors(self) -> np.ndarray:
        """What the products of every class are divided by."""
        return self._sums.class_count - (self.divisor == "unbiased")

    def _class_covariances(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> list[np.ndarray]:
        """The covariance of every class by estimator or shrinkage."""
        if X is None and (self.covariance_estimator is not None or self.shrinkage == "auto"):
            raise UnsupportedError("shrinkage='auto' and covariance_estimator take the rows themselves; statistics are not enough")
        if self.covariance_estimator is not None:
            if weights is not None:
                raise ParameterError("covariance_estimator takes no weights")
            return [self._estimated(X[codes == k]) for k in range(len(self.classes_))]
        if self.shrinkage == "auto":
            knobs = self._knobs("data") | {"ledoit_wolf": True, "predictive": False}
            try:
                return _core.shrunk_covariances(self._layout, core_rows(X), codes, weights, knobs, thread_count(self.n_jobs))
            except NoEstimateError:
                # The core refuses a matrix that stays singular; among several that are pooled it may be one.
                if weights is not None or self._solvers == QuadraticDiscriminantAnalysis._solvers:
                    raise
                return [_ledoit_wolf(X[codes == k]) for k in range(len(self.classes_))]
        products = self._class_products()
        return [_shrunk(matrix / n, self.shrinkage) for matrix, n in zip(products, self._divisors(), strict=True)]

    def _class_products(self) -> list[np.ndarray]:
        """Sums of products around the mean of every class."""
        _, products = self._sums.scatter()
        if len(products) != len(self.classes_):
            raise DataError("the statistics hold the products of all classes together; gather them by class")
        return products

    def _estimated(self, X: np.ndarray) -> np.ndarray:
        """A covariance by the estimator that was given."""
        estimator = clone(self.covariance_estimator, safe=False)
        estimator.fit(X)
        if not hasattr(estimator, "covariance_"):
            raise ParameterError(f"{type(estimator).__name__} does not have a covariance_ attribute")
        return np.atleast_2d(estimator.covariance_)

    def _knobs(self, prior: Any) -> dict[str, Any]:
        none = {"covariances": None, "means": None, "ledoit_wolf": False}
        return none | {"prior": prior, "divisor": self.divisor, "predictive": self.predictive}

    def _prior_shares(self) -> np.ndarray:
        """The class prior."""
        counts = self._sums.class_count
        if self.priors is None:
            return counts / counts.sum()
        shares = _checks.class_prior("priors", self.priors, len(counts))
        if abs(shares.sum() - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=4)
            shares = shares / shares.sum()
        return shares

    def _finish(self, covariances: list[np.ndarray] | None, means: np.ndarray | None = None, *, shared: bool) -> None:
        """Finishes the model, with densities of our own where there are some."""
        knobs = self._knobs("data" if self.priors is None else self.priors_.tolist())
        if covariances is not None and not self.predictive:
            knobs["covariances"] = [np.ravel(matrix).tolist() for matrix in covariances]
            knobs["means"] = None if means is None else means.tolist()
        self._adopt(self._sums.discriminant(shared, knobs))
        self.__dict__.pop("_layout", None)
        del self._sums


    def _read_densities(self, arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Sets prior and means from a model file and gives its covariances, all in the users' units."""
        classes, width = len(self.classes_), self.n_features_in_
        constant = arrays["constant.columns"].astype(int)
        varying = np.setdiff1d(np.arange(width), constant)
        scale, p = arrays["scale"], len(varying)
        self.priors_ = np.exp(arrays["prior.log"])
        self.means_ = np.empty((classes, width))
        self.means_[:, constant] = arrays["constant.values"]
        self.means_[:, varying] = arrays["centre"] + arrays["offsets"].reshape(classes, p) * scale
        matrices = []
        for packed in arrays["covariances"].reshape(-1, p * (p + 1) // 2):
            upper = np.zeros((p, p))
            upper[np.triu_indices(p)] = packed
            matrix = np.zeros((width, width))
            matrix[np.ix_(varying, varying)] = (upper + np.triu(upper, 1).T) * scale * scale[:, None]
            matrices.append(matrix)
        return matrices


def _shrunk(matrix: np.ndarray, shrinkage: float | None) -> np.ndarray:
    """The matrix drawn towards its mean variance times the identity."""
    if not shrinkage:
        return matrix
    p = len(matrix)
    return (1 - shrinkage) * matrix + shrinkage * (np.trace(matrix) / p) * np.eye(p)


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Discriminant):
    """Linear discriminant analysis: normal classes that share a covariance matrix.

    Parameters
    ----------
    solver : {'svd', 'lsqr', 'eigen'}, default='svd'
        How the covariance is formed: 'svd' pools the products of the classes; 'lsqr' and 'eigen' weigh the covariances of
        the classes by the prior and allow shrinkage or an estimator. 'lsqr' has no `transform`.
    shrinkage : 'auto' or float, default=None
        Draw covariances towards a multiple of the identity, by a share from 0 to 1 or by Ledoit and Wolf's formula.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the shares of the classes in the data.
    n_components : int, default=None
        Number of directions of `transform`; at most min(n_classes - 1, n_features).
    store_covariance : bool, default=False
        Keep `covariance_` with solver 'svd' too.
    tol : float, default=1e-4
        Directions of smaller standard deviation take no part in `transform` and `coef_` with solver 'svd'.
    covariance_estimator : estimator, default=None
        What estimates the covariance of a class, with solvers 'lsqr' and 'eigen'.
    divisor : {'ml', 'unbiased'}, default='ml'
        What products are divided by: the number of rows, or one less per class.
    predictive : bool, default=False
        Integrate means and covariance out instead of plugging in estimates: honest about few rows.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    priors_ : ndarray of shape (n_classes,)
        Class probabilities.
    means_ : ndarray of shape (n_classes, n_features)
        Class means.
    covariance_ : ndarray of shape (n_features, n_features)
        The covariance within classes, weighed by the prior.
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        Weights of the linear scores.
    intercept_ : ndarray of shape (n_classes,)
        Intercepts.
    xbar_ : ndarray of shape (n_features,)
        Overall mean, weighed by the prior; with solver 'svd'.
    scalings_ : ndarray of shape (rank, n_classes - 1)
        Directions of `transform`; with solvers 'svd' and 'eigen'.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the variance between classes along every direction; with solvers 'svd' and 'eigen'.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import LinearDiscriminantAnalysis
    >>> X = np.array([[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]])
    >>> model = LinearDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]])
    array([1])
    """

    _solvers = ("svd", "lsqr", "eigen")

    def __init__(
        self,
        solver="svd",
        shrinkage=None,
        priors=None,
        n_components=None,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
        *,
        divisor="ml",
        predictive=False,
        n_jobs=None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.divisor = divisor
        self.predictive = predictive
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearDiscriminantAnalysis:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The class of every row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up; a row of weight 2 counts as the row twice.

        Returns
        -------
        LinearDiscriminantAnalysis
            The fitted estimator itself.
        """
        self._complete(*self._begin(X, y, sample_weight, per_class=self._by_class()))
        return self

    def _by_class(self) -> bool:
        """Whether the classes' own covariances are needed."""
        return self.priors is not None and (self.solver != "svd" or self.store_covariance is True) or self.shrinkage is not None

    def _settle(self) -> None:
        self._check_parameters()
        self._complete(None, None, None)

    def _complete(self, X: np.ndarray | None, codes: np.ndarray | None, weights: np.ndarray | None) -> None:
        """Sets attributes and model from the sums, and from the rows where sums are not enough."""
        by_class = self._by_class()
        most = min(len(self.classes_) - 1, self.n_features_in_)
        if self.n_components is not None and _checks.whole("n_components", self.n_components, 1) > most:
            raise ParameterError("n_components cannot be larger than min(n_features, n_classes - 1).")
        self._max_components = self._n_features_out = most if self.n_components is None else self.n_components
        self.priors_ = self._prior_shares()
        counts = self._sums.class_count
        self.means_, products = self._sums.scatter()
        pooled = sum(products) / self._divisors().sum()
        given, means = None, None
        if by_class or self.covariance_estimator is not None:
            weighed = sum(p * matrix for p, matrix in zip(self.priors_, self._class_covariances(X, codes, weights), strict=True))
        else:
            weighed = pooled
        if self.solver != "svd" or self.store_covariance:
            self.covariance_ = weighed
        if self.solver == "svd":
            coef, intercept, given, means = self._directions_of_pooled(pooled, counts.sum())
        else:
            given = None if weighed is pooled else weighed
            coef, intercept = self._weights(weighed, self._total(X, weights, pooled, counts))
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept
        self._finish(None if given is None else [given], means, shared=True)

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        (self.covariance_,) = self._read_densities(arrays)
        self._max_components = self._n_features_out = min(len(self.classes_) - 1, self.n_features_in_)
        coef, intercept, *_ = self._directions_of_pooled(self.covariance_, self.class_count_.sum())
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept

    def _total(self, X: np.ndarray, weights: np.ndarray | None, pooled: np.ndarray, counts: np.ndarray) -> np.ndarray | None:
        """The covariance of all rows around their mean, estimated as that of the classes; for solver 'eigen'."""
        if self.solver != "eigen":
            return None
        if self.covariance_estimator is not None:
            return self._estimated(X)
        if self.shrinkage == "auto":
            if weights is not None:
                raise ParameterError("solver='eigen' with shrinkage='auto' takes no weights; use solver='lsqr'")
            return _ledoit_wolf(X)
        apart = self.means_ - counts @ self.means_ / counts.sum()
        between = (apart.T * counts) @ apart / (counts.sum() - (self.divisor == "unbiased"))
        return _shrunk(pooled + between, self.shrinkage)

    def _weights(self, covariance: np.ndarray, total: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Scores mᵀS⁻¹x − ½ mᵀS⁻¹m + log π of every class, and the directions of `transform` with solver 'eigen'."""
        if total is None:
            coef = linalg.lstsq(covariance, self.means_.T)[0].T
        else:
            values, vectors = linalg.eigh(total - covariance, covariance)
            self.explained_variance_ratio_ = np.sort(values / values.sum())[::-1][: self._max_components]
            self.scalings_ = vectors[:, np.argsort(values)[::-1]]
            coef = self.means_ @ self.scalings_ @ self.scalings_.T
        return coef, -0.5 * (self.means_ * coef).sum(axis=1) + self._log_priors()

    def _directions_of_pooled(self, covariance: np.ndarray, rows: float) -> tuple[np.ndarray | None, ...]:
        """Directions in which the means differ most in units of the covariance, and scores around the overall mean.

        Directions of (almost) no variance take no part. Where there are some, the last two answers are a covariance without
        them and means that do not differ along them.
        """
        self.xbar_ = self.priors_ @ self.means_
        deviations = np.sqrt(np.diag(covariance))
        deviations[deviations == 0] = 1.0
        values, vectors = linalg.eigh(covariance / deviations / deviations[:, None])
        kept = np.sqrt(np.maximum(values, 0.0)) > self.tol
        regular = means = None
        if not kept.all():
            within = vectors[:, kept]
            regular = (vectors * np.where(kept, values, 1.0)) @ vectors.T * deviations * deviations[:, None]
            means = self.xbar_ + ((self.means_ - self.xbar_) / deviations) @ within @ within.T * deviations
        whiten = vectors[:, kept] / deviations[:, None] / np.sqrt(values[kept])
        freedom = max(len(self.classes_) - 1, 1)
        spread = np.sqrt(rows * self.priors_ / freedom)[:, None] * (self.means_ - self.xbar_) @ whiten
        _, lengths, turned = linalg.svd(spread, full_matrices=False)
        squares = lengths**2
        self.explained_variance_ratio_ = (squares / squares.sum() if squares.any() else squares)[: self._max_components]
        kept = lengths > self.tol * (lengths[0] if len(lengths) else 0.0)
        self.scalings_ = whiten @ turned.T[:, kept]
        placed = (self.means_ - self.xbar_) @ self.scalings_
        coef = placed @ self.scalings_.T
        return coef, -0.5 * (placed**2).sum(axis=1) + self._log_priors() - coef @ self.xbar_, regular, means

    def _log_priors(self) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(self.priors_)

    def transform(self, X: Any) -> np.ndarray:
        """Project rows on the directions that tell the classes apart best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates along the directions.
        """
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        check_is_fitted(self)
        X = _finite(self._checked(X, reset=False))
        centred = X - self.xbar_ if self.solver == "svd" else X
        return (centred @ self.scalings_)[:, : self._max_components]

    def decision_function(self, X: Any) -> np.ndarray:
        """Give linear scores: log odds of the second class with two classes, else log p(y | x) up to a constant per row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores.
        """
        if len(self.__dict__.get("classes_", ())) == 2:
            scores = self._ask(X, "scores")
            return scores[:, 1] - scores[:, 0]
        check_is_fitted(self)
        return _finite(self._checked(X, reset=False)) @ self.coef_.T + self.intercept_


def _finite(X: np.ndarray) -> np.ndarray:
    """Refuses NaN and infinity where the core does not see the rows."""
    if not np.isfinite(X.sum(dtype=np.float64)) and not np.isfinite(X).all():
        raise DataError("Input X contains NaN or infinity; numbers must be finite")
    return X


def _ledoit_wolf(X: np.ndarray) -> np.ndarray:
    """The covariance of all rows, shrunk in units of the columns' deviations by Ledoit and Wolf's formula."""
    scaler = StandardScaler()
    matrix = ledoit_wolf(scaler.fit_transform(X))[0]
    return scaler.scale_[:, None] * matrix * scaler.scale_


class QuadraticDiscriminantAnalysis(_Discriminant):
    """Quadratic discriminant analysis: normal classes with covariance matrices of their own.

    Parameters
    ----------
    solver : {'svd', 'eigen'}, default='svd'
        'svd' allows `reg_param`; 'eigen' allows shrinkage or an estimator.
    shrinkage : 'auto' or float, default=None
        Draw covariances towards a multiple of the identity, by a share from 0 to 1 or by Ledoit and Wolf's formula.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the shares of the classes in the data.
    reg_param : float, default=0.0
        Share from 0 to 1 by which covariances are drawn towards the identity itself, with solver 'svd'.
    store_covariance : bool, default=False
        Keep `covariance_`.
    tol : float, default=1e-4
        A direction of smaller variance makes a covariance singular, which is an error.
    covariance_estimator : estimator, default=None
        What estimates the covariance of a class, with solver 'eigen'.
    divisor : {'ml', 'unbiased'}, default='ml'
        What products are divided by: the number of rows of the class, or one less.
    predictive : bool, default=False
        Integrate means and covariances out instead of plugging in estimates: honest about few rows.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    priors_ : ndarray of shape (n_classes,)
        Class probabilities.
    means_ : ndarray of shape (n_classes, n_features)
        Class means.
    covariance_ : list of ndarray of shape (n_features, n_features)
        Covariances of the classes; with `store_covariance`.
    rotations_ : list of ndarray of shape (n_features, n_features)
        Principal axes of every class.
    scalings_ : list of ndarray of shape (n_features,)
        Variances along them.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import QuadraticDiscriminantAnalysis
    >>> X = np.array([[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]])
    >>> model = QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]])
    array([1])
    """

    _solvers = ("svd", "eigen")

    def __init__(
        self,
        *,
        solver="svd",
        shrinkage=None,
        priors=None,
        reg_param=0.0,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
        divisor="ml",
        predictive=False,
        n_jobs=None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.divisor = divisor
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _checks.share("reg_param", self.reg_param)

    def fit(self, X: Any, y: Any) -> QuadraticDiscriminantAnalysis:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The class of every row.

        Returns
        -------
        QuadraticDiscriminantAnalysis
            The fitted estimator itself.
        """
        self._complete(*self._begin(X, y, None, per_class=True))
        return self

    def _settle(self) -> None:
        self._check_parameters()
        self._complete(None, None, None)

    def _complete(self, X: np.ndarray | None, codes: np.ndarray | None, weights: np.ndarray | None) -> None:
        """Sets attributes and model from the sums, and from the rows where sums are not enough."""
        if (single := np.flatnonzero(self._sums.class_rows == 1)).size:
            raise DataError(f"y has only 1 sample in class {self.classes_[single[0]]}, covariance is ill defined.")
        self.priors_ = self._prior_shares()
        self.means_, _ = self._sums.scatter()
        covariances = self._class_covariances(X, codes, weights)
        if self.solver == "svd" and self.reg_param > 0:
            identity = np.eye(self.n_features_in_)
            covariances = [(1 - self.reg_param) * matrix + self.reg_param * identity for matrix in covariances]
        self._describe_axes(covariances)
        if not self.predictive:
            self._check_ranks(self._sums.class_rows, self.n_features_in_)
        if self.store_covariance:
            self.covariance_ = covariances
        plain = self.shrinkage is None and self.covariance_estimator is None and self.reg_param == 0
        self._finish(None if plain else covariances, shared=False)

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        self.covariance_ = self._read_densities(arrays)
        self._describe_axes(self.covariance_)

    def _describe_axes(self, covariances: list[np.ndarray]) -> None:
        """Principal axes and the variances along them."""
        axes = [linalg.eigh(matrix) for matrix in covariances]
        self.scalings_ = [values[::-1] for values, _ in axes]
        self.rotations_ = [vectors[:, ::-1] for _, vectors in axes]

    def _check_ranks(self, rows: np.ndarray, width: int) -> None:
        """Refuses covariances with directions of almost no variance."""
        for label, variances, count in zip(self.classes_, self.scalings_, rows, strict=True):
            if (variances > self.tol).all() and (self.solver == "eigen" or count >= width):
                continue
            if self.solver == "svd" and count <= width:
                raise NoEstimateError(
                    f"The covariance matrix of class {label} is not full rank. When using `solver='svd'` the number of samples in "
                    f"each class should be more than the number of features, but class {label} has {count} samples and {width} "
                    "features. Try using `solver='eigen'` and setting the parameter `shrinkage` for regularization."
                )
            knob = "shrinkage" if self.solver == "eigen" else "reg_param"
            raise NoEstimateError(
                f"The covariance matrix of class {label} is not full rank. Increase the value of `{knob}` to reduce the collinearity."
            )

    def decision_function(self, X: Any) -> np.ndarray:
        """Give scores: log odds of the second class with two classes, else log p(y | x) up to a constant per row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores.
        """
        scores = self._ask(X, "scores")
        if len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores + 0.5 * self.n_features_in_ * np.log(2 * np.pi)
