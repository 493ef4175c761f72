"""The workloads of models that learn in one pass, and the table of all workloads.

A workload is one small class. `make` writes no file: it returns arrays, which the driver stores once and both workers load.
"""

from __future__ import annotations

import numpy as np
from generators import documents, neighbours_correlated
from learners import LEARNERS
from regression import REGRESSIONS
from trees import TREES
from workload import Cost, Peer, Phase, Workload


def class_rows(priors: np.ndarray, rows: list[np.ndarray]) -> np.ndarray:
    """Estimates class after class: the prior, then the class's own numbers."""
    return np.concatenate([np.concatenate([[prior], row]) for prior, row in zip(priors, rows)])


class GaussianNb(Workload):
    name = "gaussian_nb"
    about = "dense float64, 3 classes"
    phases = (Phase("fit", 20, 1e-10), Phase("proba", 20, 1e-9))
    full = dict(rows=1_000_000, columns=50)
    quick = dict(rows=100_000, columns=50)

    def make(self, rng, size):
        rows, columns, classes = size["rows"], size["columns"], 3
        y = rng.integers(0, classes, rows)
        centre = 3 + rng.normal(0, 0.25, (classes, columns))
        spread = np.exp(rng.normal(0, 0.2, (classes, columns)))
        return {"X": centre[y] + spread[y] * rng.standard_normal((rows, columns)), "y": y}

    def cost(self, size, arrays):
        cells, scores = size["rows"] * size["columns"], 3 * size["rows"]
        return {"fit": Cost(8 * cells, 4 * cells), "proba": Cost(8 * cells + 8 * scores, 4 * 3 * cells, scores)}

    def package(self):
        from oddsmith import GaussianNB

        return GaussianNB(var_smoothing=0)

    def peers(self):
        from sklearn.naive_bayes import GaussianNB

        # No smoothing, so that both sides estimate the same variances; it costs the peer no time either way.
        return {"GaussianNB": Peer(lambda: GaussianNB(var_smoothing=0.0), "gaussian-nb variance-floor=0")}

    def parameters(self, peer):
        pairs = np.stack([peer.theta_, np.sqrt(peer.var_)], axis=2)
        return class_rows(peer.class_prior_, list(pairs.reshape(len(pairs), -1)))


class CategoricalNb(Workload):
    name = "categorical_nb"
    about = "int64 codes, 2 to 50 levels, 3 classes"
    phases = (Phase("fit", 40, 1e-12), Phase("proba", 20, 1e-9))
    full = dict(rows=1_000_000, columns=20)
    quick = dict(rows=100_000, columns=20)

    def make(self, rng, size):
        rows, columns, classes = size["rows"], size["columns"], 3
        y = rng.integers(0, classes, rows)
        x = np.empty((rows, columns), dtype=np.int64)
        for j in range(columns):
            shares = rng.dirichlet(np.full(rng.integers(2, 51), 2.0), classes)
            for k in range(classes):
                members = np.flatnonzero(y == k)
                x[members, j] = rng.choice(shares.shape[1], members.size, p=shares[k])
        return {"X": x, "y": y}

    def cost(self, size, arrays):
        cells, scores = size["rows"] * size["columns"], 3 * size["rows"]
        return {"fit": Cost(8 * cells, cells), "proba": Cost(8 * cells + 8 * scores, 3 * cells, scores)}

    def package(self):
        from oddsmith import CategoricalNB

        return CategoricalNB()

    def peers(self):
        from sklearn.naive_bayes import CategoricalNB

        return {"CategoricalNB": Peer(CategoricalNB, "categorical-nb")}

    def parameters(self, peer):
        classes = range(len(peer.classes_))
        return class_rows(
            np.exp(peer.class_log_prior_), [np.concatenate([np.exp(logs[k]) for logs in peer.feature_log_prob_]) for k in classes]
        )


class WordsNb(Workload):
    """Documents of Zipf-distributed words with some words that belong to a class."""

    about = "CSR counts of Zipf words, 20 classes"
    full = dict(rows=200_000, columns=100_000, tokens=68, classes=20)
    quick = dict(rows=20_000, columns=20_000, tokens=68, classes=20)

    def make(self, rng, size):
        x, y = documents(rng, **size)
        return {"X": x, "y": y}

    def cost(self, size, arrays):
        entries, table = arrays["X"].nnz, 8 * size["classes"] * size["columns"]
        return {"fit": Cost(12 * entries + table, entries), "predict": Cost(12 * entries + table, 2 * size["classes"] * entries)}

    def parameters(self, peer):
        return class_rows(np.exp(peer.class_log_prior_), list(np.exp(peer.feature_log_prob_)))


