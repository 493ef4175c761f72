"""What both discriminants share: covariances, priors and the finished model."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from .. import _checks, _core
from .._arrow import is_frame, table_of
from .._base import Classifier, check_not_single
from .._frames import FrameClassifier, checked_labels, target_name
from .._inputs import core_rows, encode_classes, encode_labels, row_weights, thread_count
from ..exceptions import DataError, MismatchError, NoEstimateError, ParameterError, UnsupportedError, tell
from ._covariance import _ledoit_wolf, _shrunk


class _Discriminant(FrameClassifier):
    """Means and products of the classes, and a model with covariances that follow from them.

    Arrays and data frames of numbers are what they are in scikit-learn. A data frame with categories becomes numbers first: a 0/1 column
    for every level but the first.
    """

    #: The columns of a data frame with categories, while a model is fitted to it.
    _columns: _core.Columns | None = None

    _solvers: ClassVar[tuple[str, ...]]
    #: Whether the classes share one covariance.
    _pooled: ClassVar[bool]

    def _check_parameters(self) -> None:
        _checks.one_of("solver", self.solver, self._solvers)
        _checks.declared("divisor", "divisor", self.divisor)
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or data frame
            The rows. Categories of a data frame take part as 0/1 columns, one for every level but the first; rows with a missing value
            are then left out.
        y : array-like of shape (n_samples,)
            The class of every row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up; a row of weight 2 counts as the row twice.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        self._check_parameters()
        self._complete(*self._begin(X, y, sample_weight))
        return self

    def _settle(self) -> None:
        self._check_parameters()
        self._complete(None, None, None)

    def _sums_wanted(self) -> tuple[str, float, bool]:
        self._check_parameters()
        return "per-class" if self._by_class() else "pooled", 0.0, False

    def _by_class(self) -> bool:
        """Whether the classes' own covariances are needed."""
        raise NotImplementedError

    def _complete(self, X: np.ndarray | None, codes: np.ndarray | None, weights: np.ndarray | None) -> None:
        """Sets attributes and model from the sums, and from the rows where sums are not enough."""
        raise NotImplementedError

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Checks the rows and sums them up."""
        self._columns = None
        frame = table_of(X) if is_frame(X) else None
        if frame is not None and not frame.is_plain:
            X, codes, weights = self._begin_frame(X, y, sample_weight)
        else:
            X, y = self._checked(X, y, reset=True, least=2)
            self.classes_, codes = encode_labels(y)
            check_not_single(self.classes_)
            weights = row_weights(sample_weight, X)
            self._layout = _core.Columns.numbers(self._names(), self._labels())
        if len(codes) == len(self.classes_):
            raise DataError("The number of samples must be more than the number of classes.")
        wanted = "per-class" if self._by_class() else "pooled"
        self._sums = _core.gather(type(self).__name__, self._layout, wanted, core_rows(X), codes, weights, 0.0, self._gaps, thread_count(self.n_jobs))
        check_not_single(self.classes_[self._sums.class_count > 0])
        return X, codes, weights

    def _begin_frame(self, X: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Writes the categories of a data frame as numbers and leaves out rows with gaps."""
        frame = self._frame(X, reset=True)
        self.classes_, codes = encode_classes(checked_labels(X, y), y)
        check_not_single(self.classes_)
        numbers, self._layout, self._columns, notices = frame.numbers(target_name(frame, y), self._labels(), codes, thread_count(self.n_jobs))
        tell(notices)
        weights = row_weights(sample_weight, numbers)
        complete = ~np.isnan(numbers).any(axis=1)
        if complete.all():
            return numbers, codes, weights
        left_out = len(codes) - np.count_nonzero(complete)
        text = f"{left_out} of {len(codes)} rows excluded from the fit for missing values; when predicting, gaps are integrated out"
        tell([("W121", None, None, text)])
        return np.ascontiguousarray(numbers[complete]), codes[complete], None if weights is None else weights[complete]

    def _has_categories(self) -> bool:
        """Whether the model asks for a data frame."""
        model = self.__dict__.get("_model")
        return model is not None and any(kind != "number" for _, kind in model.kinds)

    def _table(self, X: Any) -> _core.Frame | None:
        if not self._has_categories():
            return None
        if not is_frame(X):
            raise MismatchError(f"the model has the columns {', '.join(name for name, _ in self._model.kinds)}, some of them categories; pass a data frame")
        return self._frame(X, reset=False)

    def _checked(self, X: Any, y: Any = "no_validation", *, reset: bool, least: int = 1) -> Any:
        frame = None if reset else self._table(X)
        return super()._checked(X, y, reset=reset, least=least) if frame is None else frame.numbers_for(self._model)

    def _ask(self, X: Any, question: str) -> np.ndarray:
        return super()._ask(X, question) if self._has_categories() else Classifier._ask(self, X, question)

    def _divisors(self) -> np.ndarray:
        """What the products of every class are divided by."""
        return self._sums.class_count - (self.divisor == "unbiased")

    def _class_covariances(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> list[np.ndarray]:
        """The covariance of every class by estimator or shrinkage, in the units of the sums."""
        if X is None and (self.covariance_estimator is not None or self.shrinkage == "auto"):
            raise UnsupportedError("shrinkage='auto' and covariance_estimator take the rows themselves; statistics are not enough")
        if self.covariance_estimator is not None:
            if weights is not None:
                raise ParameterError("covariance_estimator takes no weights")
            return [self._estimated(X[codes == k]) for k in range(len(self.classes_))]
        if self.shrinkage == "auto":
            X = self._in_units(X)
            params = self._core_params("data") | {"ledoit_wolf": True, "predictive": False}
            try:
                return _core.shrunk_covariances(self._layout, core_rows(X), codes, weights, params, thread_count(self.n_jobs))
            except NoEstimateError:
                # The core refuses a matrix that stays singular; among several that are pooled it may be one.
                if weights is not None or not self._pooled:
                    raise
                return [_ledoit_wolf(X[codes == k]) for k in range(len(self.classes_))]
        products = self._class_products()
        return [_shrunk(matrix / n, self.shrinkage) for matrix, n in zip(products, self._divisors(), strict=True)]

    def _in_units(self, X: np.ndarray) -> np.ndarray:
        """Rows in the units of the sums: their own, unless squares of a column leave the range of numbers."""
        return X if (self._units == 1.0).all() else X * self._units

    def _in_own_units(self, matrix: np.ndarray) -> np.ndarray:
        """A covariance in the users' units; what is no number in these is zero or infinite."""
        with np.errstate(over="ignore", under="ignore"):
            return matrix / self._units / self._units[:, None]

    def _class_products(self) -> list[np.ndarray]:
        """Sums of products around the mean of every class."""
        _, products, _ = self._sums.scatter()
        if len(products) != len(self.classes_):
            raise DataError("the statistics hold the products of all classes together; gather them by class")
        return products

    def _estimated(self, X: np.ndarray) -> np.ndarray:
        """A covariance by the estimator that was given."""
        estimator = clone(self.covariance_estimator, safe=False)
        estimator.fit(self._in_units(X))
        if not hasattr(estimator, "covariance_"):
            raise ParameterError(f"{type(estimator).__name__} does not have a covariance_ attribute")
        return np.atleast_2d(estimator.covariance_)

    def _core_params(self, prior: Any) -> dict[str, Any]:
        none = {"covariances": None, "means": None, "ledoit_wolf": False, "shown": None}
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

    def _finish(
        self, covariances: list[np.ndarray] | None, means: np.ndarray | None = None, *, shared: bool, shown: np.ndarray | None = None
    ) -> None:
        """Finishes the model, with densities of our own where there are some, and with a covariance that is only shown."""
        params = self._core_params("data" if self.priors is None else self.priors_.tolist())
        if covariances is not None and not self.predictive:
            params["covariances"] = [np.ravel(matrix).tolist() for matrix in covariances]
            params["means"] = None if means is None else means.tolist()
        params["shown"] = None if shown is None else np.ravel(shown).tolist()
        self._adopt(self._sums.discriminant(shared, params, self._columns))
        for name in ("_layout", "_columns", "_units"):
            self.__dict__.pop(name, None)
        del self._sums

    def _read_densities(self, arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Sets prior and means from a model file and gives its covariances, in the users' units or, where these have no room, near one."""
        constant = arrays["constant.columns"].astype(int)
        classes, width = len(self.classes_), len(constant) + len(arrays["centre"])
        varying = np.setdiff1d(np.arange(width), constant)
        scale, p = arrays["scale"], len(varying)
        self._units = np.ones(width)
        # Powers of two, of which the squares must be numbers.
        self._units[varying] = np.where((scale > 1e-100) & (scale < 1e100), 1.0, 1.0 / scale)
        scale_in_units = scale * self._units[varying]
        self.priors_ = np.exp(arrays["prior.log"])
        self.means_ = np.empty((classes, width))
        self.means_[:, constant] = arrays["constant.values"]
        self.means_[:, varying] = arrays["centre"] + arrays["offsets"].reshape(classes, p) * scale
        matrices = []
        for packed in arrays["covariances"].reshape(-1, p * (p + 1) // 2):
            upper = np.zeros((p, p))
            upper[np.triu_indices(p)] = packed
            matrix = np.zeros((width, width))
            matrix[np.ix_(varying, varying)] = (upper + np.triu(upper, 1).T) * scale_in_units * scale_in_units[:, None]
            matrices.append(matrix)
        return matrices
