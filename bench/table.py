"""The one table in which a run is reported."""

from __future__ import annotations

import math

from result import Result

HEADS = (
    *("workload", "phase", "best peer", "peer ms", "cpu ms", "ours ms", "cpu ms", "ratio", "goal", "package ms", "ratio"),
    *("of limit", "peer extra", "our extra", "of input", "difference", "peer slope", "our slope", ""),
)


def cells(result: Result) -> tuple[str, ...]:
    best = result.peers[result.best]
    met = "met" if result.ratio >= result.phase.goal else "missed"
    return (
        result.workload,
        result.phase.name,
        result.best,
        *map(milliseconds, (best.seconds, best.cpu, result.ours.seconds, result.ours.cpu)),
        f"{result.ratio:.1f}×",
        f"{result.phase.goal:g}×",
        milliseconds(result.package.seconds) if result.package.runs else "",
        f"{result.package_ratio:.1f}×" if result.package.runs else "",
        "" if result.limit is None else f"{100 * result.limit / result.ours.seconds:.0f} %",
        mebibytes(best.extra),
        mebibytes(result.ours.extra),
        "" if math.isnan(result.ours.extra) else f"{100 * result.ours.extra / result.input_bytes:.1f} %",
        f"{result.difference:.1e}",
        "" if result.slope is None else f"{result.slopes[result.best]:.1e}",
        "" if result.slope is None else f"{result.slope:.1e}",
        ", ".join([met, *faults(result)]),
    )


def faults(result: Result) -> list[str]:
    """What makes a fast answer worthless."""
    found = ["STEEPER"] if result.steeper else []
    if result.package_difference > result.phase.accuracy:
        found.append("PACKAGE DISAGREES")
    return found if result.difference <= result.phase.accuracy else [*found, f"DISAGREES (> {result.phase.accuracy:g})"]


def mebibytes(count: float) -> str:
    return "" if math.isnan(count) else f"{count / 2**20:.1f} MiB"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.1f}" if seconds >= 1e-3 else f"{seconds * 1e3:.4f}"


def show(results: list[Result]) -> str:
    """All results, one line each."""
    rows = [HEADS, *map(cells, results)]
    widths = [max(len(row[c]) for row in rows) for c in range(len(HEADS))]
    left = {0, 1, 2, len(HEADS) - 1}
    align = lambda text, c: text.ljust(widths[c]) if c in left else text.rjust(widths[c])  # noqa: E731
    return "\n".join("  ".join(align(text, c) for c, text in enumerate(row)).rstrip() for row in rows)
