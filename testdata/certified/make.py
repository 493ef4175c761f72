"""Regression problems with solutions of 50 digits.

Run: python make.py [design ...]   (see requirements.txt; all designs take a few minutes)

Every design is one JSON file beside this script:

  class       well-posed, near-separation or collinear
  x, y        rows of covariates, and labels 0..K-1 or (grouped) shares of successes; weights and offset where there are any
  rule        for a million rows: integers from which script and test make the same rows (see `ruled`)
  coef, se    per class against class 0: intercept first, then the columns; se from the inverse information
  loglik      without binomial coefficients, save for grouped counts
  deviance    against the saturated model
  condition   the largest, over coefficients, of sum |d ln coef / d ln x_ij|: a relative error of u in every cell can
              move a coefficient by condition * u, however it is computed
  reach       the largest |log odds|

Covariates are f64 numbers written so that they are read back as the same numbers, and the solution is that of exactly
those numbers. The method is Newton's with step halving from zero, in 120 digits or more, until the step is shorter than 1e-70
standard errors; nothing is centred or scaled, the digits pay for the conditioning. The same versions write the same bytes.
"""

import json
import os
import sys

import mpmath as mp

from designs import DESIGNS
from solution import DIGITS, certify

assert mp.__version__ == "1.4.1", "the solutions are pinned to mpmath 1.4.1"
HERE = os.path.dirname(os.path.abspath(__file__))


def write(name):
    mp.mp.dps = DIGITS
    made = DESIGNS[name]()
    made = {"id": name, **made, **certify(made), "made_by": f"make.py with mpmath {mp.__version__}, {DIGITS} digits"}
    body = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in made.items())
    with open(os.path.join(HERE, name + ".json"), "w", newline="\n") as out:
        out.write("{\n" + body + "\n}\n")
    print(f"{name:32} condition {made['condition']:>12} reach {made['reach']:>10}")


if __name__ == "__main__":
    for name in sys.argv[1:] or DESIGNS:
        write(name)
