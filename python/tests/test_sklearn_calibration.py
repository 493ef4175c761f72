"""Calibrated probabilities of the command against scikit-learn's maps on the same log odds."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression


def rows(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    y = (rng.random(count) < 0.35).astype(int)
    a, b = rng.normal(0, 1, count) + y, rng.normal(0, 1, count) + 0.5 * y
    return {"a": a, "b": b, "c": b + rng.normal(0, 0.2, count), "y": np.array(["no", "yes"])[y]}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_maps(command, method: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    fitted, held_out = command.write("fitted.csv", rows(rng, 400)), command.write("held_out.csv", rows(rng, 600))
    command.run("fit", fitted, "-t", "y", "--model", "gaussian-nb", "-o", "m.odds")
    table = list(csv.DictReader(io.StringIO(command.run("predict", "m.odds", held_out, "--log-odds", "--id", "y", "--format", "csv"))))
    log_odds = np.array([float(row["log_odds_yes"]) for row in table])
    y = np.array([row["y"] == "yes" for row in table]).astype(int)
    command.run("calibrate", "m.odds", held_out, "--method", method, "-o", "calibrated.odds")
    ours = command.probabilities("calibrated.odds", held_out, ["no", "yes"])[:, 1]
    if method == "platt":
        # The peer minimises by L-BFGS, which stops some digits short.
        want = _SigmoidCalibration().fit(log_odds, y).predict(log_odds)
        np.testing.assert_allclose(ours, want, atol=2e-5)
    else:
        want = IsotonicRegression(out_of_bounds="clip").fit(log_odds, y).predict(log_odds)
        # Runs without events, or of nothing else, are kept off 0 and 1 here.
        inside = (want > 0) & (want < 1)
        assert inside.mean() > 0.6
        np.testing.assert_allclose(ours[inside], want[inside], atol=1e-12)
        assert ours.min() > 0 and ours.max() < 1
    assert np.ptp(ours) > 0.3
