"""What the estimators of counts, flags and categories share: smoothing and tables of logarithms."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np

from .. import _checks
from ..exceptions import ParameterError
from ._family import _NaiveBayes

_SMALLEST_ALPHA = 1e-10


class _DiscreteNB(_NaiveBayes):
    """Shares of counts, smoothed by pseudo-counts."""

    _sparse = True
    _forms = ("numbers", "words")

    def _alpha(self) -> Any:
        """The pseudo-counts: one number, or one per column."""
        if np.ndim(self.alpha) == 0:
            alpha = _checks.at_least("alpha", self.alpha, 0)
        else:
            alpha = np.asarray(self.alpha, dtype=np.float64)
            if alpha.shape != (self.n_features_in_,):
                raise ParameterError(
                    f"When alpha is an array, it should contains `n_features`. Got {alpha.shape[0]} elements instead of {self.n_features_in_}."
                )
            if not (alpha >= 0).all():
                raise ParameterError("All values in alpha must be greater than 0.")
        if np.min(alpha) < _SMALLEST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {_SMALLEST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=5,
            )
            return np.maximum(alpha, _SMALLEST_ALPHA)
        return alpha

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _checks.flag("fit_prior", self.fit_prior)
        _checks.flag("force_alpha", self.force_alpha)
        if np.ndim(self.alpha) == 0:
            _checks.at_least("alpha", self.alpha, 0)

    def _core_params(self) -> dict[str, Any]:
        own: dict[str, Any] = {"prior": "data" if self.fit_prior else "uniform"}
        if self.class_prior is not None:
            shares = np.asarray(self.class_prior, dtype=np.float64)
            own["prior"] = (shares / shares.sum()).tolist()
        alpha = self._used_alpha
        own |= {"smoothing": float(alpha)} if np.ndim(alpha) == 0 else {"word_smoothing": alpha.tolist()}
        return super()._core_params() | own

    def _describe(self) -> None:
        counts = self.class_count_
        self._used_alpha = self._alpha()
        with np.errstate(divide="ignore"):
            if self.class_prior is not None:
                self.class_log_prior_ = np.log(_checks.class_prior("class_prior", self.class_prior, len(counts)))
            elif self.fit_prior:
                self.class_log_prior_ = np.log(self._class_shares())
            else:
                self.class_log_prior_ = np.full(len(counts), -np.log(len(counts)))
            self._describe_columns(self._used_alpha)

    def _describe_columns(self, alpha: Any) -> None:
        raise NotImplementedError

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        self.class_log_prior_ = arrays["prior.log"]
        cells = arrays.get("part0.weight", arrays.get("part0.table"))
        if cells is not None:
            self.feature_log_prob_ = self._by_class(cells)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class _CountingNB(_DiscreteNB):
    """One number per class and column. Tables of a large vocabulary take longer to write down than to learn, so they are made when
    somebody asks for them."""

    def _describe_columns(self, alpha: Any) -> None:
        for name in ("feature_count_", "feature_log_prob_"):
            self.__dict__.pop(name, None)

    @cached_property
    def feature_count_(self) -> np.ndarray:
        """What was counted, by class and column."""
        return self._counted()

    @cached_property
    def feature_log_prob_(self) -> np.ndarray:
        """Logarithms of the smoothed shares, by class and column."""
        with np.errstate(divide="ignore"):
            return self._log_shares(self.feature_count_, self._used_alpha)

    def _counted(self) -> np.ndarray:
        return self._sums.totals()

    def _log_shares(self, counts: np.ndarray, alpha: Any) -> np.ndarray:
        raise NotImplementedError
