"""The first table of a report."""

from __future__ import annotations

from typing import Any

from .._accounts import Account, analysis


def describe(
    data: Any,
    by: str | None = None,
    columns: list[str] | None = None,
    *,
    numbers: str = "both",
    median: list[str] | None = None,
    equal_variances: bool = False,
    tests: bool = True,
    labels: dict[Any, str] | None = None,
    weight: str | None = None,
    levels: dict[str, list[str]] | None = None,
    n_jobs: int | None = None,
) -> Account:
    """Describe every column over all rows and by group: the first table of a report.

    Parameters
    ----------
    data : data frame
        The rows.
    by : str, default=None
        The column of the groups.
    columns : list of str, default=None
        The columns to describe, in this order; by default all.
    numbers : {'both', 'mean', 'median'}, default='both'
        How numbers are told: mean (SD) with a test of means, median [IQR] with a test of ranks.
    median : list of str, default=None
        Number columns that are told by their median alone.
    equal_variances : bool, default=False
        Student's t and the analysis of variance in place of Welch's tests.
    tests : bool, default=True
        Whether groups are tested.
    labels : dict, default=None
        Labels by name of a column, or by (column, level), where people read.
    weight : str, default=None
        A column that says how often a row counts.
    levels : dict, default=None
        Levels of columns from first to last.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    Account
        Its ``tidy()`` has one row per column, level and group; ``table("tests")`` the tests and standardised differences.
    """
    options = {"columns": columns, "numbers": numbers, "median": median, "equal-variances": equal_variances, "no-tests": not tests}
    told = Account(*analysis("describe", options, data, target=by, weight=weight, levels=levels, n_jobs=n_jobs))
    return told.labelled(labels) if labels else told
