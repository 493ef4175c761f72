"""Fits on Spark: the model file of one machine, from files that workers read themselves or from a frame that is packed once.

Only the DataFrame API is used, so a session of Spark Connect serves as well. Workers need oddsmith and pyarrow, and no scikit-learn.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from operator import or_
from typing import Any

import numpy as np

from . import _core, _spark_sums, engine, exceptions
from ._adapters import Adapter
from ._apart import MergingEngine, as_table, files
from ._spark_sums import SUMS, Told, merged_groups, sliced, told_groups
from ._worker import Block, Job, changed, outcome
from .exceptions import DataError, MismatchError, OddsmithError, ParameterError

__all__ = ["Frame", "Workers", "analyse", "compare", "evaluate", "files", "fit", "frame", "gather", "predict"]

#: Bytes of rows in one block of a packed frame.
_BLOCK = 32 << 20
#: Tasks below which the blocks that they are about are looked up and no others are sent to workers.
_FEW = 16
#: What Spark says where a process of a worker is gone.
_LOST = ("ExecutorLost", "Python worker exited unexpectedly", "worker died", "SIGKILL", "exit code 137")
_ANSWER = "answer binary, error string, text string"
_PACKED = "part long, number long, rows long, size long, digest string, block binary"


def _answers(told: Iterable[Told]) -> Iterator[Any]:
    """Answers as the batches that Spark takes, one at a time."""
    import pyarrow

    schema = pyarrow.schema([("task", pyarrow.int64()), ("answer", pyarrow.binary()), ("error", pyarrow.string()), ("text", pyarrow.string())])
    for answer in told:
        yield pyarrow.RecordBatch.from_pylist([dict(zip(schema.names, answer, strict=True))], schema)


def _collected(answers: Any) -> Iterator[tuple[int, bytes]]:
    """The answers that a frame of them holds."""
    with _lack_told():
        rows = answers.collect()
    for task, answer, error, text in rows:
        if error is not None:
            raise _failed(error, text)
        yield task, bytes(answer)


def _failed(error: str, text: str) -> OddsmithError:
    return getattr(exceptions, error)(text)


@contextmanager
def _lack_told() -> Iterator[None]:
    """A worker that dies again and again lacks memory nearly always; Spark speaks of lost executors and of exit codes."""
    try:
        yield
    except OddsmithError:
        raise
    except Exception as error:
        said = str(error)
        if "memory" not in said.lower() and not any(sign in said for sign in _LOST):
            raise
        first = said.strip().partition("\n")[0]
        raise DataError(f"a worker of Spark has too little memory; give executors more, or make more parts: {first}") from error


class _Tasks(MergingEngine):
    """Tasks that Spark does; whoever has them says in which frame their answers are."""

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        return _collected(self._done(job, count, _answers, f"task long, {_ANSWER}"))

    def map_merged(self, job: Job, groups: Sequence[int], fan_in: int) -> Iterator[tuple[int, bytes]]:
        most = _spark_sums.SLICE
        summed = self._done(job, len(job.tasks), lambda told: sliced(told_groups(told), most), SUMS)
        with _lack_told():
            yield from merged_groups(summed, job, groups, fan_in, _failed)

    @abstractmethod
    def _done(self, job: Job, count: int, written: Callable[[Iterable[Told]], Iterator[Any]], schema: str) -> Any:
        """The frame of what tasks answer, written as batches of a schema."""


class Workers(_Tasks):
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
        from pyspark.sql import functions as F

        # A plain function of a number: one of Arrow has every worker import pandas, which takes longer than a few hundred thousand rows.
        do = F.udf(partial(outcome, job), f"struct<{_ANSWER}>", useArrow=False)
        told = self._tasks(count).select("id", do("id").alias("told"))
        return _collected(told.select("id", "told.answer", "told.error", "told.text"))

    def _tasks(self, count: int) -> Any:
        """The numbers of tasks, each a partition."""
        return self.session.range(0, count, 1, count)

    def _done(self, job: Job, count: int, written: Callable[[Iterable[Told]], Iterator[Any]], schema: str) -> Any:
        def do(batches: Iterable[Any]) -> Iterator[Any]:
            tasks = (task for batch in batches for task in batch.column(0).to_pylist())
            return written((task, *outcome(job, task)) for task in tasks)

        return self._tasks(count).mapInArrow(do, schema)


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


class Frame(_Tasks):
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
        facts = sorted(tuple(row) for row in self._packed.select("part", "number", "size", "rows", "digest").collect())
        if not facts:
            self.release()
            raise DataError("the frame has no rows")
        self._keys = {(part, number): at for at, (part, number, *_) in enumerate(facts)}
        self.names = tuple(f"block {number + 1} of partition {part + 1}" for part, number, *_ in facts)
        self.sizes, self._rows, self._digests = ([fact[column] for fact in facts] for column in (2, 3, 4))
        self.bytes, self.slots = sum(self.sizes), len(facts)
        self._here: dict[int, Block] = {}

    def extents(self) -> list[tuple[int, int]]:
        """Rows and partitions of every block, if all rows count."""
        return [(rows, -(-rows // _core.PARTITION_ROWS)) for rows in self._rows]

    def brought(self, numbers: Sequence[int]) -> dict[int, Block]:
        """Blocks by number, fetched to the driver; those of a sample, which several passes read, stay there."""
        wanted = [at for at in numbers if at not in self._here]
        if wanted:
            with _lack_told():
                rows = self._blocks(wanted).select("part", "number", "digest", "block").collect()
            found = {self._keys[row.part, row.number]: row for row in rows}
            for at in wanted:
                block = Block(self.names[at], found[at].digest if at in found else "", bytes(found[at].block) if at in found else b"")
                if block.digest != self._digests[at]:
                    raise MismatchError(changed(block))
                self._here[at] = block
        return {at: self._here[at] for at in numbers}

    def _blocks(self, numbers: Iterable[int]) -> Any:
        """The rows of a few blocks."""
        from pyspark.sql import functions as F

        places = list(self._keys)
        chosen = [(F.col("part") == part) & (F.col("number") == number) for part, number in (places[at] for at in numbers)]
        return self._packed.where(reduce(or_, chosen))

    def _done(self, job: Job, count: int, written: Callable[[Iterable[Told]], Iterator[Any]], schema: str) -> Any:
        keys, packed = self._keys, list(zip(self.names, self._digests, strict=True))
        tasks = {part: task for task in range(count) for part in job.needs(task)}

        def do(batches: Iterable[Any]) -> Iterator[Any]:
            return written(answer for batch in batches for answer in _about_blocks(batch, job, keys, packed, tasks))

        is_few = count <= _FEW and count < len(keys)
        return (self._blocks(tasks) if is_few else self._packed).mapInArrow(do, schema)

    def release(self) -> None:
        """Let Spark forget the blocks."""
        self._here = {}
        self._packed.unpersist()


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
        # Processors have instructions for this one.
        digest = hashlib.sha256(content).hexdigest()
        # Made around the bytes where they are: a block is large.
        ends = pyarrow.py_buffer(np.array([0, content.size], np.int32))
        binary = pyarrow.Array.from_buffers(pyarrow.binary(), 1, [None, ends, content])
        facts = [pyarrow.array([fact]) for fact in (part, number, table.num_rows, content.size, digest)]
        return pyarrow.RecordBatch.from_arrays([*facts, binary], ["part", "number", "rows", "size", "digest", "block"])

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


def _about_blocks(
    batch: Any, job: Job, keys: dict[tuple[int, int], int], packed: Sequence[tuple[str, str]], tasks: dict[int, int]
) -> Iterator[Told]:
    """The answers about the blocks of a batch, which must be what was packed under their names at first."""
    part, number, _, _, digest, block = batch.columns
    for row in range(batch.num_rows):
        at = keys.get((part[row].as_py(), number[row].as_py()))
        if at is None:
            text = f"partition {part[row].as_py() + 1} has rows that it did not have in the first pass: the frame is computed anew and differs"
            yield -1, None, "MismatchError", text
        elif at in tasks:
            name, expected = packed[at]
            found = Block(name, digest[row].as_py(), block[row].as_buffer())
            if found.digest != expected:
                yield tasks[at], None, "MismatchError", changed(found)
                continue
            yield tasks[at], *outcome(job, tasks[at], {at: found})


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


@contextmanager
def _opened(data: Any, session: Any) -> Iterator[tuple[Any, Any]]:
    """A table and who does the work; a frame that is packed for one call is released after it."""
    packs = hasattr(data, "mapInArrow")
    table = frame(data) if packs else data if isinstance(data, Frame) else as_table(data)
    try:
        yield table, table if isinstance(table, Frame) else Workers(session)
    finally:
        if packs:
            table.release()


_on_spark = Adapter(
    __name__,
    rows=("data", "Files, Frame, pyspark DataFrame or path-like", "The rows: files that workers read themselves (the fast way), or a frame."),
    workers=("session", "SparkSession, default=None", "The session that reads files; ``None`` takes the active one."),
    opened=_opened,
)
fit = _on_spark(engine.fit)
analyse = _on_spark(engine.analyse)
gather = _on_spark(engine.gather)
evaluate = _on_spark(engine.evaluate)
compare = _on_spark(engine.compare)


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
        with _opened(data, session) as (table, on):
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
