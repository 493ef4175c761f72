"""Passes over tables that lie apart: what every one of them checks, what it asks for, and how many there are."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet as pq
import pytest
from parted import SUMMING, Between, Deadly, Forgetting, Listing, Repeating, digest, in_six, rows, written

import oddsmith as od
from oddsmith import _apart, _worker, engine

pytestmark = pytest.mark.filterwarnings("ignore::oddsmith.OddsmithWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows with categories in 16 files."""
    return written(rows(), tmp_path_factory.mktemp("tables") / "t")


def test_answers_that_come_twice_are_dropped_and_missing_ones_refused(folder):
    assert digest(engine.fit("logistic", folder, "died", on=Repeating())) == digest(engine.fit("logistic", folder, "died"))
    with pytest.raises(od.MismatchError, match="answers are missing, first that of task 2"):
        engine.fit("logistic", folder, "died", on=Forgetting())


def test_a_worker_that_is_killed_changes_nothing(folder, tmp_path):
    with Deadly(2, tmp_path / "died") as workers:
        model = engine.fit("logistic", folder, "died", on=workers)
    assert (tmp_path / "died").exists()
    assert digest(model) == digest(engine.fit("logistic", folder, "died"))


def test_a_file_that_changes_between_passes_is_refused(tmp_path):
    folder = written(rows(), tmp_path / "t", 3)
    change = lambda: rows(90)[10:].to_parquet(folder / "part-001.parquet")  # noqa: E731
    with pytest.raises(od.MismatchError, match=r"part-001.parquet.*changed between passes"):
        engine.fit("logistic", folder, "died", on=Between(2, change))


