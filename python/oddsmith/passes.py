"""Fits of rows that stay where they are: one question after the other, answered with sums.

A worker that answers needs this module, NumPy and the extension, and neither scikit-learn nor the estimator.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _core
from ._batch import batch_table
from ._gathering import Gathering, is_gathering
from ._threads import thread_count
from .exceptions import ParameterError, tell

__all__ = ["Layout", "Pass", "Round", "answer", "begin", "begin_analysis", "load_round", "merge_answers"]

#: The name of a target that has none.
TARGET = "y"


@dataclass(frozen=True)
class Layout:
    """What is known of the columns before any row is read; with it the first question is the first pass.

    Parameters
    ----------
    columns : dict
        Every column by name: ``"number"``, ``"boolean"``, or a list of the levels of a category in their order.
    classes : sequence of str
        Labels of the classes in their order.

    Examples
    --------
    >>> from oddsmith import stats
    >>> stats.Layout({"age": "number", "ward": ["a", "b"]}, ["no", "yes"]).classes
    ['no', 'yes']
    """

    columns: Mapping[str, str | Sequence[str]]
    classes: Sequence[Any] = field(default_factory=list)

    def _core(self, target: str, weighted: bool) -> _core.Columns:
        columns = [(name, kind if isinstance(kind, str) else [str(level) for level in kind]) for name, kind in self.columns.items()]
        return _core.Columns.mixed(columns, target, [str(label) for label in self.classes], weighted)


class Pass:
    """A question to all partitions or places of a study, and what was answered so far.

    Made by `begin`, by `load_round` and by `advance`. Every partition answers it with sums over its rows, and all answers together lead
    to the next question or to the fitted estimator of the pooled rows. Either one process shows it all batches (`observe`), or an
    engine sends `ask` to its workers, lets each `answer` it, brings the answers together with `merge_answers` in any tree, and goes on
    with `advance`. Also called `Round`, where its bytes go through files between places, as those of the command ``oddsmith rounds`` do.

    Attributes
    ----------
    number : int
        The number of the question, from 1.
    asks_for : str
        What is summed up.
    discloses : str or None
        What an answer tells of single rows and not only of all together.
    """

    def __init__(self, core: _core.Round | Gathering, estimator: Any = None) -> None:
        self._core, self._estimator = core, estimator
        self._seen: list[bytes] = []

    @property
    def number(self) -> int:
        """The number of the question, from 1."""
        return self._core.number

    @property
    def asks_for(self) -> str:
        """What is summed up."""
        return self._core.question()[0]

    @property
    def discloses(self) -> str | None:
        """What an answer tells of single rows and not only of all together."""
        return self._core.question()[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_bytes, (self._core.to_bytes(), self._estimator, list(self._seen))

    def __repr__(self) -> str:
        return f"<Round: question {self.number} asks for {self.asks_for}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the question to a file.

        Parameters
        ----------
        path : path-like
            Where to write; an existing file is replaced as a whole or not at all.
        """
        _core.write_file(path, self._core.to_bytes())

    def answer(self, data: Any, y: Any = None, sample_weight: Any = None, *, n_jobs: int | None = None) -> bytes:
        """Sum the rows of a place up.

        Parameters
        ----------
        data : data frame, Arrow batch or array
            The rows; a table has the target among its columns unless `y` is given.
        y : array-like, default=None
            The class of every row.
        sample_weight : array-like, default=None
            Weights from 0 up; the fit must have been begun with a name for them.
        n_jobs : int, default=None
            Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

        Returns
        -------
        bytes
            The answer; in a file, `oddsmith rounds advance` reads it too. Nothing (``b""``) where there are no rows.
        """
        return answer(self.ask(), [data if y is None else (data, y, sample_weight)], n_jobs=n_jobs)

    def ask(self) -> bytes:
        """Take the question out of the pass.

        Returns
        -------
        bytes
            The question with the point at which it is asked, and without the sums of earlier passes; `answer` takes it.
        """
        return self._core.ask()

    def to_bytes(self) -> bytes:
        """Write the answers to this question that were observed and merged so far as one.

        Returns
        -------
        bytes
            What `merge` of the same pass elsewhere and `advance` take; ``b""`` where nothing was seen.
        """
        return merge_answers(self._seen)

    def observe(self, batch: Any, y: Any = None, sample_weight: Any = None) -> None:
        """Add the rows of a batch to what `advance` goes on with.

        Parameters
        ----------
        batch : data frame, Arrow batch or array
            The rows. Every pass must be shown the same batches in the same order; one without rows is fine.
        y : array-like, default=None
            The class of every row, where it is not a column of the batch.
        sample_weight : array-like, default=None
            Weights from 0 up; the fit must have been begun with a name for them.
        """
        batches = [batch if y is None else (batch, y, sample_weight)]
        self._seen.append(answer(self.ask(), batches, part=f"batch {len(self._seen) + 1}"))

    def merge(self, other: bytes) -> None:
        """Add the answer of others to what `advance` goes on with.

        Parameters
        ----------
        other : bytes
            What `answer`, `merge_answers` or `to_bytes` returned.
        """
        self._seen.append(other)

    def advance(self, answers: bytes | Sequence[bytes | str | os.PathLike[str]] | None = None) -> Any:
        """Put the answers of all places together.

        Parameters
        ----------
        answers : bytes or sequence of bytes or path-like, default=None
            What `answer` returned at every place, or files with it, or what `merge_answers` made of them; ``None`` takes what was
            observed and merged. From the second question on the places and their rows must be those of the first.

        Returns
        -------
        Pass, estimator or Account
            The next question, or the fitted estimator, or what an analysis concluded.
        """
        given = self._seen if answers is None else [answers] if isinstance(answers, bytes) else answers
        following, result, notices = self._core.advance(_named(given))
        tell(notices)
        if following is not None:
            return Pass(following, self._estimator)
        from ._finished import finished

        return finished(self._estimator, result)


