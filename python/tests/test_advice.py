"""What goes wrong is said in Python's words: classes and arguments, never flags of the command."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import oddsmith as od

FRAME = pd.DataFrame({"y": list("abab" * 10), "x": np.arange(40) % 7 + 0.5, "z": np.arange(40) % 3, "ward": list("pqrst" * 8)})


@pytest.mark.parametrize("formula", ["y ~ np.log(x)", "y ~ lgo(x)", "y ~ x +", "y ~ (x", "y ~ poly(x, 0)", "y ~ x @ z", "y ~ nosuch"])
def test_a_formula_that_cannot_be_read_is_the_users_typo(formula):
    with pytest.raises(od.FormulaError) as caught:
        od.Logit(formula).fit(FRAME)
    assert isinstance(caught.value, od.ParameterError) and isinstance(caught.value, ValueError)
    message = str(caught.value)
    assert "^" in message and "report" not in message and not re.search(r"--[a-z]", message), message


def test_a_typo_of_a_function_is_met_with_the_function():
    with pytest.raises(od.FormulaError, match=r"did you mean `log`"):
        od.Logit("y ~ logg(x)").fit(FRAME)


def refused(estimator, *data) -> str:
    with pytest.raises(od.OddsmithError) as caught:
        estimator.fit(*data)
    return str(caught.value)


def test_no_message_speaks_of_flags():
    separated = pd.DataFrame({"y": list("aabb"), "x": [1.0, 2.0, 3.0, 4.0]})
    numbers, flat = np.column_stack([np.arange(8.0), np.arange(8.0) * 2]), np.array([[1.0], [1.0], [2.0], [3.0]])
    said = {
        "separation": refused(od.Logit("y ~ x"), separated),
        "wide": refused(od.Logit(), np.eye(6) + np.arange(36.0).reshape(6, 6) ** 0.5, [0, 1, 0, 1, 0, 1]),
        "flat": refused(od.GaussianNB(var_smoothing=0), flat, [0, 0, 1, 1]),
        "singular": refused(od.QuadraticDiscriminantAnalysis(), numbers, [0, 1] * 4),
        "range": refused(od.Logit(level=2.0), FRAME[["x"]], FRAME["y"]),
        "divisor": refused(od.GaussianNB(divisor="unbiased"), [[1.0], [2.0], [3.0]], [0, 0, 1]),
    }
    for name, message in said.items():
        assert not re.search(r"--[a-z]", message), (name, message)
    assert "on_separation='firth'" in said["separation"] and "LogisticRegression(C=1)" in said["separation"]
    assert "divisor='ml'" in said["divisor"]


def test_a_warning_has_a_page_in_the_words_of_python():
    page = od.OddsmithWarning("W303", None, None, "a row lacks a value").page
    assert "missing='indicator'" in page and not re.search(r"--[a-z]", page)
