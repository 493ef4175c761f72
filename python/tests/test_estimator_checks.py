"""scikit-learn's own estimator checks, for every estimator; what a perceptron cannot keep by its nature is named.

One check per estimator is skipped, by scikit-learn itself: `check_array_api_input` asks for the variable SCIPY_ARRAY_API.
"""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import oddsmith as od

ESTIMATORS = [
    od.GaussianNB(),
    od.GaussianNB(var_tying="per-column", divisor="unbiased"),
    od.GaussianNB(predictive=True, n_jobs=2),
    od.BernoulliNB(),
    od.MultinomialNB(),
    od.ComplementNB(norm=True),
    od.CategoricalNB(),
    od.LinearDiscriminantAnalysis(),
    od.LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    od.QuadraticDiscriminantAnalysis(),
    od.MixedNB(),
    od.LogisticRegression(),
    od.LogisticRegression(class_weight="balanced"),
    od.LogisticRegression(l1_ratio=1.0),
    od.LogisticRegression(l1_ratio=0.5, C=10.0, solver="saga"),
    # Some checks tell their classes apart without error, which is an error of maximum likelihood unless told otherwise.
    od.Logit(on_separation="firth"),
    od.RidgeClassifier(),
    od.RidgeClassifier(alpha=0.0, class_weight="balanced"),
    od.Perceptron(max_iter=50),
    od.Perceptron(max_iter=50, variant="averaged"),
    od.KNeighborsClassifier(),
    od.KNeighborsClassifier(n_neighbors=None, weights="distance", alpha=1.0, standardize="deviation"),
    od.MLPClassifier(),
    od.CalibratedClassifier(od.RidgeClassifier(), cv=3),
    od.PriorShift(od.GaussianNB()),
    od.CalibratedClassifier(od.GaussianNB()),
    od.CalibratedClassifier(LogisticRegression(), method="isotonic", cv=3),
    od.CalibratedClassifier(od.LinearDiscriminantAnalysis(), method="temperature", cv=3),
    od.CalibratedClassifier(od.LogisticRegression(), method="beta", cv=3),
]


def expected_failures(estimator) -> dict[str, str]:
    """What learning from one row after the other cannot keep."""
    if not isinstance(estimator, od.Perceptron):
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": "the order of rows matters, and the check shuffles them",
        "check_class_weight_classifiers": "a weight lengthens steps, and the last rows on the wrong side decide all the same",
    }


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures, xfail_strict=True)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)
