"""Models in files, pickles and copies: the same bytes and the same answers, here and in the command."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import oddsmith as od

ESTIMATORS = [
    (od.GaussianNB(), "theta_ var_ class_prior_ class_count_", "gaussian-nb"),
    (od.GaussianNB(predictive=True), "class_prior_", "gaussian-nb"),
    (od.MultinomialNB(), "feature_log_prob_ class_log_prior_ class_count_", "multinomial-nb"),
    (od.ComplementNB(), "feature_log_prob_", "complement-nb"),
    (od.BernoulliNB(binarize=2.0), "feature_log_prob_ binarize", "bernoulli-nb"),
    (od.CategoricalNB(), "feature_log_prob_ n_categories_", "categorical-nb"),
    (od.LinearDiscriminantAnalysis(store_covariance=True), "means_ covariance_ priors_ coef_ intercept_", "lda"),
    (od.QuadraticDiscriminantAnalysis(store_covariance=True), "means_ covariance_ priors_ scalings_", "qda"),
]
IDS = [f"{type(estimator).__name__}{i}" for i, (estimator, *_) in enumerate(ESTIMATORS)]


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(31)
    y = rng.integers(0, 3, 200)
    return rng.poisson(2 + y[:, None], size=(200, 3)).astype(float), np.array(["ash", "elm", "oak"])[y]


@pytest.mark.parametrize(("estimator", "attributes", "_tag"), ESTIMATORS, ids=IDS)
def test_a_saved_model_comes_back(rows, tmp_path, estimator, attributes, _tag):
    X, y = rows
    model = clone(estimator).fit(X, y)
    model.save(tmp_path / "m.odds")
    again = od.load(tmp_path / "m.odds")
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for name in attributes.split():
        listed = isinstance(getattr(model, name), list)
        pairs = zip(getattr(again, name), getattr(model, name), strict=True) if listed else [(getattr(again, name), getattr(model, name))]
        for mine, other in pairs:
            np.testing.assert_allclose(mine, other, rtol=1e-8, atol=1e-10, err_msg=name)
    again.save(tmp_path / "n.odds")
    assert (tmp_path / "n.odds").read_bytes() == (tmp_path / "m.odds").read_bytes()


@pytest.mark.parametrize(("estimator", "_attributes", "_tag"), ESTIMATORS, ids=IDS)
def test_pickles_and_copies_are_the_bytes_of_the_file(rows, tmp_path, estimator, _attributes, _tag):
    X, y = rows
    model = clone(estimator).fit(X, y)
    model.save(tmp_path / "m.odds")
    pickled = pickle.dumps(model)
    assert (tmp_path / "m.odds").read_bytes() in pickled
    for again in (pickle.loads(pickled), copy.copy(model), copy.deepcopy(model)):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.get_params() == model.get_params()
    with pytest.raises(Exception, match="not fitted"):
        clone(model).predict(X)


def test_a_pickle_goes_on_learning(rows):
    X, y = rows
    half = pickle.loads(pickle.dumps(od.GaussianNB().partial_fit(X[:100], y[:100], classes=["ash", "elm", "oak"])))
    half.partial_fit(X[100:], y[100:])
    np.testing.assert_allclose(half.predict_proba(X), od.GaussianNB().fit(X, y).predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize(("estimator", "_attributes", "tag"), ESTIMATORS, ids=IDS)
def test_python_and_the_command_say_the_same(rows, command, estimator, _attributes, tag):
    X, y = rows
    names = [f"x{j}" for j in range(3)]
    model = clone(estimator).fit(X, y)
    path = command.folder / "python.odds"
    model.save(path)
    kinds = "category" if tag == "categorical-nb" else "number"
    columns = {name: X[:, j].astype(int) for j, name in enumerate(names)}
    data = command.write("rows.csv", columns | {"y": y})
    np.testing.assert_allclose(command.probabilities(path, data, ["ash", "elm", "oak"]), model.predict_proba(X), rtol=1e-13)
    if not getattr(estimator, "predictive", False) and tag != "categorical-nb":
        command.run("fit", data, "--target", "y", "--model", tag, "--kind", ",".join(f"{n}={kinds}" for n in names), "-o", "cli.odds")
        theirs = od.load(command.folder / "cli.odds")
        np.testing.assert_allclose(
            command.probabilities(command.folder / "cli.odds", data, ["ash", "elm", "oak"]), theirs.predict_proba(X), rtol=1e-13
        )


def test_labels_come_back_with_their_type(rows, tmp_path):
    X, y = rows
    codes = np.searchsorted(["ash", "elm", "oak"], y)
    for labels in (codes, codes - 1, codes * 1.0, codes > 0, y):
        od.GaussianNB().fit(X, labels).save(tmp_path / "m.odds")
        classes = od.load(tmp_path / "m.odds").classes_
        assert classes.dtype.kind == labels.dtype.kind
        np.testing.assert_array_equal(classes, np.unique(labels))


def test_sparse_models_keep_their_columns(rows, tmp_path):
    X, y = sparse.csr_array(rows[0]), rows[1]
    for estimator in (od.MultinomialNB(), od.BernoulliNB()):
        model = estimator.fit(X, y)
        model.save(tmp_path / "m.odds")
        again = od.load(tmp_path / "m.odds")
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        np.testing.assert_allclose(again.feature_log_prob_, model.feature_log_prob_, rtol=1e-12)


def test_files_that_are_no_models_are_refused(rows, tmp_path):
    path = tmp_path / "m.odds"
    od.GaussianNB().fit(*rows).save(path)
    good = path.read_bytes()
    for bad in (b"", b"{}", good[:-7], good.replace(b"ash", b"asp"), pickle.dumps(1)):
        path.write_bytes(bad)
        with pytest.raises(od.FormatError, match="not a usable model file"):
            od.load(path)
    with pytest.raises(FileNotFoundError):
        od.load(tmp_path / "none.odds")
    with pytest.raises(OSError, match="none"):
        od.GaussianNB().fit(*rows).save(tmp_path / "none" / "m.odds")
    with pytest.raises(od.UnsupportedError, match="holds no sums"):
        path.write_bytes(good)
        od.load(path).partial_fit(*rows)
