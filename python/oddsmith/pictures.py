"""Pictures: drawn by the core as SVG for notebooks and files, given as tables, and drawn by matplotlib where it is there."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _core
from ._plotted import draw
from ._tables import table
from .exceptions import ParameterError

__all__ = ["Picture"]

_FORMATS = {".svg": "svg", ".json": "json", ".csv": "csv", ".html": "html"}


class Picture:
    """A picture as plain data, as evaluations and estimators give it.

    Notebooks show it as SVG, dark where they are dark.

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

            # A panel that names no axis of its own leaves it to those below, which are its margin.
            shared = bool(panels) and not panels[0]["x"]["label"]
            tall = [1.0 if shared and at else 3.0 for at in range(max(len(panels), 1))]
            _, axes = plt.subplots(len(tall), squeeze=False, height_ratios=tall, constrained_layout=True)
            places = list(axes[:, 0])
        else:
            # Panels below each other share the axis that the last one names.
            places, named = [ax], [panel["x"]["label"] for panel in panels if panel["x"]["label"]]
            panels = [{**panel, "x": {**panel["x"], "label": named[-1] if named else ""}} for panel in panels[:1]]
        for place, panel in zip(places, panels, strict=False):
            draw(panel, place)
        places[0].set_title(self.title)
        self.ax_, self.figure_ = places[0], places[0].figure
        return self

    def _repr_html_(self) -> str:
        # Ids within a page must differ, or a screen reader reads the title of another picture.
        Picture._count += 1
        return self._drawn.svg_following(f"oddsmith-{Picture._count}")

    def __repr__(self) -> str:
        return self._drawn.render("table")
