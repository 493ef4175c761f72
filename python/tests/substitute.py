"""A pytest plugin that puts our estimators in the place of scikit-learn's, for its own test files.

The files are those of the installed scikit-learn; nothing of them is kept here. Every test that does not count stands below with
its reason. It is run all the same and must fail: one that passes has no reason to stand here.
"""

from __future__ import annotations

import re

import pytest
import sklearn.discriminant_analysis
import sklearn.ensemble
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.neural_network
import sklearn.tree

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
SGD = "wants steps along single gradients with a rate of its own (solver='sgd', learning_rate_init): refused here with the reason"
PARTIAL = "wants fits that go on with further rows (partial_fit, warm_start), which these models do not have"
HELD_OUT = "wants rows to be held out in the fit of a network: refused here with the reason"
SEVERAL_TARGETS = "wants several targets at once"
SPARSE = "gives sparse rows, which here are words, to a model that takes numbers alone"
PENALISED_STEPS = "wants a penalty on the perceptron, which has no loss to add it to: refused here with the reason"
CALLS_OF_SCIPY = "counts the evaluations of scipy's L-BFGS"
SMALL_STEPS = "wants a fit that ends once a step changes the loss by less than tol: refused here with the reason"
FOUR_BYTES = "wants weights in four bytes; all arithmetic is in eight here"
INSIDE = "reads what scikit-learn's own trees are made of (tree_, estimators_, _predictors)"
OTHER_TREES = "wants what trees here refuse with a reason: columns drawn by one tree, leaves counted or weighed by shares, random thresholds"
SMOOTHED = "wants leaves that fit every row; here they are drawn towards their parents unless leaf_smoothing = 0"
BINS = "wants every threshold of columns with more than 255 values; here these have 255 bins"
NO_GAIN = "wants a split that gains nothing (XOR), which ends a branch here"
SHARES_OF_VALUES = "wants differences below 1e-7 of a column, or values beyond four bytes, not to be seen; trees are in eight bytes here"
COPIES = "wants forests that depend on the proportions of weights alone; a weight of 100 is 100 rows here, each drawn for itself"
OTHER_SAMPLES = "wants samples of other kinds or sizes (bootstrap, max_samples): refused here with the reason"
JOBLIB = "wants joblib to hand out the work; threads are the library's own here"
OOB_BY_FUNCTION = "wants out-of-bag rows to be judged by a function: refused here, their probabilities are there for any"
OOB_OF_FEW = "wants a warning where rows are in every sample; their out-of-bag probabilities are NaN here"
OTHER_DISTANCES = "wants other distances than that of Euclid, or votes by a function: refused here with the reason"
MORE_THAN_ROWS = "asks for more neighbours than there are rows: refused by the fit here, by the prediction there"
SEARCHES = "gives a search of scikit-learn's own in place of rows"
ANY_NUMBER = "wants an error for a limit that asks for nothing"
OTHER_ROUNDS = "asks boosting for what it refuses with a reason: a scorer, a tolerance, fewer bins, constraints, another loss, printed rounds, categories by place"
OWN_HELD_OUT = "gives held-out rows to the fit (X_val); boosting here draws its own"
AFTER_EVERY_ROUND = "wants predictions after every round (staged_predict)"
NO_PENALTY = "wants how closely scikit-learn's default, without a penalty, fits the rows; l2_regularization = 1 is the default here, and 0 fits them as closely"
INFINITE = "gives infinite values: an error here that names the row, for every model"

