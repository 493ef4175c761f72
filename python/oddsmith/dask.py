"""Fits on Dask: the model file of one machine, from files that workers read themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import engine
from ._worker import Job
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


def analyse(analysis: str, data: Any, target: str | None = None, *, client: Any = None, **asked: Any) -> Any:
    """Carry out an analysis on Dask: a table of counts, a description, matched sets.

    Parameters
    ----------
    analysis : str
        As in `oddsmith.stats.begin_analysis`.
    data : Files or path-like
        Files that every worker can read.
    target : str, default=None
        The column of the outcome, or of the groups of a description, where no formula names it.
    client : distributed.Client, default=None
        The client; ``None`` takes the current one.
    **asked
        As in `oddsmith.engine.analyse`.

    Returns
    -------
    Account
        That of one machine.
    """
    return engine.analyse(analysis, data, target, on=Workers(client), **asked)


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
