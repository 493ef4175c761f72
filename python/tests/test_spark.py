"""Fits on Spark: the model file of one machine, whatever dies on the way.

Skipped with a reason where Java or pyspark is missing; with ``ODDSMITH_REQUIRE_SPARK=1`` that is a failure.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from parted import ENTRIES, Killing, digest, rows, table_for, written

import oddsmith as od
from oddsmith import engine, spark

pytestmark = pytest.mark.filterwarnings("ignore")
#: Workers find the helpers of these tests.
HELPERS = str(Path(__file__).parent)


def _lacking() -> str | None:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Java is missing, which Spark runs on"
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is missing"
    return None


if (reason := _lacking()) is not None:
    if os.environ.get("ODDSMITH_REQUIRE_SPARK") == "1":
        pytest.fail(f"ODDSMITH_REQUIRE_SPARK asks for the tests on Spark, and {reason}", pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def session(master: str):
    from pyspark.sql import SparkSession

    paths = os.pathsep.join(filter(None, [HELPERS, os.environ.get("PYTHONPATH")]))
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1"}
    made = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .config("spark.executor.memory", "512m")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.executorEnv.PYTHONPATH", paths)
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    return made


@pytest.fixture(scope="module")
def local():
    # Four tries for every task, as on a cluster.
    made = session("local[2,4]")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root, made = tmp_path_factory.mktemp("tables"), {}
    for name, entry in ENTRIES.items():
        key = (entry["takes_numbers"], entry["takes_categories"])
        if key not in made:
            made[key] = written(table_for(entry), root / f"{len(made)}")
        made[name] = made[key]
    return made


@pytest.mark.parametrize("name", ENTRIES)
def test_every_model_has_the_file_of_one_machine(name, folders, local):
    # One worker process of Spark has a third of the lanes; 1 and 16 are below for all models at once.
    model = engine.fit(name, folders[name], "died", on=spark.Workers(local, slots=1))
    assert digest(model) == digest(engine.fit(name, folders[name], "died"))


@pytest.mark.parametrize("slots", [1, 16])
@pytest.mark.parametrize("name", ["nb", "lda", "logistic", "tree"])
def test_the_number_of_partitions_changes_nothing(name, slots, folders, local, monkeypatch):
    monkeypatch.setattr(engine, "_TASKS_PER_SLOT", 1)
    model = engine.fit(name, folders[name], "died", on=spark.Workers(local, slots=slots))
    assert digest(model) == digest(engine.fit(name, folders[name], "died"))


class AllHere:
    """The blocks of a frame in this process: what one machine makes of the same rows."""

    def __init__(self, frame):
        self.frame, self.slots = frame, frame.slots
        found = {(row.part, row.number): row for row in frame._packed.collect()}
        self.blocks = {at: spark.Block(frame.names[at], found[key].digest, bytes(found[key].block)) for key, at in frame._keys.items()}

    def map(self, job, count):
        return ((task, job(task, self.blocks)) for task in range(count))


@pytest.fixture(scope="module")
def frame(local):
    packed = spark.frame(local.createDataFrame(rows()).repartition(3, "ward"), block=1024)
    yield packed
    packed.release()


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if entry["takes_numbers"] and entry["takes_categories"]])
def test_every_model_of_a_frame_is_that_of_its_blocks(name, frame):
    assert frame.slots > 3
    try:
        expected = digest(engine.fit(name, frame, "died", on=AllHere(frame)))
    except od.UnsupportedError as error:
        assert "one after the other" in str(error)
        return
    assert digest(spark.fit(name, frame, "died")) == expected


def test_a_frame_is_fitted_predicted_judged_compared_and_summed_up(local):
    table = rows()
    df = local.createDataFrame(table)
    model = spark.fit(od.Logit("died ~ age + C(ward)"), df)
    np.testing.assert_allclose(model.tidy()["estimate"], od.Logit("died ~ age + C(ward)").fit(table).tidy()["estimate"], rtol=1e-7)
    scored = spark.predict(model, df).toPandas()
    np.testing.assert_allclose(scored[["p_no", "p_yes"]], model.predict_proba(scored), rtol=1e-12)
    assert (scored["predicted"] == model.predict(scored)).all()
    assert spark.evaluate(model, df)["auc"] == pytest.approx(od.evaluate(model, table, table["died"])["auc"], rel=1e-12)
    assert spark.gather(df, "died").class_count.sum() == len(table)
    assert spark.compare(["nb"], df, "died", folds=2)["nb"].confusion.sum() == len(table)


def test_files_are_predicted_judged_compared_and_summed_up(folders, local):
    folder, workers = folders["nb"], spark.Workers(local)
    model = spark.fit("nb", folder, "died")
    np.testing.assert_array_equal(spark.predict(model, folder), engine.predict(model, folder))
    assert repr(spark.evaluate(model, folder).figures) == repr(engine.evaluate(model, folder).figures)
    assert spark.gather(folder, "died")._sums.to_bytes() == engine.gather(folder, "died")._sums.to_bytes()
    there, here = (engine.compare(["nb"], folder, "died", folds=2, on=on) for on in (workers, None))
    assert repr(there["nb"].figures) == repr(here["nb"].figures)


def test_texts_are_hashed_or_discovered(local):
    words = ["cough fever", "fever rash", "none", "rash rash itch", "cough", "well none"] * 20
    df = local.createDataFrame(pd.DataFrame({"note": words, "sick": ["yes", "yes", "no", "yes", "yes", "no"] * 20})).repartition(2)
    for text in (None, {"hash_width": 64}):
        model = spark.fit("multinomial-nb", df, "sick", kinds={"note": "text"}, text=text)
        assert model.predict(pd.DataFrame({"note": ["fever cough", "none well"]})).tolist() == ["yes", "no"]


def test_rows_that_are_drawn_anew_are_refused(local):
    def drawn(batches):
        import pyarrow

        for batch in batches:
            x = np.frombuffer(os.urandom(8 * batch.num_rows), np.uint64) / 2.0**64
            yield pyarrow.RecordBatch.from_pydict({"x": x, "y": np.where(x < 0.5, "a", "b")})

    packed = spark.frame(local.range(0, 4000, 1, 2).mapInArrow(drawn, "x double, y string"))
    with pytest.raises(od.MismatchError, match="other rows than those of the first pass"):
        engine.fit("nb", packed, "y", on=Forgetful(packed))


class Forgetful:
    """A frame whose cached blocks are lost before the passes."""

    def __init__(self, frame):
        self.frame, self.slots = frame, frame.slots

    def map(self, job, count):
        if job.do == "lanes":
            self.frame._packed.unpersist(blocking=True)
        return self.frame.map(job, count)


def test_lost_blocks_are_computed_again_to_the_same_bits(folders, local):
    packed = spark.frame(local.read.parquet(str(folders["nb"])))
    expected = digest(spark.fit("logistic", packed, "died"))
    assert digest(engine.fit("logistic", packed, "died", on=Forgetful(packed))) == expected


def test_other_columns_in_one_file_are_named_by_the_driver(tmp_path, local):
    folder = written(rows(), tmp_path / "t", 3)
    rows(60).assign(age="old").to_parquet(folder / "part-002.parquet")
    with pytest.raises(od.MismatchError, match=r"part-002.parquet.*column `age`"):
        spark.fit("logistic", folder, "died")


def test_empty_partitions_add_nothing(local):
    df = local.createDataFrame(rows())
    # Three wards in seven partitions: most of them are empty.
    wide = df.repartition(7, "ward")
    assert spark.fit("gaussian-nb", wide, "died", features=["age", "dose"]).class_count_.sum() == 480
    with pytest.raises(od.DataError, match="no rows"):
        spark.frame(df.where("age > 1e9"))


def test_a_python_worker_that_is_killed_changes_nothing(folders, local, tmp_path):
    workers = Killing(spark.Workers(local, slots=2), tmp_path / "died", "worker")
    model = engine.fit("logistic", folders["logistic"], "died", on=workers)
    assert (tmp_path / "died").exists()
    assert digest(model) == digest(engine.fit("logistic", folders["logistic"], "died"))


@pytest.fixture(scope="module")
def cluster(local):
    local.stop()
    made = session("local-cluster[2,1,1024]")
    yield made
    made.stop()


def test_the_same_on_a_cluster_that_loses_an_executor(folders, cluster, tmp_path):
    expected = digest(engine.fit("logistic", folders["logistic"], "died"))
    workers = spark.Workers(cluster, slots=2)
    assert digest(engine.fit("logistic", folders["logistic"], "died", on=Killing(workers, tmp_path / "worker", "worker"))) == expected
    assert digest(engine.fit("logistic", folders["logistic"], "died", on=Killing(workers, tmp_path / "executor", "executor"))) == expected
    assert (tmp_path / "worker").exists() and (tmp_path / "executor").exists()
    packed = spark.frame(cluster.read.parquet(str(folders["nb"])))
    before = digest(spark.fit("nb", packed, "died"))
    assert digest(engine.fit("nb", packed, "died", on=Killing(packed, tmp_path / "frame", "executor"))) == before


@pytest.mark.parametrize("name", ENTRIES)
def test_every_model_on_a_cluster(name, folders, cluster, monkeypatch):
    monkeypatch.setattr(engine, "_TASKS_PER_SLOT", 1)
    model = engine.fit(name, folders[name], "died", on=spark.Workers(cluster, slots=3))
    assert digest(model) == digest(engine.fit(name, folders[name], "died"))
