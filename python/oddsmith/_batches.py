"""Learning batch by batch, from sums that are merged."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import _check_partial_fit_first_call

from .exceptions import UnsupportedError


class LearnsInBatches:
    """A model of the joint distribution that is finished from sums; one class of them adds a batch in `_add_batch`."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Add a batch of rows to what was learned before; any cut into batches gives the model of all rows.

        Levels and words of data frames that no batch had before are added to the old ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or data frame where `fit` takes one
            The rows of the batch.
        y : array-like of shape (n_samples,)
            The class of every row.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever be seen; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up.

        Returns
        -------
        object
            The estimator itself.
        """
        self._check_parameters()
        first = _check_partial_fit_first_call(self, classes)
        if not first and "_sums" not in self.__dict__:
            raise UnsupportedError("a model from a file holds no sums to add rows to; fit it anew, or keep statistics files")
        self._add_batch(X, y, sample_weight, first=first)
        return self

    def _check_parameters(self) -> None:
        """Checks what can be checked before any row is read."""

    def _add_batch(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> None:
        raise NotImplementedError

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Give log p(x, y), the log of the joint probability (density) of every row and class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or data frame where `fit` takes one
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log joint probabilities in the order of ``classes_``.
        """
        return self._rounded(X, self._ask(X, "scores"))