@pytest.mark.parametrize(("now", "sees"), [("1.40,1,\n", "8 rows of weight 8"), ("1.4,2,a\n", "9 rows of weight 10")], ids=["rows", "weight"])
def test_rows_that_changed_in_a_file_that_looks_the_same_are_found_out(now, sees, tmp_path):
    for at in range(3):
        (tmp_path / f"{at}.csv").write_text("x,w,y\n" + "".join(f"{at + 1}.{row},1,{'ab'[row % 2]}\n" for row in range(9)))
    first = tmp_path / "0.csv"
    text, facts = first.read_text(), first.stat()
    assert text.count("1.4,1,a\n") == 1

    def change():
        # As many bytes, and the time that the file had.
        first.write_text(text.replace("1.4,1,a\n", now))
        os.utime(first, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    with pytest.raises(od.MismatchError, match=f"0.csv: the first pass saw 9 rows of weight 9, and this one sees {sees}"):
        engine.fit("gaussian-nb", tmp_path, "y", weights="w", on=Between(1, change), memory=0)


@pytest.mark.parametrize(("lost", "saw"), [("rows", "saw 440 rows of weight 680"), ("weight", "saw 480 rows of weight 760")])
def test_every_pass_must_see_the_rows_and_the_weight_of_the_first(lost, saw, tmp_path):
    folder = in_six(rows().assign(copies=np.repeat([1, 2], 240)), tmp_path / "t")
    with pytest.raises(od.DataError, match=f"{saw}, and the first saw 480 of weight 720: the rows must be the same in every pass"):
        engine.fit("logistic", folder, "died", features=["age", "dose"], weights="copies", on=Straying(3, lost))


class Straying(Listing):
    """An engine whose workers sum up other lanes than they are asked for in a pass: none, or some twice and others not at all."""

    def __init__(self, number, lost):
        super().__init__()
        self.number, self.lost = number, lost

    def map(self, job, count):
        own = list(super().map(job, count))
        if len(self.jobs) != self.number:
            return own
        (about, extents, groups), told = job.tasks[0], [_worker.sums_of(content) for _, content in own]
        if self.lost == "weight":
            # The sums of the last task, whose rows weigh more, stand for those of the first as well.
            other = [sums for _, sums in told[-1][: len(told[0])]]
        else:
            empty = replace(job, tasks=((about, extents, tuple((group, [[]]) for group, _ in groups)),))
            other = [sums for _, sums in _worker.sums_of(empty(0))]
        strays = _worker._packed([piece for (group, _), sums in zip(told[0], other, strict=True) for piece in (str(group).encode(), sums)])
        return [(0, strays), *own[1:]]


def test_a_question_holds_the_point_of_its_pass_and_nothing_of_earlier_ones(folder):
    sizes = {}
    for model, options in ((od.Logit("died ~ age + dose + C(ward)"), None), ("network", {"steps": 12, "hidden": 2})):
        on = Listing()
        engine.fit(model, folder, "died" if options else None, on=on, options=options)
        sizes[str(model)] = [len(asked) for asked in on.asked if asked]
    by_rows, by_steps = sizes.values()
    # What a pass asks for differs; what earlier ones found would be added to every question.
    assert len(by_rows) > 10 and max(by_rows) < 2 * min(by_rows)
    assert len(by_steps) > 12 and max(by_steps) < 1.25 * min(by_steps)


class Counting:
    """An engine of so many workers that counts the sums that answer a job."""

    def __init__(self, slots):
        self.slots, self.sums = slots, []

    def map(self, job, count):
        if job.do in SUMMING:
            self.sums.append(sum(len(groups) for _, _, groups in job.tasks))
        return ((task, job(task)) for task in range(count))


@pytest.mark.parametrize("weights", [None, "smoker", "dose"], ids=["none", "whole", "fractions"])
@pytest.mark.parametrize(("name", "options"), [("tree", None), ("boosting", {"max-iter": 3}), ("forest", {"n-estimators": 3})])
def test_a_task_sends_one_sum_where_that_changes_no_bit(name, options, weights, folder, monkeypatch):
    given = {"features": ["age", "ward"], "weights": weights, "options": options}
    expected, counts = digest(engine.fit(name, folder, "died", **given, n_jobs=1)), {}
    monkeypatch.setattr(_apart, "TASKS_PER_SLOT", 1)
    for slots in (1, 3, 16):
        on = Counting(slots)
        assert digest(engine.fit(name, folder, "died", **given, on=on)) == expected
        counts[slots] = on.sums
    # Weights may be no whole numbers, which nobody knows before the first pass has seen them: it has two lanes, for any number of workers.
    assert set(counts[1]) == {1} if weights is None else (counts[1][0], counts[1][-1]) == (2, 1)
    assert all(max(sums) <= max(slots, 2) for slots, sums in counts.items())


def test_other_columns_in_one_file_are_named(tmp_path):
    folder = written(rows(), tmp_path / "t", 3)
    drifted = rows(60).assign(age="old")
    drifted.to_parquet(folder / "part-002.parquet")
    for on in (None, Repeating()):
        with pytest.raises(od.MismatchError, match=r"(?s)part-000.parquet.*part-002.parquet.*column `age` is a number in one and a category in the other"):
            engine.fit("logistic", folder, "died", on=on)
    drifted.drop(columns="age").to_parquet(folder / "part-002.parquet")
    for on in (None, Repeating()):
        with pytest.raises(od.MismatchError, match=r"part-002.parquet.*no column `age`"):
            engine.fit("logistic", folder, "died", on=on)


def test_parts_without_rows_add_nothing(tmp_path):
    full, some = written(rows(), tmp_path / "full", 3), written(rows(), tmp_path / "some", 3)
    rows()[:0].to_parquet(some / "part-0000.parquet")
    assert digest(engine.fit("lda", some, "died", features=["age", "dose"], on=Repeating())) == digest(engine.fit("lda", full, "died", features=["age", "dose"]))
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "a.csv").write_text("x,y\n")
    (tmp_path / "csv" / "b.csv").write_text("x,y\n1,a\n2,b\n3,a\n5,b\n")
    assert engine.fit("gaussian-nb", tmp_path / "csv", "y", on=Repeating()).classes_.tolist() == ["a", "b"]
    (tmp_path / "csv" / "b.csv").unlink()
    for on in (None, Repeating()):
        with pytest.raises(od.DataError, match="row"):
            engine.fit("gaussian-nb", tmp_path / "csv", "y", on=on)


