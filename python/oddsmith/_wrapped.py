"""Classifiers around a classifier: its log probabilities are moved, everything else follows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ._base import Answers


def log_scores(estimator: Any, X: Any) -> np.ndarray:
    """log p(k|x) up to a constant per row: log probabilities, or decision values where a classifier has nothing else."""
    if hasattr(estimator, "_margin_scores"):
        # One margin per class, as the core has them: a map that is stored with the model must mean the same there.
        return estimator._margin_scores(X)
    for name in ("predict_log_proba", "predict_proba"):
        if hasattr(estimator, name):
            # The logarithm of a probability of zero is a number here, whoever takes it.
            with np.errstate(divide="ignore"):
                answers = np.asarray(getattr(estimator, name)(X), dtype=np.float64)
                return answers if name == "predict_log_proba" else np.log(answers)
    values = np.asarray(estimator.decision_function(X), dtype=np.float64)
    return np.column_stack([np.zeros(len(values)), values]) if values.ndim == 1 else values


class Wrapped(MetaEstimatorMixin, Answers):
    """A classifier around `estimator_`."""

    estimator: Any
    estimator_: Any

    def _adopt(self, fitted: Any) -> None:
        """Takes the fitted classifier with what it knows of its input."""
        self.estimator_, self.classes_ = fitted, fitted.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
            elif name in self.__dict__:
                delattr(self, name)

    def _moved(self, scores: np.ndarray) -> np.ndarray:
        """Log probabilities from those of the classifier."""
        raise NotImplementedError

    def _log_probabilities(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._moved(log_scores(self.estimator_, X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags.poor_score = inner.input_tags, inner.classifier_tags.poor_score
        return tags
