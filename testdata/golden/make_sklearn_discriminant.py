"""Writes sklearn_discriminant.json: discriminants with shrinkage as scikit-learn computes them.

    python make_sklearn_discriminant.py        # needs scikit-learn 1.9

The rows are small fractions, so that they are the same numbers everywhere. `standardised` holds the rows after every
column was divided by its pooled standard deviation within classes (divisor n), the coordinates in which scikit-learn's
fixed shrinkage does not depend on units.
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA


def rows():
    state = 12345
    values = []
    for _ in range(44 * 4):
        state = (1103515245 * state + 12345) % 2**31
        values.append((state >> 8) % 4096 / 256.0 - 8.0)
    x = np.array(values).reshape(44, 4)
    y = np.array([0] * 9 + [1] * 14 + [2] * 21)
    mix = np.array([[1, 0.5, 0, 0], [0, 1, 0.25, 0], [0, 0, 1, -0.5], [0, 0, 0, 1]])
    x = x @ mix * np.array([1, 4, 0.25, 16])
    return x + y[:, None] * np.array([4, -8, 1, 16]) * np.array([1.0, 1.0, 0.5, 1.0]), y


def case(model, x, y, names):
    model.fit(x, y)
    found = {name: np.asarray(getattr(model, name)).tolist() for name in names}
    return found | {"posterior": model.predict_proba(x).tolist()}


x, y = rows()
within = x - np.array([x[y == k].mean(0) for k in range(3)])[y]
z = x / np.sqrt((within**2).mean(0))
priors = [0.2, 0.5, 0.3]
document = {
    "schema": "oddsmith-golden/1",
    "id": "sklearn_discriminant",
    "kind": "shrunk_discriminants",
    "made_by": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, make_sklearn_discriminant.py",
    "model": {"columns": ["a", "b", "c", "d"], "classes": ["0", "1", "2"]},
    "rows": x.tolist(),
    "labels": y.tolist(),
    "standardised": z.tolist(),
    "results": {
        "lda": case(LDA(solver="lsqr"), x, y, ["covariance_", "coef_", "intercept_"]),
        "lda_given_prior": case(LDA(solver="svd", priors=priors), x, y, []),
        "lda_ledoit_wolf": case(LDA(solver="lsqr", shrinkage="auto"), x, y, ["covariance_", "coef_", "intercept_"]),
        "lda_fixed_standardised": case(LDA(solver="lsqr", shrinkage=0.3), z, y, ["covariance_", "coef_", "intercept_"]),
        "qda": case(QDA(solver="eigen", store_covariance=True), x, y, ["covariance_"]),
        "qda_given_prior": case(QDA(solver="eigen", priors=priors, store_covariance=True), x, y, []),
        "qda_ledoit_wolf": case(QDA(solver="eigen", shrinkage="auto", store_covariance=True), x, y, ["covariance_"]),
        "qda_fixed_standardised": case(QDA(solver="eigen", shrinkage=0.3, store_covariance=True), z, y, ["covariance_"]),
    },
    "given_prior": priors,
}
path = pathlib.Path(__file__).with_name("sklearn_discriminant.json")
path.write_text(json.dumps(document, indent=1) + "\n")
