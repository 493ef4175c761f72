"""Rows with a missing predictor: no probabilities, no class, and no silent count, whatever the estimator."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score

import oddsmith as od

GAPS = [3, 11]


@pytest.fixture(scope="module")
def births() -> pd.DataFrame:
    rng = np.random.default_rng(12)
    age, ward = rng.normal(28, 5, 160), rng.choice(list("abc"), 160)
    low = np.where(rng.random(160) < 1 / (1 + np.exp(0.1 * (age - 28) - (ward == "b"))), "yes", "no")
    frame = pd.DataFrame({"age": age, "ward": ward, "low": low})
    frame.loc[GAPS[0], "age"] = np.nan
    frame.loc[GAPS[1], "ward"] = None
    return frame


def fitted(estimator, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", od.OddsmithWarning)
        return estimator.fit(*data)


def estimators(frame: pd.DataFrame) -> dict[str, object]:
    X, y = frame[["age", "ward"]], frame["low"].to_numpy()
    shift = od.PriorShift(od.Logit(), priors=[0.5, 0.5])
    return {
        "formula": fitted(od.Logit("low ~ age + ward"), frame),
        "columns": fitted(od.Logit(), X, y),
        "declared": fitted(od.OneVsRestLogistic(), X, y),
        "shifted": fitted(shift, X, y),
        "calibrated": fitted(od.CalibratedClassifier(od.Logit(), cv=3), X, y),
    }


def test_no_class_stands_beside_missing_probabilities(births, tmp_path):
    X, y = births[["age", "ward"]], births["low"].to_numpy()
    for name, model in estimators(births).items():
        with pytest.warns(od.OddsmithWarning, match="W303"):
            probabilities = model.predict_proba(X)
        assert np.isnan(probabilities[GAPS]).all() and np.isfinite(np.delete(probabilities, GAPS, axis=0)).all(), name
        with pytest.warns(od.OddsmithWarning, match="W303"):
            predicted = model.predict(X)
        assert [predicted[row] for row in GAPS] == [None, None] and set(np.delete(predicted, GAPS)) <= {"no", "yes"}, name
        with pytest.warns(od.OddsmithWarning, match="2 rows lack a value that the model needs and are not counted"):
            score = model.score(X, y)
        known = np.delete(np.arange(len(y)), GAPS)
        assert score == accuracy_score(y[known], predicted[known].astype(str)), name


def test_stored_models_keep_the_rule(births, tmp_path):
    X = births[["age", "ward"]]
    model = estimators(births)["calibrated"]
    model.save(tmp_path / "m.odds")
    stored = od.load(tmp_path / "m.odds")
    assert isinstance(stored, od.StoredModel)
    with pytest.warns(od.OddsmithWarning, match="W303"):
        predicted = stored.predict(X)
    assert [predicted[row] for row in GAPS] == [None, None]


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"])
def test_every_library_has_the_same_rule(births, make):
    model = estimators(births)["formula"]
    with pytest.warns(od.OddsmithWarning, match="W303"):
        predicted = model.predict(make(births))
    assert [predicted[row] for row in GAPS] == [None, None]


def test_the_command_and_python_leave_the_same_rows_empty(births, command):
    births.to_csv(command.folder / "births.csv", index=False)
    command.run("fit", "births.csv", "low ~ age + ward", "-o", "low.odds")
    lines = command.run("predict", "low.odds", "births.csv", "--format", "csv").splitlines()
    place = lines[0].split(",").index("predicted")
    empty = [row for row, line in enumerate(lines[1:]) if line.split(",")[place] == ""]
    assert empty == GAPS


def test_missing_says_what_becomes_of_such_rows(births):
    X, y = births[["age", "ward"]], births["low"].to_numpy()
    # Many gaps, with both classes among them: few would tell the classes apart.
    holed = X.assign(age=X["age"].where(np.arange(160) % 7 > 0), ward=X["ward"].where(np.arange(160) % 5 > 0))
    for missing, holes in (("indicator", holed), ("mean", holed.assign(ward="a"))):
        model = fitted(od.Logit("low ~ age + ward" if missing == "indicator" else "low ~ age", missing=missing), holes.assign(low=y))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isfinite(model.predict_proba(holes)).all() and set(model.predict(holes)) == {"no", "yes"}
    with pytest.raises(od.DataError, match="row 4"):
        od.Logit(missing="error").fit(X, y)
    whole = fitted(od.Logit(missing="error"), X.drop(GAPS), np.delete(y, GAPS))
    with pytest.raises(od.DataError, match="row 4"):
        whole.predict(X)
    with pytest.raises(od.ParameterError, match="missing = 'nan' is not accepted|missing = nan is not accepted"):
        od.Logit(missing="nan").fit(X, y)


def test_arrays_with_gaps_are_refused_as_scikit_learn_refuses_them():
    X, y = np.array([[1.0], [np.nan], [3.0], [2.0]]), [0, 1, 1, 0]
    for estimator in (od.Logit(), od.OneVsRestLogistic(), od.LogisticRegression(), od.GaussianNB(), od.LinearDiscriminantAnalysis()):
        with pytest.raises(ValueError, match="NaN"):
            estimator.fit(X, y)


def test_unseen_levels_have_no_class_either(births):
    model = estimators(births)["formula"]
    new = pd.DataFrame({"age": [30.0, 31.0], "ward": ["z", "a"]})
    with pytest.warns(od.OddsmithWarning, match="W30"):
        predicted = model.predict(new)
    assert predicted[0] is None and predicted[1] in {"no", "yes"}
