"""Data frames: tables of typed columns from pandas, polars, pyarrow and everything else that speaks Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._arrow import TEXT, is_frame, table_of, texts_of
from ._base import NO_PREDICTION, Classifier, most_probable
from ._explained import ExplainedFrames
from ._rendered import Rendered
from ._text import text_options
from .exceptions import MismatchError, UnsupportedError, tell


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


class FrameClassifier(ExplainedFrames, Classifier):
    """A classifier that answers about data frames as well as about arrays, and about texts where its model has one text column."""

    #: Notices about rows that say nothing new here.
    _silent: tuple[str, ...] = ()

    def _frame(self, X: Any, *, reset: bool) -> _core.Frame:
        """The table of a data frame, its names checked as scikit-learn does."""
        words = text_options(getattr(self, "text", None))
        if hasattr(X, "columns") and hasattr(X, "dtypes"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return table_of(X, text=words)
        frame = table_of(X, text=words)
        if reset:
            self.n_features_in_, self.feature_names_in_ = len(frame.names), np.array(frame.names, dtype=object)
        elif list(self.feature_names_in_) != frame.names:
            raise MismatchError(f"The feature names should match those that were passed during fit: {list(self.feature_names_in_)}")
        return frame

    def _order(self) -> tuple[dict[str, list[str]], str | None]:
        """The order of levels and classes that was declared, as texts, where an estimator takes one."""
        levels, event = getattr(self, "levels", None) or {}, getattr(self, "event", None)
        return {str(column): [str(level) for level in order] for column, order in levels.items()}, None if event is None else str(event)

    def _training_table(self, X: Any) -> tuple[_core.Frame | None, dict[str, str]]:
        """The rows that a model is fitted to as a table, with the kinds of columns that are given; ``None`` for an array."""
        texts, words = texts_of(X), text_options(getattr(self, "text", None))
        if texts is None:
            return (table_of(X, *self._order(), words) if is_frame(X) else None), getattr(self, "kinds", None) or {}
        self.n_features_in_, self.feature_names_in_ = 1, np.array([TEXT], dtype=object)
        return _core.Frame.of_texts(TEXT, texts, words), {TEXT: "text"}

    def _table(self, X: Any) -> _core.Frame | None:
        """The rows as a table; ``None`` for an array. A list of texts is the one text column of the model."""
        if is_frame(X):
            return self._frame(X, reset=False)
        texts = texts_of(X)
        if texts is None:
            return None
        names = [name for name, kind in self._finished_model().kinds if kind == "text"]
        if len(names) != 1 or len(self._finished_model().kinds) > 1:
            raise MismatchError(f"the model has the columns {', '.join(name for name, _ in self._finished_model().kinds)}; pass a data frame")
        return _core.Frame.of_texts(names[0], texts)

    def _ask(self, X: Any, question: str) -> np.ndarray:
        check_is_fitted(self)
        if question == "decide":
            # Margins call classes, too, and have no probabilities.
            margin = self._model is not None and self._model.scale == "margin"
            return most_probable(self._ask(X, "scores" if margin else "probabilities"))
        frame = None if self._model is None else self._table(X)
        return super()._ask(X, question) if frame is None else self._asked(frame, question, self._silent)

    def _asked(self, frame: _core.Frame, question: str, silent: tuple[str, ...] = ()) -> np.ndarray:
        """What the model answers about the rows of a table; tells of rows that it has no answer for."""
        answers, notices = frame.predict(self._model, question == "scores")
        lacking = np.flatnonzero(np.isnan(answers).any(axis=1))
        if len(lacking):
            rows = f"{len(lacking)} rows lack" if len(lacking) > 1 else "1 row lacks"
            text = f"{rows} a value that the model needs, first row {lacking[0] + 1}; no probability is given"
            notices.append((NO_PREDICTION, None, None, text))
        tell(notice for notice in notices if notice[0] not in silent)
        return answers


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
        probabilities = np.ascontiguousarray(self._probabilities(X))
        return np.where(np.isnan(probabilities).any(axis=1), -1, self._model.choose(probabilities).astype(np.int64))

    def _render(self, format: str) -> str:
        return self._model.render(format)