class MultinomialNb(WordsNb):
    name = "multinomial_nb"
    phases = (Phase("fit", 4, 1e-10), Phase("predict", 2.5, 1e-9))

    def package(self):
        from oddsmith import MultinomialNB

        return MultinomialNB()

    def peers(self):
        from sklearn.naive_bayes import MultinomialNB

        return {"MultinomialNB": Peer(MultinomialNB, "multinomial-nb")}


class BernoulliNb(WordsNb):
    name = "bernoulli_nb"
    phases = (Phase("fit", 5, 1e-10), Phase("predict", 3, 1e-9))

    def package(self):
        from oddsmith import BernoulliNB

        return BernoulliNB()

    def peers(self):
        from sklearn.naive_bayes import BernoulliNB

        return {"BernoulliNB": Peer(BernoulliNB, "bernoulli-nb")}


class Lda(Workload):
    name = "lda"
    about = "dense float64, 3 classes, one covariance"
    phases = (Phase("fit", 10, 1e-8), Phase("proba", 5, 1e-9))
    full = dict(rows=1_000_000, columns=50)
    quick = dict(rows=100_000, columns=50)

    def make(self, rng, size):
        rows, columns, classes = size["rows"], size["columns"], 3
        y = rng.integers(0, classes, rows)
        return {"X": rng.normal(0, 0.25, (classes, columns))[y] + neighbours_correlated(rng, rows, columns), "y": y}

    def cost(self, size, arrays):
        cells, scores = size["rows"] * size["columns"], 3 * size["rows"]
        fit = Cost(8 * cells, cells * size["columns"])
        return {"fit": fit, "proba": Cost(8 * cells + 8 * scores, 2 * 3 * cells, scores)}

    def package(self):
        from oddsmith import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis(solver="lsqr")

    def peers(self):
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        make = lambda solver: Peer(lambda: LinearDiscriminantAnalysis(solver=solver), "lda divisor=ml")  # noqa: E731
        return {f"LDA {solver}": make(solver) for solver in ("lsqr", "eigen", "svd")}


class Qda(Workload):
    name = "qda"
    about = "dense float64, 3 classes, a covariance each"
    phases = (Phase("fit", 5, 1e-8), Phase("proba", 5, 1e-9))
    full = dict(rows=1_000_000, columns=50)
    quick = dict(rows=100_000, columns=50)

    def make(self, rng, size):
        rows, columns, classes = size["rows"], size["columns"], 3
        y = rng.integers(0, classes, rows)
        x = neighbours_correlated(rng, rows, columns) * np.exp(rng.normal(0, 0.1, (classes, columns)))[y]
        return {"X": x + rng.normal(0, 0.25, (classes, columns))[y], "y": y}

    def cost(self, size, arrays):
        cells, scores = size["rows"] * size["columns"], 3 * size["rows"]
        squares = cells * size["columns"]
        return {"fit": Cost(8 * cells, squares), "proba": Cost(8 * cells + 8 * scores, 3 * squares, scores)}

    def package(self):
        from oddsmith import QuadraticDiscriminantAnalysis

        return QuadraticDiscriminantAnalysis(solver="eigen")

    def peers(self):
        from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

        make = lambda solver: Peer(lambda: QuadraticDiscriminantAnalysis(solver=solver), "qda divisor=ml")  # noqa: E731
        return {f"QDA {solver}": make(solver) for solver in ("eigen", "svd")}


class AucDelong(Workload):
    """The area under the ROC curve; ours comes with DeLong's variance, which the peer does not give."""

    name = "auc_delong"
    about = "scores of two overlapping classes"
    phases = (Phase("auc", 5, 1e-12),)
    full = dict(rows=10_000_000)
    quick = dict(rows=1_000_000)
    fits = False

    def make(self, rng, size):
        y = rng.integers(0, 2, size["rows"])
        return {"X": (rng.standard_normal(size["rows"]) + y)[:, None], "y": y}

    def peers(self):
        return {"roc_auc_score": Peer(lambda: None, "")}


ALL = (GaussianNb(), CategoricalNb(), MultinomialNb(), BernoulliNb(), Lda(), Qda(), *REGRESSIONS, *TREES, *LEARNERS, AucDelong())
WORKLOADS = {work.name: work for work in ALL}
