"""Models of rows that stay where they are: one question after the other, answered with sums."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from . import _core
from ._frames import is_frame, table_of
from ._inputs import thread_count
from .exceptions import tell
from .files import of_model
from .logit import Logit

__all__ = ["Pass", "Round", "answer", "begin", "load_round", "merge_answers"]


class Round:
    """A question to all places of a study; the bytes of a file that the command `oddsmith rounds` reads and writes.

    Made by `begin`, by `load_round` and by `advance`. Every place answers it with sums over its rows, and all answers together lead to the
    next question or to the fitted model of the pooled rows. Also called `Pass`: an engine that cuts rows into partitions sends `ask` to all of
    them, lets each `answer` it, brings the answers together with `merge_answers` in any tree, and goes on with `advance`.

    Attributes
    ----------
    number : int
        The number of the question, from 1.
    asks_for : str
        What is summed up.
    discloses : str or None
        What an answer tells of single rows and not only of all together.
    """

    def __init__(self, core: _core.Round) -> None:
        self._core = core
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
        return _of_bytes, (self._core.to_bytes(),)

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

    def answer(self, data: Any, *, n_jobs: int | None = None) -> bytes:
        """Sum the rows of a place up.

        Parameters
        ----------
        data : data frame
            The rows, with the columns that the formula names.
        n_jobs : int, default=None
            Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

        Returns
        -------
        bytes
            The answer; in a file, `oddsmith rounds advance` reads it too.
        """
        return answer(self.ask(), [data], n_jobs=n_jobs)

    def ask(self) -> bytes:
        """Take the question out of the round.

        Returns
        -------
        bytes
            The question with the point at which it is asked, and without the sums of earlier passes; `answer` takes it.
        """
        return self._core.ask()

    def to_bytes(self) -> bytes:
        """Write the whole round down, with the sums of all passes so far.

        Returns
        -------
        bytes
            What `save` writes to a file.
        """
        return self._core.to_bytes()

    def observe(self, batch: Any) -> None:
        """Add the rows of a batch to what `advance` goes on with.

        Parameters
        ----------
        batch : data frame or Arrow batch
            The rows. Every pass must be shown the same batches in the same order.
        """
        self._seen.append(answer(self.ask(), [batch], part=f"batch {len(self._seen) + 1}"))

    def merge(self, other: bytes) -> None:
        """Add the answer of others to what `advance` goes on with.

        Parameters
        ----------
        other : bytes
            What `answer` or `merge_answers` returned.
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
        Round or estimator
            The next question, or the fitted model.
        """
        given = self._seen if answers is None else [answers] if isinstance(answers, bytes) else answers
        following, model, notices = self._core.advance(_named(given))
        tell(notices)
        if following is not None:
            return Round(following)
        assert model is not None
        # A question names its columns, so its regression takes frames, whatever its columns hold.
        return Logit._of_model(model) if model.tag == "logistic" else of_model(model)


def _of_bytes(content: bytes) -> Round:
    return Round(_core.Round.from_bytes(content))


Pass = Round


def _named(answers: Iterable[bytes | str | os.PathLike[str]]) -> list[tuple[str, bytes]]:
    return [
        (f"answer {at}", given) if isinstance(given, bytes) else (str(given), Path(given).read_bytes())
        for at, given in enumerate(answers, 1)
    ]


def _frame(batch: Any) -> _core.Frame:
    """The columns of a batch; Arrow batches of pyarrow stand for tables of one batch."""
    if is_frame(batch) or not hasattr(batch, "__arrow_c_array__"):
        return table_of(batch)
    import pyarrow

    return table_of(pyarrow.Table.from_batches([pyarrow.record_batch(batch)]))


def answer(ask: bytes, batches: Iterable[Any], *, part: str | None = None, n_jobs: int | None = None) -> bytes:
    """Answer a question with the sums of some rows.

    Parameters
    ----------
    ask : bytes
        What `Round.ask` returned.
    batches : iterable of data frames or Arrow batches
        The rows, at least one.
    part : str, default=None
        The name of the place or partition, the same in every answer; ``None`` knows it by its rows.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Returns
    -------
    bytes
        The answer; in a file, `oddsmith rounds advance` reads it too.
    """
    content, notices = _core.answer_question(ask, [_frame(batch) for batch in batches], part, thread_count(n_jobs))
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
    return _core.merge_answers(_named(parts))


def begin(
    estimator: Logit | str,
    target: str | None = None,
    *,
    features: Sequence[str] | None = None,
    kinds: dict[str, str] | None = None,
    weights: str | None = None,
    options: dict[str, Any] | None = None,
) -> Round:
    """Begin a fit of rows that stay where they are.

    Parameters
    ----------
    estimator : Logit or str
        What is fitted: a regression whose formula names the target, the formula alone, or the name of a model as the command knows it
        (``"lda"``, ``"nb"``, ``"one-vs-rest"`` …).
    target : str, default=None
        The column to predict, for a model that is named.
    features : sequence of str, default=None
        The columns that a model that is named reads; ``None`` reads all.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests; a `Logit` has its own.
    weights : str, default=None
        The column of row weights; a `Logit` has its own.
    options : dict, default=None
        Options of a model that is named, by the names that the command has for them, such as ``{"shrinkage": "ledoit-wolf"}``.

    Returns
    -------
    Round
        The first question: which columns, levels and classes every place has.

    Examples
    --------
    >>> import pandas as pd
    >>> from oddsmith import Logit, stats
    >>> rows = pd.DataFrame({"y": list("abab" * 6), "x": [0.5, 1, 2, 2.5, 3, 1.5] * 4})
    >>> sites = [rows[:10], rows[10:]]
    >>> step = stats.begin(Logit("y ~ x"))
    >>> while isinstance(step, stats.Round):
    ...     step = step.advance([step.answer(site) for site in sites])
    >>> pooled = Logit("y ~ x").fit(rows)
    >>> bool(abs(step.tidy()["estimate"] - pooled.tidy()["estimate"]).max() < 1e-9)
    True
    """
    if isinstance(estimator, str) and "~" in estimator:
        estimator = Logit(estimator, kinds=kinds, weights=weights)
    if isinstance(estimator, str):
        if target is None:
            raise ValueError("name the column to predict: begin(model, target)")
        columns = None if features is None else list(features)
        given = {name: str(value) for name, value in (options or {}).items()}
        return Round(_core.Round.begin_model(estimator, given, target, columns, kinds or {}, weights))
    return Round(_core.Round.begin(estimator._knobs(estimator.formula), estimator.kinds or {}, estimator.weights, *estimator._order()))


def load_round(path: str | os.PathLike[str]) -> Round:
    """Read a question that `Round.save` or the command wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Round
        The question.
    """
    return _of_bytes(Path(path).read_bytes())
