"""The workloads: seeded data, the peers that are measured on it, and what both sides must agree on.

A workload is one small class. `make` writes no file: it returns arrays, which the driver stores once and both workers load.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, ClassVar

import numpy as np


@dataclass(frozen=True)
class Peer:
    """An estimator and the request to our worker that asks for the same estimates: a model of the registry and its knobs."""

    make: Callable[[], object]
    model: str


@dataclass(frozen=True)
class Phase:
    """A timed request, how many times faster than the best peer it should be, and how far answers may differ."""

    name: str
    goal: float
    accuracy: float


class Workload:
    """Base of all workloads; see the concrete ones for what a new one needs."""

    name: ClassVar[str]
    about: ClassVar[str]
    phases: ClassVar[tuple[Phase, ...]]
    full: ClassVar[dict[str, int]]
    quick: ClassVar[dict[str, int]]
    fits: ClassVar[bool] = True
    """Whether requests are asked of a fitted model."""

    def make(self, rng: np.random.Generator, size: dict[str, int]) -> dict[str, object]:
        """Arrays by name: `X` (dense, or SciPy's compressed rows) and `y`."""
        raise NotImplementedError

    def peers(self) -> dict[str, Peer]:
        """Peers by the name under which they are reported."""
        raise NotImplementedError

    def parameters(self, peer) -> np.ndarray | None:
        """A peer's estimates in the order of our own table of estimates; None when it has no such numbers."""
        return None


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
        from scipy.sparse import csr_matrix

        rows, columns, classes = size["rows"], size["columns"], size["classes"]
        frequency = 1 / (np.arange(columns) + 2.7) ** 1.05
        y = rng.integers(0, classes, rows)
        lengths = 1 + rng.poisson(size["tokens"] * np.exp(rng.normal(-0.08, 0.4, rows)))
        document = np.repeat(np.arange(rows), lengths)
        edges = np.cumsum(frequency) / frequency.sum()
        word = np.minimum(np.searchsorted(edges, rng.random(document.size)), columns - 1)
        topics = rng.integers(50, min(columns, 8000), (classes, 120))
        topical = np.flatnonzero(rng.random(document.size) < 0.05)
        word[topical] = topics[y[document[topical]], rng.integers(0, 120, topical.size)]
        x = csr_matrix((np.ones(document.size), (document, word)), shape=(rows, columns))
        x.sum_duplicates()
        x.sort_indices()
        mislabelled = np.flatnonzero(rng.random(rows) < 0.05)
        y[mislabelled] = rng.integers(0, classes, mislabelled.size)
        return {"X": x, "y": y}

    def parameters(self, peer):
        return class_rows(np.exp(peer.class_log_prior_), list(np.exp(peer.feature_log_prob_)))


class MultinomialNb(WordsNb):
    name = "multinomial_nb"
    phases = (Phase("fit", 4, 1e-10), Phase("predict", 2.5, 1e-9))

    def peers(self):
        from sklearn.naive_bayes import MultinomialNB

        return {"MultinomialNB": Peer(MultinomialNB, "multinomial-nb")}


class BernoulliNb(WordsNb):
    name = "bernoulli_nb"
    phases = (Phase("fit", 5, 1e-10), Phase("predict", 3, 1e-9))

    def peers(self):
        from sklearn.naive_bayes import BernoulliNB

        return {"BernoulliNB": Peer(BernoulliNB, "bernoulli-nb")}


def neighbours_correlated(rng: np.random.Generator, rows: int, columns: int, correlation: float = 0.7) -> np.ndarray:
    """Columns that correlate with the one before, on mildly uneven scales."""
    x = rng.standard_normal((rows, columns))
    for j in range(1, columns):
        x[:, j] = correlation * x[:, j - 1] + math.sqrt(1 - correlation**2) * x[:, j]
    return x * np.exp(rng.normal(0, 0.5, columns))


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


ALL = (GaussianNb(), CategoricalNb(), MultinomialNb(), BernoulliNb(), Lda(), Qda(), AucDelong())
WORKLOADS = {work.name: work for work in ALL}
