"""Fits of tables whose parts lie apart: in many files, in the partitions of an engine.

Workers sum up what the fit of one machine would sum up, lane by lane, and the sums are merged in the same order: the model file is the
same to the bit, for any number of workers. Every answer is known by its number: one that comes twice is dropped, one that is missing is
refused, and every pass must see the rows and the weight of the first.

`processes` starts workers on this machine; `oddsmith.spark` and `oddsmith.dask` have others. Any object with a number of ``slots`` and a
``map(job, count)`` that gives ``(task, job(task))`` for every task, in any order, is an engine.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from . import _core
from ._gathering import Gathering
from ._processes import Processes, processes
from ._text import text_options
from ._threads import thread_count
from ._worker import Job, Piece, Seen, unpacked
from .exceptions import DataError, MismatchError, ParameterError, tell
from .passes import begin, begin_analysis

__all__ = ["Engine", "Files", "Processes", "analyse", "compare", "evaluate", "files", "fit", "gather", "predict", "processes"]

#: Tasks for every worker of an engine: enough that none waits long for the last.
_TASKS_PER_SLOT = 3
#: Bytes of rows that a worker keeps between passes.
_MEMORY = 1 << 30


class Engine(Protocol):
    """Whoever does the tasks of a job."""

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


class _Table:
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
            (kinds,) = in_order(self.on, self._job("kinds", [at], plan))
            if kinds:
                return ast.literal_eval(kinds.decode())
        raise DataError("no part has a row that counts")

    def _survey(self, table: Any, plan: Mapping[str, Any]) -> None:
        told = [unpacked(content) for content in in_order(self.on, self._job("survey", range(len(table.names)), plan))]
        self.plan, self.seen = plan, tuple(_seen(facts) for facts in told)
        #: Numbers of the parts that have rows.
        self.numbers = [at for at, facts in enumerate(told) if facts]
        surveys = [(self.names[at], told[at][2]) for at in self.numbers]
        self.spread = _core.Spread(plan["question"], surveys, table.bytes, table.apart)

    def lanes(self, relay: _core.Relay) -> Job:
        """What the current pass asks for: contiguous lanes to every task."""
        extents = tuple(self.spread.extents)
        starts = np.cumsum([0, *(partitions for _, partitions in extents)])
        lanes = relay.lanes()
        count = len(lanes) if self._parts is None else min(len(lanes), self.on.slots * _TASKS_PER_SLOT)
        tasks = []
        for task in range(count):
            own = range(task * len(lanes) // count, (task + 1) * len(lanes) // count)
            # A part that only its owner can read is a lane of its own, also where a pass skips all of it.
            held = list(own) if self._parts is None else sorted({int(np.searchsorted(starts, at, "right")) - 1 for lane in own for at in lanes[lane]})
            tasks.append((tuple((at, self.numbers[at]) for at in held), extents, tuple((lane, tuple(lanes[lane])) for lane in own)))
        return self._job("lanes", tasks, self.plan, content=relay.ask(), seen=self.seen)

    def conclude(self, relay: _core.Relay) -> Any:
        """All passes of a relay."""
        while True:
            for _, content in answers(self.on, self.lanes(relay)):
                told = unpacked(content)
                for lane, sums in zip(told[::2], told[1::2], strict=True):
                    relay.take(int(lane), sums)
            ended = relay.advance()
            if ended is not None:
                return ended


def _seen(facts: list[bytes]) -> Seen | None:
    if not facts:
        return None
    rows, weight = ast.literal_eval(facts[1].decode())
    return Seen(facts[0].decode(), rows, weight)


def _plan(core: Any, estimator: Any, text: Mapping[str, Any] | None, memory: int) -> dict[str, Any]:
    """How every part is read."""
    words = text_options(getattr(estimator, "text", None) or text)
    plan = {"question": None, "target": None, "features": None, "weights": None, "kinds": {}, "text": words, "memory": memory}
    if isinstance(core, Gathering):
        return plan | {"target": core.target, "features": core.features, "weights": core.weights, "kinds": dict(core.kinds)}
    return plan | {"question": core.ask()}


def fit(
    estimator: Any,
    table: Any,
    target: str | None = None,
    *,
    on: Engine | None = None,
    features: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    weights: str | None = None,
    text: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    memory: int = _MEMORY,
    n_jobs: int | None = None,
) -> Any:
    """Fit a model to a table whose parts lie apart.

    Parameters
    ----------
    estimator : estimator or str
        Any estimator of oddsmith, a formula that names the target, or the name of a model as the command knows it. It is not changed.
    table : Files or path-like
        The rows: what `files` gives, or paths, folders and patterns for it.
    target : str, default=None
        The column to predict, where no formula names it.
    on : engine, default=None
        Who does the work; ``None`` is this process, by the fit that the command does.
    features : sequence of str, default=None
        The columns that are read; ``None`` reads all.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests.
    weights : str, default=None
        The column of row weights.
    text : dict, default=None
        How texts become words, as in `MixedNB`; words are hashed, or all are kept.
    options : dict, default=None
        Options of a model that is named.
    memory : int, default=1073741824
        Bytes of rows that a worker keeps between passes; it reads the others again.
    n_jobs : int, default=None
        Number of threads of this process, where it does the work.

    Returns
    -------
    estimator
        A fitted copy. Its model file has the same bytes for every engine and any number of workers.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from oddsmith import GaussianNB, engine
    >>> rows = pd.DataFrame({"x": [1.0, 2, 8, 9, 1, 7], "y": list("aabbab")})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for at in range(2):
    ...         rows[3 * at : 3 * at + 3].to_csv(os.path.join(folder, f"{at}.csv"), index=False)
    ...     model = engine.fit(GaussianNB(), folder, "y")
    >>> model.theta_.ravel()
    array([1.33333333, 8.        ])
    """
    from ._finished import finished

    first = begin(estimator, target, features=features, kinds=dict(kinds or {}), weights=weights, options=dict(options or {}) or None)
    core, table = first._core, as_table(table)
    plan = _plan(core, first._estimator, text, memory)
    gathers = isinstance(core, Gathering)
    if on is None:
        pieces, threads = _pieces(table), thread_count(n_jobs)
        result, notices = (
            _core.gather_files((core.wanted, core.threshold), pieces, plan, threads) if gathers else _core.fit_files(core, pieces, plan, threads)
        )
        tell(notices)
        return finished(first._estimator, result)
    spread = _Table(table, on, plan)
    relay = _core.Relay.gather(core.wanted, core.threshold, spread.spread) if gathers else _core.Relay.study(core, spread.spread, None)
    return finished(first._estimator, spread.conclude(relay))


def analyse(
    analysis: str,
    table: Any,
    target: str | None = None,
    *,
    on: Engine | None = None,
    memory: int = _MEMORY,
    n_jobs: int | None = None,
    **asked: Any,
) -> Any:
    """Carry out an analysis of a table whose parts lie apart: a table of counts, a description, matched sets.

    Parameters
    ----------
    analysis : str
        As in `oddsmith.stats.begin_analysis`.
    table : Files or path-like
        The rows: what `files` gives, or paths, folders and patterns for it.
    target : str, default=None
        The column of the outcome, or of the groups of a description, where no formula names it.
    on : engine, default=None
        Who does the work; ``None`` is this process.
    memory : int, default=1073741824
        Bytes of rows that a worker keeps between passes.
    n_jobs : int, default=None
        Number of threads of this process, where it does the work.
    **asked
        Formula, options, kinds, weights, levels and event, as in `oddsmith.stats.begin_analysis`.

    Returns
    -------
    Account
        The same for every engine and any number of workers.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from oddsmith import engine
    >>> rows = pd.DataFrame({"case": list("yynnnyny"), "x": list("abababba")})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for at in range(2):
    ...         rows[4 * at : 4 * at + 4].to_csv(os.path.join(folder, f"{at}.csv"), index=False)
    ...     counted = engine.analyse("table", folder, "case", options={"exposure": "x"})
    >>> int(counted.glance()["rows"][0])
    8
    """
    from ._finished import finished

    core, table = begin_analysis(analysis, target, **asked)._core, as_table(table)
    plan = _plan(core, None, None, memory)
    if on is None:
        result, notices = _core.fit_files(core, _pieces(table), plan, thread_count(n_jobs))
        tell(notices)
        return finished(None, result)
    spread = _Table(table, on, plan)
    return finished(None, spread.conclude(_core.Relay.study(core, spread.spread, None)))


def gather(
    table: Any,
    target: str,
    *,
    on: Engine | None = None,
    features: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    weights: str | None = None,
    text: Mapping[str, Any] | None = None,
    memory: int = _MEMORY,
    n_jobs: int | None = None,
) -> Any:
    """Sum a table up for every one-pass model.

    Parameters
    ----------
    table : Files or path-like
        The rows.
    target : str
        The column to predict.
    on : engine, default=None
        Who does the work; ``None`` is this process.
    features, kinds, weights, text, memory, n_jobs
        As in `fit`.

    Returns
    -------
    Statistics
        The sums.
    """
    from .stats import Statistics

    core = Gathering("all", 0.0, target, None if features is None else list(features), weights, dict(kinds or {}))
    table, plan = as_table(table), _plan(core, None, text, memory)
    if on is None:
        sums, notices = _core.gather_files(("all", 0.0), _pieces(table), plan, thread_count(n_jobs))
        tell(notices)
        return Statistics(sums)
    spread = _Table(table, on, plan)
    return Statistics(spread.conclude(_core.Relay.gather("all", 0.0, spread.spread)))


def predict(model: Any, table: Any, *, on: Engine | None = None) -> np.ndarray:
    """Give the probability of every class, row by row, in the order of the files.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    table : Files or path-like
        The rows; columns are found by their names.
    on : engine, default=None
        Who does the work; ``None`` is this process.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Probabilities in the order of ``classes_``; margins where the model has no probabilities.
    """
    core, table = model._finished_model(), as_table(table)
    parts = in_order(on or _Here(), _about(table, "predict", core))
    return np.frombuffer(b"".join(parts)).reshape(-1, len(core.class_labels))


def evaluate(model: Any, table: Any, *, on: Engine | None = None) -> Any:
    """Judge a model on rows with known classes.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    table : Files or path-like
        The rows, with the column that the model predicts.
    on : engine, default=None
        Who does the work; ``None`` is this process.

    Returns
    -------
    Evaluation
        As `oddsmith.evaluate` gives it; the same bits for any number of workers.
    """
    from ._base import no_prediction
    from .evaluation import Evaluation

    core, table = model._finished_model(), as_table(table)
    judged, silent = _core.merge_judged(core, in_order(on or _Here(), _about(table, "judge", core)))
    if silent:
        tell([no_prediction(silent, "cannot be judged", "cannot be judged")])
    return Evaluation(judged, model.classes_, type(model).__name__, "pandas")


def compare(
    models: Sequence[Any] | Mapping[str, Any],
    table: Any,
    target: str,
    *,
    on: Engine | None = None,
    folds: int = 5,
    seed: int = 1,
    features: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    weights: str | None = None,
    text: Mapping[str, Any] | None = None,
    memory: int = _MEMORY,
) -> dict[str, Any]:
    """Judge models by cross-validation; the fold of a row follows from what the row says.

    Parameters
    ----------
    models : sequence or dict
        Names of models as the command knows them, with options by name in a pair ``("logistic", {"l2": 1})``; a dict gives them names.
    table : Files or path-like
        The rows.
    target : str
        The column to predict.
    on : engine, default=None
        Who does the work; ``None`` is this process.
    folds : int, default=5
        Number of folds. Rows that say the same are in the same fold.
    seed : int, default=1
        Deals rows otherwise.
    features, kinds, weights, text, memory
        As in `fit`.

    Returns
    -------
    dict
        By name of the model the `Evaluation` of all rows, each predicted by a model that has not seen its fold.
    """
    from ._inputs import classes_of_names
    from .evaluation import Evaluation

    table, result = as_table(table), {}
    named = models if isinstance(models, Mapping) else {model if isinstance(model, str) else model[0]: model for model in models}
    for name, model in named.items():
        entry, options = (model, None) if isinstance(model, str) else model
        first = begin(entry, target, features=features, kinds=dict(kinds or {}), weights=weights, options=options)
        if first._estimator is not None:
            raise ParameterError(f"{entry!r} is not accepted: names of models are compared, as `oddsmith models` lists them")
        spread = _Table(table, on or _Here(), _plan(first._core, None, text, memory))
        judged = None
        for fold in range(folds):
            fitted = spread.conclude(_core.Relay.study(first._core, spread.spread, (folds, fold, seed, False)))
            part, _ = spread.conclude(_core.Relay.judge(fitted, spread.spread, (folds, fold, seed, True)))
            judged = part if judged is None else judged.merged(part)
        result[name] = Evaluation(judged, classes_of_names(spread.spread.classes), name, "pandas")
    return result


class _Here:
    """This process as an engine."""

    slots = 1

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        return ((task, job(task)) for task in range(count))


def as_table(table: Any) -> Any:
    """A table of parts, or the files that paths name."""
    return table if hasattr(table, "apart") else Files(table)


def _pieces(table: Any) -> list[Any]:
    if table.apart:
        raise ParameterError("on = None is not accepted: these rows are where an engine holds them; name the engine")
    return [part.place() for part in table.parts]


def _about(table: Any, do: str, model: _core.Model) -> Job:
    """A job that asks every part about a model."""
    parts = None if table.apart else table.parts
    return Job(do, tuple(range(len(table.names))), parts, table.names, content=model.to_bytes())
