"""Tasks that workers of Spark do, and what they answer. Only the DataFrame API is used, so a session of Spark Connect serves as well."""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from . import _spark_sums, exceptions
from ._apart import MergingEngine
from ._spark_sums import SUMS, Told, merged_groups, sliced, told_groups
from ._worker import Job, outcome
from .exceptions import DataError, OddsmithError, ParameterError

#: What Spark says where a process of a worker is gone.
_LOST = ("ExecutorLost", "Python worker exited unexpectedly", "worker died", "SIGKILL", "exit code 137")
#: What a plan of one function needs nothing of.
_PLAIN = {"spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
_ANSWER = "answer binary, error string, text string"
ANSWERS = f"task long, {_ANSWER}"


def answers(told: Iterable[Told]) -> Iterator[Any]:
    """Answers as the batches that Spark takes, one at a time."""
    import pyarrow

    schema = pyarrow.schema([("task", pyarrow.int64()), ("answer", pyarrow.binary()), ("error", pyarrow.string()), ("text", pyarrow.string())])
    for answer in told:
        yield pyarrow.RecordBatch.from_pylist([dict(zip(schema.names, answer, strict=True))], schema)


def collected(told: Any) -> list[Told]:
    """What workers told in the rows of a frame."""
    with lack_told():
        return [(task, None if answer is None else bytes(answer), error, text) for task, answer, error, text in told.collect()]


def answered(told: Iterable[Told]) -> Iterator[tuple[int, bytes]]:
    """The answers that were told, or the error that was."""
    for task, answer, error, text in told:
        if error is not None:
            raise failed(error, text)
        yield task, answer


def failed(error: str, text: str) -> OddsmithError:
    """The error of a worker, by the name of its class."""
    return getattr(exceptions, error)(text)


@contextmanager
def lack_told() -> Iterator[None]:
    """What Spark buries in traces: errors that workers raised, and that one that dies again and again lacks memory nearly always."""
    try:
        yield
    except OddsmithError:
        raise
    except Exception as error:
        said = str(error)
        own = re.search(r"oddsmith\.exceptions\.(\w+): (.+)", said)
        if own:
            raise failed(*own.groups()) from error
        if "memory" not in said.lower() and not any(sign in said for sign in _LOST):
            raise
        first = said.strip().partition("\n")[0]
        raise DataError(f"a worker of Spark has too little memory; give executors more, or make more parts: {first}") from error


class Tasks(MergingEngine):
    """Tasks that Spark does; whoever has them says in which frame their answers are."""

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        return answered(collected(self._done(job, count, answers, ANSWERS)))

    def map_merged(self, job: Job, groups: Sequence[int], fan_in: int) -> Iterator[tuple[int, bytes]]:
        most = _spark_sums.SLICE
        summed = self._done(job, len(job.tasks), lambda told: sliced(told_groups(told), most), SUMS)
        with lack_told():
            yield from merged_groups(summed, job, groups, fan_in, failed)

    @abstractmethod
    def _done(self, job: Job, count: int, written: Callable[[Iterable[Told]], Iterator[Any]], schema: str) -> Any:
        """The frame of what tasks answer, written as batches of a schema."""


class Workers(Tasks):
    """The workers of a Spark session.

    Parameters
    ----------
    session : SparkSession
        The session; ``None`` takes the active one.
    slots : int, default=None
        How many tasks run at once; by default as many as the session says.

    Attributes
    ----------
    slots : int
        How many tasks run at once.
    """

    def __init__(self, session: Any = None, slots: int | None = None) -> None:
        given = session or _active()
        self.session, self.slots = _plain(given), slots or _parallelism(given)

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        from pyspark.sql import functions as F

        # A plain function of a number: one of Arrow has every worker import pandas, which takes longer than a few hundred thousand rows.
        do = F.udf(partial(outcome, job), f"struct<{_ANSWER}>", useArrow=False)
        told = self._tasks(count).select("id", do("id").alias("told"))
        return answered(collected(told.select("id", "told.answer", "told.error", "told.text")))

    def _tasks(self, count: int) -> Any:
        """The numbers of tasks, each a partition."""
        return self.session.range(0, count, 1, count)

    def _done(self, job: Job, count: int, written: Callable[[Iterable[Told]], Iterator[Any]], schema: str) -> Any:
        def do(batches: Iterable[Any]) -> Iterator[Any]:
            tasks = (task for batch in batches for task in batch.column(0).to_pylist())
            return written((task, *outcome(job, task)) for task in tasks)

        return self._tasks(count).mapInArrow(do, schema)


def _plain(session: Any) -> Any:
    """A session with settings of its own, beside the given one, for jobs of a few numbers: code made for them takes longer than they do."""
    if not has_context(session):
        return session
    plain = session.newSession()
    for name, value in _PLAIN.items():
        plain.conf.set(name, value)
    return plain


def _active() -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise ParameterError("session = None is not accepted: there is no active Spark session")
    return session


def _parallelism(session: Any) -> int:
    if has_context(session):
        return session.sparkContext.defaultParallelism
    return int(session.conf.get("spark.default.parallelism", None) or os.cpu_count() or 1)


def has_context(session: Any) -> bool:
    """Whether Java is beside this process; a session of Spark Connect has no context."""
    try:
        return session.sparkContext is not None
    except Exception:
        return False