Round = Pass


def _of_bytes(content: bytes, estimator: Any = None, seen: Iterable[bytes] = ()) -> Pass:
    core = Gathering.from_bytes(content) if is_gathering(content) else _core.Round.from_bytes(content)
    made = Pass(core, estimator)
    made._seen = list(seen)
    return made


def _named(answers: Iterable[bytes | str | os.PathLike[str]]) -> list[tuple[str, bytes]]:
    """Answers with the names that messages use for them; places without rows have none."""
    read = [
        (f"answer {at}", given) if isinstance(given, bytes) else (str(given), Path(given).read_bytes())
        for at, given in enumerate(answers, 1)
    ]
    return [(name, content) for name, content in read if content]


def answer(ask: bytes, batches: Iterable[Any], *, part: str | None = None, n_jobs: int | None = None) -> bytes:
    """Answer a question with the sums of some rows.

    Parameters
    ----------
    ask : bytes
        What `Pass.ask` returned.
    batches : iterable
        The rows: data frames or Arrow batches with the target among their columns, or tuples of rows, classes and (where the fit has
        a name for them) weights; the rows of a tuple may be an array.
    part : str, default=None
        The name of the place or partition, the same in every answer; ``None`` knows it by its rows.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Returns
    -------
    bytes
        The answer; in a file, `oddsmith rounds advance` reads it too. Nothing (``b""``) where there are no rows.
    """
    threads = thread_count(n_jobs)
    if is_gathering(ask):
        return Gathering.from_bytes(ask).answer(batches, part, threads)
    target, weight = _core.question_columns(ask)
    frames = [batch_table(batch, target or TARGET, weight) for batch in batches]
    frames = [frame for frame in frames if frame.rows]
    if not frames:
        return b""
    content, notices = _core.answer_question(ask, frames, part, threads)
    tell(notices)
    return content


def merge_answers(parts: Iterable[bytes | str | os.PathLike[str]]) -> bytes:
    """Make one answer of several to the same question.

    Parameters
    ----------
    parts : iterable of bytes or path-like
        Answers; they may have been merged before.

    Returns
    -------
    bytes
        The answer that stands for all of them. A part that is there twice is refused.
    """
    named = _named(parts)
    if len(named) < 2:
        return named[0][1] if named else b""
    if is_gathering(named[0][1]):
        return Gathering.merged(named)
    return _core.merge_answers(named)


