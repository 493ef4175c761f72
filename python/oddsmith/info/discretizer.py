"""Cuts by description length."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _core
from ._units import codes_of


class MdlDiscretizer(TransformerMixin, BaseEstimator):
    """Cuts numbers into intervals that pay for themselves by description length (Fayyad and Irani).

    Attributes
    ----------
    cut_points_ : list of ndarray
        Cuts of every column; none where no cut pays.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from oddsmith.info import MdlDiscretizer
    >>> X, y = load_iris(return_X_y=True)
    >>> MdlDiscretizer().fit(X, y).cut_points_[2].round(2).tolist()
    [2.45, 4.75]
    """

    def fit(self, X: Any, y: Any) -> MdlDiscretizer:
        """Finds the cuts."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        classes, codes = codes_of(y)
        self.cut_points_ = []
        for column in np.ascontiguousarray(X.T):
            pairs = _core.info_mdl_cuts(column, codes, len(classes))
            self.cut_points_.append(np.array([low / 2 + high / 2 for low, high in pairs], dtype=np.float64))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The number of the interval of every value, from 0; NaN stays NaN."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        codes = np.empty_like(X)
        for j, cuts in enumerate(self.cut_points_):
            codes[:, j] = np.where(np.isnan(X[:, j]), np.nan, np.searchsorted(cuts, X[:, j], side="right"))
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags
