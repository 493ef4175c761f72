"""Every parameter of scikit-learn's classes means here what it means there, is refused with a reason, or changes no result there either."""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn import discriminant_analysis, ensemble, linear_model, naive_bayes, neighbors, neural_network, tree
from sklearn.base import ClassifierMixin
from sklearn.covariance import OAS
from sklearn.datasets import make_classification

import oddsmith as od
from oddsmith._trees import _ELSEWHERE
from oddsmith.declared import ENTRIES

MODULES = (naive_bayes, discriminant_analysis, linear_model, neighbors, neural_network, tree, ensemble)
THEIRS = {
    name: kind
    for module in MODULES
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, ClassifierMixin) and name in od.__all__
}


class Obeyed(NamedTuple):
    """A value that another result comes of, beside other parameters."""

    value: Any
    beside: dict[str, Any] = {}


class Refused(NamedTuple):
    """A value that an error comes of, and what it says of the reason."""

    value: Any
    reason: str


class Idle(NamedTuple):
    """A value that the same result comes of, here and in scikit-learn, beside other parameters of scikit-learn's class."""

    value: Any
    there: dict[str, Any] = {}


ALONE = Idle(2)
SMOOTHED = {
    "alpha": Obeyed(3.0),
    "force_alpha": Obeyed(False, {"alpha": 0.0}),
    "fit_prior": Obeyed(False),
    "class_prior": Obeyed([0.2, 0.8]),
}
DISCRIMINANT = {"priors": Obeyed([0.2, 0.8]), "store_covariance": Obeyed(True)}
WORDS_OF_STEPS = "no search ends because a step changed the loss little"
OF_ADAM = "adam's moments fade"
NO_SGD = "a solver that there is not"
TREES = {
    "criterion": Obeyed("gini"),
    "max_depth": Obeyed(2),
    "min_samples_split": Obeyed(90),
    "min_samples_leaf": Obeyed(40),
    "min_weight_fraction_leaf": Refused(0.1, "counts rows"),
    "max_leaf_nodes": Refused(7, "level by level"),
    "min_impurity_decrease": Obeyed(0.05),
    "class_weight": Obeyed("balanced"),
    "monotonic_cst": Refused([1, 0, 0, 0, 0], "bound to a direction"),
}