def begin(
    estimator: Any,
    target: str | None = None,
    *,
    layout: Layout | None = None,
    features: Sequence[str] | None = None,
    kinds: dict[str, str] | None = None,
    weights: str | None = None,
    options: dict[str, Any] | None = None,
) -> Pass:
    """Begin a fit of rows that stay where they are: in batches, in partitions of an engine, in hospitals.

    Parameters
    ----------
    estimator : estimator or str
        What is fitted: any estimator of oddsmith, a formula that names the target, or the name of a model as the command knows it
        (``"lda"``, ``"nb"``, ``"one-vs-rest"`` …). It is not changed.
    target : str, default=None
        The column to predict, where no formula names it; by default ``"y"``, as the classes beside an array are called.
    layout : Layout, default=None
        Columns and classes, where they are known: nobody is asked for them then.
    features : sequence of str, default=None
        The columns that are read; ``None`` reads all.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests; an estimator with `kinds` has its own.
    weights : str, default=None
        The column of row weights, or a name for weights beside the rows; a `Logit` has its own.
    options : dict, default=None
        Options of a model that is named, such as ``{"shrinkage": "ledoit-wolf"}``.

    Returns
    -------
    Pass
        The first question: which columns, levels and classes every place has, unless `layout` says so or sums need not know it.

    Examples
    --------
    >>> import pandas as pd
    >>> from oddsmith import Logit, stats
    >>> rows = pd.DataFrame({"y": list("abab" * 6), "x": [0.5, 1, 2, 2.5, 3, 1.5] * 4})
    >>> sites = [rows[:10], rows[10:]]
    >>> step = stats.begin(Logit("y ~ x"))
    >>> while isinstance(step, stats.Pass):
    ...     step = step.advance([step.answer(site) for site in sites])
    >>> pooled = Logit("y ~ x").fit(rows)
    >>> bool(abs(step.tidy()["estimate"] - pooled.tidy()["estimate"]).max() < 1e-9)
    True
    """
    columns = None if features is None else list(features)
    if isinstance(estimator, str) and "~" in estimator:
        from .logit import Logit

        estimator = Logit(estimator, kinds=kinds, weights=weights)
    if isinstance(estimator, str):
        known = None if layout is None else layout._core(target or TARGET, weights is not None)
        return Pass(_core.Round.begin(estimator, dict(options or {}), None, target or TARGET, columns, kinds or {}, weights, known, True, None))
    if options:
        raise ParameterError("options are not accepted: they belong to a model that is named; an estimator has its own")
    if not hasattr(estimator, "_first_pass"):
        raise ParameterError(f"estimator = {estimator!r} is not accepted: an estimator of oddsmith, a formula, or the name of a model")
    # `weights` of neighbours says how they vote, and names no column.
    named = estimator._weight_column() if hasattr(estimator, "_weight_column") else getattr(estimator, "weights", None)
    weights = named or weights
    kinds = getattr(estimator, "kinds", None) or kinds or {}
    return Pass(estimator._first_pass(target, columns, kinds, weights, layout), estimator)


def begin_analysis(
    analysis: str,
    target: str | None = None,
    *,
    formula: str | None = None,
    options: Mapping[str, Any] | None = None,
    kinds: Mapping[str, str] | None = None,
    weights: str | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    event: Any = None,
) -> Pass:
    """Begin an analysis of rows that stay where they are.

    Parameters
    ----------
    analysis : str
        ``"table"``, ``"describe"``, ``"confounding"``, ``"subgroups"``, ``"conditional-logistic"`` or another that ``oddsmith rounds begin --analysis`` takes.
    target : str, default=None
        The column of the outcome, or of the groups of a description, where no formula names it.
    formula : str, default=None
        For matched sets, such as ``"case ~ x + strata(set)"``.
    options : dict, default=None
        Options of the analysis, such as ``{"exposure": "smoke", "strata": ["race"]}``.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests.
    weights : str, default=None
        A column that says how often a row counts.
    levels : dict, default=None
        Levels of columns from first to last.
    event : label, default=None
        The class that is the event; by default the last.

    Returns
    -------
    Pass
        The first question; the last `Pass.advance` gives an `oddsmith.epi.Account`.

    Examples
    --------
    >>> import pandas as pd
    >>> from oddsmith import stats
    >>> rows = pd.DataFrame({"case": list("yynnnyny") * 3, "x": list("abababba") * 3, "site": list("uuvvwwuv") * 3})
    >>> step = stats.begin_analysis("table", "case", options={"exposure": "x", "strata": ["site"]})
    >>> while isinstance(step, stats.Pass):
    ...     step = step.advance([step.answer(rows[:13]), step.answer(rows[13:])])
    >>> step.estimate("odds ratio", "Mantel–Haenszel")["estimate"] > 0
    True
    """
    order = ({name: [str(level) for level in given] for name, given in (levels or {}).items()}, None if event is None else str(event))
    return Pass(_core.Round.begin_analysis(analysis, dict(options or {}), formula, target, None, dict(kinds or {}), weights, order))


def load_round(path: str | os.PathLike[str]) -> Pass:
    """Read a question that `Pass.save` or the command wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Pass
        The question.
    """
    return _of_bytes(Path(path).read_bytes())
