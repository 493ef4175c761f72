"""Tables of an outcome by an exposure, whole and within strata."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._accounts import Account, analysis
from .._tables import maker


class Table2x2(Account):
    """A 2×2 table: odds ratio, risk ratio, risk difference, fractions and tests.

    Parameters
    ----------
    cells : sequence of 4 numbers
        Exposed cases, exposed others, cases and others that were not exposed.
    level : float, default=0.95
        Level of the intervals.
    design : {'cohort', 'trial', 'case-control'}, default='cohort'
        How rows came to be: observed, treated at random, or sampled by their outcome, where there are no risks.
    paired : bool, default=False
        Whether the two answers are of the same pair: McNemar's test.
    add : float, default=0
        What is added to every count.

    Examples
    --------
    >>> from oddsmith.epi import Table2x2
    >>> round(Table2x2([30, 44, 29, 86]).estimate("odds ratio", "exact conditional")["conf_low"], 4)
    1.0288
    """

    def __init__(self, cells: Any, *, level: float = 0.95, design: str = "cohort", paired: bool = False, add: float = 0.0):
        options = {"level": level, "design": design, "paired": paired, "add": add}
        flat = [float(cell) for row in cells for cell in (row if hasattr(row, "__iter__") else [row])]
        super().__init__(_core.analyse_counts(options, flat), maker(None))

    @classmethod
    def from_data(cls, data: Any, outcome: str, exposure: str, **options: Any) -> Account:
        """Count the rows of a data frame.

        Parameters
        ----------
        data : data frame
            The rows.
        outcome : str
            The column of the outcome; its last class is the event.
        exposure : str
            The column of the exposure; its first level is what others are compared with.
        **options : dict
            As of `StratifiedTable`.

        Returns
        -------
        Account
            The measures and tests.
        """
        return StratifiedTable(data, outcome, exposure, **options)


class StratifiedTable(Account):
    """An outcome by an exposure within strata: Mantel–Haenszel, CMH, Breslow–Day, standardised risks.

    Parameters
    ----------
    data : data frame
        The rows.
    outcome : str
        The column of the outcome; its last class is the event.
    exposure : str
        The column of the exposure; its first level is what others are compared with.
    strata : list of str, default=None
        Columns within whose values rows are compared.
    weight : str, default=None
        A column that says how often a row counts.
    level : float, default=0.95
        Level of the intervals.
    design : {'cohort', 'trial', 'case-control'}, default='cohort'
        How rows came to be: observed, treated at random, or sampled by their outcome, where there are no risks.
    paired : bool, default=False
        Whether the two answers are of the same pair.
    add : float, default=0
        What is added to every count.
    event : label, default=None
        The class that is the event; by default the last.
    levels : dict, default=None
        Levels of columns from first to last.
    n_jobs : int, default=None
        Number of threads.
    """

    def __init__(
        self,
        data: Any,
        outcome: str,
        exposure: str,
        strata: Any = None,
        *,
        weight: str | None = None,
        level: float = 0.95,
        design: str = "cohort",
        paired: bool = False,
        add: float = 0.0,
        event: Any = None,
        levels: dict[str, list[str]] | None = None,
        n_jobs: int | None = None,
    ):
        strata = [strata] if isinstance(strata, str) else strata
        options = {"exposure": exposure, "strata": strata, "level": level, "design": design, "paired": paired, "add": add}
        super().__init__(*analysis("table", options, data, target=outcome, weight=weight, levels=levels, event=event, n_jobs=n_jobs))
