"""Levels and classes stand in the order that a frame or the caller declares."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from oddsmith import Logit, MixedNB, compare, stats
from oddsmith.exceptions import DataError, ParameterError, UnknownNameError

LEVELS = ["never", "seldom", "often", "always"]
COUNTS = {"never": (6, 30), "seldom": (9, 24), "often": (12, 18), "always": (15, 9)}


def _rows():
    """Habit and state of every row, in an order that is neither sorted nor declared."""
    rows = [(level, state) for level, (cases, controls) in COUNTS.items() for state, n in (("case", cases), ("control", controls)) for _ in range(n)]
    return [rows[at] for at in np.random.default_rng(5).permutation(len(rows))]


def _frames():
    habit, state = map(list, zip(*_rows(), strict=True))
    ordered = pd.DataFrame({"habit": pd.Categorical(habit, categories=LEVELS, ordered=True), "state": pd.Categorical(state, categories=["control", "case"])})
    declared = pl.DataFrame({"habit": pl.Series(habit, dtype=pl.Enum(LEVELS)), "state": pl.Series(state, dtype=pl.Enum(["control", "case"]))})

    def codes(values, levels):
        return pa.DictionaryArray.from_arrays(pa.array([levels.index(value) for value in values], pa.int8()), pa.array(levels))

    arrow = pa.table({"habit": codes(habit, LEVELS), "state": codes(state, ["control", "case"])})
    plain = pd.DataFrame({"habit": habit, "state": state})
    return {"pandas": ordered, "unordered": ordered.astype({"habit": pd.CategoricalDtype(LEVELS)}), "polars": declared, "arrow": arrow, "plain": plain}


FRAMES = _frames()


def _column(table, name):
    return pa.table(table)[name].to_pylist() if not isinstance(table, pd.DataFrame) else table[name].tolist()


@pytest.mark.parametrize("kind", ["pandas", "unordered", "polars", "arrow"])
def test_declared_order_decides_reference_and_event(kind):
    model = Logit("state ~ habit").fit(FRAMES[kind])
    assert model.classes_.tolist() == ["control", "case"]
    tidy = model.tidy(exponentiate=True)
    assert _column(tidy, "level")[1:] == LEVELS
    # Saturated: odds ratios are ratios of counted odds.
    odds = np.array([cases / controls for cases, controls in COUNTS.values()])
    assert np.allclose(_column(tidy, "estimate")[1:], odds / odds[0], rtol=1e-9)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_polynomial_contrasts_follow_the_declared_order(kind):
    model = Logit("state ~ ordered(habit)").fit(FRAMES[kind])
    logits = np.log([cases / controls for cases, controls in COUNTS.values()])
    # Orthonormal polynomials over 1, 2, 3, 4, as contr.poly(4) has them.
    q, r = np.linalg.qr(np.vander(np.arange(4.0), 4, increasing=True))
    contrasts = (q * np.sign(np.diag(r)))[:, 1:]
    assert _column(model.tidy(), "level")[1:] == [".L", ".Q", ".C"]
    assert np.allclose(_column(model.tidy(), "estimate")[1:], contrasts.T @ logits, atol=1e-8)
    assert model.formula_ == "state ~ C(habit, contrast = poly)"


def test_what_the_caller_declares_wins():
    backwards = LEVELS[::-1]
    for kind, frame in FRAMES.items():
        model = Logit("state ~ habit", levels={"habit": backwards}, event="control").fit(frame)
        assert _column(model.tidy(), "level")[1:] == backwards, kind
        assert model.classes_.tolist() == ["case", "control"], kind
    model = Logit("state ~ habit", levels={"state": ["control", "case"], "habit": LEVELS}).fit(FRAMES["plain"])
    assert model.classes_.tolist() == ["control", "case"] and _column(model.tidy(), "level")[1:] == LEVELS
    model = Logit('state ~ C(habit, levels=["never", "seldom", "often", "always"])', event="case").fit(FRAMES["plain"])
    assert _column(model.tidy(), "level")[1:] == LEVELS


def test_without_a_declaration_levels_are_sorted():
    habit, state = map(list, zip(*_rows(), strict=True))
    met = pl.DataFrame({"habit": pl.Series(habit, dtype=pl.Categorical), "state": state})
    for frame in (FRAMES["plain"], met):
        model = Logit("state ~ habit").fit(frame)
        assert _column(model.tidy(), "level")[1:] == sorted(LEVELS)
        assert model.classes_.tolist() == ["case", "control"]


def test_labels_beside_the_rows_have_an_order_too():
    frame = FRAMES["pandas"]
    for y in (frame["state"], FRAMES["polars"]["state"], FRAMES["arrow"]["state"].combine_chunks()):
        for model in (Logit(), MixedNB()):
            assert model.fit(frame[["habit"]], y).classes_.tolist() == ["control", "case"]
    logit = Logit(event="case").fit(frame[["habit"]], frame["state"].astype(str))
    assert logit.classes_.tolist() == ["control", "case"]
    sorted_labels = MixedNB().fit(frame[["habit"]], frame["state"].astype(str))
    ordered = MixedNB().fit(frame[["habit"]], frame["state"])
    assert np.allclose(ordered.predict_proba(frame[["habit"]])[:, ::-1], sorted_labels.predict_proba(frame[["habit"]]), rtol=1e-12)
    assert (ordered.predict(frame[["habit"]]) == sorted_labels.predict(frame[["habit"]])).all()
    ordered.partial_fit(frame[["habit"]], frame["state"])
    assert ordered.class_count_.tolist() == [162.0, 84.0]


def test_an_array_has_an_event():
    x, y = np.array([[0.5], [1.0], [1.5], [2.0], [2.5], [3.0]]), np.array([0, 0, 1, 0, 1, 1])
    plain, swapped = Logit().fit(x, y), Logit(event=0).fit(x, y)
    assert swapped.classes_.tolist() == [1, 0]
    assert np.allclose(plain.predict_proba(x)[:, ::-1], swapped.predict_proba(x), atol=1e-12)
    with pytest.raises(UnknownNameError, match="there is no class `2`"):
        Logit(event=2).fit(x, y)
    with pytest.raises(ParameterError, match="there are 3"):
        Logit(event=2).fit(x, [0, 0, 1, 2, 1, 1])


def test_wrong_orders_are_named():
    with pytest.raises(DataError, match="`always`"):
        Logit("state ~ habit", levels={"habit": LEVELS[:3]}).fit(FRAMES["plain"])
    with pytest.raises(UnknownNameError, match="`habits`"):
        Logit("state ~ habit", levels={"habits": LEVELS}).fit(FRAMES["plain"])
    with pytest.raises(UnknownNameError, match="`cases`"):
        Logit("state ~ habit", event="cases").fit(FRAMES["plain"])


def test_a_categorical_of_numbers_is_a_category():
    frame = pd.DataFrame({"y": list("abababab"), "x": pd.Categorical([3, 1, 2, 2, 1, 3, 3, 1], categories=[3, 2, 1])})
    model = Logit("y ~ x").fit(frame)
    assert _column(model.tidy(), "level")[1:] == ["3", "2", "1"]


def test_statistics_and_comparisons_keep_the_order():
    frame = FRAMES["pandas"]
    assert stats.gather(frame[["habit"]], frame["state"]).classes.tolist() == ["control", "case"]
    compared = compare(frame, "state", ["nb", MixedNB()], folds=3)
    bits = compared.models["bits"].tolist()
    assert bits[0] == pytest.approx(bits[1], rel=1e-9)


def test_rounds_keep_the_order():
    frame = FRAMES["plain"]
    sites = [frame[frame["habit"] != "often"], frame[frame["habit"] == "often"]]
    step = stats.begin(Logit("state ~ habit", levels={"habit": LEVELS}, event="case"))
    while isinstance(step, stats.Round):
        step = step.advance([step.answer(site) for site in sites])
    assert step.classes_.tolist() == ["control", "case"]
    assert _column(step.tidy(), "level")[1:] == LEVELS
