"""Curves of how scores rank rows: ROC, and precision against recall."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from .. import _core
from ..pictures import Picture
from ._display import Display, line_of, of_estimator, of_scores


def _look(properties: dict[str, Any], chance: dict[str, Any] | None, despine: bool) -> dict[str, Any]:
    """What ``plot`` takes beside axes and name."""
    return {"curve_kwargs": properties, "chance_level_kw": chance, "despine": despine}


class RankingDisplay(Display):
    """A curve that any score gives that ranks rows by the event."""

    #: The picture of an evaluation that holds the curve.
    _picture: str

    @classmethod
    @abstractmethod
    def _of(cls, judged: _core.Evaluation, points: np.ndarray, named: dict[str, Any]) -> Self:
        """The display of an evaluation and the corners of its curve."""

    @classmethod
    def _shown(cls, judged: _core.Evaluation, classes: np.ndarray, name: str, ax: Any, kwargs: dict[str, Any]) -> Self:
        picture = Picture(judged.picture(cls._picture, None))
        return cls._of(judged, line_of(picture, "model"), {"name": name, "pos_label": classes[1], "picture": picture})._drawn(ax, kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier of any library.

        Parameters
        ----------
        estimator : classifier
            Fitted, with two classes.
        X : array-like or data frame
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        drop_intermediate : bool, default=None
            Taken for scikit-learn's sake: points that no picture shows are always left out.
        response_method : str, default='auto'
            Taken for scikit-learn's sake: probabilities where there are some, else decision values.
        pos_label : label, default=None
            The event; by default the second class.
        name : str, default=None
            Name in the legend; by default that of the estimator's class.
        ax : matplotlib axes, default=None
            Where to draw.
        curve_kwargs : dict, default=None
            Properties of the line.
        plot_chance_level : bool, default=False
            Taken for scikit-learn's sake: what chance reaches is always drawn.
        chance_level_kw : dict, default=None
            Properties of the line of chance.
        despine : bool, default=False
            Without the upper and the right edge.
        **kwargs : dict
            Properties of the line, as older releases of scikit-learn took them.

        Returns
        -------
        display
            The display.
        """
        judged, classes = of_estimator(estimator, X, y, pos_label, sample_weight)
        look = _look({**(curve_kwargs or {}), **kwargs}, chance_level_kw, despine)
        return cls._shown(judged, classes, name or type(estimator).__name__, ax, look)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool | None = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        despine: bool = False,
        y_pred: Any = "deprecated",
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The classes.
        y_score : array-like of shape (n_samples,)
            Probabilities of the event, or anything that ranks rows by it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        drop_intermediate : bool, default=None
            Taken for scikit-learn's sake.
        pos_label : label, default=None
            The event; by default the second class in sorted order.
        name : str, default=None
            Name in the legend.
        ax : matplotlib axes, default=None
            Where to draw.
        curve_kwargs : dict, default=None
            Properties of the line.
        plot_chance_level : bool, default=False
            Taken for scikit-learn's sake: what chance reaches is always drawn.
        chance_level_kw : dict, default=None
            Properties of the line of chance.
        despine : bool, default=False
            Without the upper and the right edge.
        y_pred : array-like of shape (n_samples,)
            An older name of ``y_score``.
        **kwargs : dict
            Properties of the line, as older releases of scikit-learn took them.

        Returns
        -------
        display
            The display.
        """
        y_score = y_pred if y_score is None else y_score
        judged, classes = of_scores(y_true, y_score, pos_label, sample_weight)
        look = _look({**(curve_kwargs or {}), **kwargs}, chance_level_kw, despine)
        return cls._shown(judged, classes, name or "Classifier", ax, look)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw it with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; by default a figure is made.
        name : str, default=None
            Name in the legend; by default that of the estimator.
        curve_kwargs : dict, default=None
            Properties of the line.
        plot_chance_level : bool, default=False
            Taken for scikit-learn's sake: what chance reaches is always drawn.
        chance_level_kw : dict, default=None
            Properties of the line of chance.
        despine : bool, default=False
            Without the upper and the right edge.
        **kwargs : dict
            Properties of the line, as older releases of scikit-learn took them.

        Returns
        -------
        display
            This display, with ``ax_``, ``figure_`` and ``line_`` set.
        """
        self._plot(ax, name, {**(curve_kwargs or {}), **kwargs})
        if chance_level_kw:
            for line in self.ax_.lines:
                if line is not self.line_:
                    line.set(**chance_level_kw)
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
        return self


class RocCurveDisplay(RankingDisplay):
    """A ROC curve with its pointwise 95 % band.

    Attributes
    ----------
    fpr, tpr : ndarray
        False-positive and true-positive rates.
    roc_auc : float
        Area under the curve.
    estimator_name : str or None
        Name of the estimator.
    pos_label : label
        The event.
    picture : Picture
        The picture, with the band.
    """

    _picture = "roc"

    def __init__(self, *, fpr: Any, tpr: Any, roc_auc: float | None = None, name: str | None = None, pos_label: Any = None, picture: Any = None) -> None:
        self.fpr, self.tpr, self.roc_auc, self.estimator_name, self.pos_label, self.picture = fpr, tpr, roc_auc, name, pos_label, picture

    @classmethod
    def _of(cls, judged: _core.Evaluation, points: np.ndarray, named: dict[str, Any]) -> Self:
        return cls(fpr=points[:, 0], tpr=points[:, 1], roc_auc=judged.figure("auc")[0], **named)


class PrecisionRecallDisplay(RankingDisplay):
    """Precision against recall.

    Attributes
    ----------
    precision, recall : ndarray
        The corners of the curve.
    average_precision : float
        Area under its steps.
    estimator_name : str or None
        Name of the estimator.
    pos_label : label
        The event.
    picture : Picture
        The picture.
    """

    _picture = "precision-recall"

    def __init__(self, precision: Any, recall: Any, *, average_precision: float | None = None, name: str | None = None, pos_label: Any = None, picture: Any = None) -> None:
        self.precision, self.recall, self.average_precision = precision, recall, average_precision
        self.estimator_name, self.pos_label, self.picture = name, pos_label, picture

    @classmethod
    def _of(cls, judged: _core.Evaluation, points: np.ndarray, named: dict[str, Any]) -> Self:
        return cls(points[:, 1], points[:, 0], average_precision=judged.figure("average_precision")[0], **named)
