"""What is known about one phase of one workload after a run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from worker import Timing
from workload import Phase

FLAT = 1e-12
"""Slopes below this are rounding errors of their own computation and are not compared."""


@dataclass
class Result:
    """One phase of one workload."""

    workload: str
    phase: Phase
    input_bytes: int
    ours: Timing = field(default_factory=Timing)
    peers: dict[str, Timing] = field(default_factory=dict)
    package: Timing = field(default_factory=Timing)
    """The same through our Python package."""
    difference: float = float("nan")
    package_difference: float = 0.0
    """Of the estimates of the Python package from those of the core."""
    slope: float | None = None
    """Largest slope of the mean objective at our solution, where fits iterate."""
    slopes: dict[str, float] = field(default_factory=dict)
    """The same for peers, those included that missed the target and were not timed further."""
    limit: float | None = None
    """Seconds that the machine needs at least."""

    @property
    def best(self) -> str:
        return min(self.peers, key=lambda name: self.peers[name].seconds)

    @property
    def ratio(self) -> float:
        return self.peers[self.best].seconds / self.ours.seconds

    @property
    def package_ratio(self) -> float | None:
        return self.peers[self.best].seconds / self.package.seconds if self.package.runs else None

    @property
    def steeper(self) -> bool:
        """Whether our fit stopped further from the optimum than the peer's."""
        return self.slope is not None and self.slope > max(self.slopes[self.best], FLAT)

    @property
    def agrees(self) -> bool:
        return max(self.difference, self.package_difference) <= self.phase.accuracy and not self.steeper

    def as_dict(self) -> dict[str, object]:
        """Plain figures for programs; what the system does not tell is None."""
        best = self.peers[self.best]
        figures = {
            "workload": self.workload,
            "phase": self.phase.name,
            "peer": self.best,
            "peer_seconds": best.seconds,
            "peer_cpu_seconds": best.cpu,
            "seconds": self.ours.seconds,
            "cpu_seconds": self.ours.cpu,
            "ratio": self.ratio,
            "goal": self.phase.goal,
            "package_seconds": self.package.seconds if self.package.runs else None,
            "package_ratio": self.package_ratio,
            "package_extra_bytes": self.package.extra,
            "package_difference": self.package_difference,
            "input_bytes": self.input_bytes,
            "peer_extra_bytes": best.extra,
            "extra_bytes": self.ours.extra,
            "difference": self.difference,
            "accuracy": self.phase.accuracy,
            "slope": self.slope,
            "peer_slope": self.slopes.get(self.best),
            "agrees": self.agrees,
            "limit_seconds": self.limit,
            "share_of_limit": self.limit and self.limit / self.ours.seconds,
            "runs": self.ours.runs,
            "all_peers": {name: timing.seconds for name, timing in self.peers.items()},
            "all_peers_cpu": {name: timing.cpu for name, timing in self.peers.items()},
            "all_slopes": self.slopes,
        }
        return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in figures.items()}
