"""Fits in a session of Spark Connect, in a process of its own: a process has one kind of session. Prints what the test looks at."""

from __future__ import annotations

import json
import sys

from parted import OPTIONS, digest, rows, sums_in_groups
from pyspark.sql import SparkSession

from oddsmith import spark

address, folder = sys.argv[1:]
session = SparkSession.builder.remote(address).getOrCreate()
model = spark.fit("tree", folder, "died", options=OPTIONS["tree"], session=session)
df = session.createDataFrame(rows())
there, here = sums_in_groups(spark.Workers(session), folder)
print(
    json.dumps(
        {
            "kind": type(session).__module__,
            "digest": digest(model),
            "auc": float(spark.evaluate(model, df)["auc"]),
            "rows": spark.predict(model, df).where("p_yes >= 0").count(),
            "groups": there == here,
        }
    )
)
session.stop()