#: What becomes of every parameter of every class.
PARAMETERS: dict[str, dict[str, Obeyed | Refused | Idle]] = {
    "GaussianNB": {"priors": Obeyed([0.2, 0.8]), "var_smoothing": Obeyed(0.1)},
    "BernoulliNB": SMOOTHED | {"binarize": Obeyed(2.0)},
    "MultinomialNB": SMOOTHED,
    # A prior shows in `class_log_prior_` alone, as it does there: it counts for rows of a single class, which teach nothing here.
    "ComplementNB": SMOOTHED | {"norm": Obeyed(True)},
    "CategoricalNB": SMOOTHED | {"min_categories": Obeyed(30)},
    "LinearDiscriminantAnalysis": DISCRIMINANT
    | {
        "solver": Obeyed("lsqr"),
        "shrinkage": Obeyed(0.5, {"solver": "lsqr"}),
        "n_components": Refused(2, "cannot be larger than"),
        "tol": Obeyed(5.0),
        "covariance_estimator": Obeyed(OAS(), {"solver": "lsqr"}),
    },
    "QuadraticDiscriminantAnalysis": DISCRIMINANT
    | {
        "solver": Idle("eigen"),
        "shrinkage": Obeyed(0.5, {"solver": "eigen"}),
        "reg_param": Obeyed(0.5),
        "tol": Obeyed(1e6),
        "covariance_estimator": Obeyed(OAS(), {"solver": "eigen"}),
    },
    "LogisticRegression": {
        "penalty": Obeyed("l1"),
        "C": Obeyed(0.01),
        "l1_ratio": Obeyed(0.9),
        "dual": Idle(True, {"solver": "liblinear", "tol": 1e-8, "max_iter": 100_000}),
        "tol": Obeyed(1e3, {"max_iter": 0}),
        "fit_intercept": Obeyed(False),
        "intercept_scaling": Idle(10.0),
        "class_weight": Obeyed("balanced"),
        "random_state": Idle(3),
        "solver": Idle("newton-cholesky", {"tol": 1e-10, "max_iter": 10_000}),
        "max_iter": Obeyed(1),
        "verbose": Idle(1),
        "warm_start": Obeyed(True, {"max_iter": 1}),
        "n_jobs": ALONE,
    },
    "RidgeClassifier": {
        "alpha": Obeyed(30.0),
        "fit_intercept": Refused(False, "always have an intercept"),
        "copy_X": Idle(False),
        "max_iter": Idle(1),
        "tol": Idle(0.1),
        "class_weight": Obeyed("balanced"),
        "solver": Idle("svd"),
        "positive": Refused(True, "coefficients are free"),
        "random_state": Idle(3),
    },
    "Perceptron": {
        "penalty": Refused("l2", "no penalised loss"),
        "alpha": Idle(0.5),
        "l1_ratio": Idle(0.9),
        "fit_intercept": Refused(False, "always have an intercept"),
        "max_iter": Obeyed(1),
        "tol": Refused(1e-3, "no loss whose changes"),
        "shuffle": Refused(True, "in their order"),
        "verbose": Idle(1),
        "eta0": Refused(2.0, "stretches all weights"),
        "n_jobs": ALONE,
        "random_state": Idle(3, {"shuffle": False, "tol": None}),
        "early_stopping": Refused(True, "no held-out part"),
        "validation_fraction": Idle(0.3),
        "n_iter_no_change": Idle(1, {"shuffle": False, "tol": None}),
        "class_weight": Obeyed({0: 1.0, 1: 7.0}),
        "warm_start": Refused(True, "starts from zero"),
    },
    "KNeighborsClassifier": {
        "n_neighbors": Obeyed(3),
        "weights": Obeyed("distance"),
        "algorithm": Idle("kd_tree"),
        "leaf_size": Idle(3),
        "p": Refused(1, "Euclid"),
        "metric": Refused("manhattan", "Euclid"),
        "metric_params": Refused({"w": 1}, "Euclid"),
        "n_jobs": ALONE,
    },
    "MLPClassifier": {
        "hidden_layer_sizes": Obeyed((3,)),
        "activation": Obeyed("logistic"),
        "solver": Obeyed("adam", {"max_iter": 3}),
        "alpha": Obeyed(0.1),
        "batch_size": Refused(50, "200 rows"),
        "learning_rate": Refused("adaptive", "one rate"),
        "learning_rate_init": Refused(0.1, "one rate"),
        "power_t": Refused(0.3, NO_SGD),
        "max_iter": Obeyed(2),
        "shuffle": Refused(False, "always mixes"),
        "random_state": Obeyed(5, {"max_iter": 3}),
        "tol": Refused(1e-3, WORDS_OF_STEPS),
        "verbose": Refused(True, "nothing is printed"),
        "warm_start": Refused(True, "first weights"),
        "momentum": Refused(0.5, NO_SGD),
        "nesterovs_momentum": Refused(False, NO_SGD),
        "early_stopping": Refused(True, "no rows are held out"),
        "validation_fraction": Refused(0.3, "no rows are held out"),
        "beta_1": Refused(0.8, OF_ADAM),
        "beta_2": Refused(0.99, OF_ADAM),
        "epsilon": Refused(1e-6, OF_ADAM),
        "n_iter_no_change": Refused(5, WORDS_OF_STEPS),
        "max_fun": Refused(100, "max_iter bounds"),
    },
    "DecisionTreeClassifier": TREES
    | {
        "splitter": Refused("random", "the best is taken"),
        "max_features": Refused("sqrt", "tries all columns"),
        "random_state": Obeyed(5, {"prune": "cv"}),
        "ccp_alpha": Obeyed(0.02),
    },
    "RandomForestClassifier": TREES
    | {
        "n_estimators": Obeyed(7),
        "max_features": Obeyed(1.0),
        "bootstrap": Refused(False, "its own sample"),
        "oob_score": Obeyed(True),
        "n_jobs": Idle(2, {"random_state": 0}),
        "random_state": Obeyed(5),
        "verbose": Refused(1, "nothing is printed"),
        "warm_start": Refused(True, "starts from nothing"),
        "ccp_alpha": Refused(0.1, "not pruned"),
        "max_samples": Refused(0.5, "as many rows as there are"),
    },
    "HistGradientBoostingClassifier": {
        "loss": Refused("exponential", "log loss"),
        "learning_rate": Obeyed(0.5),
        "max_iter": Obeyed(3),
        "max_leaf_nodes": Obeyed(3),
        "max_depth": Obeyed(1),
        "min_samples_leaf": Obeyed(60),
        "l2_regularization": Obeyed(30.0),
        "max_features": Refused(0.5, "all columns"),
        "max_bins": Refused(31, "255 quantiles"),
        "categorical_features": Refused([0], "what their types"),
        "monotonic_cst": Refused([1, 0, 0, 0, 0], "bound to a direction"),
        "interaction_cst": Refused("pairwise", "any columns"),
        "warm_start": Refused(True, "starts from nothing"),
        "early_stopping": Obeyed(True),
        "scoring": Refused("roc_auc", "log loss"),
        "validation_fraction": Obeyed(0.4, {"early_stopping": True}),
        "n_iter_no_change": Obeyed(1, {"early_stopping": True}),
        "tol": Refused(1e-2, "any lower loss"),
        "verbose": Refused(1, "nothing is printed"),
        "random_state": Obeyed(5, {"early_stopping": True}),
        "class_weight": Obeyed("balanced"),
    },
}
CASES = [(name, parameter) for name, own in PARAMETERS.items() for parameter in own]
#: The table of defaults: class, parameter, scikit-learn's default, ours.
ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \| `([^`]+)` \| `([^`]+)`[^|]*\|[^|]{20,}\|$", flags=re.MULTILINE)


def rows(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(300, 5, n_informative=3, n_redundant=0, weights=[0.6], class_sep=0.7, random_state=4)
    counted = name in ("BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB")
    X = np.clip(np.round(2 * X + 5), 0, 9) if counted else X
    # A column that is always there: what is not smoothed is impossible there.
    return (np.column_stack([X, np.where(y == 1, 0, np.arange(len(y)) % 3)]) if counted else X), y


def told(name: str, **given: Any) -> tuple[Any, ...]:
    """The model of two fits of one estimator, one after the other, what it shows, and how often it warned of what; or its error."""
    estimator = getattr(od, name)(**given)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            estimator.fit(*rows(name)).fit(*rows(name))
        except od.NoEstimateError as error:
            return (str(error),)
    shown = {key: np.asarray(value).tolist() for key, value in vars(estimator).items() if key.endswith("_") and isinstance(value, (np.ndarray, float))}
    attributes = sorted(key for key in dir(estimator) if key.endswith("_") and not key.startswith("_") and hasattr(estimator, key))
    return estimator._finished_model().to_bytes(), repr(shown), attributes, sorted({str(one.category) for one in caught})


def test_every_parameter_of_every_class_is_looked_at():
    assert set(THEIRS) == set(PARAMETERS)
    assert {name: set(inspect.signature(kind).parameters) for name, kind in THEIRS.items()} == {name: set(own) for name, own in PARAMETERS.items()}


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_a_parameter_is_obeyed_or_refused_or_idle_there_as_well(name, parameter):
    case = PARAMETERS[name][parameter]
    default = inspect.signature(getattr(od, name) if parameter in inspect.signature(getattr(od, name)).parameters else THEIRS[name]).parameters[parameter].default
    assert type(case.value) is not type(default) or case.value != default
    if isinstance(case, Refused):
        with pytest.raises(od.ParameterError, match=re.escape(case.reason)) as refusal:
            getattr(od, name)(**{parameter: case.value}).fit(*rows(name))
        assert parameter in str(refusal.value)
        return
    if isinstance(case, Obeyed):
        assert told(name, **case.beside, **{parameter: case.value}) != told(name, **case.beside)
        return
    assert told(name, **{parameter: case.value}) == told(name)
    X, y = rows(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, other = (THEIRS[name](**case.there, **more).fit(X, y) for more in ({}, {parameter: case.value}))
        scores = [model.predict_proba(X) if hasattr(model, "predict_proba") else model.decision_function(X) for model in (plain, other)]
    np.testing.assert_allclose(scores[1], scores[0], atol=1e-4)


@pytest.mark.parametrize("name", THEIRS)
def test_what_scikit_learn_takes_by_its_place_is_taken_by_its_place(name):
    placed = [one for one in inspect.signature(THEIRS[name]).parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    given = [one.default for one in placed]
    # The sizes of layers and all other defaults of scikit-learn are accepted here.
    made, named = getattr(od, name)(*given), getattr(od, name)(**{one.name: one.default for one in placed})
    assert made.get_params() == named.get_params()
    with pytest.raises(TypeError):
        getattr(od, name)(*given, None)


def test_methods_take_their_arguments_by_the_same_places():
    compared = 0
    for name, theirs in THEIRS.items():
        for method, own in inspect.getmembers(getattr(od, name), callable):
            if method.startswith("_") or not hasattr(theirs, method) or method.startswith(("get_", "set_")):
                continue
            mine, other = (list(inspect.signature(function).parameters.values()) for function in (own, getattr(theirs, method)))
            places = [one.name for one in other if one.kind is one.POSITIONAL_OR_KEYWORD]
            compared += 1
            known = [one.name for one in mine if one.kind is one.POSITIONAL_OR_KEYWORD]
            assert known[: len(places)] == places[: len(known)], (name, method)
    assert compared > 60


def test_what_is_refused_elsewhere_is_accepted_at_the_default_of_scikit_learn():
    for model, known in _ELSEWHERE.items():
        parameters = inspect.signature(THEIRS[ENTRIES[model]["python"]]).parameters
        assert {name: at_rest for name, (at_rest, _) in known.items()} == {name: parameters[name].default for name in known}


def test_the_page_lists_every_default_that_differs():
    page = (Path(__file__).resolve().parents[2] / "docs/python.md").read_text()
    listed = {(name, parameter): (there, here) for name, parameter, there, here in ROW.findall(page)}
    differing = {}
    for name, theirs in THEIRS.items():
        ours = inspect.signature(getattr(od, name)).parameters
        for parameter, own in inspect.signature(theirs).parameters.items():
            if parameter in ours and ours[parameter].default != own.default:
                differing[name, parameter] = (repr(own.default), repr(ours[parameter].default))
    assert listed == differing
