"""A table whose parts lie apart, and how its passes are dealt to whoever does the work."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from . import _core
from ._gathering import Gathering
from ._text import text_options
from ._worker import Job, Piece, Seen, sums_of, unpacked
from .exceptions import DataError, MismatchError, OddsmithError, ParameterError

#: Tasks for every worker of an engine: enough that none waits long for the last.
TASKS_PER_SLOT = 3
#: Bytes of files up to which a pass is summed up here, by this process: an engine takes longer to begin with it.
LITTLE = 64 << 20
#: The same for passes over a sample: they are several, and each is a job less.
SAMPLE = 256 << 20


class Engine(Protocol):
    """Whoever does the tasks of a job."""

    #: How many tasks run at once.
    slots: int

    def map(self, job: Job, count: int) -> Iterable[tuple[int, bytes]]:
        """Do all tasks of a job.

        Parameters
        ----------
        job : callable
            What is done with the number of a task.
        count : int
            Number of tasks.

        Returns
        -------
        iterable
            Numbers of tasks and their answers, ``(task, job(task))``, in any order, some perhaps twice.
        """


class MergingEngine(Engine, Protocol):
    """An engine that can bring sums together where they are made, before they are sent on."""

    def map_merged(self, job: Job, groups: Sequence[int], fan_in: int) -> Iterable[tuple[int, bytes]]:
        """Do all tasks of a job that sums groups of lanes up, and merge groups where they are.

        Parameters
        ----------
        job : callable
            What is done with the number of a task.
        groups : sequence of int
            How many lanes there are, how many groups of lanes, how many groups of groups.
        fan_in : int
            How many of one level make one of the next.

        Returns
        -------
        iterable
            Numbers of groups of the last level and their sums.
        """


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
        given = [paths] if isinstance(paths, (str, os.PathLike)) else [] if hasattr(paths, "columns") or not isinstance(paths, Iterable) else list(paths)
        if not given or not all(isinstance(path, (str, os.PathLike)) for path in given):
            kind = type(paths).__name__
            raise ParameterError(f"a table of type {kind} is not accepted: paths, folders and patterns of files; rows in memory are fitted by an estimator's own fit")
        listed = _core.list_pieces([os.fspath(path) for path in given])
        self.parts = tuple(Piece((str(path), groups, tuple(folders), size, rows)) for path, groups, folders, size, rows in listed)
        self.names = tuple(part.name for part in self.parts)

    @property
    def sizes(self) -> list[int]:
        """About how many bytes every part takes."""
        return [part.piece[3] for part in self.parts]

    @property
    def bytes(self) -> int:
        """About how many bytes all of it takes."""
        return sum(self.sizes)

    def extents(self) -> list[tuple[int, int]] | None:
        """Rows and partitions of every part, if all rows count; `None` where a file does not say."""
        told = [(rows, groups) for _, groups, _, _, rows in (part.piece for part in self.parts)]
        return None if any(rows is None for rows, _ in told) else [(rows, end - first) for rows, (first, end) in told]

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
    """The parts of a table after they were looked at: columns and sizes that all of them agree upon.

    `begins` makes the passes that follow from a table. Its first is asked for together with the look at the parts, as it will be if all parts are like
    the first: most are, and then nothing is read twice.
    """

    def __init__(self, table: Any, on: Engine, plan: dict[str, Any], begins: Callable[[_core.Spread], _core.Relay] | None = None) -> None:
        self.on, self.names, self._begins = as_engine(on), table.names, begins
        self._parts, self._sizes = None if table.apart else table.parts, table.sizes
        #: This process, which reads files itself and has the blocks of an engine brought to it.
        self._here = Here(table.brought if table.apart else None)
        #: A question and the extents of the parts that it is about, with the sums that answer it.
        self._early: tuple[bytes, list[Any], list[tuple[int, bytes]]] | None = None
        kinds, survey = self._first_part(table, plan)
        plan = plan | {"kinds": kinds | plan["kinds"]}
        self._survey(table, plan, *self._guess(table, plan, survey))
        if self.spread.flags:
            self._survey(table, plan | {"kinds": plan["kinds"] | dict.fromkeys(self.spread.flags, "boolean")})

    def _job(self, do: str, tasks: Sequence[Any], plan: Mapping[str, Any], **more: Any) -> Job:
        return Job(do, tuple(tasks), self._parts, self.names, plan, **more)

    def _first_part(self, table: Any, plan: Mapping[str, Any]) -> tuple[dict[str, str], bytes]:
        """The kinds that the first part with rows settles for all, and what it tells of itself."""
        # Read here: that takes as long as it would take a worker, and no task.
        for at in range(len(table.names)):
            (told,) = of_parts(self._here, self._job("kinds", [(at,)], plan))
            if told:
                kinds, survey = unpacked(told)
                return json.loads(kinds), survey
        raise DataError("no part has a row that counts")

    def _guess(self, table: Any, plan: Mapping[str, Any], survey: bytes) -> tuple[_core.Relay | None, _core.Spread | None]:
        """The passes and the table if all parts are like the first; `None` where it would have to be read again in any case, or does not tell its size."""
        extents = table.extents() if self._begins else None
        if extents is None:
            return None, None
        guess = _core.Spread.alike(plan["question"], survey, extents, table.bytes, table.apart)
        try:
            return (None, None) if guess.flags else (self._past_samples(self._begins(guess), guess, plan), guess)
        except OddsmithError:
            # The first part alone is not enough, having one class for example.
            return None, None

    def _past_samples(self, relay: _core.Relay, guess: _core.Spread, plan: Mapping[str, Any]) -> _core.Relay | None:
        """Passes that a few rows answer are answered here: what is asked for together with the look at the parts is the first that needs all rows."""
        all_partitions = sum(partitions for _, partitions in guess.extents)
        while sum(map(len, relay.lanes())) < all_partitions:
            job = self._lane_job(relay, guess.extents, range(len(self.names)), plan)
            if not self._is_little(job, sample=True):
                break
            for _, content in answers(self._here, job):
                for group, sums in sums_of(content):
                    relay.take(job.level, group, sums)
            if relay.advance() is not None:
                return None
        return relay

    def _survey(self, table: Any, plan: Mapping[str, Any], relay: _core.Relay | None = None, guess: _core.Spread | None = None) -> None:
        shares = dealt(table, self.on)
        tasks, level = ([], 0) if relay is None or len(relay.groups()) > 1 else self._lane_tasks(relay, guess.extents, range(len(self.names)), looks=True)
        tasks = tasks and [*tasks, *self._unread(tasks, guess.extents, len(shares))]
        # Where lanes are fewer than workers, the look comes first.
        if len(tasks) >= len(shares) > 0:
            told = self._survey_with_sums(self._job("first", tasks, plan, content=relay.ask(), level=level))
        else:
            told = [unpacked(content) for content in of_parts(self.on, self._job("survey", shares, plan))]
        self.plan, self.seen = plan, tuple(_seen(facts) for facts in told)
        #: Numbers of the parts that have rows.
        self.numbers = [at for at, facts in enumerate(told) if facts]
        surveys = [(self.names[at], told[at][2]) for at in self.numbers]
        self.spread = _core.Spread(plan["question"], surveys, table.bytes, table.apart)

    def _unread(self, tasks: Sequence[Any], extents: Sequence[tuple[int, int]], count: int) -> list[Any]:
        """Tasks without lanes for the parts that a first pass over some of the rows leaves out: they are looked at all the same."""
        read = {number for held, _, _ in tasks for _, number in held}
        left = [number for number in range(len(self.names)) if number not in read]
        count = min(count, len(left))
        shares = [left[task * len(left) // count : (task + 1) * len(left) // count] for task in range(count)]
        return [(tuple((number, number) for number in share), tuple(extents), ()) for share in shares]

    def _survey_with_sums(self, job: Job) -> list[list[bytes]]:
        """What every part tells of itself; the sums of the first pass are kept if all tasks could sum up what was expected."""
        told: dict[int, list[bytes]] = {}
        found: list[list[tuple[int, bytes]]] = []
        for (held, extents, groups), content in zip(job.tasks, in_order(self.on, job), strict=True):
            surveys, sums = unpacked(content)
            told |= {number: unpacked(facts) for (_, number), facts in zip(held, unpacked(surveys), strict=True)}
            if groups:
                found.append(sums_of(sums))
        if all(found):
            self._early = job.content, list(extents), [answer for own in found for answer in own]
        return [told[number] for number in range(len(self.names))]

    def _join(self, relay: _core.Relay, extents: Sequence[tuple[int, int]]) -> None:
        """Lanes that may be one become as many as there are tasks: the fewer sums are on their way, the better."""
        if relay.joins:
            relay.join(self._task_cuts(relay, extents, 0)[:-1])

    def _task_cuts(self, relay: _core.Relay, extents: Sequence[tuple[int, int]], level: int) -> Sequence[int]:
        """Where every task begins among the groups of a level, and the end."""
        lanes, count = relay.lanes(), relay.groups()[level]
        # A part that only its owner can read is a lane of its own.
        if self._parts is None:
            return range(count + 1)
        begins = set(np.cumsum([0, *(partitions for _, partitions in extents)]).tolist())
        firsts = [next((at for lane in lanes[slice(*relay.lanes_of(level, group))] for at in lane), None) for group in range(count)]
        whole = {group for group, first in enumerate(firsts) if first in begins}
        return _cuts(count, min(count, self.on.slots * TASKS_PER_SLOT), whole)

    def _lane_tasks(self, relay: _core.Relay, extents: Sequence[tuple[int, int]], numbers: Sequence[int], looks: bool = False) -> tuple[list[Any], int]:
        """Contiguous groups of lanes to every task, and how many levels of groups it merges, where that leaves enough tasks."""
        self._join(relay, extents)
        starts = np.cumsum([0, *(partitions for _, partitions in extents)])
        lanes, groups, wanted = relay.lanes(), relay.groups(), self.on.slots * TASKS_PER_SLOT
        level = 0 if self._parts is None else max(at for at, count in enumerate(groups) if at == 0 or count >= wanted)
        cuts, tasks = self._task_cuts(relay, extents, level), []
        for own in map(range, cuts, cuts[1:]):
            summed = tuple((group, lanes[slice(*relay.lanes_of(level, group))]) for group in own)
            read = {int(np.searchsorted(starts, at, "right")) - 1 for _, some in summed for lane in some for at in lane}
            # Whoever has a part looks at it, or hands its sums on to be merged, also where the pass skips all of it.
            held = list(own) if self._parts is None and (read or looks or len(groups) > 1) else sorted(read)
            tasks.append((tuple((at, numbers[at]) for at in held), tuple(extents), summed))
        return tasks, level

    def lanes(self, relay: _core.Relay) -> Job:
        """What the current pass asks for."""
        return self._lane_job(relay, self.spread.extents, self.numbers, self.plan, seen=self.seen)

    def _lane_job(self, relay: _core.Relay, extents: Sequence[tuple[int, int]], numbers: Sequence[int], plan: Mapping[str, Any], **more: Any) -> Job:
        tasks, level = self._lane_tasks(relay, extents, numbers)
        return self._job("lanes", tasks, plan, content=relay.ask(), level=level, **more)

    def sums(self, relay: _core.Relay) -> Iterator[tuple[int, int, bytes]]:
        """What the current pass asks for, summed up: levels and numbers of groups of lanes with their sums."""
        if self._early is not None and self._early[:2] == (relay.ask(), self.spread.extents):
            (_, _, early), self._early = self._early, None
            self._join(relay, self.spread.extents)
            yield from ((0, group, sums) for group, sums in early)
            return
        job, groups = self.lanes(relay), relay.groups()
        top = len(groups) - 1
        if job.level < top and hasattr(self.on, "map_merged"):
            yield from ((top, group, sums) for group, sums in self.on.map_merged(job, groups, relay.fan_in))
            return
        for _, content in self._answers(job):
            yield from ((job.level, group, sums) for group, sums in sums_of(content))

    def _answers(self, job: Job) -> Iterator[tuple[int, bytes]]:
        """The answers of a pass: of workers, but for what reads nothing, or little."""
        all_partitions = sum(partitions for _, partitions in self.spread.extents)
        if self._is_little(job, sample=sum(len(lane) for _, _, groups in job.tasks for _, lanes in groups for lane in lanes) < all_partitions):
            yield from answers(self._here, job)
            return
        reading, idle = ([task for task in job.tasks if bool(task[0]) == reads] for reads in (True, False))
        for on, tasks in ((self.on, reading), (self._here, idle)):
            if tasks:
                yield from answers(on, replace(job, tasks=tuple(tasks)))

    def _is_little(self, job: Job, sample: bool) -> bool:
        """Whether a pass reads so little, being one of a sample or of a small table, that this process has summed it up before others begin."""
        if self._parts is None and not sample:
            return False
        read = {number for held, _, _ in job.tasks for _, number in held}
        return sum(self._sizes[number] for number in read) <= (SAMPLE if sample else LITTLE)

    def conclude(self, relay: _core.Relay | None = None) -> Any:
        """All passes of a relay; by default of that which begins with this table."""
        relay = relay or self._begins(self.spread)
        while True:
            for level, group, sums in self.sums(relay):
                relay.take(level, group, sums)
            ended = relay.advance()
            if ended is not None:
                return ended


def _cuts(groups: int, tasks: int, whole: set[int]) -> list[int]:
    """Where every task begins, and the end: near equal shares, and where a part begins if that leaves as many tasks, so that no part is read twice."""
    even = [task * groups // max(tasks, 1) for task in range(tasks + 1)]
    near = sorted({0, groups, *(min(whole, key=lambda begin: abs(begin - cut)) for cut in even[1:-1] if whole)})
    return near if len(near) == len(even) else even


def _seen(facts: list[bytes]) -> Seen | None:
    if not facts:
        return None
    rows, weight = json.loads(facts[1])
    return Seen(facts[0].decode(), rows, weight)


def reading_plan(core: Any, estimator: Any, text: Mapping[str, Any] | None, memory: int) -> dict[str, Any]:
    """How every part is read."""
    words = text_options(getattr(estimator, "text", None) or text)
    plan = {"question": None, "target": None, "features": None, "weights": None, "kinds": {}, "text": words, "memory": memory}
    if isinstance(core, Gathering):
        return plan | {"target": core.target, "features": core.features, "weights": core.weights, "kinds": dict(core.kinds)}
    return plan | {"question": core.ask()}


class Here:
    """This process as an engine; `brought` gives it parts, by their numbers, that it cannot read itself."""

    slots = 1

    def __init__(self, brought: Callable[[Sequence[int]], Mapping[int, Any]] | None = None) -> None:
        self._brought = brought

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        brought = self._brought and self._brought(sorted({number for task in range(count) for number in job.needs(task)}))
        return ((task, job(task, brought)) for task in range(count))


def as_table(table: Any) -> Any:
    """A table of parts, or the files that paths name."""
    return table if hasattr(table, "apart") else Files(table)


def as_engine(on: Any) -> Engine | None:
    """An engine, or nothing where this process does the work."""
    if on is not None and not (hasattr(on, "slots") and hasattr(on, "map")):
        raise ParameterError(f"on = {on!r} is not accepted: `engine.processes(n)`, workers of Spark or Dask, or any object with `slots` and `map`")
    return on


def pieces(table: Any) -> list[Any]:
    if table.apart:
        raise ParameterError("on = None is not accepted: these rows are where an engine holds them; name the engine")
    return [part.place() for part in table.parts]


def about(table: Any, on: Engine, do: str, model: _core.Model) -> list[bytes]:
    """What every part says about a model."""
    parts = None if table.apart else table.parts
    return of_parts(as_engine(on), Job(do, tuple(dealt(table, on)), parts, table.names, content=model.to_bytes()))
