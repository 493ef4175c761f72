"""The workloads of logistic and softmax regression.

Fits are compared at equal accuracy: a peer's tolerance is tightened until the largest slope of the mean objective at its
solution, computed here, is below the target; ours must not be steeper than the peer's.
"""

from __future__ import annotations

import math
import shutil

import numpy as np
from adapters import Glum, RGlm, Statsmodels
from generators import documents, neighbours_correlated, tf_idf
from workload import Cost, Peer, Phase, Workload

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
NEWTON_PASSES = 5
"""Passes that a limit is computed from: Newton's method from zero on data without surprises."""


def scikit_learn(solver: str, strength: float, model: str, most: int, **options) -> Peer:
    def make(tolerance):
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=math.inf if strength == 0 else 1 / strength, solver=solver, tol=tolerance, max_iter=most, **options)

    return Peer(make, model, TOLERANCES)


def logistic(scores: np.ndarray) -> np.ndarray:
    return 0.5 * (1 + np.tanh(0.5 * scores))


class Logistic(Workload):
    """Two classes, dense columns."""

    strength = 1.0
    model = "logistic l2=1"
    target = 1e-7

    def make(self, rng, size):
        x = neighbours_correlated(rng, size["rows"], size["columns"])
        scores = x @ (rng.normal(0, 1, size["columns"]) * (rng.random(size["columns"]) < 0.6))
        scores *= 1.8 / scores.std()
        return {"X": x, "y": (rng.random(size["rows"]) < logistic(scores - 0.8)).astype(np.int64)}

    def package(self):
        from oddsmith import LogisticRegression

        return LogisticRegression(C=math.inf if self.strength == 0 else 1 / self.strength, tol=1e-8)

    def peers(self):
        # liblinear is left out: it penalises the intercept, which is another model.
        most = {"lbfgs": 5000, "newton-cholesky": 1000, "newton-cg": 1000, "saga": 60}
        found = {f"sklearn {solver}": scikit_learn(solver, self.strength, self.model, count) for solver, count in most.items()}
        found["glum"] = Peer(lambda tolerance: Glum(self.strength, tolerance), self.model, TOLERANCES)
        return found

    def cost(self, size, arrays):
        rows, columns = size["rows"], size["columns"]
        once = Cost(8 * rows * columns + 16 * rows, 2 * rows * columns, rows)
        newton = rows * (columns * columns + 4 * columns)
        return {"fit": Cost(NEWTON_PASSES * 8 * rows * columns, NEWTON_PASSES * newton, NEWTON_PASSES * rows), "proba": once}

    def parameters(self, peer):
        return np.append(np.ravel(peer.intercept_)[:1], np.ravel(peer.coef_)).astype(float)

    def gradient(self, arrays, estimates):
        x, y, weights = arrays["X"], arrays["y"], estimates[1:]
        residual = logistic(x @ weights + estimates[0]) - y
        slopes = np.append(x.T @ residual + self.strength * weights, residual.sum())
        return float(np.abs(slopes).max() / len(y))

    def difference(self, theirs, ours):
        # A coefficient near zero has no relative accuracy: the largest one is the measure of all.
        return float(np.abs(theirs - ours).max() / np.abs(theirs).max())


class LogisticDense(Logistic):
    name = "logistic_dense"
    about = "two classes, L2 with C = 1"
    phases = (Phase("fit", 5, 1e-5), Phase("proba", 2.5, 1e-5))
    full = dict(rows=500_000, columns=50)
    quick = dict(rows=50_000, columns=50)
    # smartcore has no tolerance to tighten.
    rust = {"linfa": Peer(None, Logistic.model, TOLERANCES), "smartcore": Peer(None, Logistic.model, TOLERANCES[:1])}


class LogisticUnpenalised(Logistic):
    name = "logistic_unpenalised"
    about = "two classes, maximum likelihood"
    strength, model = 0.0, "logistic l2=0"
    phases = (Phase("fit", 5, 1e-5),)
    full = dict(rows=500_000, columns=50)
    quick = dict(rows=50_000, columns=50)

    def peers(self):
        kinds = {f"statsmodels {kind}": kind for kind in ("Logit", "GLM")}
        make = lambda kind: Peer(lambda tolerance: Statsmodels(kind, tolerance), self.model, TOLERANCES)  # noqa: E731
        return super().peers() | {name: make(kind) for name, kind in kinds.items()}


