"""Sessions of Spark for tests, and every model and analysis of the registry fitted on one."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from parted import ANALYSES, ENTRIES, OPTIONS, digest, folders_of, matched, together, written

from oddsmith import _apart, engine, spark

#: Workers find the helpers of these tests.
HELPERS = str(Path(__file__).parent)
#: Nothing of Java runs for long here: what takes a second to make fast is not worth it.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -XX:-UsePerfData"


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


def session(master: str, **more: str) -> Any:
    """A session that talks to this machine alone. Java is started once for all sessions of a process."""
    from pyspark.sql import SparkSession

    paths = os.pathsep.join(filter(None, [HELPERS, os.environ.get("PYTHONPATH")]))
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1"}
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": _QUICK,
        "spark.executor.extraJavaOptions": _QUICK,
        "spark.executor.memory": "512m",
        "spark.executorEnv.PYTHONPATH": paths,
        "spark.python.daemon.module": "preloaded",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    builder = SparkSession.builder.master(master)
    for name, value in (settings | more).items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def connect_settings() -> tuple[str, dict[str, str]]:
    """Where a session can be reached by Spark Connect, and what it needs to be: that takes no second Java."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    plugin = {"spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin"}
    return f"sc://127.0.0.1:{port}", plugin | {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": str(port)}


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

    def on_spark(self, made: Any, *partitions: int) -> dict[str, set[Any]]:
        """By name what comes of it for these numbers of partitions. A pass of all fits is one job with so many partitions."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(_apart, "TASKS_PER_SLOT", 1)
            found = [together(spark.Workers(made, slots=count), self.fits) for count in partitions]
        return {name: {str(one[name]) for one in found} for name in self.fits}
