"""Fits on Dask: the model file of one machine, from files that workers read themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import engine
from ._worker import Job, merged_sums, sums_of
from .engine import files

__all__ = ["Workers", "analyse", "compare", "evaluate", "files", "fit", "gather", "predict"]


def _do(task: int, job: Job) -> tuple[int, bytes]:
    return task, job(task)


class Workers:
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
        """Do all tasks of a job.

        Parameters
        ----------
        job : callable
            What is done with the number of a task.
        count : int
            Number of tasks.

        Yields
        ------
        tuple
            The number of a task and its answer.
        """
        from distributed import as_completed

        shared = self.client.scatter(job, broadcast=True, hash=False)
        futures = self.client.map(_do, range(count), job=shared, pure=False)
        for _, answer in as_completed(futures, with_results=True):
            yield answer

    def map_merged(self, job: Job, groups: Sequence[int], fan_in: int) -> Iterator[tuple[int, bytes]]:
        """Do all tasks of a job that sums groups of lanes up, and merge groups where they are.

        Parameters
        ----------
        job : callable
            What is done with the number of a task.
        groups : sequence of int
            How many lanes there are, how many groups of lanes, how many groups of groups.
        fan_in : int
            How many of one level make one of the next.

        Yields
        ------
        tuple
            The number of a group of the last level and its sums.
        """
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


def fit(estimator: Any, data: Any, target: str | None = None, *, client: Any = None, **options: Any) -> Any:
    """Fit a model on Dask.

    Parameters
    ----------
    estimator : estimator or str
        As in `oddsmith.engine.fit`.
    data : Files or path-like
        Files that every worker can read.
    target : str, default=None
        The column to predict, where no formula names it.
    client : distributed.Client, default=None
        The client; ``None`` takes the current one.
    **options
        As in `oddsmith.engine.fit`.

    Returns
    -------
    estimator
        A fitted copy, with the model file of one machine.
    """
    return engine.fit(estimator, data, target, on=Workers(client), **options)


def analyse(analysis: str, data: Any, target: str | None = None, *, client: Any = None, **options: Any) -> Any:
    """Carry out an analysis on Dask: tables, strata, matched sets, information.

    Parameters
    ----------
    analysis : str
        As in `oddsmith.engine.analyse`.
    data : Files or path-like
        Files that every worker can read.
    target : str, default=None
        The column of the outcome, where no formula names it.
    client : distributed.Client, default=None
        The client; ``None`` takes the current one.
    **options
        As in `oddsmith.engine.analyse`.

    Returns
    -------
    Account
        That of one machine.
    """
    return engine.analyse(analysis, data, target, on=Workers(client), **options)


def gather(data: Any, target: str, *, client: Any = None, **options: Any) -> Any:
    """Sum a table up for every one-pass model.

    Parameters
    ----------
    data : Files or path-like
        Files that every worker can read.
    target : str
        The column to predict.
    client : distributed.Client, default=None
        The client.
    **options
        As in `oddsmith.engine.gather`.

    Returns
    -------
    Statistics
        The sums.
    """
    return engine.gather(data, target, on=Workers(client), **options)


def predict(model: Any, data: Any, *, client: Any = None) -> Any:
    """Give the probability of every class, row by row, in the order of the files.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    data : Files or path-like
        Files that every worker can read.
    client : distributed.Client, default=None
        The client.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Probabilities in the order of ``classes_``.
    """
    return engine.predict(model, data, on=Workers(client))


def evaluate(model: Any, data: Any, *, client: Any = None) -> Any:
    """Judge a model on rows with known classes.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    data : Files or path-like
        Files that every worker can read.
    client : distributed.Client, default=None
        The client.

    Returns
    -------
    Evaluation
        As `oddsmith.evaluate` gives it.
    """
    return engine.evaluate(model, data, on=Workers(client))


def compare(models: Any, data: Any, target: str, *, client: Any = None, **options: Any) -> dict[str, Any]:
    """Judge models by cross-validation; the fold of a row follows from what the row says.

    Parameters
    ----------
    models : sequence or dict
        As in `oddsmith.engine.compare`.
    data : Files or path-like
        Files that every worker can read.
    target : str
        The column to predict.
    client : distributed.Client, default=None
        The client.
    **options
        As in `oddsmith.engine.compare`.

    Returns
    -------
    dict
        The `Evaluation` of every model by its name.
    """
    return engine.compare(models, data, target, on=Workers(client), **options)
