"""Score limits of 2x2 tables: where statsmodels' score test has a p-value of 0.05, for `statsmodels_tables.json`.

Differences are not taken from there: its restricted estimate is not where the score vanishes.
"""

import json
import math
import pathlib

import statsmodels
from scipy.optimize import brentq
from scipy.stats import norm
from statsmodels.stats.proportion import test_proportions_2indep

TABLES = [[30, 44, 29, 86], [3, 1, 1, 3], [9, 21, 4, 46], [56, 14, 48, 32], [15, 5, 3, 27], [120, 880, 95, 905]]
Z = norm.isf(0.025)


def limits(cells, compare):
    a, b, c, d = cells
    n1, n0 = a + b, c + d
    middle = {"ratio": math.log((a / n1) / (c / n0)), "odds-ratio": math.log(a * d / (b * c))}[compare]

    def statistic(v):
        return test_proportions_2indep(a, n1, c, n0, value=math.exp(v), compare=compare, method="score", correction=True).statistic

    def limit(way):
        # Far from the estimate the restricted estimate of statsmodels is NaN, so the way there is short.
        at = middle + way * 0.1
        while abs(statistic(at)) < Z:
            at += way * 0.1
        return math.exp(brentq(lambda v: abs(statistic(v)) - Z, at - way * 0.1, at, xtol=1e-14))

    return [limit(-1), limit(1)]


score = [{"cells": cells, **{compare: limits(cells, compare) for compare in ("ratio", "odds-ratio")}} for cells in TABLES]
call = "test_proportions_2indep(a, a + b, c, c + d, value=limit, compare=..., method='score', correction=True), solved for |statistic| = z"
golden = {"tool": f"statsmodels {statsmodels.__version__}", "call": call, "score": score}
pathlib.Path(__file__).with_name("statsmodels_tables.json").write_text(json.dumps(golden, indent=1) + "\n")
