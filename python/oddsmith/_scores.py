"""Scores of the regressions."""

from __future__ import annotations

from typing import Any

import numpy as np


class RegressionScores:
    """Log odds, as scikit-learn calls them."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Give scores: log odds of the second class with two classes, else scores that add up to zero over the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores.
        """
        scores = self._ask(X, "scores")
        if len(self.classes_) == 2:
            return self._rounded(X, scores[:, 1] - scores[:, 0])
        centre = scores.mean(axis=1, keepdims=True)
        # A class that is impossible leaves no mean to subtract.
        return self._rounded(X, scores - np.where(np.isneginf(centre), 0.0, centre))
