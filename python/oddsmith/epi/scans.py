"""Searches over many columns: what confounds, and where an effect is another one."""

from __future__ import annotations

from typing import Any

from .._accounts import Account, analysis


def confounding(
    data: Any,
    outcome: str,
    exposure: str | list[str],
    candidates: list[str] | None = None,
    *,
    bins: int = 5,
    level: float = 0.95,
    design: str = "cohort",
    weight: str | None = None,
    event: Any = None,
    levels: dict[str, list[str]] | None = None,
    n_jobs: int | None = None,
) -> Account:
    """Tell by how much the odds ratio of an exposure moves within the levels of each other column.

    Parameters
    ----------
    data : data frame
        The rows.
    outcome : str
        The column of the outcome; its last class is the event.
    exposure : str or list of str
        Exposures of two levels each.
    candidates : list of str, default=None
        Columns that may confound; by default all others.
    bins : int, default=5
        Ranges of about as many rows that a number is cut into.
    level : float, default=0.95
        Level of the intervals.
    design : {'cohort', 'trial', 'case-control'}, default='cohort'
        In a case-control study there are no risks to standardise.
    weight : str, default=None
        A column that says how often a row counts.
    event : label, default=None
        The class that is the event; by default the last.
    levels : dict, default=None
        Levels of columns from first to last.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    Account
        One row per pair, the largest confounding first; ``glance()`` has the number of looks.
    """
    exposures = [exposure] if isinstance(exposure, str) else list(exposure)
    options = {"exposure": exposures, "candidates": candidates, "bins": bins, "level": level, "design": design}
    return Account(*analysis("confounding", options, data, target=outcome, weight=weight, levels=levels, event=event, n_jobs=n_jobs))


def subgroups(
    data: Any,
    outcome: str,
    exposure: str,
    candidates: list[str] | None = None,
    *,
    depth: int = 2,
    bins: int = 4,
    least: int = 20,
    permutations: int = 999,
    seed: int = 1,
    level: float = 0.95,
    event: Any = None,
    levels: dict[str, list[str]] | None = None,
    n_jobs: int | None = None,
) -> Account:
    """Search groups of rows in which the odds ratio of an exposure is another one.

    Half of the rows is searched; p-values among all groups come from deals of exposure and outcome; the other half tells the effect again.

    Parameters
    ----------
    data : data frame
        The rows.
    outcome : str
        The column of the outcome; its last class is the event.
    exposure : str
        The exposure or treatment, of two levels.
    candidates : list of str, default=None
        Columns that groups are made of; by default all others.
    depth : {1, 2}, default=2
        Columns that a group is made of at most.
    bins : int, default=4
        Parts of about as many rows between which a number is cut.
    least : int, default=20
        Rows that a group, and its rest, must have in the searched half.
    permutations : int, default=999
        Deals for the p-values.
    seed : int, default=1
        Start of the random numbers.
    level : float, default=0.95
        Level of the intervals.
    event : label, default=None
        The class that is the event; by default the last.
    levels : dict, default=None
        Levels of columns from first to last.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    Account
        One row per group, the strongest first; ``glance()`` has the number of looks.
    """
    options = {
        "exposure": exposure,
        "candidates": candidates,
        "depth": depth,
        "bins": bins,
        "least": least,
        "permutations": permutations,
        "seed": seed,
        "level": level,
    }
    return Account(*analysis("subgroups", options, data, target=outcome, levels=levels, event=event, n_jobs=n_jobs))
