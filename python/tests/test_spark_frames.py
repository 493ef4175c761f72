"""Frames of Spark: blocks that executors keep in files, and frames that are files already."""

from __future__ import annotations

import os
import warnings
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from parted import Between, digest, rows, written
from sparked import require_spark, session

import oddsmith as od
from oddsmith import _spark_blocks, _spark_frames, engine, spark
from oddsmith._spark_scan import files_of

pytestmark = pytest.mark.filterwarnings("ignore")
require_spark()


@pytest.fixture(scope="module")
def local():
    made = session("local[2,4]")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return written(rows(), tmp_path_factory.mktemp("tables") / "mixed")


def folders_of_blocks(packed):
    """Where executors keep the blocks of a frame."""
    return {os.path.dirname(path) for (path,) in packed._packed.select("path").collect()}


def test_blocks_whose_files_are_gone_or_damaged_are_packed_again_to_the_same_bits(folder, local):
    packed = spark.frame(local.read.parquet(str(folder)).coalesce(2), block=2000)
    paths = sorted(path for (path,) in packed._packed.select("path").collect())
    assert len(paths) > 3 and all(os.path.exists(path) for path in paths)
    expected, harmed = digest(engine.fit("logistic", packed, "died", on=packed)), []

    def harm():
        # Workers that have a block open do not look for its file, and then nobody has packed it again.
        Path(paths[0]).unlink(missing_ok=True)
        content = bytearray(Path(paths[-1]).read_bytes())
        content[len(content) // 2] ^= 1
        # As another file, for workers have this one mapped.
        os.unlink(paths[-1])
        Path(paths[-1]).write_bytes(content)
        harmed.append(bytes(content))

    harm()
    assert digest(engine.fit("logistic", packed, "died", on=Between(2, harm, packed))) == expected
    harm()
    # With another plan everything is opened anew.
    assert digest(engine.fit("logistic", packed, "died", on=packed, memory=1 << 29)) == expected
    assert len(harmed) == 3 and Path(paths[0]).exists() and Path(paths[-1]).read_bytes() != harmed[-1]
    packed.release()


def test_nothing_is_left_of_blocks_that_are_released(local):
    packed = spark.frame(local.createDataFrame(rows()), block=4000)
    folders = folders_of_blocks(packed)
    assert folders and all(os.listdir(folder) for folder in folders)
    packed.release()
    assert not any(os.path.exists(folder) for folder in folders)


def test_a_disk_without_room_for_blocks_says_so(local, monkeypatch):
    monkeypatch.setattr(_spark_frames, "Packer", lambda block, _: _spark_blocks.Packer(block, "/proc/nowhere"))
    with pytest.raises(od.DataError, match="no block of rows can be written to /proc/nowhere, where spark.local.dir is"):
        spark.frame(local.createDataFrame(rows()))


#: Models that learn row after row.
IN_ORDER = {"perceptron": {"epochs": 3, "variant": "last"}, "network": {"search": "adam", "steps": 2, "hidden": 2}}


@pytest.mark.parametrize("name", IN_ORDER)
def test_models_of_the_order_of_rows_want_it_from_whoever_makes_the_frame(name, local):
    table = rows()[["age", "dose", "died"]]
    df, options = local.createDataFrame(table).repartitionByRange(4, "age"), IN_ORDER[name]
    # Several blocks may have been packed in any order of partitions: which is meant, nobody said.
    packed = spark.frame(df, block=2000)
    for many in (df, packed):
        with pytest.raises(od.UnsupportedError, match="take rows one after the other.*let workers read files.*or make one part"):
            spark.fit(name, many, "died", options=options)
    packed.release()
    one = spark.frame(df.coalesce(1).sortWithinPartitions("dose"))
    assert one.slots == 1
    ordered = table.sort_values("dose", kind="stable")
    fitted = spark.fit(name, one, "died", options=options)
    if name == "perceptron":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = od.Perceptron(max_iter=3).fit(ordered[["age", "dose"]], ordered["died"])
        np.testing.assert_allclose(spark.predict(fitted, df).toPandas().sort_values("dose")["score_yes"], whole.decision_function(ordered[["age", "dose"]]), rtol=1e-9)
    else:
        assert fitted.n_iter_ == 2
    one.release()


#: What the files hold. Spark reads nothing to make a frame of them that says so.
SCHEMA = "age double, dose double, smoker long, ward string, died string"


def plain(local, folder):
    return local.read.schema(SCHEMA).parquet(folder)


def widened(df):
    from pyspark.sql import functions as F

    return df.withColumn("age", F.col("age") + 1)


#: Frames that Spark makes of a folder of files and that are not the rows of the folder as they lie there, or may not be.
OTHER = {
    "where": lambda local, folder: plain(local, folder).where("age > 50"),
    "where that keeps all": lambda local, folder: plain(local, folder).where("age > -1e9"),
    "limit": lambda local, folder: plain(local, folder).limit(100),
    "limit of all": lambda local, folder: plain(local, folder).limit(10**6),
    "offset": lambda local, folder: plain(local, folder).offset(3),
    "sample": lambda local, folder: plain(local, folder).sample(0.5, seed=1),
    "tail of SQL": lambda local, folder: local.sql(f"select * from parquet.`{folder}` tablesample (50 percent)"),
    "distinct": lambda local, folder: plain(local, folder).distinct(),
    "dropna": lambda local, folder: plain(local, folder).dropna(),
    "order": lambda local, folder: plain(local, folder).orderBy("age"),
    "columns": lambda local, folder: plain(local, folder).select("age", "died"),
    "columns in another order": lambda local, folder: plain(local, folder).select("died", "ward", "smoker", "dose", "age"),
    "column changed": lambda local, folder: widened(plain(local, folder)),
    "column renamed": lambda local, folder: plain(local, folder).withColumnRenamed("age", "years"),
    "column dropped": lambda local, folder: plain(local, folder).drop("ward"),
    "twice": lambda local, folder: plain(local, folder).union(plain(local, folder)),
    "folder twice": lambda local, folder: local.read.schema(SCHEMA).parquet(folder, folder),
    "join": lambda local, folder: plain(local, folder).join(plain(local, folder).select("age"), "age"),
    "repartition": lambda local, folder: plain(local, folder).repartition(2),
    "groups": lambda local, folder: plain(local, folder).groupBy("ward").count(),
    "one file": lambda local, folder: local.read.schema(SCHEMA).parquet(f"{folder}/part-000.parquet"),
    "some files": lambda local, folder: local.read.schema(SCHEMA).parquet(f"{folder}/part-00*.parquet"),
    "glob": lambda local, folder: local.read.schema(SCHEMA).option("pathGlobFilter", "part-00*").parquet(folder),
    "schema of fewer": lambda local, folder: local.read.schema("age double, died string").parquet(folder),
    "schema of others": lambda local, folder: local.read.schema("age double, dose double, smoker long, ward string, other string").parquet(folder),
    "schema of types": lambda local, folder: local.read.schema("age double, dose double, smoker double, ward string, died string").parquet(folder),
    "schema of names": lambda local, folder: local.read.schema("AGE double, dose double, smoker long, ward string, died string").parquet(folder),
    "modified": lambda local, folder: local.read.schema(SCHEMA).option("modifiedAfter", "2020-01-01T00:00:00").parquet(folder),
    "several versions of columns": lambda local, folder: local.read.schema(SCHEMA).option("mergeSchema", "true").parquet(folder),
    "folders below": lambda local, folder: local.read.schema(SCHEMA).option("recursiveFileLookup", "true").parquet(folder),
    "another reader": lambda local, folder: local.read.format("binaryFile").load(folder),
    "rows of the driver": lambda local, folder: local.createDataFrame(rows()),
    "numbers": lambda local, folder: local.range(5),
    "Python": lambda local, folder: plain(local, folder).mapInArrow(lambda batches: batches, SCHEMA),
}


@pytest.mark.parametrize("what", OTHER)
def test_a_frame_that_is_more_or_less_than_a_folder_is_not_taken_for_its_files(what, folder, local):
    assert files_of(OTHER[what](local, str(folder))) is None


#: Frames that are the rows of a folder, whoever asked for them in what words.
SAME = {
    "read": lambda local, folder: local.read.parquet(folder),
    "format": lambda local, folder: local.read.format("parquet").schema(SCHEMA).load(folder),
    "schema as it is": plain,
    # Spark keeps the words of a path as an option of the reader.
    "relative path": lambda local, folder: local.read.parquet(os.path.relpath(folder)),
    "path with a slash": lambda local, folder: local.read.parquet(f"{folder}/"),
    "address": lambda local, folder: local.read.parquet(f"file://{folder}"),
    "short address": lambda local, folder: local.read.parquet(f"file:{folder}/"),
}


@pytest.mark.parametrize("what", SAME)
def test_a_frame_that_is_a_folder_is_read_by_workers_to_the_model_of_its_files(what, folder, local, monkeypatch):
    df = SAME[what](local, str(folder))
    assert files_of(df) is not None
    monkeypatch.setattr(spark, "frame", None)
    assert digest(spark.fit("nb", df, "died")) == digest(engine.fit("nb", folder, "died"))


def test_rows_that_spark_keeps_are_not_read_from_files(folder, local):
    df = plain(local, str(folder)).cache()
    assert files_of(df) is None and files_of(plain(local, str(folder))) is None
    df.unpersist(blocking=True)
    assert files_of(plain(local, str(folder))) is not None


def test_a_folder_that_is_not_what_the_frame_listed_is_left_to_spark(tmp_path, local):
    folder = written(rows(), tmp_path / "t", 3)
    df = plain(local, str(folder))
    assert files_of(df) is not None
    rows(60).to_parquet(folder / "part-009.parquet", index=False)
    assert files_of(df) is None
    os.unlink(folder / "part-009.parquet")
    os.unlink(folder / "part-001.parquet")
    assert files_of(df) is None


@pytest.mark.parametrize(
    "column",
    [
        pd.to_datetime(["2026-01-01", "2026-01-02"] * 20),
        pd.Categorical(["a", "b"] * 20),
        [[1.0], [2.0]] * 20,
        pd.array([1, 2] * 20, dtype="UInt8"),
        [Decimal("1.5"), Decimal("2.5")] * 20,
    ],
    ids=["dates", "dictionary", "lists", "unsigned", "decimals"],
)
def test_columns_that_may_be_read_otherwise_are_left_to_spark(column, tmp_path, local):
    pd.DataFrame({"x": column, "died": ["yes", "no"] * 20}).to_parquet(tmp_path / "part.parquet", index=False)
    assert files_of(local.read.parquet(str(tmp_path))) is None


def test_files_with_other_columns_and_folders_with_values_are_left_to_spark(tmp_path, local):
    folder = written(rows(), tmp_path / "drift", 3)
    rows(60).drop(columns="ward").to_parquet(folder / "part-002.parquet", index=False)
    assert files_of(plain(local, str(folder))) is None
    for year in (1, 2):
        written(rows(60), tmp_path / "hive" / f"year={year}", 1)
    assert files_of(local.read.parquet(str(tmp_path / "hive"))) is None


def test_names_of_folders_may_hold_what_patterns_are_made_of(tmp_path, local):
    folder = written(rows(), tmp_path / "a b%20[1]ü", 2)
    df = local.read.parquet(str(folder).replace("[", "\\[").replace("]", "\\]"))
    assert df.count() == 480 and files_of(df) is not None
