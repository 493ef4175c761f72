"""Contributions that add up, tables of parameters and of tests, and the columns behind an error, from Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import stats as distributions

import oddsmith as od


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(41)
    y = rng.integers(0, 3, 150)
    return rng.poisson(2 + y[:, None], size=(150, 3)).astype(float), np.array(["ash", "elm", "oak"])[y]


@pytest.mark.parametrize(
    "estimator",
    [od.GaussianNB(), od.MixedNB(), od.MultinomialNB(), od.BernoulliNB(binarize=2.0), od.CategoricalNB(), od.LinearDiscriminantAnalysis(), od.LogisticRegression(), od.Logit(interval="wald")],
    ids=lambda estimator: type(estimator).__name__,
)
def test_contributions_add_up_to_the_log_odds(estimator, rows):
    X, y = rows
    for labels in (y, np.where(y == "ash", "ash", "other")):
        model = estimator.fit(X, labels)
        log_p = model.predict_log_proba(X)
        parts = pd.DataFrame(model.explain(X))
        assert list(parts.columns) == ["row", "class", "against", "column", "value", "contribution"]
        place = {label: k for k, label in enumerate(model.classes_)}
        for row, part in parts.groupby("row"):
            (label,), (against,) = set(part["class"]), set(part["against"])
            odds = log_p[row - 1, place[label]] - log_p[row - 1, place[against]]
            assert part["contribution"].sum() == pytest.approx(odds, abs=1e-8)
            assert part["column"].tolist() == ["(prior)", "x0", "x1", "x2"]
        if len(place) == 2:
            assert set(parts["class"]) == {"other"}


def test_frames_are_explained_with_their_values_in_their_library():
    frame = pl.DataFrame({"age": [31.0, 25.0, None, 60.0, 44.0], "ward": ["a", "b", "b", "a", "b"]})
    model = od.MixedNB().fit(frame, ["ill", "well", "well", "ill", "ill"])
    parts = model.explain(frame[:3], "ill")
    assert isinstance(parts, pl.DataFrame)
    assert parts["value"].to_list() == [None, "31.0", "a", None, "25.0", "b", None, None, "b"]
    # A missing value is integrated out: it adds nothing.
    assert parts.filter((pl.col("row") == 3) & (pl.col("column") == "age"))["contribution"].to_list() == [0.0]
    with pytest.raises(od.UnknownNameError, match="there is no class 'dead'"):
        model.explain(frame, "dead")


def test_models_that_are_no_sums_say_so(rows):
    with pytest.raises(od.UnsupportedError, match="no sum over columns"):
        od.OneVsRestLogistic(l2=1.0).fit(*rows).explain(rows[0])


def test_parameters_are_a_table(rows):
    frame = pd.DataFrame({"age": [31.0, 25.0, 50.0, 60.0], "ward": list("abba")})
    tidy = od.MixedNB().fit(frame, ["ill", "well", "well", "ill"]).tidy()
    mean = tidy[(tidy["column"] == "age") & (tidy["class"] == "ill") & (tidy["parameter"] == "mean")]
    assert mean["estimate"].to_list() == [45.5]
    assert len(od.GaussianNB().fit(*rows).tidy()["estimate"])


def test_terms_are_tested_as_statsmodels_would(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(low=np.where(y == "oak", "yes", "no"))
    model = od.Logit("low ~ a + b + c").fit(frame)

    def log_likelihood(*names: str) -> float:
        design = sm.add_constant(frame[list(names)]) if names else np.ones((len(frame), 1))
        return sm.Logit((frame["low"] == "yes").astype(float), design).fit(disp=0, tol=1e-12).llf

    whole = log_likelihood("a", "b", "c")
    drop1 = model.drop1().set_index("term")
    for term, others in (("a", "bc"), ("b", "ac"), ("c", "ab")):
        ratio = 2 * (whole - log_likelihood(*others))
        assert drop1.loc[term, "chi2"] == pytest.approx(ratio, rel=1e-7)
        assert drop1.loc[term, "p_value"] == pytest.approx(distributions.chi2.sf(ratio, 1), rel=1e-6)
    anova = model.anova().set_index("term")
    assert anova.loc["b", "chi2"] == pytest.approx(2 * (log_likelihood("a", "b") - log_likelihood("a")), rel=1e-7)
    with pytest.raises(od.UnsupportedError, match="tests=True"):
        od.Logit("low ~ a", tests=False).fit(frame).drop1()


def test_separated_columns_and_levels_are_on_the_error():
    frame = pd.DataFrame({"y": list("aabbab"), "stage": ["I", "I", "IV", "IV", "I", "IV"], "z": [1.0, 3, 2, 4, 2, 1]})
    with pytest.raises(od.NoEstimateError) as caught:
        od.Logit("y ~ stage").fit(frame)
    assert caught.value.columns == ["stage"] and caught.value.levels == ["IV"]
    with pytest.raises(od.NoEstimateError) as caught:
        od.Logit("y ~ z").fit(pd.DataFrame({"y": list("aabb"), "z": [1.0, 2.0, 3.0, 4.0]}))
    assert caught.value.columns == ["z"] and caught.value.levels == [None]


def test_intervals_are_profiles_as_at_the_command(rows, command):
    X, y = rows
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(low=np.where(y == "oak", "yes", "no"))
    frame.to_csv(command.folder / "rows.csv", index=False)
    command.run("fit", "rows.csv", "low ~ a + b + c", "-o", "low.odds")
    theirs, ours = od.load(command.folder / "low.odds"), od.Logit("low ~ a + b + c").fit(frame)
    assert isinstance(theirs, od.Logit)
    for name in ("conf_low", "conf_high"):
        np.testing.assert_allclose(ours.conf_int()[name], theirs.conf_int()[name], rtol=1e-8)
        np.testing.assert_allclose(ours.tidy()[name], od.Logit("low ~ a + b + c", interval="profile").fit(frame).tidy()[name])
    wald = od.Logit("low ~ a + b + c", interval="wald").fit(frame)
    assert not np.allclose(wald.conf_int()["conf_low"], ours.conf_int()["conf_low"], rtol=1e-4)
    assert "profile" in ours.summary() and od.Logit("low ~ a", robust="HC1").fit(frame).tidy() is not None


def test_crude_odds_ratios_are_those_of_terms_alone(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(low=np.where(y == "oak", "yes", "no"))
    tidy = od.Logit("low ~ a + b", crude=True).fit(frame).tidy(exponentiate=True).set_index("term")
    alone = od.Logit("low ~ b").fit(frame).tidy(exponentiate=True).set_index("term")
    for ours, theirs in (("crude_odds_ratio", "estimate"), ("crude_low", "conf_low"), ("crude_high", "conf_high")):
        assert tidy.loc["b", ours] == pytest.approx(alone.loc["b", theirs], rel=1e-7)
    assert "crude" in od.Logit("low ~ a + b", crude=True).fit(frame).summary()


def test_a_regression_with_standard_errors_loads_as_logit(rows, tmp_path):
    X, y = rows
    od.Logit(interval="wald").fit(X, y).save(tmp_path / "logit.odds")
    assert type(od.load(tmp_path / "logit.odds")) is od.Logit
    od.LogisticRegression().fit(X, y).save(tmp_path / "plain.odds")
    assert type(od.load(tmp_path / "plain.odds")) is od.LogisticRegression


def test_leverage_of_a_weighted_fit_is_that_of_repeated_rows(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(low=np.where(y == "oak", "yes", "no"), copies=np.arange(150) % 3 + 1)
    weighted = od.Logit("low ~ a + b", weights="copies").fit(frame).augment(frame)
    repeated = frame.loc[frame.index.repeat(frame["copies"])].reset_index(drop=True)
    single = od.Logit("low ~ a + b").fit(repeated).augment(repeated)
    total = single.groupby(frame.index.repeat(frame["copies"]))["leverage"].sum()
    np.testing.assert_allclose(weighted["leverage"], total, rtol=1e-7)


TEXTS = ["win money now", "cheap money offer", "lunch at noon", "see you at lunch", "win a cheap offer", "noon meeting"]
LABELS = ["spam", "spam", "ham", "ham", "spam", "ham"]


def test_texts_are_learned_from_and_answered_about(tmp_path):
    for texts in (TEXTS, np.array(TEXTS), pd.Series(TEXTS), pl.Series(TEXTS)):
        model = od.MixedNB().fit(texts, LABELS)
        assert model.predict(["money", "lunch at noon"]).tolist() == ["spam", "ham"]
    model.save(tmp_path / "text.odds")
    again = od.load(tmp_path / "text.odds")
    np.testing.assert_array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))
    penalised = od.OneVsRestLogistic(l2=1.0).fit(TEXTS, LABELS)
    assert penalised.predict(pl.DataFrame({"text": ["cheap money"]})).tolist() == ["spam"]


def test_text_models_of_the_command_take_texts(command):
    (command.folder / "spam.txt").write_text("".join(f"__label__{label} {text}\n" for label, text in zip(LABELS, TEXTS, strict=True)))
    for model, flags in (("nb", []), ("multinomial-nb", []), ("logistic", ["--l2", "1"])):
        command.run("fit", "spam.txt", "--model", model, *flags, "-o", "spam.odds")
        loaded = od.load(command.folder / "spam.odds")
        assert loaded.predict(["cheap money", "lunch at noon"]).tolist() == ["spam", "ham"], model
        assert loaded.predict(pd.DataFrame({"text": ["cheap money"]})).tolist() == ["spam"], model
