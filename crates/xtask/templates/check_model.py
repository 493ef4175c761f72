"""What a class of the Python package that comes from the registry alone must be able to do."""

import inspect
import pickle
import sys
import tempfile
from pathlib import Path

import numpy as np
import oddsmith
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

class_name, tag, births = sys.argv[1:]
Model = getattr(oddsmith, class_name)
assert class_name in oddsmith.__all__
parameters = inspect.signature(Model).parameters
assert {"prior", "least_deviation"} <= set(parameters), parameters
assert "least_deviation" in Model.__doc__, Model.__doc__
assert clone(Model(least_deviation=0.5)).get_params()["least_deviation"] == 0.5

frame = pd.read_csv(births)
X, y = frame[["age", "lwt"]], frame["low"]
for rows in (X, X.to_numpy(float)):
    model = Model(least_deviation=0.5).fit(rows, y)
    probabilities = model.predict_proba(rows)
    assert probabilities.shape == (len(y), 2) and np.allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(model.predict(rows), model.classes_[probabilities.argmax(axis=1)])
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(rows), probabilities)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder, "toy.odds"))
        again = oddsmith.load(Path(folder, "toy.odds"))
    assert isinstance(again, Model) and np.array_equal(again.predict_proba(rows), probabilities)
assert cross_val_score(Model(), X, y, cv=3).shape == (3,)
try:
    Model(least_deviation=-1).fit(X, y)
except oddsmith.ParameterError as refused:
    assert "least" in str(refused), refused
else:
    raise AssertionError("an option out of its range was taken")
print(f"{class_name}{inspect.signature(Model)}: signature, fit, clone, pickle, files and refusals hold")
