"""Cross-validation of several one-pass models against one fit of each, on our side alone.

    cargo xtask bench folds [--quick] [--repeat N]

The figure is the time of ten folds of all models, predictions and judgement included, over the time of one fit of each.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from arrays import store
from measure import OURS, ROOT, Worker

MODELS = ("nb", "gaussian-nb", "bernoulli-nb", "lda", "qda")
FOLDS = 10
GOAL = 3.0


def main(options) -> int:
    rows = 100_000 if options.quick else 1_000_000
    rng = np.random.default_rng(options.seed)
    y = rng.integers(0, 2, rows)
    x = rng.standard_normal((rows, 50)) + 0.1 * y[:, None]
    scratch = ROOT / "target" / "bench-data"
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="folds-", dir=scratch))
    worker = Worker(str(OURS))
    try:
        store(folder, {"X": x, "y": y})
        worker.ask(f"load {folder}")
        fits = {model: float("inf") for model in MODELS}
        folds = float("inf")
        for _ in range(options.repeat or 5):
            for model in MODELS:
                fits[model] = min(fits[model], float(worker.ask(f"fit {model}")[1]))
            folds = min(folds, float(worker.ask(f"folds {FOLDS} {' '.join(MODELS)}")[1]))
    finally:
        worker.close()
        shutil.rmtree(folder, ignore_errors=True)
    each = sum(fits.values())
    print("  ".join(f"{model} {1e3 * seconds:.1f} ms" for model, seconds in fits.items()))
    ratio = folds / each
    print(f"one fit of each {1e3 * each:.1f} ms, {FOLDS} folds of all {1e3 * folds:.1f} ms, ratio {ratio:.2f} (goal below {GOAL:g})")
    return 0
