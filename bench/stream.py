"""Peak memory of the command on a file that does not fit its memory budget.

A CSV file of 5 GB is written (from a few blocks of random rows in random order), fitted with `--memory 256M`, and deleted. What
is reported is the largest resident set of the whole process; the exit code is 1 when it exceeds 300 MB or when a fitted mean
differs from that of the rows.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from worker import ROOT, SCRATCH

COMMAND = ROOT / "target" / "release" / "oddsmith"
BUDGET, LIMIT = "256M", 300_000_000
NUMBERS, LEVELS, CLASSES = 20, ["north", "east", "south", "west"], ["no", "yes"]
BLOCK_ROWS, BLOCKS = 50_000, 12


@dataclass
class Block:
    """Rows as text, with what their means can be checked by."""

    text: bytes
    rows: np.ndarray
    sums: np.ndarray


def make_block(rng: np.random.Generator) -> Block:
    y = rng.integers(0, 2, BLOCK_ROWS)
    x = np.round(rng.standard_normal((BLOCK_ROWS, NUMBERS)) + 0.3 * y[:, None] + np.arange(NUMBERS), 6)
    level = rng.integers(0, len(LEVELS), BLOCK_ROWS)
    out = io.StringIO()
    for numbers, at, k in zip(x.tolist(), level, y):
        out.write(",".join(f"{value:.6f}" for value in numbers))
        out.write(f",{LEVELS[at]},{CLASSES[k]}\n")
    counts = np.bincount(y, minlength=2)
    return Block(out.getvalue().encode(), counts, np.stack([x[y == k].sum(axis=0) for k in (0, 1)]))


def write(path: Path, size: int, rng: np.random.Generator) -> np.ndarray:
    """Writes the file; gives the mean of every number column per class."""
    blocks = [make_block(rng) for _ in range(BLOCKS)]
    rows, sums, written = np.zeros(2), np.zeros((2, NUMBERS)), 0
    with path.open("wb") as file:
        written += file.write(",".join([*(f"x{j}" for j in range(NUMBERS)), "side", "event"]).encode() + b"\n")
        while written < size:
            block = blocks[rng.integers(BLOCKS)]
            written += file.write(block.text)
            rows, sums = rows + block.rows, sums + block.sums
    print(f"{path.stat().st_size / 1e9:.2f} GB, {int(rows.sum()):,} rows", flush=True)
    return sums / rows[:, None]


def run(arguments: list[str]) -> tuple[float, int]:
    """Seconds and the peak of resident memory in bytes."""
    start = time.perf_counter()
    process = subprocess.Popen([str(COMMAND), *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"`oddsmith {' '.join(arguments)}` failed")
    return time.perf_counter() - start, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def fitted_means(model: Path) -> np.ndarray:
    shown = subprocess.run([COMMAND, "show", str(model), "--tidy", "--format", "json"], capture_output=True, text=True, check=True)
    rows = json.loads(shown.stdout)
    value = {(row["class"], row["column"]): row["estimate"] for row in rows if row["parameter"] == "mean"}
    return np.array([[value[label, f"x{j}"] for j in range(NUMBERS)] for label in CLASSES])


def main(options) -> int:
    SCRATCH.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="stream-", dir=SCRATCH))
    try:
        data = folder / "rows.csv"
        means = write(data, 1_000_000_000 if options.quick else 5_000_000_000, np.random.default_rng(options.seed))
        numbers = ",".join(f"x{j}" for j in range(NUMBERS))
        records, good = [], True
        for model, flags in (("gaussian-nb", ["--features", numbers]), ("nb", []), ("lda", ["--features", numbers])):
            saved = folder / f"{model}.odds"
            call = ["fit", str(data), "--target", "event", "--model", model, "--memory", BUDGET, "-o", str(saved), *flags]
            seconds, peak = run(call)
            error = float(np.abs(fitted_means(saved) / means - 1).max())
            good &= peak <= LIMIT and error < 1e-9
            rate = data.stat().st_size / seconds / 1e6
            print(f"{model:12} {seconds:7.1f} s  {rate:6.0f} MB/s  peak {peak / 1e6:6.1f} MB of {LIMIT / 1e6:.0f}  means differ by {error:.1e}", flush=True)
            records.append({"model": model, "seconds": seconds, "peak_bytes": peak, "limit_bytes": LIMIT, "difference": error})
        if options.json:
            options.json.write_text(json.dumps(records, indent=1) + "\n")
        return 0 if good else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
