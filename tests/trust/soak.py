"""One interpreter that fits, predicts, pickles and refuses, over and over, while its memory is watched. usage: soak.py SECONDS"""

from __future__ import annotations

import csv
import pickle
import sys
import time
from pathlib import Path

import numpy as np

import oddsmith

MOST_GROWTH = 16.0


def resident() -> float:
    """Memory of this process in MiB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


with open("some.csv", newline="") as file:
    rows = list(csv.DictReader(file))[:5000]
numbers = np.array([[float(row[name]) for name in "abcd"] for row in rows])
labels = np.array([row["y"] for row in rows])
LEARNERS = [oddsmith.GaussianNB, oddsmith.LogisticRegression, oddsmith.LinearDiscriminantAnalysis, oddsmith.Logit, oddsmith.MixedNB]


def day() -> None:
    for learner in LEARNERS:
        model = pickle.loads(pickle.dumps(learner().fit(numbers, labels)))
        model.predict_proba(numbers)
    try:
        oddsmith.GaussianNB().fit(np.full((3, 1), np.inf), ["a", "b", "a"])
    except ValueError:
        pass


seconds = float(sys.argv[1])
begin, rounds, early, late = time.monotonic(), 0, 0.0, 0.0
while (passed := time.monotonic() - begin) < seconds or rounds < 20:
    day()
    rounds += 1
    if passed < seconds / 10 or rounds < 5:
        early = max(early, resident())
    else:
        late = max(late, resident())
print(f"{rounds} rounds of {len(LEARNERS)} models, {early:.0f} MiB in the first tenth, {late:.0f} MiB later")
if late > early + MOST_GROWTH:
    raise SystemExit(1)
