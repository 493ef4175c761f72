"""Levels of categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._inputs import core_rows, thread_count
from ..exceptions import ParameterError
from ._discrete import _DiscreteNB


class CategoricalNB(_DiscreteNB):
    """Categorical naive Bayes over columns of codes 0, 1, 2 …

    A category that was never seen in a column says nothing: the column is left out of that row's sum.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of every category of every column in every class.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10.
    fit_prior : bool, default=True
        Take class probabilities from the data; otherwise all classes are equally probable.
    class_prior : array-like of shape (n_classes,), default=None
        Class probabilities given from outside.
    min_categories : int or array-like of shape (n_features,), default=None
        Smallest number of categories per column, where the data may not show all of them.
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
    category_count_ : list of ndarray of shape (n_classes, n_categories)
        Weight of every category by column.
    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories)
        Log share of every category by column.
    n_categories_ : ndarray of shape (n_features,)
        Number of categories by column.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import CategoricalNB
    >>> X = np.array([[0, 1], [0, 2], [1, 0], [1, 0]])
    >>> model = CategoricalNB().fit(X, [0, 0, 1, 1])
    >>> model.predict([[1, 0]])
    array([1])
    """

    _family = "categorical"
    _wanted = "levels"
    _sparse = False
    _forms = ("codes",)

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, min_categories=None, predictive=False, n_jobs=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if np.ndim(self.alpha) > 0:
            raise ParameterError("alpha must be one number: all categories share it")

    def _gather(self, columns: _core.Columns, X: Any, codes: np.ndarray, weights: np.ndarray | None) -> _core.Sums:
        # A sample of many rows shows the largest codes, all but surely; where it does not, all rows are asked.
        sums = super()._gather(columns, X, codes, weights)
        return super()._gather(self._columns(X, every_row=True), X, codes, weights) if sums is None else sums

    def _columns(self, X: np.ndarray, *, every_row: bool = False) -> _core.Columns:
        counts = np.asarray(_core.level_counts(core_rows(X), type(self).__name__, every_row, thread_count(self.n_jobs)), dtype=np.int64)
        if self.min_categories is not None:
            least = np.asarray(self.min_categories)
            if not np.issubdtype(least.dtype, np.signedinteger):
                raise ParameterError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
            if least.ndim > 0 and least.shape != counts.shape:
                raise ParameterError(
                    f"'min_categories' should have shape ({X.shape[1]},) when an array-like is provided. Got {least.shape} instead."
                )
            counts = np.maximum(counts, least)
        if "_sums" in self.__dict__:
            counts = np.maximum(counts, [table.shape[1] for table in self._sums.levels()])
        return _core.Columns.levels(self._names(), counts.tolist(), self._labels())

    def _describe_columns(self, alpha: Any) -> None:
        self.category_count_ = self._sums.levels()
        self.n_categories_ = np.array([table.shape[1] for table in self.category_count_])
        smoothed = [table + alpha for table in self.category_count_]
        self.feature_log_prob_ = [np.log(table) - np.log(table.sum(axis=1, keepdims=True)) for table in smoothed]

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        super()._describe_model(arrays, head)
        self.n_categories_ = arrays["layout.levels.lengths"].astype(np.int64)
        if "part0.table" in arrays:
            self.feature_log_prob_ = np.split(self.feature_log_prob_, np.cumsum(self.n_categories_)[:-1], axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags
