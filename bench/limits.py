"""What the machine can do at best, measured at the start of a run, and the least time that a piece of work takes on it."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from typing import Callable

import numpy as np
from worker import OURS, Worker
from workload import Cost

THREADS = (1, 2)


@dataclass(frozen=True)
class Limits:
    """Rates by number of threads: bytes per second that are read from memory, additions and multiplications per second of a
    large matrix product, bytes per second of text in which lines are counted; and the seconds of one exponential."""

    cores: int
    read: dict[int, float]
    product: dict[int, float]
    lines: dict[int, float]
    exponential: float

    def seconds(self, cost: Cost) -> float:
        """The least time with the best rates: memory, or arithmetic, whichever takes longer."""
        cores = min(self.cores, max(THREADS))
        arithmetic = cost.flops / max(self.product.values()) + cost.exps * self.exponential / cores
        return max(cost.bytes / max(self.read.values()), arithmetic)

    def as_dict(self) -> dict[str, object]:
        return asdict(self)

    def show(self) -> str:
        """The limits, one line each."""
        heads = ("limit", *(f"{count} thread{'s' if count > 1 else ''}" for count in THREADS))
        rows = [
            ("memory read", *(f"{self.read[count] / 1e9:.1f} GB/s" for count in THREADS)),
            ("matrix product", *(f"{self.product[count] / 1e9:.1f} GFLOP/s" for count in THREADS)),
            ("lines of text", *(f"{self.lines[count] / 1e9:.1f} GB/s" for count in THREADS)),
            ("exponential", f"{self.exponential * 1e9:.2f} ns", ""),
        ]
        return "\n".join(f"{name:14} {one:>14} {two:>14}".rstrip() for name, one, two in (heads, *rows))


def measure_limits(quick: bool) -> Limits:
    """Measures the machine; a few seconds, half a minute without `quick`."""
    from threadpoolctl import threadpool_limits

    size = 400_000_000 if quick else 2_000_000_000
    ours = Worker(str(OURS))
    try:
        read, lines = ({count: float(ours.ask(f"limit {what} {size} {count}")[1]) for count in THREADS} for what in ("read", "lines"))
    finally:
        ours.close()
    side = 1500 if quick else 4000
    rng = np.random.default_rng(1)
    left, right, out = rng.random((side, side)), rng.random((side, side)), np.empty((side, side))
    product = {}
    for count in THREADS:
        with threadpool_limits(count):
            product[count] = 2 * side**3 / fastest(lambda: np.matmul(left, right, out=out))
    values = rng.standard_normal(1_000_000)
    room = np.empty_like(values)
    return Limits(os.cpu_count() or 1, read, product, lines, fastest(lambda: np.exp(values, out=room)) / values.size)


def fastest(work: Callable[[], object], runs: int = 3) -> float:
    """Seconds of the fastest of several runs."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best
