"""The peers' side of the benchmark: Python libraries behind the line protocol of our own worker.

    python bench/peer.py WORKLOAD

Requests and replies are those of `oddsmith-bench`; `fit` names a peer of the workload, and its tolerance after `@`
where it has one, instead of a model.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from arrays import load
from workload import PACKAGE
from workloads import WORKLOADS


def status_bytes(field: str) -> int | None:
    """A figure of this process's memory, where the system tells it."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(field)), None)


def resident_after_reset() -> int | None:
    """Forgets the peak so far; gives the memory held now, or None where the peak cannot be reset."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return status_bytes("VmRSS:")


def timed(work) -> tuple[object, str]:
    before = resident_after_reset()
    start, cpu = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    own = result.nbytes if isinstance(result, np.ndarray) else 0
    extra = "-" if before is None else max(0, status_bytes("VmHWM:") - before - own)
    return result, f"ok {seconds!r} {cpu!r} {extra}"


class Session:
    def __init__(self, workload: str):
        self.workload = WORKLOADS[workload]
        self.peers = self.workload.peers()
        self.model = self.answer = None

    def handle(self, line: str) -> str:
        request, _, rest = line.partition(" ")
        if request == "load":
            self.x, self.y = load(Path(rest))
        elif request == "fit":
            self.model = None
            name, _, tolerance = rest.partition("@")
            if name == PACKAGE:
                estimator = self.workload.package()
            else:
                make = self.peers[name].make
                estimator = make(float(tolerance)) if tolerance else make()
            self.model, reply = timed(lambda: estimator.fit(self.x, self.y))
            told = getattr(self.model, "told_seconds", None)
            # A peer in a process of its own tells its time; what it needed else is not known.
            return reply if told is None else f"ok {told!r} - -"
        elif request in ("proba", "predict"):
            self.answer = None
            method = self.model.predict_proba if request == "proba" else self.model.predict
            self.answer, reply = timed(lambda: method(self.x))
            return reply
        elif request == "auc":
            from sklearn.metrics import roc_auc_score

            self.answer, reply = timed(lambda: np.array([[roc_auc_score(self.y, self.x[:, 0])]]))
            return reply
        elif request == "answer":
            np.save(rest, self.answer)
        elif request in ("parameters", "errors"):
            values = getattr(self.workload, request)(self.model)
            if values is None:
                return "none"
            np.save(rest, values)
        else:
            return f"error no such request: {line}"
        return "ok"


def main() -> None:
    # Solvers that stop before their tolerance say so; the driver looks at the slope itself.
    warnings.simplefilter("ignore")
    session = Session(sys.argv[1])
    for line in sys.stdin:
        try:
            reply = session.handle(line.strip())
        except Exception as error:  # noqa: BLE001: the driver decides what to make of it
            reply = f"error {type(error).__name__}: {error}".replace("\n", " ")
        print(reply, flush=True)


if __name__ == "__main__":
    main()
