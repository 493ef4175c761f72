"""Fits on a Spark cluster of two executors, in processes of their own: the model file of one machine, also where an executor is killed."""

from __future__ import annotations

import pytest
from parted import ANALYSES, ENTRIES, Killing, digest
from sparked import Registry, require_spark, session

from oddsmith import engine, spark

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
    return registry.on_spark(cluster)


@pytest.mark.parametrize("name", [*ENTRIES, *ANALYSES])
def test_every_model_and_analysis_is_that_of_one_machine(name, registry, found):
    assert found[name] == registry.same(name)


@pytest.mark.parametrize("killed", ["worker", "executor"])
def test_a_process_that_is_killed_changes_nothing(killed, registry, cluster, tmp_path):
    workers = Killing(spark.Workers(cluster, slots=2), tmp_path / "died", killed)
    assert registry.model_file("logistic", workers) == registry.expected["logistic"]
    assert (tmp_path / "died").exists()


def test_blocks_that_die_with_their_executor_are_packed_again(registry, cluster, tmp_path):
    packed = spark.frame(cluster.read.parquet(str(registry.folders["nb"])))
    before = digest(spark.fit("nb", packed, "died"))
    assert digest(engine.fit("nb", packed, "died", on=Killing(packed, tmp_path / "died", "executor"))) == before
    assert (tmp_path / "died").exists()
