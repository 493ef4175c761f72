"""Effects in risk."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._accounts import Account
from .._arrow import table_of
from .._inputs import thread_count
from .._tables import maker


def effects(
    model: Any, data: Any, exposure: str, *, within: str | None = None, level: float = 0.95, weight: str | None = None, n_jobs: int | None = None
) -> Account:
    """Give the effects of a column in risk under a fitted regression.

    Parameters
    ----------
    model : Logit
        A regression that was fitted to a data frame, without a penalty.
    data : data frame
        The rows over which risks are averaged, with the outcome.
    exposure : str
        The column that is set to one value or another.
    within : str, default=None
        A category within whose levels the effects are told as well.
    level : float, default=0.95
        Level of the intervals.
    weight : str, default=None
        A column that says how often a row counts.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    Account
        Risks, risk difference, risk ratio, marginal odds ratio, or the mean effect of a number.
    """
    account = _core.effects(model._model, table_of(data), exposure, within, level, weight, thread_count(n_jobs))
    return Account(account, maker(data))