def test_the_first_pass_is_answered_with_the_look_at_the_columns(tmp_path):
    numbers = rows()[["age", "dose", "died"]]
    late, gaps = numbers.assign(died=np.where(np.arange(480) < 80, "no", numbers["died"])), numbers.assign(died=numbers["died"].where(numbers["age"] < 65))
    # Other classes, other levels and rows that do not count are found out: the pass is asked for again.
    for name, table, jobs in [
        ("alike", numbers, ["first"]),
        ("classes", late, ["first", "lanes"]),
        ("levels", rows()[["age", "ward", "died"]], ["first", "lanes"]),
        ("gaps", gaps, ["first", "lanes"]),
        ("nothing", numbers.assign(died=numbers["died"].where(np.arange(480) < 400)), ["first", "lanes"]),
    ]:
        folder, on = in_six(table, tmp_path / name), Listing()
        assert digest(engine.fit("nb", folder, "died", on=on)) == digest(engine.fit("nb", folder, "died"))
        assert on.jobs == jobs, name
    # A model that the first file alone cannot begin.
    assert digest(engine.fit("logistic", tmp_path / "classes", "died", on=Listing())) == digest(engine.fit("logistic", tmp_path / "classes", "died"))


def test_little_is_summed_up_by_the_driver(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60_000, 2))
    died = np.where(rng.random(len(x)) < 1 / (1 + np.exp(-(x @ [0.5, -0.3]))), "yes", "no")
    table = pd.DataFrame(x, columns=["age", "dose"]).assign(died=died)
    for at in range(60):
        table[1000 * at : 1000 * at + 1000].to_parquet(tmp_path / f"{at:02}.parquet", index=False)
    expected, size = digest(engine.fit("logistic", tmp_path, "died")), (tmp_path / "00.parquet").stat().st_size
    counts = []
    # Nothing; passes over a sample, before anything is asked for; everything but the look at the columns and the pass that comes with it.
    for little, sample in ((0, 0), (0, 20 * size), (100 * size, 0)):
        monkeypatch.setattr(_apart, "LITTLE", little)
        monkeypatch.setattr(_apart, "SAMPLE", max(little, sample))
        on = Listing()
        assert digest(engine.fit("logistic", tmp_path, "died", on=on)) == expected
        assert on.jobs[0] == "first" and set(on.jobs[1:]) <= {"lanes"}
        counts.append(len(on.jobs))
    assert counts[0] >= counts[1] + 3 and counts[2] == 1


def test_a_regression_with_standard_errors_of_a_million_rows_takes_four_jobs(tmp_path, monkeypatch):
    rng, slopes = np.random.default_rng(3), np.linspace(-0.4, 0.4, 20)
    for at in range(4):
        x = rng.normal(size=(250_000, 20)).astype(np.float32)
        died = (rng.random(len(x)) < 1 / (1 + np.exp(-(x @ slopes - 0.2)))).astype(np.float32)
        columns = {f"x{j:02}": x[:, j] for j in range(20)} | {"died": died}
        pq.write_table(pyarrow.table(columns), tmp_path / f"{at}.parquet", row_group_size=125_000, compression="none", use_dictionary=False)
    monkeypatch.setattr(_apart, "SAMPLE", 256 << 20)
    on = Listing()
    told = engine.fit("logistic", tmp_path, "died", on=on).tidy()[1:]
    assert on.jobs == ["first", "lanes", "lanes", "lanes"]
    np.testing.assert_allclose(told["estimate"], slopes, atol=0.01)
    assert told["std_error"].between(0.002, 0.0025).all()
