"""Workers in processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from typing import Any

from ._apart import Engine
from ._worker import Job
from .exceptions import DataError

__all__ = ["Processes", "processes"]

#: How often tasks are given to new processes after one died.
_TRIES = 3


class Processes(Engine, AbstractContextManager):
    """Workers in processes of this machine; made by `processes`.

    Attributes
    ----------
    slots : int
        Number of processes.
    """

    def __init__(self, count: int | None = None) -> None:
        self.slots = max(1, count or os.cpu_count() or 1)
        self._pool: ProcessPoolExecutor | None = None

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        waiting = set(range(count))
        for _ in range(_TRIES):
            try:
                for task, content in self._done(job, sorted(waiting)):
                    waiting.discard(task)
                    yield task, content
                return
            except BrokenProcessPool:
                self._stop()
        raise DataError(
            f"a worker process died in each of {_TRIES} tries, most often for lack of memory; {len(waiting)} of {count} tasks are not done: "
            "take fewer processes, or make the files smaller"
        )

    def _done(self, job: Job, tasks: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        if self._pool is None:
            # A fresh interpreter for every worker: a fork would copy the threads of whoever called.
            self._pool = ProcessPoolExecutor(self.slots, mp_context=multiprocessing.get_context("spawn"))
        futures = {self._pool.submit(job, task): task for task in tasks}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()

    def _stop(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __exit__(self, *_: Any) -> None:
        self._stop()


def processes(count: int | None = None) -> Processes:
    """Start workers in processes of this machine.

    Parameters
    ----------
    count : int, default=None
        Number of processes; by default one per core.

    Returns
    -------
    Processes
        The engine, to be used in a ``with`` statement.

    Examples
    --------
    >>> from oddsmith import engine
    >>> with engine.processes(2) as workers:
    ...     workers.slots
    2
    """
    return Processes(count)
