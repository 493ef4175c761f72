"""Discriminants of data frames with categories: against scikit-learn on 0/1 columns made by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

import oddsmith as od

MAKERS = {
    "polars": pl.DataFrame,
    "pandas": pd.DataFrame,
    "pandas categories": lambda columns: pd.DataFrame(columns).astype({"ward": "category"}),
    "arrow": lambda columns: pl.DataFrame(columns).to_arrow(),
}


@pytest.fixture(scope="module")
def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 240)
    return {
        "age": 40 + 3 * y + rng.normal(size=240) * 8,
        "ward": np.array(["east", "north", "west"])[(y + rng.integers(0, 3, 240)) % 3],
        "smokes": rng.random(240) < 0.3 + 0.1 * y,
        "y": y,
    }


def split(columns: dict[str, np.ndarray], make) -> tuple:
    """The frame, the same rows as numbers, and the classes."""
    ward = columns["ward"]
    numbers = np.column_stack([columns["age"], ward == "north", ward == "west", columns["smokes"]]).astype(float)
    frame = make({name: values for name, values in columns.items() if name != "y"})
    return frame, numbers, columns["y"]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_linear_discriminants_take_categories(columns, make) -> None:
    frame, numbers, y = split(columns, make)
    for options in ({}, {"solver": "lsqr"}, {"solver": "eigen"}, {"solver": "lsqr", "shrinkage": "auto"}, {"priors": [0.2, 0.3, 0.5]}):
        theirs = LinearDiscriminantAnalysis(**options).fit(numbers, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ours = od.LinearDiscriminantAnalysis(**options).fit(frame, y)
        assert np.allclose(ours.predict_proba(frame), theirs.predict_proba(numbers), atol=1e-8)
        assert np.allclose(ours.means_, theirs.means_) and np.allclose(ours.coef_, theirs.coef_) and np.allclose(ours.intercept_, theirs.intercept_)
        assert np.allclose(ours.decision_function(frame), theirs.decision_function(numbers))
        if options.get("solver") != "lsqr":
            assert np.allclose(np.abs(ours.transform(frame)), np.abs(theirs.transform(numbers)))
        assert [warning.id for warning in ours.diagnostics_] == ["W250"]
        assert ours.n_features_in_ == 3 and list(ours.feature_names_in_) == ["age", "ward", "smokes"]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_quadratic_discriminants_take_categories(columns, make) -> None:
    frame, numbers, y = split(columns, make)
    for options in ({}, {"reg_param": 0.1}, {"solver": "eigen", "shrinkage": 0.2}):
        theirs = QuadraticDiscriminantAnalysis(**options).fit(numbers, y)
        ours = od.QuadraticDiscriminantAnalysis(**options).fit(frame, y)
        assert np.allclose(ours.predict_proba(frame), theirs.predict_proba(numbers), atol=1e-8)
        assert np.allclose(ours.decision_function(frame), theirs.decision_function(numbers))


@pytest.mark.parametrize("kind", [od.LinearDiscriminantAnalysis, od.QuadraticDiscriminantAnalysis])
def test_files_and_explanations_know_the_categories(columns, kind, tmp_path) -> None:
    frame, _, y = split(columns, pl.DataFrame)
    model = kind().fit(frame, y)
    model.save(tmp_path / "ward.odds")
    back = od.load(tmp_path / "ward.odds")
    assert type(back) is kind
    assert np.array_equal(back.predict_proba(frame), model.predict_proba(frame))
    assert np.allclose(back.means_, model.means_)
    explained = model.explain(frame.head(2), label=1, against=0)
    assert explained["column"].to_list() == ["(prior)", "age", "ward", "smokes"] * 2
    odds = np.diff(model.predict_log_proba(frame.head(2))[:, :2], axis=1).ravel()
    assert np.allclose(explained["contribution"].to_numpy().reshape(2, 4).sum(axis=1), odds)
    with pytest.raises(od.exceptions.MismatchError, match="pass a data frame"):
        model.predict(np.zeros((2, 3)))


def test_gaps_and_unknown_levels_are_integrated_out(columns) -> None:
    frame, numbers, y = split(columns, pl.DataFrame)
    model = od.LinearDiscriminantAnalysis().fit(frame, y)
    without = od.LinearDiscriminantAnalysis().fit(numbers[:, [0, 3]], y)
    asked = pl.DataFrame({"age": [40.0, 55.0], "ward": [None, "south"], "smokes": [True, False]})
    with pytest.warns(od.OddsmithWarning, match="W301"):
        found = model.predict_proba(asked)
    assert np.allclose(found, without.predict_proba([[40.0, 1.0], [55.0, 0.0]]))
    gappy = frame.with_columns(ward=pl.when(pl.int_range(pl.len()) < 12).then(None).otherwise(pl.col("ward")))
    with pytest.warns(od.OddsmithWarning, match="12 of 240 rows excluded"):
        fewer = od.LinearDiscriminantAnalysis().fit(gappy, y)
    assert np.allclose(fewer.coef_, od.LinearDiscriminantAnalysis().fit(frame[12:], y[12:]).coef_)


def test_a_class_without_a_level_is_named(columns) -> None:
    frame, _, y = split(columns, pl.DataFrame)
    kept = ~((columns["ward"] == "north") & (y == 1))
    with pytest.raises(od.NoEstimateError, match="no row of class `1` has the level `north` of column `ward`"):
        od.QuadraticDiscriminantAnalysis().fit(frame.filter(kept), y[kept])


def test_text_is_refused_by_name(columns) -> None:
    frame, _, y = split(columns, pl.DataFrame)
    noted = frame.with_columns(note=pl.Series([f"patient {i} slept well and ate {i % 7} meals today" for i in range(240)]))
    with pytest.raises(od.exceptions.UnsupportedError, match="`note` \\(text\\)"):
        od.LinearDiscriminantAnalysis().fit(noted, y)


def test_comparisons_have_all_models() -> None:
    births = pl.read_csv("examples/births.csv").drop("bwt")
    compared = od.compare(births, "low", ["nb", "lda", "qda", "logistic"], folds=5)
    assert compared.models["note"].null_count() == 4


def test_covariances_with_given_priors_stay_what_they_are(tmp_path) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 90)
    X = rng.normal(size=(90, 3)) * (1 + y[:, None]) + y[:, None]
    for solver in ("svd", "lsqr"):
        options = {"solver": solver, "priors": [0.2, 0.8], "store_covariance": True}
        model, theirs = od.LinearDiscriminantAnalysis(**options).fit(X, y), LinearDiscriminantAnalysis(**options).fit(X, y)
        model.save(tmp_path / "prior.odds")
        back = od.load(tmp_path / "prior.odds")
        assert np.allclose(model.covariance_, theirs.covariance_)
        assert np.allclose(back.covariance_, theirs.covariance_)
        assert np.array_equal(back.predict_proba(X), model.predict_proba(X))
