"""Scores of models that give margins and no probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from ._class_weights import WeighsClasses
from .declared import BESIDE, DeclaredClassifier


def _never(estimator: Any) -> bool:
    return False


def _refused(name: str) -> Any:
    """A method that scikit-learn looks for and does not find."""

    def refuse(self: Any, X: Any) -> np.ndarray:
        """Refuse: margins are no probabilities; `CalibratedClassifier` makes them some.

        Parameters
        ----------
        X : array-like
            The rows.

        Returns
        -------
        ndarray
            Never.
        """
        raise AttributeError(name)

    refuse.__name__, refuse.__qualname__ = name, f"MarginClassifier.{name}"
    return available_if(_never)(refuse)


class MarginClassifier(WeighsClasses, DeclaredClassifier):
    """A declared model whose scores are margins: they rank rows and call classes."""

    predict_proba = _refused("predict_proba")
    predict_log_proba = _refused("predict_log_proba")

    def decision_function(self, X: Any) -> np.ndarray:
        """Give margins: that of the second class with two classes, else one per class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Margins.
        """
        scores = self._margin_scores(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def _plain(self, X: Any) -> np.ndarray | None:
        """Margins of a few plain rows without the full check; ``None`` when the input wants it."""
        state = self.__dict__
        model = state.get("_model")
        return None if model is None or "feature_names_in_" in state else model.quick_scores(X)

    def _margin_scores(self, X: Any) -> np.ndarray:
        """The margin of every class."""
        quick = self._plain(X)
        return self._ask(X, "scores") if quick is None else quick

    def _lines(self) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts of all outputs, in the user's units."""
        arrays = self._model.arrays()
        coefficients = arrays["coefficients"].reshape(len(arrays["base"]), -1)
        return coefficients, arrays["base"] - coefficients @ arrays["centre"]


#: Models that are made from their declarations and give margins; whether one does is known only after its fit otherwise.
BESIDE["kernel-least-squares"] = (MarginClassifier,)
