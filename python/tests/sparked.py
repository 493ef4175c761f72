"""Sessions of Spark for tests, and every model and analysis of the registry fitted on one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from parted import ANALYSES, ENTRIES, OPTIONS, digest, folders_of, matched, together, written

from oddsmith import _apart, engine, spark

#: Workers find the helpers of these tests.
HELPERS = str(Path(__file__).parent)
#: Numbers of partitions.
PARTITIONS = (1, 3, 16)


def lacking() -> str | None:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Java is missing, which Spark runs on"
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is missing"
    return None


def require_spark() -> None:
    """Leaves the tests of a module out where something is missing, or fails where they are asked for."""
    reason = lacking()
    if reason is None:
        return
    if os.environ.get("ODDSMITH_REQUIRE_SPARK") == "1":
        pytest.fail(f"ODDSMITH_REQUIRE_SPARK asks for the tests on Spark, and {reason}", pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def session(master: str) -> Any:
    """A session that talks to this machine alone; Java compiles quickly, because nothing here runs for long."""
    from pyspark.sql import SparkSession

    paths = os.pathsep.join(filter(None, [HELPERS, os.environ.get("PYTHONPATH")]))
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1"}
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    made = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.extraJavaOptions", quick)
        .config("spark.executor.extraJavaOptions", quick)
        .config("spark.executor.memory", "512m")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.executorEnv.PYTHONPATH", paths)
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    return made


class Registry:
    """A table for every model and every analysis, and what comes of it on one machine."""

    def __init__(self, root: Path) -> None:
        self.folders, self.sets = folders_of(root / "tables"), written(matched(), root / "sets")
        self.fits = {name: lambda on, name=name: self.model_file(name, on) for name in ENTRIES}
        self.fits |= {name: lambda on, name=name: self.card(name, on) for name in ANALYSES}
        self.expected = {name: fit(None) for name, fit in self.fits.items()}

    def model_file(self, name: str, on: Any) -> str:
        return digest(engine.fit(name, self.folders[name], "died", on=on, options=OPTIONS.get(name)))

    def card(self, name: str, on: Any) -> str:
        return engine.analyse(name, self.sets, **ANALYSES[name], on=on).render("json")

    def on_spark(self, made: Any) -> dict[str, dict[int, Any]]:
        """By name what comes of it for every number of partitions. A pass of all fits is one job with so many partitions."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(_apart, "TASKS_PER_SLOT", 1)
            found = {count: together(spark.Workers(made, slots=count), self.fits) for count in PARTITIONS}
        return {name: {count: found[count][name] for count in PARTITIONS} for name in self.fits}

    def same(self, name: str) -> dict[int, Any]:
        """What is expected for every number of partitions."""
        return dict.fromkeys(PARTITIONS, self.expected[name])
