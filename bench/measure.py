"""Measuring one workload: both workers side by side, their runs interleaved, the best of each kept."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import rust_peers
from arrays import store
from limits import Limits
from result import FLAT, Result
from worker import OURS, ROOT, SCRATCH, Timing, Worker
from workload import PACKAGE, Peer, Workload

OUR_TOLERANCES = ("", " tolerance=1e-9", " tolerance=1e-10", " tolerance=1e-12", " tolerance=1e-14")
"""Options of our fits, the default first: like a peer's, our tolerance is tightened as far as the comparison asks."""
HOPELESS = 4.0
"""A peer this many times slower than the best in its first run is not run again: it cannot be the best."""


@dataclass(frozen=True)
class Effort:
    """How long a measurement may take."""

    repeat: int
    patience: float
    """Processor seconds of a single fit after which a peer that has not reached the target is given up."""
    rust: bool = False
    """Whether the program of the Rust peers is there."""


@dataclass
class Contender:
    """A peer that reached the accuracy of the workload, and how to ask it."""

    worker: Worker
    request: str
    model: str
    ours: str
    """The request to our own worker that asks for the same."""
    first: list[str] | None = None
    """The reply to its first fit, where it was fitted to find out."""


class Measurement:
    """The workers and files of one workload."""

    def __init__(self, work: Workload, size: dict[str, int], seed: int, limits: Limits):
        self.work, self.size, self.limits = work, size, limits
        SCRATCH.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix=f"{work.name}-", dir=SCRATCH))
        self.arrays = work.make(np.random.default_rng(seed), size)
        self.input_bytes = store(self.folder, self.arrays)
        self.fresh = work.fresh(np.random.default_rng(seed + 1), size)
        if self.fresh is not None:
            (self.folder / "fresh").mkdir()
            store(self.folder / "fresh", self.fresh)
        self.packaged = work.package() is not None
        self.ours = Worker(str(OURS))
        self.workers = [self.ours, Worker(sys.executable, str(ROOT / "bench" / "peer.py"), work.name)]
        for worker in self.workers:
            worker.ask(f"load {self.folder}")

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def results(self) -> list[Result]:
        found = [Result(self.work.name, phase, self.input_bytes) for phase in self.work.phases]
        costs = self.work.cost(self.size, self.arrays)
        for result in found:
            result.limit = self.limits.seconds(costs[result.phase.name]) if result.phase.name in costs else None
        return found

    def entrants(self, effort: Effort) -> list[tuple[str, Peer, Worker]]:
        """All peers with the workers that know them."""
        found = [(name, peer, self.workers[1]) for name, peer in self.work.peers().items()]
        if effort.rust and self.work.rust:
            worker = Worker(str(rust_peers.PROGRAM))
            self.workers.append(worker)
            worker.ask(f"load {self.folder}")
            found += [(name, peer, worker) for name, peer in self.work.rust.items()]
        return found

    def contenders(self, results: list[Result], effort: Effort) -> dict[str, Contender]:
        """The peers that are worth timing, each with the loosest tolerance that reaches the target."""
        found = {}
        for name, peer, worker in self.entrants(effort):
            if self.work.target is None:
                found[name] = Contender(worker, f"fit {name}", peer.model, f"fit {peer.model}")
                continue
            for tolerance in peer.tolerances:
                request = f"fit {name}@{tolerance!r}"
                reply = worker.ask(request)
                slope = self.slope(worker)
                for result in results:
                    result.slopes[name] = slope
                if slope <= self.work.target:
                    found[name] = Contender(worker, request, peer.model, f"fit {peer.model}", reply)
                spent = float(reply[1] if reply[2] == "-" else reply[2])
                if slope <= self.work.target or spent > effort.patience:
                    break
        if not found:
            raise RuntimeError(f"{self.work.name}: no peer reached a slope of {self.work.target:g}")
        return found

    def tighten(self, racing: dict[str, Contender], slopes: dict[str, float]) -> None:
        """Gives our fits the loosest tolerance at which they are no steeper than any peer that may turn out to be the best."""
        if self.work.target is None:
            return
        goal = max(FLAT, min(slopes[name] for name in racing))
        for model in sorted({one.model for one in racing.values()}):
            for option in OUR_TOLERANCES:
                self.ours.ask(f"fit {model}{option}")
                if self.slope(self.ours) <= goal:
                    break
            for one in racing.values():
                one.ours = f"fit {model}{option}" if one.model == model else one.ours

    def slope(self, worker: Worker) -> float:
        """The largest slope at the worker's solution."""
        return self.work.gradient(self.arrays, self.numbers(worker, "parameters"))

    def numbers(self, worker: Worker, request: str) -> np.ndarray | None:
        file = self.folder / "numbers.npy"
        return None if worker.ask(f"{request} {file}")[0] == "none" else np.load(file)

    def time(self, results: list[Result], contenders: dict[str, Contender], repeat: int) -> None:
        """Runs both sides in turn."""
        fastest = min((float(one.first[1]) for one in contenders.values() if one.first), default=0.0)
        for name, one in contenders.items():
            if one.first and float(one.first[1]) > HOPELESS * fastest:
                for result in results:
                    if result.phase.name == "fit":
                        result.peers.setdefault(name, Timing()).add(one.first)
        racing = {name: one for name, one in contenders.items() if not one.first or float(one.first[1]) <= HOPELESS * fastest}
        self.tighten(racing, results[0].slopes)
        for _ in range(repeat):
            for name, one in racing.items():
                self.run(one.worker, one.request, results, lambda result, name=name: result.peers.setdefault(name, Timing()))
                self.run(self.ours, one.ours, results, lambda result: result.ours)
            if self.packaged:
                self.run(self.workers[1], f"fit {PACKAGE}", results, lambda result: result.package)

    def compare(self, results: list[Result], contenders: dict[str, Contender]) -> None:
        """Fills in how far the answers of the best peer and ours differ: estimates as the workload says, probabilities
        absolutely, labels by the share of rows that differ."""
        for result in results:
            best = contenders[result.best]
            sides = (best.worker, self.ours)
            if self.work.fits:
                best.worker.ask(best.request)
                self.ours.ask(best.ours)
            if self.work.target is not None:
                result.slope = self.slope(self.ours)
            if self.fresh is not None:
                theirs, ours = (self.judged(worker) for worker in sides)
                result.difference = max(0.0, ours - theirs)
                continue
            if result.phase.name == "fit":
                theirs, ours = (self.numbers(worker, "parameters") for worker in sides)
                if theirs is not None:
                    result.difference = self.work.difference(*same_shape(theirs, ours))
                    self.compare_errors(result, sides)
                    self.compare_package(result, ours)
                    continue
            # Without estimates to compare, probabilities speak for the fit.
            for worker in sides:
                worker.ask("proba" if self.work.fits else result.phase.name)
            theirs, ours = same_shape(*(self.numbers(worker, "answer") for worker in sides))
            result.difference = float(np.max(np.abs(theirs - ours)))

    def judged(self, worker: Worker) -> float:
        """What a worker's model loses on fresh rows: the share of errors, or the mean log loss, in which a probability of 0 costs as much as
        one of 1e-12."""
        y, errors = self.fresh["y"], self.work.judged_by == "errors"
        self.of_fresh(worker, "predict" if errors else "proba")
        answer = self.numbers(worker, "answer")
        if errors:
            return float((answer != y).mean())
        return float(-np.log(np.maximum(answer[np.arange(len(y)), y], 1e-12)).mean())

    def of_fresh(self, worker: Worker, request: str) -> list[str]:
        """The reply to a request about fresh rows."""
        worker.ask(f"load {self.folder / 'fresh'}")
        reply = worker.ask(request)
        worker.ask(f"load {self.folder}")
        return reply

    def run(self, worker: Worker, fit: str, results: list[Result], timing: Callable[[Result], Timing]) -> None:
        """One fit and one request for every other phase; a peer may know nothing of one."""
        for result in results:
            if self.work.asks_fresh:
                worker.ask(fit)
                reply = self.of_fresh(worker, result.phase.name)
            else:
                reply = worker.ask(fit if result.phase.name == "fit" else result.phase.name)
            if reply[0] != "none":
                timing(result).add(reply)

    def compare_package(self, result: Result, ours: np.ndarray) -> None:
        """Estimates of the Python package may differ from those of the core as far as those of a peer may."""
        if self.packaged:
            self.workers[1].ask(f"fit {PACKAGE}")
            result.package_difference = self.work.difference(*same_shape(ours, self.numbers(self.workers[1], "parameters")))

    def compare_errors(self, result: Result, sides: tuple[Worker, Worker]) -> None:
        theirs = self.numbers(sides[0], "errors")
        if theirs is not None:
            ours = self.numbers(sides[1], "errors")
            if ours is None:
                raise RuntimeError(f"{self.work.name}: we give no standard errors")
            theirs, ours = same_shape(theirs, ours)
            result.difference = max(result.difference, float(np.max(np.abs(ours / theirs - 1))))


def measure(work: Workload, size: dict[str, int], effort: Effort, seed: int, limits: Limits) -> list[Result]:
    """Times every phase of a workload."""
    measurement = Measurement(work, size, seed, limits)
    try:
        results = measurement.results()
        contenders = measurement.contenders(results, effort)
        measurement.time(results, contenders, effort.repeat)
        measurement.compare(results, contenders)
        return results
    finally:
        measurement.close()


def same_shape(theirs: np.ndarray, ours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if theirs.shape != ours.shape:
        raise RuntimeError(f"the peer gives {theirs.shape} numbers, we give {ours.shape}")
    return theirs, ours
