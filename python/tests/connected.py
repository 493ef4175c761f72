"""Fits in a session of Spark Connect, in a process of its own: a process has one kind of session. Prints what the test looks at."""

from __future__ import annotations

import json
import os
import sys

from parted import digest, rows, sums_in_groups
from pyspark.sql import SparkSession

import oddsmith as od
from oddsmith import spark

folder = sys.argv[1]
os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
session = (
    SparkSession.builder.remote("local[2]")
    .config("spark.connect.grpc.binding.address", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
df = session.createDataFrame(rows())
model = spark.fit(od.Logit("died ~ age + C(ward)"), df, session=session)
there, here = sums_in_groups(spark.Workers(session), folder)
print(
    json.dumps(
        {
            "kind": type(session).__module__,
            "digest": digest(spark.fit("logistic", folder, "died", session=session)),
            "estimate": list(model.tidy()["estimate"].dropna()),
            "auc": float(spark.evaluate(model, df, session=session)["auc"]),
            "rows": spark.predict(model, df).where("p_yes > 0").count(),
            "groups": there == here,
        }
    )
)
session.stop()
