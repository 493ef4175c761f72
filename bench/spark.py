"""Fits on Spark beside those of MLlib, in CPU seconds of everything that runs: driver, Java, Python workers.

    python bench/spark.py                 # 5 million rows × 20 columns, local[2]
    python bench/spark.py --rows 200000   # a quick look
    python bench/spark.py --only nb-files # one line, or several
    python bench/spark.py --write-docs    # and writes the table to docs/spark.md

Every variant runs in a process of its own. MLlib is measured with and without a cached frame (caching included), and compared by the better of
both. Needs pyspark, Java and the installed package.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

COLUMNS = 20
#: Levels of a tree; MLlib's default.
DEPTH = 5
#: What is compared: our variant, MLlib's, and by how many times fewer CPU seconds.
GOALS = [
    ("naive Bayes, files", "nb-files", "nb", 5.0),
    ("naive Bayes, frame of files", "nb-frame", "nb", 1.2),
    ("naive Bayes, packed frame", "nb-packed", "nb", 1.2),
    ("logistic regression with standard errors, files", "logit-files", "glr", 3.0),
    ("logistic regression with standard errors, packed frame", "logit-packed", "glr", 1.1),
    ("decision tree, files", "tree-files", "tree", 4.0),
]


def table(folder: Path, rows: int) -> None:
    """Numbers and a class that depends on them, in Parquet files of half a million rows."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    rng, slopes = np.random.default_rng(1), np.linspace(-0.4, 0.4, COLUMNS)
    size = min(rows, 500_000)
    for at in range(0, rows, size):
        x = rng.normal(size=(min(size, rows - at), COLUMNS))
        y = (rng.random(len(x)) < 1 / (1 + np.exp(-(x @ slopes - 0.2)))).astype(np.float64)
        columns = {f"x{j}": x[:, j] for j in range(COLUMNS)} | {"y": y}
        pq.write_table(pa.table(columns), folder / f"part-{at // size:03}.parquet", row_group_size=125_000)


