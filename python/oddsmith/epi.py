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

__all__ = ["Account", "ConditionalLogit", "StratifiedTable", "Table2x2", "confounding", "describe", "effects", "subgroups"]


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

    def labelled(self, labels: dict[Any, str]) -> Account:
        """Give the same account with labels where people read.

        Parameters
        ----------
        labels : dict
            Labels by name of a column, or by (column, level).

        Returns
        -------
        Account
            Its tables for programs keep their names.
        """
        columns = [(name, label) for name, label in labels.items() if isinstance(name, str)]
        levels = [(name[0], str(name[1]), label) for name, label in labels.items() if not isinstance(name, str)]
        account = Account.__new__(Account)
        account._account = self._account.labelled(columns, levels)
        account._make = self._make
        account.diagnostics_ = self.diagnostics_
        return account

    def render(self, format: str = "md") -> str:
        """Give the account as people read it.

        Parameters
        ----------
        format : {'table', 'md', 'html', 'latex', 'json'}, default='md'
            The form.

        Returns
        -------
        str
            The text.
        """
        return self._account.render(format)

    def to_docx(self, path: Any) -> None:
        """Write the account as a Word document.

        Parameters
        ----------
        path : str or path
            The file, which is replaced.
        """
        with open(path, "wb") as file:
            file.write(self._account.docx())

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
    cluster : str, default=None
        The column of clusters of sets, for standard errors from the scores of the clusters.
    firth : bool, default=False
        Firth's penalised likelihood: finite estimates under separation, less bias in small samples.
    offset : str, default=None
        A number column that is added to the log odds as it is.
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
        cluster: str | None = None,
        firth: bool = False,
        offset: str | None = None,
        weight: str | None = None,
        event: Any = None,
        n_jobs: int | None = None,
    ):
        is_robust = robust is not None or cluster is not None
        ci = None if is_robust and interval == "profile" else interval
        options = {
            "strata": strata,
            "ci": ci,
            "level": level,
            "no-tests": not tests,
            "robust": robust,
            "cluster": cluster,
            "firth": firth,
            "offset": offset,
        }
        frame = table_of(data, None, None if event is None else str(event))
        account, notices = _core.analyse("conditional-logistic", options, formula, frame, {}, None, weight, thread_count(n_jobs))
        super().__init__(account, maker(data), notices)


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
    account, notices = _core.analyse("describe", options, None, table_of(data, levels, None), {}, by, weight, thread_count(n_jobs))
    told = Account(account, maker(data), notices)
    return told.labelled(labels) if labels else told


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
    design : {'cohort', 'case-control'}, default='cohort'
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
    frame = table_of(data, levels, None if event is None else str(event))
    account, notices = _core.analyse("confounding", options, None, frame, {}, outcome, weight, thread_count(n_jobs))
    return Account(account, maker(data), notices)


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
    frame = table_of(data, levels, None if event is None else str(event))
    account, notices = _core.analyse("subgroups", options, None, frame, {}, outcome, None, thread_count(n_jobs))
    return Account(account, maker(data), notices)


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
