"""A thousand files at the command: merged one at a time, in the memory of one, to the result of all rows together."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from oddsmith import Logit, stats

COUNT = 1000


@pytest.fixture(scope="module")
def sites():
    rng = np.random.default_rng(4)
    age = rng.normal(50, 10, 8 * COUNT)
    died = np.where(rng.random(8 * COUNT) < 1 / (1 + np.exp(-(age - 55) / 10)), "yes", "no")
    return pd.DataFrame({"age": age, "died": died})


def part(rows, at):
    return rows[8 * at : 8 * at + 8]


def peak(command, *arguments):
    """Kilobytes that a command takes at most."""
    done = subprocess.run([sys.executable, "-c", PEAK, command.binary, *map(str, arguments)], cwd=command.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])


PEAK = "import resource, subprocess, sys\nsubprocess.run(sys.argv[1:], check=True, stdout=2)\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def test_statistics_are_merged_one_at_a_time(sites, command):
    files = [command.folder / f"{at:04}.stats" for at in range(COUNT)]
    for at, file in enumerate(files):
        own = part(sites, at)
        stats.gather(own[["age"]], own["died"]).save(file)
    many, few = (peak(command, "stats", "merge", *some, "-o", f"{len(some)}.stats") for some in (files, files[:10]))
    assert many < few + 4096
    merged, whole = stats.load(command.folder / f"{COUNT}.stats"), stats.gather(sites[["age"]], sites["died"])
    np.testing.assert_array_equal(merged.class_count, whole.class_count)


@pytest.mark.filterwarnings("ignore::oddsmith.OddsmithWarning")
def test_answers_of_rounds_are_merged_one_at_a_time(sites, command):
    command.run("rounds", "begin", "died ~ age", "-o", "round.stats")
    for number in (1, 2):
        step = stats.load_round(command.folder / "round.stats")
        assert step.number == number
        answers = [command.folder / f"{number}-{at:04}.answer" for at in range(COUNT)]
        for at, file in enumerate(answers):
            file.write_bytes(stats.answer(step.ask(), [part(sites, at)], part=f"site {at}", n_jobs=1))
        assert peak(command, "rounds", "advance", "round.stats", *answers, "-o", "pooled.odds") < 32 << 10
    # The third question goes on from the sums of all: the same as those of one place with all rows.
    whole = stats.begin(Logit("died ~ age"))
    for _ in range(2):
        whole = whole.advance([whole.answer(sites)])
    assert stats.load_round(command.folder / "round.stats").asks_for == whole.asks_for
