"""Attributes and probabilities against scikit-learn's, on random data with weights and priors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import discriminant_analysis, naive_bayes
from sklearn.covariance import OAS

import oddsmith as od

ACCURACY = {"rtol": 1e-10, "atol": 1e-12}
PRIOR = [0.2, 0.5, 0.3]


@pytest.fixture(scope="module")
def y() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 3, 300)


@pytest.fixture(scope="module")
def numbers(y) -> np.ndarray:
    rng = np.random.default_rng(2)
    return rng.normal(size=(300, 5)) @ rng.normal(size=(5, 5)) + y[:, None] * rng.normal(size=5)


@pytest.fixture(scope="module")
def counts(y) -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.poisson(1.0 + y[:, None] * rng.random(8), size=(300, 8))


@pytest.fixture(scope="module")
def weights() -> np.ndarray:
    return np.random.default_rng(4).integers(0, 4, 300).astype(float)


def same(ours, theirs, rows, names: str) -> None:
    for name in names.split():
        mine, other = getattr(ours, name), getattr(theirs, name)
        if isinstance(other, list):
            assert len(mine) == len(other)
            for left, right in zip(mine, other, strict=True):
                np.testing.assert_allclose(left, right, err_msg=name, **ACCURACY)
        else:
            assert np.shape(mine) == np.shape(other), name
            np.testing.assert_allclose(mine, other, err_msg=name, **ACCURACY)
    expected = theirs.predict_proba(rows)
    np.testing.assert_allclose(ours.predict_proba(rows), expected, **ACCURACY)
    # scikit-learn takes some logarithms of probabilities that were rounded before.
    large = expected > 1e-3
    np.testing.assert_allclose(ours.predict_log_proba(rows)[large], theirs.predict_log_proba(rows)[large], rtol=1e-9, atol=1e-10)
    first, second = np.sort(expected, axis=1)[:, :-3:-1].T
    clear = first - second > 1e-9
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(ours.predict(rows)[clear], theirs.predict(rows)[clear])
    if hasattr(theirs, "decision_function"):
        np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), rtol=1e-9, atol=1e-9)
    if hasattr(theirs, "predict_joint_log_proba"):
        np.testing.assert_allclose(ours.predict_joint_log_proba(rows), theirs.predict_joint_log_proba(rows), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("params", [{}, {"priors": PRIOR}, {"var_smoothing": 0.3}])
def test_gaussian(numbers, y, params):
    ours, theirs = od.GaussianNB(**params).fit(numbers, y), naive_bayes.GaussianNB(**params).fit(numbers, y)
    same(ours, theirs, numbers, "classes_ class_count_ class_prior_ theta_ var_ epsilon_ n_features_in_")


def test_gaussian_with_weights_is_that_of_repeated_rows(numbers, y, weights):
    times = weights.astype(int)
    ours = od.GaussianNB().fit(numbers, y, sample_weight=weights)
    same(ours, naive_bayes.GaussianNB().fit(np.repeat(numbers, times, axis=0), np.repeat(y, times)), numbers, "theta_ var_ class_count_")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "params", "attributes"),
    [
        ("MultinomialNB", {}, ""),
        ("MultinomialNB", {"alpha": np.linspace(0.1, 2, 8), "class_prior": PRIOR}, ""),
        ("ComplementNB", {}, "feature_all_"),
        ("ComplementNB", {"norm": True, "alpha": 0.01}, ""),
        ("BernoulliNB", {"binarize": 1.0, "fit_prior": False}, ""),
        ("BernoulliNB", {"alpha": 1e-3}, ""),
    ],
)
def test_counts(counts, y, weights, form, weighted, name, params, attributes):
    given = {"sample_weight": weights} if weighted else {}
    ours = getattr(od, name)(**params).fit(form(counts), y, **given)
    theirs = getattr(naive_bayes, name)(**params).fit(form(counts), y, **given)
    same(ours, theirs, form(counts), f"classes_ class_count_ class_log_prior_ feature_count_ feature_log_prob_ {attributes}")
    np.testing.assert_allclose(ours.predict_proba(np.asarray(counts)), ours.predict_proba(sparse.csr_array(counts)), rtol=1e-12)


@pytest.mark.parametrize("params", [{}, {"alpha": 0.5, "min_categories": 12}, {"class_prior": PRIOR}])
def test_categorical(counts, y, weights, params):
    ours = od.CategoricalNB(**params).fit(counts, y, sample_weight=weights)
    theirs = naive_bayes.CategoricalNB(**params).fit(counts, y, sample_weight=weights)
    same(ours, theirs, counts, "class_count_ class_log_prior_ category_count_ feature_log_prob_ n_categories_")


LDA = "classes_ priors_ means_ coef_ intercept_"


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("params", "attributes"),
    [
        ({}, "xbar_ explained_variance_ratio_"),
        ({"priors": PRIOR, "store_covariance": True}, "covariance_ xbar_ explained_variance_ratio_"),
        ({"solver": "lsqr"}, "covariance_"),
        ({"solver": "lsqr", "shrinkage": 0.2, "priors": PRIOR}, "covariance_"),
        ({"solver": "lsqr", "shrinkage": "auto"}, "covariance_"),
        ({"solver": "eigen", "shrinkage": 0.2}, "covariance_ explained_variance_ratio_"),
        ({"solver": "eigen", "shrinkage": "auto", "priors": PRIOR}, "covariance_ explained_variance_ratio_"),
        ({"solver": "eigen", "covariance_estimator": OAS()}, "covariance_ explained_variance_ratio_"),
    ],
)
def test_linear_discriminant(numbers, y, params, attributes, classes):
    chosen = y < classes
    params = params | ({"priors": [0.3, 0.7]} if "priors" in params and classes == 2 else {})
    rows, labels = numbers[chosen], y[chosen]
    ours = od.LinearDiscriminantAnalysis(**params).fit(rows, labels)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis(**params).fit(rows, labels)
    same(ours, theirs, rows, f"{LDA} {attributes}")
    if "lsqr" not in params.values():
        # Directions are unique up to their sign.
        mine, other = ours.transform(rows), theirs.transform(rows)
        np.testing.assert_allclose(mine * np.sign((mine * other).sum(axis=0)), other, rtol=1e-8, atol=1e-8)
        assert ours.scalings_.shape == theirs.scalings_.shape


def test_linear_discriminant_with_more_columns_than_rows():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 50)), np.arange(30) % 3
    rows = rng.normal(size=(20, 50))
    same(od.LinearDiscriminantAnalysis().fit(X, y), discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y), rows, LDA)


@pytest.mark.parametrize(
    "params",
    [
        {"store_covariance": True},
        {"priors": PRIOR},
        {"reg_param": 0.3, "store_covariance": True},
        {"solver": "eigen", "shrinkage": 0.2, "store_covariance": True},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": OAS()},
    ],
)
def test_quadratic_discriminant(numbers, y, params):
    ours = od.QuadraticDiscriminantAnalysis(**params).fit(numbers, y)
    theirs = discriminant_analysis.QuadraticDiscriminantAnalysis(**params).fit(numbers, y)
    same(ours, theirs, numbers, "classes_ priors_ means_ scalings_" + " covariance_" * ("store_covariance" in params))
    for mine, other in zip(ours.rotations_, theirs.rotations_, strict=True):
        np.testing.assert_allclose(np.abs(mine), np.abs(other), rtol=1e-8, atol=1e-8)