class LogisticWide(Logistic):
    name = "logistic_wide"
    about = "two classes, many columns, L2 with C = 1"
    phases = (Phase("fit", 3, 1e-5),)
    full = dict(rows=20_000, columns=500)
    quick = dict(rows=5_000, columns=200)


class LogisticInference(Logistic):
    """Coefficients, standard errors and p-values."""

    name = "logistic_inference"
    about = "two classes, maximum likelihood with standard errors"
    strength, model = 0.0, "logistic ci=wald"
    phases = (Phase("fit", 10, 1e-5),)
    full = dict(rows=500_000, columns=30)
    quick = dict(rows=50_000, columns=30)

    def package(self):
        from oddsmith import Logit

        # No peer fits the model once more without every column.
        return Logit(tests=False)

    def peers(self):
        # Bound in a function of its own: a lambda in a loop would see the last kind only.
        make = lambda kind: Peer(lambda tolerance: Statsmodels(kind, tolerance, inference=True), self.model, TOLERANCES)  # noqa: E731
        found = {f"statsmodels {kind}": make(kind) for kind in ("Logit", "GLM")}
        found["glum"] = Peer(lambda tolerance: Glum(0.0, tolerance, inference=True), self.model, TOLERANCES)
        if shutil.which("Rscript"):
            found["R glm"] = Peer(RGlm, self.model, (1e-8, 1e-12))
        return found

    def parameters(self, peer):
        return estimates(peer, "estimate") if hasattr(peer, "tidy") else super().parameters(peer)

    def errors(self, peer):
        return estimates(peer, "std_error") if hasattr(peer, "tidy") else peer.errors_


def estimates(fitted, column: str) -> np.ndarray:
    """A column of the table of coefficients of our own `Logit`."""
    return np.asarray(fitted.tidy()[column], dtype=float)


class Softmax(Logistic):
    """Many classes. Peers give every class its own coefficients, ours are those of log odds against the first class."""

    name = "softmax"
    about = "ten classes, L2 with C = 1"
    phases = (Phase("fit", 6, 1e-4), Phase("proba", 2.5, 1e-5))
    full = dict(rows=200_000, columns=50, classes=10)
    quick = dict(rows=20_000, columns=30, classes=5)
    passes = 60

    def make(self, rng, size):
        x = neighbours_correlated(rng, size["rows"], size["columns"])
        weights = rng.normal(0, 1, (size["classes"], size["columns"])) * (rng.random((size["classes"], size["columns"])) < 0.5)
        scores = x @ weights.T
        scores *= 1.5 / scores.std()
        return {"X": x, "y": (scores + rng.gumbel(size=scores.shape)).argmax(1)}

    def peers(self):
        most = {"lbfgs": 2000, "newton-cg": 2000, "newton-cholesky": 1000, "saga": 30}
        return {f"sklearn {solver}": scikit_learn(solver, self.strength, self.model, count) for solver, count in most.items()}

    def cost(self, size, arrays):
        rows, cells, classes = size["rows"], size["rows"] * size["columns"], size["classes"]
        fit = Cost(self.passes * 8 * cells, self.passes * 4 * cells * classes, self.passes * rows * classes)
        return {"fit": fit, "proba": Cost(8 * cells + 8 * rows * classes, 2 * cells * classes, rows * classes)}

    def parameters(self, peer):
        table = np.hstack([np.asarray(peer.intercept_)[:, None], peer.coef_])
        return (table[1:] - table[0]).ravel()

    def gradient(self, arrays, estimates):
        x, y = arrays["X"], arrays["y"]
        table = np.vstack([np.zeros(x.shape[1] + 1), estimates.reshape(-1, x.shape[1] + 1)])
        # Among all tables with these probabilities the one of mean zero has the smallest penalty.
        table -= table.mean(axis=0)
        scores = x @ table[:, 1:].T + table[:, 0]
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(y)), y] -= 1
        slopes = np.hstack([shares.sum(axis=0)[:, None], shares.T @ x + self.strength * table[:, 1:]])
        return float(np.abs(slopes).max() / len(y))


