"""One peer of csv_end_to_end in a process of its own: reads a CSV file, encodes its categories, fits.

    python bench/csv_peer.py PEER DATA.csv ESTIMATES.json

Prints the seconds from the file to the coefficients; importing the libraries is not part of them. Categories are treatment
coded against their first level in alphabetical order.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

from adapters import without_correction

NUMBERS, CATEGORIES, TARGET = [f"x{j}" for j in range(20)], ["a", "b", "c"], "y"
STEPS = 1000


def encode(numbers, frame):
    """Numbers and indicator columns side by side in compressed rows, and the names of the columns."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder(drop="first")
    indicators = encoder.fit_transform(frame)
    names = [*NUMBERS, *(f"{column}={level}" for column, levels in zip(CATEGORIES, encoder.categories_) for level in levels[1:])]
    return hstack([csr_matrix(numbers), indicators], format="csr"), names


def scikit_learn(reader: str, solver: str, tolerance: float):
    import numpy as np
    import pandas
    import polars
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import OneHotEncoder  # noqa: F401: imported before the clock starts

    def fit(path):
        if reader == "polars":
            table = polars.read_csv(path)
            numbers, categories, y = table.select(NUMBERS).to_numpy(), table.select(CATEGORIES), table[TARGET].to_numpy()
        else:
            table = pandas.read_csv(path)
            numbers, categories, y = table[NUMBERS].to_numpy(), table[CATEGORIES], table[TARGET].to_numpy()
        x, names = encode(numbers, categories)
        model = LogisticRegression(C=np.inf, solver=solver, tol=tolerance, max_iter=STEPS).fit(x, y)
        return {"(intercept)": model.intercept_[0], **dict(zip(names, model.coef_[0]))}, None

    return fit


def glum(reader: str, tolerance: float):
    import pandas
    import polars
    from glum import GeneralizedLinearRegressor

    def fit(path):
        kinds = {column: polars.String for column in CATEGORIES}
        table = polars.read_csv(path, schema_overrides=kinds).to_pandas() if reader == "polars" else pandas.read_csv(path)
        table = table.astype({column: "category" for column in CATEGORIES})
        y, x = table[TARGET].to_numpy(), table[[*NUMBERS, *CATEGORIES]]
        model = GeneralizedLinearRegressor(
            family="binomial", alpha=0, gradient_tol=tolerance, max_iter=STEPS, drop_first=True, categorical_format="{name}={category}"
        ).fit(x, y)
        errors = without_correction(model.std_errors(x, y, dispersion=1.0, robust=False), len(y))
        names = ["(intercept)", *model.feature_names_]
        return dict(zip(names, [model.intercept_, *model.coef_])), dict(zip(names, errors))

    return fit


PEERS = {
    "polars + sklearn newton-cholesky": lambda: scikit_learn("polars", "newton-cholesky", 1e-6),
    "pandas + sklearn newton-cholesky": lambda: scikit_learn("pandas", "newton-cholesky", 1e-6),
    "polars + sklearn lbfgs": lambda: scikit_learn("polars", "lbfgs", 1e-7),
    "polars + glum": lambda: glum("polars", 1e-7),
    "pandas + glum": lambda: glum("pandas", 1e-7),
}


def main() -> None:
    warnings.simplefilter("ignore")
    name, path, out = sys.argv[1:]
    fit = PEERS[name]()
    start = time.perf_counter()
    estimates, errors = fit(path)
    print(time.perf_counter() - start)
    plain = lambda table: table and {key: float(value) for key, value in table.items()}  # noqa: E731
    with open(out, "w") as file:
        json.dump({"estimates": plain(estimates), "errors": plain(errors)}, file)


if __name__ == "__main__":
    main()
