"""Pictures: drawn by the core as SVG for notebooks and files, given as tables, and drawn by matplotlib where it is there."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _core
from ._tables import table
from .exceptions import ParameterError

__all__ = ["Picture"]

#: Colours of roles, those of the SVG on a light page.
_SERIES = ["#1d5fa8", "#c2410c", "#0f766e", "#7c3aed", "#8a5a00", "#be185d", "#3f6f0a", "#475569"]
_ROLES = {"event": _SERIES[1], "other": _SERIES[0], "third": _SERIES[2], "reference": "#8b949e", "plain": "#1b1f24"}
_FORMATS = {".svg": "svg", ".json": "json", ".csv": "csv", ".html": "html"}


class Picture:
    """A picture as plain data, as evaluations and estimators give it.

    Notebooks show it as SVG.

    Attributes
    ----------
    name : str
        Its short name, such as ``roc``.
    title : str
        Its title.
    summary : str
        What is seen, in a sentence.
    """

    _count = 0

    def __init__(self, drawn: _core.Picture, make: str = "dict") -> None:
        self.name, self.title, self.summary = drawn.name, drawn.title, drawn.summary
        self._drawn, self._make = drawn, make

    def frame(self) -> Any:
        """Give what is drawn as a table.

        Returns
        -------
        data frame
            One row per element, in the library that the rows came in.
        """
        return table(self._drawn.table(), self._make)

    def to_svg(self, *, dark: bool = False) -> str:
        """Give it as SVG, its colours written out.

        Parameters
        ----------
        dark : bool, default=False
            Light on dark.

        Returns
        -------
        str
            One SVG element.
        """
        return self._drawn.svg(dark, "picture")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file; the end of its name tells what is written.

        Parameters
        ----------
        path : str or path
            A name that ends in .svg, .json, .csv or .html.
        """
        end = os.path.splitext(os.fspath(path))[1]
        if end not in _FORMATS:
            raise ParameterError(f"the name {os.fspath(path)!r} tells no format; it must end in .svg, .json, .csv or .html")
        _core.write_file(path, self._drawn.render(_FORMATS[end]).encode())

    def plot(self, ax: Any = None) -> Picture:
        """Draw it with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where the first panel is drawn; by default a figure with all panels is made.

        Returns
        -------
        Picture
            This picture, with ``ax_`` and ``figure_`` set.
        """
        panels = json.loads(self._drawn.render("json"))["panels"]
        if ax is None:
            import matplotlib.pyplot as plt

            tall = [3.0 if at == 0 else 1.0 for at in range(max(len(panels), 1))]
            _, axes = plt.subplots(len(tall), squeeze=False, height_ratios=tall, constrained_layout=True)
            places = list(axes[:, 0])
        else:
            # Panels below each other share the axis that the last one names.
            places, named = [ax], [panel["x"]["label"] for panel in panels if panel["x"]["label"]]
            panels = [{**panel, "x": {**panel["x"], "label": named[-1] if named else ""}} for panel in panels[:1]]
        for place, panel in zip(places, panels, strict=False):
            _draw(panel, place)
        places[0].set_title(self.title)
        self.ax_, self.figure_ = places[0], places[0].figure
        return self

    def _repr_html_(self) -> str:
        # Ids within a page must differ, or a screen reader reads the title of another picture.
        Picture._count += 1
        return self._drawn.svg(False, f"oddsmith-{Picture._count}")

    def __repr__(self) -> str:
        return self._drawn.render("table")


def _numbers(values: Any) -> np.ndarray:
    """An array of numbers; those that JSON has no word for come as texts."""
    return np.array(values, dtype=object).astype(np.float64)


def _colour(mark: dict[str, Any]) -> str:
    role = mark["role"]
    return _SERIES[int(role[7:-1]) % len(_SERIES)] if role.startswith("series(") else _ROLES.get(role, _ROLES["plain"])


def _draw(panel: dict[str, Any], ax: Any) -> None:
    """Draws one panel."""
    for mark in panel["marks"]:
        _MARKS.get(mark["mark"], _nothing)(mark, panel, ax)
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
    if any(mark.get("name") for mark in panel["marks"]):
        ax.legend(frameon=False)


def _nothing(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    """A mark that only the SVG has: rulers and trees."""


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


def _intervals(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    for at, value, low, high in _numbers(mark["estimates"]).reshape(-1, 4):
        limits = [low if np.isfinite(low) else value, high if np.isfinite(high) else value]
        lying = panel["y"]["scale"] == "categories"
        ax.plot(limits if lying else [at, at], [at, at] if lying else limits, color=_colour(mark))
        ax.plot(value if lying else at, at if lying else value, "s", color=_colour(mark), markersize=5)


def _bars(mark: dict[str, Any], panel: dict[str, Any], ax: Any) -> None:
    bars = _numbers(mark["bars"]).reshape(-1, 3)
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
}
