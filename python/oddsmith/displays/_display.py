"""What the displays of curves share."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from .. import _core
from .._inputs import class_names, codes_among
from .._plotted import SERIES
from .._wrapped import log_scores
from ..exceptions import ParameterError
from ..metrics._rows import weighted
from ..pictures import Picture

_CURVE = "oddsmith-curve"


class Display:
    """What all displays share: a picture, and where it was drawn."""

    picture: Picture
    estimator_name: str | None
    plot: Callable[..., Any]

    def _plot(self, ax: Any, name: str | None, properties: dict[str, Any]) -> Any:
        """Draws the picture, the curve under a name and with properties of a line. A curve on axes that have one already has another colour."""
        before = [] if ax is None else [*ax.lines, *ax.collections]
        self.picture.plot(ax)
        self.ax_, self.figure_ = self.picture.ax_, self.picture.figure_
        named = [line for line in self.ax_.lines if line.get_label() == "model"]
        self.line_ = named[-1] if named else (self.ax_.lines[-1] if self.ax_.lines else None)
        if self.line_ is not None:
            curves = [line for line in before if line.get_gid() == _CURVE]
            if curves:
                self._set_apart(before, SERIES[len(curves) % len(SERIES)])
            self.line_.set(gid=_CURVE, label=name or self.estimator_name or "model", **properties)
            self.ax_.legend(frameon=False)
        return self

    def _set_apart(self, before: list[Any], colour: str) -> None:
        """Gives what was drawn last a colour of its own, and leaves out what is there already."""
        known = {artist.get_label() for artist in before}
        for artist in [*self.ax_.lines, *self.ax_.collections]:
            if artist in before:
                continue
            if artist is not self.line_ and artist.get_label() in known:
                artist.set_label("_nolegend_")
            if artist in self.ax_.lines and artist.get_linestyle() == "--":
                artist.remove()
            else:
                artist.set_color(colour)

    def _drawn(self, ax: Any, kwargs: dict[str, Any]) -> Any:
        """Draws where axes are given or matplotlib is there."""
        return self.plot(ax=ax, name=self.estimator_name, **kwargs) if ax is not None or find_spec("matplotlib") else self

    def _repr_html_(self) -> str:
        return self.picture._repr_html_()


def _judged(y: Any, scores: np.ndarray, logarithms: bool, classes: np.ndarray, sample_weight: Any) -> _core.Evaluation:
    """The evaluation of scores of two columns, the event second."""
    codes = codes_among(column_or_1d(y), classes)
    weights, meaning = weighted(sample_weight, codes, "frequency")
    params = {"threshold": None, "weighting": meaning, "bins": 10, "groups": 10}
    return _core.judge(np.ascontiguousarray(scores), logarithms, codes, weights, class_names(classes), params)


def _two(classes: np.ndarray, pos_label: Any) -> tuple[np.ndarray, list[int]]:
    """The two classes with the event last, and the places they come from."""
    if len(classes) != 2:
        raise ParameterError(f"a curve takes two classes, and there are {len(classes)}: {classes.tolist()!r}")
    event = 1 if pos_label is None else classes.tolist().index(pos_label) if pos_label in classes.tolist() else None
    if event is None:
        raise ParameterError(f"pos_label={pos_label!r} is not accepted: one of {classes.tolist()!r}")
    return classes[[1 - event, event]], [1 - event, event]


def of_estimator(estimator: Any, X: Any, y: Any, pos_label: Any, sample_weight: Any) -> tuple[_core.Evaluation, np.ndarray]:
    """The evaluation of what an estimator says about rows, and its classes with the event last."""
    classes, order = _two(np.asarray(estimator.classes_), pos_label)
    scores = log_scores(estimator, X)[:, order]
    return _judged(y, scores, True, classes, sample_weight), classes


def of_scores(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> tuple[_core.Evaluation, np.ndarray]:
    """The evaluation of scores of the event: probabilities where all lie between 0 and 1, else log odds or margins."""
    classes, _ = _two(np.unique(column_or_1d(y_true)), pos_label)
    score = np.asarray(column_or_1d(y_score), dtype=np.float64)
    share = bool(((score >= 0) & (score <= 1)).all())
    columns = np.column_stack([1 - score, score] if share else [np.zeros_like(score), score])
    return _judged(y_true, columns, not share, classes, sample_weight), classes


def line_of(picture: Picture, name: str) -> np.ndarray:
    """The points of a named line of a picture."""
    columns = picture._drawn.table()
    rows = zip(columns["mark"], columns.get("name", [None] * len(columns["mark"])), columns["x"], columns["y"], strict=True)
    return np.array([[x, y] for mark, known, x, y in rows if mark == "line" and known == name], dtype=np.float64)
