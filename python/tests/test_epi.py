"""Tables, strata, matched sets and effects beside statsmodels on random data."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from oddsmith import Logit
from oddsmith.epi import ConditionalLogit, StratifiedTable, Table2x2, confounding, describe, effects, subgroups

statsmodels = pytest.importorskip("statsmodels.api")


def rows(seed: int, strata: int, size: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    stratum = np.repeat(np.arange(strata), size)
    exposed = rng.random(strata * size) < 0.3 + 0.4 * rng.random(strata)[stratum]
    risk = 1 / (1 + np.exp(-(rng.normal(-0.5, 1, strata)[stratum] + 0.7 * exposed)))
    case = rng.random(strata * size) < risk
    return pd.DataFrame({"stratum": stratum, "x": exposed.astype(int), "case": case.astype(int), "z": rng.normal(size=strata * size)})


@pytest.mark.parametrize("seed", range(5))
def test_tables_are_those_of_table2x2(seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(3, 60, size=4)
    ours = Table2x2(cells)
    theirs = statsmodels.stats.Table2x2(cells.reshape(2, 2))
    odds, risk = ours.estimate("odds ratio", "Woolf"), ours.estimate("risk ratio", "Katz")
    np.testing.assert_allclose(odds["estimate"], theirs.oddsratio, rtol=1e-12)
    np.testing.assert_allclose((odds["conf_low"], odds["conf_high"]), theirs.oddsratio_confint(), rtol=1e-10)
    np.testing.assert_allclose(risk["estimate"], theirs.riskratio, rtol=1e-12)
    np.testing.assert_allclose((risk["conf_low"], risk["conf_high"]), theirs.riskratio_confint(), rtol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_strata_are_those_of_stratified_table(seed):
    data = rows(seed, strata=6, size=80)
    ours = StratifiedTable(data, "case", "x", ["stratum"])
    tables = [pd.crosstab(part["x"], part["case"]).reindex(index=[1, 0], columns=[1, 0], fill_value=0).to_numpy() for _, part in data.groupby("stratum")]
    theirs = statsmodels.stats.StratifiedTable(tables)
    odds, risk = ours.estimate("odds ratio", "Mantel–Haenszel"), ours.estimate("risk ratio", "Mantel–Haenszel")
    np.testing.assert_allclose(odds["estimate"], theirs.oddsratio_pooled, rtol=1e-12)
    np.testing.assert_allclose((odds["conf_low"], odds["conf_high"]), theirs.oddsratio_pooled_confint(), rtol=1e-10)
    np.testing.assert_allclose(risk["estimate"], theirs.riskratio_pooled, rtol=1e-12)
    tests = ours.table("tests").set_index("test")
    for name, test in [
        ("Cochran–Mantel–Haenszel", theirs.test_null_odds()),
        ("Cochran–Mantel–Haenszel, corrected", theirs.test_null_odds(correction=True)),
        ("Breslow–Day", theirs.test_equal_odds()),
        ("Breslow–Day, Tarone's correction", theirs.test_equal_odds(adjust=True)),
    ]:
        np.testing.assert_allclose(tests.loc[name, "statistic"], test.statistic, rtol=1e-8)
        np.testing.assert_allclose(tests.loc[name, "p_value"], test.pvalue, rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_matched_sets_are_those_of_conditional_logit(seed):
    from statsmodels.discrete.conditional_models import ConditionalLogit as Theirs

    data = rows(seed, strata=60, size=6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = ConditionalLogit("case ~ x + z + strata(stratum)", data, interval="wald").tidy()
        theirs = Theirs(data["case"], data[["x", "z"]], groups=data["stratum"]).fit(method="newton", disp=False)
    np.testing.assert_allclose(ours["estimate"], theirs.params, rtol=1e-6)
    np.testing.assert_allclose(ours["std_error"], theirs.bse, rtol=1e-5)


def test_effects_are_margins():
    data = rows(3, strata=4, size=150)
    model = Logit("case ~ x + z + stratum", interval="wald", tests=False).fit(data)
    ours = model.effects(data, "z").tidy()
    theirs = statsmodels.Logit(data["case"], statsmodels.add_constant(data[["x", "z", "stratum"]])).fit(disp=False)
    frame = theirs.get_margeff(at="overall").summary_frame()
    np.testing.assert_allclose(ours["estimate"], frame.loc["z", "dy/dx"], rtol=1e-7)
    np.testing.assert_allclose(ours["std_error"], frame.loc["z", "Std. Err."], rtol=1e-6)
    dummies = theirs.get_margeff(at="overall", dummy=True).summary_frame()
    difference = effects(model, data, "x").estimate("risk difference")
    np.testing.assert_allclose(difference["estimate"], dummies.loc["x", "dy/dx"], rtol=1e-7)
    np.testing.assert_allclose(difference["std_error"], dummies.loc["x", "Std. Err."], rtol=1e-6)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(ValueError, match="counts are finite numbers from 0 up"):
        Table2x2([1, -2, 3, 4])
    data = rows(1, strata=3, size=20)
    with pytest.raises(ValueError, match="strata compare two"):
        StratifiedTable(data, "case", "stratum", "x")
    with pytest.raises(KeyError, match="there are: counts, tests"):
        Table2x2([10, 20, 30, 40]).table("strata")


@pytest.mark.parametrize("seed", range(3))
def test_descriptions_are_those_of_scipy(seed, tmp_path):
    from scipy import stats

    data = rows(seed, strata=5, size=60)
    data["letter"] = data["stratum"].map(lambda k: "abcde"[k])
    account = describe(data, by="case", columns=["z", "x", "letter"], labels={"z": "Depth", ("letter", "a"): "first"})
    tests = account.table("tests")
    groups = [data.loc[data["case"] == k, "z"] for k in (0, 1)]
    welch, ranks = tests[tests["term"] == "z"].iloc[0], tests[tests["term"] == "z"].iloc[1]
    expected = stats.ttest_ind(*groups, equal_var=False)
    np.testing.assert_allclose((welch["statistic"], welch["p_value"]), (expected.statistic, expected.pvalue), rtol=1e-9)
    wilcoxon = stats.mannwhitneyu(*groups, method="asymptotic")
    np.testing.assert_allclose((ranks["statistic"], ranks["p_value"]), (wilcoxon.statistic, wilcoxon.pvalue), rtol=1e-9)
    chi2 = stats.chi2_contingency(pd.crosstab(data["letter"], data["case"]), correction=False)
    letter = tests[tests["term"] == "letter"].iloc[0]
    np.testing.assert_allclose((letter["statistic"], letter["p_value"]), (chi2.statistic, chi2.pvalue), rtol=1e-9)
    tidy = account.tidy()
    own = tidy[(tidy["term"] == "z") & (tidy["group"] == "1")].iloc[0]
    np.testing.assert_allclose(own[["mean", "std_dev", "quartile_1", "median"]].astype(float), [groups[1].mean(), groups[1].std(), *groups[1].quantile([0.25, 0.5])])
    assert "Depth" in account.render("md") and "first" in account.render("md")
    account.to_docx(tmp_path / "t.docx")
    import zipfile

    assert "Depth" in zipfile.ZipFile(tmp_path / "t.docx").read("word/document.xml").decode()


def test_scans_have_the_numbers_of_single_tables():
    data = rows(2, strata=4, size=100)
    scan = confounding(data, "case", "x", ["stratum", "z"], bins=4).tidy()
    pooled = StratifiedTable(data, "case", "x", ["stratum"])
    own = scan[scan["candidate"] == "stratum"].iloc[0]
    np.testing.assert_allclose(own["conditional"], pooled.estimate("odds ratio", "Mantel–Haenszel")["estimate"], rtol=1e-12)
    np.testing.assert_allclose(own["crude"], pooled.estimate("odds ratio", "crude")["estimate"], rtol=1e-12)
    found = subgroups(data, "case", "x", ["stratum", "z"], permutations=99)
    assert found.glance()["looks"][0] == len(found.tidy())
    assert found.tidy()["p_max_t"].between(0.01, 1).all()


def test_matched_sets_have_clusters_and_firths_likelihood():
    data = rows(1, strata=40, size=5)
    data["site"] = data["stratum"] // 4
    formula = "case ~ x + z + strata(stratum)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = ConditionalLogit(formula, data, interval="wald").tidy()
        cluster = ConditionalLogit(formula, data, cluster="site").tidy()
        firth = ConditionalLogit(formula, data, firth=True, interval="wald").tidy()
    np.testing.assert_allclose(cluster["estimate"], plain["estimate"], rtol=1e-9)
    assert (abs(cluster["std_error"] / plain["std_error"] - 1) > 1e-6).all()
    # The penalty draws estimates towards zero.
    assert (firth["estimate"].abs() < plain["estimate"].abs()).all()


class OutOfOrder:
    """An engine that answers from the last task to the first."""

    slots = 3

    def map(self, job, count):
        return [(task, job(task)) for task in reversed(range(count))]


@pytest.mark.parametrize("on", [None, OutOfOrder()])
def test_analyses_of_many_files_are_those_of_one_table(on, tmp_path):
    from oddsmith import engine

    data = rows(5, strata=6, size=70)
    data["ward"] = data["stratum"].map(lambda k: f"w{k}")
    for at, part in enumerate(np.array_split(np.arange(len(data)), 4)):
        data.iloc[part].to_csv(tmp_path / f"{at}.csv", index=False)
    whole = StratifiedTable(data, "case", "x", ["ward"])
    apart = engine.analyse("table", tmp_path, "case", on=on, options={"exposure": "x", "strata": ["ward"]})
    pd.testing.assert_frame_equal(apart.tidy(), whole.tidy())
    pd.testing.assert_frame_equal(apart.table("strata"), whole.table("strata"))
    matched = engine.analyse("conditional-logistic", tmp_path, on=on, formula="case ~ x + z + strata(ward)", options={"ci": "wald"})
    np.testing.assert_allclose(matched.tidy()["estimate"], ConditionalLogit("case ~ x + z + strata(ward)", data, interval="wald").tidy()["estimate"], rtol=1e-8)
    described = engine.analyse("describe", tmp_path, "case", on=on)
    assert described.glance()["rows"][0] == len(data)
    with pytest.raises(ValueError, match="did you mean `table`"):
        engine.analyse("tables", tmp_path, "case", on=on)


def test_analyses_in_rounds_between_places():
    from oddsmith import stats

    data = rows(6, strata=4, size=90)
    step, asked = stats.begin_analysis("confounding", "case", options={"exposure": ["x"], "candidates": ["stratum"]}), 0
    while isinstance(step, stats.Pass):
        step, asked = step.advance([step.answer(data[:100]), step.answer(data[100:])]), asked + 1
    here = confounding(data, "case", "x", ["stratum"]).tidy()
    np.testing.assert_allclose(step.tidy()["conditional"], here["conditional"], rtol=1e-12)
    assert asked >= 2


def test_separated_sets_fall_back_on_request():
    data = pd.DataFrame({"set": np.repeat(np.arange(12), 2), "case": [1, 0] * 12, "x": np.tile([3.0, 1.0], 12) + np.repeat(np.arange(12), 2), "z": np.arange(24) % 5})
    with pytest.raises(Exception, match="separation"):
        ConditionalLogit("case ~ x + z + strata(set)", data)
    with pytest.warns(UserWarning, match="separation within sets"):
        rescued = ConditionalLogit("case ~ x + z + strata(set)", data, on_separation="firth").tidy()
    np.testing.assert_allclose(rescued["estimate"], ConditionalLogit("case ~ x + z + strata(set)", data, firth=True).tidy()["estimate"], rtol=1e-9)


def test_categories_that_no_row_has_are_no_levels():
    data = rows(7, strata=3, size=50)
    plain = StratifiedTable(data, "case", "x", ["stratum"]).tidy()
    for column, spare in [("case", [2]), ("x", [7, 8]), ("stratum", [9])]:
        data[column] = pd.Categorical(data[column], categories=[*spare, *sorted(data[column].unique())])
    pd.testing.assert_frame_equal(StratifiedTable(data, "case", "x", ["stratum"]).tidy(), plain)
    data.loc[[0, 5], "x"] = None
    counted = StratifiedTable(data, "case", "x", ["stratum"])
    assert counted.glance()["rows"][0] == len(data) - 2
