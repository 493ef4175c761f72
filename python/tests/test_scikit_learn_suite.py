"""scikit-learn's own test files for these estimators pass with ours in their place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import sklearn

HERE = Path(__file__).parent
SUITE = Path(sklearn.__file__).parent
FILES = ["tests/test_naive_bayes.py", "tests/test_discriminant_analysis.py", "linear_model/tests/test_logistic.py"]
# Fewer would mean that the files were not found or that the plugin skipped them.
FEWEST_PASSED = 390
KINDS_LEFT_OUT = 9


def test_scikit_learns_tests_pass_with_our_estimators():
    arguments = ["-m", "pytest", "-q", "-rx", "-p", "no:cacheprovider", "-p", "substitute", *(str(SUITE / file) for file in FILES)]
    environment = os.environ | {"SKLEARN_RUN_FLOAT32_TESTS": "1", "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, *arguments], cwd=SUITE, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) >= FEWEST_PASSED, done.stdout[-2000:]
    assert len(set(re.findall(r"left out: (.*)", done.stdout))) == KINDS_LEFT_OUT
