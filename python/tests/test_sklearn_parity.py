"""Class probabilities of the built command against scikit-learn on random data, with weights and priors.

scikit-learn is asked for the estimates that ours are defined as: no variance smoothing, maximum-likelihood divisors, and
repeated rows where an estimator knows no weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

CLASSES = ["ash", "elm", "oak"]
PRIOR = np.array([0.2, 0.7, 0.1])
PRIOR_FLAG = ",".join(f"{label}={share}" for label, share in zip(CLASSES, PRIOR))
ACCURACY = 1e-11


@dataclass
class Frame:
    """Random rows: features for scikit-learn, the same as columns of a table, labels and weights."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    columns: dict[str, np.ndarray]
    kind: str
    flags: list[str] = field(default_factory=list)

    def table(self) -> dict[str, np.ndarray]:
        return {**self.columns, "tree": np.array(CLASSES)[self.y], "weight": self.weight}

    def reading(self) -> list[str]:
        kinds = [f"{name}={self.kind}" for name in self.columns]
        return ["--kind", ",".join(kinds), "--features", ",".join(self.columns)]

    def repeated(self) -> tuple[np.ndarray, np.ndarray]:
        times = self.weight.astype(int)
        return np.repeat(self.x, times, axis=0), np.repeat(self.y, times)


def frame(rng: np.random.Generator, x: np.ndarray, y: np.ndarray, kind: str, cells: np.ndarray | None = None) -> Frame:
    cells = x if cells is None else cells
    columns = {f"x{j}": cells[:, j] for j in range(x.shape[1])}
    return Frame(x, y, rng.integers(1, 5, len(y)), columns, kind)


def labels(rng: np.random.Generator, rows: int) -> np.ndarray:
    return rng.choice(len(CLASSES), rows, p=[0.5, 0.3, 0.2])


def correlated(rng: np.random.Generator, rows: int = 400, columns: int = 6) -> Frame:
    """Normal columns with their own covariance in every class. They stay near the origin, far from which scikit-learn loses digits."""
    y = labels(rng, rows)
    mix = np.eye(columns) + 0.3 * rng.standard_normal((len(CLASSES), columns, columns))
    x = np.einsum("ij,ijk->ik", rng.standard_normal((rows, columns)), mix[y]) + 0.5 * rng.standard_normal((len(CLASSES), columns))[y]
    return frame(rng, x * np.exp(rng.normal(0, 1, columns)), y, "number")


def counted(rng: np.random.Generator, rows: int = 400, columns: int = 12) -> Frame:
    y = labels(rng, rows)
    x = rng.poisson(np.exp(rng.normal(-0.3, 0.7, (len(CLASSES), columns)))[y])
    return frame(rng, x, y, "number")


def levelled(rng: np.random.Generator, rows: int = 500, columns: int = 7) -> Frame:
    y = labels(rng, rows)
    levels = rng.integers(2, 9, columns)
    x = np.empty((rows, columns), dtype=int)
    for j in range(columns):
        shares = rng.dirichlet(np.ones(levels[j]), len(CLASSES))
        x[:, j] = [rng.choice(levels[j], p=shares[k]) for k in y]
        x[: levels[j], j] = np.arange(levels[j])  # Every level occurs.
    return frame(rng, x, y, "category", np.char.add("level ", np.char.zfill(x.astype(str), 2)))


@dataclass(frozen=True)
class Case:
    """A model of ours, how it is set, and the estimator that must agree with it."""

    model: str
    data: Callable[[np.random.Generator], Frame]
    peer: Callable[..., object]
    flags: tuple[str, ...] = ()
    prior_name: str | None = "class_prior"
    weights: bool = True

    def id(self) -> str:
        return " ".join([self.model, *self.flags])


