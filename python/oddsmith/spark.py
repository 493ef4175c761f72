"""Fits on Spark: the model file of one machine, from files that workers read themselves or from a frame that is packed once.

Only the DataFrame API is used, so a session of Spark Connect serves as well. Workers need oddsmith and pyarrow, and no scikit-learn.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from . import engine, exceptions
from ._worker import Block, Job
from .engine import Files, as_table, files
from .exceptions import DataError, OddsmithError, ParameterError

__all__ = ["Frame", "Workers", "analyse", "compare", "evaluate", "files", "fit", "frame", "gather", "predict"]

#: Bytes of rows in one block of a packed frame.
_BLOCK = 32 << 20
#: Tasks below which the blocks that they are about are looked up and no others are sent to workers.
_FEW = 16
_ANSWER = "task long, answer binary, error string, text string"
_PACKED = "part long, number long, rows long, size long, digest string, block binary"


def _told(task: int, do: Any) -> tuple[int, bytes | None, str | None, str | None]:
    """An answer, or the error in its place: Spark would try what must fail again and again, and bury the reason."""
    try:
        return task, do(), None, None
    except OddsmithError as error:
        return task, None, type(error).__name__, str(error)


def _answers(told: Iterable[tuple[int, bytes | None, str | None, str | None]]) -> Iterator[Any]:
    """Answers as the batches that Spark takes, one at a time."""
    import pyarrow

    schema = pyarrow.schema([("task", pyarrow.int64()), ("answer", pyarrow.binary()), ("error", pyarrow.string()), ("text", pyarrow.string())])
    for answer in told:
        yield pyarrow.RecordBatch.from_pylist([dict(zip(schema.names, answer, strict=True))], schema)


def _collected(answers: Any) -> Iterator[tuple[int, bytes]]:
    """The answers that a frame of them holds."""
    try:
        rows = answers.collect()
    except Exception as error:
        if "memory" in str(error).lower() or "ExecutorLost" in str(error):
            raise DataError(f"a worker of Spark has too little memory; give executors more, or make more parts: {_first_line(error)}") from error
        raise
    for row in rows:
        if row.error is not None:
            raise getattr(exceptions, row.error)(row.text)
        yield row.task, bytes(row.answer)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


class Workers:
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
        self.session = session or _active()
        self.slots = slots or _parallelism(self.session)

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        """Do all tasks of a job.

        Parameters
        ----------
        job : callable
            What is done with the number of a task.
        count : int
            Number of tasks.

        Returns
        -------
        iterator
            Numbers of tasks and their answers.
        """

        def do(batches: Iterable[Any]) -> Iterator[Any]:
            tasks = (task for batch in batches for task in batch.column(0).to_pylist())
            return _answers(_told(task, lambda task=task: job(task)) for task in tasks)

        return _collected(self.session.range(0, count, 1, count).mapInArrow(do, _ANSWER))


def _active() -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise ParameterError("session = None is not accepted: there is no active Spark session")
    return session


def _parallelism(session: Any) -> int:
    try:
        return session.sparkContext.defaultParallelism
    except Exception:  # Spark Connect has no context.
        return int(session.conf.get("spark.default.parallelism", None) or os.cpu_count() or 1)


class Frame:
    """A Spark frame packed into blocks of Arrow, which stay where they are; made by `frame`.

    Attributes
    ----------
    names : tuple of str
        What messages call the blocks.
    bytes : int
        Size of all blocks.
    slots : int
        Number of blocks: each is a task.
    """

    apart = True

    def __init__(self, df: Any, block: int = _BLOCK) -> None:
        self._packed = df.mapInArrow(lambda batches: _pack(batches, block), _PACKED).persist()
        facts = sorted(tuple(row) for row in self._packed.select("part", "number", "size").collect())
        if not facts:
            self.release()
            raise DataError("the frame has no rows")
        self._keys = {(part, number): at for at, (part, number, _) in enumerate(facts)}
        self.names = tuple(f"block {number + 1} of partition {part + 1}" for part, number, _ in facts)
        self.bytes, self.slots = sum(size for _, _, size in facts), len(facts)

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        """Do all tasks of a job, each where its block is.

        Parameters
        ----------
        job : callable
            What is done with the number of a task.
        count : int
            Number of tasks.

        Returns
        -------
        iterator
            Numbers of tasks and their answers.
        """
        keys, names = self._keys, self.names
        tasks = {part: task for task in range(count) for part in job.needs(task)}

        def do(batches: Iterable[Any]) -> Iterator[Any]:
            return _answers(answer for batch in batches for answer in _about_blocks(batch, job, keys, names, tasks))

        blocks = self._packed
        if count <= _FEW < len(keys):
            from pyspark.sql import functions as F

            wanted = [key for key, at in keys.items() if at in tasks]
            chosen = [(F.col("part") == part) & (F.col("number") == number) for part, number in wanted]
            blocks = blocks.where(chosen[0] if len(chosen) == 1 else _any(chosen))
        return _collected(blocks.mapInArrow(do, _ANSWER))

    def release(self) -> None:
        """Let Spark forget the blocks."""
        self._packed.unpersist()


def _any(conditions: list[Any]) -> Any:
    either = conditions[0]
    for condition in conditions[1:]:
        either = either | condition
    return either


def _pack(batches: Iterable[Any], most: int) -> Iterator[Any]:
    """The rows of a partition in blocks of about so many bytes, each with its number and a digest of its bytes."""
    import hashlib

    import pyarrow
    from pyspark import TaskContext

    part, number, held = TaskContext.get().partitionId(), 0, []

    def block() -> Any:
        table = pyarrow.Table.from_batches(held).combine_chunks()
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        content = sink.getvalue()
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        row = {"part": part, "number": number, "rows": table.num_rows, "size": content.size, "digest": digest, "block": content.to_pybytes()}
        return pyarrow.RecordBatch.from_pylist([row])

    for batch in batches:
        for slice_ in _slices(batch, most):
            held.append(slice_)
            if sum(kept.nbytes for kept in held) >= most:
                yield block()
                number, held = number + 1, []
    if held:
        yield block()


def _slices(batch: Any, most: int) -> Iterator[Any]:
    """The rows of a batch in slices of about so many bytes."""
    rows = max(1, most * batch.num_rows // max(batch.nbytes, 1))
    return (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))


def _about_blocks(batch: Any, job: Job, keys: dict[tuple[int, int], int], names: Sequence[str], tasks: dict[int, int]) -> Iterator[Any]:
    """The answers about the blocks of a batch."""
    part, number, _, _, digest, block = batch.columns
    for row in range(batch.num_rows):
        at = keys.get((part[row].as_py(), number[row].as_py()))
        if at is None:
            text = f"partition {part[row].as_py() + 1} has rows that it did not have in the first pass: the frame is computed anew and differs"
            yield -1, None, "MismatchError", text
        elif at in tasks:
            brought = {at: Block(names[at], digest[row].as_py(), block[row].as_buffer())}
            yield _told(tasks[at], lambda at=at, brought=brought: job(tasks[at], brought))


def frame(df: Any, *, block: int = _BLOCK) -> Frame:
    """Pack a Spark frame once, so that every pass reads blocks of Arrow and no rows.

    Parameters
    ----------
    df : pyspark DataFrame
        The rows. They must be the same whenever Spark computes them: `rand`, `limit` and `sample` without a seed are found out and refused.
    block : int, default=33554432
        Bytes of rows in one block.

    Returns
    -------
    Frame
        The table; `Frame.release` lets Spark forget it.
    """
    return Frame(df, block)


class _Packed:
    """A table and who does the work; a frame that was packed for one call is released after it."""

    def __init__(self, data: Any, session: Any) -> None:
        self._own = hasattr(data, "mapInArrow")
        self.table = frame(data) if self._own else data if isinstance(data, Frame) else as_table(data)
        self.on = self.table if isinstance(self.table, Frame) else Workers(session)

    def __enter__(self) -> tuple[Any, Any]:
        return self.table, self.on

    def __exit__(self, *_: Any) -> None:
        if self._own:
            self.table.release()


def fit(estimator: Any, data: Any, target: str | None = None, *, session: Any = None, **options: Any) -> Any:
    """Fit a model on Spark.

    Parameters
    ----------
    estimator : estimator or str
        Any estimator of oddsmith, a formula that names the target, or the name of a model as the command knows it.
    data : Files, Frame, pyspark DataFrame or path-like
        The rows: files that workers read themselves (the fast way), or a frame.
    target : str, default=None
        The column to predict, where no formula names it.
    session : SparkSession, default=None
        The session that reads files; ``None`` takes the active one.
    **options
        As in `oddsmith.engine.fit`.

    Returns
    -------
    estimator
        A fitted copy. From files its model file is that of one machine.
    """
    with _Packed(data, session) as (table, on):
        return engine.fit(estimator, table, target, on=on, **options)


def analyse(analysis: str, data: Any, target: str | None = None, *, session: Any = None, **asked: Any) -> Any:
    """Carry out an analysis on Spark: a table of counts, a description, matched sets.

    Parameters
    ----------
    analysis : str
        As in `oddsmith.stats.begin_analysis`.
    data : Files, Frame, pyspark DataFrame or path-like
        The rows, as in `fit`.
    target : str, default=None
        The column of the outcome, or of the groups of a description, where no formula names it.
    session : SparkSession, default=None
        The session that reads files; ``None`` takes the active one.
    **asked
        As in `oddsmith.engine.analyse`.

    Returns
    -------
    Account
        That of one machine.
    """
    with _Packed(data, session) as (table, on):
        return engine.analyse(analysis, table, target, on=on, **asked)


def gather(data: Any, target: str, *, session: Any = None, **options: Any) -> Any:
    """Sum a table up for every one-pass model.

    Parameters
    ----------
    data : Files, Frame, pyspark DataFrame or path-like
        The rows.
    target : str
        The column to predict.
    session : SparkSession, default=None
        The session that reads files.
    **options
        As in `oddsmith.engine.gather`.

    Returns
    -------
    Statistics
        The sums.
    """
    with _Packed(data, session) as (table, on):
        return engine.gather(table, target, on=on, **options)


def evaluate(model: Any, data: Any, *, session: Any = None) -> Any:
    """Judge a model on rows with known classes.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    data : Files, Frame, pyspark DataFrame or path-like
        The rows.
    session : SparkSession, default=None
        The session that reads files.

    Returns
    -------
    Evaluation
        As `oddsmith.evaluate` gives it.
    """
    with _Packed(data, session) as (table, on):
        return engine.evaluate(model, table, on=on)


def compare(models: Any, data: Any, target: str, *, session: Any = None, **options: Any) -> dict[str, Any]:
    """Judge models by cross-validation; the fold of a row follows from what the row says.

    Parameters
    ----------
    models : sequence or dict
        As in `oddsmith.engine.compare`.
    data : Files, Frame, pyspark DataFrame or path-like
        The rows.
    target : str
        The column to predict.
    session : SparkSession, default=None
        The session that reads files.
    **options
        As in `oddsmith.engine.compare`.

    Returns
    -------
    dict
        The `Evaluation` of every model by its name.
    """
    with _Packed(data, session) as (table, on):
        return engine.compare(models, table, target, on=on, **options)


def predict(model: Any, data: Any, *, session: Any = None) -> Any:
    """Give the probability of every class.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    data : pyspark DataFrame, Files or path-like
        The rows; columns are found by their names.
    session : SparkSession, default=None
        The session that reads files.

    Returns
    -------
    pyspark DataFrame or ndarray
        For a DataFrame the same rows with a column ``p_`` for every class and ``predicted``; for files the probabilities in their order.
    """
    if not hasattr(data, "mapInArrow"):
        with _Packed(data, session) as (table, on):
            return engine.predict(model, table, on=on)
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    core = model._finished_model()
    content, labels = core.to_bytes(), list(core.class_labels)
    more = [StructField(f"p_{label}", DoubleType()) for label in labels] + [StructField("predicted", StringType())]
    taken = sorted(set(data.columns) & {field.name for field in more})
    if taken:
        raise ParameterError(f"the frame has columns that are called like predictions: {', '.join(taken)}")
    return data.mapInArrow(lambda batches: _scored(batches, content, labels), StructType([*data.schema.fields, *more]))


def _scored(batches: Iterable[Any], content: bytes, labels: list[str]) -> Iterator[Any]:
    """Batches with the probabilities of their rows."""
    import pyarrow

    from . import _core

    model = _core.Model.from_bytes(content)
    for batch in batches:
        if not batch.num_rows:
            continue
        table = pyarrow.Table.from_batches([batch])
        answers, _ = _core.predict_part(model, ("the frame", _core.Frame(table)))
        known = ~np.isnan(answers).any(axis=1)
        chosen = [labels[at] if is_known else None for at, is_known in zip(np.nan_to_num(answers).argmax(axis=1), known, strict=True)]
        columns = [*batch.columns, *(pyarrow.array(answers[:, k]) for k in range(len(labels))), pyarrow.array(chosen, pyarrow.string())]
        yield pyarrow.RecordBatch.from_arrays(columns, [*batch.schema.names, *(f"p_{label}" for label in labels), "predicted"])
