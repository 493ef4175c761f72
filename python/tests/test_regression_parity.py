"""Logistic and softmax regression of the built command against statsmodels and scikit-learn on random designs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.linalg import fractional_matrix_power
from conftest import Command
from sklearn.linear_model import LogisticRegression

from oddsmith import Logit

# Distance of estimates in standard errors, and relative distance of everything else.
ACCURACY = 1e-9
# scikit-learn stops by its own gradient; what it leaves behind is its error, not ours.
PENALISED_ACCURACY = 1e-6


@dataclass
class Design:
    """Columns of numbers with an intercept, labels, frequencies and clusters."""

    x: np.ndarray
    y: np.ndarray
    classes: int
    weight: np.ndarray
    cluster: np.ndarray

    @property
    def matrix(self) -> np.ndarray:
        return np.column_stack([np.ones(len(self.y)), self.x])

    @property
    def formula(self) -> str:
        return "label ~ " + " + ".join(f"x{j}" for j in range(self.x.shape[1]))

    def write(self, command: Command) -> str:
        columns = {f"x{j}": self.x[:, j] for j in range(self.x.shape[1])}
        labels = np.array([f"class {k}" for k in range(self.classes)])[self.y]
        clusters = np.char.add("c", self.cluster.astype(str))
        return str(command.write("rows.csv", {**columns, "label": labels, "weight": self.weight, "cluster": clusters}))


def drawn(seed: int, classes: int, rows: int = 500, columns: int = 4) -> Design:
    """Correlated columns of different units and places; labels that follow them."""
    rng = np.random.default_rng(seed)
    mix = np.eye(columns) + 0.4 * rng.standard_normal((columns, columns))
    plain = rng.standard_normal((rows, columns)) @ mix
    odds = np.column_stack([np.zeros(rows), plain @ rng.normal(0, 0.6, (columns, classes - 1)) + rng.normal(0, 0.3, classes - 1)])
    y = (odds + rng.gumbel(size=odds.shape)).argmax(axis=1)
    y[:classes] = np.arange(classes)
    x = plain * np.exp(rng.normal(0, 1, columns)) + rng.normal(0, 3, columns)
    return Design(x, y, classes, rng.integers(1, 6, rows), rng.integers(0, 40, rows))


def table(command: Command, *arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(command.run("fit", *arguments, "--format", "csv"))))


def tidy(command: Command, design: Design, *flags: str) -> tuple[np.ndarray, np.ndarray]:
    """Estimates and standard errors: one row per class but the first, the intercept first."""
    rows = table(command, design.write(command), design.formula, "--tidy", "--ci", "wald", *flags)
    read = lambda name: np.array([float(row[name]) for row in rows]).reshape(design.classes - 1, -1)  # noqa: E731
    return read("estimate"), read("std_error")


def glance(command: Command, design: Design, *flags: str) -> dict[str, str]:
    return table(command, design.write(command), design.formula, "--glance", "--ci", "wald", *flags)[0]


def assert_same(ours: tuple[np.ndarray, np.ndarray], estimates: np.ndarray, errors: np.ndarray) -> None:
    assert ours[0].shape == estimates.shape
    assert np.max(np.abs(ours[0] - estimates) / errors) < ACCURACY
    assert np.max(np.abs(ours[1] / errors - 1)) < ACCURACY


def newton(model, **fitting):
    """statsmodels near its last digit: a second start from its own solution."""
    first = model.fit(method="newton", maxiter=100, disp=0, tol=1e-12)
    return model.fit(method="newton", start_params=np.ravel(first.params, order="F"), maxiter=100, disp=0, tol=1e-14, **fitting)


@pytest.mark.parametrize("seed", range(4))
def test_binary_fits_are_those_of_logit(command: Command, seed: int) -> None:
    design = drawn(seed, 2)
    theirs = newton(sm.Logit(design.y, design.matrix))
    assert_same(tidy(command, design), theirs.params[None], theirs.bse[None])
    # statsmodels searches for the null model and stops early; its value has a closed form.
    shares = np.bincount(design.y) / len(design.y)
    null = len(design.y) * np.sum(shares * np.log(shares))
    wanted = {"log_likelihood": theirs.llf, "null_log_likelihood": null, "mcfadden": 1 - theirs.llf / null, "aic": theirs.aic, "bic": theirs.bic}
    ours = glance(command, design)
    for name, value in wanted.items():
        assert float(ours[name]) == pytest.approx(value, rel=1e-11), name


@pytest.mark.parametrize("kind", ["HC0", "HC1"])
def test_robust_errors_are_those_of_logit(command: Command, kind: str) -> None:
    design = drawn(10, 2)
    theirs = newton(sm.Logit(design.y, design.matrix), cov_type="HC0")
    rows, parameters = design.matrix.shape
    # statsmodels gives HC0 for any HC of this model; HC1 differs from it by a factor alone.
    factor = np.sqrt(rows / (rows - parameters)) if kind == "HC1" else 1.0
    assert_same(tidy(command, design, "--robust", kind), theirs.params[None], factor * theirs.bse[None])


@pytest.mark.parametrize("kind", ["HC2", "HC3"])
def test_errors_with_leverage_are_those_of_their_formula(command: Command, kind: str) -> None:
    design = drawn(13, 2)
    theirs = newton(sm.Logit(design.y, design.matrix))
    z, p, inverse = design.matrix, theirs.predict(), np.asarray(theirs.cov_params())
    leverage = p * (1 - p) * np.einsum("ij,jk,ik->i", z, inverse, z)
    scores = z * ((design.y - p) / (1 - leverage) ** {"HC2": 0.5, "HC3": 1}[kind])[:, None]
    errors = np.sqrt(np.diag(inverse @ scores.T @ scores @ inverse))
    assert_same(tidy(command, design, "--robust", kind), theirs.params[None], errors[None])


@pytest.mark.parametrize("unit", [1.0, 10.0])
def test_sampling_weights_have_errors_without_a_unit(command: Command, unit: float) -> None:
    design = drawn(23, 2)
    weights = np.random.default_rng(1).choice([0.5, 1.0, 2.0, 3.5], len(design.y))
    columns = {f"x{j}": design.x[:, j] for j in range(design.x.shape[1])}
    labels = np.array(["class 0", "class 1"])[design.y]
    path = str(command.write("rows.csv", {**columns, "label": labels, "sampled": unit * weights}))
    rows = table(command, path, design.formula, "--tidy", "--weight", "sampled", "--weight-kind", "sampling")
    ours = tuple(np.array([float(row[name]) for row in rows]) for name in ("estimate", "std_error"))
    z = design.matrix
    p = 1 / (1 + np.exp(-z @ ours[0]))
    # The optimum of the weighted likelihood, and V (sum of squared scores) V n / (n - P) there.
    assert np.max(np.abs(z.T @ (weights * (design.y - p))) / np.sqrt(np.sum(weights))) < 1e-7
    inverse = np.linalg.inv(z.T @ (z * (weights * p * (1 - p))[:, None]))
    scores = z * (weights * (design.y - p))[:, None]
    wanted = inverse @ scores.T @ scores @ inverse * len(z) / (len(z) - z.shape[1])
    assert np.max(np.abs(ours[1] / np.sqrt(np.diag(wanted)) - 1)) < ACCURACY
    glanced = table(command, path, design.formula, "--glance", "--weight", "sampled", "--weight-kind", "sampling")[0]
    slopes = wanted[1:, 1:]
    assert float(glanced["model_chi2"]) == pytest.approx(ours[0][1:] @ np.linalg.solve(slopes, ours[0][1:]), rel=1e-7)
    assert "aic" not in glanced


def test_class_weights_are_no_further_rows(command: Command) -> None:
    design = drawn(29, 2)
    plain, robust = tidy(command, design, "--robust", "HC1"), tidy(command, design, "--class-weight", "class 0=10,class 1=10")
    assert np.max(np.abs(robust[0] - plain[0]) / plain[1]) < ACCURACY
    assert np.max(np.abs(robust[1] / plain[1] - 1)) < ACCURACY
    estimates, errors = (figures[0] for figures in tidy(command, design, "--class-weight", "class 0=1,class 1=3", "--keep-class-weights"))
    z, weights = design.matrix, np.where(design.y == 1, 3.0, 1.0)
    p = 1 / (1 + np.exp(-z @ estimates))
    inverse = np.linalg.inv(z.T @ (z * (weights * p * (1 - p))[:, None]))
    scores = z * (weights * (design.y - p))[:, None]
    wanted = inverse @ scores.T @ scores @ inverse * len(z) / (len(z) - z.shape[1])
    assert np.max(np.abs(errors / np.sqrt(np.diag(wanted)) - 1)) < ACCURACY


def left_out(design: Design, estimates: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """Information matrix of a softmax regression, its inverse, and of every row z, residuals and second derivatives."""
    z, classes = design.matrix, design.classes
    scores = np.column_stack([np.zeros(len(z)), z @ estimates.T])
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    residuals = (design.y[:, None] == np.arange(1, classes)) - p[:, 1:]
    curvatures = [np.diag(row) - np.outer(row, row) for row in p[:, 1:]]
    information = sum(np.kron(w, np.outer(row, row)) for w, row in zip(curvatures, z, strict=True))
    return information, np.linalg.inv(information), list(zip(z, residuals, curvatures, strict=True))


@pytest.mark.parametrize("kind", ["HC2", "HC3"])
def test_errors_of_several_classes_leave_rows_out(command: Command, kind: str) -> None:
    design = drawn(17, 3)
    estimates, errors = tidy(command, design, "--robust", kind)
    _, inverse, rows = left_out(design, estimates)
    outputs = design.classes - 1
    middle = np.zeros_like(inverse)
    for z, residual, w in rows:
        spread = np.kron(np.eye(outputs), z)
        hat = w @ spread @ inverse @ spread.T
        score = spread.T @ np.real(fractional_matrix_power(np.eye(outputs) - hat, {"HC2": -0.5, "HC3": -1}[kind])) @ residual
        middle += np.outer(score, score)
    wanted = np.sqrt(np.diag(inverse @ middle @ inverse)).reshape(outputs, -1)
    assert np.max(np.abs(errors / wanted - 1)) < ACCURACY


def test_influence_in_several_classes_is_that_of_a_step_without_the_row(command: Command) -> None:
    design = drawn(19, 3)
    estimates, _ = tidy(command, design)
    rows = table(command, design.write(command), design.formula, "--augment", "--ci", "wald")
    information, inverse, parts = left_out(design, estimates)
    for row, (z, residual, w) in zip(rows, parts, strict=True):
        score = np.kron(residual, z)
        step = np.linalg.solve(information - np.kron(w, np.outer(z, z)), score)
        assert float(row["cooks_distance"]) == pytest.approx(step @ information @ step / len(step), rel=1e-7)
        assert float(row["leverage"]) == pytest.approx(np.trace(np.kron(w, np.outer(z, z)) @ inverse), rel=1e-8)
    deviance = sum(float(row["resid_deviance"]) ** 2 for row in rows)
    assert deviance == pytest.approx(float(glance(command, design)["deviance"]), rel=1e-10)
    assert sum(float(row["leverage"]) for row in rows) == pytest.approx(estimates.size, rel=1e-10)


def test_cluster_errors_are_those_of_logit(command: Command) -> None:
    design = drawn(11, 2)
    theirs = newton(sm.Logit(design.y, design.matrix), cov_type="cluster", cov_kwds={"groups": design.cluster})
    assert_same(tidy(command, design, "--cluster", "cluster"), theirs.params[None], theirs.bse[None])
    # The option, the formula and Python's argument are one key of the rows.
    rows = pd.read_csv(design.write(command))
    for ours in (Logit(f"{design.formula} + cluster(cluster)"), Logit(design.formula, cluster="cluster")):
        found = ours.fit(rows).tidy()
        assert_same((found["estimate"].to_numpy()[None], found["std_error"].to_numpy()[None]), theirs.params[None], theirs.bse[None])


def test_offsets_are_those_of_glm(command: Command) -> None:
    design = drawn(13, 2)
    theirs = sm.GLM(design.y, design.matrix, family=sm.families.Binomial(), offset=design.weight).fit(tol=1e-14, maxiter=100)
    assert_same(tidy(command, design, "--offset", "weight"), theirs.params[None], theirs.bse[None])
    rows = pd.read_csv(design.write(command))
    for ours in (Logit(f"{design.formula} + offset(weight)"), Logit(design.formula, offset="weight")):
        found = ours.fit(rows)
        table = found.tidy()
        assert_same((table["estimate"].to_numpy()[None], table["std_error"].to_numpy()[None]), theirs.params[None], theirs.bse[None])
        np.testing.assert_allclose(found.predict_proba(rows)[:, 1], theirs.fittedvalues, rtol=1e-7)


def test_frequencies_are_those_of_glm(command: Command) -> None:
    design = drawn(12, 2)
    family = sm.families.Binomial()
    theirs = sm.GLM(design.y, design.matrix, family=family, freq_weights=design.weight).fit(tol=1e-14, maxiter=100)
    assert_same(tidy(command, design, "--weight", "weight"), theirs.params[None], theirs.bse[None])
    ours = glance(command, design, "--weight", "weight")
    for name, value in {"log_likelihood": theirs.llf, "deviance": theirs.deviance, "null_deviance": theirs.null_deviance}.items():
        assert float(ours[name]) == pytest.approx(value, rel=1e-11), name


@pytest.mark.parametrize("classes", [3, 4, 5])
def test_softmax_fits_are_those_of_mnlogit(command: Command, classes: int) -> None:
    design = drawn(20 + classes, classes, rows=900)
    theirs = newton(sm.MNLogit(design.y, design.matrix))
    assert_same(tidy(command, design), np.asarray(theirs.params).T, np.asarray(theirs.bse).T)
    assert float(glance(command, design)["log_likelihood"]) == pytest.approx(theirs.llf, rel=1e-11)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("strength", [0.01, 1.0, 30.0])
def test_quadratic_penalties_are_those_of_scikit_learn(command: Command, classes: int, strength: float) -> None:
    design = drawn(30 + classes, classes)
    theirs = LogisticRegression(C=1 / strength, tol=1e-12, max_iter=10000, solver="newton-cholesky").fit(design.x, design.y)
    data = design.write(command)
    command.run("fit", data, design.formula, "--l2", str(strength), "-o", "model.json", "--quiet")
    ours = command.probabilities("model.json", data, [f"class {k}" for k in range(classes)])
    assert np.max(np.abs(ours - theirs.predict_proba(design.x))) < PENALISED_ACCURACY
