"""From the result of the last pass to a fitted estimator."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from . import _core
from ._accounts import Account
from .files import of_model
from .logit import Logit


def finished(estimator: Any, result: _core.Model | _core.Sums | _core.Account) -> Any:
    """The fitted estimator: a copy of the one that the fit was begun with, or the one that the model belongs to; what an analysis concluded."""
    if isinstance(result, _core.Account):
        return Account(result, "pandas")
    if estimator is None:
        # A question names its columns, so its regression takes frames, whatever its columns hold.
        return Logit._of_model(result) if Logit._is_for(result) else of_model(result)
    fitted = clone(estimator)
    fitted._last_pass(result)
    return fitted
