"""Blocks of a packed frame, where they are: each is a file beside the executor that packed it, which all its workers read."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from ._spark_sums import Told
from ._worker import Block, Job, changed, outcome
from .exceptions import DataError, LostBlockError

#: What is known of blocks, and stays with Spark; their rows do not.
PACKED = "part long, number long, rows long, size long, digest string, path string"


class Packed(NamedTuple):
    """A block that was packed: whose, and what is in it."""

    part: int
    number: int
    rows: int
    size: int
    digest: str
    path: str

    def content(self) -> Any:
        """The bytes of the block as they were packed; `None` where they are not."""
        import pyarrow

        try:
            with pyarrow.memory_map(self.path) as file:
                content = file.read_buffer()
        except (OSError, pyarrow.ArrowInvalid):
            return None
        return content if content.size == self.size and hashlib.sha256(content).hexdigest() == self.digest else None

    def block(self, name: str) -> Block:
        """The block as parts are opened."""
        return Block(name, self.digest, lambda: self._kept(name))

    def _kept(self, name: str) -> Any:
        content = self.content()
        if content is None:
            raise LostBlockError(f"{name}: it was packed on another machine, or its file is gone: {self.path}")
        return content


@dataclass(frozen=True)
class Packer:
    """How the rows of a partition become blocks."""

    #: Bytes of rows in a block.
    most: int
    #: A name that no other frame has.
    frame: str

    def pack(self, batches: Iterable[Any]) -> Iterator[Packed]:
        """Write the rows of the partition that this task is about to files."""
        from pyspark import TaskContext

        part, number, held = TaskContext.get().partitionId(), 0, []
        for batch in batches:
            for slice_ in _slices(batch, self.most):
                held.append(slice_)
                if sum(kept.nbytes for kept in held) >= self.most:
                    yield self._written(part, number, held)
                    number, held = number + 1, []
        if held:
            yield self._written(part, number, held)

    def facts(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Write the rows of a partition to files, and tell what is in them."""
        import pyarrow

        for packed in self.pack(batches):
            yield pyarrow.RecordBatch.from_pylist([packed._asdict()])

    def _written(self, part: int, number: int, batches: Sequence[Any]) -> Packed:
        import pyarrow

        table, folder = pyarrow.Table.from_batches(batches).combine_chunks(), self._folder(part)
        path = os.path.join(folder, f"{part}-{number}")
        partial = f"{path}.{uuid4().hex}"
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with pyarrow.OSFile(partial, "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as stream:
                stream.write_table(table)
            with pyarrow.memory_map(partial) as file:
                content = file.read_buffer()
            # Processors have instructions for this one.
            packed = Packed(part, number, table.num_rows, content.size, hashlib.sha256(content).hexdigest(), path)
            # Another try of the task may have written the same rows: under this name they are as a whole or not at all.
            os.replace(partial, path)
        except OSError as error:
            with suppress(OSError):
                os.unlink(partial)
            raise DataError(f"no block of rows can be written to {folder}, where spark.local.dir is: {error}") from error
        return packed

    def _folder(self, part: int) -> str:
        # Spark removes what is there when the executor ends, whatever it ends of.
        folders = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
        return os.path.join(folders[part % len(folders)] or tempfile.gettempdir(), self.frame)


def _slices(batch: Any, most: int) -> Iterator[Any]:
    """The rows of a batch in slices of about so many bytes."""
    rows = max(1, most * batch.num_rows // max(batch.nbytes, 1))
    return (batch.slice(start, rows) for start in range(0, batch.num_rows, rows))


@dataclass(frozen=True)
class About:
    """A job about blocks, and which of them it needs."""

    job: Job
    #: By partition and number, the place of every block of the frame among all, its name and the digest of what was packed first.
    known: Mapping[tuple[int, int], tuple[int, str, str]]
    #: By place, the task that needs a block.
    tasks: Mapping[int, int]

    def cached(self, written: Callable[[Iterable[Told]], Iterator[Any]]) -> Callable[[Iterable[Any]], Iterator[Any]]:
        """What a worker does with what Spark keeps of blocks."""
        return lambda batches: written(self.told(Packed(**row) for batch in batches for row in batch.to_pylist()))

    def anew(self, packer: Packer, written: Callable[[Iterable[Told]], Iterator[Any]]) -> Callable[[Iterable[Any]], Iterator[Any]]:
        """What a worker does with the rows of the frame, where blocks are gone: packs them again."""
        parts = {part for (part, _), (at, _, _) in self.known.items() if at in self.tasks}

        def do(batches: Iterable[Any]) -> Iterator[Any]:
            from pyspark import TaskContext

            return written(self.told(packer.pack(batches))) if TaskContext.get().partitionId() in parts else iter(())

        return do

    def told(self, blocks: Iterable[Packed]) -> Iterator[Told]:
        """The answers about blocks, which must be what was packed under their names at first."""
        for packed in blocks:
            if (packed.part, packed.number) not in self.known:
                text = f"partition {packed.part + 1} has rows that it did not have in the first pass: the frame is computed anew and differs"
                yield -1, None, "MismatchError", text
                continue
            at, name, digest = self.known[packed.part, packed.number]
            if at not in self.tasks:
                continue
            task, block = self.tasks[at], packed.block(name)
            yield (task, None, "MismatchError", changed(block)) if packed.digest != digest else (task, *outcome(self.job, task, {at: block}))


@dataclass(frozen=True)
class Fetch:
    """A job that sends blocks, as they are, to the driver."""

    tasks: tuple[int, ...]

    def needs(self, task: int) -> tuple[int, ...]:
        """The place of the block that a task is about."""
        return (self.tasks[task],)

    def __call__(self, task: int, brought: Mapping[int, Block]) -> bytes:
        return bytes(brought[self.tasks[task]].stream())
