"""Several models on the same folds, and whether one of them is better than chance would have it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_array, column_or_1d, indexable

from . import _checks, _core
from ._base import check_not_single
from ._inputs import class_names, codes_among, core_rows, encode_classes, row_weights, thread_count
from ._rendered import Rendered
from ._tables import maker, parted, table
from ._text import text_options
from ._wrapped import log_scores
from .exceptions import ParameterError, tell
from ._arrow import is_frame, table_of
from ._frames import target_name
from .pictures import Picture

__all__ = ["Comparison", "compare"]

# Parts of the rows of learning curves, as in oddsmith's own.
_PARTS = 16


class Comparison(Rendered):
    """Models after a comparison, as `compare` gives them.

    Attributes
    ----------
    models : data frame
        One row per model: bits, bits saved, Brier score, area, calibration slope, accuracy, seconds, and a note where a model failed.
    pairs : data frame
        Every model against the one with the fewest bits: difference, interval, p-value, p-value adjusted by Holm's method, and
        DeLong's test of the areas.
    verdict : str
        The one sentence that may name a winner.
    curve : data frame or None
        Where it was asked for: bits of every model that learned from 1/16, 1/8, ... and all of the rows of the other folds, mean and standard
        error over folds.
    """

    def __init__(self, results: _core.Results, title: str, make: str, curve: bool = False) -> None:
        self._results, self._title, self._make = results, title, make
        self.models, self.pairs = table(results.models(), make), table(results.pairs(), make)
        self.verdict = results.verdict()
        self.curve = table(results.curve(), make) if curve else None

    def picture(self, name: str = "comparison") -> Picture:
        """Draw the models beside each other.

        Parameters
        ----------
        name : {'comparison', 'learning'}, default='comparison'
            Bits of every model with their intervals, or the learning curves where they were asked for.

        Returns
        -------
        Picture
            The picture.
        """
        if name not in ("comparison", "learning") or (name == "learning" and self.curve is None):
            raise ParameterError(f"there is no picture {name!r} here: 'comparison', and 'learning' where `curve=True` asked for curves")
        return Picture(self._results.picture(name == "learning"), self._make)

    def _render(self, format: str) -> str:
        return self._results.render(self._title, format)

    def __repr__(self) -> str:
        return self.summary()


def compare(
    data: Any,
    target: Any,
    models: Iterable[Any] | None = None,
    *,
    folds: int = 10,
    repeats: int = 1,
    groups: Any = None,
    sample_weight: Any = None,
    kinds: dict[str, str] | None = None,
    text: dict[str, Any] | None = None,
    random_state: int = 1,
    n_jobs: int | None = None,
    curve: bool = False,
) -> Comparison:
    """Compare models by cross-validation: every row is judged by models that have not seen its fold.

    Parameters
    ----------
    data : data frame or array-like of shape (n_samples, n_features)
        The rows.
    target : str or array-like of shape (n_samples,)
        The column of the data frame that holds the class, or the class of every row.
    models : iterable, default=None
        Names of oddsmith's models, which share passes over the rows; classifiers of any library; or pairs of a name and a classifier. By
        default the models that the command compares: mixed naive Bayes, both discriminants and logistic regression.
    folds : int, default=10
        Number of folds, with equal proportions of the classes.
    repeats : int, default=1
        How many times rows are dealt anew; figures are means over all times.
    groups : str or array-like of shape (n_samples,), default=None
        A column (or values) whose equal values keep rows in one fold, such as a patient.
    sample_weight : str or array-like of shape (n_samples,), default=None
        A column of weights, or weights; a row of weight 2 counts as the row twice.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests.
    text : dict, default=None
        How texts of a data frame become words, as in `MixedNB`.
    random_state : int, default=1
        Start of the random numbers that deal rows to folds.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.
    curve : bool, default=False
        Whether to draw learning curves too: every model is fitted to growing parts of the rows of the other folds.

    Returns
    -------
    Comparison
        Tables of models and of pairs, the verdict, and learning curves where asked for.

    Examples
    --------
    >>> import polars as pl
    >>> import oddsmith
    >>> births = pl.read_csv("examples/births.csv").select("low", "age", "lwt", "smoke")
    >>> compared = oddsmith.compare(births, "low", ["nb", "qda"], folds=5)
    >>> compared.models["model"].to_list()
    ['nb', 'qda']
    """
    make = maker(data)
    X, (y, groups, sample_weight) = parted(data, [target, groups, sample_weight])
    X, labels = indexable(X, column_or_1d(y))
    classes, codes = encode_classes(labels, y)
    check_not_single(classes)
    weights = row_weights(sample_weight, codes)
    params = {
        "folds": _checks.whole("folds", folds, 2),
        "repeats": _checks.whole("repeats", repeats, 1),
        "seed": _checks.whole("random_state", random_state, 0),
        "groups": None if groups is None else np.unique(column_or_1d(groups), return_inverse=True)[1].astype(np.uint32).tolist(),
        "threads": thread_count(n_jobs),
        "curve": bool(curve),
    }
    named, others, order = _sorted_out(_core.compared_models() if models is None else models)
    results = _core.Results()
    if named:
        results = _named(X, target, classes, codes, weights, (kinds or {}, text_options(text)), named, params)
        order = [dict(zip(named, results.names, strict=True)).get(name, name) for name in order]
    for name, estimator in others.items():
        rows = _Rows(X, labels, classes, codes, weights)
        results = _with_estimator(results, name, estimator, rows, params)
        if curve:
            results = _with_curve(results, name, estimator, rows, params)
    title = f"{folds} folds{f' dealt {repeats} times' if repeats > 1 else ''}, every row judged by models that have not seen its fold"
    return Comparison(results.ordered(order), title, make, bool(curve))


def _sorted_out(models: Iterable[Any]) -> tuple[list[str], dict[str, Any], list[str]]:
    """Names of oddsmith's models, classifiers by name, and the names of both in the order in which they were given."""
    named: list[str] = []
    others: dict[str, Any] = {}
    order: list[str] = []
    for model in models:
        name, estimator = model if isinstance(model, tuple) else (model, None) if isinstance(model, str) else (type(model).__name__, model)
        if name in order:
            raise ParameterError(f"models are not accepted: {name!r} is there twice; give pairs of a name and a classifier")
        order.append(name)
        if estimator is None:
            named.append(name)
        else:
            others[name] = estimator
    if not order:
        raise ParameterError("models are not accepted: name one or more")
    return named, others, order


