"""The workloads of lines by least squares, the perceptron, neighbours and the small network."""

from __future__ import annotations

import numpy as np
from adapters import Faiss
from generators import neighbours_correlated
from trees import EQUAL
from workload import Cost, Peer, Phase, Workload


def both_sides(peer) -> np.ndarray:
    """The line of two classes as ours lists it, for either class: the intercept, then the coefficients."""
    line = np.append(np.ravel(peer.intercept_)[:1], np.ravel(peer.coef_)).astype(float)
    return np.concatenate([-line, line])


class Lines(Workload):
    """Two classes, columns that correlate with their neighbours, and labels that no line tells apart."""

    about = "dense float64, 2 classes"

    def make(self, rng, size):
        x = neighbours_correlated(rng, size["rows"], size["columns"])
        scores = x @ rng.normal(0, 1, size["columns"])
        return {"X": x, "y": (scores / scores.std() + rng.logistic(0, 0.6, len(x)) > 0).astype(np.int64)}

    def difference(self, theirs, ours):
        # A coefficient near zero has no relative accuracy: the largest one is the measure of all.
        return float(np.abs(theirs - ours).max() / np.abs(theirs).max())


class LeastSquares(Lines):
    name = "least_squares"
    phases = (Phase("fit", 20, 1e-9),)
    full = dict(rows=1_000_000, columns=50)
    quick = dict(rows=100_000, columns=50)

    def cost(self, size, arrays):
        cells = size["rows"] * size["columns"]
        return {"fit": Cost(8 * cells, cells * size["columns"])}

    def package(self):
        from oddsmith import RidgeClassifier

        return RidgeClassifier(alpha=1.0)

    def peers(self):
        from sklearn.linear_model import RidgeClassifier

        make = lambda solver: Peer(lambda: RidgeClassifier(alpha=1.0, solver=solver), "least-squares l2=1")  # noqa: E731
        return {f"RidgeClassifier {solver}": make(solver) for solver in ("cholesky", "lsqr")}

    def parameters(self, peer):
        return both_sides(peer)


class PerceptronInOrder(Lines):
    """Rows in their order on both sides, which makes both take the same steps."""

    name = "perceptron_in_order"
    about = "5 epochs over rows in their order"
    phases = (Phase("fit", 2, 1e-8),)
    full = dict(rows=500_000, columns=50)
    quick = dict(rows=50_000, columns=50)

    def package(self):
        from oddsmith import Perceptron

        return Perceptron(max_iter=5)

    def peers(self):
        from sklearn.linear_model import Perceptron

        return {"Perceptron": Peer(lambda: Perceptron(max_iter=5, tol=None, shuffle=False), "perceptron epochs=5 variant=last no-verdict")}

    def parameters(self, peer):
        return np.append(np.ravel(peer.intercept_)[:1], np.ravel(peer.coef_)).astype(float)


class PerceptronAveraged(PerceptronInOrder):
    """Averaged weights against the peer as it comes, which shuffles; judged by errors on rows that neither has seen."""

    name = "perceptron"
    about = "5 epochs, averaged weights"
    phases = (Phase("fit", 4, 0.0),)
    full = dict(rows=500_000, columns=50, fresh=100_000)
    quick = dict(rows=50_000, columns=50, fresh=20_000)
    judged_by = "errors"

    def make(self, rng, size):
        # Fresh rows are of the same line, whatever their seed.
        weights = np.random.default_rng(17).normal(0, 1, size["columns"])
        x = neighbours_correlated(rng, size["rows"], size["columns"])
        x /= x.std(axis=0)
        scores = x @ weights
        return {"X": x, "y": (scores / scores.std() + rng.logistic(0, 0.6, len(x)) > 0).astype(np.int64)}

    def fresh(self, rng, size):
        return self.make(rng, {**size, "rows": size["fresh"]})

    def package(self):
        from oddsmith import Perceptron

        return Perceptron(max_iter=5, variant="averaged")

    def peers(self):
        from sklearn.linear_model import Perceptron

        return {"Perceptron": Peer(lambda: Perceptron(max_iter=5, tol=None), "perceptron epochs=5 no-verdict")}


class Neighbours(Workload):
    """Classes of ten nearest rows, for rows that were not fitted."""

    name = "knn"
    about = "10 neighbours of fresh rows, 3 classes in bent clouds"
    phases = (Phase("proba", 4, 1e-4),)
    full = dict(rows=100_000, columns=16, fresh=10_000)
    quick = dict(rows=20_000, columns=16, fresh=2_000)
    asks_fresh = True

    def make(self, rng, size):
        y = rng.integers(0, 3, size["rows"])
        x = neighbours_correlated(rng, size["rows"], size["columns"])
        x /= x.std(axis=0)
        x[:, 0] += 0.7 * y
        x[:, 1] += 0.5 * x[:, 0] ** 2 * (y == 1)
        # What a peer rounds to single precision is what ours is given.
        return {"X": x.astype(np.float32).astype(np.float64), "y": y}

    def fresh(self, rng, size):
        return self.make(rng, {**size, "rows": size["fresh"]})

    def cost(self, size, arrays):
        return {"proba": Cost(4 * size["rows"] * size["columns"], 2 * size["rows"] * size["columns"] * size["fresh"])}

    def package(self):
        from oddsmith import KNeighborsClassifier

        return KNeighborsClassifier(10)

    def peers(self):
        from sklearn.neighbors import KNeighborsClassifier

        ours = "knn k=10 alpha=0 standardize=none"
        return {
            "faiss": Peer(lambda: Faiss(10), ours),
            "brute": Peer(lambda: KNeighborsClassifier(10, algorithm="brute"), ours),
            "kd-tree": Peer(lambda: KNeighborsClassifier(10, algorithm="kd_tree"), ours),
        }


class Network(Workload):
    """Thirty columns, 64 hidden units, ten epochs of parts of 200 rows: what both sides call Adam."""

    name = "network"
    about = "64 hidden units, 10 epochs of 200 rows at a time"
    phases = (Phase("fit", 4, EQUAL),)
    full = dict(rows=100_000, columns=30, fresh=100_000)
    quick = dict(rows=10_000, columns=30, fresh=20_000)

    def make(self, rng, size):
        x = rng.standard_normal((size["rows"], size["columns"]))
        scores = 2 * x[:, 0] * x[:, 1] + 2 * np.sin(2 * x[:, 2]) + x[:, 3:10].sum(axis=1) + np.abs(x[:, 10]) - 0.8
        return {"X": x, "y": (rng.random(len(x)) < 1 / (1 + np.exp(-2 * scores))).astype(np.int64)}

    def fresh(self, rng, size):
        return self.make(rng, {**size, "rows": size["fresh"]})

    def cost(self, size, arrays):
        return {"fit": Cost(10 * 8 * size["rows"] * size["columns"], 10 * 3 * 2 * size["rows"] * 64 * size["columns"])}

    def package(self):
        from oddsmith import MLPClassifier

        return MLPClassifier((64,), "relu", solver="adam", alpha=1e-4, max_iter=10)

    def peers(self):
        from sklearn.neural_network import MLPClassifier

        ours = "network hidden=64 activation=relu search=adam decay=0.0001 steps=10"
        return {"MLPClassifier": Peer(lambda: MLPClassifier((64,), max_iter=10, batch_size=200, random_state=1), ours)}


LEARNERS = (LeastSquares(), PerceptronInOrder(), PerceptronAveraged(), Neighbours(), Network())
