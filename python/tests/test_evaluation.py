"""`evaluate` and `compare`: the figures of the command's evaluation, for classifiers of any library."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.svm import LinearSVC

import oddsmith as od


@pytest.fixture(scope="module")
def births() -> pl.DataFrame:
    return pl.read_csv("examples/births.csv").select("low", "age", "lwt", "smoke", "race")


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(81)
    y = rng.integers(0, 2, 400)
    return rng.normal(size=(400, 3)) + y[:, None], y


@pytest.mark.parametrize("model", [od.GaussianNB(), LogisticRegression(), RandomForestClassifier(20, max_depth=3, random_state=1)], ids=lambda m: type(m).__module__[:8])
def test_figures_of_any_classifier(rows, model):
    X, y = rows
    weights = np.random.default_rng(1).integers(1, 4, 200).astype(float)
    model.fit(X[:200], y[:200])
    p = model.predict_proba(X[200:])[:, 1]
    judged = od.evaluate(model, X[200:], y[200:], sample_weight=weights)
    expected = [f(y[200:], p, sample_weight=weights) for f in (log_loss, brier_score_loss, roc_auc_score)]
    np.testing.assert_allclose([judged["log_loss"], judged["brier"], judged["auc"]], expected, rtol=1e-9)
    assert judged.confusion.sum() == weights.sum() and judged["auc"].low < judged["auc"]
    assert judged["bits"] is not None and "auc" in judged.summary() and "<table" in judged._repr_html_()


def test_a_classifier_without_probabilities_is_judged_by_its_decision_values(rows):
    X, y = rows
    model = LinearSVC().fit(X, y)
    np.testing.assert_allclose(od.evaluate(model, X, y)["auc"], roc_auc_score(y, model.decision_function(X)))


def test_the_event_is_called_from_the_threshold_up(rows):
    X, y = rows
    model = od.GaussianNB().fit(X, y)
    called = model.predict_proba(X)[:, 1] >= 0.2
    assert od.evaluate(model, X, y, threshold=0.2)["sensitivity"] == called[y == 1].mean()


@pytest.mark.parametrize("turn", [lambda f: f, lambda f: f.to_pandas(), lambda f: f.to_arrow()], ids=["polars", "pandas", "arrow"])
def test_data_frames_by_the_name_of_the_target(births, turn):
    frame = turn(births)
    model = od.MixedNB().fit(turn(births.drop("low")), births["low"])
    judged = od.evaluate(model, frame, "low")
    same = od.evaluate(model, turn(births.drop("low")), births["low"])
    assert judged.figures == same.figures
    kinds = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.Table}
    assert isinstance(judged.table(), kinds[type(frame).__module__.split(".")[0]])
    with pytest.raises(od.UnknownNameError, match="`lo`"):
        od.evaluate(model, frame, "lo")


def test_rows_that_cannot_be_judged_are_told(births):
    model = od.Logit("low ~ age + lwt").fit(births)
    holes = births.with_columns(pl.when(pl.int_range(pl.len()) < 3).then(None).otherwise("age").alias("age"))
    with pytest.warns(od.OddsmithWarning, match="W303 3 rows lack"):
        judged = od.evaluate(model, holes, "low")
    assert judged.confusion.sum() == births.height - 3


def test_the_command_says_the_same(births, command, tmp_path):
    model = od.MixedNB().fit(births.drop("low"), births["low"])
    model.save(tmp_path / "low.odds")
    births.write_csv(tmp_path / "births.csv")
    told = command.run("evaluate", tmp_path / "low.odds", tmp_path / "births.csv", "--format", "json", "--show", "metrics")
    theirs = {row["metric"]: row["estimate"] for row in json.loads(told)}
    ours = od.evaluate(model, births, "low").figures
    assert theirs.keys() == ours.keys()
    for name, value in ours.items():
        assert value is None or value == pytest.approx(theirs[name], rel=1e-9), name


def test_the_command_compares_alike(births, command, tmp_path):
    births.write_csv(tmp_path / "births.csv")
    arguments = ["compare", tmp_path / "births.csv", "--target", "low", "--models", "nb,logistic", "--folds", "5", "--format", "json", "--show", "models"]
    theirs = json.loads(command.run(*arguments))
    ours = od.compare(births, "low", ["nb", "logistic"], folds=5).models
    for row, bits, auc in zip(theirs, ours["bits"], ours["auc"], strict=True):
        assert (bits, auc) == pytest.approx((row["bits"], row["auc"]), rel=1e-9)


def test_names_and_classifiers_run_on_the_same_folds(rows):
    X, y = rows
    compared = od.compare(X, y, ["lda", od.LinearDiscriminantAnalysis(), ("forest", RandomForestClassifier(10, min_samples_leaf=20, random_state=0))], folds=4, repeats=2)
    columns = compared.models.to_dict("list")
    assert columns["model"] == ["lda", "LinearDiscriminantAnalysis", "forest"]
    assert columns["bits"][0] == pytest.approx(columns["bits"][1], rel=1e-9)
    assert columns["auc"][0] == pytest.approx(columns["auc"][1], rel=1e-9)
    assert len(compared.pairs) == 2 and "lda" in compared.verdict.lower()
    assert compared.verdict in compared.summary() and "<table" in compared._repr_html_()


def test_learning_curves_grow_over_the_same_prefixes(rows):
    X, y = rows
    compared = od.compare(X, y, ["lda", ("ours", od.LinearDiscriminantAnalysis())], folds=4, curve=True)
    columns = compared.curve.to_dict("list")
    assert columns["model"] == ["lda"] * 5 + ["ours"] * 5 and columns["share"][:5] == [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1]
    for name in ("rows", "bits", "std_error"):
        assert columns[name][:5] == pytest.approx(columns[name][5:], rel=1e-6, abs=1), name
    assert columns["bits"][:5] == pytest.approx(columns["bits"][5:], rel=1e-9)
    assert od.compare(X, y, ["lda"], folds=4).curve is None


def test_what_is_missing_says_why():
    lonely = od.metrics.auc([0, 1, 1], [0.2, 0.7, 0.6])
    assert lonely == 1 and lonely.low is None and lonely.note == "no interval: a class has one row only"
    assert "one row only" in repr(lonely) and pickle.loads(pickle.dumps(lonely)).note == lonely.note
    _, shares = od.metrics.choose_threshold([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], aim="costs", costs=(9, 1))
    assert np.isnan(shares["precision"]) and shares["precision"].note == "no value: no row is predicted positive"
    with pytest.raises(od.DataError, match="row 2: a score cannot be `nan`"):
        od.metrics.auc([0, 1, 1], [0.2, np.nan, 0.6])


def test_weights_and_groups_by_name(births):
    frame = births.with_columns(weight=pl.Series(np.arange(births.height) % 3 + 1.0), mother=pl.Series(np.arange(births.height) // 2))
    weighted = od.compare(frame, "low", ["nb", ("mixed", od.MixedNB(var_floor=1e-9))], folds=3, groups="mother", sample_weight="weight")
    assert weighted.models["bits"][0] == pytest.approx(weighted.models["bits"][1], rel=1e-6)
    plain = od.compare(frame.drop("mother", "weight"), "low", ["nb"], folds=3)
    assert plain.models["bits"][0] != weighted.models["bits"][0]


def test_what_one_model_cannot_do_stops_no_other(births):
    compared = od.compare(births, "low", ["nb", ("forest", RandomForestClassifier())], folds=3)
    assert compared.models["bits"][0] is not None and compared.models["bits"][1] is None
    assert "could not convert" in compared.models["note"][1]
    with pytest.raises(od.ParameterError, match="twice"):
        od.compare(births, "low", ["nb", "nb"])
    with pytest.raises(od.UnknownNameError):
        od.compare(births, "low", ["shrub"])