class LogisticSparse(Logistic):
    """Words, no intercept: solvers that penalise it and those that do not then fit the same model."""

    name = "logistic_sparse"
    about = "tf-idf of Zipf words in CSR, two classes, L2 with C = 1, no intercept"
    model = "logistic l2=1 formula=y~x-1"
    phases = (Phase("fit", 2.5, 1e-3), Phase("proba", 2.5, 1e-4))
    full = dict(rows=200_000, columns=100_000, tokens=68)
    quick = dict(rows=20_000, columns=20_000, tokens=68)
    # Thousands of flat directions: a slope of 1e-8 still leaves probabilities wrong by 1e-4.
    target = 1e-9
    products = 30

    def make(self, rng, size):
        counts, _ = documents(rng, size["rows"], size["columns"], size["tokens"], 20)
        x = tf_idf(counts)
        scores = x @ (rng.standard_normal(size["columns"]) * (rng.random(size["columns"]) < 0.3))
        scores *= 2.0 / scores.std()
        return {"X": x, "y": (rng.random(size["rows"]) < logistic(scores)).astype(np.int64)}

    def package(self):
        from oddsmith import LogisticRegression

        return LogisticRegression(C=1 / self.strength, fit_intercept=False, tol=1e-8)

    def peers(self):
        make = lambda solver: scikit_learn(solver, self.strength, self.model, 1000, fit_intercept=False)  # noqa: E731
        return {f"sklearn {solver}": make(solver) for solver in ("liblinear", "lbfgs", "newton-cg", "sag", "saga")}

    def cost(self, size, arrays):
        entries, rows = arrays["X"].nnz, size["rows"]
        fit = Cost(2 * 12 * entries * self.products, 4 * entries * self.products, rows * self.products)
        return {"fit": fit, "proba": Cost(12 * entries + 16 * rows, 2 * entries, rows)}

    def parameters(self, peer):
        return np.ravel(peer.coef_).astype(float)

    def gradient(self, arrays, estimates):
        x, y = arrays["X"], arrays["y"]
        return float(np.abs(x.T @ (logistic(x @ estimates) - y) + self.strength * estimates).max() / len(y))


class RidgeWords(LogisticSparse):
    """Messages of an everyday size: counts of words, many of them of a single message."""

    name = "ridge_words"
    about = "counts of Zipf words of 5,574 messages in CSR, two classes, L2 with C = 10, no intercept"
    strength = 0.1
    model = "logistic l2=0.1 formula=y~x-1"
    phases = (Phase("fit", 2.0, 1e-3),)
    full = dict(rows=5_574, columns=8_713, tokens=14)
    quick = dict(rows=5_574, columns=8_713, tokens=14)
    target = 1e-7

    def make(self, rng, size):
        x, _ = documents(rng, size["rows"], size["columns"], size["tokens"], 20)
        scores = x @ (rng.standard_normal(size["columns"]) * (rng.random(size["columns"]) < 0.3))
        scores *= 4.0 / scores.std()
        return {"X": x, "y": (rng.random(size["rows"]) < logistic(scores)).astype(np.int64)}

    def peers(self):
        return {f"sklearn {solver}": scikit_learn(solver, self.strength, self.model, 1000, fit_intercept=False) for solver in ("liblinear", "newton-cg", "lbfgs")}


class LassoWords(RidgeWords):
    """The same messages under an absolute penalty."""

    name = "lasso_words"
    about = "counts of Zipf words of 5,574 messages in CSR, two classes, L1 with C = 1, no intercept"
    strength = 1.0
    model = "logistic l1=1 formula=y~x-1"

    def package(self):
        from oddsmith import LogisticRegression

        return LogisticRegression(C=1 / self.strength, l1_ratio=1.0, fit_intercept=False)

    def peers(self):
        make = lambda solver: scikit_learn(solver, self.strength, self.model, 5000, fit_intercept=False, l1_ratio=1.0)  # noqa: E731
        return {f"sklearn {solver}": make(solver) for solver in ("liblinear", "saga")}

    def gradient(self, arrays, estimates):
        x, y = arrays["X"], arrays["y"]
        slopes = x.T @ (logistic(x @ estimates) - y)
        free = np.maximum(np.abs(slopes) - self.strength, 0.0)
        return float(np.where(estimates == 0, free, np.abs(slopes + self.strength * np.sign(estimates))).max() / len(y))

    def difference(self, theirs, ours):
        # Words that always occur together share their weight as they like: only the sum of all sizes is unique.
        return float(abs(np.abs(theirs).sum() - np.abs(ours).sum()) / np.abs(theirs).sum())


REGRESSIONS = (LogisticDense(), LogisticUnpenalised(), LogisticWide(), LogisticInference(), Softmax(), LogisticSparse(), RidgeWords(), LassoWords())
