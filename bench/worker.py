"""Processes that answer one line per request, and what their replies add up to."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
OURS = ROOT / "target" / "release" / "oddsmith-bench"
SCRATCH = ROOT / "target" / "bench-data"


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
