"""scikit-learn's own test files for these estimators pass with ours in their place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

HERE = Path(__file__).parent
SUITE = Path(sklearn.__file__).parent
#: Of the tests of boosting those that make no regressor, and do not work for half a minute on scikit-learn's own classes alone.
BOOSTING = " and ".join(f"not {word}" for word in ("egress", "absolute", "gamma", "quantile", "poisson", "interaction", "minmax", "user_warning", "custom_scorer", "sum_hessians"))
#: Files, which of their tests (others have nothing to do with classifiers, and take long), how many pass with an estimator of ours (fewer would
#: mean that the files were not found or that the plugin skipped them), and how many kinds of tests are left out.
FILES = [
    (["tests/test_naive_bayes.py", "tests/test_discriminant_analysis.py", "linear_model/tests/test_logistic.py"], "", 340, 9),
    (["linear_model/tests/test_perceptron.py", "neural_network/tests/test_mlp.py"], "", 8, 9),
    (["linear_model/tests/test_ridge.py"], "classifier or class_weight", 2, 2),
    (["tree/tests/test_tree.py"], "", 27, 10),
    (["ensemble/tests/test_forest.py"], "not Regress and not ExtraTrees and not Embedding", 16, 11),
    (["ensemble/_hist_gradient_boosting/tests/test_gradient_boosting.py"], BOOSTING, 10, 9),
    (["neighbors/tests/test_neighbors.py"], "classifier or agnosticity", 50, 5),
]


@pytest.mark.parametrize(("files", "only", "fewest", "kinds"), FILES)
def test_scikit_learns_tests_pass_with_our_estimators(files, only, fewest, kinds):
    arguments = ["-m", "pytest", "-q", "-rx", "-k", only, "-p", "no:cacheprovider", "-p", "substitute", *(str(SUITE / file) for file in files)]
    environment = os.environ | {"SKLEARN_RUN_FLOAT32_TESTS": "1", "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, *arguments], cwd=SUITE, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed that made an estimator of ours", done.stdout)
    assert passed and int(passed[1]) >= fewest, done.stdout[-2000:]
    assert len(set(re.findall(r"left out: (.*)", done.stdout))) == kinds
