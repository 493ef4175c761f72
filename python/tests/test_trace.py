"""The steps of a search as a table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import oddsmith
from oddsmith import Logit

ROWS = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": ["no", "yes", "no", "yes"]})


def test_steps_of_gradient_descent_go_against_the_slope():
    model = Logit("y ~ x", solver="gradient", rate=1, descent_units="columns", start={"x": 0}, max_steps=3, trace=True).fit(ROWS)
    steps = model.trace_
    assert steps.columns == ["step", "loss", "class", "term", "estimate", "gradient"]
    wide = steps.pivot("term", index=["step", "loss"], values=["estimate", "gradient"])
    line = wide.select("estimate_(intercept)", "estimate_x").to_numpy()
    slope = wide.select("gradient_(intercept)", "gradient_x").to_numpy()
    x = np.column_stack([np.ones(4), ROWS["x"].to_numpy()])
    y = np.array([0.0, 1.0, 0.0, 1.0])
    p = 1 / (1 + np.exp(-x @ line.T))
    np.testing.assert_allclose(slope, ((p - y[:, None]).T @ x) / 4, atol=1e-14)
    np.testing.assert_allclose(line[1:], (line - slope)[:-1], atol=1e-13)
    np.testing.assert_allclose(wide["loss"], -np.mean(np.where(y[:, None] == 1, np.log(p), np.log1p(-p)), axis=0), rtol=1e-13)


def test_newton_ends_at_the_estimate_and_a_trace_is_only_there_when_asked_for():
    model = Logit("y ~ x", start={"x": 0}, trace=True).fit(ROWS)
    last = model.trace_.filter(pl.col("step") == model.trace_["step"].max())
    np.testing.assert_allclose(last["estimate"], model.tidy()["estimate"], rtol=1e-8)
    assert not hasattr(Logit("y ~ x").fit(ROWS), "trace_")
    model.set_params(trace=False).fit(ROWS)
    assert not hasattr(model, "trace_")


def test_classes_from_declarations_have_a_trace_where_they_search():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = rng.normal(size=(90, 2)) + 0.5 * y[:, None]
    model = oddsmith.OneVsRestLogistic(trace=True).fit(X, y)
    assert set(model.trace_["class"]) == {"0", "1", "2"}
    for entry in oddsmith._core.models():
        made = getattr(oddsmith, entry["python"])
        if "trace" in made().get_params():
            assert entry["searches"], entry["name"]


@pytest.mark.parametrize("given", [{"trace": 1}, {"start": {"z": 1.0}}, {"descent_units": "metres"}])
def test_what_cannot_be_traced_is_refused(given):
    with pytest.raises(ValueError):
        Logit("y ~ x", **given).fit(ROWS)