def tree_seconds() -> dict[str, float]:
    """CPU seconds of the driver (this process), of Java and of Python workers, all that runs below this process, ended ones included."""
    tick, parents, seconds, names = os.sysconf("SC_CLK_TCK"), {}, {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, _, facts = (entry / "stat").read_text().rpartition(")")
            except OSError:
                continue
            own = facts.split()
            parents[int(entry.name)], names[int(entry.name)] = int(own[1]), name.partition("(")[2]
            seconds[int(entry.name)] = sum(int(own[at]) for at in (11, 12, 13, 14)) / tick
    own, below = os.getpid(), lambda process: process == own or (process in parents and below(parents[process]))
    spent = {"driver": 0.0, "java": 0.0, "workers": 0.0}
    for process in filter(below, seconds):
        spent["driver" if process == own else "java" if names[process] == "java" else "workers"] += seconds[process]
    return spent


def session(cores: int):
    from pyspark.sql import SparkSession

    # Workers run what runs here.
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    made = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    made = made.config("spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", str(2 * cores))
    # As docs/spark.md advises; MLlib starts no Python workers.
    made = made.config("spark.python.daemon.module", "oddsmith.daemon").getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    made.range(1).count()
    return made


def ours(what: str, folder: Path, spark_session) -> tuple[int, object]:
    """One of our fits; how many jobs over the rows it took, the look at the columns included, and the model."""
    from oddsmith import _apart, _spark_tasks, spark

    model = {"nb": "gaussian-nb", "logit": "logistic", "tree": "tree"}[what.partition("-")[0]]
    data = str(folder) if what.endswith("files") else spark_session.read.parquet(str(folder))
    # A filter that every row passes: the frame is not the files any more, and has to be packed.
    data = data.where("y >= 0") if what.endswith("packed") else data
    jobs, answers = [], _apart.answers
    _apart.answers = lambda on, job: isinstance(on, _spark_tasks.Tasks) and jobs.append(job.do) or answers(on, job)
    packs, packed = spark.frame, []
    spark.frame = lambda df: packed.append(True) or packs(df)
    fitted = spark.fit(model, data, "y", options={"max-depth": DEPTH} if model == "tree" else None)
    if bool(packed) != what.endswith("packed"):
        raise SystemExit(f"{what}: the frame was {'packed' if packed else 'read as files'}, which is another line of the table")
    return len(jobs), fitted


def theirs(what: str, folder: Path, spark_session) -> tuple[int, object]:
    """One of MLlib's fits, and the model."""
    from pyspark.ml.classification import DecisionTreeClassifier, NaiveBayes
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.regression import GeneralizedLinearRegression

    name, _, cached = what.partition("+")
    rows = VectorAssembler(inputCols=[f"x{j}" for j in range(COLUMNS)], outputCol="features").transform(spark_session.read.parquet(str(folder)))
    rows = rows.select("features", "y")
    if cached:
        rows = rows.persist()
        rows.count()
    if name == "nb":
        return 0, NaiveBayes(modelType="gaussian", labelCol="y").fit(rows)
    if name == "tree":
        return 0, DecisionTreeClassifier(labelCol="y", maxDepth=DEPTH).fit(rows)
    fitted = GeneralizedLinearRegression(family="binomial", labelCol="y").fit(rows)
    return 0, fitted.summary.coefficientStandardErrors


def measured(side: str, what: str, folder: Path, cores: int) -> tuple[dict[str, float], float, int]:
    """CPU seconds by who spent them, wall seconds and jobs of a variant, after Spark has started."""
    code = [sys.executable, __file__, "--run", side, what, "--data", str(folder), "--cores", str(cores)]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{side} {what} failed:\n{done.stderr[-4000:]}")
    return tuple(json.loads(done.stdout.strip().splitlines()[-1]))


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, default=5_000_000)
    arguments.add_argument("--cores", type=int, default=2)
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--run", nargs=2)
    arguments.add_argument("--only", nargs="+", choices=[own for _, own, _, _ in GOALS])
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--write-docs", action="store_true")
    given = arguments.parse_args()
    if given.only and given.write_docs:
        arguments.error("--write-docs writes the whole table: leave --only out")
    if given.run:
        made = session(given.cores)
        before, start = tree_seconds(), time.perf_counter()
        passes, fitted = {"ours": ours, "theirs": theirs}[given.run[0]](given.run[1], given.data, made)
        wall, after = time.perf_counter() - start, tree_seconds()
        # What is said of a model is no part of its fit, and that of ours imports scikit-learn.
        print(fitted)
        print(json.dumps([{who: round(after[who] - before[who], 2) for who in after}, wall, passes]))
        return
    folder = given.data or Path("target/bench-spark") / f"{given.rows}x{COLUMNS}"
    if not folder.exists():
        table(folder, given.rows)
    goals = [goal for goal in GOALS if not given.only or goal[1] in given.only]
    peers: dict[str, tuple[float, str]] = {}
    for name in dict.fromkeys(peer for _, _, peer, _ in goals):
        spent = {more: sum(measured("theirs", name + more, folder, given.cores)[0].values()) for more in ("", "+cached")}
        peers[name] = min((seconds, more or "not cached") for more, seconds in spent.items())
    results, lines = [], ["| | ours, CPU s (driver + Java + workers) | jobs | MLlib's better, CPU s | times | goal |", "| --- | --- | --- | --- | --- | --- |"]
    print("\n".join(lines))
    for title, own, peer, goal in goals:
        (spent, _, passes), (other, how) = measured("ours", own, folder, given.cores), peers[peer]
        seconds, parts = sum(spent.values()), " + ".join(f"{one:.1f}" for one in spent.values())
        results.append({"what": title, "ours": seconds, "by": spent, "jobs": passes, "mllib": other, "mllib_variant": how, "times": other / seconds, "goal": goal})
        lines.append(f"| {title} | {seconds:.1f} ({parts}) | {passes} | {other:.1f} ({how.lstrip('+')}) | {other / seconds:.1f} | {goal} |")
        print(lines[-1], flush=True)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1))
    if given.write_docs:
        write_docs(lines)


def write_docs(lines: list[str]) -> None:
    """The table in the documentation."""
    page = Path(__file__).resolve().parents[1] / "docs" / "spark.md"
    head, mark, rest = page.read_text().partition("<!-- measured: mllib -->")
    page.write_text(head + mark + "\n" + "\n".join(lines) + "\n<!-- end -->" + rest.partition("<!-- end -->")[2])


if __name__ == "__main__":
    main()
