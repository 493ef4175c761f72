"""A pytest plugin that puts our estimators in the place of scikit-learn's, for its own test files.

The files are those of the installed scikit-learn; nothing of them is kept here. Every test that does not count stands below with
its reason. It is run all the same and must fail: one that passes has no reason to stand here.
"""

from __future__ import annotations

import pytest
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes

import oddsmith

INTERNAL = "calls a private method"
ONE_CLASS = "fits rows of one class only, which teach nothing: an error here, for every model"
NEAR_THE_OPTIMUM = "compares our optimum with the digits at which scikit-learn's own LogisticRegressionCV stops near it"
STEPS_OF_A_SOLVER = "wants the steps, the random draws or the fallback of one solver; one search serves for all names here"
CALLBACKS = "wants a Python call after every step of scipy's L-BFGS (scikit-learn's callbacks); the search runs without the interpreter here"
LIMITS_OF_A_SOLVER = "wants an error for what one solver cannot do; every solver's name takes every penalty, size and number of classes here"
SEPARATION = "fits separated classes without a penalty, which have no optimum: an error here that names the columns"
NO_WEIGHT = "gives a class weight 0, so that it has no rows to learn from: an error here, for every model"
THREADS = "wants a warning that n_jobs does nothing; it does here"

# By the beginning of the test's name.
LEFT_OUT = {
    "test_gnb_check_update_with_no_data": INTERNAL,
    "test_alpha_vector": INTERNAL,
    "test_check_alpha": INTERNAL,
    "test_discretenb_degenerate_one_class_case[True": ONE_CLASS,
    "test_logistic_regression_callback": CALLBACKS,
    "test_logreg_predict_proba_multinomial": INTERNAL,
    "test_logistic_cv_multinomial_score": INTERNAL,
    "test_logistic_cv[": NEAR_THE_OPTIMUM,
    "test_warm_start_newton_solver[1-False": STEPS_OF_A_SOLVER,
    "test_newton_cholesky_fallback": STEPS_OF_A_SOLVER,
    "test_liblinear_dual_random_state": STEPS_OF_A_SOLVER,
    "test_check_solver_option[LogisticRegression]": LIMITS_OF_A_SOLVER,
    "test_large_sparse_matrix[csr_matrix-liblinear]": LIMITS_OF_A_SOLVER,
    "test_large_sparse_matrix[csr_matrix-sag": LIMITS_OF_A_SOLVER,
    "test_large_sparse_matrix[csr_array-liblinear]": LIMITS_OF_A_SOLVER,
    "test_large_sparse_matrix[csr_array-sag": LIMITS_OF_A_SOLVER,
    "test_liblinear_with_large_values": LIMITS_OF_A_SOLVER,
    "test_liblinear_multiclass_raises[LogisticRegression]": LIMITS_OF_A_SOLVER,
    "test_warm_start_newton_solver[inf": SEPARATION,
    "test_c_inf_no_warning": SEPARATION,
    "test_multinomial_logistic_regression_string_inputs": NO_WEIGHT,
    "test_logisticregression_warns_with_n_jobs": THREADS,
}

for module in (sklearn.naive_bayes, sklearn.discriminant_analysis):
    for name in module.__all__:
        setattr(module, name, getattr(oddsmith, name))
sklearn.linear_model.LogisticRegression = oddsmith.LogisticRegression


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    found = set()
    for item in items:
        for name in filter(item.name.startswith, LEFT_OUT):
            found.add(name)
            item.add_marker(pytest.mark.xfail(reason=f"left out: {LEFT_OUT[name]}", strict=True))
    assert found == LEFT_OUT.keys(), f"left out, but not there: {LEFT_OUT.keys() - found}"
