"""What a pass with a thousand executors costs: merging a thousand summaries. Time and memory of the driver against the number of columns.

    python bench/executors.py                 # prints the table
    python bench/executors.py --write-docs    # and writes it, with its plots, to docs/spark.md

The sums of one executor are computed, with all their bytes, and sent a thousand times. Words are those of 32 executors with rows of their own, because
the words of several are more than the words of one. Where all summaries are large, executors merge groups of 32 of them first (`Merger`), which is
measured for one group: all groups of a level are merged at the same time. The driver receives what is left, in an order by chance. Beside it stands what it
would be if the driver merged all of them alone. Seconds are those of one core. Every case runs in a process of its own.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
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
#: Texts of an executor, and words in each.
TEXTS, WORDS = 2000, 100
HEADER = [
    "| model | columns or words | summary in memory | on the wire | groups | merged by executors | then by the driver | received by the driver | its memory | by the driver alone |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
]


def written(model: str, size: int, folder: Path, seed: int) -> dict[str, object]:
    """A file of rows; what the fit takes beside it."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    count = TEXTS if model == "multinomial-nb" else 100
    y = np.where(np.arange(count) % 2 == 0, "a", "b")
    folder.mkdir()
    if model == "multinomial-nb":
        texts = [" ".join(f"w{word}" for word in rng.integers(0, size, WORDS)) for _ in range(count)]
        pd.DataFrame({"text": texts, "y": y}).to_parquet(folder / "rows.parquet")
        return {"kinds": {"text": "text"}, "text": {"hash_width": size}}
    pd.DataFrame(rng.normal(size=(count, size)), columns=[f"x{j}" for j in range(size)]).assign(y=y).to_parquet(folder / "rows.parquet")
    return {}


def sums_of_executors(model: str, size: int, distinct: int) -> tuple[object, object, list[bytes]]:
    """The study, what a part of the table tells of itself, and the sums of some executors."""
    from oddsmith import _apart, _core
    from oddsmith.passes import begin

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(distinct):
            more = written(model, size, Path(folder) / str(seed), seed)
            first = begin(model, "y", kinds=more.get("kinds"), options={"l2": 1.0} if model == "logistic" else None)
            plan = _apart.reading_plan(first._core, None, more.get("text"), 1 << 30)
            table = _apart.Table(_apart.files(Path(folder) / str(seed)), _apart.Here(), plan)
            (told,) = _apart.of_parts(table.on, table._job("survey", [(0,)], table.plan))
            survey = _apart.unpacked(told)[2]
            relay = _core.Relay.study(first._core, table.spread, None)
            merger = _core.Merger(relay.ask())
            for _, _, sums in table.sums(relay):
                merger.take(sums)
            found.append(merger.finish())
    return first._core, (plan["question"], survey), found


def one_case(model: str, size: int) -> dict[str, float]:
    """A pass with a thousand executors."""
    from oddsmith import _core

    core, (question, survey), sums = sums_of_executors(model, size, 32 if model == "multinomial-nb" else 1)
    spread = _core.Spread(question, [(str(at), survey) for at in range(EXECUTORS)], 1 << 50, True)
    relay = _core.Relay.study(core, spread, None)
    groups, fan_in, ask = relay.groups(), relay.fan_in, relay.ask()
    alone_seconds = merging(ask, sums[:2] * 4) / 8 * EXECUTORS if len(groups) > 1 else 0.0
    by_executors, sent = 0.0, sums
    for below, above in zip(groups, groups[1:]):
        own = [sent[at % len(sent)] for at in range(min(fan_in, below))]
        merger, start = _core.Merger(ask), time.process_time()
        for one in own:
            merger.take(one)
        sent = [merger.finish()]
        by_executors += time.process_time() - start
    # What was used before is given back, and the peak is counted from here.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    order = list(range(groups[-1]))
    random.Random(1).shuffle(order)
    start = time.process_time()
    for group in order:
        relay.take(len(groups) - 1, group, sent[group % len(sent)])
    by_driver = time.process_time() - start
    peak = memory("VmHWM") - before
    return {
        "summary": relay.summary_bytes,
        "wire": sum(map(len, sums)) / len(sums),
        "groups": " → ".join(map(str, groups)),
        "executors": by_executors,
        "driver": by_driver,
        "received": groups[-1] * len(sent[0]),
        "memory": peak,
        "alone": alone_seconds if len(groups) > 1 else by_driver,
    }


def memory(what: str) -> int:
    """Bytes that the system counts for this process."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(what))
    return int(line.split()[1]) * 1024


def merging(ask: bytes, sums: list[bytes]) -> float:
    """Seconds that it takes to merge some sums."""
    from oddsmith import _core

    merger, start = _core.Merger(ask), time.process_time()
    for one in sums:
        merger.take(one)
    return time.process_time() - start


def row_of(model: str, size: int, case: dict[str, float]) -> str:
    by = f"{case['executors']:.2g} s" if case["executors"] else ""
    figures = [size_of(case["summary"]), size_of(case["wire"]), case["groups"], by, f"{case['driver']:.2g} s", size_of(case["received"]), size_of(case["memory"])]
    return f"| {model} | {size} | {' | '.join(map(str, figures))} | {case['alone']:.2g} s |"


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--case", nargs=2)
    arguments.add_argument("--write-docs", action="store_true")
    arguments.add_argument("--most", type=int, default=10**7, help="leave out cases of more columns or words")
    given = arguments.parse_args()
    if given.case:
        print(json.dumps(one_case(given.case[0], int(given.case[1]))))
        return
    found: dict[str, list[tuple[int, dict[str, float]]]] = {}
    lines = list(HEADER)
    for model, size in (case for case in CASES if case[1] <= given.most):
        done = subprocess.run([sys.executable, __file__, "--case", model, str(size)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines.append(f"| {model} | {size} | does not fit this machine |" + " |" * 7)
            print(lines[-1], done.stderr.strip().splitlines()[-1:], flush=True)
            continue
        case = json.loads(done.stdout.strip().splitlines()[-1])
        found.setdefault(model, []).append((size, case))
        lines.append(row_of(model, size, case))
        print(lines[-1], flush=True)
    if given.write_docs:
        write_docs(lines, found)


def write_docs(lines: list[str], found: dict[str, list[tuple[int, dict[str, float]]]]) -> None:
    """The table and its plots in the documentation."""
    folder = ROOT / "docs" / "spark"
    folder.mkdir(exist_ok=True)
    whole = lambda case: case["executors"] + case["driver"]  # noqa: E731
    for name, title, up, figure in [
        ("merge-time", "Merging the sums of 1000 executors", "seconds", whole),
        ("merge-time-alone", "The same by the driver alone", "seconds", lambda case: case["alone"]),
        ("driver-memory", "Memory of the driver", "bytes", lambda case: case["memory"]),
    ]:
        drawn = [Line(model, [(size, max(figure(case), 1e-6)) for size, case in cases], at) for at, (model, cases) in enumerate(found.items())]
        (folder / f"{name}.svg").write_text(plot(title, "columns or words", up, drawn))
    page = ROOT / "docs" / "spark.md"
    head, _, rest = page.read_text().partition("<!-- measured: executors -->")
    lines = [*lines, "", "![time](spark/merge-time.svg) ![time of the driver alone](spark/merge-time-alone.svg) ![memory](spark/driver-memory.svg)"]
    page.write_text(head + "<!-- measured: executors -->\n" + "\n".join(lines) + "\n<!-- end -->" + rest.partition("<!-- end -->")[2])


def size_of(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} bytes"


if __name__ == "__main__":
    main()