NAIVE_BAYES = [
    Case("gaussian-nb", correlated, lambda **k: GaussianNB(var_smoothing=0.0, **k), ("--variance-floor", "0"), "priors"),
    Case("bernoulli-nb", counted, BernoulliNB),
    Case("bernoulli-nb", counted, lambda **k: BernoulliNB(alpha=0.01, binarize=1.0, **k), ("--smoothing", "0.01", "--binarize", "1")),
    Case("multinomial-nb", counted, MultinomialNB),
    Case("multinomial-nb", counted, lambda **k: MultinomialNB(alpha=0.3, **k), ("--smoothing", "0.3")),
    Case("complement-nb", counted, ComplementNB, prior_name=None),
    Case("complement-nb", counted, lambda **k: ComplementNB(alpha=2.5, **k), ("--smoothing", "2.5"), None),
    Case("categorical-nb", levelled, CategoricalNB),
    Case("categorical-nb", levelled, lambda **k: CategoricalNB(alpha=0.1, **k), ("--smoothing", "0.1")),
]
ML = ("--divisor", "ml")
# The prior of lsqr and eigen also weighs the covariances of the classes, which is another model: there the data's own prior
# is compared, and svd takes a given one.
DISCRIMINANTS = [
    Case("lda", correlated, lambda **k: LinearDiscriminantAnalysis(solver="lsqr", **k), ML, None, False),
    Case("lda", correlated, lambda **k: LinearDiscriminantAnalysis(solver="eigen", **k), ML, None, False),
    Case("lda", correlated, lambda **k: LinearDiscriminantAnalysis(solver="svd", **k), ML, "priors", False),
    Case("qda", correlated, lambda **k: QuadraticDiscriminantAnalysis(solver="eigen", **k), ML, "priors", False),
    Case("qda", correlated, lambda **k: QuadraticDiscriminantAnalysis(solver="svd", **k), ML, "priors", False),
]
CASES = NAIVE_BAYES + DISCRIMINANTS
SEEDS = range(3)


def ours(command, case: Case, rows: Frame, *flags: str) -> np.ndarray:
    data, model = command.write("rows.csv", rows.table()), command.folder / "model.odds"
    command.run("fit", data, "--target", "tree", "--model", case.model, "-o", model, *rows.reading(), *case.flags, *flags)
    return command.probabilities(model, data, CLASSES)


def check(got: np.ndarray, want: np.ndarray) -> None:
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=ACCURACY)
    # A constant answer would agree with a constant answer: the rows must tell classes apart.
    assert np.ptp(want, axis=0).min() > 0.2


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", CASES, ids=Case.id)
def test_plain(command, case: Case, seed: int) -> None:
    rows = case.data(np.random.default_rng(seed))
    check(ours(command, case, rows), case.peer().fit(rows.x, rows.y).predict_proba(rows.x))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", CASES, ids=Case.id)
def test_weighted(command, case: Case, seed: int) -> None:
    rows = case.data(np.random.default_rng(100 + seed))
    peer = case.peer()
    if case.weights:
        peer.fit(rows.x, rows.y, sample_weight=rows.weight)
    else:
        peer.fit(*rows.repeated())
    check(ours(command, case, rows, "--weight", "weight"), peer.predict_proba(rows.x))


@pytest.mark.parametrize("case", NAIVE_BAYES, ids=Case.id)
def test_fractional_weights(command, case: Case) -> None:
    rng = np.random.default_rng(7)
    rows = case.data(rng)
    rows.weight = rng.exponential(1.0, len(rows.y))
    want = case.peer().fit(rows.x, rows.y, sample_weight=rows.weight).predict_proba(rows.x)
    check(ours(command, case, rows, "--weight", "weight", "--weight-kind", "sampling"), want)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", [case for case in CASES if case.prior_name], ids=Case.id)
def test_given_prior(command, case: Case, seed: int) -> None:
    rows = case.data(np.random.default_rng(200 + seed))
    want = case.peer(**{case.prior_name: PRIOR}).fit(rows.x, rows.y).predict_proba(rows.x)
    check(ours(command, case, rows, "--prior", PRIOR_FLAG), want)
    # The prior can also be changed after the fit.
    command.run("fit", "rows.csv", "--target", "tree", "--model", case.model, "-o", "plain.odds", *rows.reading(), *case.flags)
    check(command.probabilities("plain.odds", "rows.csv", CLASSES, "--prior", PRIOR_FLAG), want)


@pytest.mark.parametrize("case", [case for case in NAIVE_BAYES if case.prior_name == "class_prior"], ids=Case.id)
def test_uniform_prior(command, case: Case) -> None:
    rows = case.data(np.random.default_rng(300))
    check(ours(command, case, rows, "--prior", "uniform"), case.peer(fit_prior=False).fit(rows.x, rows.y).predict_proba(rows.x))
