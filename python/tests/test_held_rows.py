"""Penalised logistic regression of words against scikit-learn: lasso, elastic net and ridge from weak penalties to strong ones."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import oddsmith as od


@pytest.fixture(scope="module")
def texts() -> tuple[sparse.csr_array, np.ndarray]:
    """Counts of 1,500 words of uneven frequency in 600 texts, many words of a single text, and classes that some words tell apart."""
    rng = np.random.default_rng(17)
    frequency = 1 / (np.arange(1500) + 2.7) ** 1.05
    words = rng.choice(1500, size=600 * 14, p=frequency / frequency.sum()).astype(np.int32)
    X = sparse.coo_array((np.ones(words.size), (np.repeat(np.arange(600, dtype=np.int32), 14), words)), shape=(600, 1500)).tocsr()
    X.sum_duplicates()
    scores = X @ (rng.normal(size=1500) * (rng.random(1500) < 0.2))
    return X, (scores + rng.logistic(size=600) > 0.5).astype(int)


def objective(model, X, y, ratio: float, C: float) -> float:
    scores = X @ model.coef_[0] + np.ravel(model.intercept_)[0]
    loss = C * np.logaddexp(0, np.where(y == 1, -scores, scores)).sum()
    return loss + ratio * np.abs(model.coef_).sum() + 0.5 * (1 - ratio) * (model.coef_**2).sum()


def violation(model, X, y, ratio: float, C: float) -> float:
    """What the conditions of the optimum leave over, as a share of the penalty."""
    w = model.coef_[0]
    errors = 1 / (1 + np.exp(-(X @ w + np.ravel(model.intercept_)[0]))) - y
    slopes = C * (X.T @ errors) + (1 - ratio) * w
    beyond = np.where(w == 0, np.maximum(np.abs(slopes) - ratio, 0), np.abs(slopes + ratio * np.sign(w)))
    return max(float(beyond.max()), C * abs(errors.sum()) if model.fit_intercept else 0.0)


@pytest.mark.parametrize("C", [0.01, 0.1, 1, 10, 100])
@pytest.mark.parametrize("ratio", [1.0, 0.5, 0.0])
def test_every_strength_ends_at_the_optimum(texts, ratio, C):
    X, y = texts
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = od.LogisticRegression(C=C, l1_ratio=ratio).fit(X, y)
    assert violation(model, X, y, ratio, C) < (1e-5 if ratio else 1e-3)
    if ratio:
        assert (model.coef_ == 0).sum() > 300


@pytest.mark.parametrize("C", [0.01, 0.1, 1, 10, 100])
@pytest.mark.parametrize("ratio", [1.0, 0.0])
def test_no_objective_of_liblinear_is_lower(texts, ratio, C):
    X, y = texts
    ours = od.LogisticRegression(C=C, l1_ratio=ratio, solver="liblinear", fit_intercept=False).fit(X, y)
    theirs = LogisticRegression(C=C, l1_ratio=ratio, solver="liblinear", fit_intercept=False, tol=1e-8, max_iter=2000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X, y)
    found, known = objective(ours, X, y, ratio, C), objective(theirs, X, y, ratio, C)
    assert found <= known * (1 + 1e-8)
    assert found >= known * (1 - 1e-4)


def test_saga_has_the_same_optimum(texts):
    X, y = texts
    ours = od.LogisticRegression(C=0.2, l1_ratio=1.0, solver="saga").fit(X, y)
    theirs = LogisticRegression(C=0.2, l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


def test_threads_change_no_bit(texts):
    X, y = texts
    for ratio in (1.0, 0.0):
        one, four = (od.LogisticRegression(C=10, l1_ratio=ratio, n_jobs=count).fit(X, y) for count in (1, 4))
        np.testing.assert_array_equal(one.coef_, four.coef_)
