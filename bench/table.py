"""The one table in which a run is reported."""

from __future__ import annotations

from measure import Result

HEADS = (
    *("workload", "phase", "best peer", "peer ms", "cpu ms", "ours ms", "cpu ms", "ratio", "goal"),
    *("peer extra", "our extra", "of input", "difference", ""),
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
        f"{best.extra / 2**20:.1f} MiB",
        f"{result.ours.extra / 2**20:.1f} MiB",
        f"{100 * result.ours.extra / result.input_bytes:.1f} %",
        f"{result.difference:.1e}",
        met if result.agrees else f"{met}, DISAGREES (> {result.phase.accuracy:g})",
    )


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.1f}" if seconds >= 1e-3 else f"{seconds * 1e3:.4f}"


def show(results: list[Result]) -> str:
    """All results, one line each."""
    rows = [HEADS, *map(cells, results)]
    widths = [max(len(row[c]) for row in rows) for c in range(len(HEADS))]
    left = {0, 1, 2, len(HEADS) - 1}
    align = lambda text, c: text.ljust(widths[c]) if c in left else text.rjust(widths[c])  # noqa: E731
    return "\n".join("  ".join(align(text, c) for c, text in enumerate(row)).rstrip() for row in rows)
