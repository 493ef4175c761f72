"""Writes sklearn_dummies.json: discriminants of a table with categories as scikit-learn computes them on 0/1 columns made by hand.

    python make_sklearn_dummies.py        # needs scikit-learn 1.9

The table is birthwt_factors.csv. `race` becomes two columns against its first level, `black`; `smoke` and `ht` are 0 and 1.
"""

import csv
import json
import pathlib

import numpy as np
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA

folder = pathlib.Path(__file__).parent
with open(folder / "data/birthwt_factors.csv") as file:
    rows = list(csv.DictReader(file))
cells = {
    "age": [float(row["age"]) for row in rows],
    "raceother": [float(row["race"] == "other") for row in rows],
    "racewhite": [float(row["race"] == "white") for row in rows],
    "smoketrue": [float(row["smoke"]) for row in rows],
    "lwt": [float(row["lwt"]) for row in rows],
    "httrue": [float(row["ht"]) for row in rows],
}
x, y = np.column_stack(list(cells.values())), np.array([row["low"] for row in rows])
lda, qda = LDA(solver="lsqr").fit(x, y), QDA(solver="eigen", store_covariance=True).fit(x, y)
shrunk = LDA(solver="lsqr", shrinkage="auto").fit(x, y)
document = {
    "schema": "oddsmith-golden/1",
    "id": "sklearn_dummies",
    "kind": "discriminants_of_categories",
    "made_by": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, make_sklearn_dummies.py",
    "data": "data/birthwt_factors.csv",
    "columns": list(cells),
    "results": {
        "lda": {
            "posterior": lda.predict_proba(x).tolist(),
            "means": lda.means_.tolist(),
            "covariance": lda.covariance_.tolist(),
            "coef": lda.coef_[0].tolist(),
            "intercept": lda.intercept_[0],
        },
        "lda_ledoit_wolf": {"posterior": shrunk.predict_proba(x).tolist()},
        "qda": {"posterior": qda.predict_proba(x).tolist(), "covariance": [matrix.tolist() for matrix in qda.covariance_]},
    },
}
(folder / "sklearn_dummies.json").write_text(json.dumps(document, indent=1) + "\n")
