"""Measuring one workload: both workers side by side, their runs interleaved, the best of each kept."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from arrays import store
from workloads import Phase, Workload

ROOT = Path(__file__).resolve().parent.parent
OURS = ROOT / "target" / "release" / "oddsmith-bench"


class Worker:
    """A process that answers one line per request."""

    def __init__(self, *command: str):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, request: str) -> list[str]:
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline().split()
        if not reply or reply[0] == "error":
            raise RuntimeError(f"`{request}` failed: {' '.join(reply[1:]) or 'the worker ended'}")
        return reply

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Timing:
    """The fastest run, the least processor time and the largest extra memory of all runs."""

    seconds: float = float("inf")
    cpu: float = float("nan")
    extra: float = float("nan")
    runs: int = 0

    def add(self, reply: list[str]) -> None:
        self.seconds = min(self.seconds, float(reply[1]))
        self.runs += 1
        cpu, extra = (float("nan") if figure == "-" else float(figure) for figure in reply[2:])
        self.cpu, self.extra = float(np.fmin(self.cpu, cpu)), float(np.fmax(self.extra, extra))


@dataclass
class Result:
    """One phase of one workload."""

    workload: str
    phase: Phase
    input_bytes: int
    ours: Timing = field(default_factory=Timing)
    peers: dict[str, Timing] = field(default_factory=dict)
    difference: float = float("nan")

    @property
    def best(self) -> str:
        return min(self.peers, key=lambda name: self.peers[name].seconds)

    @property
    def ratio(self) -> float:
        return self.peers[self.best].seconds / self.ours.seconds

    @property
    def agrees(self) -> bool:
        return self.difference <= self.phase.accuracy

    def as_dict(self) -> dict[str, object]:
        return {
            "workload": self.workload,
            "phase": self.phase.name,
            "peer": self.best,
            "peer_seconds": self.peers[self.best].seconds,
            "peer_cpu_seconds": self.peers[self.best].cpu,
            "seconds": self.ours.seconds,
            "cpu_seconds": self.ours.cpu,
            "ratio": self.ratio,
            "goal": self.phase.goal,
            "input_bytes": self.input_bytes,
            "peer_extra_bytes": self.peers[self.best].extra,
            "extra_bytes": self.ours.extra,
            "difference": self.difference,
            "accuracy": self.phase.accuracy,
            "agrees": self.agrees,
            "all_peers": {name: timing.seconds for name, timing in self.peers.items()},
        }


def measure(work: Workload, size: dict[str, int], repeat: int, seed: int) -> list[Result]:
    """Times every phase of a workload."""
    scratch = ROOT / "target" / "bench-data"
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{work.name}-", dir=scratch))
    workers = []
    try:
        input_bytes = store(folder, work.make(np.random.default_rng(seed), size))
        peer, ours = Worker(sys.executable, str(ROOT / "bench" / "peer.py"), work.name), Worker(str(OURS))
        workers = [peer, ours]
        for worker in workers:
            worker.ask(f"load {folder}")
        results = [Result(work.name, phase, input_bytes) for phase in work.phases]
        for _ in range(repeat):
            for name, other in work.peers().items():
                run(peer, f"fit {name}", [(result, result.peers.setdefault(name, Timing())) for result in results])
                run(ours, f"fit {other.model}", [(result, result.ours) for result in results])
        agreement(work, folder, peer, ours, results)
        return results
    finally:
        for worker in workers:
            worker.close()
        shutil.rmtree(folder, ignore_errors=True)


def run(worker: Worker, fit: str, timings: list[tuple[Result, Timing]]) -> None:
    """One fit and one request for every other phase."""
    for result, timing in timings:
        timing.add(worker.ask(fit if result.phase.name == "fit" else result.phase.name))


def agreement(work: Workload, folder: Path, peer: Worker, ours: Worker, results: list[Result]) -> None:
    """Fills in how far the answers of the best peer and ours differ: estimates relatively, probabilities absolutely,
    labels by the share of rows that differ."""
    for result in results:
        if work.fits:
            peer.ask(f"fit {result.best}")
            ours.ask(f"fit {work.peers()[result.best].model}")
        request, reply = ("parameters", "") if result.phase.name == "fit" else ("answer", "proba" if work.fits else result.phase.name)
        files = []
        for name, worker in (("peer", peer), ("ours", ours)):
            if reply:
                worker.ask(reply)
            files.append(folder / f"{name}.npy")
            if worker.ask(f"{request} {files[-1]}")[0] == "none":
                # Without estimates to compare, probabilities speak for the fit.
                request, reply = "answer", "proba"
                worker.ask(reply)
                worker.ask(f"{request} {files[-1]}")
        theirs, own = (np.load(file) for file in files)
        if theirs.shape != own.shape:
            raise RuntimeError(f"{work.name}: the peer gives {theirs.shape} numbers, we give {own.shape}")
        scale = np.abs(theirs) if request == "parameters" else 1.0
        result.difference = float(np.max(np.abs(theirs - own) / np.maximum(scale, 1e-300)))
