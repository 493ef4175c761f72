"""Checks of constructor parameters, made when a fit begins."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from . import _core
from .exceptions import ParameterError

#: The words that options of models take, as they are declared.
_CHOICES = {param["option"]: tuple(param["choices"]) for entry in _core.models() for param in entry["params"] if "choices" in param}


def _refuse(name: str, value: Any, accepted: str) -> ParameterError:
    return ParameterError(f"{name} = {value!r} is not accepted: {accepted}")


def at_rest(name: str, value: Any, default: Any, why: str) -> None:
    """Refuses a parameter that scikit-learn has and that means nothing here, unless it is at rest."""
    if value is not default and value != default:
        raise _refuse(name, value, why)


def at_least(name: str, value: Any, low: float) -> float:
    """A finite number from ``low`` up."""
    if isinstance(value, Real) and not isinstance(value, bool) and low <= value < np.inf:
        return float(value)
    raise _refuse(name, value, f"a finite number from {low:g} up")


def share(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, Real) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise _refuse(name, value, "a number from 0 to 1")


def one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """One of several words."""
    if isinstance(value, str) and value in choices:
        return value
    raise _refuse(name, value, "one of " + ", ".join(map(repr, choices)))


def declared(option: str, name: str, value: Any) -> str:
    """One of the words that a declared option takes."""
    return one_of(name, value, _CHOICES[option])


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise _refuse(name, value, "True or False")


def whole(name: str, value: Any, low: int) -> int:
    """A whole number from ``low`` up."""
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= low:
        return int(value)
    raise _refuse(name, value, f"a whole number from {low} up")


def class_prior(name: str, value: Any, classes: int) -> np.ndarray:
    """One number from 0 up per class."""
    shares = np.array(value, dtype=np.float64)
    if shares.shape != (classes,):
        raise ParameterError(f"Number of priors must match number of classes. Got shape {shares.shape} for {classes} classes.")
    if (shares < 0).any() or not np.isfinite(shares).all():
        raise ParameterError(f"{name} are not accepted: Priors must be non-negative. That is, all priors must be non-negative.")
    return shares
