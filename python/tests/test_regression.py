"""Logistic regression against scikit-learn and against R's published figures."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import oddsmith as od


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(61)
    X = rng.normal(size=(400, 6))
    return X, np.argmax(X[:, :3] + 1.5 * rng.normal(size=(400, 3)), axis=1), rng.integers(0, 4, 400).astype(float)


KNOBS = [{}, {"C": 0.1}, {"class_weight": "balanced"}, {"class_weight": {0: 2.0}}, {"fit_intercept": False}, {"C": np.inf}]


@pytest.mark.parametrize("knobs", KNOBS, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_the_optimum_is_that_of_scikit_learn(rows, knobs, classes, weighted, form):
    X, y, weights = rows
    if form is sparse.csr_array and knobs.get("C") == np.inf:
        pytest.skip("words without a penalty have no finite estimate")
    chosen = y < classes
    X, y, given = X[chosen], y[chosen], {"sample_weight": weights[chosen]} if weighted else {}
    ours = od.LogisticRegression(**knobs).fit(form(X), y, **given)
    theirs = LogisticRegression(solver="newton-cg", tol=1e-12, max_iter=10_000, **knobs).fit(X, y, **given)
    for name in ("coef_", "intercept_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-7, err_msg=name)
    np.testing.assert_allclose(ours.predict_proba(form(X)), theirs.predict_proba(X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.decision_function(form(X)), theirs.decision_function(X), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_absolute_penalties(rows, ratio):
    X, y, _ = rows
    X, y = X[y < 2], y[y < 2]
    ours = od.LogisticRegression(C=0.05, l1_ratio=ratio).fit(X, y)
    theirs = LogisticRegression(C=0.05, l1_ratio=ratio, solver="saga", tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)
    assert (ours.coef_ == 0).any()


def test_separation_is_named_and_can_be_mended():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    with pytest.raises(od.NoEstimateError, match="x0"):
        od.LogisticRegression(C=np.inf).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", od.OddsmithWarning)
        mended = od.LogisticRegression(C=np.inf, on_separation="firth").fit(X, y)
    np.testing.assert_allclose(mended.coef_, od.LogisticRegression(C=np.inf, firth=True).fit(X, y).coef_, rtol=1e-6)


LIBRARIES = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}


@pytest.fixture(scope="module")
def births() -> dict[str, list]:
    from pathlib import Path

    frame = pl.read_csv(Path(__file__).parents[2] / "examples" / "births.csv")
    return frame.to_dict(as_series=False)


@pytest.mark.parametrize("library", LIBRARIES)
def test_tables_come_back_in_the_library_of_the_data(births, library):
    data = LIBRARIES[library](births)
    model = od.Logit("low ~ age + lwt + race + smoke", units={"lwt": 10}).fit(data)
    for table in (model.tidy(), model.glance(), model.conf_int(), model.augment(data)):
        assert type(table) is type(data)
    tidy = model.tidy()
    terms = list(tidy["term"]) if library != "pyarrow" else tidy["term"].to_pylist()
    assert terms[:3] == ["(intercept)", "age", "lwt"]


def test_estimates_agree_with_scikit_learn_and_with_the_curvature(births):
    data = pd.DataFrame(births)
    model = od.Logit("low ~ age + lwt").fit(data)
    peer = LogisticRegression(C=np.inf, solver="newton-cg", tol=1e-13, max_iter=1000).fit(data[["age", "lwt"]], data["low"])
    tidy = model.tidy().set_index("term")
    np.testing.assert_allclose(tidy["estimate"], [peer.intercept_[0], *peer.coef_[0]], rtol=1e-6)
    design = np.column_stack([np.ones(len(data)), data[["age", "lwt"]]])
    p = peer.predict_proba(data[["age", "lwt"]])[:, 1]
    covariance = np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))
    np.testing.assert_allclose(model.vcov(), covariance, rtol=1e-5)
    np.testing.assert_allclose(tidy["std_error"], np.sqrt(np.diag(covariance)), rtol=1e-6)
    np.testing.assert_allclose(model.predict_proba(data)[:, 1], p, rtol=1e-6)
    np.testing.assert_allclose(model.tidy(exponentiate=True)["estimate"], np.exp(tidy["estimate"]))


def test_summaries_files_and_pickles(births, tmp_path):
    data = pl.DataFrame(births)
    model = od.Logit("low ~ age + C(race)").fit(data)
    assert "reference" in model.summary() and "<table" in model._repr_html_() and "low ~ age" in repr(model)
    model.save(tmp_path / "m.odds")
    for again in (od.Logit.load(tmp_path / "m.odds"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict_proba(data), model.predict_proba(data))
    with pytest.raises(od.OddsmithError, match="agee"):
        od.Logit("low ~ agee").fit(data)
