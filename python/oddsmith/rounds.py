"""Regressions of rows that stay where they are: one question after the other, answered with sums."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _core
from ._frames import table_of
from ._inputs import thread_count
from .exceptions import tell
from .logit import Logit

__all__ = ["Round", "begin", "load_round"]


class Round:
    """A question to all places of a study; the bytes of a file that the command `oddsmith rounds` reads and writes.

    Made by `begin`, by `load_round` and by `advance`. Every place answers it with sums over its rows, and all answers together lead to the
    next question or to the fitted regression of the pooled rows.

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
        answer, notices = self._core.answer(table_of(data), thread_count(n_jobs))
        tell(notices)
        return answer

    def advance(self, answers: Sequence[bytes | str | os.PathLike[str]]) -> Round | Logit:
        """Put the answers of all places together.

        Parameters
        ----------
        answers : sequence of bytes or path-like
            What `answer` returned at every place, or files with it.

        Returns
        -------
        Round or Logit
            The next question, or the fitted regression.
        """
        named = [
            (f"answer {at}", answer) if isinstance(answer, bytes) else (str(answer), Path(answer).read_bytes())
            for at, answer in enumerate(answers, 1)
        ]
        following, model, notices = self._core.advance(named)
        tell(notices)
        if following is not None:
            return Round(following)
        assert model is not None
        return Logit._of_model(model)


def _of_bytes(content: bytes) -> Round:
    return Round(_core.Round.from_bytes(content))


def begin(estimator: Logit) -> Round:
    """Begin a regression of rows that stay where they are.

    Parameters
    ----------
    estimator : Logit
        What is fitted; its formula names the target.

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
    return Round(_core.Round.begin(estimator._knobs(estimator.formula), estimator.kinds or {}, estimator.weights))


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
