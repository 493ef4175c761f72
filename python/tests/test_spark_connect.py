"""Fits in a session of Spark Connect, which has no context, no RDDs and no Java in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from parted import digest, rows, written
from sparked import HELPERS, require_spark

import oddsmith as od
from oddsmith import engine

pytestmark = pytest.mark.filterwarnings("ignore")
require_spark()


def test_a_session_of_spark_connect_serves_as_well(tmp_path):
    pytest.importorskip("grpc", reason="grpcio is missing, which Spark Connect needs")
    folder = written(rows(), tmp_path / "rows")
    paths = os.pathsep.join(filter(None, [HELPERS, os.environ.get("PYTHONPATH")]))
    # Nothing of a session of the other kind may be left in the environment.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
    command = [sys.executable, "-W", "ignore", f"{HELPERS}/connected.py", str(folder)]
    done = subprocess.run(command, env=clean | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout.strip().splitlines()[-1])
    table = rows()
    whole = od.Logit("died ~ age + C(ward)").fit(table)
    assert told["kind"].startswith("pyspark.sql.connect") and told["groups"]
    assert told["digest"] == digest(engine.fit("logistic", folder, "died")) and told["rows"] == len(table)
    np.testing.assert_allclose(told["estimate"], whole.tidy()["estimate"].dropna(), rtol=1e-7)
    assert told["auc"] == pytest.approx(float(od.evaluate(whole, table, table["died"])["auc"]), rel=1e-9)
