"""Time and memory of our fits against rows, columns, classes and threads.

Each point is the fastest of several fits of one table. Growth in rows is measured by the slope of log time against log rows over the
larger half of the sizes: 1 is linear. The exit code is 1 when a model grows faster than rows^1.2 there.
"""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from arrays import store
from generators import neighbours_correlated
from worker import OURS, SCRATCH, Timing, Worker

MODELS = {"Gaussian naive Bayes": "gaussian-nb", "LDA": "lda", "logistic regression": "logistic l2=1"}
STEEPEST = 1.2
BASE = dict(rows=200_000, columns=20, classes=2)
RUNS = 3


@dataclass(frozen=True)
class Point:
    """One fit: its axis and size, and what it took."""

    model: str
    axis: str
    size: int
    threads: int
    seconds: float
    extra_bytes: float


def axes(quick: bool) -> dict[str, list[int]]:
    """Sizes by what varies; the rest stays as in `BASE`."""
    if quick:
        return {"rows": [10_000, 30_000, 100_000, 300_000], "columns": [5, 20, 80], "classes": [2, 8]}
    rows = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]
    return {"rows": rows, "columns": [5, 10, 20, 50, 100, 200, 500], "classes": [2, 3, 5, 10, 20, 50]}


def table(rng: np.random.Generator, rows: int, columns: int, classes: int) -> dict[str, np.ndarray]:
    y = rng.integers(0, classes, rows)
    return {"X": neighbours_correlated(rng, rows, columns) + rng.normal(0, 0.25, (classes, columns))[y], "y": y}


def measure(quick: bool, seed: int) -> list[Point]:
    """All points."""
    points = []
    for axis, sizes in axes(quick).items():
        for size in sizes:
            print(f"# scaling: {size} {axis}", flush=True)
            points += measure_table(axis, size, table(np.random.default_rng(seed), **{**BASE, axis: size}))
    return points


def measure_table(axis: str, size: int, arrays: dict[str, np.ndarray]) -> list[Point]:
    SCRATCH.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="scaling-", dir=SCRATCH))
    worker = Worker(str(OURS))
    try:
        store(folder, arrays)
        worker.ask(f"load {folder}")
        points = []
        for name, model in MODELS.items():
            for threads in (1, 2):
                worker.ask(f"threads {threads}")
                timing = Timing()
                for _ in range(RUNS):
                    timing.add(worker.ask(f"fit {model}"))
                points.append(Point(name, axis, size, threads, timing.seconds, timing.extra))
        return points
    finally:
        worker.close()
        shutil.rmtree(folder, ignore_errors=True)


def growth(points: list[Point], model: str) -> float:
    """The power of the number of rows with which the time of a model grows, over the larger half of the sizes."""
    line = sorted((point.size, point.seconds) for point in points if (point.model, point.axis, point.threads) == (model, "rows", 2))
    half = line[len(line) // 2 - 1 :]
    return float(np.polyfit([math.log(size) for size, _ in half], [math.log(seconds) for _, seconds in half], 1)[0])


def main(options) -> int:
    points = measure(options.quick, options.seed)
    print(f"{'model':22} {'axis':8} {'size':>10} {'threads':>8} {'ms':>10} {'extra MiB':>10}")
    for point in points:
        extra = "" if math.isnan(point.extra_bytes) else f"{point.extra_bytes / 2**20:.1f}"
        print(f"{point.model:22} {point.axis:8} {point.size:10} {point.threads:8} {point.seconds * 1e3:10.2f} {extra:>10}")
    powers = {model: growth(points, model) for model in MODELS}
    for model, power in powers.items():
        print(f"{model}: time grows as rows^{power:.2f}")
    if options.json:
        plain = [asdict(point) | {"extra_bytes": None if math.isnan(point.extra_bytes) else point.extra_bytes} for point in points]
        options.json.write_text(json.dumps({"points": plain, "growth": powers}, indent=1) + "\n")
    return 0 if max(powers.values()) <= STEEPEST else 1
