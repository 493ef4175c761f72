"""Sums that are too large for one driver: Spark's workers merge groups of them, in slices that its rows and results have room for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from . import _core
from ._worker import Job, sums_of
from .exceptions import MismatchError

#: Bytes of sums in one row.
SLICE = 16 << 20
SUMS = "number long, slice long, slices long, sums binary, error string, text string"

#: A group of lanes, its sums, or the name and the text of an error in their place.
Told = tuple[int, "bytes | None", "str | None", "str | None"]


def sliced(told: Iterable[Told], most: int) -> Iterator[Any]:
    """Sums as the batches that Spark takes, a slice of at most so many bytes in each."""
    import pyarrow

    names = [("number", pyarrow.int64()), ("slice", pyarrow.int64()), ("slices", pyarrow.int64()), ("sums", pyarrow.binary())]
    schema = pyarrow.schema([*names, ("error", pyarrow.string()), ("text", pyarrow.string())])
    for group, sums, error, text in told:
        slices = 1 if sums is None else max(1, -(-len(sums) // most))
        for at in range(slices):
            piece = None if sums is None else sums[at * most : (at + 1) * most]
            row = (group, at, slices, piece, error, text)
            yield pyarrow.RecordBatch.from_pylist([dict(zip(schema.names, row, strict=True))], schema)


def told_groups(told: Iterable[Told]) -> Iterator[Told]:
    """The groups that the answers of tasks tell of."""
    for answer in told:
        _, content, error, text = answer
        yield from [answer] if content is None else ((group, sums, error, text) for group, sums in sums_of(content))


def _joined(rows: Iterable[Sequence[Any]]) -> Iterator[Told]:
    """Sums of rows that stand in the order of groups and slices, or come slice by slice."""
    held: dict[int, dict[int, Any]] = {}
    for number, at, slices, sums, error, text in rows:
        if error is not None:
            yield number, None, error, text
            continue
        pieces = held.setdefault(number, {})
        pieces[at] = sums
        if len(pieces) == slices:
            del held[number]
            yield number, b"".join(pieces[at] for at in range(slices)), None, None
    if held:
        raise MismatchError(f"a slice of the sums of group {min(held) + 1} is missing")


def _rows(batches: Iterable[Any]) -> Iterator[Sequence[Any]]:
    for batch in batches:
        columns = [batch.column(name) for name in ("number", "slice", "slices", "sums", "error", "text")]
        for row in range(batch.num_rows):
            yield [column[row].as_py() for column in columns]


def _merged(told: Iterable[Told], ask: bytes, below: int, fan_in: int) -> Iterator[Told]:
    """Sums of groups, in their order, merged to the groups above; every one of them must be there once."""
    merger, into, following = None, -1, 0

    def finished() -> Told:
        if following != min((into + 1) * fan_in, below):
            return into, None, MismatchError.__name__, f"the sums of group {following + 1} of {below} are missing"
        return into, merger.finish(), None, None

    for group, sums, error, text in told:
        if error is not None:
            yield group, None, error, text
            return
        if group // fan_in != into:
            if merger is not None:
                yield finished()
            merger, into, following = _core.Merger(ask), group // fan_in, group // fan_in * fan_in
        if group == following - 1:
            continue
        if group != following:
            yield into, None, MismatchError.__name__, f"the sums of group {following + 1} of {below} are missing"
            return
        merger.take(sums)
        following += 1
    if merger is not None:
        yield finished()


def merged_groups(summed: Any, job: Job, groups: Sequence[int], fan_in: int, failed: Callable[[str, str], Exception]) -> Iterator[tuple[int, bytes]]:
    """The sums of the groups of the last level, from a frame with those of the level of a job; `failed` makes the error of a worker."""
    from pyspark.sql import functions as F

    ask, most = job.content, SLICE
    for below, above in zip(groups[job.level :], groups[job.level + 1 :]):
        ordered = summed.withColumn("into", F.expr(f"number div {fan_in}")).repartition(above, "into").sortWithinPartitions("into", "number", "slice")
        summed = ordered.mapInArrow(lambda batches, below=below: sliced(_merged(_joined(_rows(batches)), ask, below, fan_in), most), SUMS)
    # Everything is merged before the first slice is fetched, and no job fetches more than a few of them.
    summed = summed.persist()
    try:
        rows = summed.count()
        fetched = summed.repartition(rows, "number", "slice").toLocalIterator() if rows > groups[-1] else summed.collect()
        for group, sums, error, text in _joined(tuple(row) for row in fetched):
            if error is not None:
                raise failed(error, text)
            yield group, bytes(sums)
    finally:
        summed.unpersist()
