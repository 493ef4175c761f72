"""A table whose parts lie apart, and how its passes are dealt to whoever does the work."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from . import _core
from ._gathering import Gathering
from ._text import text_options
from ._worker import Job, Piece, Seen, sums_of, unpacked
from .exceptions import DataError, MismatchError, ParameterError

#: Tasks for every worker of an engine: enough that none waits long for the last.
TASKS_PER_SLOT = 3


class Engine(Protocol):
    """Whoever does the tasks of a job.

    One that can bring answers together where they are made has ``map_merged(job, groups, fan_in)`` as well: `groups` are the numbers of lanes, of groups
    of `fan_in` lanes, of groups of groups …; it gives ``(group, sums)`` for every group of the last.
    """

    #: How many tasks run at once.
    slots: int

    def map(self, job: Job, count: int) -> Iterable[tuple[int, bytes]]:
        """Give ``(task, job(task))`` for every task below `count`, in any order, some perhaps twice."""


class Files:
    """Many files as one table, which every worker can read; made by `files`.

    Attributes
    ----------
    parts : tuple
        The files, or row groups of them, in their order.
    names : tuple of str
        What messages call them.
    """

    #: Whether every part can only be read where it is.
    apart = False

    def __init__(self, paths: Any) -> None:
        given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        listed = _core.list_pieces([os.fspath(path) for path in given])
        self.parts = tuple(Piece((str(path), groups, tuple(folders), size)) for path, groups, folders, size in listed)
        self.names = tuple(part.name for part in self.parts)

    @property
    def bytes(self) -> int:
        """About how many bytes all of it takes."""
        return sum(part.piece[3] for part in self.parts)

    def __repr__(self) -> str:
        return f"<Files: {len({part.piece[0] for part in self.parts})} files in {len(self.parts)} parts>"


def files(paths: Any) -> Files:
    """Take many files as one table.

    Parameters
    ----------
    paths : path-like or sequence of path-like
        Files, folders, and patterns with ``*`` and ``?``. Folders called ``name=value`` are a column of the Parquet and Arrow files
        beneath them. Every worker must see them under these names.

    Returns
    -------
    Files
        The table.
    """
    return Files(paths)


def answers(on: Engine, job: Job) -> Iterator[tuple[int, bytes]]:
    """Every answer of a job once, as it comes; an error names what is missing."""
    waiting = set(range(len(job.tasks)))
    for task, content in on.map(job, len(job.tasks)):
        if task not in waiting and not 0 <= task < len(job.tasks):
            raise MismatchError(f"there is an answer to task {task}, and nobody asked for it")
        if task in waiting:
            waiting.discard(task)
            yield task, content
    if waiting:
        raise MismatchError(f"{len(waiting)} of {len(job.tasks)} answers are missing, first that of task {min(waiting) + 1}")


def in_order(on: Engine, job: Job) -> list[bytes]:
    """The answers of a job by task."""
    found = dict(answers(on, job))
    return [found[task] for task in range(len(job.tasks))]


def dealt(table: Any, on: Engine) -> list[tuple[int, ...]]:
    """The parts of a table to tasks: a task costs an engine more than a small file."""
    parts = len(table.names)
    count = parts if table.apart else min(parts, on.slots * TASKS_PER_SLOT)
    return [tuple(range(task * parts // count, (task + 1) * parts // count)) for task in range(count)]


def of_parts(on: Engine, job: Job) -> list[bytes]:
    """The answers of a job about parts, part by part."""
    return [content for answer in in_order(on, job) for content in unpacked(answer)]


class Table:
    """The parts of a table after they were looked at: columns and sizes that all of them agree upon."""

    def __init__(self, table: Any, on: Engine, plan: dict[str, Any]) -> None:
        self.on, self.names = on, table.names
        self._parts = None if table.apart else table.parts
        plan = plan | {"kinds": self._first_kinds(table, plan) | plan["kinds"]}
        self._survey(table, plan)
        if self.spread.flags:
            self._survey(table, plan | {"kinds": plan["kinds"] | dict.fromkeys(self.spread.flags, "boolean")})

    def _job(self, do: str, tasks: Sequence[Any], plan: Mapping[str, Any], **more: Any) -> Job:
        return Job(do, tuple(tasks), self._parts, self.names, plan, **more)

    def _first_kinds(self, table: Any, plan: Mapping[str, Any]) -> dict[str, str]:
        """The kinds that the first part with rows settles for all."""
        for at in range(len(table.names)):
            (kinds,) = of_parts(self.on, self._job("kinds", [(at,)], plan))
            if kinds:
                return ast.literal_eval(kinds.decode())
        raise DataError("no part has a row that counts")

    def _survey(self, table: Any, plan: Mapping[str, Any]) -> None:
        told = [unpacked(content) for content in of_parts(self.on, self._job("survey", dealt(table, self.on), plan))]
        self.plan, self.seen = plan, tuple(_seen(facts) for facts in told)
        #: Numbers of the parts that have rows.
        self.numbers = [at for at, facts in enumerate(told) if facts]
        surveys = [(self.names[at], told[at][2]) for at in self.numbers]
        self.spread = _core.Spread(plan["question"], surveys, table.bytes, table.apart)

    def lanes(self, relay: _core.Relay) -> Job:
        """What the current pass asks for: contiguous lanes to every task, which merges groups of them where that leaves enough tasks."""
        extents = tuple(self.spread.extents)
        starts = np.cumsum([0, *(partitions for _, partitions in extents)])
        lanes, groups, wanted = relay.lanes(), relay.groups(), self.on.slots * TASKS_PER_SLOT
        # A part that only its owner can read is a lane of its own.
        level = 0 if self._parts is None else max(at for at, count in enumerate(groups) if at == 0 or count >= wanted)
        count, tasks = groups[level] if self._parts is None else min(groups[level], wanted), []
        for task in range(count):
            own = range(task * groups[level] // count, (task + 1) * groups[level] // count)
            summed = tuple((group, lanes[slice(*relay.lanes_of(level, group))]) for group in own)
            read = {int(np.searchsorted(starts, at, "right")) - 1 for _, some in summed for lane in some for at in lane}
            # It is read also where a pass skips all of it.
            held = list(own) if self._parts is None else sorted(read)
            tasks.append((tuple((at, self.numbers[at]) for at in held), extents, summed))
        return self._job("lanes", tasks, self.plan, content=relay.ask(), seen=self.seen, level=level)

    def sums(self, relay: _core.Relay) -> Iterator[tuple[int, int, bytes]]:
        """What the current pass asks for, summed up: levels and numbers of groups of lanes with their sums."""
        job, groups = self.lanes(relay), relay.groups()
        top = len(groups) - 1
        if job.level < top and hasattr(self.on, "map_merged"):
            yield from ((top, group, sums) for group, sums in self.on.map_merged(job, groups, relay.fan_in))
            return
        for _, content in answers(self.on, job):
            yield from ((job.level, group, sums) for group, sums in sums_of(content))

    def conclude(self, relay: _core.Relay) -> Any:
        """All passes of a relay."""
        while True:
            for level, group, sums in self.sums(relay):
                relay.take(level, group, sums)
            ended = relay.advance()
            if ended is not None:
                return ended


def _seen(facts: list[bytes]) -> Seen | None:
    if not facts:
        return None
    rows, weight = ast.literal_eval(facts[1].decode())
    return Seen(facts[0].decode(), rows, weight)


def reading_plan(core: Any, estimator: Any, text: Mapping[str, Any] | None, memory: int) -> dict[str, Any]:
    """How every part is read."""
    words = text_options(getattr(estimator, "text", None) or text)
    plan = {"question": None, "target": None, "features": None, "weights": None, "kinds": {}, "text": words, "memory": memory}
    if isinstance(core, Gathering):
        return plan | {"target": core.target, "features": core.features, "weights": core.weights, "kinds": dict(core.kinds)}
    return plan | {"question": core.ask()}


class Here:
    """This process as an engine."""

    slots = 1

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        return ((task, job(task)) for task in range(count))


def as_table(table: Any) -> Any:
    """A table of parts, or the files that paths name."""
    return table if hasattr(table, "apart") else Files(table)


def pieces(table: Any) -> list[Any]:
    if table.apart:
        raise ParameterError("on = None is not accepted: these rows are where an engine holds them; name the engine")
    return [part.place() for part in table.parts]


def about(table: Any, on: Engine, do: str, model: _core.Model) -> list[bytes]:
    """What every part says about a model."""
    parts = None if table.apart else table.parts
    return of_parts(on, Job(do, tuple(dealt(table, on)), parts, table.names, content=model.to_bytes()))
