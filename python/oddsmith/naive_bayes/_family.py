"""What the naive Bayes estimators share: sums, batches and the prior."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .. import _checks, _core
from .._base import Classifier, check_not_single
from .._batches import LearnsInBatches
from .._inputs import codes_among, core_rows, encode_labels, row_weights, thread_count
from ..exceptions import NoEstimateError


class _NaiveBayes(LearnsInBatches, Classifier):
    """Sums of rows, merged batch by batch, and a model finished from them."""

    _family: ClassVar[str]
    _wanted: ClassVar[str]
    _sums: _core.Sums
    _obstacle: NoEstimateError | None
    class_count_: np.ndarray

    def _columns(self, X: Any) -> _core.Columns:
        """The layout of a batch."""
        sparse = self._sums.sparse if "_sums" in self.__dict__ else not isinstance(X, np.ndarray)
        if not sparse:
            return _core.Columns.numbers(self._names(), self._labels())
        # A hundred thousand names that nobody gave are quicker made where they are kept.
        named = "feature_names_in_" in self.__dict__
        return _core.Columns.words(self._names() if named else self.n_features_in_, self._labels())

    def _learn(self, X: Any, codes: np.ndarray, sample_weight: Any, *, first: bool) -> None:
        """Adds a batch to the sums and finishes a model from them."""
        weights = row_weights(sample_weight, X)
        if first:
            self.__dict__.pop("_sums", None)
        columns = self._columns(X)
        batch = self._gather(columns, X, codes, weights)
        check_not_single(self.classes_)
        self._sums = batch if first else self._sums.merge(batch)[0]
        try:
            self._settle()
        except NoEstimateError as error:
            if first:
                raise
            # More rows may come; the model is missed only when it is asked.
            self._obstacle = error

    def _settle(self) -> None:
        self.class_count_ = self._sums.class_count
        self._describe()
        self._model = self._obstacle = None
        if np.count_nonzero(self.class_count_) > 1:
            self._adopt(self._finished())

    def _gather(self, columns: _core.Columns, X: Any, codes: np.ndarray, weights: np.ndarray | None) -> _core.Sums:
        threshold, threads = self._threshold() or 0.0, thread_count(self.n_jobs)
        return _core.gather(type(self).__name__, columns, self._wanted, core_rows(X), codes, weights, threshold, self._gaps, threads)

    def _finished(self) -> _core.Model:
        """A model of the sums. A class of prior zero is one that the core learns and then is told to be impossible."""
        params = self._core_params()
        if isinstance(params["prior"], str) or min(params["prior"]) > 0:
            return self._sums.naive_bayes(params)
        with np.errstate(divide="ignore"):
            log_prior = np.log(params["prior"])
        return self._sums.naive_bayes(params | {"prior": "uniform"}).with_log_prior(log_prior.tolist())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
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
        object
            The fitted estimator itself.
        """
        self._check_parameters()
        X, y = self._checked(X, y, reset=True)
        self.classes_, codes = encode_labels(y)
        self._learn(X, codes, sample_weight, first=True)
        return self

    def _add_batch(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> None:
        X, y = self._checked(X, y, reset=first)
        if first:
            self._sums = self._gather(self._columns(X[:0]), X[:0], np.zeros(0, np.uint32), None)
        self._learn(X, codes_among(y, self.classes_), sample_weight, first=False)

    def _core_params(self) -> dict[str, Any]:
        """The options of the core's learner."""
        return {
            "family": self._family,
            "prior": "data",
            "smoothing": 1.0,
            "word_smoothing": [],
            "normalized": False,
            "threshold": 0.0,
            "variance_addend": 0.0,
            "variance_floor": 0.0,
            "tying": "per-class",
            "divisor": "ml",
            "predictive": self.predictive,
            "distributions": [],
            "flags": False,
        }

    def _sums_wanted(self) -> tuple[str, float, bool]:
        self._check_parameters()
        return self._wanted, self._threshold() or 0.0, "codes" in self._forms

    def _check_parameters(self) -> None:
        _checks.flag("predictive", self.predictive)

    def _describe(self) -> None:
        """Sets the attributes that follow from the sums."""

    def _class_shares(self) -> np.ndarray:
        """Shares of the classes in the data; integrated out, they have a pseudo-row per class."""
        counts = self.class_count_ + bool(self.predictive)
        return counts / counts.sum()

    def _by_class(self, cells: np.ndarray) -> np.ndarray:
        """A table of a model file, which is stored column by column, class by class."""
        return cells.reshape(-1, len(self.classes_)).T.copy()
