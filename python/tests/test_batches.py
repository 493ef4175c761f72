"""Batches equal the whole, for any cut and in any form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import oddsmith as od

ESTIMATORS = [
    (od.GaussianNB(), "theta_ var_ epsilon_ class_prior_"),
    (od.GaussianNB(var_tying="single", divisor="unbiased"), "theta_ var_"),
    (od.GaussianNB(predictive=True), "theta_"),
    (od.MultinomialNB(), "feature_count_ feature_log_prob_"),
    (od.ComplementNB(), "feature_count_ feature_log_prob_"),
    (od.BernoulliNB(binarize=2.0), "feature_count_ feature_log_prob_"),
    (od.CategoricalNB(), "class_log_prior_"),
]


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(21)
    y = rng.integers(0, 3, 500)
    return rng.poisson(1 + y[:, None] + np.arange(4), size=(500, 4)).astype(float), y, rng.integers(0, 3, 500).astype(float)


@pytest.mark.parametrize(("estimator", "attributes"), ESTIMATORS, ids=lambda v: str(v)[:30])
@pytest.mark.parametrize("cuts", [[250], [1, 2, 3, 400], [100, 100, 500]])
def test_batches_equal_the_whole(rows, estimator, attributes, cuts):
    X, y, weights = rows
    whole = estimator.fit(X, y, sample_weight=weights)
    expected = whole.predict_proba(X)
    parts = type(estimator)(**estimator.get_params())
    for batch in np.split(np.arange(500), cuts):
        if len(batch):
            parts.partial_fit(X[batch], y[batch], classes=[0, 1, 2], sample_weight=weights[batch])
    np.testing.assert_allclose(parts.predict_proba(X), expected, rtol=1e-9, atol=1e-12)
    for name in attributes.split():
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12, err_msg=name)


def test_batches_of_one_class_each(rows):
    X, y, _ = rows
    model = od.GaussianNB()
    order = np.argsort(y, kind="stable")
    for k in range(3):
        model.partial_fit(X[y == k], y[y == k], classes=[0, 1, 2])
        if k == 0:
            np.testing.assert_array_equal(model.predict_proba(X[:2]), [[1, 0, 0], [1, 0, 0]])
    expected = od.GaussianNB().fit(X[order], y[order]).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-10)


def test_dense_and_sparse_batches_mix(rows):
    X, y, _ = rows
    model = od.MultinomialNB().partial_fit(sparse.csr_array(X[:200]), y[:200], classes=[0, 1, 2])
    model.partial_fit(X[200:], y[200:])
    np.testing.assert_allclose(model.predict_proba(X), od.MultinomialNB().fit(X, y).predict_proba(X), rtol=1e-12)


def test_categories_that_come_later_are_added(rows):
    X, y, _ = rows
    model = od.CategoricalNB().partial_fit(np.minimum(X[:250], 2), y[:250], classes=[0, 1, 2])
    model.partial_fit(X[250:], y[250:])
    whole = od.CategoricalNB().fit(np.vstack([np.minimum(X[:250], 2), X[250:]]), y)
    np.testing.assert_array_equal(model.n_categories_, whole.n_categories_)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-12)


def test_a_label_that_was_not_announced_is_refused(rows):
    X, y, _ = rows
    with pytest.raises(od.DataError, match=r"\[2\] in y do not exist"):
        od.GaussianNB().partial_fit(X, y, classes=[0, 1])
