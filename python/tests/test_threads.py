"""Many Python threads at once: fits, predictions from a shared model, batches, files. On interpreters without a global lock they run
side by side."""

from __future__ import annotations

import pickle
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

import oddsmith as od

THREADS = 6
ROUNDS = 4
rng = np.random.default_rng(23)
X = rng.integers(0, 5, (3000, 6)).astype(float)
Y = (X[:, :3] + 2 * rng.gumbel(size=(3000, 3))).argmax(axis=1)
ESTIMATORS = [
    od.GaussianNB(),
    od.BernoulliNB(binarize=2.0),
    od.MultinomialNB(),
    od.ComplementNB(),
    od.CategoricalNB(),
    od.MixedNB(),
    od.LinearDiscriminantAnalysis(),
    od.QuadraticDiscriminantAnalysis(),
    od.LogisticRegression(),
    od.Logit(tests=False),
]


def at_once(work):
    """The answers of several threads that begin together."""
    gate = threading.Barrier(THREADS)

    def begin(number):
        gate.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def copy_of(estimator):
    return type(estimator)(**estimator.get_params())


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter has a global lock")
def test_importing_does_not_bring_the_lock_back():
    assert not sys._is_gil_enabled()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_fits_do_not_meet(estimator):
    parts = [(X[number::THREADS], Y[number::THREADS]) for number in range(THREADS)]
    expected = [copy_of(estimator).fit(*part).predict_proba(X) for part in parts]
    for _ in range(ROUNDS):
        for found, wanted in zip(at_once(lambda number: copy_of(estimator).fit(*parts[number]).predict_proba(X)), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_one_model_answers_everybody(estimator):
    model = copy_of(estimator).fit(X, Y)
    expected, chosen, one = model.predict_proba(X), model.predict(X), model.predict_proba(X[:1])

    def ask(number):
        right = True
        for _ in range(ROUNDS):
            right &= (model.predict_proba(X) == expected).all() and (model.predict(X) == chosen).all()
            right &= all((model.predict_proba(X[:1]) == one).all() for _ in range(50))
            right &= (pickle.loads(pickle.dumps(model)).predict_proba(X) == expected).all()
        return right

    assert all(at_once(ask))


def test_weights_are_written_while_others_predict():
    model = od.LogisticRegression().fit(X, Y > 0)
    learned, kept = model.predict_proba(X), model.coef_.copy()
    model.coef_ = np.zeros_like(kept)
    zeroed = model.predict_proba(X)

    def work(number):
        if number == 0:
            for turn in range(200):
                model.coef_ = kept.copy() if turn % 2 else np.zeros_like(kept)
            return True
        answers = [model.predict_proba(X) for _ in range(20)]
        return all(np.allclose(answer, learned, atol=1e-12) or np.allclose(answer, zeroed, atol=1e-12) for answer in answers)

    assert all(at_once(work))


def test_sparse_rows_and_statistics_at_once():
    table = sparse.csr_array(X)
    words = od.MultinomialNB().fit(table, Y).predict_proba(table)
    whole = od.stats.gather(X, Y)
    expected = od.GaussianNB().fit(X, Y).predict_proba(X)

    def work(number):
        cut = 300 * (number + 1)
        joined = od.stats.gather(X[:cut], Y[:cut]) + od.stats.gather(X[cut:], Y[cut:])
        near = np.allclose(joined.fit(od.GaussianNB()).predict_proba(X), expected, rtol=1e-9)
        return near and (od.MultinomialNB().fit(table, Y).predict_proba(table) == words).all() and (joined.class_count == whole.class_count).all()

    assert all(at_once(work))


def test_faults_stay_with_their_thread():
    broken = X.copy()
    broken[7, 2] = np.nan

    def work(number):
        if number % 2:
            with pytest.raises(od.DataError, match="row 8"):
                od.GaussianNB().fit(broken, Y)
            return True
        return (od.GaussianNB().fit(X, Y).predict(X) == od.GaussianNB().fit(X, Y).predict(X)).all()

    assert all(at_once(work))
