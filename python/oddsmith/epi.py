"""Tables, strata and matched sets as epidemiologists ask for them.

Everything is counted or fitted by the same procedures as the command's ``oddsmith table`` and ``oddsmith fit``, and ``tidy()`` has the columns that R's
broom made customary.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrow import table_of
from ._inputs import thread_count
from ._tables import maker, table
from .exceptions import OddsmithWarning, tell

__all__ = ["Account", "ConditionalLogit", "StratifiedTable", "Table2x2", "effects"]


class Account:
    """What an analysis concluded.

    Attributes
    ----------
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.
    """

    def __init__(self, account: _core.Account, make: str, notices: list[Any] | None = None):
        self._account = account
        self._make = make
        self.diagnostics_: list[OddsmithWarning] = tell([*(notices or []), *account.notices])

    def tidy(self) -> Any:
        """Give one row per estimate.

        Returns
        -------
        data frame
            With columns term, estimate, std_error, conf_low, conf_high and more.
        """
        return table(self._account.tidy(), self._make)

    def glance(self) -> Any:
        """Give one row about the whole.

        Returns
        -------
        data frame
            One row.
        """
        return table({name.replace(" ", "_"): [value] for name, value in self._account.facts().items()}, self._make)

    def table(self, name: str) -> Any:
        """Give a further table.

        Parameters
        ----------
        name : str
            Such as "tests", "counts", "strata", "comparison" or "drop1".

        Returns
        -------
        data frame
            The table.
        """
        tables = self._account.tables()
        if name not in tables:
            raise KeyError(f"there is no table {name!r}; there are: {', '.join(tables)}")
        return table(tables[name], self._make)

    def estimate(self, measure: str, method: str | None = None) -> dict[str, Any]:
        """Give one estimate with its limits.

        Parameters
        ----------
        measure : str
            Such as "odds ratio".
        method : str, default=None
            Such as "score" or "Mantel–Haenszel"; by default the first.

        Returns
        -------
        dict
            The row of the tidy table.
        """
        columns = self._account.tidy()
        for row in range(len(columns["measure"])):
            if columns["measure"][row] == measure and method in (None, columns.get("method", [None] * (row + 1))[row]):
                return {name: values[row] for name, values in columns.items()}
        raise KeyError(f"there is no {measure!r} by {method!r}")

    def __repr__(self) -> str:
        return self._account.render("table")

    def _repr_html_(self) -> str:
        return self._account.render("notebook")


class Table2x2(Account):
    """A 2×2 table: odds ratio, risk ratio, risk difference, fractions and tests.

    Parameters
    ----------
    cells : sequence of 4 numbers
        Exposed cases, exposed others, cases and others that were not exposed.
    level : float, default=0.95
        Level of the intervals.
    design : {'cohort', 'case-control'}, default='cohort'
        In a case-control study there are no risks.
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
    design : {'cohort', 'case-control'}, default='cohort'
        In a case-control study there are no risks.
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
        frame = table_of(data, levels, None if event is None else str(event))
        account, notices = _core.analyse("table", options, None, frame, {}, outcome, weight, thread_count(n_jobs))
        super().__init__(account, maker(data), notices)


class ConditionalLogit(Account):
    """Conditional logistic regression of matched sets, by the exact likelihood.

    Parameters
    ----------
    formula : str
        Such as ``"case ~ spontaneous + induced + strata(stratum)"``.
    data : data frame
        The rows.
    strata : str, default=None
        The column of the sets, where the formula does not name it.
    interval : {'profile', 'wald'}, default='profile'
        How intervals are found.
    level : float, default=0.95
        Level of the intervals.
    tests : bool, default=True
        Whether terms are tested.
    robust : {'HC0'}, default=None
        Standard errors from the scores of the sets.
    weight : str, default=None
        A column that says how often a set counts.
    event : label, default=None
        The class of the cases; by default the last.
    n_jobs : int, default=None
        Number of threads.
    """

    def __init__(
        self,
        formula: str,
        data: Any,
        *,
        strata: str | None = None,
        interval: str = "profile",
        level: float = 0.95,
        tests: bool = True,
        robust: str | None = None,
        weight: str | None = None,
        event: Any = None,
        n_jobs: int | None = None,
    ):
        ci = None if robust is not None and interval == "profile" else interval
        options = {"strata": strata, "ci": ci, "level": level, "no-tests": not tests, "robust": robust}
        frame = table_of(data, None, None if event is None else str(event))
        account, notices = _core.analyse("conditional-logistic", options, formula, frame, {}, None, weight, thread_count(n_jobs))
        super().__init__(account, maker(data), notices)


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
