"""What all estimators share: checked input, prediction, model files."""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._drawn import DrawnModel
from ._explained import Explained
from ._gathering import Gathering
from ._inputs import class_names, classes_of_names, core_rows, thread_count
from .exceptions import DataError, OddsmithWarning, UnsupportedError, tell
from .passes import TARGET


class Answers(ClassifierMixin, BaseEstimator):
    """What every classifier answers about rows, from their log probabilities unless it knows a shorter way."""

    classes_: np.ndarray

    def _log_probabilities(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def _probabilities(self, X: Any) -> np.ndarray:
        return np.exp(self._log_probabilities(X))

    def _chosen(self, X: Any) -> np.ndarray:
        return most_probable(self._log_probabilities(X))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of every row.

        A row that lacks a value which the model needs has no probabilities and no class: its label is ``None``, with a warning W303.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels; the first of several equally probable ones.
        """
        chosen = self._chosen(X)
        return labels_of(self.classes_, chosen)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the share of rows whose class is predicted.

        Rows that have no prediction are not counted; a warning W303 tells how many there are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or data frame where `fit` takes one
            The rows.
        y : array-like of shape (n_samples,)
            The class of every row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up.

        Returns
        -------
        float
            The accuracy.
        """
        chosen = self._chosen(X)
        known = np.flatnonzero(chosen >= 0)
        if len(known) < len(chosen):
            tell([no_prediction(len(chosen) - len(known), "is not counted", "are not counted")])
            if len(known) == 0:
                raise DataError("no row has a prediction: every one lacks a value that the model needs")
            y = _safe_indexing(y, known)
            sample_weight = None if sample_weight is None else _safe_indexing(sample_weight, known)
        return float(accuracy_score(y, self.classes_[chosen[known]], sample_weight=sample_weight))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the probability of every class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``; every row adds up to one.
        """
        return self._probabilities(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Give the logarithm of the probability of every class, right where probabilities round to 0 or 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities in the order of ``classes_``.
        """
        return self._log_probabilities(X)


#: The id of the notice about rows that lack a value which the model needs.
NO_PREDICTION = "W303"


def most_probable(scores: np.ndarray) -> np.ndarray:
    """The class of every row by its probabilities or scores, the first of equal ones; -1 for a row that has none."""
    chosen = scores.argmax(axis=1)
    lacking = np.isnan(scores).any(axis=1)
    return np.where(lacking, -1, chosen) if lacking.any() else chosen


def labels_of(classes: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The labels of chosen classes; ``None`` where none was chosen."""
    known = chosen >= 0
    if known.all():
        return classes[chosen]
    labels = np.full(len(chosen), None, dtype=object)
    labels[known] = classes[chosen[known]]
    return labels


def no_prediction(count: int, one: str, several: str) -> tuple[str, None, None, str]:
    """The notice about rows that no class is called for, and what becomes of them."""
    return NO_PREDICTION, None, None, f"{count} row{'s lack' if count > 1 else ' lacks'} a value that the model needs and {several if count > 1 else one}"


def _is_plain(X: Any, y: Any, least: int) -> bool:
    """Whether scikit-learn's checks would find nothing and change nothing: they take longer than the fit of a small table."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "fiub" or not X.size or len(X) < least:
        return False
    return isinstance(y, str) or (type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubU" and len(y) == len(X))


class Classifier(DrawnModel, Explained, Answers):
    """A classifier over the core.

    A fitted one holds ``_model``, the core's model, and ``classes_``. ``_model`` is ``None`` while an incremental fit has
    seen rows of one class only, which is then certain, or too few rows for a model, which ``_obstacle`` then says.
    """

    _sparse: ClassVar[bool] = False
    #: Whether NaN in an array is a gap, which the model integrates out, and no fault.
    _gaps: ClassVar[bool] = False
    #: The forms in which model files may want arrays: "numbers", "codes" 0, 1, 2 …, sparse "words".
    _forms: ClassVar[tuple[str, ...]] = ("numbers",)
    #: The attribute that shows in which precision scikit-learn would answer; none where that is always eight bytes.
    _shown: ClassVar[str] = ""
    n_jobs: int | None
    _model: _core.Model | None
    _obstacle: Exception | None

    def _checked(self, X: Any, y: Any = "no_validation", *, reset: bool, least: int = 1) -> Any:
        """At least so many rows, checked as scikit-learn does, but for NaN and infinity: the core finds those without a pass of its own."""
        if _is_plain(X, y, least) and "feature_names_in_" not in self.__dict__ and (reset or X.shape[1] == self.n_features_in_):
            self.n_features_in_ = X.shape[1]
            return X if isinstance(y, str) else (X, y)
        accept = "csr" if self._sparse else False
        return validate_data(self, X, y, reset=reset, accept_sparse=accept, dtype="numeric", ensure_all_finite=False, ensure_min_samples=least)

    def _names(self) -> list[str]:
        """Names of the columns for messages and model files."""
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _labels(self) -> list[str]:
        return class_names(self.classes_)

    def _threshold(self) -> float | None:
        """The value above which entries of sparse rows are flags; ``None`` when they are counts."""
        return None

    def _adopt(self, model: _core.Model) -> None:
        """Takes a finished model and warns of what it noticed."""
        self._model = model
        self.diagnostics_ = tell(model.notices)

    def _plain(self, X: Any) -> np.ndarray | None:
        """Probabilities of a few plain rows without the full check; ``None`` when the input wants it."""
        state = self.__dict__
        model = state.get("_model")
        return None if model is None or "feature_names_in_" in state else model.quick(X)

    def _certain(self, X: Any) -> np.ndarray:
        """One class is all that was seen: it has probability one in every row."""
        (seen,) = np.flatnonzero(self.class_count_ > 0)
        certain = np.zeros((X.shape[0], len(self.classes_)))
        certain[:, seen] = 1.0
        return certain

    def _ask(self, X: Any, question: str) -> np.ndarray:
        """What the model answers about checked rows: ``"probabilities"``, ``"scores"`` or ``"decide"``."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if self._model is None:
            if self._obstacle is not None:
                raise self._obstacle
            certain = self._certain(X)
            with np.errstate(divide="ignore"):
                return {"probabilities": certain, "scores": np.log(certain), "decide": certain.argmax(axis=1)}[question]
        return getattr(self._model, question)(core_rows(X), self._threshold(), self._gaps, thread_count(self.n_jobs))

    def _chosen(self, X: Any) -> np.ndarray:
        quick = self._plain(X)
        return self._ask(X, "decide") if quick is None else quick.argmax(axis=1)

    def _probabilities(self, X: Any) -> np.ndarray:
        quick = self._plain(X)
        return self._rounded(X, self._ask(X, "probabilities")) if quick is None else quick

    def _log_probabilities(self, X: Any) -> np.ndarray:
        scores = self._ask(X, "scores")
        return self._rounded(X, scores - logsumexp(scores, axis=1, keepdims=True))

    def _show(self, X: Any, *names: str) -> None:
        """Rounds attributes to four bytes where the rows had four; the model keeps all digits."""
        if X is not None and X.dtype == np.float32:
            for name in filter(self.__dict__.__contains__, names):
                value = self.__dict__[name]
                self.__dict__[name] = [part.astype(np.float32) for part in value] if isinstance(value, list) else value.astype(np.float32)

    def _rounded(self, X: Any, answers: np.ndarray) -> np.ndarray:
        """Answers in four bytes where attributes and rows have no more, as NumPy mixes them."""
        shown = self.__dict__.get(self._shown)
        if shown is None or shown.dtype != np.float32:
            return answers
        own = X.dtype if hasattr(X, "dtype") else np.asarray(X).dtype
        return answers.astype(np.float32) if np.result_type(own, np.float32) == np.float32 else answers

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that the command and every other front end can read.

        The file holds the model, not the estimator: parameters of the fit and sums for further batches stay behind.

        Parameters
        ----------
        path : path-like
            Where to write; an existing file is replaced as a whole or not at all.
        """
        _core.write_file(path, self._finished_model().to_bytes())

    def _finished_model(self) -> _core.Model:
        check_is_fitted(self)
        if self._model is None:
            raise self._obstacle or DataError("one class is all that was seen; there is no model to save yet")
        return self._model

    @classmethod
    def _of_model(cls, model: _core.Model) -> Any:
        """An estimator around a model from a file."""
        self = cls()
        self._model, self._obstacle, self.diagnostics_ = model, None, [OddsmithWarning(*notice) for notice in model.notices]
        self.classes_ = classes_of_names(model.class_labels)
        self._take_names(model.names)
        arrays = model.arrays()
        if "classes.weight" in arrays:
            self.class_count_ = arrays["classes.weight"]
        self._describe_model(arrays, json.loads(model.head()))
        return self

    def _learn_from(self, sums: _core.Sums) -> None:
        """Learns from statistics instead of rows."""
        self._sums = sums
        self.classes_ = classes_of_names(sums.classes)
        self._take_names(sums.names)
        self._settle()

    def _take_names(self, names: list[str]) -> None:
        """Columns as a file names them; names that only count columns are those of an array."""
        self.n_features_in_ = len(names)
        if names != self._names():
            self.feature_names_in_ = np.array(names, dtype=object)

    def _sums_wanted(self) -> tuple[str, float, bool]:
        """Which sums the model is finished from, the threshold of flags, and whether arrays hold codes."""
        raise UnsupportedError(f"{type(self).__name__} cannot be fitted in passes")

    def _first_pass(self, target: str | None, features: Any, kinds: dict[str, str], weights: str | None, layout: Any) -> Gathering:
        """The only question of a fit from sums; sums of other levels and classes unite, so no layout has to be agreed upon."""
        wanted, threshold, codes = self._sums_wanted()
        return Gathering(wanted, threshold, target or TARGET, features, weights, dict(kinds), codes)

    def _last_pass(self, sums: _core.Sums) -> None:
        """Learns from the sums of all places."""
        self._learn_from(sums)

    def _settle(self) -> None:
        """Sets attributes and model from the sums."""
        raise UnsupportedError(f"{type(self).__name__} cannot be learned from statistics; fit it from the rows")

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        """Sets the attributes that follow from a model file."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.input_tags.allow_nan = self._gaps
        return tags


def check_not_single(classes: np.ndarray) -> None:
    """Refuses targets that teach nothing: the classes (of rows with weight) must be two or more."""
    if len(classes) == 0:
        raise DataError("there are no rows of any class to learn from; all weights are zero")
    if len(classes) < 2:
        raise DataError(f"y has only one class: {classes.tolist()[0]!r}; two classes or more are needed")
