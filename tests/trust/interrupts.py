"""Signals at random moments of fits: KeyboardInterrupt soon, and the next fit as if nothing had been. usage: interrupts.py SIGNALS"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time

import numpy as np

import oddsmith

SOON = 0.5
# Other work of the machine may hold an answer up; what it does itself it does every time.
TRIES = 3

draws = random.Random(5)
rng = np.random.default_rng(5)
y = rng.integers(0, 2, 400_000)
X = rng.normal(size=(400_000, 30)) + 0.3 * y[:, None]
small = (X[:500], y[:500])
LEARNERS = [oddsmith.LogisticRegression, oddsmith.LinearDiscriminantAnalysis, oddsmith.GaussianNB, oddsmith.Logit]
expected = [learner().fit(*small).predict_proba(small[0]) for learner in LEARNERS]


def length(learner: type) -> float:
    begin = time.perf_counter()
    learner().fit(X, y)
    return time.perf_counter() - begin


def interrupted(learner: type, moment: float) -> float | None:
    """Seconds from the signal to the exception; none where the fit was over before."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(moment, send)
    try:
        timer.start()
        learner().fit(X, y)
        timer.join()
        time.sleep(0.01)
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0] if sent else None
    return None


lengths = [length(learner) for learner in LEARNERS]
slowest, late, met, wrong = 0.0, 0, 0, 0
for at in range(int(sys.argv[1])):
    which = at % len(LEARNERS)
    moment = draws.random() * lengths[which]
    took = interrupted(LEARNERS[which], moment)
    met += took is not None
    for _ in range(1, TRIES):
        if took is None or took <= SOON:
            break
        again = interrupted(LEARNERS[which], moment)
        took = took if again is None else min(took, again)
    slowest = max(slowest, took or 0.0)
    late += (took or 0.0) > SOON
    wrong += not np.array_equal(LEARNERS[which]().fit(*small).predict_proba(small[0]), expected[which])
print(f"{sys.argv[1]} signals, {met} met a fit or what follows it; {late} later, slowest {1000 * slowest:.0f} ms; {wrong} wrong fits after")
if late or wrong or not met:
    raise SystemExit(1)
