"""Fits on Spark: the model file of one machine, whatever dies on the way.

Skipped with a reason where Java or pyspark is missing; with ``ODDSMITH_REQUIRE_SPARK=1`` that is a failure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from parted import ANALYSES, ENTRIES, OPTIONS, SUMMING, Between, Killing, Starving, digest, rows, sums_in_groups, together, written
from sparked import HELPERS, Registry, connect_settings, require_spark, session

import oddsmith as od
from oddsmith import _apart, _spark_sums, engine, spark

pytestmark = pytest.mark.filterwarnings("ignore")
require_spark()


@pytest.fixture(scope="module")
def address():
    """Where Spark Connect is, and what makes it be there."""
    return connect_settings()


@pytest.fixture(scope="module")
def local(address):
    # Four tries for every task, as on a cluster.
    made = session("local[2,4]", **address[1])
    yield made
    made.stop()


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    return Registry(tmp_path_factory.mktemp("registry"))


@pytest.fixture(scope="module")
def folders(registry):
    return registry.folders


@pytest.fixture(scope="module")
def found(registry, local):
    return registry.on_spark(local, 1, 3, 16)


@pytest.mark.parametrize("name", [*ENTRIES, *ANALYSES])
def test_every_model_and_analysis_is_that_of_one_machine(name, registry, found):
    assert found[name] == {registry.expected[name]}


class AllHere:
    """The blocks of a frame in this process: what one machine makes of the same rows."""

    def __init__(self, frame):
        self.frame, self.slots = frame, frame.slots
        self.blocks = frame.brought(range(frame.slots))

    def map(self, job, count):
        return ((task, job(task, self.blocks)) for task in range(count))


@pytest.fixture(scope="module")
def frame(local):
    packed = spark.frame(local.createDataFrame(rows()).repartition(3, "ward"), block=1024)
    yield packed
    packed.release()


#: Models that take what a frame has.
MIXED = [name for name, entry in ENTRIES.items() if entry["takes_numbers"] and entry["takes_categories"]]


@pytest.fixture(scope="module")
def blocks(frame):
    return AllHere(frame)


@pytest.fixture(scope="module")
def of_frame(frame):
    fits = {name: lambda on, name=name: digest(engine.fit(name, frame, "died", on=on, options=OPTIONS.get(name))) for name in MIXED}
    return fits, together(frame, fits)


@pytest.mark.parametrize("name", MIXED)
def test_every_model_of_a_frame_is_that_of_its_blocks(name, frame, blocks, of_frame):
    fits, found = of_frame
    assert frame.slots > 3
    try:
        expected = fits[name](blocks)
    except od.UnsupportedError as error:
        assert "one after the other" in str(error) and str(found[name]) == str(error)
        return
    assert found[name] == expected


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
    strata = spark.analyse("table", df, "died", options={"exposure": "smoker", "strata": ["ward"]})
    assert strata.tidy().equals(od.epi.StratifiedTable(table, "died", "smoker", ["ward"]).tidy())


@pytest.mark.parametrize("name", ["least-squares", "perceptron", "kernel-least-squares"])
def test_margins_in_a_frame_are_not_called_probabilities(name, folders, local):
    model = spark.fit(name, folders[name], "died", options=OPTIONS.get(name))
    scored = spark.predict(model, local.read.parquet(str(folders[name]))).toPandas()
    assert [column for column in scored if column.startswith(("p_", "score_", "predicted"))] == ["score_no", "score_yes", "predicted"]
    table = scored[list(model.feature_names_in_)]
    np.testing.assert_allclose(scored["score_yes"], model.decision_function(table), rtol=1e-12)
    assert (scored["predicted"] == model.predict(table)).all()


def test_a_column_that_a_frame_lacks_is_named_before_anything_runs(folders, local):
    df, model = local.read.parquet(str(folders["nb"])), spark.fit(od.Logit("died ~ log(dose) + C(ward)"), folders["nb"])
    with pytest.raises(od.DataError, match="the frame: column `dose`: is missing; the table has: age, smoker, ward, died"):
        spark.predict(model, df.drop("dose"))
    assert spark.predict(model, df.select("ward", "dose")).columns == ["ward", "dose", "p_no", "p_yes", "predicted"]


def test_files_are_predicted_judged_compared_and_summed_up(folders, local):
    folder, workers = folders["nb"], spark.Workers(local)
    model = spark.fit("nb", folder, "died")
    np.testing.assert_array_equal(spark.predict(model, folder), engine.predict(model, folder))
    assert repr(spark.evaluate(model, folder).figures) == repr(engine.evaluate(model, folder).figures)
    assert spark.gather(folder, "died")._sums.to_bytes() == engine.gather(folder, "died")._sums.to_bytes()
    there, here = (engine.compare(["nb"], folder, "died", folds=2, on=on) for on in (workers, None))
    assert repr(there["nb"].figures) == repr(here["nb"].figures)


def test_workers_merge_sums_that_are_large(folders, local):
    there, here = sums_in_groups(spark.Workers(local), folders["nb"])
    assert there == here


def test_large_sums_in_groups_and_slices_are_those_of_one_machine(local, monkeypatch):
    # More than 32 blocks with sums of two classes and half a million hashed words, 8 MB each: nearly all of them zeros, which take no bytes.
    words = [" ".join(f"w{(31 * row + 7 * word) % 1009}" for word in range(20)) for row in range(400)]
    df = local.createDataFrame(pd.DataFrame({"note": words, "died": ["yes", "no"] * 200})).repartition(2)
    packed, asked, merged = spark.frame(df, block=400), [], spark.Frame.map_merged
    assert packed.slots > 32
    monkeypatch.setattr(spark.Frame, "map_merged", lambda self, job, groups, fan_in: asked.append(groups) or merged(self, job, groups, fan_in))
    monkeypatch.setattr(_spark_sums, "SLICE", 2000)
    options = {"kinds": {"note": "text"}, "text": {"hash_width": 1 << 19}}
    model = spark.fit("multinomial-nb", packed, "died", **options)
    assert [len(groups) for groups in asked] == [2]
    assert digest(model) == digest(engine.fit("multinomial-nb", packed, "died", **options, on=AllHere(packed)))
    for (path,) in packed._packed.select("path").collect():
        os.unlink(path)
    assert digest(model) == digest(spark.fit("multinomial-nb", packed, "died", **options))
    packed.release()


def test_workers_import_no_scikit_learn(folders, local):
    # In the worker itself: what is there after it has summed rows up.
    def imported(batches):
        import pyarrow

        for _ in batches:
            yield pyarrow.RecordBatch.from_pydict({"name": [name for name in ("oddsmith", "sklearn", "scipy") if name in sys.modules]})

    spark.fit("nb", folders["nb"], "died")
    found = {row.name for row in local.range(0, 8, 1, 8).mapInArrow(imported, "name string").collect()}
    assert found == {"oddsmith"}


def test_texts_are_hashed_or_discovered(local):
    words = ["cough fever", "fever rash", "none", "rash rash itch", "cough", "well none"] * 20
    df = local.createDataFrame(pd.DataFrame({"note": words, "sick": ["yes", "yes", "no", "yes", "yes", "no"] * 20})).repartition(2)
    for text in (None, {"hash_width": 64}):
        model = spark.fit("multinomial-nb", df, "sick", kinds={"note": "text"}, text=text)
        assert model.predict(pd.DataFrame({"note": ["fever cough", "none well"]})).tolist() == ["yes", "no"]


def test_files_of_text_are_read_by_workers(local, tmp_path):
    words = ["cough fever", "fever rash", "none", "rash rash itch", "cough", "well none"] * 20
    table = pd.DataFrame({"note": words, "dose": np.arange(120) % 7, "sick": ["yes", "yes", "no", "yes", "yes", "no"] * 20})
    for at in range(4):
        table[at * 30 : at * 30 + 30].to_csv(tmp_path / f"{at}.csv", index=False)
    for text in (None, {"hash_width": 64}):
        options = {"kinds": {"note": "text"}, "text": text}
        model = spark.fit("nb", f"{tmp_path}/*.csv", "sick", **options)
        assert digest(model) == digest(engine.fit("nb", tmp_path, "sick", **options))
        assert model.predict(pd.DataFrame({"note": ["fever cough", "none well"], "dose": [3, 3]})).tolist() == ["yes", "no"]


def test_blocks_of_a_sample_are_summed_up_by_the_driver(local, monkeypatch):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60_000, 2))
    died = np.where(rng.random(len(x)) < 1 / (1 + np.exp(-(x @ [0.5, -0.3]))), "yes", "no")
    packed = spark.frame(local.createDataFrame(pd.DataFrame(x, columns=["age", "dose"]).assign(died=died)), block=40_000)
    asked, answers = [], _apart.answers
    monkeypatch.setattr(_apart, "answers", lambda on, job: asked.append(on is packed) or answers(on, job))
    fits = []
    for sample in (0, 1 << 30):
        monkeypatch.setattr(_apart, "SAMPLE", sample)
        asked.clear()
        fits.append((digest(engine.fit("logistic", packed, "died", on=packed)), sum(asked)))
    packed.release()
    (by_workers, many), (by_driver, few) = fits
    assert by_workers == by_driver and few < many


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
        if job.do in SUMMING:
            self.frame._packed.unpersist(blocking=True)
        return self.frame.map(job, count)


def test_lost_blocks_are_computed_again_to_the_same_bits(folders, local):
    packed = spark.frame(local.read.parquet(str(folders["nb"])))
    expected = digest(spark.fit("logistic", packed, "died"))
    assert digest(engine.fit("logistic", packed, "died", on=Forgetful(packed))) == expected
    packed.release()


def test_other_columns_in_one_file_are_named_by_the_driver(tmp_path, local):
    folder = written(rows(), tmp_path / "t", 3)
    rows(60).assign(age="old").to_parquet(folder / "part-002.parquet")
    with pytest.raises(od.MismatchError, match=r"part-002.parquet.*column `age`"):
        spark.fit("logistic", folder, "died")


def test_a_file_that_changes_between_passes_is_refused(tmp_path, local):
    folder = written(rows(), tmp_path / "t", 3)
    change = lambda: rows(90)[10:].to_parquet(folder / "part-001.parquet")  # noqa: E731
    with pytest.raises(od.MismatchError, match=r"part-001.parquet.*changed between passes"):
        engine.fit("logistic", folder, "died", on=Between(2, change, spark.Workers(local)))


def test_a_worker_that_dies_again_and_again_is_told_of_memory(folders, local, tmp_path):
    # As the system does it to a process that takes more than there is.
    with pytest.raises(od.DataError, match="too little memory; give executors more, or make more parts"):
        engine.fit("nb", folders["nb"], "died", on=Killing(spark.Workers(local), tmp_path / "no" / "mark", "worker"))


def test_an_executor_without_memory_says_so(local):
    # Counts of two classes and four million hashed words are 64 MB, and the worker has room for 16.
    notes = pd.DataFrame({"note": ["cough fever", "none"] * 20, "sick": ["yes", "no"] * 20})
    packed = spark.frame(local.createDataFrame(notes).repartition(1))
    with pytest.raises(od.DataError, match="too little memory; give executors more, or make more parts"):
        engine.fit("multinomial-nb", packed, "sick", on=Starving(packed, 16 << 20), kinds={"note": "text"}, text={"hash_width": 1 << 22})
    packed.release()


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


def test_a_session_of_spark_connect_serves_as_well(folders, local, address, tmp_path):
    # It has no context, no RDDs and no Java, and a process has one kind of session.
    pytest.importorskip("grpc", reason="grpcio is missing, which Spark Connect needs")
    folder = folders["nb"]
    # Nothing of a session of the other kind may be left in the environment.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
    command = [sys.executable, "-W", "ignore", f"{HELPERS}/connected.py", address[0], str(folder)]
    done = subprocess.run(command, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout.strip().splitlines()[-1])
    table, here = rows(), engine.fit("tree", folder, "died", options=OPTIONS["tree"])
    assert told["kind"].startswith("pyspark.sql.connect") and told["groups"]
    assert told["digest"] == digest(here) and told["rows"] == len(table)
    assert told["auc"] == pytest.approx(float(engine.evaluate(here, folder)["auc"]), rel=1e-12)
