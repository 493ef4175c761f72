"""Data frames: tables of typed columns from pandas, polars, pyarrow and everything else that speaks Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._base import Classifier
from ._rendered import Rendered
from .exceptions import MismatchError, UnsupportedError, tell


def is_frame(X: Any) -> bool:
    """Whether an object is a table of typed columns."""
    return hasattr(X, "__arrow_c_stream__")


def table_of(X: Any, levels: dict[str, list[str]] | None = None, event: str | None = None) -> _core.Frame:
    """The columns of a data frame, in whose levels and classes a declared order wins over their own.

    The index of pandas would come along as a column; it is no feature.
    """
    return _core.Frame(X.reset_index(drop=True) if hasattr(X, "reset_index") else X, levels, event)


def checked_labels(X: Any, y: Any) -> np.ndarray:
    """The labels of the rows of a data frame."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    return y


def target_name(frame: _core.Frame, y: Any) -> str:
    """A name for the target that no column has: its own where possible."""
    name = y if isinstance(y, str) else str(getattr(y, "name", None) or "y")
    while name in frame.names:
        name += "_"
    return name


class FrameClassifier(Classifier):
    """A classifier that answers about data frames as well as about arrays."""

    def _frame(self, X: Any, *, reset: bool) -> _core.Frame:
        """The table of a data frame, its names checked as scikit-learn does."""
        if hasattr(X, "columns") and hasattr(X, "dtypes"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return table_of(X)
        frame = table_of(X)
        if reset:
            self.n_features_in_, self.feature_names_in_ = len(frame.names), np.array(frame.names, dtype=object)
        elif list(self.feature_names_in_) != frame.names:
            raise MismatchError(f"The feature names should match those that were passed during fit: {list(self.feature_names_in_)}")
        return frame

    def _ask(self, X: Any, question: str) -> np.ndarray:
        check_is_fitted(self)
        if question == "decide":
            return self._ask(X, "probabilities").argmax(axis=1)
        if is_frame(X) and self._model is not None:
            answers, notices = self._frame(X, reset=False).predict(self._model, question == "scores")
            tell(notices)
            return answers
        return super()._ask(X, question)


class StoredModel(Rendered, FrameClassifier):
    """A model file that none of the estimators makes, such as one with a calibration map or a stored decision.

    It predicts; what it was learned from, and how, only its `summary` knows. `predict` calls classes by the rule of the file.

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import os, tempfile
    >>> import oddsmith
    >>> X, y = [[1.0], [2.0], [4.0], [3.0], [5.0], [6.0]], [0, 0, 0, 1, 1, 1]
    >>> calibrated = oddsmith.CalibratedClassifier(oddsmith.GaussianNB(), cv=3).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     calibrated.save(os.path.join(folder, "size.odds"))
    ...     model = oddsmith.load(os.path.join(folder, "size.odds"))
    >>> type(model).__name__, model.predict([[0.5]])
    ('StoredModel', array([0]))
    """

    def __init__(self, *, n_jobs=None):
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> StoredModel:
        """Refuse: a model from a file is not learned anew.

        Parameters
        ----------
        X, y : ignored
            There for scikit-learn's interface.

        Returns
        -------
        StoredModel
            Never.
        """
        raise UnsupportedError("a model from a file cannot be fitted; fit an estimator of its own kind")

    def _chosen(self, X: Any) -> np.ndarray:
        return self._model.choose(np.ascontiguousarray(self._probabilities(X)))

    def _render(self, format: str) -> str:
        return self._model.render(format)