def _named(
    X: Any,
    target: Any,
    classes: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray | None,
    reading: tuple[dict[str, str], dict[str, Any] | None],
    named: list[str],
    params: dict[str, Any],
) -> _core.Results:
    """oddsmith's own models, which share passes."""
    if is_frame(X):
        kinds, words = reading
        frame = table_of(X, text=words)
        results, notices = _core.compare_frame(frame, target_name(frame, target), class_names(classes), codes, weights, kinds, named, params)
        tell(notices)
        return results
    X = check_array(X, dtype="numeric", ensure_all_finite=False)
    columns = _core.Columns.numbers([f"x{j}" for j in range(X.shape[1])], class_names(classes))
    return _core.compare_rows(columns, core_rows(X), codes, weights, named, params)


class _Rows(NamedTuple):
    """What classifiers of other libraries learn from and are judged on."""

    X: Any
    y: np.ndarray
    classes: np.ndarray
    codes: np.ndarray
    weights: np.ndarray | None

    def scores(self, estimator: Any, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        """Log probabilities of some rows by a classifier of others; a class that was not taught is impossible."""
        weighted = {} if self.weights is None else {"sample_weight": self.weights[train]}
        fitted = clone(estimator).fit(_safe_indexing(self.X, train), self.y[train], **weighted)
        scores = np.full((len(test), len(self.classes)), -np.inf)
        scores[:, codes_among(fitted.classes_, self.classes)] = log_scores(fitted, _safe_indexing(self.X, test))
        return scores


def _with_estimator(results: _core.Results, name: str, estimator: Any, rows: _Rows, params: dict[str, Any]) -> _core.Results:
    """A classifier on the same folds. What it cannot do is no reason to stop the others."""
    begin, tables = time.perf_counter(), []
    try:
        for repeat in range(params["repeats"]):
            fold = _core.deal(rows.codes, params["folds"], params["seed"] + repeat, params["groups"])
            scores = np.empty((len(rows.codes), len(rows.classes)))
            for held_out in range(params["folds"]):
                test = np.flatnonzero(fold == held_out)
                scores[test] = rows.scores(estimator, np.flatnonzero(fold != held_out), test)
            tables.append(scores)
        return results.with_scores(name, tables, rows.codes, rows.weights, time.perf_counter() - begin)
    except Exception as error:  # noqa: BLE001: whatever a classifier of another library raises is its result
        return results.with_failure(name, str(error))


def _with_curve(results: _core.Results, name: str, estimator: Any, rows: _Rows, params: dict[str, Any]) -> _core.Results:
    """The learning curve of a classifier over the prefixes that oddsmith's own models learn from."""
    fold = _core.deal(rows.codes, params["folds"], params["seed"], params["groups"])
    cells = rows.codes * np.uint32(params["folds"]) + fold.astype(np.uint32)
    part = _core.deal(cells, min(_PARTS, len(cells)), params["seed"], None)
    for taught in (1, 2, 4, 8, _PARTS):
        bits: list[float] | None = []
        counts, reason = [], ""
        for held_out in range(params["folds"]):
            train, test = np.flatnonzero((fold != held_out) & (part < taught)), np.flatnonzero(fold == held_out)
            counts.append(len(train))
            try:
                judged = _core.judge(
                    rows.scores(estimator, train, test),
                    True,
                    rows.codes[test],
                    None if rows.weights is None else rows.weights[test],
                    class_names(rows.classes),
                    {"threshold": None, "weighting": "frequency", "bins": 10, "groups": 10},
                )
                bits.append(judged.figure("bits")[0])
            except Exception as error:  # noqa: BLE001: whatever a classifier of another library raises is its result
                bits, reason = None, str(error)
                break
        results = results.with_curve_point(name, taught / _PARTS, float(np.mean(counts)), bits, reason)
    return results
