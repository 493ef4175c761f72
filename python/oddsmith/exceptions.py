"""The exceptions and warnings of oddsmith: one family, told apart by class, each also what scikit-learn users catch."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

__all__ = [
    "DataError",
    "FormatError",
    "FormulaError",
    "InternalError",
    "MismatchError",
    "NoEstimateError",
    "OddsmithError",
    "OddsmithWarning",
    "ParameterError",
    "UnknownNameError",
    "UnsupportedError",
]


class OddsmithError(Exception):
    """Every exception that oddsmith raises on its own behalf."""


class DataError(OddsmithError, ValueError):
    """The rows cannot be used: NaN, infinity, one class only, no rows at all."""


class MismatchError(OddsmithError, ValueError):
    """Two parts that should describe the same columns do not."""


class ParameterError(OddsmithError, ValueError):
    """A parameter has a value outside its range."""


class FormulaError(ParameterError):
    """A formula that cannot be read, or that asks for what the columns do not offer; a caret shows the place."""


class UnknownNameError(OddsmithError, ValueError):
    """A column, class or model that does not exist."""


class NoEstimateError(OddsmithError, np.linalg.LinAlgError):
    """The data admit no valid estimate, such as a singular covariance matrix.

    Attributes
    ----------
    columns : list of str
        The columns that tell the classes apart, where that is the reason.
    levels : list of (str or None)
        The level of each of them that tells; ``None`` for numbers.
    """

    columns: list[str]
    levels: list[str | None]

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.columns, self.levels = [], []


class UnsupportedError(OddsmithError, TypeError, ValueError):
    """The model cannot do what was asked."""


class FormatError(OddsmithError, ValueError):
    """Bytes that are not a valid model or statistics file."""


class NoMemoryError(OddsmithError, MemoryError):
    """A fit would need more memory than the machine has."""


class LostBlockError(OddsmithError):
    """A block of rows is not where it was packed; whoever asked has it packed again."""


class InternalError(OddsmithError, RuntimeError):
    """A broken promise inside oddsmith: a bug, to be reported."""


class Interrupted(OddsmithError, KeyboardInterrupt):
    """The work was interrupted."""


class OddsmithWarning(UserWarning):
    """Something went wrong without being an error.

    Attributes
    ----------
    id : str
        The stable id, such as ``"W205"``; ``oddsmith help W205`` prints its page.
    column, level : str or None
        What it is about.
    text : str
        What was found and what was done about it.
    page : str
        What it means and what to do.
    """

    def __init__(self, id: str, column: str | None, level: str | None, text: str) -> None:
        super().__init__(f"{id} {column}: {text}" if column else f"{id} {text}")
        self.id, self.column, self.level, self.text = id, column, level, text

    @property
    def page(self) -> str:
        """What it means and what to do."""
        from ._core import notice_page

        return notice_page(self.id) or ""

    def __reduce__(self) -> tuple[type[OddsmithWarning], tuple[str, str | None, str | None, str]]:
        return type(self), (self.id, self.column, self.level, self.text)


#: Notices that only say what was done: they stand among the diagnostics, and nobody is warned.
_NOTES = ("W106", "W250")


def tell(notices: Iterable[tuple[str, str | None, str | None, str]]) -> list[OddsmithWarning]:
    """Warns of every notice and gives the warnings back."""
    told = [OddsmithWarning(*notice) for notice in notices]
    for warning in told:
        if warning.id not in _NOTES:
            warnings.warn(warning, stacklevel=4)
    return told
