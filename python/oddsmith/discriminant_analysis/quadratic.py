"""A covariance for every class."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _checks
from ..exceptions import DataError, NoEstimateError
from ._family import _Discriminant


class QuadraticDiscriminantAnalysis(_Discriminant):
    """Quadratic discriminant analysis: normal classes with covariance matrices of their own.

    Parameters
    ----------
    solver : {'svd', 'eigen'}, default='svd'
        'svd' allows `reg_param`; 'eigen' allows shrinkage or an estimator.
    shrinkage : 'auto' or float, default=None
        Draw covariances towards a multiple of the identity, by a share from 0 to 1 or by Ledoit and Wolf's formula.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the proportions of the classes in the data.
    reg_param : float, default=0.0
        Share from 0 to 1 by which covariances are drawn towards the identity itself, with solver 'svd'.
    store_covariance : bool, default=False
        Keep `covariance_`.
    tol : float, default=1e-4
        A direction whose variance is smaller, in the users' units and as a share of the columns' own variances as well, makes a
        covariance singular, which is an error.
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
    _pooled = False

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
        """Fit the model; as in scikit-learn, without weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or data frame
            The rows. Categories of a data frame take part as 0/1 columns, one for every level but the first; rows with a missing value
            are then left out.
        y : array-like of shape (n_samples,)
            The class of every row.

        Returns
        -------
        QuadraticDiscriminantAnalysis
            The fitted estimator itself.
        """
        return super().fit(X, y)

    def _by_class(self) -> bool:
        return True

    def _complete(self, X: np.ndarray | None, codes: np.ndarray | None, weights: np.ndarray | None) -> None:
        """Sets attributes and model from the sums, and from the rows where sums are not enough."""
        if (single := np.flatnonzero(self._sums.class_rows == 1)).size:
            raise DataError(f"y has only 1 sample in class {self.classes_[single[0]]}, covariance is ill defined.")
        self.priors_ = self._prior_shares()
        self.means_, _, self._units = self._sums.scatter()
        covariances = self._class_covariances(X, codes, weights)
        if self.solver == "svd" and self.reg_param > 0:
            identity = np.diag(self._units**2)
            covariances = [(1 - self.reg_param) * matrix + self.reg_param * identity for matrix in covariances]
        self._describe_axes(covariances)
        # With categories the core says which level a class lacks.
        if not self.predictive and self._columns is None:
            self._check_ranks(covariances, self._sums.class_rows)
        if self.store_covariance:
            self.covariance_ = [self._in_own_units(matrix) for matrix in covariances]
        plain = self.shrinkage is None and self.covariance_estimator is None and self.reg_param == 0
        self._finish(None if plain else covariances, shared=False)
        self._show(X, "means_", *(("rotations_", "scalings_", "covariance_") if self.solver == "svd" else ()))

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        covariances = self._read_densities(arrays)
        self._describe_axes(covariances)
        self.covariance_ = [self._in_own_units(matrix) for matrix in covariances]
        del self._units

    def _describe_axes(self, covariances: list[np.ndarray]) -> None:
        """Principal axes and the variances along them; those of columns beyond the range of squares are axes of scaled columns."""
        variances, axes = np.linalg.eigh(np.array(covariances))
        self.rotations_ = [vectors[:, ::-1] for vectors in axes]
        with np.errstate(over="ignore", under="ignore"):
            back = 1.0 / self._units[0] if (self._units == self._units[0]).all() else 1.0
            self.scalings_ = [values[::-1] * back * back for values in variances]

    def _check_ranks(self, covariances: list[np.ndarray], rows: np.ndarray) -> None:
        """Refuses covariances with directions of almost no variance, in the users' units and beside the columns' own variances."""
        width = len(self._units)
        deviations = np.sqrt(np.diag(sum(n * matrix for n, matrix in zip(rows, covariances, strict=True)) / rows.sum()))
        deviations[deviations == 0] = 1.0
        for label, variances, matrix, count in zip(self.classes_, self.scalings_, covariances, rows, strict=True):
            varying = (variances > self.tol).all() or (np.linalg.eigvalsh(matrix / deviations / deviations[:, None]) > self.tol).all()
            if varying and (self.solver == "eigen" or count >= width):
                continue
            if self.solver == "svd" and count <= width:
                raise NoEstimateError(
                    f"The covariance matrix of class {label} is not full rank. When using `solver='svd'` the number of samples in "
                    f"each class should be more than the number of features, but class {label} has {count} samples and {width} "
                    "features. Try using `solver='eigen'` and setting the parameter `shrinkage` for regularization."
                )
            option = "shrinkage" if self.solver == "eigen" else "reg_param"
            raise NoEstimateError(
                f"The covariance matrix of class {label} is not full rank. Increase the value of `{option}` to reduce the collinearity."
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
        return scores + 0.5 * self.means_.shape[1] * np.log(2 * np.pi)
