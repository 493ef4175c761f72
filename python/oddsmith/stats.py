"""Statistics instead of rows: gathered where the rows are, added, subtracted, and learned from elsewhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._arrow import is_frame, table_of
from ._text import text_options
from ._threads import thread_count
from .exceptions import tell
from .passes import Layout, Pass, Round, answer, begin, begin_analysis, load_round, merge_answers

# Workers that only sum rows up need no scikit-learn: what needs it is imported where it is used.
__all__ = ["Layout", "Pass", "Round", "Statistics", "answer", "begin", "begin_analysis", "gather", "load", "load_round", "merge_answers"]


class Statistics:
    """Sums over rows from which every one-pass model can be learned; the bytes of a statistics file.

    Made by `gather` and `load`. ``a + b`` are the sums of the rows of both, over the union of their levels, words and classes;
    ``a - b`` is what remains of ``a`` without the rows of ``b``. They know what they are the sum of, in files and pickles too: adding the same
    sums a second time is refused, and taking away what was never added is told.

    Attributes
    ----------
    classes : ndarray
        Class labels.
    class_count : ndarray
        Weight of the rows of every class.
    kinds : dict
        The kind of every column.
    """

    def __init__(self, sums: _core.Sums, members: set[str] | None = None) -> None:
        self._sums = sums
        self._members = members

    def _held(self) -> set[str]:
        """The hashes of the gatherings that these are the sum of; sums that were gathered at once have one."""
        if self._members is None:
            self._members = _core.Sums.members(self._sums.to_bytes())
        return self._members

    @property
    def classes(self) -> np.ndarray:
        """Class labels."""
        from ._inputs import classes_of_names

        return classes_of_names(self._sums.classes)

    @property
    def class_count(self) -> np.ndarray:
        """Weight of the rows of every class."""
        return self._sums.class_count

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of every column."""
        return dict(self._sums.kinds)

    def __add__(self, other: Statistics) -> Statistics:
        members = _core.Sums.together(self._held(), other._held())
        sums, notices = self._sums.merge(other._sums)
        tell(notices)
        return Statistics(sums, members)

    def __sub__(self, part: Statistics) -> Statistics:
        rest = self._sums.subtract(part._sums)
        members, notices = self._sums.without(self._held(), part._held())
        tell(notices)
        return Statistics(rest, members)

    def __reduce__(self) -> tuple[Any, ...]:
        return Statistics, (self._sums, self._members)

    def __repr__(self) -> str:
        counts = ", ".join(f"{label} {count:g}" for label, count in zip(self._sums.classes, self.class_count, strict=True))
        return f"<Statistics of {len(self.kinds)} columns: {counts}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a statistics file that the command and every other front end can read.

        Parameters
        ----------
        path : path-like
            Where to write; an existing file is replaced as a whole or not at all.
        """
        _core.write_file(path, self._sums.to_bytes(self._members))

    def fit(self, estimator: Any) -> Any:
        """Learn from the statistics as if from the rows.

        Parameters
        ----------
        estimator : estimator
            An estimator of oddsmith that learns in one pass: naive Bayes, LDA or QDA. It is not changed.

        Returns
        -------
        estimator
            A fitted copy.
        """
        from sklearn.base import clone

        fitted = clone(estimator)
        fitted._learn_from(self._sums)
        return fitted


def gather(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    kinds: dict[str, str] | None = None,
    text: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Statistics:
    """Sum rows up for every one-pass model.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        The class of every row.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights from 0 up; a row of weight 2 counts as the row twice.
    kinds : dict, default=None
        The kind of columns of a data frame that should not be read as their type suggests.
    text : dict, default=None
        How texts of a data frame become words, as in `MixedNB`.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Returns
    -------
    Statistics
        The sums.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import GaussianNB, stats
    >>> X, y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 1, 0, 1, 1])
    >>> here, there = stats.gather(X[:3], y[:3]), stats.gather(X[3:], y[3:])
    >>> both = here + there
    >>> both
    <Statistics of 2 columns: 0 3, 1 3>
    >>> both.fit(GaussianNB()).theta_
    array([[2.66666667, 3.66666667],
           [7.33333333, 8.33333333]])
    """
    from sklearn.utils.validation import check_X_y

    from ._frames import checked_labels
    from ._inputs import class_names, core_rows, encode_classes, encode_labels, row_weights

    threads = thread_count(n_jobs)
    if is_frame(X):
        classes, codes = encode_classes(checked_labels(X, y), y)
        frame = table_of(X, text=text_options(text))
        target = str(getattr(y, "name", None) or "y")
        sums, notices = frame.gather("all", 0.0, target, class_names(classes), codes, row_weights(sample_weight, X), kinds or {}, threads)
        tell(notices)
        return Statistics(sums)
    X, y = check_X_y(X, y, dtype="numeric", ensure_all_finite=False)
    classes, codes = encode_labels(y)
    columns = _core.Columns.numbers([f"x{j}" for j in range(X.shape[1])], class_names(classes))
    return Statistics(_core.gather("statistics", columns, "all", core_rows(X), codes, row_weights(sample_weight, X), 0.0, False, threads))


def load(path: str | os.PathLike[str]) -> Statistics:
    """Read a statistics file that `Statistics.save` or the command wrote.

    Parameters
    ----------
    path : path-like
        The statistics file.

    Returns
    -------
    Statistics
        The sums.
    """
    content = Path(path).read_bytes()
    return Statistics(_core.Sums.from_bytes(content), _core.Sums.members(content))