#: What does not count of a file: a function, or its cases that begin so.
LEFT_OUT: dict[str, dict[str, str]] = {
    "test_naive_bayes.py": {
        "test_gnb_check_update_with_no_data": INTERNAL,
        "test_alpha_vector": INTERNAL,
        "test_check_alpha": INTERNAL,
        "test_discretenb_degenerate_one_class_case[True": ONE_CLASS,
    },
    "test_logistic.py": {
        "test_logistic_regression_callback_support": CALLBACKS,
        "test_logistic_regression_callback_fitted_estimator": CALLBACKS,
        "test_logistic_regression_callback_support_warning": CALLBACKS,
        "test_logreg_predict_proba_multinomial": INTERNAL,
        "test_logistic_cv_multinomial_score": INTERNAL,
        "test_logistic_cv[": NEAR_THE_OPTIMUM,
        "test_warm_start_newton_solver[1-False": STEPS_OF_A_SOLVER,
        "test_newton_cholesky_fallback_to_lbfgs": STEPS_OF_A_SOLVER,
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
    },
    "test_ridge.py": {
        "test_dense_sparse[*_test_ridge_classifiers": SPARSE,
        "test_ridgeclassifier_multilabel[RidgeClassifier-": SEVERAL_TARGETS,
    },
    "test_tree.py": {
        "test_classification_toy": OTHER_TREES,
        "test_xor": NO_GAIN,
        "test_iris": OTHER_TREES,
        "test_probability": OTHER_TREES,
        "test_pure_set": ONE_CLASS,
        "test_importances": OTHER_TREES,
        "test_importances_gini_equal_squared_error": BINS,
        "test_max_features": OTHER_TREES,
        "test_min_samples_split": INSIDE,
        "test_min_samples_leaf": INSIDE,
        "test_min_weight_fraction_leaf_on_dense_input[*DecisionTreeClassifier": INSIDE,
        "test_min_weight_fraction_leaf_on_sparse_input[*DecisionTreeClassifier": SPARSE,
        "test_min_weight_fraction_leaf_with_min_samples_leaf_on_dense_input[*DecisionTreeClassifier": INSIDE,
        "test_min_weight_fraction_leaf_with_min_samples_leaf_on_sparse_input[*DecisionTreeClassifier": SPARSE,
        "test_min_impurity_decrease[*DecisionTreeClassifier": INSIDE,
        "test_pickle": INSIDE,
        "test_multioutput[*DecisionTreeClassifier": SEVERAL_TARGETS,
        "test_classes_shape": SEVERAL_TARGETS,
        "test_unbalanced_iris": SMOOTHED,
        "test_memory_layout": SMOOTHED,
        "test_sample_weight": ONE_CLASS,
        "test_class_weights[*DecisionTreeClassifier": SEVERAL_TARGETS,
        "test_max_leaf_nodes": OTHER_TREES,
        "test_max_leaf_nodes_max_depth": OTHER_TREES,
        "test_arrays_persist": INSIDE,
        "test_only_constant_features": INSIDE,
        "test_almost_constant_feature[*DecisionTreeClassifier": SHARES_OF_VALUES,
        "test_behaviour_constant_feature_after_splits": OTHER_TREES,
        "test_with_only_one_non_constant_features": OTHER_TREES,
        "test_big_input": SHARES_OF_VALUES,
        "test_huge_allocations": OTHER_TREES,
        "test_sparse_input[*DecisionTreeClassifier": SPARSE,
        "test_sparse_parameters[*DecisionTreeClassifier": OTHER_TREES,
        "test_sparse_criteria[*DecisionTreeClassifier": SPARSE,
        "test_explicit_sparse_zeros[*DecisionTreeClassifier": SPARSE,
        "test_min_weight_leaf_split_level[*DecisionTreeClassifier": INSIDE,
        "test_public_apply_all_trees[*DecisionTreeClassifier": INSIDE,
        "test_public_apply_sparse_trees[*DecisionTreeClassifier": INSIDE,
        "test_decision_path[*DecisionTreeClassifier": INSIDE,
        "test_prune_tree_classifier_are_subtrees[*DecisionTreeClassifier": OTHER_TREES,
        "test_prune_single_node_tree": ONE_CLASS,
        "test_apply_path_readonly_all_trees[*-random-DecisionTreeClassifier": OTHER_TREES,
        "test_apply_path_readonly_all_trees[cs*-best-DecisionTreeClassifier": SPARSE,
        "test_criterion_entropy_same_as_log_loss[*DecisionTreeClassifier": INSIDE,
        "test_tree_deserialization_from_read_only_buffer": INSIDE,
        "test_min_sample_split_1_error[*DecisionTreeClassifier": ANY_NUMBER,
        "test_classification_tree_missing_values_toy": OTHER_TREES,
        "test_missing_values_and_constant_toy": SMOOTHED,
        "test_build_pruned_tree_py": INSIDE,
        "test_build_pruned_tree_infinite_loop": INSIDE,
    },
    "test_forest.py": {
        "test_classification_toy[*RandomForestClassifier": INSIDE,
        "test_importances[*RandomForestClassifier": COPIES,
        "test_forest_classifier_oob[True*sparse_cs*-RandomForestClassifier": SPARSE,
        "test_forest_classifier_oob[True-X3-y3-0.18-array-RandomForestClassifier": SEVERAL_TARGETS,
        "test_forest_classifier_oob[oob_score1*RandomForestClassifier": OOB_BY_FUNCTION,
        "test_forest_oob_warning[*RandomForestClassifier": OOB_OF_FEW,
        "test_forest_oob_score_requires_bootstrap[*RandomForestClassifier": OTHER_SAMPLES,
        "test_classifier_error_oob_score_multiclass_multioutput[*RandomForestClassifier": SEVERAL_TARGETS,
        "test_parallel[*RandomForestClassifier": INSIDE,
        "test_multioutput[*RandomForestClassifier": OTHER_SAMPLES,
        "test_multioutput_string[*RandomForestClassifier": OTHER_SAMPLES,
        "test_classes_shape[*RandomForestClassifier": SEVERAL_TARGETS,
        "test_max_leaf_nodes_max_depth[*RandomForestClassifier": OTHER_TREES,
        "test_min_samples_split[*RandomForestClassifier": INSIDE,
        "test_min_samples_leaf[*RandomForestClassifier": INSIDE,
        "test_min_weight_fraction_leaf[*RandomForestClassifier": INSIDE,
        "test_sparse_input[*RandomForestClassifier": SEVERAL_TARGETS,
        "test_memory_layout[*RandomForestClassifier": OTHER_SAMPLES,
        "test_validate_y_class_weight[*RandomForestClassifier": INTERNAL,
        "test_class_weights_forest[*RandomForestClassifier": INTERNAL,
        "test_class_weight_balanced_and_bootstrap_multi_output[*RandomForestClassifier": SEVERAL_TARGETS,
        "test_class_weight_errors[*RandomForestClassifier": PARTIAL,
        "test_warm_start[*RandomForestClassifier": PARTIAL,
        "test_warm_start_clear[*RandomForestClassifier": PARTIAL,
        "test_warm_start_smaller_n_estimators[*RandomForestClassifier": PARTIAL,
        "test_warm_start_equal_n_estimators[*RandomForestClassifier": PARTIAL,
        "test_warm_start_oob[*RandomForestClassifier": PARTIAL,
        "test_oob_not_computed_twice[*RandomForestClassifier": PARTIAL,
        "test_dtype_convert": OTHER_SAMPLES,
        "test_decision_path[*RandomForestClassifier": INSIDE,
        "test_min_impurity_decrease": INSIDE,
        "test_backend_respected": JOBLIB,
        "test_max_samples_geq_one[*RandomForestClassifier": OTHER_SAMPLES,
        "test_max_samples_bootstrap[*RandomForestClassifier": OTHER_SAMPLES,
        "test_max_samples_boundary_classifiers[*RandomForestClassifier": OTHER_SAMPLES,
        "test_forest_y_sparse": SPARSE,
        "test_little_tree_with_small_max_samples[*RandomForestClassifier": OTHER_SAMPLES,
        "test_read_only_buffer": SPARSE,
        "test_round_samples_to_one_when_samples_too_low": OTHER_SAMPLES,
        "test_estimators_samples[*RandomForestClassifier": OTHER_SAMPLES,
    },
    "test_gradient_boosting.py": {
        "test_init_parameters_validation[*-HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_early_stopping_classification": OTHER_ROUNDS,
        "test_early_stopping_default[HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_should_stop": INTERNAL,
        "test_binning_train_validation_are_separated": INSIDE,
        "test_missing_values_resilience[*-classification": NO_PENALTY,
        "test_small_trainset": INTERNAL,
        "test_infinite_values_missing_values": INFINITE,
        "test_string_target_early_stopping[None": OTHER_ROUNDS,
        "test_sample_weight_effect[*_classification": INTERNAL,
        "test_max_depth_max_leaf_nodes": INSIDE,
        "test_early_stopping_on_test_set_with_warm_start": PARTIAL,
        "test_single_node_trees[HistGradientBoostingClassifier": ONE_CLASS,
        "test_custom_loss[HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_staged_predict[HistGradientBoostingClassifier": AFTER_EVERY_ROUND,
        "test_unknown_categories_nan[*-HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_categorical_encoding_strategies": OTHER_ROUNDS,
        "test_categorical_spec_errors[*-HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_categorical_spec_errors_with_feature_names[HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_categorical_spec_no_categories[*-HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_categorical_bad_encoding_errors[*-HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_X_val_in_fit[*-HistGradientBoostingClassifier": OWN_HELD_OUT,
        "test_X_val_raises_missing_y_val": OWN_HELD_OUT,
        "test_dataframe_categorical_results_same_as_ndarray[HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_dataframe_categorical_errors[HistGradientBoostingClassifier": OTHER_ROUNDS,
        "test_categorical_different_order_same_model": INSIDE,
    },
    "test_neighbors.py": {
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-*-chebyshev-": OTHER_DISTANCES,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-*-cityblock-": OTHER_DISTANCES,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-*-l1-": OTHER_DISTANCES,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-*-manhattan-": OTHER_DISTANCES,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-100-1000-euclidean-100-100-10": MORE_THAN_ROWS,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-100-1000-l2-100-100-10": MORE_THAN_ROWS,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-100-1000-minkowski-100-100-10": MORE_THAN_ROWS,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-50-500-euclidean-100-100-10": MORE_THAN_ROWS,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-50-500-l2-100-100-10": MORE_THAN_ROWS,
        "test_neigh_predictions_algorithm_agnosticity[*KNeighborsClassifier-50-500-minkowski-100-100-10": MORE_THAN_ROWS,
        "test_unsupervised_inputs[*KNeighborsClassifier": SEARCHES,
        "test_precomputed_dense": OTHER_DISTANCES,
        "test_precomputed_sparse_knn": OTHER_DISTANCES,
        "test_precomputed_cross_validation": OTHER_DISTANCES,
        "test_kneighbors_classifier[*_weight_func": OTHER_DISTANCES,
        "test_kneighbors_classifier_predict_proba": OTHER_DISTANCES,
        "test_kneighbors_classifier_sparse": SPARSE,
        "test_KNeighborsClassifier_multioutput": SEVERAL_TARGETS,
        "test_neighbors_validate_parameters[*KNeighborsClassifier": OTHER_DISTANCES,
        "test_neighbors_minkowski_semimetric_algo_warn[*KNeighborsClassifier": OTHER_DISTANCES,
        "test_neighbors_minkowski_semimetric_algo_error[*KNeighborsClassifier": OTHER_DISTANCES,
        "test_metric_params_interface": OTHER_DISTANCES,
        "test_predict_sparse_ball_kd_tree": SPARSE,
        "test_KNeighborsClassifier_raise_on_all_zero_weights": OTHER_DISTANCES,
        "test_neighbors_classifier_with_string_labels[KNeighborsClassifier-chebyshev": OTHER_DISTANCES,
        "test_neighbors_classifier_with_string_labels[KNeighborsClassifier-cityblock": OTHER_DISTANCES,
        "test_neighbors_classifier_with_string_labels[KNeighborsClassifier-l1": OTHER_DISTANCES,
        "test_neighbors_classifier_with_string_labels[KNeighborsClassifier-manhattan": OTHER_DISTANCES,
    },
    "test_perceptron.py": {
        "test_perceptron_accuracy[csr": SPARSE,
        "test_perceptron_l1_ratio": PENALISED_STEPS,
    },
    "test_mlp.py": {
        "test_fit": PARTIAL,
        "test_gradient": SGD,
        "test_lbfgs_classification_maxfun": CALLS_OF_SCIPY,
        "test_learning_rate_warmstart": SGD,
        "test_multilabel_classification": SEVERAL_TARGETS,
        "test_partial_fit_classes_error": PARTIAL,
        "test_partial_fit_classification": PARTIAL,
        "test_partial_fit_unseen_classes": PARTIAL,
        "test_partial_fit_errors": PARTIAL,
        "test_predict_proba_multilabel": SEVERAL_TARGETS,
        "test_sparse_matrices": SPARSE,
        "test_tolerance": SGD,
        "test_verbose_sgd": SGD,
        "test_early_stopping[MLPClassifier]": SGD,
        "test_adaptive_learning_rate": SGD,
        "test_warm_start": PARTIAL,
        "test_warm_start_full_iteration[MLPClassifier]": PARTIAL,
        "test_n_iter_no_change": SGD,
        "test_n_iter_no_change_inf": SGD,
        "test_early_stopping_stratified": HELD_OUT,
        "test_mlp_early_stopping_string_labels": HELD_OUT,
        "test_mlp_param_dtypes[MLPClassifier-float32]": FOUR_BYTES,
        "test_mlp_param_dtypes[MLPClassifier-float64]": SMALL_STEPS,
        "test_mlp_classifier_dtypes_casting": SMALL_STEPS,
        "test_preserve_feature_names[MLPClassifier]": HELD_OUT,
        "test_mlp_warm_start_with_early_stopping[MLPClassifier]": PARTIAL,
        "test_mlp_warm_start_no_convergence[sgd-MLPClassifier]": PARTIAL,
        "test_mlp_warm_start_no_convergence[adam-MLPClassifier]": PARTIAL,
        "test_mlp_warm_start_no_convergence[lbfgs-MLPClassifier]": PARTIAL,
        "test_mlp_partial_fit_after_fit[MLPClassifier]": PARTIAL,
    },
}

