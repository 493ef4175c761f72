"""A Spark frame packed into blocks of Arrow once, beside the executors that computed its rows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from operator import or_
from typing import Any
from uuid import uuid4

from . import _core
from ._apart import in_order
from ._spark_blocks import PACKED, About, Fetch, Packed, Packer
from ._spark_sums import Told
from ._spark_tasks import ANSWERS, Tasks, answered, answers, collected, lack_told
from ._worker import Block, Job
from .exceptions import DataError, LostBlockError

__all__ = ["Frame", "frame"]

#: Bytes of rows in one block of a packed frame.
_BLOCK = 32 << 20
#: Tasks below which the blocks that they are about are looked up and no others are sent to workers.
_FEW = 16


class Frame(Tasks):
    """A Spark frame packed into blocks of Arrow, which stay where they are; made by `frame`.

    A block is a file in the folder of the executor that packed it (``spark.local.dir``), and Spark keeps where that is. Tasks go where their blocks are.
    Where a block is gone, the rows are computed and packed again.

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
        self._df, self._packer = df, Packer(block, f"oddsmith-{uuid4().hex}")
        self._packed = df.mapInArrow(self._packer.facts, PACKED).persist()
        with lack_told():
            self._blocks = sorted(Packed(*row) for row in self._packed.collect())
        self._here: dict[int, Block] = {}
        if not self._blocks:
            self.release()
            raise DataError("the frame has no rows")
        self.names = tuple(f"block {one.number + 1} of partition {one.part + 1}" for one in self._blocks)
        self.sizes = [one.size for one in self._blocks]
        self.bytes, self.slots = sum(self.sizes), len(self._blocks)

    def extents(self) -> list[tuple[int, int]]:
        """Rows and partitions of every block, if all rows count."""
        return [(one.rows, -(-one.rows // _core.PARTITION_ROWS)) for one in self._blocks]

    def brought(self, numbers: Sequence[int]) -> dict[int, Block]:
        """Blocks by number, as the driver reads them: where they are, or fetched. Those of a sample, which several passes read, stay here."""
        wanted = sorted(set(numbers) - self._here.keys())
        # Workers of this machine leave their blocks where the driver sees them.
        found = {at: self._blocks[at].content() for at in wanted}
        away = tuple(at for at in wanted if found[at] is None)
        found |= dict(zip(away, in_order(self, Fetch(away)), strict=True)) if away else {}
        for at, content in found.items():
            self._here[at] = Block(self.names[at], self._blocks[at].digest, lambda content=content: content)
        return {at: self._here[at] for at in numbers}

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        told = collected(self._done(job, count, answers, ANSWERS))
        lost = {task for task, _, error, _ in told if error == LostBlockError.__name__}
        yield from answered(one for one in told if one[0] not in lost)
        if lost:
            yield from answered(collected(self._anew(self._about(job, lost), answers, ANSWERS)))

    def map_merged(self, job: Job, groups: Sequence[int], fan_in: int) -> Iterator[tuple[int, bytes]]:
        try:
            yield from list(super().map_merged(job, groups, fan_in))
        except LostBlockError:
            yield from Anew(self).map_merged(job, groups, fan_in)

    def _about(self, job: Job, tasks: Iterable[int]) -> About:
        known = {(one.part, one.number): (at, self.names[at], one.digest) for at, one in enumerate(self._blocks)}
        return About(job, known, {at: task for task in tasks for at in job.needs(task)})

    def _done(self, job: Job, count: int, written: Callable[[Iterable[Told]], Iterator[Any]], schema: str) -> Any:
        about, kept = self._about(job, range(count)), self._packed
        if count <= _FEW and count < len(self._blocks):
            kept = self._few(about.tasks)
        return kept.mapInArrow(about.cached(written), schema)

    def _few(self, numbers: Iterable[int]) -> Any:
        """What Spark keeps of a few blocks."""
        from pyspark.sql import functions as F

        wanted = [self._blocks[at] for at in numbers]
        return self._packed.where(reduce(or_, [(F.col("part") == one.part) & (F.col("number") == one.number) for one in wanted]))

    def _anew(self, about: About, written: Callable[[Iterable[Told]], Iterator[Any]], schema: str) -> Any:
        return self._df.mapInArrow(about.anew(self._packer, written), schema)

    def release(self) -> None:
        """Remove the blocks."""
        self._here = {}
        folders = {os.path.dirname(one.path) for one in self._blocks}
        away = [folder for folder in folders if not _removed(folder)]
        if away:
            # On other machines workers do it. What they do not reach, Spark removes when their executors end.
            with suppress(Exception):
                self._packed.mapInArrow(_removed_there, "removed long").count()
        self._packed.unpersist()


class Anew(Tasks):
    """A frame whose blocks are packed again for a pass."""

    def __init__(self, frame: Frame) -> None:
        self._frame, self.slots = frame, frame.slots

    def _done(self, job: Job, count: int, written: Callable[[Iterable[Told]], Iterator[Any]], schema: str) -> Any:
        return self._frame._anew(self._frame._about(job, range(count)), written, schema)


def _removed(folder: str) -> bool:
    """Whether a folder was here, and is not any more."""
    was_here = os.path.isdir(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return was_here and not os.path.exists(folder)


def _removed_there(batches: Iterable[Any]) -> Iterator[Any]:
    import pyarrow

    folders = {os.path.dirname(path) for batch in batches for path in batch.column("path").to_pylist()}
    yield pyarrow.RecordBatch.from_pydict({"removed": pyarrow.array([sum(map(_removed, folders))], pyarrow.int64())})


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
        The table; `Frame.release` removes its blocks.
    """
    return Frame(df, block)
