"""What the driver of a thousand executors has to do in one pass: merge a thousand summaries. Time and memory against the number of columns.

    python bench/executors.py                 # writes docs/spark/*.svg and the table of docs/spark.md

One executor's sums are computed, with all their bytes, and a relay is given them a thousand times, as it would be by a thousand executors: in the
order of the parts, and in an order by chance, where sums that come too early have to wait. Sizes that do not fit this machine a thousand times
are measured with fewer summaries and told as such. Every case runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from plot import Line, plot

ROOT = Path(__file__).resolve().parents[1]
EXECUTORS = 1000
#: Cases: model, columns (or hashed words).
CASES = [
    *(("gaussian-nb", columns) for columns in (50, 500, 5000)),
    *(("lda", columns) for columns in (50, 500, 5000)),
    *(("logistic", columns) for columns in (50, 500, 5000)),
    *(("multinomial-nb", words) for words in (10**5, 10**6, 10**7)),
]
#: Bytes of summaries that are sent through the driver in one measurement.
MOST_BYTES = 6 << 30
#: Bytes of summaries that may wait when they come in an order by chance.
MOST_WAITING = 3 << 30


def rows_of(model: str, size: int, folder: Path) -> dict[str, object]:
    """Two files of rows; what the fit takes beside them."""
    import pandas as pd

    rng, count = np.random.default_rng(1), 200
    y = np.where(rng.random(count) < 0.5, "a", "b")
    if model == "multinomial-nb":
        texts = [" ".join(f"w{word}" for word in rng.integers(0, size, 50)) for _ in range(count)]
        pd.DataFrame({"text": texts, "y": y}).to_parquet(folder / "rows.parquet")
        return {"kinds": {"text": "text"}, "text": {"hash_width": size}}
    x = rng.normal(size=(count, size)).astype(np.float64)
    pd.DataFrame(x, columns=[f"x{j}" for j in range(size)]).assign(y=y).to_parquet(folder / "rows.parquet")
    return {}


def one_case(model: str, size: int) -> dict[str, float]:
    """A pass with a thousand executors, as far as this machine can."""
    from oddsmith import _core, engine
    from oddsmith.stats import begin

    with tempfile.TemporaryDirectory() as folder:
        more = rows_of(model, size, Path(folder))
        options = {"l2": 1.0} if model == "logistic" else None
        first = begin(model, "y", kinds=more.get("kinds"), options=options)
        plan = engine._plan(first._core, None, more.get("text"), 1 << 30)
        table = engine._Table(engine.files(folder), engine._Here(), plan)
        job = lambda relay: table.lanes(relay)  # noqa: E731
        survey = engine.unpacked(engine.in_order(table.on, table._job("survey", [0], table.plan))[0])[2]
        relay = _core.Relay.study(first._core, table.spread, None)
        # The first pass of a regression looks at the columns; the second has the sums that count.
        if model == "logistic":
            for _, content in engine.answers(table.on, job(relay)):
                told = engine.unpacked(content)
                for lane, sums in zip(told[::2], told[1::2], strict=True):
                    relay.take(int(lane), sums)
            relay.advance()
        sums = engine.unpacked(engine.in_order(table.on, job(relay))[0])[1]
        count = max(2, min(EXECUTORS, MOST_BYTES // len(sums)))
        waiting = max(2, min(count, MOST_WAITING // len(sums)))
        spread = _core.Spread(plan["question"], [(str(at), survey) for at in range(count)], 1 << 40, True)

        def merged(order: list[int], total: int) -> float:
            many = _core.Relay.study(first._core, spread, None)
            start = time.perf_counter()
            for lane in order:
                many.take(lane, sums if model != "logistic" else first_sums)
            spent = time.perf_counter() - start
            return spent * EXECUTORS / total

        first_sums = sums
        if model == "logistic":
            # A relay of a thousand parts stands at its first pass, whose sums have the products of all columns as those of a step do.
            fresh = _core.Relay.study(first._core, table.spread, None)
            first_sums = engine.unpacked(engine.in_order(table.on, job(fresh))[0])[1]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = merged(list(range(count)), count)
        in_order = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        by_chance = list(range(waiting))
        random.Random(1).shuffle(by_chance)
        merged(by_chance, waiting)
        chance = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        return {
            "bytes": len(sums),
            "measured": count,
            "seconds": seconds,
            "memory": in_order * 1024,
            "memory_by_chance": max(chance, in_order) * 1024 * count / waiting,
        }


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--case", nargs=2)
    arguments.add_argument("--write-docs", action="store_true")
    given = arguments.parse_args()
    if given.case:
        print(json.dumps(one_case(given.case[0], int(given.case[1]))))
        return
    found: dict[str, list[tuple[int, dict[str, float]]]] = {}
    lines = ["| model | columns or words | one summary | merging 1000 of them | memory, in order | memory, by chance |", "| --- | --- | --- | --- | --- | --- |"]
    for model, size in CASES:
        done = subprocess.run([sys.executable, __file__, "--case", model, str(size)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines.append(f"| {model} | {size} | does not fit this machine | | | |")
            print(lines[-1], done.stderr.strip().splitlines()[-1:], flush=True)
            continue
        case = json.loads(done.stdout.strip().splitlines()[-1])
        found.setdefault(model, []).append((size, case))
        note = "" if case["measured"] == EXECUTORS else f" (from {case['measured']:.0f})"
        lines.append(
            f"| {model} | {size} | {size_of(case['bytes'])} | {case['seconds']:.3g} s{note} | {size_of(case['memory'])} | {size_of(case['memory_by_chance'])} |"
        )
        print(lines[-1], flush=True)
    if given.write_docs:
        folder = ROOT / "docs" / "spark"
        folder.mkdir(exist_ok=True)
        for name, title, up, key in [
            ("merge-time", "Merging the sums of 1000 executors", "seconds", "seconds"),
            ("driver-memory", "Memory of the driver, answers by chance", "bytes", "memory_by_chance"),
        ]:
            drawn = [Line(model, [(size, max(case[key], 1e-6)) for size, case in cases], at) for at, (model, cases) in enumerate(found.items())]
            (folder / f"{name}.svg").write_text(plot(title, "columns or words", up, drawn))
        page = ROOT / "docs" / "spark.md"
        head, _, rest = page.read_text().partition("<!-- measured: executors -->")
        lines += ["", "![time](spark/merge-time.svg) ![memory](spark/driver-memory.svg)"]
        page.write_text(head + "<!-- measured: executors -->\n" + "\n".join(lines) + "\n<!-- end -->" + rest.partition("<!-- end -->")[2])


def size_of(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} bytes"


if __name__ == "__main__":
    main()
