"""What a worker does with the parts of a table: opens them, sums lanes up, predicts, judges.

A worker needs this module, NumPy and the extension. Whatever engine starts it hands it a job and the number of a task.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _core
from .exceptions import DataError, MismatchError, OddsmithError

#: What was opened last, so that the next pass need not read it again; as much as the memory of the plan has room for.
_OPEN: OrderedDict[Any, Any] = OrderedDict()


@dataclass(frozen=True)
class Piece:
    """A file, or some of its row groups."""

    #: Path, row groups, columns that folders give it, bytes, rows where the file says so.
    piece: tuple[str, tuple[int, int] | None, tuple[tuple[str, str, bool], ...], int, int | None]

    @property
    def name(self) -> str:
        """What messages call it."""
        path, groups, *_ = self.piece
        return str(path) if groups is None else f"{path} (row groups {groups[0] + 1} to {groups[1]})"

    def print(self) -> str:
        """What another file of the same name would differ in."""
        facts = os.stat(self.piece[0])
        return f"{facts.st_size}/{facts.st_mtime_ns}"

    def place(self) -> Any:
        """Where the rows are, as the core takes it."""
        path, groups, folders, size, rows = self.piece
        return path, groups, list(folders), size, rows


@dataclass(frozen=True)
class Block:
    """Rows that an engine holds, as an Arrow stream."""

    name: str
    digest: str
    #: Gives the bytes, where they are needed: a block that is open already is not read again.
    stream: Callable[[], Any] = field(compare=False, hash=False)

    def print(self) -> str:
        """What other rows would differ in."""
        return self.digest

    def place(self) -> Any:
        """Where the rows are, as the core takes it."""
        import pyarrow

        return self.name, _core.Frame(pyarrow.ipc.open_stream(self.stream()).read_all())


@dataclass(frozen=True)
class Seen:
    """What the first pass saw of a part: every later pass must see the same."""

    fingerprint: str
    rows: int
    weight: float


@dataclass(frozen=True)
class Job:
    """What is done in every task, and what the tasks are.

    `tasks` are, by number, what a task is about: the numbers of parts, or the parts that it needs and the lanes that it sums up.
    """

    do: str
    tasks: tuple[Any, ...]
    #: Parts by number; `None` where an engine brings them itself.
    parts: tuple[Any, ...] | None
    names: tuple[str, ...]
    plan: Mapping[str, Any] | None = None
    content: bytes = b""
    seen: tuple[Seen | None, ...] = ()
    #: Groups of lanes that a task merges: single lanes, groups of them, groups of groups.
    level: int = 0

    def needs(self, task: int) -> tuple[int, ...]:
        """The numbers of the parts that a task is about."""
        about = self.tasks[task]
        return tuple(number for _, number in about[0]) if self.do in _OF_LANES else about

    def __call__(self, task: int, brought: Mapping[int, Any] | None = None) -> bytes:
        """Do a task; `brought` are parts by number that the engine brings."""
        part_of = lambda at: (brought or self.parts)[at]  # noqa: E731
        try:
            if self.do in _OF_LANES:
                return _OF_LANES[self.do](self, self.tasks[task], part_of)
            return _packed([_WORK[self.do](self, at, part_of) for at in self.tasks[task]])
        except MemoryError as error:
            raise DataError(f"task {task + 1} of {len(self.tasks)}: the worker has too little memory; give it more, or make more parts") from error


def outcome(job: Job, task: int, brought: Mapping[int, Any] | None = None) -> tuple[bytes | None, str | None, str | None]:
    """The answer to a task, or the name and the text of the error in its place: an engine would try what must fail again and again, and bury the reason."""
    try:
        return job(task, brought), None, None
    except OddsmithError as error:
        return None, type(error).__name__, str(error)


def _opened(job: Job, part: Any, at: int) -> Any:
    """The part, opened, as the first pass saw it; `None` where none of its rows counts."""
    fingerprint = part.print()
    seen = job.seen[at] if job.seen else None
    if seen is not None and seen.fingerprint != fingerprint:
        raise MismatchError(changed(part))
    key = (part, fingerprint, repr(job.plan))
    if key in _OPEN:
        _OPEN.move_to_end(key)
        return _OPEN[key]
    opened = _core.open_part(part.place(), dict(job.plan), 1)
    if seen is not None and (opened is None or (opened.rows, opened.weight) != (seen.rows, seen.weight)):
        now = "none" if opened is None else f"{opened.rows} rows of weight {opened.weight:g}"
        raise MismatchError(f"{part.name}: the first pass saw {seen.rows} rows of weight {seen.weight:g}, and this one sees {now}")
    if part.print() != fingerprint:
        raise MismatchError(changed(part))
    _OPEN[key] = opened
    room = job.plan["memory"]
    while len(_OPEN) > 1 and sum(0 if kept is None else kept.bytes for kept in _OPEN.values()) > room:
        _OPEN.popitem(last=False)
    return opened


def changed(part: Piece | Block) -> str:
    """What is said of a part that is not what it was in the first pass."""
    if isinstance(part, Piece):
        return f"{part.name}: the file changed between passes; try again when nothing writes to it"
    return (
        f"{part.name}: these are other rows than those of the first pass; a frame whose rows are drawn anew whenever they are computed "
        "(rand(), limit, sample without a seed), or whose order a shuffle leaves open (repartition, join), must be written to files first"
    )


def _survey(job: Job, at: int, part_of: Callable[[int], Any]) -> bytes:
    """The columns and the size of a part; nothing where none of its rows counts."""
    part = part_of(at)
    opened = _opened(job, part, at)
    return _packed([] if opened is None else [part.print().encode(), json.dumps([opened.rows, opened.weight]).encode(), opened.survey()])


def _kinds(job: Job, at: int, part_of: Callable[[int], Any]) -> bytes:
    """The kinds of columns that a part settles for all others, and what it tells of itself."""
    opened = _opened(job, part_of(at), at)
    return b"" if opened is None else _packed([json.dumps(opened.kinds).encode(), opened.survey()])


def _first(job: Job, task: Any, part_of: Callable[[int], Any]) -> bytes:
    """What parts tell of themselves, and the sums of their lanes; none where the parts are not what was expected."""
    surveys = [_survey(job, number, part_of) for _, number in task[0]]
    try:
        sums = _lanes(job, task, part_of) if all(surveys) else b""
    except OddsmithError:
        # Whoever puts the parts together knows what is wrong, or asks again.
        sums = b""
    return _packed([_packed(surveys), sums])


def _lanes(job: Job, task: Any, part_of: Callable[[int], Any]) -> bytes:
    """The sums of groups of lanes, each behind its number."""
    numbers, extents, groups = task
    opened = [(at, _opened(job, part_of(number), number)) for at, number in numbers]
    summed = _core.sum_lanes(job.content, opened, list(extents), job.level, groups)
    for _, number in numbers:
        part = part_of(number)
        if job.seen and part.print() != job.seen[number].fingerprint:
            raise MismatchError(changed(part))
    return _packed([piece for group, sums in summed for piece in (str(group).encode(), sums)])


def sums_of(content: bytes) -> list[tuple[int, bytes]]:
    """The numbers of groups of lanes with their sums, of an answer that has some."""
    told = unpacked(content)
    return [(int(group), sums) for group, sums in zip(told[::2], told[1::2], strict=True)]


def merged_sums(answers: Iterable[tuple[int, bytes]], job: Job, into: int, groups: Iterable[int]) -> tuple[int, bytes]:
    """An answer with the sums of some groups, which other answers hold, merged to one."""
    found = {group: sums for _, content in answers for group, sums in sums_of(content)}
    merger = _core.Merger(job.content)
    for group in groups:
        merger.take(found[group])
    return into, _packed([str(into).encode(), merger.finish()])


def _predict(job: Job, at: int, part_of: Callable[[int], Any]) -> bytes:
    """Probabilities of all rows of a part, as numbers row by row."""
    return _core.predict_part(_core.Model.from_bytes(job.content), part_of(at).place())[0].tobytes()


def _judge(job: Job, at: int, part_of: Callable[[int], Any]) -> bytes:
    """The sums of a model that is judged on the rows of a part."""
    part = part_of(at)
    try:
        return _core.judge_part(_core.Model.from_bytes(job.content), part.place())
    except DataError as error:
        raise DataError(f"{part.name}: {error}") from error


#: What is done with the parts of lanes.
_OF_LANES: dict[str, Callable[[Job, Any, Callable[[int], Any]], bytes]] = {"first": _first, "lanes": _lanes}

#: What is done with a part.
_WORK: dict[str, Callable[[Job, int, Callable[[int], Any]], bytes]] = {
    "kinds": _kinds,
    "survey": _survey,
    "predict": _predict,
    "judge": _judge,
}


def _packed(pieces: list[bytes]) -> bytes:
    """Several byte strings as one."""
    return b"".join(len(piece).to_bytes(8, "little") + piece for piece in pieces)


def unpacked(content: bytes) -> list[bytes]:
    """The byte strings in one."""
    pieces, at = [], 0
    while at < len(content):
        size = int.from_bytes(content[at : at + 8], "little")
        pieces.append(content[at + 8 : at + 8 + size])
        at += 8 + size
    return pieces
