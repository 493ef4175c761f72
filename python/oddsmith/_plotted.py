"""Pictures by matplotlib: every kind of mark of a panel on axes."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Colours of roles, those of the SVG on a light page.
SERIES = ["#1d5fa8", "#c2410c", "#0f766e", "#7c3aed", "#8a5a00", "#be185d", "#3f6f0a", "#475569"]
_ROLES = {"event": SERIES[1], "other": SERIES[0], "third": SERIES[2], "reference": "#8b949e", "plain": "#1b1f24"}


def _numbers(values: Any) -> np.ndarray:
    """An array of numbers; those that JSON has no word for come as texts."""
    return np.array(values, dtype=object).astype(np.float64)


def _colour(mark: dict[str, Any]) -> str:
    role = mark["role"]
    return SERIES[int(role[7:-1]) % len(SERIES)] if role.startswith("series(") else _ROLES.get(role, _ROLES["plain"])


def draw(panel: dict[str, Any], ax: Any) -> None:
    """Draws one panel."""
    for mark in panel["marks"]:
        _MARKS[mark["mark"]](mark, panel, ax)
    for axis, name in ((panel["x"], "x"), (panel["y"], "y")):
        getattr(ax, f"set_{name}label")(axis["label"])
        if axis["scale"] in ("log", "logit"):
            getattr(ax, f"set_{name}scale")(axis["scale"])
        if "range" in axis:
            getattr(ax, f"set_{name}lim")(*_numbers(axis["range"]))
        elif axis["scale"] == "proportion":
            getattr(ax, f"set_{name}lim")(-0.01, 1.01)
        if axis["scale"] == "categories":
            getattr(ax, f"set_{name}ticks")(range(len(axis.get("categories", []))), [text.strip() for text in axis.get("categories", [])])
    if any(mark["mark"] in ("ruler", "tree") for mark in panel["marks"]):
        # Their own texts say where they are.
        ax.xaxis.set_visible(False)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    _arrows(panel, ax)
    if any(mark.get("name") for mark in panel["marks"]):
        ax.legend(frameon=False)


def _line(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    points = _numbers(mark["points"]).reshape(-1, 2)
    dashed = "--" if mark["role"] == "reference" else "-"
    ax.plot(points[:, 0], points[:, 1], dashed, color=_colour(mark), label=mark.get("name"))


def _band(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    points = _numbers(mark["points"]).reshape(-1, 3)
    ax.fill_between(points[:, 0], points[:, 1], points[:, 2], color=_colour(mark), alpha=0.17, linewidth=0, label=mark.get("name"))


def _points(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    points = _numbers(mark["points"]).reshape(-1, 2)
    ax.scatter(points[:, 0], points[:, 1], s=14, color=_colour(mark), marker="^" if mark["role"] == "event" else "o", label=mark.get("name"))


def _lies(panel: dict[str, Any]) -> bool:
    """Whether names stand below each other, so that estimates and bars lie."""
    return bool(panel["y"]["scale"] == "categories")


def _intervals(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    for at, *values in _numbers(mark["estimates"]).reshape(-1, 4):
        # What is infinite becomes an arrow, once it is known where the axis ends.
        drawn = [value for value in values if np.isfinite(value)]
        across = [at] * len(drawn)
        ax.plot(drawn if _lies(panel) else across, across if _lies(panel) else drawn, color=_colour(mark))
        if np.isfinite(values[0]):
            ax.plot(values[0] if _lies(panel) else at, at if _lies(panel) else values[0], "s", color=_colour(mark), markersize=5)


def _endless(mark: dict[str, Any]) -> list[tuple[float, float, float]]:
    """What goes on for ever: its place among the names, where it is seen last, and its end, which is infinite."""
    found = []
    if mark["mark"] == "intervals":
        for at, value, *limits in _numbers(mark["estimates"]).reshape(-1, 4):
            finite = [number for number in (value, *limits) if np.isfinite(number)]
            ends = {number for number in (value, *limits) if np.isinf(number)}
            found.extend((at, (max if end > 0 else min)(finite) if finite else np.nan, end) for end in sorted(ends))
    elif mark["mark"] == "bars":
        found = [(at, start, end) for at, start, end in _numbers(mark["bars"]).reshape(-1, 3) if np.isinf(end)]
    return found


def _arrows(panel: dict[str, Any], ax: Any) -> None:
    """Arrows to the ends of the axis where marks have none."""
    lies = _lies(panel)
    limits = sorted((ax.get_xlim if lies else ax.get_ylim)())
    middle = np.sqrt(limits[0] * limits[1]) if limits[0] > 0 else sum(limits) / 2
    arrows = [(mark, *found) for mark in panel["marks"] for found in _endless(mark)]
    for mark, at, start, end in arrows:
        way = [start if np.isfinite(start) else middle, limits[1] if end > 0 else limits[0]]
        tail, head = [(value, at) if lies else (at, value) for value in way]
        ax.annotate("", xy=head, xytext=tail, arrowprops={"arrowstyle": "->", "color": _colour(mark), "shrinkA": 0, "shrinkB": 0})
    if arrows:
        (ax.set_xlim if lies else ax.set_ylim)(limits)


def _bars(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    bars = _numbers(mark["bars"]).reshape(-1, 3)
    bars = bars[np.isfinite(bars).all(axis=1)]
    length = bars[:, 2] - bars[:, 1]
    if panel["y"]["scale"] == "categories":
        ax.barh(bars[:, 0], length, left=bars[:, 1], color=_colour(mark))
    else:
        ax.bar(bars[:, 0], length, bottom=bars[:, 1], color=_colour(mark))


def _blocks(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    blocks = _numbers(mark["blocks"]).reshape(-1, 4)
    ax.bar(blocks[:, 0], blocks[:, 3] - blocks[:, 2], blocks[:, 1] - blocks[:, 0], blocks[:, 2], align="edge", color=_colour(mark), label=mark.get("name"))


def _rule(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    (ax.axvline if mark["upright"] else ax.axhline)(float(mark["at"]), color=_colour(mark), linewidth=1)


def _surface(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    values = _numbers(mark["values"]).reshape(len(mark["y"]), len(mark["x"]))
    ax.contourf(_numbers(mark["x"]), _numbers(mark["y"]), values, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.5)


def _region(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    values = _numbers(mark["values"]).reshape(len(mark["y"]), len(mark["x"]))
    level = float(mark["level"])
    if np.nanmax(values) > level:
        above = [level, np.nextafter(np.nanmax(values), np.inf)]
        ax.contourf(_numbers(mark["x"]), _numbers(mark["y"]), values, levels=above, colors=[_colour(mark)], alpha=0.2)


def _contour(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    values = _numbers(mark["values"]).reshape(len(mark["y"]), len(mark["x"]))
    level = float(mark["level"])
    if np.nanmin(values) < level < np.nanmax(values):
        # Left to itself, matplotlib dashes what lies below zero.
        dashed = "--" if mark["role"] == "reference" else "-"
        ax.contour(_numbers(mark["x"]), _numbers(mark["y"]), values, levels=[level], colors=[_colour(mark)], linewidths=1, linestyles=dashed)


def _label(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    ax.annotate(mark["text"], _numbers(mark["at"]), textcoords="offset points", xytext=(5, 0), fontsize="small")


def _ruler(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    at = float(mark["at"])
    places, texts = _numbers([place for place, _ in mark["ticks"]]), [text for _, text in mark["ticks"]]
    ax.plot([places.min(), places.max()] if len(places) else [], [at, at] if len(places) else [], color=_ROLES["reference"], linewidth=1)
    for place, text in zip(places, texts, strict=True):
        ax.plot([place, place], [at, at + 0.12], color=_ROLES["reference"], linewidth=1)
        ax.annotate(text, (place, at + 0.12), textcoords="offset points", xytext=(0, 2), ha="center", fontsize="x-small")


def _places(nodes: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """Places of the nodes of a tree: depth to the right, leaves below each other, whoever is above them in their middle."""
    below: list[list[int]] = [[] for _ in nodes]
    depth = [0] * len(nodes)
    for at, node in enumerate(nodes):
        if node["parent"] is not None:
            below[node["parent"]].append(at)
            depth[at] = depth[node["parent"]] + 1
    height = [0.0] * len(nodes)
    leaves = 0
    roots = [at for at, node in enumerate(nodes) if node["parent"] is None]
    # Every leaf in the order of the tree, which need not be that of the list.
    waiting = list(reversed(roots))
    while waiting:
        at = waiting.pop()
        if not below[at]:
            height[at] = -float(leaves)
            leaves += 1
        waiting.extend(reversed(below[at]))
    for at in reversed(range(len(nodes))):
        if below[at]:
            height[at] = sum(height[child] for child in below[at]) / len(below[at])
    return list(zip(map(float, depth), height, strict=True))


def _tree(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    places = _places(mark["nodes"])
    for (x, y), node in zip(places, mark["nodes"], strict=True):
        if node["parent"] is not None:
            a, b = places[node["parent"]]
            ax.plot([a, x], [b, y], color=_ROLES["reference"], linewidth=1, zorder=1)
            ax.annotate(node["edge"], ((a + x) / 2, (b + y) / 2), ha="center", va="bottom", fontsize="x-small")
        elif node["edge"]:
            # Nothing leads to a root: what it is called stands above it.
            ax.annotate(node["edge"], (x, y), textcoords="offset points", xytext=(0, 12), ha="center", fontsize="x-small")
        proportions = _numbers(node["proportions"])
        most = int(np.argmax(proportions)) if len(proportions) else 0
        shade = (SERIES[1 - most] if len(proportions) == 2 else SERIES[most % len(SERIES)]) if len(proportions) else _ROLES["reference"]
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": shade}
        ax.text(x, y, "\n".join(node["lines"]), ha="center", va="center", fontsize="x-small", bbox=box, zorder=2)
    ax.set_xlim(-0.5, max((x for x, _ in places), default=0.0) + 0.5)
    ax.set_ylim(min((y for _, y in places), default=0.0) - 0.7, 0.7)
    ax.yaxis.set_visible(False)


_MARKS = {
    "line": _line,
    "band": _band,
    "points": _points,
    "intervals": _intervals,
    "bars": _bars,
    "blocks": _blocks,
    "rule": _rule,
    "surface": _surface,
    "region": _region,
    "contour": _contour,
    "label": _label,
    "ruler": _ruler,
    "tree": _tree,
}
