"""Peers that are no scikit-learn estimators, brought into that shape; each imports its library when it is made, untimed."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np


class Statsmodels:
    """Maximum likelihood with a constant added as its users add it; `kind` is Logit or GLM."""

    def __init__(self, kind: str, tolerance: float, inference: bool = False):
        import statsmodels.api

        self.api, self.kind, self.tolerance, self.inference = statsmodels.api, kind, tolerance, inference

    def fit(self, x, y):
        design = self.api.add_constant(x)
        if self.kind == "Logit":
            fitted = self.api.Logit(y, design).fit(method="newton", tol=self.tolerance, maxiter=100, disp=0)
        else:
            fitted = self.api.GLM(y, design, family=self.api.families.Binomial()).fit(tol=self.tolerance)
        self.coef_, self.intercept_ = fitted.params[1:], fitted.params[:1]
        if self.inference:
            self.errors_ = fitted.bse
            fitted.pvalues  # noqa: B018: computed when it is asked for
        return self


def without_correction(errors, rows: int) -> np.ndarray:
    """Standard errors of glum as every other program gives them: it multiplies variances by n / (n − parameters)."""
    return np.asarray(errors) * np.sqrt((rows - len(errors)) / rows)


class Glum:
    """A generalised linear model with penalty strength / 2 · Σ β²."""

    def __init__(self, strength: float, tolerance: float, inference: bool = False):
        import glum

        self.glum, self.strength, self.tolerance, self.inference = glum, strength, tolerance, inference

    def fit(self, x, y):
        model = self.glum.GeneralizedLinearRegressor(
            family="binomial", alpha=self.strength / len(y), l1_ratio=0, gradient_tol=self.tolerance, max_iter=200
        ).fit(x, y)
        self.model, self.coef_, self.intercept_ = model, model.coef_, np.array([model.intercept_])
        if self.inference:
            errors = model.std_errors(x, y, dispersion=1.0, robust=False)
            self.errors_ = without_correction(errors, len(y))
        return self

    def predict_proba(self, x):
        event = self.model.predict(x)
        return np.stack([1 - event, event], axis=1)


class RGlm:
    """R's glm with its summary, in a process of its own; the time is R's, around the fit alone."""

    SCRIPT = """
    n <- {rows}; d <- {columns}
    x <- matrix(readBin('x.f64', 'double', n * d), n, d); y <- readBin('y.f64', 'double', n)
    table <- data.frame(y = y, x); begin <- proc.time()
    fitted <- glm(y ~ ., data = table, family = binomial(), control = glm.control(epsilon = {tolerance}))
    found <- summary(fitted)$coefficients
    cat((proc.time() - begin)[['elapsed']], '\\n')
    writeBin(as.vector(found[, 1:2]), 'found.f64')
    """

    def __init__(self, tolerance: float):
        self.tolerance = tolerance

    def fit(self, x, y):
        with tempfile.TemporaryDirectory(dir=Path(__file__).resolve().parent.parent / "target") as name:
            folder = Path(name)
            x.ravel("F").tofile(folder / "x.f64")
            y.astype(float).tofile(folder / "y.f64")
            script = self.SCRIPT.format(rows=x.shape[0], columns=x.shape[1], tolerance=self.tolerance)
            done = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True)
            estimates, self.errors_ = np.fromfile(folder / "found.f64").reshape(2, -1)
        self.intercept_, self.coef_ = estimates[:1], estimates[1:]
        self.told_seconds = float(done.stdout.split()[-1])
        return self


class Faiss:
    """Exact nearest rows in single precision, whose classes vote."""

    def __init__(self, count: int):
        import faiss

        self.faiss, self.count = faiss, count

    def fit(self, x, y):
        self.index = self.faiss.IndexFlatL2(x.shape[1])
        self.index.add(np.ascontiguousarray(x, dtype=np.float32))
        self.votes = np.eye(y.max() + 1)[y] / self.count
        return self

    def predict_proba(self, x):
        _, near = self.index.search(np.ascontiguousarray(x, dtype=np.float32), self.count)
        return self.votes[near].sum(axis=1)
