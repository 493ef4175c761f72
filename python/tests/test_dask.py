"""Fits on Dask: the model file of one machine. Skipped where it is not installed."""

from __future__ import annotations

import numpy as np
import pytest
from parted import digest, rows, sums_in_groups, written

from oddsmith import engine

distributed = pytest.importorskip("distributed", reason="distributed is missing")
pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_model_file_is_that_of_one_machine(tmp_path):
    from oddsmith import dask

    folder = written(rows(), tmp_path / "t", 5)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, processes=True) as cluster,
        distributed.Client(cluster) as client,
    ):
        for name in ("nb", "logistic", "tree"):
            model = dask.fit(name, folder, "died", client=client)
            assert digest(model) == digest(engine.fit(name, folder, "died"))
        options = {"exposure": "smoker", "strata": ["ward"]}
        strata = dask.analyse("table", folder, "died", options=options, client=client)
        assert strata.render("json") == engine.analyse("table", folder, "died", options=options).render("json")
        assert repr(dask.evaluate(model, folder, client=client).figures) == repr(engine.evaluate(model, folder).figures)
        for name in ("tree", "least-squares"):
            model = engine.fit(name, folder, "died")
            np.testing.assert_array_equal(dask.predict(model, folder, client=client), engine.predict(model, folder))
        assert dask.gather(folder, "died", client=client).class_count.sum() == 480
        there, here = sums_in_groups(dask.Workers(client), folder)
        assert there == here
        assert dask.compare(["nb"], folder, "died", client=client, folds=2)["nb"].confusion.sum() == 480
