"""The screen of a table's columns."""

from __future__ import annotations

from typing import Any

from .._accounts import Account, analysis


def screen(
    data: Any,
    target: str,
    *,
    numbers: str = "mdl",
    neighbours: int = 3,
    strata: str | None = None,
    pairs: int = 0,
    words: int = 10,
    forms: bool = False,
    level: float = 0.95,
    weight: str | None = None,
    n_jobs: int | None = None,
) -> Account:
    """Rank the columns of a data frame by what they tell about a target, in bits, as the command's ``oddsmith info`` does.

    Parameters
    ----------
    data : data frame
        The rows: categories, booleans, numbers and texts.
    target : str
        The column of classes.
    numbers : {'mdl', 'quantiles', 'neighbours', 'both'}, default='mdl'
        How numbers are looked at.
    neighbours : int, default=3
        Which neighbour of the same class sets the distance.
    strata : str, default=None
        The column within whose values everything is looked at.
    pairs : int, default=0
        How many of the most telling columns are looked at in pairs: ``table("pairs")``.
    words : int, default=10
        How many words of a text column are listed.
    forms : bool, default=False
        Whether mutual information is shown in its three equal forms.
    level : float, default=0.95
        Coverage of intervals.
    weight : str, default=None
        A column that says how often a row counts.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    Account
        ``tidy()`` has one row per column, the most telling first.
    """
    options = {
        "numbers": numbers,
        "neighbours": neighbours,
        "strata": strata,
        "pairs": pairs,
        "words": words,
        "forms": forms,
        "level": level,
    }
    return Account(*analysis("information", options, data, target=target, weight=weight, n_jobs=n_jobs))
