"""Matched sets and strata beside R's survival and statsmodels, all in the same run.

    cargo xtask bench clinic                everything; R where Rscript is on the path
    cargo xtask bench clinic --quick        a tenth of the sets and rows
    cargo xtask bench clinic --write-docs   the table of docs/performance.md as well

Every side gets the same rows from the same seed in memory (R from a file that it reads before the clock starts). Times are processor seconds of the fit alone,
the least of as many runs as take three seconds, and of two at least, on every side; ours is the Python package on one thread, from a data frame. Answers must agree.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd


#: Processor seconds after which no further run begins, and the least number of runs: a quick side needs more of them to meet a quiet moment.
ENOUGH, LEAST = 3.0, 2


def clock(run):
    """Give the least processor seconds of several runs, and the last answer."""
    times, answer = [], None
    while sum(times) < ENOUGH or len(times) < LEAST:
        start = time.process_time()
        answer = run()
        times.append(time.process_time() - start)
    return min(times), answer


def sets(rng, count: int, cases: int, size: int, columns: int) -> pd.DataFrame:
    """Draw matched sets: the cases of a set are the members with the largest scores, blurred."""
    x = rng.normal(size=(count, size, columns))
    score = x @ rng.normal(0, 0.4, columns) + rng.gumbel(size=(count, size))
    rank = np.argsort(np.argsort(-score, axis=1), axis=1)
    table = pd.DataFrame(x.reshape(-1, columns), columns=[f"x{j}" for j in range(columns)])
    table.insert(0, "y", (rank < cases).astype(int).ravel())
    table.insert(1, "stratum", np.repeat(np.arange(count), size).astype(str))
    return table


R_CLOGIT = """
suppressMessages(library(survival))
d <- read.csv("%s"); f <- as.formula(paste("y ~", paste(setdiff(names(d), c("y", "stratum")), collapse = " + "), "+ strata(stratum)"))
times <- c(); while (sum(times) < %g || length(times) < %d) times <- c(times, system.time(fit <- clogit(f, d, method = "%s"))[["user.self"]])
cat(min(times), coef(fit), sep = "\\n")
"""


def of_r(table: pd.DataFrame, method: str):
    """Give R's seconds and coefficients; nothing where there is no R."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sets.csv"
        table.to_csv(path, index=False)
        done = subprocess.run(["Rscript", "-e", R_CLOGIT % (path, ENOUGH, LEAST, method)], capture_output=True, text=True, check=True)
    numbers = [float(line) for line in done.stdout.split()]
    return numbers[0], np.array(numbers[1:])


def matched(name: str, table: pd.DataFrame, peers: dict) -> dict:
    """Measure one workload of matched sets."""
    from oddsmith.epi import ConditionalLogit

    formula = "y ~ " + " + ".join(table.columns[2:]) + " + strata(stratum)"
    seconds, ours = clock(lambda: ConditionalLogit(formula, table, interval="wald", tests=False, n_jobs=1))
    estimates = np.asarray(ours.tidy()["estimate"])
    row = {"workload": name, "oddsmith_s": seconds, "peers": {}}
    for peer, run in peers.items():
        told = run()
        if told is not None:
            row["peers"][peer] = {"s": told[0], "times": told[0] / seconds, "largest_difference": float(np.abs(told[1] - estimates).max())}
    return row


def of_statsmodels(table: pd.DataFrame):
    """Give statsmodels' seconds and coefficients."""
    from statsmodels.discrete.conditional_models import ConditionalLogit

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, fit = clock(lambda: ConditionalLogit(table["y"], table.iloc[:, 2:], groups=table["stratum"]).fit(method="bfgs", disp=False))
    return seconds, np.asarray(fit.params)


def strata(rng, rows: int, count: int) -> dict:
    """Measure Mantel–Haenszel from rows."""
    import statsmodels.api as sm

    from oddsmith.epi import StratifiedTable

    stratum = rng.integers(0, count, rows)
    x = (rng.random(rows) < 0.3 + 0.4 * rng.random(count)[stratum]).astype(int)
    y = (rng.random(rows) < 1 / (1 + np.exp(1 - 0.5 * x - rng.normal(0, 0.5, count)[stratum]))).astype(int)
    # statsmodels takes no stratum without one of the four cells: the first rows give each to every stratum.
    cell = np.tile(np.arange(4), count)
    stratum[: 4 * count], x[: 4 * count], y[: 4 * count] = np.repeat(np.arange(count), 4), cell % 2, cell // 2
    table = pd.DataFrame({"y": pd.Categorical(y), "x": pd.Categorical(x), "stratum": pd.Categorical(stratum)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, ours = clock(lambda: StratifiedTable(table, "y", "x", ["stratum"], n_jobs=1))
    plain = pd.DataFrame({"y": y, "x": x, "stratum": stratum})

    def pooled():
        theirs = sm.stats.StratifiedTable.from_data("y", "x", "stratum", plain)
        return theirs.oddsratio_pooled, theirs.test_equal_odds().statistic

    peer, other = clock(pooled)
    own = ours.estimate("odds ratio", "Mantel–Haenszel")["estimate"]
    difference = abs(own - other[0])
    return {"workload": f"Mantel–Haenszel, {rows} rows, {count} strata", "oddsmith_s": seconds, "peers": {"statsmodels from rows": {"s": peer, "times": peer / seconds, "largest_difference": float(difference)}}}


def main(options) -> int:
    """Run all workloads and print them."""
    rng, part = np.random.default_rng(options.seed), 10 if options.quick else 1
    pairs, larger = sets(rng, 20_000 // part, 1, 5, 10), sets(rng, 2_000 // part, 5, 25, 10)
    works = [
        lambda: matched("1 in 5", pairs, {"R clogit efron": lambda: of_r(pairs, "efron"), "R clogit exact": lambda: of_r(pairs, "exact"), "statsmodels bfgs": lambda: of_statsmodels(pairs)}),
        lambda: matched("5 in 25", larger, {"R clogit exact": lambda: of_r(larger, "exact")}),
        lambda: strata(rng, 1_000_000 // part, 10_000 // part),
    ]
    told, wrong = [], False
    for work in works:
        told.append(row := work())
        print(f"{row['workload']}: oddsmith {row['oddsmith_s']:.4f} s", flush=True)
        for peer, figures in row["peers"].items():
            # statsmodels stops after five digits or so.
            wrong |= figures["largest_difference"] > (1e-3 if "statsmodels bfgs" in peer else 1e-6)
            print(f"  {peer}: {figures['s']:.3f} s, {figures['times']:.0f}×; answers differ by {figures['largest_difference']:.1e}")
    if options.json:
        options.json.write_text(json.dumps(told, indent=1))
    if options.write_docs:
        write_docs(told)
    return int(wrong)


def write_docs(told: list[dict]) -> None:
    """Writes the table of the page."""
    import documentation
    from versions import versions

    rows = []
    for row in told:
        for peer, figures in row["peers"].items():
            times = (f"{figures['s'] * 1e3:.4g}", f"{row['oddsmith_s'] * 1e3:.4g}", f"{figures['times']:.1f}×")
            rows.append((row["workload"], peer, *times, f"{figures['largest_difference']:.1e}"))
    heads = ("workload", "peer", "its CPU ms", "our CPU ms", "ratio", "difference")
    documentation.write_place("clinic", versions(), heads, rows)
