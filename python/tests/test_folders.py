"""Many files and folders as one table: at the command, for an engine, and the same rows in one frame."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from parted import Repeating, digest, rows

import oddsmith as od
from oddsmith import engine

pytestmark = pytest.mark.filterwarnings("ignore::oddsmith.OddsmithWarning")


def by_year(table, folder):
    """The rows in folders that are called by their year, and the same with the year as a column."""
    years = np.repeat([2023, 2024, 2025], 160)
    for year in np.unique(years):
        (folder / f"year={year}").mkdir(parents=True)
        table[years == year].to_parquet(folder / f"year={year}" / "x.parquet", index=False)
    return table.assign(year=years.astype(float))


def test_names_of_folders_are_columns(tmp_path):
    flat = by_year(rows(), tmp_path)
    model = engine.fit(od.Logit("died ~ age + year"), tmp_path, on=Repeating())
    np.testing.assert_allclose(model.tidy()["estimate"], od.Logit("died ~ age + year").fit(flat).tidy()["estimate"], rtol=1e-6)


def test_names_of_folders_are_read_as_others_write_them(tmp_path):
    # What has no place in a name is escaped, and a missing value has a name of its own.
    table = rows().assign(shop=np.resize(["süd", "a='b", None], 480))
    table.to_parquet(tmp_path / "t", partition_cols=["shop"], index=False)
    formula = "died ~ age + C(shop)"
    there, here = (model.tidy() for model in (engine.fit(od.Logit(formula), tmp_path / "t"), od.Logit(formula).fit(table)))
    assert list(there["level"].dropna()) == list(here["level"].dropna()) == ["a='b", "süd"]
    np.testing.assert_allclose(there["estimate"], here["estimate"], rtol=1e-9)


def fitted(command, named, *more):
    """What the command makes of a table, as an estimator and as the bytes of its file."""
    command.run("fit", named, "--target", "died", *more, "-o", "model.odds")
    return od.load(command.folder / "model.odds"), (command.folder / "model.odds").read_bytes()


def same_as_whole(model, table):
    """The model is that of the rows in one frame."""
    whole = od.Logit("died ~ .").fit(table)
    assert list(model.tidy()["term"]) == list(whole.tidy()["term"])
    np.testing.assert_allclose(model.tidy()["estimate"], whole.tidy()["estimate"], rtol=1e-8)
    np.testing.assert_allclose(model.tidy()["std_error"], whole.tidy()["std_error"], rtol=1e-7)


@pytest.mark.parametrize("named", ["s", "s/*", "s/*/*.parquet", "s/year=*/x.parquet", "s/year=202?"])
def test_the_command_takes_names_of_folders_for_columns(named, command):
    flat = by_year(rows(), command.folder / "s")
    model, content = fitted(command, named, "--model", "logistic", "--ci=wald", "--no-tests")
    assert content == engine.fit("logistic", command.folder / named, "died", on=Repeating())._finished_model().to_bytes()
    assert "year" in list(model.tidy()["term"])
    same_as_whole(model, flat)


def test_the_command_takes_a_pattern_of_files_for_a_table(command):
    table = rows()
    # Folders that do not fit the pattern, and a file that does not, are no part of the table.
    (command.folder / "s").mkdir()
    for at in range(3):
        table[160 * at : 160 * at + 160].to_parquet(command.folder / "s" / f"{at}.parquet", index=False)
    (command.folder / "s" / "notes.txt").write_text("no table\n")
    (command.folder / "s" / "year=2024").mkdir()
    table[:9].to_parquet(command.folder / "s" / "year=2024" / "x.parquet", index=False)
    model, content = fitted(command, "s/*.parquet", "--model", "logistic", "--ci=wald", "--no-tests")
    assert content == engine.fit("logistic", command.folder / "s" / "*.parquet", "died", on=Repeating())._finished_model().to_bytes()
    same_as_whole(model, table)


def test_a_pattern_that_stops_above_the_files_names_none(command):
    by_year(rows(), command.folder / "s")
    with pytest.raises(AssertionError, match=r"there is no file.*'rows/\*.parquet'"):
        command.run("fit", "s/*.parquet", "--target", "died")
    with pytest.raises(od.DataError, match="there is no file"):
        engine.fit("logistic", command.folder / "s" / "*.parquet", "died")


@pytest.mark.parametrize("model", ["nb", "tree", "forest", "network"])
def test_other_models_have_the_same_file_of_folders(model, command):
    by_year(rows(), command.folder / "s")
    options = {"steps": 3} if model == "network" else {}
    _, content = fitted(command, "s/*/*.parquet", "--model", model, *(f"--{name}={value}" for name, value in options.items()))
    there = engine.fit(model, command.folder / "s", "died", on=Repeating(), options=options)
    assert content == there._finished_model().to_bytes() and digest(there) == digest(engine.fit(model, command.folder / "s", "died", options=options))
