"""Fills the marked places of docs/performance.md with the figures of a run, and draws its plots.

A run of some workloads fills the tables of the families that it has measured as a whole, each of which names the processor it was measured on.
"""

from __future__ import annotations

import math
import re

import scaling
from plot import Line, plot
from worker import ROOT

PAGE = ROOT / "docs" / "performance.md"
PLOTS = ROOT / "docs" / "performance"
FAMILIES = {
    "trees": ("tree", "forest", "forest_depth_12", "boosting"),
    "learners": ("least_squares", "perceptron_in_order", "perceptron", "knn", "network"),
    "one_row": ("predict_one",),
    "bits": ("mi_discrete", "mi_continuous", "label_coding", "label_coding_single", "label_coding_one_thread"),
}
"""Places of the page that hold a table by processor time, and their workloads."""


def write(record: dict, points: list[scaling.Point]) -> None:
    """Writes the page and the plots."""
    PLOTS.mkdir(exist_ok=True)
    for axis in ("rows", "columns", "classes"):
        name = f"Time of a fit against {axis}"
        (PLOTS / f"time-{axis}.svg").write_text(plot(name, axis, "seconds", lines(points, axis, lambda point: point.seconds)))
    memory = lines(points, "rows", lambda point: point.extra_bytes / 2**20)
    if memory:
        (PLOTS / "memory-rows.svg").write_text(plot("Extra memory of a fit against rows", "rows", "MiB", memory))
    page = PAGE.read_text()
    for place, words in (("versions", versions(record)), ("limits", limits(record)), ("table", table(record)), ("growth", growth(points))):
        page = fill(page, place, words)
    PAGE.write_text(page)
    write_families(record)


def write_families(record: dict) -> None:
    """Writes the tables of all families whose workloads are there."""
    for place, workloads in FAMILIES.items():
        results = [result for result in record["results"] if result["workload"] in workloads]
        if {result["workload"] for result in results} == set(workloads):
            rows = [cells for result in results for cells in peer_rows(result)]
            heads = ("workload", "phase", "peer", "its CPU ms", "our CPU ms", "ratio", "its ms", "our ms", "ratio", "goal", "its MiB", "our MiB", "difference")
            write_place(place, record["versions"], heads, rows)


def write_place(place: str, machine: dict, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Writes one table below the processor that it was measured on."""
    lines = [heads, tuple("---" for _ in heads), *rows]
    words = "\n".join([f"{machine['processor']}, {machine['cores']} cores:", "", *(f"| {' | '.join(line)} |" for line in lines)])
    PAGE.write_text(fill(PAGE.read_text(), place, words))


def peer_rows(result: dict) -> list[tuple[str, ...]]:
    """A row for every peer; goal, memory and difference stand beside the one that is fastest."""
    rows = []
    for peer, seconds in sorted(result["all_peers"].items(), key=lambda pair: pair[1]):
        cpu, best = result["all_peers_cpu"][peer], peer == result["peer"]
        times = lambda theirs, ours: (f"{theirs * 1e3:.4g}", f"{ours * 1e3:.4g}", f"{theirs / ours:.1f}×")  # noqa: E731
        memory = ("" if result[key] is None else f"{result[key] / 2**20:.0f}" for key in ("peer_extra_bytes", "extra_bytes"))
        rest = (f"{result['goal']:g}×", *memory, f"{result['difference']:.1e}") if best else ("", "", "", "")
        rows.append((result["workload"], result["phase"], peer, *times(cpu, result["cpu_seconds"]), *times(seconds, result["seconds"]), *rest))
    return rows


def fill(page: str, place: str, words: str) -> str:
    """The page with new words between the marks of a place."""
    begin, end = f"<!-- measured: {place} -->", "<!-- end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise RuntimeError(f"{PAGE.name} has no place `{begin}` … `{end}`")
    return pattern.sub(lambda _: f"{begin}\n{words}\n{end}", page, count=1)


def lines(points: list[scaling.Point], axis: str, value) -> list[Line]:
    """A line per model and number of threads; points whose value the system does not tell, or that are zero, are left out."""
    found = []
    for colour, model in enumerate(scaling.MODELS):
        for threads in (1, 2):
            chosen = [point for point in points if (point.model, point.axis, point.threads) == (model, axis, threads)]
            pairs = [(point.size, value(point)) for point in chosen if value(point) > 0 and not math.isnan(value(point))]
            if pairs:
                found.append(Line(f"{model}, {threads} thread{'s' if threads > 1 else ''}", pairs, colour, threads == 1))
    return found


def versions(record: dict) -> str:
    return "\n".join(["| what | version |", "| --- | --- |", *(f"| {name} | {version} |" for name, version in record["versions"].items())])


def limits(record: dict) -> str:
    found = record["limits"]
    rows = [("memory read, GB/s", "read"), ("matrix product, GFLOP/s", "product"), ("lines of text, GB/s", "lines")]
    body = [f"| {name} | {found[key][1] / 1e9:.1f} | {found[key][2] / 1e9:.1f} |" for name, key in rows]
    return "\n".join(["| limit | 1 thread | 2 threads |", "| --- | --- | --- |", *body])


def table(record: dict) -> str:
    heads = ("workload", "phase", "best peer", "its ms", "our ms", "ratio", "goal", "package ms", "ratio", "of limit", "its MiB", "our MiB", "difference", "slopes")
    rows = [heads, tuple("---" for _ in heads), *map(cells, record["results"])]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cells(result: dict) -> tuple[str, ...]:
    share, slope = result["share_of_limit"], result["slope"]
    verdict = "" if result["agrees"] else " **disagrees**"
    return (
        result["workload"],
        result["phase"],
        result["peer"],
        f"{result['peer_seconds'] * 1e3:.4g}",
        f"{result['seconds'] * 1e3:.4g}",
        f"{result['ratio']:.1f}×{'' if result['ratio'] >= result['goal'] else ' (missed)'}",
        f"{result['goal']:g}×",
        *(("", "") if result["package_ratio"] is None else (f"{result['package_seconds'] * 1e3:.4g}", f"{result['package_ratio']:.1f}×")),
        "" if share is None else f"{100 * share:.0f} %",
        *("" if result[key] is None else f"{result[key] / 2**20:.1f}" for key in ("peer_extra_bytes", "extra_bytes")),
        f"{result['difference']:.1e}{verdict}",
        "" if slope is None else f"{result['peer_slope']:.0e}, ours {slope:.0e}",
    )


def growth(points: list[scaling.Point]) -> str:
    body = [f"| {model} | {scaling.growth(points, model):.2f} |" for model in scaling.MODELS]
    plots = [f"![{path.stem}](performance/{path.name})" for path in sorted(PLOTS.glob("*.svg"))]
    return "\n".join(["| model | time grows as rows to the power of |", "| --- | --- |", *body, "", *plots])
