"""Classes made from the registry's declarations: signature, checks, input, files and answers, with nothing written for one model."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import all_estimators
from sklearn.utils.estimator_checks import parametrize_with_checks

import oddsmith as od
from oddsmith import _core
from oddsmith._classes import CLASSES, MADE

ENTRIES = {entry["python"]: entry for entry in _core.models()}
#: Options that make a fit possible where some checks tell their classes apart without error.
MILD = {"l2": 1.0}


def mild(name: str) -> dict:
    """Of the mild options those that a model declares."""
    return {option: value for option, value in MILD.items() if option in {param["name"] for param in ENTRIES[name]["params"]}}


def answers(model, X) -> np.ndarray:
    """Probabilities, or margins where a model has none."""
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.decision_function(X)


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 180)
    return rng.normal(size=(180, 4)) + 0.8 * y[:, None], np.array(["ash", "elm", "oak"])[y]


def test_every_model_of_the_registry_has_a_class():
    for name in ENTRIES:
        assert CLASSES[name] is getattr(od, name)
        assert name in od.__all__ and name in dir(od)
    assert "OneVsRestLogistic" in MADE and "GaussianNB" not in MADE


def test_importing_the_package_imports_no_scikit_learn_and_hides_no_name():
    code = (
        "import sys, oddsmith\n"
        "assert 'sklearn' not in sys.modules\n"
        "assert set(oddsmith.__all__) <= set(dir(oddsmith))\n"
        "assert oddsmith.naive_bayes.GaussianNB is oddsmith.GaussianNB\n"
        "from oddsmith import *\n"
        "assert OneVsRestLogistic is oddsmith.OneVsRestLogistic and stats is oddsmith.stats\n"
        "try:\n"
        "    oddsmith.nonsense\n"
        "except AttributeError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "module 'oddsmith' has no attribute 'nonsense'\n", done.stderr


@pytest.mark.parametrize("name", MADE)
def test_the_signature_is_that_of_the_declarations(name):
    made, params = MADE[name], {param["name"]: param for param in ENTRIES[name]["params"]}
    signature = inspect.signature(made)
    # What a class takes beside the declarations, as scikit-learn has it.
    beside = {option: default for part in made.__mro__ for option, default in vars(part).get("_beside", {}).items()}
    # What scikit-learn's class of that name takes by its place is taken so here.
    theirs = dict(all_estimators(type_filter="classifier")).get(name)
    known = inspect.signature(theirs).parameters if theirs else {}
    for option, param in params.items():
        assert signature.parameters[option].default == beside.get(option, param["default"])
        assert signature.parameters[option].kind is (known[option].kind if option in known else inspect.Parameter.KEYWORD_ONLY)
        assert f"{option} : " in made.__doc__
    always = {"kinds", "n_jobs"} | ({"formula"} if ENTRIES[name]["takes_formula"] else set()) | ({"text"} if ENTRIES[name]["takes_text"] else set())
    always |= {"trace"} if ENTRIES[name]["searches"] else set()
    assert set(made().get_params()) == set(signature.parameters) == set(params) | always | set(beside)
    with pytest.raises(TypeError, match="unexpected keyword argument 'depht'"):
        made(depht=3)
    changed = made(n_jobs=2)
    assert clone(changed).get_params() == changed.get_params()
    assert repr(changed) == f"{name}(n_jobs=2)"


def expected_failures(estimator) -> dict[str, str]:
    """What a model refuses by its declaration, and scikit-learn expects of a parameter of that name."""
    refused = isinstance(estimator, od.OneVsRestLogistic)
    return {"check_class_weight_classifiers": "classes together have no factor in common; 'balanced' is taken"} if refused else {}


@parametrize_with_checks([made(**mild(name)) for name, made in MADE.items()], expected_failed_checks=expected_failures, xfail_strict=True)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", MADE)
def test_options_are_checked_by_their_declarations(name, rows):
    wrong = {"flag": 1.5, "number": "much", "whole": 2.5, "choice": "nonsense", "pairs": 3, "column": 4, "columns": 5}
    for param in ENTRIES[name]["params"]:
        if param["kind"] in wrong:
            estimator = MADE[name](**{param["name"]: wrong[param["kind"]]})
            with pytest.raises(od.ParameterError, match=rf"^{param['name']} = .* is not accepted: "):
                estimator.fit(*rows)


def test_values_out_of_range_name_what_is_accepted(rows):
    with pytest.raises(od.ParameterError, match=r"^l2 = -1 is not accepted: a finite number from 0 up$"):
        od.OneVsRestLogistic(l2=-1).fit(*rows)
    with pytest.raises(od.ParameterError, match=r"^prior_sd = 0 is not accepted"):
        od.OneVsRestLogistic(prior_sd=0).fit(*rows)


@pytest.mark.parametrize("name", MADE)
def test_files_pickles_and_copies_answer_alike(name, rows, tmp_path):
    X, y = rows
    model = MADE[name](**mild(name)).fit(X, y)
    model.save(tmp_path / "m.odds")
    again = od.load(tmp_path / "m.odds")
    assert type(again) is MADE[name]
    for other in (again, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(answers(other, X), answers(model, X))
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-12)
    assert model.decision_function(X).shape == (180, 3)
    assert model.fit(X, y == "ash").decision_function(X).shape == (180,)
    assert "</" in model._repr_html_() and model.summary()


@pytest.mark.parametrize("name", MADE)
def test_frames_of_every_library_and_arrays_agree(name, rows):
    X, y = rows
    columns = {f"x{j}": X[:, j] for j in range(4)}
    expected = answers(MADE[name](**mild(name)).fit(X, y), X)
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make(columns)
        np.testing.assert_allclose(answers(MADE[name](**mild(name)).fit(frame, y), frame), expected, rtol=1e-10)


@pytest.mark.parametrize("name", MADE)
def test_the_command_and_the_class_agree(name, rows, command):
    X, y = rows
    data = command.write("rows.csv", {f"x{j}": X[:, j] for j in range(4)} | {"y": y})
    flags = [part for option, value in mild(name).items() for part in (f"--{option.replace('_', '-')}", str(value))]
    command.run("fit", data, "--target", "y", "--model", ENTRIES[name]["name"], *flags, "-o", "m.odds")
    expected = command.probabilities("m.odds", data, ["ash", "elm", "oak"])
    np.testing.assert_allclose(answers(MADE[name](**mild(name)).fit(X, y), X), expected, rtol=1e-9)
    loaded = od.load(command.folder / "m.odds")
    assert type(loaded) is MADE[name]
    np.testing.assert_allclose(answers(loaded, X), expected, rtol=1e-13)


def test_one_regression_per_class_is_that_of_scikit_learn(rows):
    X, y = rows
    theirs = OneVsRestClassifier(LogisticRegression(C=0.5, tol=1e-10, max_iter=1000)).fit(X, y)
    np.testing.assert_allclose(od.OneVsRestLogistic(l2=2.0).fit(X, y).predict_proba(X), theirs.predict_proba(X), atol=1e-7)
    thin = sparse.csr_matrix(np.where(X > 1, X, 0.0))
    theirs = OneVsRestClassifier(LogisticRegression(C=0.5, tol=1e-10, max_iter=1000)).fit(thin, y)
    np.testing.assert_allclose(od.OneVsRestLogistic(l2=2.0, tolerance=1e-9).fit(thin, y).predict_proba(thin), theirs.predict_proba(thin), atol=1e-5)


def test_frames_have_columns_of_every_kind_and_formulas_name_them():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.normal(50, 9, 300), "ward": rng.choice(list("abc"), 300), "smokes": rng.random(300) < 0.4})
    kind = np.where(frame["age"] + 10 * frame["smokes"] + rng.normal(0, 12, 300) > 55, "ill", np.where(rng.random(300) < 0.5, "well", "unknown"))
    frame.loc[7, "age"] = np.nan
    frame.loc[9, "ward"] = None
    with pytest.warns(od.OddsmithWarning, match="W121"):
        model = od.OneVsRestLogistic().fit(frame, kind)
    with pytest.warns(od.OddsmithWarning, match="W303"):
        probabilities = model.predict_proba(frame)
    assert np.isnan(probabilities[[7, 9]]).all() and not np.isnan(np.delete(probabilities, [7, 9], axis=0)).any()
    whole = frame.assign(kind=kind)
    with pytest.warns(od.OddsmithWarning, match="W121"):
        named = od.OneVsRestLogistic(formula="kind ~ smokes + age").fit(whole)
    assert sorted(named.feature_names_in_) == ["age", "smokes"]
    with pytest.raises(od.ParameterError, match="so does y"):
        od.OneVsRestLogistic(formula="kind ~ age").fit(whole, kind)


def test_text_without_a_penalty_is_advised_in_the_words_of_python():
    with pytest.raises(od.NoEstimateError, match="l2=1") as caught:
        od.OneVsRestLogistic().fit(sparse.csr_matrix(np.eye(12)), np.arange(12) % 3)
    assert "--" not in str(caught.value)
