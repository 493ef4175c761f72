"""What a workload is made of: seeded data, peers, phases to time, and what both sides must agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, ClassVar

import numpy as np


PACKAGE = "package"
"""The name under which the peers' worker fits the estimator of our Python package."""


@dataclass(frozen=True)
class Peer:
    """An estimator and the request to our worker that asks for the same estimates: a model of the registry and its options.

    A peer that iterates is tried with its tolerances, loosest first, until it is as near to the optimum as the workload
    asks; `make` then takes the tolerance.
    """

    make: Callable[..., object]
    model: str
    tolerances: tuple[float, ...] = ()


@dataclass(frozen=True)
class Phase:
    """A timed request, how many times faster than the best peer it should be, and how far answers may differ."""

    name: str
    goal: float
    accuracy: float


@dataclass(frozen=True)
class Cost:
    """The least that a phase has to do: bytes to read and write, additions and multiplications, exponentials."""

    bytes: float
    flops: float = 0.0
    exps: float = 0.0


class Workload:
    """Base of all workloads; see the concrete ones for what a new one needs."""

    name: ClassVar[str]
    about: ClassVar[str]
    phases: ClassVar[tuple[Phase, ...]]
    full: ClassVar[dict[str, int]]
    quick: ClassVar[dict[str, int]]
    fits: ClassVar[bool] = True
    """Whether requests are asked of a fitted model."""
    target: ClassVar[float | None] = None
    """Largest gradient at which a fit counts, where fits iterate."""
    asks_fresh: ClassVar[bool] = False
    """Whether answers are asked for rows that no side learned from; fits are then not timed."""
    judged_by: ClassVar[str] = "log_loss"
    """What both sides are judged by on fresh rows: `log_loss`, or the share of `errors` where there are no probabilities."""
    rust: ClassVar[dict[str, Peer]] = {}
    """Peers of the Rust program, which makes their estimators itself."""

    def make(self, rng: np.random.Generator, size: dict[str, int]) -> dict[str, object]:
        """Arrays by name: `X` (dense, or SciPy's compressed rows) and `y`."""
        raise NotImplementedError

    def fresh(self, rng: np.random.Generator, size: dict[str, int]) -> dict[str, object] | None:
        """Rows that no side learns from, by which fits are judged; None where answers can be compared."""
        return None

    def peers(self) -> dict[str, Peer]:
        """Peers by the name under which they are reported."""
        raise NotImplementedError

    def package(self) -> object | None:
        """The estimator of our Python package that does the same, timed beside the core; None where there is none."""
        return None

    def cost(self, size: dict[str, int], arrays: dict[str, object]) -> dict[str, Cost]:
        """The least cost of every phase; a phase that is not listed has no known limit."""
        return {}

    def parameters(self, peer) -> np.ndarray | None:
        """A peer's estimates in the order of our own table of estimates; None when it has no such numbers."""
        return None

    def errors(self, peer) -> np.ndarray | None:
        """A peer's standard errors in the same order; None when it has none."""
        return None

    def gradient(self, arrays: dict[str, object], estimates: np.ndarray) -> float:
        """Largest slope of the mean objective at some estimates, computed by neither side; for workloads with a target."""
        raise NotImplementedError

    def difference(self, theirs: np.ndarray, ours: np.ndarray) -> float:
        """How far two sets of estimates differ: the largest relative difference of any one."""
        return float(np.max(np.abs(theirs - ours) / np.maximum(np.abs(theirs), 1e-300)))
