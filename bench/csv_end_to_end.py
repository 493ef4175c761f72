"""From a CSV file of twenty numbers and three categories to coefficients with standard errors.

Every side is a process of its own. The time of ours is that of the whole command; peers are timed from the file to their
coefficients, without the import of their libraries. Memory is the largest resident set of the process.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from csv_peer import CATEGORIES, NUMBERS, PEERS, TARGET
from generators import neighbours_correlated
from measure import HOPELESS, Effort
from regression import logistic
from result import Result
from worker import ROOT, SCRATCH
from workload import Phase

COMMAND = ROOT / "target" / "release" / "oddsmith"
LEVELS = (8, 50, 300)
PHASE = Phase("fit", 8.0, 1e-4)
SLOPE = 1e-6
"""Largest slope of the mean objective at which a fit counts."""


@dataclass
class Fit:
    """One run: what it took and what it found."""

    seconds: float
    cpu: float
    peak: float
    estimates: dict[str, float]
    errors: dict[str, float] | None

    @property
    def reply(self) -> list[str]:
        return ["ok", repr(self.seconds), repr(self.cpu), repr(self.peak)]


class Rows:
    """The rows of the file, for slopes that neither side computes."""

    def __init__(self, rng: np.random.Generator, rows: int):
        self.numbers = np.round(neighbours_correlated(rng, rows, len(NUMBERS), 0.4), 6)
        scores = self.numbers @ rng.normal(0, 0.3, len(NUMBERS))
        self.codes = []
        for levels in LEVELS:
            code = np.minimum(rng.geometric(3.0 / levels, rows) - 1, levels - 1)
            scores += rng.normal(0, 0.5, levels)[code]
            self.codes.append(code)
        self.y = (rng.random(rows) < logistic(scores)).astype(np.int64)

    @staticmethod
    def names(column: str, levels: int) -> list[str]:
        return [f"{column}_level{level}" for level in range(levels)]

    def write(self, path: Path) -> None:
        import polars

        columns = {name: self.numbers[:, j] for j, name in enumerate(NUMBERS)}
        for column, levels, code in zip(CATEGORIES, LEVELS, self.codes):
            columns[column] = np.array(self.names(column, levels))[code]
        polars.DataFrame({**columns, TARGET: self.y}).write_csv(path, float_precision=6)

    def slope(self, estimates: dict[str, float]) -> float:
        """Largest slope over all numbers and all levels, so that it does not matter which level is the reference."""
        scores = estimates["(intercept)"] + self.numbers @ np.array([estimates[name] for name in NUMBERS])
        for column, levels, code in zip(CATEGORIES, LEVELS, self.codes):
            scores += np.array([estimates.get(f"{column}={level}", 0.0) for level in self.names(column, levels)])[code]
        residual = logistic(scores) - self.y
        slopes = [self.numbers.T @ residual, *(np.bincount(code, weights=residual) for code in self.codes)]
        return float(max(np.abs(part).max() for part in slopes) / len(self.y))


def measure_csv(effort: Effort, seed: int, quick: bool) -> list[Result]:
    """One result: the whole way."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="csv-", dir=SCRATCH))
    try:
        rows = Rows(np.random.default_rng(seed), 100_000 if quick else 2_000_000)
        data = folder / "data.csv"
        rows.write(data)
        return [race(rows, data, folder, effort.repeat)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def race(rows: Rows, data: Path, folder: Path, repeat: int) -> Result:
    from worker import Timing

    result = Result("csv_end_to_end", PHASE, data.stat().st_size)
    fits: dict[str, Fit] = {}
    for turn in range(repeat):
        ours = run_ours(data, folder)
        result.ours.add(ours.reply)
        result.slope = rows.slope(ours.estimates)
        fastest = min((fit.seconds for fit in fits.values()), default=0.0)
        for name in PEERS if turn == 0 else [name for name, fit in fits.items() if fit.seconds <= HOPELESS * fastest]:
            fit = fits[name] = run_peer(name, data, folder)
            result.slopes[name] = rows.slope(fit.estimates)
            if result.slopes[name] <= SLOPE:
                result.peers.setdefault(name, Timing()).add(fit.reply)
    result.difference = difference(fits[result.best], fits, ours)
    return result


def difference(best: Fit, fits: dict[str, Fit], ours: Fit) -> float:
    """Of coefficients from the best peer's, as a share of the largest; of standard errors from those of any peer that has them,
    relatively."""
    names = sorted(best.estimates)
    theirs, own = (np.array([estimates[name] for name in names]) for estimates in (best.estimates, ours.estimates))
    largest = float(np.abs(theirs - own).max() / np.abs(theirs).max())
    for fit in fits.values():
        for name, error in (fit.errors or {}).items():
            largest = max(largest, abs(ours.errors[name] / error - 1))
    return largest


def run(command: list[str], log: Path) -> tuple[float, float, float]:
    """Seconds, processor seconds and the peak of resident memory of a process that prints into `log`."""
    watch = [sys.executable, str(ROOT / "bench" / "stopwatch.py"), str(log)]
    done = subprocess.run([*watch, *command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"`{' '.join(command)}` failed")
    seconds, cpu, peak = map(float, done.stdout.split())
    return seconds, cpu, peak


def run_peer(name: str, data: Path, folder: Path) -> Fit:
    log, found = folder / "peer.log", folder / "peer.json"
    _, cpu, peak = run([sys.executable, str(ROOT / "bench" / "csv_peer.py"), name, str(data), str(found)], log)
    return Fit(float(log.read_text().split()[-1]), cpu, peak, **json.loads(found.read_text()))


def run_ours(data: Path, folder: Path) -> Fit:
    log = folder / "ours.json"
    command = [str(COMMAND), "fit", str(data), f"{TARGET} ~ .", "--ci", "wald", "--no-tests", "--tidy", "--format", "json"]
    command += ["-o", str(folder / "ours.odds")]
    seconds, cpu, peak = run(command, log)
    estimates, errors = {}, {}
    for row in json.loads(log.read_text()):
        name = row["term"] if row["level"] is None else f"{row['term']}={row['level']}"
        if row["flag"] != "reference":
            estimates[name], errors[name] = row["estimate"], row["std_error"]
    return Fit(seconds, cpu, peak, estimates, errors)
