"""One covariance for all classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .. import _checks
from .._inputs import finite
from .._weights import WeightedClassifier
from ..exceptions import ParameterError
from ._covariance import _ledoit_wolf, _shrunk
from ._family import _Discriminant


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, WeightedClassifier, _Discriminant):
    """Linear discriminant analysis: normal classes that share a covariance matrix.

    Parameters
    ----------
    solver : {'svd', 'lsqr', 'eigen'}, default='svd'
        How the covariance is formed: 'svd' pools the products of the classes; 'lsqr' and 'eigen' weigh the covariances of
        the classes by the prior and allow shrinkage or an estimator. 'lsqr' has no `transform`.
    shrinkage : 'auto' or float, default=None
        Draw covariances towards a multiple of the identity, by a share from 0 to 1 or by Ledoit and Wolf's formula.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the proportions of the classes in the data.
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
        Weights of the linear scores, ``float32`` for such rows; others may be written into them or put in their place.
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
    _pooled = True

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

    def _by_class(self) -> bool:
        """Whether the classes' own covariances are needed."""
        return self.priors is not None and (self.solver != "svd" or self.store_covariance is True) or self.shrinkage is not None

    def _complete(self, X: np.ndarray | None, codes: np.ndarray | None, weights: np.ndarray | None) -> None:
        """Sets attributes and model from the sums, and from the rows where sums are not enough."""
        by_class = self._by_class()
        self.means_, products, self._units = self._sums.scatter()
        most = min(len(self.classes_) - 1, self.means_.shape[1])
        if self.n_components is not None and _checks.whole("n_components", self.n_components, 1) > most:
            raise ParameterError("n_components cannot be larger than min(n_features, n_classes - 1).")
        self._max_components = self._n_features_out = most if self.n_components is None else self.n_components
        self.priors_ = self._prior_shares()
        counts = self._sums.class_count
        pooled = sum(products) / self._divisors().sum()
        given, means = None, None
        if by_class or self.covariance_estimator is not None:
            weighed = sum(p * matrix for p, matrix in zip(self.priors_, self._class_covariances(X, codes, weights), strict=True))
        else:
            weighed = pooled
        if self.solver != "svd" or self.store_covariance:
            self.covariance_ = self._in_own_units(weighed)
        if self.solver == "svd":
            coef, intercept, given, means = self._directions_of_pooled(pooled, counts.sum())
        else:
            given = None if weighed is pooled else weighed
            coef, intercept = self._weights(weighed, self._total(X, weights, pooled, counts))
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        # What solver 'svd' shows is not what its densities have, where a prior is given.
        told = self.solver == "svd" and self.store_covariance and weighed is not pooled
        # A file holds numbers: a covariance that is none in the users' units is told of the fit alone.
        shown = self.covariance_ if told and np.isfinite(self.covariance_).all() else None
        self._finish(None if given is None else [given], means, shared=True, shown=shown)
        self._hand_out(coef, intercept, X)
        self._show(X, "priors_", "means_", "xbar_", "scalings_", "explained_variance_ratio_")

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        (pooled,) = self._read_densities(arrays)
        shown = arrays.get("covariance.shown")
        self.covariance_ = self._in_own_units(pooled) if shown is None else shown.reshape(pooled.shape)
        self._max_components = self._n_features_out = min(len(self.classes_) - 1, self.means_.shape[1])
        coef, intercept, *_ = self._directions_of_pooled(pooled, self.class_count_.sum())
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        del self._units
        self._hand_out(coef, intercept)

    def _total(self, X: np.ndarray, weights: np.ndarray | None, pooled: np.ndarray, counts: np.ndarray) -> np.ndarray | None:
        """The covariance of all rows around their mean, estimated as that of the classes; for solver 'eigen'."""
        if self.solver != "eigen":
            return None
        if self.covariance_estimator is not None:
            return self._estimated(X)
        if self.shrinkage == "auto":
            if weights is not None:
                raise ParameterError("solver='eigen' with shrinkage='auto' takes no weights; use solver='lsqr'")
            return _ledoit_wolf(self._in_units(X))
        means = self.means_ * self._units
        apart = means - counts @ means / counts.sum()
        between = (apart.T * counts) @ apart / (counts.sum() - (self.divisor == "unbiased"))
        return _shrunk(pooled + between, self.shrinkage)

    def _weights(self, covariance: np.ndarray, total: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Scores mᵀS⁻¹x − ½ mᵀS⁻¹m + log π of every class, and the directions of `transform` with solver 'eigen'."""
        means = self.means_ * self._units
        if total is None:
            coef = linalg.lstsq(covariance, means.T)[0].T
        else:
            values, vectors = linalg.eigh(total - covariance, covariance)
            self.explained_variance_ratio_ = np.sort(values / values.sum())[::-1][: self._max_components]
            scalings = vectors[:, np.argsort(values)[::-1]]
            coef = means @ scalings @ scalings.T
            self.scalings_ = scalings * self._units[:, None]
        return coef * self._units, -0.5 * (means * coef).sum(axis=1) + self._log_priors()

    def _directions_of_pooled(self, covariance: np.ndarray, rows: float) -> tuple[np.ndarray | None, ...]:
        """Directions in which the means differ most in units of the covariance, and scores around the overall mean.

        Directions of (almost) no variance take no part. Where there are some, the last two answers are a covariance without
        them and means that do not differ along them.
        """
        units, class_means = self._units, self.means_ * self._units
        centre = self.priors_ @ class_means
        self.xbar_ = centre / units
        deviations = np.sqrt(np.diag(covariance))
        deviations[deviations == 0] = 1.0
        values, vectors = np.linalg.eigh(covariance / deviations / deviations[:, None])
        kept = np.sqrt(np.maximum(values, 0.0)) > self.tol
        regular = means = None
        if not kept.all():
            within = vectors[:, kept]
            regular = (vectors * np.where(kept, values, 1.0)) @ vectors.T * deviations * deviations[:, None]
            means = (centre + ((class_means - centre) / deviations) @ within @ within.T * deviations) / units
        whiten = vectors[:, kept] / deviations[:, None] / np.sqrt(values[kept])
        freedom = max(len(self.classes_) - 1, 1)
        spread = np.sqrt(rows * self.priors_ / freedom)[:, None] * (class_means - centre) @ whiten
        _, lengths, turned = np.linalg.svd(spread, full_matrices=False)
        squares = lengths**2
        self.explained_variance_ratio_ = (squares / squares.sum() if squares.any() else squares)[: self._max_components]
        kept = lengths > self.tol * (lengths[0] if len(lengths) else 0.0)
        scalings = whiten @ turned.T[:, kept]
        self.scalings_ = scalings * units[:, None]
        placed = (class_means - centre) @ scalings
        coef = placed @ scalings.T
        return coef * units, -0.5 * (placed**2).sum(axis=1) + self._log_priors() - coef @ centre, regular, means

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
        X = finite(self._checked(X, reset=False))
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
            return self._rounded(X, scores[:, 1] - scores[:, 0])
        check_is_fitted(self)
        return finite(self._checked(X, reset=False)) @ self.coef_.T + self.intercept_
