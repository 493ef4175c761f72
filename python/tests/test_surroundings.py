"""Inside pipelines, searches, workers, forks and threads."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

import oddsmith as od

ARRAYS = [od.GaussianNB(), od.MultinomialNB(), od.BernoulliNB(binarize=2.0), od.ComplementNB(), od.CategoricalNB()]
ARRAYS += [od.LinearDiscriminantAnalysis(), od.QuadraticDiscriminantAnalysis(), od.MixedNB()]
ARRAYS += [od.LogisticRegression(), od.LogisticRegression(l1_ratio=0.5), od.Logit()]
ARRAYS += [od.PriorShift(od.GaussianNB(), priors=[0.9, 0.1]), od.CalibratedClassifier(od.MultinomialNB(), cv=3)]


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(41)
    y = rng.integers(0, 2, 300)
    return rng.poisson(2 + y[:, None], size=(300, 4)).astype(float), y


@pytest.mark.parametrize("estimator", ARRAYS, ids=lambda e: type(e).__name__)
def test_cross_validation_in_workers(rows, estimator):
    alone = cross_val_score(estimator, *rows, cv=3, scoring="neg_log_loss")
    together = cross_val_score(estimator, *rows, cv=3, scoring="neg_log_loss", n_jobs=2)
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("estimator", ARRAYS, ids=lambda e: type(e).__name__)
def test_pipelines_clones_pickles_and_workers(rows, estimator):
    X, y = rows
    pipeline = make_pipeline(ColumnTransformer([("all", "passthrough", [0, 1, 2, 3])]), clone(estimator)).fit(X, y)
    expected = clone(estimator).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(pipeline.predict_proba(X), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(pipeline)).predict_proba(X), expected)
    sent = joblib.Parallel(n_jobs=2)(joblib.delayed(pipeline.predict_proba)(part) for part in (X[:150], X[150:]))
    np.testing.assert_array_equal(np.vstack(sent), expected)


@pytest.mark.parametrize("estimator", ARRAYS, ids=lambda e: type(e).__name__)
def test_scikit_learn_calibrates_them(rows, estimator):
    calibrated = CalibratedClassifierCV(estimator, cv=3).fit(*rows)
    np.testing.assert_allclose(calibrated.predict_proba(rows[0]).sum(axis=1), 1.0)


GRIDS = [
    (od.BernoulliNB(), {"alpha": [0.5, 1.0], "binarize": [1.0, 2.0]}),
    (od.MixedNB(), {"var_tying": ["per-class", "single"]}),
    (od.LinearDiscriminantAnalysis(solver="lsqr"), {"shrinkage": [None, "auto", 0.1]}),
    (od.QuadraticDiscriminantAnalysis(), {"reg_param": [0.0, 0.1]}),
    (od.LogisticRegression(), {"C": [0.1, 1.0], "l1_ratio": [0.0, 1.0]}),
    (od.Logit(), {"formula": [None, "~ x0 + x1"], "firth": [False, True]}),
    (od.CalibratedClassifier(od.GaussianNB(), cv=3), {"method": ["sigmoid", "beta"], "estimator__var_smoothing": [1e-9, 1e-2]}),
    (od.PriorShift(od.GaussianNB()), {"priors": [None, [0.5, 0.5]]}),
]


@pytest.mark.parametrize(("estimator", "grid"), GRIDS, ids=lambda e: type(e).__name__)
def test_searches(rows, estimator, grid):
    search = GridSearchCV(estimator, grid, cv=3, scoring="neg_log_loss", error_score="raise").fit(*rows)
    assert len(set(search.cv_results_["mean_test_score"])) > 1 or len(search.cv_results_["params"]) == 2
    assert search.predict_proba(rows[0]).shape == (300, 2)


def test_search_over_parameters(rows):
    pipeline = Pipeline([("scale", StandardScaler()), ("model", od.GaussianNB())])
    search = GridSearchCV(pipeline, {"model__var_smoothing": [1e-9, 1e-2], "model__var_tying": ["per-class", "single"]}, cv=3)
    assert search.fit(*rows).best_score_ > 0.6
    assert search.best_estimator_.predict_proba(rows[0]).shape == (300, 2)


@pytest.mark.parametrize("library", [pd, pl])
def test_data_frames_through_a_column_transformer(rows, library):
    X, y = rows
    frame = library.DataFrame({"size": X[:, 0], "kind": np.where(X[:, 1] > 2, "big", "small"), "count": X[:, 2]})
    columns = ColumnTransformer([("kind", OrdinalEncoder(), ["kind"]), ("rest", "passthrough", ["size", "count"])])
    model = make_pipeline(columns, od.GaussianNB()).fit(frame, y)
    assert model.score(frame, y) > 0.6


@pytest.mark.parametrize("library", [pd, pl])
def test_feature_names_and_outputs(rows, library):
    X, y = rows
    frame = library.DataFrame({name: X[:, j] for j, name in enumerate("abcd")})
    model = od.LinearDiscriminantAnalysis().fit(frame, y)
    assert list(model.feature_names_in_) == list("abcd")
    assert list(model.get_feature_names_out()) == ["lineardiscriminantanalysis0"]
    kind = "pandas" if library is pd else "polars"
    turned = model.set_output(transform=kind).transform(frame)
    assert isinstance(turned, library.DataFrame) and list(turned.columns) == ["lineardiscriminantanalysis0"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a", "c", "d"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict_proba(X[:1])
    model.set_output(transform="default")


def answer(model, X, queue):
    queue.put(model.fit(X, np.arange(len(X)) % 2).predict_proba(X[:5]))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(rows, method):
    big = np.tile(rows[0], (400, 1))
    model = od.GaussianNB()
    expected = model.fit(big, np.arange(len(big)) % 2).predict_proba(big[:5])
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=answer, args=(model, big, queue))
    process.start()
    np.testing.assert_array_equal(queue.get(timeout=60), expected)
    process.join(10)
    assert process.exitcode == 0


def test_threads_share_an_estimator(rows):
    X, y = rows
    model = od.LinearDiscriminantAnalysis().fit(X, y)
    expected = model.predict_proba(X)
    found = joblib.Parallel(n_jobs=4, backend="threading")(joblib.delayed(model.predict_proba)(X) for _ in range(50))
    assert all(np.array_equal(one, expected) for one in found)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    rng = np.random.default_rng(42)
    X, y = rng.normal(size=(60_000, 5)), rng.integers(0, 3, 60_000)
    answers = []
    for n_jobs in (1, 2, 3, -1, -2):
        model = od.QuadraticDiscriminantAnalysis(n_jobs=n_jobs).fit(X, y)
        answers.append(model._model.to_bytes() + model.predict_proba(X).tobytes())
    for name in ("ODDSMITH_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "2")
        answers.append(od.QuadraticDiscriminantAnalysis().fit(X, y)._model.to_bytes() + model.predict_proba(X).tobytes())
    assert len(set(answers)) == 1
    with pytest.raises(od.ParameterError, match="n_jobs = 0"):
        od.GaussianNB(n_jobs=0).fit(X, y)


def test_other_threads_go_on_during_a_fit():
    rng = np.random.default_rng(43)
    X, y = rng.normal(size=(200_000, 40)), rng.integers(0, 2, 200_000)
    stop, ticks = threading.Event(), []

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    while time.perf_counter() < begin + 0.5:
        od.GaussianNB(n_jobs=1).fit(X, y)
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = [t for t in ticks if begin < t < end]
    assert len(inside) > 20 and max(np.diff(inside)) < 0.25


INTERRUPTED = """
import numpy as np, oddsmith as od, time
X = np.random.default_rng(0).normal(size=(60_000, 600)); y = np.arange(60_000) % 2
print("ready", flush=True)
try:
    while True:
        od.QuadraticDiscriminantAnalysis(n_jobs=1).fit(X, y)
except KeyboardInterrupt:
    print("stopped", time.time(), flush=True)
print(od.GaussianNB().fit(X[:99, :2], y[:99]).predict(X[:1, :2]).shape)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX does")
def test_an_interrupt_stops_a_fit_and_the_process_lives():
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        word, when = process.stdout.readline().split()
        assert word == "stopped" and float(when) - sent < 1.0
        assert process.stdout.readline() == "(1,)\n"
