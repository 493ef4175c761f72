"""From the result of the last pass to a fitted estimator."""

from __future__ import annotations

from typing import Any

from . import _core
from ._later import Later


def finished(estimator: Any, result: _core.Model | _core.Sums | _core.Account) -> Any:
    """The fitted estimator: a copy of the one that the fit was begun with, or the one that the model belongs to; what an analysis concluded."""
    if isinstance(result, _core.Account):
        from ._accounts import Account

        return Account(result, "pandas")
    if estimator is None:
        return Later(result)
    from sklearn.base import clone

    fitted = clone(estimator)
    fitted._last_pass(result)
    return fitted
