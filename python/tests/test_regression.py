"""Logistic regression against scikit-learn and against R's published figures."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import statsmodels.api as sm
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import oddsmith as od


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(61)
    X = rng.normal(size=(400, 6))
    return X, np.argmax(X[:, :3] + 1.5 * rng.normal(size=(400, 3)), axis=1), rng.integers(0, 4, 400).astype(float)


PARAMS = [{}, {"C": 0.1}, {"class_weight": "balanced"}, {"class_weight": {0: 2.0}}, {"fit_intercept": False}, {"C": np.inf}]


@pytest.mark.parametrize("params", PARAMS, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_the_optimum_is_that_of_scikit_learn(rows, params, classes, weighted, form):
    X, y, weights = rows
    if form is sparse.csr_array and params.get("C") == np.inf:
        pytest.skip("words without a penalty have no finite estimate")
    chosen = y < classes
    X, y, given = X[chosen], y[chosen], {"sample_weight": weights[chosen]} if weighted else {}
    ours = od.LogisticRegression(**params).fit(form(X), y, **given)
    theirs = LogisticRegression(solver="newton-cg", tol=1e-12, max_iter=10_000, **params).fit(X, y, **given)
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


def slopes(model, X, y, l1_ratio: float, C: float) -> np.ndarray:
    """How far the weights are from an optimum: what the conditions of Karush, Kuhn and Tucker leave over."""
    codes = np.eye(len(model.classes_))[np.searchsorted(model.classes_, y)]
    errors = model.predict_proba(X) - codes
    errors = errors[:, 1:] if len(model.classes_) == 2 else errors
    gradient = (X.T @ errors).T + (1 - l1_ratio) / C * model.coef_
    strength = l1_ratio / C
    free = np.maximum(np.abs(gradient) - strength, 0.0)
    return np.where(model.coef_ == 0, free, np.abs(gradient + strength * np.sign(model.coef_)))


def degenerate(kind: str) -> tuple[np.ndarray, int]:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 120 if kind == "wide" else 8))
    if kind == "copies":
        X[:, 4:] = X[:, :4]
    if kind == "flags":
        X = (X > 1.0).astype(float)
    if kind == "units":
        X *= np.logspace(-4, 4, 8)
    return X, 60


@pytest.mark.parametrize("rows", ["array", "sparse"])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["plain", "wide", "copies", "flags", "units", "separated"])
@pytest.mark.parametrize(("l1_ratio", "C"), [(1.0, 1.0), (1.0, 20.0), (0.5, 1.0), (0.1, 0.3)])
def test_penalties_end_at_the_optimum(rows, classes, kind, l1_ratio, C):
    X, count = degenerate(kind)
    noise = 0.0 if kind == "separated" else 1.0
    rng = np.random.default_rng(classes)
    scores = X[:, :classes] / X[:, :classes].std(axis=0) + noise * rng.gumbel(size=(count, classes))
    y = np.array(list("edcba"))[scores.argmax(axis=1)]
    data = X if rows == "array" else sparse.csr_array(X)
    model = od.LogisticRegression(l1_ratio=l1_ratio, C=C, max_iter=2000).fit(data, y)
    scale = np.abs(X).sum(axis=0) + 1
    assert (slopes(model, X, y, l1_ratio, C) / scale).max() < 1e-4
    assert model.n_iter_[0] < 2000


def test_steps_are_counted_and_missed_optima_told():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(200, 5))
    y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
    with pytest.warns(ConvergenceWarning, match="1 steps? did not reach the optimum"):
        short = od.LogisticRegression(max_iter=1, C=100.0).fit(X * [1, 10, 100, 1, 1], y)
    assert short.n_iter_.tolist() == [1] and [w.id for w in short.diagnostics_] == ["W215"]
    zero = od.LogisticRegression(max_iter=0)
    with pytest.warns(ConvergenceWarning):
        zero.fit(X, y)
    assert not zero.coef_.any()


def test_a_warm_start_has_no_way_to_go():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(300, 6))
    for classes in (2, 3):
        y = (X[:, :classes] + rng.gumbel(size=(300, classes))).argmax(axis=1)
        model = od.LogisticRegression(warm_start=True, C=5.0).fit(X, y)
        cold = model.n_iter_[0]
        coef = model.coef_.copy()
        model.fit(X, y)
        assert model.n_iter_[0] <= min(1, cold) and np.allclose(model.coef_, coef, atol=1e-7)


def test_other_weights_can_be_put_in_place():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(100, 2))
    model = od.LogisticRegression().fit(X, (X[:, 0] > 0).astype(int))
    assert (model.sparsify().predict_proba(X) == model.densify().predict_proba(X)).all()
    model.coef_, model.intercept_ = np.zeros((1, 2)), np.array([np.log(3.0)])
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.25, 0.75]])


def test_logit_takes_columns_classes_and_formulas(births):
    frame = pl.DataFrame(births)
    named = od.Logit("low ~ age + lwt").fit(frame)
    beside = od.Logit("~ age + lwt").fit(frame.drop("low"), frame["low"])
    every = od.Logit().fit(frame.select("age", "lwt"), frame["low"])
    array = od.Logit().fit(frame.select("age", "lwt").to_numpy().astype(float), frame["low"].to_numpy())
    for other in (beside, every, array):
        np.testing.assert_allclose(other.vcov(), named.vcov(), rtol=1e-8)
    interacting = od.Logit("~ x0 * x1").fit(frame.select("age", "lwt").to_numpy().astype(float), frame["low"].to_numpy())
    assert len(interacting.vcov()) == 4
    again = clone(interacting).fit(frame.select("age", "lwt").to_numpy().astype(float), frame["low"].to_numpy())
    np.testing.assert_array_equal(again.vcov(), interacting.vcov())
    with pytest.raises(od.ParameterError, match="left side"):
        named.fit(frame, frame["low"])
    with pytest.raises(ValueError, match="requires y"):
        od.Logit("~ age").fit(frame)


def test_messages_speak_of_parameters():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    with pytest.raises(od.NoEstimateError, match="on_separation='firth'") as caught:
        od.Logit().fit(X, [0, 0, 1, 1])
    assert "--" not in str(caught.value)


def test_an_offset_has_weight_one(rows):
    X, y, _ = rows
    y = (y > 0).astype(int)
    model = od.LogisticRegression(C=np.inf, offset=2).fit(X, y)
    theirs = sm.GLM(y, sm.add_constant(np.delete(X, 2, axis=1)), sm.families.Binomial(), offset=X[:, 2]).fit(tol=1e-12)
    np.testing.assert_allclose(np.delete(model.coef_[0], 2), theirs.params[1:], rtol=1e-6)
    assert model.coef_[0, 2] == 1.0
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], theirs.fittedvalues, rtol=1e-6)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_[0] + model.intercept_)
    with pytest.raises(od.ParameterError, match="offset = 9"):
        od.LogisticRegression(offset=9).fit(X, y)
    pair = od.LogisticRegression(C=np.inf, offset=[1, 2]).fit(X, y)
    shifted = od.LogisticRegression(C=np.inf, offset=0).fit(np.column_stack([X[:, 2] - X[:, 1], X[:, [0, 3, 4, 5]]]), y)
    np.testing.assert_allclose(pair.predict_proba(X)[:, 1], shifted.predict_proba(np.column_stack([X[:, 2] - X[:, 1], X[:, [0, 3, 4, 5]]]))[:, 1], rtol=1e-8)


@pytest.mark.parametrize("C", [np.inf, 2.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_every_class_has_an_offset_of_its_own(rows, C, fit_intercept, kind):
    X, y, weights = rows[0].astype(kind), rows[1], rows[2]
    model = od.LogisticRegression(C=C, offset=[4, 5, 4], fit_intercept=fit_intercept).fit(X, y, weights)
    offsets, free = X[:, [4, 5, 4]].astype(float), X[:, :4].astype(float)
    # The slopes of the penalised log likelihood at the weights, with the offsets added to the scores as they are.
    scores = free @ model.coef_[:, :4].T.astype(float) + model.intercept_ + offsets
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    errors = weights[:, None] * (shares - np.eye(3)[y])
    slopes = free.T @ errors + model.coef_[:, :4].T / C
    assert np.abs(slopes).max() < (1e-6 if kind == np.float64 else 1e-3)
    assert not fit_intercept or np.abs(errors.sum(axis=0)).max() < (1e-6 if kind == np.float64 else 1e-3)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found, shares, rtol=1e-6 if kind == np.float64 else 1e-5)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_.T + model.intercept_, rtol=1e-6 if kind == np.float64 else 1e-3, atol=1e-5)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), found)


def test_offsets_that_make_no_sense_are_refused(rows):
    X, y, _ = rows
    for offset in (2, [0, 1], [0, 1, 9], [0, 1, "x9"], []):
        with pytest.raises(od.ParameterError, match="offset = "):
            od.LogisticRegression(offset=offset).fit(X, y)
    with pytest.raises(od.UnsupportedError, match="not of sparse rows"):
        od.LogisticRegression(offset=[0, 1, 2]).fit(sparse.csr_array(X), y)


def test_logit_gives_the_scores_of_a_regression(rows, births):
    X, y, _ = rows
    for labels in (y, (y > 0).astype(int)):
        ours, peer = od.Logit(tests=False).fit(X, labels), od.LogisticRegression(C=np.inf).fit(X, labels)
        np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-6, atol=1e-8)
    frame = pl.DataFrame(births)
    model = od.Logit("low ~ age + C(race)").fit(frame)
    np.testing.assert_allclose(model.decision_function(frame), np.log(model.predict_proba(frame)[:, 1] / model.predict_proba(frame)[:, 0]), rtol=1e-9)


def test_tests_of_terms_can_be_left_out(births):
    frame = pl.DataFrame(births)
    with_tests, without = (od.Logit("low ~ age + lwt", tests=tests).fit(frame) for tests in (True, False))
    np.testing.assert_array_equal(with_tests.vcov(), without.vcov())
    assert "bits" in with_tests.summary() and "bits" not in without.summary()


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_are_augmented_with_their_influence(classes: int) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(90, 2))
    y = (x @ rng.normal(size=(2, classes)) + rng.gumbel(size=(90, classes))).argmax(axis=1)
    data = pd.DataFrame({"y": np.array(list("abc"))[y], "u": x[:, 0], "v": x[:, 1]})
    model = od.Logit("y ~ u + v").fit(data)
    rows = model.augment(data)
    assert rows["leverage"].sum() == pytest.approx(3 * (classes - 1), rel=1e-9)
    assert (rows["resid_deviance"] ** 2).sum() == pytest.approx(-2 * np.log(model.predict_proba(data)[np.arange(90), y]).sum(), rel=1e-9)
    fitted = rows["fitted"] if classes == 2 else rows["fitted_b"]
    np.testing.assert_allclose(fitted, rows["p_b"], rtol=1e-12)
    unknown = model.augment(data.drop(columns="y"))
    assert unknown["resid_deviance"].isna().all() and not unknown["leverage"].isna().any()
    weighted = od.Logit("y ~ u", weights="n").fit(data.assign(n=2))
    assert weighted.augment(data.assign(n=2))["leverage"].sum() == pytest.approx(2 * (classes - 1), rel=1e-9)
    assert weighted.augment(data)["leverage"].isna().all()


GOLDEN = Path(__file__).parents[2] / "testdata" / "golden"


@pytest.mark.parametrize(
    ("case", "columns", "weights"),
    [
        ("glm_budworm", "cbind(numdead, 20 - numdead) ~ sex * ldose", None),
        ("glm_menarche_grouped", "cbind(Menarche, Total - Menarche) ~ Age", None),
        ("glm_ucb_freq_weights", "admitted ~ Gender + Dept", "Freq"),
    ],
)
def test_a_row_of_counts_or_of_a_frequency_counts_whole(case: str, columns: str, weights: str | None, tmp_path) -> None:
    golden = json.loads((GOLDEN / f"{case}.json").read_text())
    data = pd.read_csv(GOLDEN / golden["data"])
    model = od.Logit(columns, weights=weights).fit(data)
    model.save(tmp_path / "m.odds")
    names = {
        "leverage": "hat",
        "cooks_distance": "cooks",
        "resid_deviance": "resid_deviance",
        "resid_pearson": "resid_pearson",
        "std_resid_deviance": "rstandard_deviance",
    }
    for rows in (model.augment(data), od.Logit.load(tmp_path / "m.odds").augment(data)):
        for ours, of_r in names.items():
            np.testing.assert_allclose(rows[ours], golden["results"][of_r], rtol=1e-8, atol=1e-8, err_msg=ours)
    glance = model.glance().iloc[0]
    assert glance["pearson_chi2"] == pytest.approx(golden["results"]["pearson_chisq"], rel=1e-10)
    assert glance["df_residual"] == (data[weights].sum() if weights else len(data)) - golden["results"]["rank"]


def test_a_row_that_lacks_a_predictor_has_no_residual(births) -> None:
    data = pd.DataFrame(births).astype({"age": float})
    data.loc[3, "age"] = np.nan
    rows = od.Logit("low ~ age + lwt").fit(data).augment(data)
    for name in ("fitted", "leverage", "cooks_distance", "resid_deviance", "resid_pearson", "std_resid_pearson"):
        assert rows[name].isna().tolist() == [i == 3 for i in range(len(data))], name


@pytest.mark.parametrize(("units", "told"), [({"agee": 10}, "`agee`.*age, lwt"), ({"age": 0}, "age=0"), ({"age": -1}, "age=-1"), ({"age": np.inf}, "age=inf")])
def test_units_of_other_columns_and_sizes_are_refused(births, units, told) -> None:
    with pytest.raises(od.exceptions.ParameterError, match=told):
        od.Logit("low ~ age + lwt", units=units).fit(pd.DataFrame(births))
