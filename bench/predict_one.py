"""How long a Python program waits for the probabilities or scores of one row, through the package and through scikit-learn.

Calls of both sides alternate in rounds; the fastest round of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from result import Result
from worker import Timing
from workload import Phase

ROWS, COLUMNS, CLASSES = 2000, 20, 3
GOAL, ACCURACY = 20.0, 1e-10
CALLS = 500
COUNTED = ("BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB")
OPTIONS = {
    "DecisionTreeClassifier": {"criterion": "gini", "max_depth": 5, "leaf_smoothing": 0},
    "Perceptron": {"max_iter": 5},
    "HistGradientBoostingClassifier": {"max_iter": 20},
}
DRAWN = ("DecisionTreeClassifier", "RandomForestClassifier", "HistGradientBoostingClassifier", "MLPClassifier")
"""Estimators whose probabilities depend on draws, bins of values, first weights or the precision of gradients: their times are compared, their answers are not."""
MARGINS = ("RidgeClassifier", "Perceptron")
"""Estimators without probabilities, which are asked for their scores."""


def measure_one(repeat: int, seed: int) -> list[Result]:
    """One result per estimator; times are seconds per call."""
    import oddsmith

    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, ROWS)
    numbers, counts = rng.normal(size=(ROWS, COLUMNS)), rng.poisson(2.0, size=(ROWS, COLUMNS)).astype(float)
    results = []
    for peer in peers():
        name = type(peer).__name__
        rows = counts if name in COUNTED else numbers
        peer.fit(rows, y)
        ours = getattr(oddsmith, name)(**OPTIONS.get(name, {})).fit(rows, y)
        one = rows[:1].copy()
        result = Result("predict_one", Phase(name, GOAL, ACCURACY), one.nbytes)
        theirs = result.peers.setdefault("scikit-learn", Timing())
        ask = "decision_function" if name in MARGINS else "predict_proba"
        ours, peer = getattr(ours, ask), getattr(peer, ask)
        for _ in range(max(repeat, 5)):
            clock(ours, one, result.ours)
            clock(peer, one, theirs)
        difference = float(np.abs(ours(one) - peer(one)).max())
        result.difference = 0.0 if name in DRAWN else difference
        results.append(result)
    return results


def peers() -> list[object]:
    """An estimator of every family that both sides have."""
    from sklearn import discriminant_analysis, naive_bayes
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.tree import DecisionTreeClassifier

    families = [getattr(module, name)() for module in (naive_bayes, discriminant_analysis) for name in module.__all__]
    # Fitted to the end, so that the probabilities can be compared.
    trees = [DecisionTreeClassifier(max_depth=5), RandomForestClassifier(), HistGradientBoostingClassifier(max_iter=20)]
    lines = [LogisticRegression(solver="newton-cholesky", tol=1e-12), RidgeClassifier(solver="cholesky")]
    steps = Perceptron(max_iter=5, tol=None, shuffle=False)
    return [*families, *lines, steps, *trees, KNeighborsClassifier(), MLPClassifier((8,), "tanh", max_iter=5)]


def clock(answer: Callable[[np.ndarray], np.ndarray], row: np.ndarray, timing: Timing) -> None:
    """A round of calls."""
    start, cpu = time.perf_counter(), time.process_time()
    for _ in range(CALLS):
        answer(row)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    timing.add(["ok", repr(seconds / CALLS), repr(cpu / CALLS), "-"])
