"""Fits on Dask: the model file of one machine, from files that workers read themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import engine
from ._adapters import Adapter
from ._apart import MergingEngine, files
from ._worker import Job, merged_sums, sums_of

__all__ = ["Workers", "analyse", "compare", "evaluate", "files", "fit", "gather", "predict"]


def _do(task: int, job: Job) -> tuple[int, bytes]:
    return task, job(task)


class Workers(MergingEngine):
    """The workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
        The client; ``None`` takes the current one.

    Attributes
    ----------
    slots : int
        How many tasks run at once.
    """

    def __init__(self, client: Any = None) -> None:
        if client is None:
            from distributed import get_client

            client = get_client()
        self.client = client
        self.slots = max(1, sum(client.nthreads().values()))

    def map(self, job: Job, count: int) -> Iterator[tuple[int, bytes]]:
        from distributed import as_completed

        shared = self.client.scatter(job, broadcast=True, hash=False)
        futures = self.client.map(_do, range(count), job=shared, pure=False)
        for _, answer in as_completed(futures, with_results=True):
            yield answer

    def map_merged(self, job: Job, groups: Sequence[int], fan_in: int) -> Iterator[tuple[int, bytes]]:
        shared = self.client.scatter(job, broadcast=True, hash=False)
        futures = self.client.map(_do, range(len(job.tasks)), job=shared, pure=False)
        holders = {group: future for task, future in enumerate(futures) for group, _ in job.tasks[task][2]}
        for below, above in zip(groups[job.level :], groups[job.level + 1 :]):
            merged = {}
            for into in range(above):
                own = range(into * fan_in, min((into + 1) * fan_in, below))
                answers = list(dict.fromkeys(holders[group] for group in own))
                merged[into] = self.client.submit(merged_sums, answers, shared, into, own, pure=False)
            holders = merged
        for into, future in holders.items():
            yield into, sums_of(future.result()[1])[0][1]


@contextmanager
def _opened(data: Any, client: Any) -> Iterator[tuple[Any, Workers]]:
    yield data, Workers(client)


_on_dask = Adapter(
    __name__,
    rows=("data", "Files or path-like", "Files that every worker can read."),
    workers=("client", "distributed.Client, default=None", "The client; ``None`` takes the current one."),
    opened=_opened,
)
fit = _on_dask(engine.fit)
analyse = _on_dask(engine.analyse)
gather = _on_dask(engine.gather)
predict = _on_dask(engine.predict)
evaluate = _on_dask(engine.evaluate)
compare = _on_dask(engine.compare)
