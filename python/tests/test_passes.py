"""Fits in passes: any estimator, any cut into partitions, and the fit of the pooled rows at the end."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import oddsmith as od
from oddsmith import _core, stats

CUTS = {1: [0, 240], 3: [0, 50, 120, 240], 7: [0, 1, 40, 40, 90, 130, 200, 240]}


def rows(count: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    age, dose = rng.normal(50, 10, count), rng.gamma(3.0, 2.0, count)
    odds = 0.05 * (age - 50) + 0.2 * (dose - 6) - 0.3
    return pd.DataFrame({"age": age, "dose": dose, "died": np.where(rng.random(count) < 1 / (1 + np.exp(-odds)), "yes", "no")})


def in_passes(first: stats.Pass, batches: list) -> object:
    """The fit by partitions that workers answer, merged in a tree."""
    step = first
    while isinstance(step, stats.Pass):
        ask = step.ask()
        answers = [stats.answer(ask, [batch], part=str(at)) for at, batch in enumerate(batches)]
        half = len(answers) // 2
        step = step.advance(stats.merge_answers([stats.merge_answers(answers[:half]), stats.merge_answers(answers[half:])]))
    return step


ESTIMATORS = [
    od.GaussianNB(),
    od.GaussianNB(var_tying="per-column"),
    od.MixedNB(),
    od.BernoulliNB(binarize=6.0),
    od.MultinomialNB(alpha=0.5),
    od.ComplementNB(),
    od.LinearDiscriminantAnalysis(),
    od.LinearDiscriminantAnalysis(priors=[0.3, 0.7], store_covariance=True),
    od.QuadraticDiscriminantAnalysis(),
    od.LogisticRegression(C=2.0),
    od.LogisticRegression(C=np.inf, fit_intercept=False),
    od.Logit(),
    od.Logit("~ age + log(dose)"),
    od.OneVsRestLogistic(l2=1.0),
]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.filterwarnings("ignore::oddsmith.OddsmithWarning")
def test_arrays_in_partitions_give_the_pooled_fit(estimator, cut):
    table = rows()
    X, y = np.abs(table[["age", "dose"]].to_numpy()), table["died"].to_numpy()
    if isinstance(estimator, od.Logit) and estimator.formula is not None:
        estimator = od.Logit("~ x0 + log(x1)")
    parts = [(X[lo:hi], y[lo:hi]) for lo, hi in zip(CUTS[cut], CUTS[cut][1:])]
    model, pooled = in_passes(stats.begin(estimator), parts), type(estimator)(**estimator.get_params()).fit(X, y)
    assert type(model) is type(estimator) and model.get_params() == estimator.get_params()
    np.testing.assert_array_equal(model.classes_, pooled.classes_)
    np.testing.assert_allclose(model.predict_proba(X), pooled.predict_proba(X), rtol=1e-8, atol=1e-12)
    for name in ("coef_", "theta_", "means_", "feature_log_prob_"):
        if hasattr(pooled, name):
            np.testing.assert_allclose(getattr(model, name), getattr(pooled, name), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("entry", _core.models(), ids=lambda entry: entry["name"])
@pytest.mark.filterwarnings("ignore::oddsmith.OddsmithWarning")
def test_every_model_of_the_registry_in_partitions_is_the_pooled_one(entry, cut):
    table = rows()
    if not entry["takes_numbers"]:
        table = table.assign(age=(table["age"] > 50).map({True: "old", False: "young"}), dose=pd.cut(table["dose"], 4, labels=list("abcd")).astype(str))
    else:
        table = table.assign(age=table["age"].abs())
    parts = [table[lo:hi] for lo, hi in zip(CUTS[cut], CUTS[cut][1:])]
    if entry["name"] == "perceptron" and cut > 1:
        with pytest.raises(od.UnsupportedError, match="one row after the other"):
            in_passes(stats.begin(entry["name"], "died"), parts)
        return
    model = in_passes(stats.begin(entry["name"], "died"), parts)
    whole = stats.begin(entry["name"], "died")
    while isinstance(whole, stats.Pass):
        whole.observe(table)
        whole = whole.advance()
    X = table[["age", "dose"]]
    answers = (lambda m: m.predict_proba(X)) if hasattr(model, "predict_proba") else (lambda m: m.decision_function(X))
    # A network's search ends where the loss is flat in some direction.
    np.testing.assert_allclose(answers(model), answers(whole), rtol=1e-5 if entry["name"] == "network" else 1e-8)


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"])
def test_frames_of_every_library_and_arrow_batches_are_observed(make):
    table = rows()
    step = stats.begin(od.GaussianNB(), "died")
    for part in (table[:100], table[100:]):
        step.observe(make(part.reset_index(drop=True)))
    model = step.advance()
    np.testing.assert_allclose(model.predict_proba(table[["age", "dose"]]), od.GaussianNB().fit(table[["age", "dose"]], table["died"]).predict_proba(table[["age", "dose"]]), rtol=1e-10)
    step = stats.begin("died ~ age")
    while isinstance(step, stats.Pass):
        for batch in pa.Table.from_pandas(table).to_batches(max_chunksize=90):
            step.observe(batch)
        step = step.advance()
    np.testing.assert_allclose(step.predict_proba(table), od.Logit("died ~ age").fit(table).predict_proba(table), rtol=1e-9)


@pytest.mark.parametrize("estimator", [od.GaussianNB(), od.Logit("died ~ age"), "lda"], ids=str)
def test_partitions_without_rows_add_nothing(estimator):
    table = rows()
    begin = lambda: stats.begin(estimator, None if isinstance(estimator, od.Logit) else "died")  # noqa: E731
    model = in_passes(begin(), [table[:0], table[:100], table[100:], table[:0]])
    again = in_passes(begin(), [table])
    np.testing.assert_allclose(model.predict_proba(table[["age", "dose"]]), again.predict_proba(table[["age", "dose"]]), rtol=1e-9)
    with pytest.raises(od.DataError, match="no answer"):
        begin().advance([b"", begin().answer(table[:0])])


def test_a_layout_that_is_known_is_not_asked_for():
    table = rows()
    layout = stats.Layout({"age": "number", "dose": "number"}, ["no", "yes"])
    known, asked = stats.begin("lda", "died", layout=layout), stats.begin("lda", "died")
    assert "sums" in known.asks_for or known.asks_for != asked.asks_for
    np.testing.assert_allclose(
        in_passes(known, [table[:99], table[99:]]).predict_proba(table[["age", "dose"]]),
        in_passes(asked, [table]).predict_proba(table[["age", "dose"]]),
        rtol=1e-10,
    )


def test_passes_travel_and_merge():
    table = rows()
    here = stats.begin(od.Logit("died ~ age"))
    while isinstance(here, stats.Pass):
        there = pickle.loads(pickle.dumps(here))
        here.observe(table[:100])
        other = stats.answer(there.ask(), [table[100:]], part="elsewhere")
        there.merge(other)
        here.merge(there.to_bytes())
        here = here.advance()
    np.testing.assert_allclose(here.predict_proba(table), od.Logit("died ~ age").fit(table).predict_proba(table), rtol=1e-9)


def test_codes_of_categories_unite_in_their_order():
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 12, (300, 2)), rng.integers(0, 2, 300)
    X[:100] = np.minimum(X[:100], 3)
    model = in_passes(stats.begin(od.CategoricalNB()), [(X[:100], y[:100]), (X[100:], y[100:])])
    pooled = od.CategoricalNB().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), pooled.predict_proba(X), rtol=1e-10)


def test_weights_have_a_name():
    table = rows()
    weights = np.arange(240) % 3 + 1.0
    step = stats.begin(od.GaussianNB(), weights="w")
    X, y = table[["age", "dose"]].to_numpy(), table["died"].to_numpy()
    step.observe(X[:100], y[:100], weights[:100])
    step.observe(X[100:], y[100:], weights[100:])
    np.testing.assert_allclose(step.advance().theta_, od.GaussianNB().fit(X, y, weights).theta_, rtol=1e-12)
    with pytest.raises(od.ParameterError, match="name for the weights"):
        stats.begin(od.GaussianNB()).observe(X, y, weights)


def test_a_part_that_is_there_twice_is_refused():
    table = rows()
    step = stats.begin(od.GaussianNB(), "died")
    answers = [stats.answer(step.ask(), [part]) for part in (table[:100], table[100:])]
    with pytest.raises(od.MismatchError, match="twice"):
        stats.merge_answers([*answers, answers[0]])
    with pytest.raises(od.MismatchError, match="another study"):
        stats.begin(od.GaussianNB(), "died", features=["age"]).advance(answers)
    with pytest.raises(od.ParameterError, match="an estimator of oddsmith"):
        stats.begin(object())


def test_workers_need_no_scikit_learn(tmp_path):
    table = rows()
    step = stats.begin(od.LogisticRegression(), "died")
    (tmp_path / "ask").write_bytes(step.ask())
    (tmp_path / "sums").write_bytes(stats.begin(od.GaussianNB(), "died").ask())
    table.to_parquet(tmp_path / "rows.parquet")
    code = (
        "import sys\n"
        "sys.modules['sklearn'] = sys.modules['scipy'] = None\n"
        "import pyarrow.parquet as pq\n"
        "from oddsmith import stats\n"
        f"table = pq.read_table({str(tmp_path / 'rows.parquet')!r})\n"
        f"for name in ('ask', 'sums'):\n"
        f"    print(len(stats.answer(open({str(tmp_path)!r} + '/' + name, 'rb').read(), [table])) > 100)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True", "True"], done.stderr
