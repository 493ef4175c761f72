"""What goes wrong is said in one family of exceptions and in warnings with ids."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import oddsmith as od
from oddsmith import _core, exceptions

X = np.array([[1.0, 5.0], [2.0, 4.0], [4.0, 4.5], [5.0, 1.0], [6.0, 2.0], [9.0, 1.5]])
Y = np.array([0, 0, 0, 1, 1, 1])


def with_cell(value: float) -> np.ndarray:
    spoiled = X.copy()
    spoiled[3, 1] = value
    return spoiled


@pytest.mark.parametrize("estimator", [od.GaussianNB(), od.LinearDiscriminantAnalysis(), od.QuadraticDiscriminantAnalysis()], ids=str)
@pytest.mark.parametrize(("value", "words"), [(np.nan, "row 4.*NaN"), (np.inf, "row 4.*infinity"), (-np.inf, "row 4.*infinity")])
def test_cells_that_are_no_numbers_are_named(estimator, value, words):
    with pytest.raises(od.DataError, match=words):
        estimator.fit(with_cell(value), Y)
    estimator.fit(X, Y)
    for rows in (with_cell(value), with_cell(value)[3:4], np.asfortranarray(with_cell(value))):
        with pytest.raises(ValueError, match="column `x1`"):
            estimator.predict_proba(rows)


def test_every_exception_is_one_of_ours_and_one_of_theirs():
    for name in exceptions.__all__:
        kind = getattr(exceptions, name)
        if name.endswith("Error"):
            assert issubclass(kind, od.OddsmithError) and getattr(od, name) is kind
            assert name in ("OddsmithError", "InternalError") or issubclass(kind, (ValueError, TypeError))
    assert issubclass(od.NoEstimateError, np.linalg.LinAlgError)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (od.GaussianNB(var_smoothing=-1), "var_smoothing = -1"),
        (od.GaussianNB(var_tying="all"), "'per-class', 'per-column', 'single'"),
        (od.GaussianNB(priors=[0.5, 0.6]), "sum of the priors should be 1"),
        (od.GaussianNB(priors=[1.0]), "Number of priors must match"),
        (od.MultinomialNB(alpha=-1), "alpha = -1"),
        (od.MultinomialNB(alpha=[1.0, 2.0, 3.0]), "3 elements instead of 2"),
        (od.BernoulliNB(binarize="yes"), "binarize = 'yes'"),
        (od.LinearDiscriminantAnalysis(solver="qr"), "'svd', 'lsqr', 'eigen'"),
        (od.LinearDiscriminantAnalysis(n_components=3), "n_components cannot be larger"),
        (od.QuadraticDiscriminantAnalysis(reg_param=2), "reg_param = 2"),
    ],
    ids=lambda v: str(v)[:40],
)
def test_parameters_out_of_range_are_named(estimator, words):
    with pytest.raises(od.ParameterError, match=words):
        estimator.fit(X, Y)


def test_a_warning_carries_its_id_and_is_kept():
    with pytest.warns(od.OddsmithWarning, match="W201 x2") as caught:
        model = od.GaussianNB().fit(np.column_stack([X, np.ones(6)]), Y)
    warning = caught[0].message
    assert (warning.id, warning.column) == ("W201", "x2")
    assert [w.id for w in model.diagnostics_] == ["W201"]
    assert str(pickle.loads(pickle.dumps(warning))) == str(warning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert od.GaussianNB().fit(X, Y).diagnostics_ == []


def test_a_perfect_column_has_no_quadratic_discriminant():
    with pytest.raises(od.NoEstimateError, match="not full rank"):
        od.QuadraticDiscriminantAnalysis().fit(np.column_stack([X, Y]), Y)


def test_one_class_is_refused():
    for estimator in (od.GaussianNB(), od.BernoulliNB(), od.LinearDiscriminantAnalysis(), od.QuadraticDiscriminantAnalysis()):
        with pytest.raises(od.DataError, match="only one class: 0"):
            estimator.fit(X, np.zeros(6, int))


def test_a_category_never_seen_says_nothing():
    model = od.CategoricalNB().fit([[0, 1], [1, 1], [1, 0], [0, 0]], [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[0, 7]]), [[0.5, 0.5]])


def test_huge_counts_still_add_up_to_one():
    model = od.MultinomialNB().fit([[10**18, 1], [1, 10**18]], [0, 1])
    np.testing.assert_allclose(model.predict_proba([[10**18, 3], [5, 5]]).sum(axis=1), 1.0, rtol=1e-15)


def test_extreme_units_give_probabilities():
    for scale in (1e-300, 1e-150, 1e150, 1e300):
        np.testing.assert_allclose(od.GaussianNB(var_smoothing=0).fit(X * scale, Y).predict_proba(X * scale).sum(axis=1), 1.0)


@pytest.mark.parametrize("cells", [1, 1 << 30])
def test_a_panic_is_an_exception_and_the_process_lives(cells):
    for _ in range(2):
        with pytest.raises(od.InternalError, match="internal error: on purpose; please report"):
            _core.panic_in_work(cells)
    assert od.GaussianNB().fit(X, Y).score(X, Y) == 1.0
