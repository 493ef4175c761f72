"""Fits on a Spark cluster of two executors, in processes of their own: the model file of one machine, also where an executor is killed."""

from __future__ import annotations

import pytest
from parted import ANALYSES, ENTRIES, Killing, digest
from sparked import Registry, require_spark, session

from oddsmith import spark

pytestmark = pytest.mark.filterwarnings("ignore")
require_spark()


@pytest.fixture(scope="module")
def cluster():
    made = session("local-cluster[2,1,1024]")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    return Registry(tmp_path_factory.mktemp("registry"))


@pytest.fixture(scope="module")
def found(registry, cluster):
    return registry.on_spark(cluster, 1, 3, 16)


@pytest.mark.parametrize("name", [*ENTRIES, *ANALYSES])
def test_every_model_and_analysis_is_that_of_one_machine(name, registry, found):
    assert found[name] == {registry.expected[name]}


def test_a_python_worker_that_is_killed_changes_nothing(registry, cluster, tmp_path):
    workers = Killing(spark.Workers(cluster, slots=2), tmp_path / "died", "worker")
    assert registry.model_file("tree", workers) == registry.expected["tree"]
    assert (tmp_path / "died").exists()


def cached(cluster) -> int:
    """Partitions of frames that executors keep."""
    return sum(info.numCachedPartitions() for info in cluster.sparkContext._jsc.sc().getRDDStorageInfo())


def test_an_executor_that_is_killed_changes_nothing_nor_do_the_blocks_that_die_with_it(registry, cluster, tmp_path):
    # A partition for every file, so that both executors have some; a shuffle would leave the order of rows open.
    cluster.conf.set("spark.sql.files.maxPartitionBytes", 1 << 16)
    packed = spark.frame(cluster.read.parquet(str(registry.folders["nb"])))
    before, kept = digest(spark.fit("nb", packed, "died")), cached(cluster)
    workers = Killing(spark.Workers(cluster, slots=2), tmp_path / "died", "executor")
    assert registry.model_file("logistic", workers) == registry.expected["logistic"]
    assert (tmp_path / "died").exists()
    assert cached(cluster) < kept
    assert digest(spark.fit("nb", packed, "died")) == before