#: Classes of scikit-learn in whose place ours stand. What its own modules have imported from each other stays theirs.
REPLACED = {
    sklearn.naive_bayes: sklearn.naive_bayes.__all__,
    sklearn.discriminant_analysis: sklearn.discriminant_analysis.__all__,
    sklearn.linear_model: ("LogisticRegression", "RidgeClassifier", "Perceptron"),
    sklearn.tree: ("DecisionTreeClassifier",),
    sklearn.ensemble: ("RandomForestClassifier", "HistGradientBoostingClassifier"),
    sklearn.neighbors: ("KNeighborsClassifier",),
    sklearn.neural_network: ("MLPClassifier",),
}

_made: list[str] = []


def _counted(kind: type, *_: object, **__: object) -> object:
    _made.append(kind.__name__)
    return object.__new__(kind)


for module, names in REPLACED.items():
    for name in names:
        ours = getattr(oddsmith, name)
        ours.__new__ = staticmethod(_counted)
        setattr(module, name, ours)


def _is_named(test: str, name: str) -> bool:
    """Whether a test is the function of this name, or one of its cases that begins so; a star stands for anything between."""
    if "*" in name:
        return re.match(".*".join(map(re.escape, name.split("*"))), test) is not None
    return test.startswith(name) if "[" in name else test.partition("[")[0] == name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    files = {item.path.name for item in items}
    wanted = {(file, name) for file in files for name in LEFT_OUT.get(file, {})}
    found = set()
    for item in items:
        for name, reason in LEFT_OUT.get(item.path.name, {}).items():
            if _is_named(item.name, name):
                found.add((item.path.name, name))
                item.add_marker(pytest.mark.xfail(reason=f"left out: {reason}", strict=True))
    assert found == wanted, f"left out, but not there: {wanted - found}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    _made.clear()
    try:
        return (yield)
    finally:
        item.user_properties.append(("ours", bool(_made)))


def pytest_terminal_summary(terminalreporter) -> None:
    passed = terminalreporter.stats.get("passed", [])
    ours = sum(dict(report.user_properties).get("ours", False) for report in passed)
    terminalreporter.write_line(f"{ours} passed that made an estimator of ours")
