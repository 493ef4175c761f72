"""Tables in many files, and engines that fail in known ways, for tests of fits whose rows lie apart."""

from __future__ import annotations

import hashlib
import os
import pickle
import resource
import signal
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from oddsmith import _apart, _core, engine
from oddsmith.passes import begin

# Tables of tests are so small that this process would do everything itself; here workers do it.
_apart.LITTLE = _apart.SAMPLE = 0


def rows(count: int = 480) -> pd.DataFrame:
    """Numbers, zeros and ones, categories and a class; the last rows have levels that the first do not have."""
    rng = np.random.default_rng(11)
    age, dose = rng.normal(50, 10, count), rng.gamma(3.0, 2.0, count)
    ward = np.where(np.arange(count) < count // 2, rng.choice(list("ab"), count), rng.choice(list("abc"), count))
    odds = 0.06 * (age - 50) + 0.2 * (dose - 6) - 0.4 + 0.5 * (ward == "b")
    died = np.where(rng.random(count) < 1 / (1 + np.exp(-odds)), "yes", "no")
    return pd.DataFrame({"age": age, "dose": dose, "smoker": rng.integers(0, 2, count), "ward": ward, "died": died})


def matched(count: int = 480) -> pd.DataFrame:
    """The same rows in sets of four, of which one died; the rows of a set do not stand together."""
    table = rows(count)
    order = np.random.default_rng(5).permutation(count)
    sets = np.empty(count, dtype=int)
    sets[order] = np.arange(count) // 4
    odds = table["age"] * 0.06 + table["dose"] * 0.2 + np.random.default_rng(6).gumbel(size=count)
    died = odds == odds.groupby(sets).transform("max")
    return table.assign(died=np.where(died, "yes", "no"), set=[f"s{number}" for number in sets])


#: What every analysis of the registry is asked.
ANALYSES: dict[str, dict[str, Any]] = {
    "classes": {"target": "died"},
    "describe": {"target": "died"},
    "table": {"target": "died", "options": {"exposure": "smoker", "strata": ["ward"]}},
    "confounding": {"target": "died", "options": {"exposure": ["smoker"], "candidates": ["age", "ward"]}},
    "subgroups": {"target": "died", "options": {"exposure": "smoker", "candidates": ["age", "ward"], "permutations": 99}},
    # Profiles and tests are fifty passes more, each a job of an engine, and no other kind of pass.
    "conditional-logistic": {"formula": "died ~ age + dose + strata(set)", "options": {"ci": "wald", "no-tests": True}},
    "information": {"target": "died", "options": {"strata": "ward", "pairs": 2}},
}


def table_for(entry: dict[str, Any]) -> pd.DataFrame:
    """Rows of the kinds that a model takes."""
    table = rows()
    if not entry["takes_numbers"]:
        ages, doses = pd.cut(table["age"], 3, labels=list("xyz")), pd.cut(table["dose"], 4, labels=list("pqrs"))
        table = table.assign(age=ages.astype(str), dose=doses.astype(str), smoker=table["smoker"].map({0: "no", 1: "yes"}))
    elif not entry["takes_categories"]:
        table = table.drop(columns="ward")
    return table


def written(table: pd.DataFrame, folder: Path, files: int = 16) -> Path:
    """The rows in so many files of different sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = np.arange(1, files + 1)
    cuts = [0, *(np.cumsum(weights) * len(table) // weights.sum())]
    for at, (low, high) in enumerate(zip(cuts, cuts[1:])):
        table[low:high].to_parquet(folder / f"part-{at:03}.parquet", index=False, row_group_size=20)
    return folder


def in_six(table: pd.DataFrame, folder: Path) -> Path:
    """Rows in six files of the same size, so that the first has what all have."""
    folder.mkdir()
    for at in range(6):
        table[80 * at : 80 * at + 80].to_parquet(folder / f"{at}.parquet", index=False, row_group_size=20)
    return folder


def folders_of(root: Path) -> dict[str, Path]:
    """For every model of the registry the folder of a table that it takes; one for all that take the same kinds."""
    made: dict[Any, Path] = {}
    for entry in ENTRIES.values():
        key = (entry["takes_numbers"], entry["takes_categories"])
        if key not in made:
            made[key] = written(table_for(entry), root / f"{len(made)}")
        made[entry["name"]] = made[key]
    return made


def digest(model: Any) -> str:
    """The hash of the model file."""
    return hashlib.sha256(model._finished_model().to_bytes()).hexdigest()


#: Options of models that would take many passes.
OPTIONS: dict[str, dict[str, Any]] = {
    "average": {"models": "nb,tree(max-depth=2)"},
    "network": {"steps": 3, "hidden": 2},
    "perceptron": {"epochs": 2},
    "tree": {"max-depth": 3},
}

#: What jobs that sum rows up are called.
SUMMING = ("first", "lanes")

ENTRIES = {entry["name"]: entry for entry in _core.models()}


class Grouped:
    """A relay whose sums are merged in pairs, and in pairs of pairs, as if they were large."""

    fan_in, joins = 2, False

    def __init__(self, relay: Any) -> None:
        self.relay, self.lanes, self.ask = relay, relay.lanes, relay.ask

    def groups(self) -> list[int]:
        lanes = len(self.lanes())
        return [lanes, -(-lanes // 2), -(-lanes // 4)]

    def lanes_of(self, level: int, group: int) -> tuple[int, int]:
        return group * 2**level, min((group + 1) * 2**level, len(self.lanes()))


def sums_in_groups(on: Any, folder: Path) -> tuple[bytes, bytes]:
    """Counts of a table, merged by the workers of an engine in groups, and by this process one after the other."""
    first = begin("nb", "died", features=["ward"])
    plan = _apart.reading_plan(first._core, None, None, 1 << 30)

    def merged(on: Any, group: Any) -> bytes:
        table = _apart.Table(engine.files(folder), on, plan)
        relay = group(_core.Relay.gather("all", 0.0, table.spread, None))
        sums = {number: (level, content) for level, number, content in table.sums(relay)}
        assert len(relay.lanes()) > 8 and {level for level, _ in sums.values()} == {len(relay.groups()) - 1}
        assert sorted(sums) == list(range(relay.groups()[-1]))
        total = _core.Merger(relay.ask())
        for number in sorted(sums):
            total.take(sums[number][1])
        return total.finish()

    return merged(on, Grouped), merged(_apart.Here(), lambda relay: relay)


class Repeating:
    """An engine that answers in another order, and some tasks twice, as speculation does."""

    slots = 5

    def map(self, job: Any, count: int) -> Any:
        for task in [*reversed(range(count)), *range(0, count, 2)]:
            yield task, job(task)


class Listing:
    """An engine that writes down what jobs are called, and what they ask."""

    slots = 3

    def __init__(self) -> None:
        self.jobs: list[str] = []
        self.asked: list[bytes] = []

    def map(self, job: Any, count: int) -> Any:
        self.jobs.append(job.do)
        self.asked.append(job.content)
        return ((task, job(task)) for task in range(count))


class Forgetting:
    """An engine that loses an answer."""

    slots = 3

    def map(self, job: Any, count: int) -> Any:
        return ((task, job(task)) for task in range(count) if task != 1)


class Between:
    """An engine that does something before a pass; by default this process is the engine."""

    def __init__(self, number: int, act: Any, on: Any = None) -> None:
        self.number, self.act, self.passes, self.on = number, act, 0, on or _apart.Here()
        self.slots = 2

    def map(self, job: Any, count: int) -> Any:
        self.passes += job.do in SUMMING
        if self.passes == self.number:
            self.act()
            self.number = 0
        return self.on.map(job, count)


class Bundle:
    """The jobs of several fits as one: a task does the task of its number of every job that has one, or what they have to do with a block of a frame."""

    def __init__(self, jobs: tuple[Any, ...]) -> None:
        self.jobs = jobs
        tasks = [{part: task for task in range(len(job.tasks)) for part in job.needs(task)} for job in jobs]
        #: Blocks that jobs read, and by block the task of every job; nothing where workers read files.
        self.blocks = [] if jobs[0].parts is not None else sorted(set().union(*tasks))
        self.count = len(self.blocks) or max(len(job.tasks) for job in jobs)
        self.own = [[own.get(block) for own in tasks] for block in self.blocks] or [
            [task if task < len(job.tasks) else None for job in jobs] for task in range(self.count)
        ]

    def needs(self, task: int) -> tuple[int, ...]:
        return (self.blocks[task],)

    def __call__(self, task: int, *brought: Any) -> bytes:
        return pickle.dumps([(own, self._told(job, own, brought)) for job, own in zip(self.jobs, self.own[task], strict=True)])

    def _told(self, job: Any, task: int | None, brought: tuple[Any, ...]) -> Any:
        try:
            return None if task is None else job(task, *brought)
        except Exception as error:
            return error


class Together:
    """An engine that does the passes of several fits, each in a thread of its own, as one job: an engine takes longer for a job than for small tables."""

    def __init__(self, on: Any, fits: int) -> None:
        self.on, self.slots, self.running = on, on.slots, fits
        self.asked: list[tuple[Any, Future]] = []
        self.lock = threading.Lock()

    def map(self, job: Any, count: int) -> Any:
        answered = Future()
        with self.lock:
            self.asked.append((job, answered))
        self.go_on()
        return answered.result()

    def end(self) -> None:
        """A fit has ended: nobody waits for it any longer."""
        with self.lock:
            self.running -= 1
        self.go_on()

    def go_on(self) -> None:
        with self.lock:
            if len(self.asked) < self.running or not self.asked:
                return
            asked, self.asked = self.asked, []
        try:
            bundle = Bundle(tuple(job for job, _ in asked))
            told = [pickle.loads(content) for content in dict(self.on.map(bundle, bundle.count)).values()]
        except Exception as error:
            for _, answered in asked:
                answered.set_exception(error)
            return
        for at, (_, answered) in enumerate(asked):
            own = [answers[at] for answers in told if answers[at][0] is not None]
            failed = [answer for _, answer in own if isinstance(answer, Exception)]
            if failed:
                answered.set_exception(failed[0])
            else:
                answered.set_result(own)


def together(on: Any, fits: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """What every fit gives on an engine, or the error that it ends in."""
    shared = Together(on, len(fits))

    def done(fit: Callable[[Any], Any]) -> Any:
        try:
            return fit(shared)
        except Exception as error:
            return error
        finally:
            shared.end()

    with ThreadPoolExecutor(len(fits)) as pool:
        return dict(zip(fits, pool.map(done, fits.values()), strict=True))


class DyingOnce:
    """A job whose worker is killed the first time that it does a certain task."""

    def __init__(self, job: Any, mark: Path) -> None:
        self.job, self.mark = job, mark

    def __call__(self, task: int) -> bytes:
        if self.job.do in SUMMING and task == 1 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.job(task)


class Deadly(engine.Processes):
    """Processes one of which dies."""

    def __init__(self, count: int, mark: Path) -> None:
        super().__init__(count)
        self.mark = mark

    def map(self, job: Any, count: int) -> Any:
        return super().map(DyingOnce(job, self.mark), count)


class Killer:
    """A job that kills a process of its worker once: the Python worker itself, or the executor's Java."""

    def __init__(self, job: Any, mark: Path, whom: str) -> None:
        self.job, self.mark, self.whom = job, mark, whom
        self.tasks, self.do, self.needs = job.tasks, job.do, job.needs

    def __call__(self, task: int, brought: Any = None) -> bytes:
        if self.do in SUMMING and task == 0 and not self.mark.exists():
            # Where no mark can be left, it kills again and again.
            if self.mark.parent.exists():
                self.mark.touch()
            os.kill(os.getpid() if self.whom == "worker" else _java(), signal.SIGKILL)
        return self.job(task, brought)


def _java() -> int:
    """The Java process above this one."""
    process = os.getpid()
    while Path(f"/proc/{process}/comm").read_text().strip() != "java":
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return process


class Killing:
    """An engine whose first pass kills."""

    def __init__(self, on: Any, mark: Path, whom: str) -> None:
        self.on, self.slots, self.mark, self.whom = on, on.slots, mark, whom

    def map(self, job: Any, count: int) -> Any:
        return self.on.map(Killer(job, self.mark, self.whom), count)


class Starved:
    """A job whose worker has little more memory than it takes already, where it sums rows up."""

    def __init__(self, job: Any, room: int) -> None:
        self.job, self.room = job, room
        self.tasks, self.do, self.needs = job.tasks, job.do, job.needs

    def __call__(self, task: int, brought: Any = None) -> bytes:
        if self.do not in SUMMING:
            return self.job(task, brought)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + self.room, before[1]))
        try:
            return self.job(task, brought)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)


class Starving:
    """An engine whose workers lack memory."""

    def __init__(self, on: Any, room: int) -> None:
        self.on, self.slots, self.room = on, on.slots, room

    def map(self, job: Any, count: int) -> Any:
        return self.on.map(Starved(job, self.room), count)
