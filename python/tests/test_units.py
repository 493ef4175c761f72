"""Powers of two in the units of columns change no digit, however large or small, and counts of any size have an answer."""

from __future__ import annotations

import numpy as np
import pytest

import oddsmith as od

rng = np.random.default_rng(7)
Y = rng.integers(0, 3, 90)
X = rng.normal(size=(90, 3)) + 0.8 * Y[:, None] * np.array([1.0, -0.5, 0.2])

ESTIMATORS = [
    od.GaussianNB(),
    od.GaussianNB(var_tying="per-column"),
    od.LinearDiscriminantAnalysis(),
    od.LinearDiscriminantAnalysis(solver="lsqr"),
    od.LinearDiscriminantAnalysis(solver="eigen"),
    od.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
    od.LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    od.LinearDiscriminantAnalysis(store_covariance=True, priors=[0.2, 0.3, 0.5]),
    od.QuadraticDiscriminantAnalysis(),
    od.QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.3),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("power", [-900, -660, -200, 200, 532, 900])
def test_all_columns_in_other_units(estimator, power):
    plain = estimator.fit(X, Y).predict_proba(X)
    assert plain.max() > 0.8
    with np.errstate(all="ignore"):
        scaled = estimator.fit(X * 2.0**power, Y)
    np.testing.assert_allclose(scaled.predict_proba(X * 2.0**power), plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if not isinstance(e, od.GaussianNB) and e.shrinkage is None], ids=str)
@pytest.mark.parametrize("power", [-660, 532])
def test_one_column_in_other_units(estimator, power):
    units = np.array([1.0, 2.0**power, 1.0])
    plain = estimator.fit(X, Y).predict_proba(X)
    scaled = estimator.fit(X * units, Y)
    np.testing.assert_allclose(scaled.predict_proba(X * units), plain, rtol=1e-9, atol=1e-12)


def test_the_largest_column_drowns_the_others_as_its_addend_says():
    # var_smoothing is a share of the largest variance: columns far below it say nothing.
    units = np.array([1.0, 2.0**532, 1.0])
    model = od.GaussianNB().fit(X * units, Y)
    alone = od.GaussianNB().fit(X[:, 1:2], Y)
    np.testing.assert_allclose(model.predict_proba(X * units), alone.predict_proba(X[:, 1:2]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", [od.LinearDiscriminantAnalysis(), od.QuadraticDiscriminantAnalysis()], ids=str)
@pytest.mark.parametrize("power", [-660, 532])
def test_files_keep_the_units(estimator, power, tmp_path):
    rows = X * 2.0**power
    model = estimator.fit(rows, Y)
    model.save(tmp_path / "model.odds")
    loaded = od.load(tmp_path / "model.odds")
    np.testing.assert_array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    np.testing.assert_allclose(loaded.means_, model.means_, rtol=1e-12)


COUNTS = np.array([[2, 1, 0], [3, 0, 0], [0, 1, 4], [0, 0, 2], [1, 5, 0], [0, 4, 1]])
KINDS = np.array([0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("norm", [False, True])
def test_complement_without_smoothing_is_the_limit_of_little(norm):
    # The first column stands in two classes only when its class is left out, the last two never are missing elsewhere.
    counts = np.vstack([COUNTS, [[0, 2, 7]]])
    counts[:, 0] *= np.append(KINDS, 1) == 0
    kinds = np.append(KINDS, 1)
    exact = od.ComplementNB(alpha=0, norm=norm).fit(counts, kinds)
    little = od.ComplementNB(alpha=1e-290, norm=norm).fit(counts, kinds)
    rows = np.array([[1, 0, 0], [0, 1, 0], [0, 3, 1], [2, 1, 1], [0, 0, 0]])
    probabilities = exact.predict_proba(rows)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(probabilities, little.predict_proba(rows), atol=0.01 if norm else 1e-9)
    np.testing.assert_array_equal(exact.predict(rows), little.predict(rows))


@pytest.mark.parametrize("estimator", [od.MultinomialNB(), od.ComplementNB(), od.ComplementNB(alpha=0), od.ComplementNB(norm=True)], ids=str)
@pytest.mark.parametrize("sparse", [False, True])
def test_counts_beyond_the_range_of_products_have_an_answer(estimator, sparse):
    from scipy.sparse import csr_matrix

    model = estimator.fit(csr_matrix(COUNTS) if sparse else COUNTS, KINDS)
    rows = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 3]])
    huge = rows * 4e307
    probabilities = model.predict_proba(csr_matrix(huge) if sparse else huge)
    # So many words leave no doubt: the class of a single one, for certain.
    np.testing.assert_array_equal(np.sort(probabilities, axis=1), [[0.0, 0.0, 1.0]] * 4)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict_proba(rows).argmax(axis=1))


@pytest.mark.parametrize("estimator", [od.MultinomialNB(), od.ComplementNB()], ids=str)
def test_counts_that_add_up_to_infinity_are_refused(estimator):
    with pytest.raises(od.DataError, match="column `x1`.*add up to more than floating-point numbers can hold.*power of ten"):
        estimator.fit([[1, 1e308, 0], [0, 1e308, 2], [0, 1e308, 1]], [0, 0, 1])


def test_separating_columns_are_left_out_on_request():
    x = rng.normal(size=80)
    treated = np.arange(80) % 8 == 0
    ill = treated | (x + rng.normal(size=80) > 0)
    rows = np.column_stack([treated, x])
    with pytest.raises(od.NoEstimateError, match="quasi-complete separation.*x0"):
        od.LogisticRegression(C=np.inf).fit(rows, ill)
    with pytest.warns(od.OddsmithWarning, match="W204.*x0"):
        left = od.LogisticRegression(C=np.inf, on_separation="drop").fit(rows, ill)
    alone = od.LogisticRegression(C=np.inf).fit(rows[:, 1:], ill)
    np.testing.assert_allclose(left.coef_, [[0.0, alone.coef_[0, 0]]], rtol=1e-8)
    np.testing.assert_allclose(left.predict_proba(rows), alone.predict_proba(rows[:, 1:]), rtol=1e-8)
    with pytest.raises(od.ParameterError, match="on_separation"):
        od.LogisticRegression(on_separation="dorp").fit(rows, ill)
