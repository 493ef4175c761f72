"""Regressions of rows that stay where they are, and responses that stand in columns."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from oddsmith import Logit, stats
from oddsmith.exceptions import MismatchError


def rows(count: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    age, ward = rng.normal(50, 10, count), rng.choice(list("abc"), count)
    odds = 0.05 * (age - 50) + (ward == "b") - 0.3
    died = np.where(rng.random(count) < 1 / (1 + np.exp(-odds)), "yes", "no")
    return pd.DataFrame({"age": age, "ward": ward, "copies": rng.integers(1, 4, count), "died": died})


def fitted_in_rounds(estimator: Logit, sites: list[pd.DataFrame]) -> tuple[Logit, int]:
    step, rounds = stats.begin(estimator), 0
    while isinstance(step, stats.Round):
        assert step.number == rounds + 1
        step, rounds = step.advance([step.answer(site) for site in sites]), rounds + 1
    return step, rounds


@pytest.mark.parametrize(
    "params",
    [{}, {"interval": "profile"}, {"firth": True}, {"robust": "HC2"}, {"cluster": "ward"}, {"formula": "died ~ age + cluster(ward)"}, {"weights": "copies"}, {"units": {"age": 10}}],
    ids=str,
)
def test_rounds_end_at_the_fit_of_the_pooled_rows(params: dict) -> None:
    table = rows()
    # The last site has no row of ward a.
    table = table.sort_values("ward", ascending=False, kind="stable", ignore_index=True)
    sites = [table[150:], table[60:150], table[:60]]
    params = {"formula": "died ~ age + ward" if "cluster" not in params else "died ~ age"} | params
    model, rounds = fitted_in_rounds(Logit(**params), sites)
    pooled = Logit(**params).fit(table)
    assert 5 <= rounds <= 60
    for ours, theirs in zip(model.tidy().to_dict("records"), pooled.tidy().to_dict("records"), strict=True):
        assert ours.keys() == theirs.keys()
        for name, value in theirs.items():
            assert ours[name] == (pytest.approx(value, rel=1e-8, abs=1e-9, nan_ok=True) if isinstance(value, float) else value), name
    np.testing.assert_allclose(model.predict_proba(table), pooled.predict_proba(table), rtol=1e-9)


def test_questions_and_answers_are_files(tmp_path: Path) -> None:
    table = rows()
    stats.begin(Logit("died ~ ns(age, df = 3)")).save(tmp_path / "study.round")
    step = stats.load_round(tmp_path / "study.round")
    assert repr(step) == "<Round: question 1 asks for the columns, their levels and the classes>"
    while isinstance(step, stats.Round):
        assert (step.discloses is not None) == (step.number == 2)
        (tmp_path / "one.answer").write_bytes(step.answer(table[:100], n_jobs=1))
        step = pickle.loads(pickle.dumps(step)).advance([tmp_path / "one.answer", step.answer(table[100:])])
    pooled = Logit("died ~ ns(age, df = 3)").fit(table)
    np.testing.assert_allclose(step.tidy()["estimate"], pooled.tidy()["estimate"], rtol=1e-8)


def test_an_answer_belongs_to_its_question() -> None:
    table = rows()
    first = stats.begin(Logit("died ~ age"))
    other = stats.begin(Logit("died ~ age + ward"))
    with pytest.raises(MismatchError, match="same question of another study"):
        first.advance([other.answer(table)])
    second = first.advance([first.answer(table)])
    assert isinstance(second, stats.Round)
    with pytest.raises(MismatchError, match="it answers question 1, and this is question 2"):
        second.advance([first.answer(table)])
    with pytest.raises(ValueError, match="not a usable"):
        second.advance([b"no answer at all"])


def test_counts_in_columns_are_the_rows_that_they_count() -> None:
    counts = pd.DataFrame({"dead": [1, 4, 9, 13, 18], "alive": [19, 16, 11, 7, 2], "dose": [0.0, 1, 2, 3, 4]}).assign(all=20)
    single = counts.loc[counts.index.repeat(20)].reset_index(drop=True)
    single["outcome"] = np.concatenate([["dead"] * d + ["alive"] * a for d, a in zip(counts.dead, counts.alive, strict=True)])
    expected = Logit("outcome ~ dose").fit(single).tidy()
    for formula in ("cbind(dead, alive) ~ dose", "dead/all ~ dose"):
        model = Logit(formula).fit(counts)
        np.testing.assert_allclose(model.tidy()["estimate"], expected["estimate"], rtol=1e-9)
        np.testing.assert_allclose(model.tidy()["std_error"], expected["std_error"], rtol=1e-9)
    assert list(Logit("cbind(dead, alive) ~ dose").fit(counts).classes_) == ["alive", "dead"]


@pytest.mark.parametrize("model", ["nb", "gaussian-nb", "lda", "qda", "logistic", "one-vs-rest"])
def test_any_model_is_fitted_by_partitions_and_a_tree_of_merges(model: str) -> None:
    table = rows().assign(dose=lambda frame: np.sqrt(frame["age"] + 3 * frame["copies"]))[["age", "dose", "died"]]
    cuts = [table[:50], table[50:120], table[120:]]
    step = stats.begin(model, "died")
    whole = stats.begin(model, "died")
    while isinstance(step, stats.Pass):
        ask = step.ask()
        parts = [stats.answer(ask, [cut], part=str(at)) for at, cut in enumerate(cuts)]
        merged = stats.merge_answers([parts[0], stats.merge_answers(parts[1:])])
        step = step.advance(merged) if step.number > 1 else step.advance(stats.merge_answers(parts))
        whole.observe(table)
        whole = whole.advance()
    np.testing.assert_allclose(step.predict_proba(table[["age", "dose"]]), whole.predict_proba(table[["age", "dose"]]), rtol=1e-9)


def test_a_forgotten_part_and_one_that_is_there_twice_are_refused() -> None:
    table = rows()
    step = stats.begin("died ~ age")
    step = step.advance([stats.answer(step.ask(), [cut]) for cut in (table[:100], table[100:])])
    first, second = (stats.answer(step.ask(), [cut]) for cut in (table[:100], table[100:]))
    with pytest.raises(MismatchError, match="missing"):
        step.advance([first])
    with pytest.raises(MismatchError, match="count twice"):
        stats.merge_answers([first, second, first])
