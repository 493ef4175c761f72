"""Weights in the open: written into, put in place, and in the precision of the rows, as scikit-learn has them."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes
from scipy import sparse

import oddsmith as od

LINEAR = [
    ("LogisticRegression", {}),
    ("LinearDiscriminantAnalysis", {}),
    ("LinearDiscriminantAnalysis", {"solver": "lsqr"}),
]


def theirs(name):
    modules = (sklearn.linear_model, sklearn.discriminant_analysis, sklearn.naive_bayes)
    return next(getattr(module, name) for module in modules if name in module.__all__)


def table(classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4))
    return X, (X[:, :classes] + rng.gumbel(size=(120, classes))).argmax(axis=1)


@pytest.mark.parametrize(("name", "params"), LINEAR)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rows", [1, 120])
def test_writing_into_weights_changes_every_answer(name, params, classes, rows):
    X, y = table(classes)
    ours, peer = getattr(od, name)(**params).fit(X, y), theirs(name)(**params).fit(X, y)
    for model in (ours, peer):
        model.predict_proba(X[:rows])
        model.coef_[:] = np.linspace(-1, 2, model.coef_.size).reshape(model.coef_.shape)
        model.intercept_[-1] = 0.25
    # What was not written into stands as it was learned, and the peer stops near the optimum.
    peer.intercept_[:] = ours.intercept_
    for method in ("predict_proba", "predict_log_proba", "decision_function", "predict"):
        answer, expected = getattr(ours, method)(X[:rows]), getattr(peer, method)(X[:rows])
        if method == "decision_function" and classes > 2:
            answer, expected = (scores - scores.mean(axis=1, keepdims=True) for scores in (answer, expected))
        np.testing.assert_allclose(answer, expected, rtol=1e-10, atol=1e-12)
    for other in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        np.testing.assert_array_equal(other.predict_proba(X), ours.predict_proba(X))


def test_weights_written_back_are_the_model_again(tmp_path):
    X, y = table(3)
    model = od.LogisticRegression().fit(X, y)
    learned, kept = model.predict_proba(X), model.coef_.copy()
    model.coef_ *= 2
    assert not np.allclose(model.predict_proba(X), learned)
    with pytest.raises(od.UnsupportedError, match="changed by hand"):
        model.save(tmp_path / "model.odds")
    model.coef_[:] = kept
    np.testing.assert_array_equal(model.predict_proba(X), learned)
    model.save(tmp_path / "model.odds")


def test_rewritten_weights_answer_about_sparse_rows_and_refuse_gaps():
    X, y = table(2)
    model = od.LogisticRegression().fit(sparse.csr_array(X), y)
    model.sparsify().coef_.data[0] = 0.0
    np.testing.assert_allclose(model.decision_function(sparse.csr_array(X)), X @ model.coef_.toarray()[0] + model.intercept_)
    model.densify().coef_[:] = 0.0
    assert (model.predict_proba(X) == model.predict_proba(X)[0]).all()
    X[3, 1] = np.nan
    for rows in (X, sparse.csr_array(X)):
        with pytest.raises(od.DataError, match="contains NaN"):
            model.predict_proba(rows)


def types_of(model, X):
    """The number types of attributes and answers."""
    found = {}
    for name, value in vars(model).items():
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, np.ndarray) and name.endswith("_") and not name.startswith("_") and name != "classes_":
            found[name] = value.dtype.name
    for method in ("predict_proba", "predict_log_proba", "predict_joint_log_proba", "decision_function", "transform"):
        for kind in (np.float32, np.float64, np.int8, np.int64):
            if hasattr(model, method):
                found[method, kind.__name__] = getattr(model, method)(X.astype(kind)).dtype.name
    return found


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("GaussianNB", {}),
        ("MultinomialNB", {}),
        ("LinearDiscriminantAnalysis", {"store_covariance": True}),
        ("QuadraticDiscriminantAnalysis", {"store_covariance": True}),
        ("QuadraticDiscriminantAnalysis", {"solver": "eigen"}),
        *(("LogisticRegression", {"solver": solver}) for solver in ("lbfgs", "liblinear", "newton-cholesky", "saga")),
    ],
)
def test_numbers_have_the_precision_of_the_rows(name, params, classes, kind):
    if params.get("solver") == "liblinear" and classes > 2:
        return
    X = np.random.default_rng(1).integers(0, 4, (200, 4)).astype(kind)
    y = np.random.default_rng(2).integers(0, classes, 200)
    for rows in (X, sparse.csr_array(X)) if name in ("LogisticRegression", "MultinomialNB") else (X,):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = types_of(theirs(name)(**params).fit(rows, y), rows)
        found = types_of(getattr(od, name)(**params).fit(rows, y), rows)
        assert {name: found[name] for name in expected.keys() & found.keys()} == {name: expected[name] for name in expected.keys() & found.keys()}
        assert {"predict_proba", "predict_log_proba"} <= {entry[0] for entry in found if isinstance(entry, tuple)}


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_three_classes_have_that_precision_too(solver):
    # scikit-learn rounds the weights of these solvers for two classes only.
    X, y = table(3)
    model = od.LinearDiscriminantAnalysis(solver=solver).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.predict_proba(X.astype(np.float32)).dtype == np.float32


def test_rounded_attributes_leave_the_model_its_digits():
    X, y = table(2)
    rounded = X.astype(np.float32)
    for model in (od.GaussianNB(), od.LinearDiscriminantAnalysis(), od.LogisticRegression()):
        in_four, in_eight = copy.deepcopy(model).fit(rounded, y), model.fit(rounded.astype(np.float64), y)
        np.testing.assert_array_equal(in_four.predict_proba(rounded.astype(np.float64)), in_eight.predict_proba(rounded.astype(np.float64)))
