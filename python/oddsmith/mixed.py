"""Naive Bayes over data frames: numbers, categories, booleans and text side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from . import _checks, _core
from ._arrow import is_frame
from ._base import check_not_single
from ._batches import LearnsInBatches
from ._frames import FrameClassifier, checked_labels, target_name
from ._inputs import codes_among, core_rows, encode_classes, row_weights, thread_count
from .exceptions import tell

__all__ = ["MixedNB"]


class MixedNB(LearnsInBatches, FrameClassifier):
    """Naive Bayes over columns of every kind, each with its own distribution.

    Takes pandas, polars and pyarrow tables, anything else with the Arrow PyCapsule interface, and arrays of numbers. Numbers
    get normal densities, categories and booleans shares of levels, text the multinomial distribution of its words. A number
    column of a table that holds only 0 and 1 is a boolean, unless `kinds` or `distributions` say otherwise.
    Levels and classes stand in the order of a pandas Categorical, a polars Enum or an Arrow dictionary, and are sorted elsewhere.
    A missing value is integrated out: the column says nothing about that row. So is a level that was never seen.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of every level and word.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the proportions of the classes in the data.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests: 'number', 'category', 'boolean' or 'text'.
    text : dict, default=None
        How texts become words, by the command's names: 'ngrams' (1, or a pair such as (1, 2)), 'char_ngrams' (runs of characters in place of
        words, such as (3, 5)), 'weights' ('tf-idf', as scikit-learn's TfidfVectorizer), 'min_documents', 'max_words', 'stop_words',
        'hash_width' and 'values' ('count' or 'presence').
    distributions : dict, default=None
        The distribution of columns, where it is not their kind's own: 'gaussian', 'bernoulli', 'multinomial', 'complement'
        or 'categorical'.
    binarize : float, default=0.0
        A number above this is a set flag in a 'bernoulli' column.
    var_floor : float, default=1e-9
        Smallest variance within a class as a share of the column's own overall variance.
    var_tying : {'per-class', 'per-column', 'single'}, default='per-class'
        Which normal densities share a variance: none, those of a column, or all.
    divisor : {'ml', 'unbiased'}, default='ml'
        What squared deviations are divided by: the number of rows, or one less per mean that was estimated.
    predictive : bool, default=False
        Integrate parameters out instead of plugging in estimates.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of every class.
    kinds_ : dict
        The kind of every column.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import polars as pl
    >>> from oddsmith import MixedNB
    >>> frame = pl.DataFrame({"age": [31.0, 25.0, None, 60.0], "smokes": [True, False, True, True], "ward": ["a", "b", "b", "a"]})
    >>> model = MixedNB().fit(frame, ["ill", "well", "well", "ill"])
    >>> model.kinds_
    {'age': 'number', 'smokes': 'boolean', 'ward': 'category'}
    >>> model.predict(pl.DataFrame({"age": [58.0], "smokes": [None], "ward": ["a"]}, schema=frame.schema))
    array(['ill'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        alpha=1.0,
        priors=None,
        kinds=None,
        text=None,
        distributions=None,
        binarize=0.0,
        var_floor=1e-9,
        var_tying="per-class",
        divisor="ml",
        predictive=False,
        n_jobs=None,
    ):
        self.alpha = alpha
        self.priors = priors
        self.kinds = kinds
        self.text = text
        self.distributions = distributions
        self.binarize = binarize
        self.var_floor = var_floor
        self.var_tying = var_tying
        self.divisor = divisor
        self.predictive = predictive
        self.n_jobs = n_jobs

    _gaps = True
    #: Sums that were gathered elsewhere are those of columns with kinds.
    _of_frame = True

    def _core_params(self) -> dict[str, Any]:
        prior: Any = "data"
        # Whoever says that a column is a number means it, zeros and ones too.
        numbers = {name: "gaussian" for name, kind in (self.kinds or {}).items() if kind == "number"}
        if self.priors is not None:
            shares = dict(zip(self._labels(), _checks.class_prior("priors", self.priors, len(self.classes_)), strict=True))
            prior = [shares[label] for label in self._sums.classes]
        return {
            "family": "mixed",
            "prior": prior,
            "smoothing": _checks.at_least("alpha", self.alpha, 0),
            "word_smoothing": [],
            "normalized": False,
            "threshold": float(self.binarize),
            "variance_addend": 0.0,
            "variance_floor": _checks.at_least("var_floor", self.var_floor, 0),
            "tying": _checks.declared("tying", "var_tying", self.var_tying),
            "divisor": _checks.declared("divisor", "divisor", self.divisor),
            "predictive": _checks.flag("predictive", self.predictive),
            "distributions": list((numbers | (self.distributions or {})).items()),
            "flags": self._of_frame,
        }

    def _gather(self, X: Any, y: Any, sample_weight: Any, *, reset: bool, classes: np.ndarray | None = None) -> _core.Sums:
        """Sums of a batch; `reset` learns names and, without given ones, classes from it."""
        threads = thread_count(self.n_jobs)
        frame, kinds = self._training_table(X)
        self._of_frame = frame is not None
        if frame is None:
            X, y = validate_data(self, X, y, reset=reset, dtype="numeric", ensure_all_finite=False)
            codes = self._codes(y, classes)
            columns = _core.Columns.numbers(self._names(), self._labels())
            weights = row_weights(sample_weight, X)
            return _core.gather(type(self).__name__, columns, "mixed", core_rows(X), codes, weights, float(self.binarize), self._gaps, threads)
        if is_frame(X):
            frame = self._frame(X, reset=reset)
        target = target_name(frame, y)
        codes = self._codes(checked_labels(X, y), classes, y)
        weights = row_weights(sample_weight, X)
        sums, notices = frame.gather("mixed", float(self.binarize), target, self._labels(), codes, weights, kinds, threads)
        tell(notices)
        return sums

    def _sums_wanted(self) -> tuple[str, float, bool]:
        return "mixed", float(self.binarize), False

    def _codes(self, labels: np.ndarray, classes: np.ndarray | None, y: Any = None) -> np.ndarray:
        if classes is not None:
            return codes_among(labels, classes)
        self.classes_, codes = encode_classes(labels, y)
        check_not_single(self.classes_)
        return codes

    def _settle(self) -> None:
        """Finishes a model from the sums."""
        counts = dict(zip(self._sums.classes, self._sums.class_count, strict=True))
        self.class_count_ = np.array([counts.get(label, 0.0) for label in self._labels()])
        self.kinds_ = dict(self._sums.kinds)
        self._model = self._obstacle = None
        if np.count_nonzero(self.class_count_) > 1:
            self._adopt(self._sums.naive_bayes(self._core_params()))
            self.kinds_ = dict(self._model.kinds)
            self.class_prior_ = self._spread(np.exp(self._model.log_prior)[None, :], 0.0)[0]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MixedNB:
        """Fit the model.

        Parameters
        ----------
        X : data frame, array-like of shape (n_samples, n_features) or list of str
            The rows; texts are learned from by their words.
        y : array-like of shape (n_samples,)
            The class of every row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up; a row of weight 2 counts as the row twice.

        Returns
        -------
        MixedNB
            The fitted estimator itself.
        """
        self._sums = self._gather(X, y, sample_weight, reset=True)
        self._settle()
        return self

    def _add_batch(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> None:
        batch = self._gather(X, y, sample_weight, reset=first, classes=self.classes_)
        self._sums = batch if first else self._sums.merge(batch)[0]
        self._settle()

    def _spread(self, columns: np.ndarray, empty: float) -> np.ndarray:
        """Columns of the model's classes at the places of `classes_`; a class that was never seen has nothing."""
        labels = self._labels()
        if self._model is None or self._model.class_labels == labels:
            return columns
        spread = np.full((columns.shape[0], len(labels)), empty)
        spread[:, [labels.index(label) for label in self._model.class_labels]] = columns
        return spread

    def _ask(self, X: Any, question: str) -> np.ndarray:
        answers = super()._ask(X, question)
        return answers if question == "decide" else self._spread(answers, 0.0 if question == "probabilities" else -np.inf)

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        self.class_prior_ = np.exp(self._model.log_prior)
        self.kinds_ = dict(self._model.kinds)
