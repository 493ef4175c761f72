"""Data frames of every library, with numbers, categories, booleans, text and gaps."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import oddsmith as od
from oddsmith import stats

ROWS = 240


@pytest.fixture(scope="module")
def columns() -> dict[str, list]:
    rng = np.random.default_rng(51)
    y = rng.integers(0, 2, ROWS)
    gap = lambda values: [None if rng.random() < 0.1 else value for value in values]  # noqa: E731
    words = np.array(["pain fever", "cough", "fever rash cough", "none at all"])
    return {
        "age": gap((40 + 10 * y + rng.normal(size=ROWS) * 8).round(3).tolist()),
        "ward": gap(np.array(["a", "b", "c"])[(y + rng.integers(0, 2, ROWS)) % 3].tolist()),
        "smokes": gap((rng.random(ROWS) < 0.3 + 0.4 * y).tolist()),
        "visits": rng.poisson(1 + y).tolist(),
        "note": [f"{words[(k + i) % 4]} word{i % 7}" for i, k in enumerate(y)],
        "y": np.array(["ill", "well"])[y].tolist(),
    }


LIBRARIES = {
    "polars": pl.DataFrame,
    "pandas": lambda columns: pd.DataFrame(columns),
    "pandas categories": lambda columns: pd.DataFrame(columns).astype({"ward": "category"}),
    "polars categories": lambda columns: pl.DataFrame(columns, schema_overrides={"ward": pl.Categorical}),
    "pyarrow": pa.table,
    "chunks": lambda columns: pa.concat_tables([pa.table(columns).slice(0, 100), pa.table(columns).slice(100)]),
}
KINDS = {"age": "number", "ward": "category", "smokes": "boolean", "visits": "number", "note": "text"}


def split(columns: dict[str, list], library: str):
    features = {name: values for name, values in columns.items() if name != "y"}
    return LIBRARIES[library](features), np.array(columns["y"])


@pytest.fixture(scope="module")
def expected(columns) -> np.ndarray:
    return od.MixedNB(kinds={"note": "text"}).fit(*split(columns, "polars")).predict_proba(split(columns, "polars")[0])


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_model(columns, expected, library):
    frame, y = split(columns, library)
    model = od.MixedNB(kinds={"note": "text"}).fit(frame, y)
    assert model.kinds_ == KINDS
    # Sums of other chunks round otherwise.
    np.testing.assert_allclose(model.predict_proba(frame), expected, rtol=1e-13 if library == "chunks" else 0)
    np.testing.assert_allclose(model.predict_proba(frame).sum(axis=1), 1.0)
    assert (model.predict(frame) == y).mean() > 0.7


def test_the_command_says_the_same(columns, expected, command):
    table = {name: np.array(["" if value is None else value for value in values], dtype=object) for name, values in columns.items()}
    data = command.write("rows.csv", table)
    command.run("fit", data, "--target", "y", "--model", "nb", "--kind", ",".join(f"{n}={k}" for n, k in KINDS.items()), "-o", "m.odds")
    np.testing.assert_allclose(command.probabilities(command.folder / "m.odds", data, ["ill", "well"]), expected, rtol=1e-9)
    frame, y = split(columns, "polars")
    loaded = od.load(command.folder / "m.odds")
    assert isinstance(loaded, od.MixedNB) and loaded.kinds_ == KINDS
    np.testing.assert_allclose(loaded.predict_proba(frame), expected, rtol=1e-9)
    od.MixedNB(kinds={"note": "text"}).fit(frame, y).save(command.folder / "p.odds")
    np.testing.assert_allclose(command.probabilities(command.folder / "p.odds", data, ["ill", "well"]), expected, rtol=1e-13)


def test_parts_agree_with_scikit_learn(columns):
    y = np.array(columns["y"])
    complete = np.array([a is not None and w is not None for a, w in zip(columns["age"], columns["ward"], strict=True)])
    age = np.array([np.nan if v is None else v for v in columns["age"]], dtype=float)
    ward = np.array([-1 if v is None else "abc".index(v) for v in columns["ward"]])
    frame = pd.DataFrame({"age": age, "ward": columns["ward"]})[complete]
    ours = od.MixedNB(var_floor=0).fit(frame, y[complete])
    numbers = GaussianNB(var_smoothing=0).fit(age[complete, None], y[complete])
    levels = CategoricalNB().fit(ward[complete, None], y[complete])
    joint = numbers.predict_joint_log_proba(age[complete, None]) + levels.predict_joint_log_proba(ward[complete, None])
    joint -= np.log(numbers.class_prior_)
    np.testing.assert_allclose(ours.predict_joint_log_proba(frame), joint, rtol=1e-10)


def test_gaps_and_unseen_levels_say_nothing(columns):
    frame, y = split(columns, "polars")
    model = od.MixedNB(kinds={"note": "text"}).fit(frame, y)
    empty = pl.DataFrame({name: [None] for name in frame.columns}, schema=frame.schema)
    np.testing.assert_allclose(model.predict_proba(empty)[0], model.class_prior_)
    known, unseen = frame[:1].with_columns(ward=None), frame[:1].with_columns(ward=pl.lit("zzz"))
    with pytest.warns(od.OddsmithWarning, match="W301 ward"):
        found = model.predict_proba(unseen)
    np.testing.assert_allclose(found, model.predict_proba(known.cast({"ward": pl.String})))
    array = np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, np.nan], [5.0, 5.0]])
    numbers = od.MixedNB().fit(array, [0, 0, 1, 1])
    np.testing.assert_allclose(numbers.predict_proba([[np.nan, np.nan]]), [[0.5, 0.5]])
    with pytest.raises(od.DataError, match="infinity"):
        numbers.predict_proba([[np.inf, 1.0]])


def test_batches_add_their_levels(columns):
    frame, y = split(columns, "polars")
    model = od.MixedNB(kinds={"note": "text"})
    order = np.argsort(np.array([w or "" for w in columns["ward"]]), kind="stable")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", od.OddsmithWarning)
        for batch in np.array_split(order, 4):
            model.partial_fit(frame[batch], y[batch], classes=["ill", "well"])
    whole = od.MixedNB(kinds={"note": "text"}).fit(frame, y)
    np.testing.assert_allclose(model.predict_proba(frame), whole.predict_proba(frame), rtol=1e-9)


def test_weights_are_repetitions(columns):
    frame, y = split(columns, "pandas")
    weights = np.random.default_rng(5).integers(0, 3, ROWS)
    weighted = od.MixedNB(kinds={"note": "text"}).fit(frame, y, sample_weight=weights)
    repeated = od.MixedNB(kinds={"note": "text"}).fit(frame.loc[frame.index.repeat(weights)], np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(frame), repeated.predict_proba(frame), rtol=1e-10)


def test_distributions_can_be_chosen(columns):
    frame, y = split(columns, "polars")
    chosen = {"visits": "multinomial", "note": "bernoulli"}
    model = od.MixedNB(kinds={"note": "text"}, distributions=chosen).fit(frame, y)
    assert not np.allclose(model.predict_proba(frame), od.MixedNB(kinds={"note": "text"}).fit(frame, y).predict_proba(frame))
    with pytest.raises(od.UnknownNameError, match="did you mean `visits`"):
        od.MixedNB(distributions={"visit": "multinomial"}).fit(frame, y)
    with pytest.raises(od.ParameterError, match="number, category, boolean or text"):
        od.MixedNB(kinds={"ward": "levels"}).fit(frame, y)


def test_names_are_checked(columns):
    frame, y = split(columns, "polars")
    model = od.MixedNB().fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename({"age": "years"}))
    table, _ = split(columns, "pyarrow")
    with pytest.raises(od.MismatchError, match="feature names should match"):
        od.MixedNB().fit(table, y).predict(table.rename_columns(["years", *table.column_names[1:]]))


@pytest.mark.parametrize(
    "estimator",
    [od.GaussianNB(), od.MultinomialNB(), od.BernoulliNB(), od.LinearDiscriminantAnalysis(), od.QuadraticDiscriminantAnalysis(), od.MixedNB()],
    ids=lambda e: type(e).__name__,
)
def test_statistics_stand_for_their_rows(estimator, tmp_path):
    rng = np.random.default_rng(52)
    y = rng.integers(0, 3, 300)
    X = rng.poisson(2 + y[:, None], size=(300, 4)).astype(float)
    whole = stats.gather(X, y)
    parts = stats.gather(X[:100], y[:100]) + stats.gather(X[100:], y[100:])
    rest = whole - stats.gather(X[:100], y[:100])
    whole.save(tmp_path / "all.stats")
    expected = estimator.fit(X, y).predict_proba(X)
    for sums in (whole, parts, stats.load(tmp_path / "all.stats")):
        np.testing.assert_allclose(sums.fit(estimator).predict_proba(X), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(rest.fit(estimator).predict_proba(X), estimator.fit(X[100:], y[100:]).predict_proba(X), rtol=1e-8, atol=1e-10)


def test_statistics_know_what_they_are_the_sum_of(tmp_path):
    rng = np.random.default_rng(53)
    y = rng.integers(0, 2, 300)
    X = rng.poisson(3 + y[:, None], size=(300, 2)).astype(float)
    north, south, east = (stats.gather(X[lo:hi], y[lo:hi]) for lo, hi in ((0, 100), (100, 220), (220, 300)))
    north.save(tmp_path / "north.stats")
    both = north + south
    both.save(tmp_path / "both.stats")
    for first, second in ((north, north), (north, stats.load(tmp_path / "north.stats")), (stats.load(tmp_path / "both.stats"), north)):
        with pytest.raises(od.MismatchError, match="the same rows would count twice"):
            first + second
    with pytest.raises(od.MismatchError, match="count twice"):
        pickle.loads(pickle.dumps(both)) + south
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rest = both - north
        np.testing.assert_array_equal((rest + north).class_count, both.class_count)
    with pytest.warns(od.OddsmithWarning, match="lists what it is the sum of, and the part is not among it"):
        both - east


def test_statistics_of_frames_and_of_the_command_are_the_same_files(columns, command):
    frame, y = split(columns, "pandas")
    table = {name: np.array(["" if value is None else value for value in values], dtype=object) for name, values in columns.items()}
    data = command.write("rows.csv", table)
    command.run("stats", "gather", data, "--target", "y", "--kind", ",".join(f"{n}={k}" for n, k in KINDS.items()), "-o", "cli.stats")
    ours = stats.gather(frame, pd.Series(y, name="y"), kinds={"note": "text"})
    theirs = stats.load(command.folder / "cli.stats")
    assert ours.kinds == theirs.kinds == KINDS and list(ours.classes) == ["ill", "well"]
    np.testing.assert_array_equal(ours.class_count, theirs.class_count)
    model = od.MixedNB()
    np.testing.assert_allclose(ours.fit(model).predict_proba(frame), theirs.fit(model).predict_proba(frame), rtol=1e-9)
    ours.save(command.folder / "python.stats")
    command.run("fit", "python.stats", "--model", "nb", "-o", "m.odds")
    np.testing.assert_allclose(od.load(command.folder / "m.odds").predict_proba(frame), ours.fit(model).predict_proba(frame), rtol=1e-12)


def test_a_shifted_prior_is_the_prior_of_the_model():
    rng = np.random.default_rng(53)
    y = rng.integers(0, 2, 4000)
    X = rng.normal(size=(4000, 2)) + 1.5 * y[:, None]
    shifted = od.PriorShift(od.GaussianNB(), priors=[0.9, 0.1]).fit(X, y)
    np.testing.assert_allclose(shifted.predict_proba(X), od.GaussianNB(priors=[0.9, 0.1]).fit(X, y).predict_proba(X), rtol=1e-9)
    rare = (rng.random(20_000) < 0.1).astype(int)
    rows = rng.normal(size=(20_000, 2)) + 1.5 * rare[:, None]
    adapted = od.PriorShift(od.GaussianNB()).fit(X, y).adapt(rows)
    assert abs(adapted.priors_[1] - rare.mean()) < 0.01
    assert abs(adapted.predict_proba(rows)[:, 1].mean() - rare.mean()) < 0.01


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame], ids=["polars", "pandas"])
def test_zeros_and_ones_are_booleans_unless_called_numbers(columns, make):
    gaps = [None if flag is None else float(flag) for flag in columns["smokes"]]
    y = np.array(columns["y"])
    said = pl.DataFrame({"age": columns["age"], "smokes": columns["smokes"]})
    coded = make({"age": columns["age"], "smokes": gaps})
    told = od.MixedNB().fit(said, y)
    model = od.MixedNB().fit(coded, y)
    assert model.kinds_ == told.kinds_ == {"age": "number", "smokes": "boolean"}
    np.testing.assert_allclose(model.predict_proba(coded), told.predict_proba(said), rtol=1e-12)
    numbers = od.MixedNB(kinds={"smokes": "number"}).fit(coded, y)
    assert numbers.kinds_["smokes"] == "number"
    assert od.MixedNB(distributions={"smokes": "gaussian"}).fit(coded, y).kinds_["smokes"] == "number"
    array = np.column_stack([np.array(columns["age"], dtype=float), np.array(gaps, dtype=float)])
    np.testing.assert_allclose(od.MixedNB().fit(array, y).predict_proba(array), numbers.predict_proba(coded), rtol=1e-12)
    batches = od.MixedNB().partial_fit(coded[:100], y[:100], classes=["ill", "well"]).partial_fit(coded[100:], y[100:])
    np.testing.assert_allclose(batches.predict_proba(coded), model.predict_proba(coded), rtol=1e-12)
