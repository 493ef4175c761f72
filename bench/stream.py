"""Peak memory of the command on a file that does not fit its memory budget.

A CSV file of 5 GB is written (from a few blocks of random rows in random order), fitted with `--memory 256M`, and deleted: by models of
one pass, a tree of depth 8, 20 rounds of boosting and the screen of all columns (`info`). What is reported is the largest resident set of the whole
process; the exit code is 1 when it exceeds 300 MB, when a fitted mean, the rows that a tree has counted or the entropy of the classes differ from those
of the file, or when trees learned nothing.
With `--quick` the file has 1 GB and the budget is the same share of it; what may be held in all is the same.
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
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from worker import ROOT, SCRATCH

COMMAND = ROOT / "target" / "release" / "oddsmith"
NUMBERS, LEVELS, CLASSES = 20, ["north", "east", "south", "west"], ["no", "yes"]
BLOCK_ROWS, BLOCKS = 50_000, 12

NUMBERS_ONLY = ",".join(f"x{j}" for j in range(NUMBERS))
MEANS = {"gaussian-nb": ["--features", NUMBERS_ONLY], "nb": [], "lda": ["--features", NUMBERS_ONLY]}
"""Models of one pass with their flags, which are checked by their means."""
TREES = {"tree": ["--max-depth", "8"], "boosting": ["--max-iter", "20"]}
"""Models of many passes, which are checked by the rows they counted and by what they learned."""
SCREEN = "info"
"""The screen of columns, which is checked by its rows, the entropy of the classes, and what the columns tell."""


@dataclass(frozen=True)
class Scale:
    """Bytes of the file, what the command may keep of it, and the largest resident set of the whole process."""

    file: int
    budget: str
    limit: int


FULL, QUICK = Scale(5_000_000_000, "256M", 300_000_000), Scale(1_000_000_000, "52M", 300_000_000)


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


def write(path: Path, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Writes the file; gives the mean of every number column per class, and the number of rows of each."""
    blocks = [make_block(rng) for _ in range(BLOCKS)]
    rows, sums, written = np.zeros(2), np.zeros((2, NUMBERS)), 0
    with path.open("wb") as file:
        written += file.write(",".join([*(f"x{j}" for j in range(NUMBERS)), "side", "event"]).encode() + b"\n")
        while written < size:
            block = blocks[rng.integers(BLOCKS)]
            written += file.write(block.text)
            rows, sums = rows + block.rows, sums + block.sums
    print(f"{path.stat().st_size / 1e9:.2f} GB, {int(rows.sum()):,} rows", flush=True)
    return sums / rows[:, None], rows


def run(arguments: list[str], out: Path) -> tuple[float, int]:
    """Seconds and the peak of resident memory in bytes; what the command says goes to a file."""
    start = time.perf_counter()
    with out.open("wb") as told:
        process = subprocess.Popen([str(COMMAND), *arguments], stdout=told)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"`oddsmith {' '.join(arguments)}` failed")
    return time.perf_counter() - start, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def shown(model: Path, *flags: str) -> object:
    """What the command shows of a saved model."""
    done = subprocess.run([COMMAND, "show", str(model), *flags, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def error_of_means(model: Path, means: np.ndarray) -> float:
    """The largest relative error of a fitted mean."""
    value = {(row["class"], row["column"]): row["estimate"] for row in shown(model, "--tidy") if row["parameter"] == "mean"}
    fitted = np.array([[value[label, f"x{j}"] for j in range(NUMBERS)] for label in CLASSES])
    return float(np.abs(fitted / means - 1).max())


def error_of_trees(name: str, model: Path, rows: int) -> float:
    """How far the rows that were counted are from those of the file, as a share; infinite where nothing was learned."""
    glance, tidy = shown(model, "--glance"), shown(model, "--tidy")
    facts = glance[0] if isinstance(glance, list) else glance
    learned = len(tidy) > 1 if name == "tree" else facts["rounds"] == 20 and sum(row["splits"] for row in tidy) > 20
    return abs(facts["rows"] / rows - 1) if learned else float("inf")


def error_of_screen(told: Path, rows: np.ndarray) -> float:
    """How far rows and entropy are from those of the file; infinite where a column that tells something is not found to."""
    card, shares = json.loads(told.read_text()), rows / rows.sum()
    found = sum(row["kind"] == "number" and row["mi_bits"] > 0 for row in card["information"])
    errors = (card["facts"]["rows"] / rows.sum() - 1, card["facts"]["entropy (bits)"] + (shares * np.log2(shares)).sum())
    return float(np.abs(errors).max()) if found == NUMBERS else float("inf")


def write_docs(records: list[dict], size: int, scale: Scale) -> None:
    """Writes the table of the page."""
    import documentation
    from versions import versions

    figures = [(f"{record['seconds']:.1f}", f"{record['peak_bytes'] / 1e6:.0f}") for record in records]
    rows = [(record["model"], f"{size / 1e9:.1f}", scale.budget, *own) for record, own in zip(records, figures)]
    documentation.write_place("stream", versions(), ("model", "file, GB", "--memory", "seconds", "peak of the process, MB"), rows)


def main(options) -> int:
    scale = QUICK if options.quick else FULL
    SCRATCH.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="stream-", dir=SCRATCH))
    try:
        data = folder / "rows.csv"
        # A process takes the largest set of the one that starts it for its own, so the blocks of rows are held by another.
        with ProcessPoolExecutor(1) as other:
            means, rows = other.submit(write, data, scale.file, np.random.default_rng(options.seed)).result()
        records, good = [], True
        works = MEANS | TREES | {SCREEN: []}
        for model, flags in ((name, flags) for name, flags in works.items() if not options.only or name in options.only):
            saved, told = folder / f"{model}.odds", folder / f"{model}.json"
            common = [str(data), "--target", "event", "--memory", scale.budget, "--format", "json"]
            if model == SCREEN:
                seconds, peak = run([SCREEN, *common], told)
                error = error_of_screen(told, rows)
            else:
                seconds, peak = run(["fit", *common, "--model", model, "-o", str(saved), *flags], told)
                error = error_of_means(saved, means) if model in MEANS else error_of_trees(model, saved, int(rows.sum()))
            good &= peak <= scale.limit and error < 1e-9
            rate = data.stat().st_size / seconds / 1e6
            print(f"{model:12} {seconds:7.1f} s  {rate:6.0f} MB/s  peak {peak / 1e6:6.1f} MB of {scale.limit / 1e6:.0f}  error {error:.1e}", flush=True)
            records.append({"model": model, "seconds": seconds, "peak_bytes": peak, "limit_bytes": scale.limit, "difference": error})
        if options.json:
            options.json.write_text(json.dumps(records, indent=1) + "\n")
        if options.write_docs:
            write_docs(records, data.stat().st_size, scale)
        return 0 if good else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
