"""`CalibratedClassifier`: maps from held-out scores, around classifiers of any library."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import oddsmith as od

METHODS = ["sigmoid", "isotonic", "temperature", "beta"]


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    """Columns that say the same thing: naive Bayes is overconfident."""
    rng = np.random.default_rng(91)
    y = rng.integers(0, 2, 600)
    return np.repeat(rng.normal(size=(600, 1)) + y[:, None], 6, axis=1) + 0.1 * rng.normal(size=(600, 6)), y


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("estimator", [od.GaussianNB(), GaussianNB()], ids=["ours", "theirs"])
def test_overconfident_probabilities_are_mended(rows, method, estimator):
    X, y = rows
    half = len(y) // 2
    plain = log_loss(y[half:], estimator.fit(X[:half], y[:half]).predict_proba(X[half:]))
    model = od.CalibratedClassifier(estimator, method=method).fit(X[:half], y[:half])
    assert log_loss(y[half:], model.predict_proba(X[half:])) < 0.75 * plain
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)).sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


def test_platts_line_is_the_regression_on_held_out_log_odds(rows):
    X, y = rows
    folds = StratifiedKFold(4)
    model = od.CalibratedClassifier(GaussianNB(), cv=folds).fit(X, y)
    held_out = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_log_proba")
    scores = held_out[:, 1] - held_out[:, 0]
    # Platt's targets as weights: each row is partly an event and partly not.
    events, others = (y == 1).sum(), (y == 0).sum()
    soft = np.where(y == 1, (events + 1) / (events + 2), 1 / (others + 2))
    line = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(
        np.tile(scores, 2)[:, None], np.repeat([1, 0], len(y)), sample_weight=np.concatenate([soft, 1 - soft])
    )
    own = GaussianNB().fit(X, y).predict_log_proba(X)
    expected = expit(line.intercept_ + line.coef_[0] * (own[:, 1] - own[:, 0]))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-6)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_near_scikit_learns_calibration(rows, method):
    X, y = rows
    theirs = CalibratedClassifierCV(LogisticRegression(), method=method, ensemble=False, cv=5).fit(X, y)
    ours = od.CalibratedClassifier(LogisticRegression(), method=method, cv=5).fit(X, y)
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).mean() < 0.02


@pytest.mark.parametrize("method", METHODS)
def test_three_classes(method):
    rng = np.random.default_rng(92)
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, 600)]
    X = np.repeat(rng.normal(size=(600, 1)) + (y == "b")[:, None] + 2 * (y == "c")[:, None], 5, axis=1) + 0.1 * rng.normal(size=(600, 5))
    plain = log_loss(y[300:], od.GaussianNB().fit(X[:300], y[:300]).predict_proba(X[300:]))
    model = od.CalibratedClassifier(od.GaussianNB(), method=method).fit(X[:300], y[:300])
    assert log_loss(y[300:], model.predict_proba(X[300:])) < 0.75 * plain
    assert list(model.classes_) == ["a", "b", "c"]


def test_fitted_classifiers_stay_as_they_are(rows):
    X, y = rows
    fitted = GaussianNB().fit(X[:200], y[:200])
    means = fitted.theta_.copy()
    prefit = od.CalibratedClassifier(fitted, cv="prefit").fit(X[200:], y[200:])
    frozen = od.CalibratedClassifier(FrozenEstimator(fitted)).fit(X[200:], y[200:])
    np.testing.assert_array_equal(fitted.theta_, means)
    np.testing.assert_allclose(prefit.predict_proba(X), frozen.predict_proba(X), rtol=1e-12)
    assert prefit.estimator_ is fitted


def test_decision_values_and_certain_trees_are_calibrated(rows):
    X, y = rows
    for estimator in (LinearSVC(), DecisionTreeClassifier(random_state=0)):
        for method in METHODS:
            p = od.CalibratedClassifier(estimator, method=method).fit(X, y).predict_proba(X)
            assert np.isfinite(np.log(p)).all()


def test_scores_that_say_nothing_give_the_shares_of_the_classes():
    rng = np.random.default_rng(93)
    X, y = rng.normal(size=(60, 1)), np.tile([0, 0, 1], 20)
    backwards = FrozenEstimator(GaussianNB().fit(np.where(y == 1, -1.0, 1.0)[:, None] + 0.1 * X, y))
    with pytest.warns(od.OddsmithWarning, match="W304"):
        model = od.CalibratedClassifier(backwards).fit(np.where(y == 1, 1.0, -1.0)[:, None] + 0.1 * X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 21 / 62)
    assert [w.id for w in model.diagnostics_] == ["W304", "W304"]


def test_weights_are_rows(rows):
    X, y = rows
    times = np.random.default_rng(94).integers(1, 3, len(y))
    fitted = FrozenEstimator(GaussianNB().fit(X, y))
    weighted = od.CalibratedClassifier(fitted, cv="prefit").fit(X, y, sample_weight=times)
    repeated = od.CalibratedClassifier(fitted, cv="prefit").fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_model_files_and_pickles(rows, method, command, tmp_path):
    X, y = rows
    model = od.CalibratedClassifier(od.LinearDiscriminantAnalysis(), method=method, cv=3).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    model.save(tmp_path / "model.odds")
    table = command.write("rows.csv", {f"x{j}": X[:, j] for j in range(6)})
    np.testing.assert_allclose(command.probabilities(tmp_path / "model.odds", table, ["0", "1"]), model.predict_proba(X), rtol=1e-10)
    again = od.load(tmp_path / "model.odds")
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-10)
    assert not hasattr(od.CalibratedClassifier(LinearSVC()), "save")
