"""Arrays are read where they lie: fits and predictions need next to no memory beside them."""

from __future__ import annotations

import subprocess
import sys

import pytest

# The highest resident memory during a fit and a prediction above what was there before, as a share of the input. A small fit first
# loads and starts everything that is there once. What a prediction gives back is its own.
MEASURE = """
import sys
import numpy as np
import oddsmith as od

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))

def peak_above(work):
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status("VmRSS")
    work()
    return max(status("VmHWM") - before, 0)

order, kinds = sys.argv[1], sys.argv[2:]
rows, columns, block = 400_000, 40, 10_000
X = np.empty((rows, columns), order=order)
rng = np.random.default_rng(0)
y = np.tile(rng.integers(0, 2, block), rows // block)
some = rng.poisson(2.0 + y[:block, None] * (np.arange(columns) % 2) * 0.2, size=(block, columns))
for lo in range(0, rows, block):
    X[lo : lo + block] = some
for kind in kinds:
    model = eval("od." + kind)
    model.fit(np.asarray(X[:2000], order=order), y[:2000]).predict_proba(X[:3000])
    fit = peak_above(lambda: model.fit(X, y))
    answers = [None]
    predict = peak_above(lambda: answers.__setitem__(0, model.predict_proba(X))) - answers[0].nbytes
    print(fit / X.nbytes, predict / X.nbytes)
"""

ESTIMATORS = [
    "GaussianNB()",
    "BernoulliNB(binarize=2.0)",
    "MultinomialNB()",
    "ComplementNB()",
    "CategoricalNB()",
    "MixedNB()",
    "LinearDiscriminantAnalysis()",
    "LinearDiscriminantAnalysis(solver='lsqr', shrinkage='auto')",
    "QuadraticDiscriminantAnalysis()",
    "LogisticRegression()",
    "LogisticRegression(l1_ratio=1.0, C=0.01)",
    "Logit()",
]


def shares(script: str, order: str, estimators: list[str]) -> dict[str, tuple[float, ...]]:
    """Memory of a fit and of a prediction beside the input, as shares of it."""
    done = subprocess.run([sys.executable, "-c", script, order, *estimators], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: tuple(map(float, line.split())) for name, line in zip(estimators, done.stdout.splitlines(), strict=True)}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks of resident memory are read from /proc")
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_tenth_of_the_input_is_enough(order):
    measured = shares(MEASURE, order, ESTIMATORS)
    assert len(measured) == len(ESTIMATORS)
    assert {name: share for name, share in measured.items() if max(share) >= 0.1} == {}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks of resident memory are read from /proc")
def test_a_copy_would_be_seen():
    copying = MEASURE.replace("lambda: model.fit(X, y)", "lambda: model.fit(X.copy(), y)")
    assert shares(copying, "C", ["GaussianNB()"])["GaussianNB()"][0] > 0.9
