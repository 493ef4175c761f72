"""What an analysis concluded, and how one is asked for."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrow import table_of
from ._inputs import thread_count
from ._tables import maker, table
from .exceptions import OddsmithWarning, tell
from .pictures import Picture


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

    @property
    def pictures(self) -> list[Picture]:
        """What is drawn of it.

        Returns
        -------
        list of Picture
            Such as a forest plot; empty where there is nothing to draw.
        """
        return [Picture(drawn, self._make) for drawn in self._account.pictures()]

    def picture(self, name: str | None = None) -> Picture:
        """Give one picture.

        Parameters
        ----------
        name : str, default=None
            Such as "forest", "information" or "differences"; by default the first.

        Returns
        -------
        Picture
            The picture.
        """
        pictures = self.pictures
        for picture in pictures:
            if name in (None, picture.name):
                return picture
        known = f"there are: {', '.join(picture.name for picture in pictures)}" if pictures else "there is none"
        raise KeyError(f"there is no picture {name!r}; {known}")

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


def analysis(
    name: str,
    options: dict[str, Any],
    data: Any,
    *,
    target: str | None = None,
    formula: str | None = None,
    weight: str | None = None,
    levels: dict[str, list[str]] | None = None,
    event: Any = None,
    n_jobs: int | None = None,
) -> tuple[_core.Account, str, list[Any]]:
    """Runs an analysis of the registry over a data frame: what an `Account` is made of."""
    frame = table_of(data, levels, None if event is None else str(event))
    account, notices = _core.analyse(name, options, formula, frame, {}, target, weight, thread_count(n_jobs))
    return account, maker(data), notices
