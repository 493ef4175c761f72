"""Observed shares against predicted probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from .. import _core
from ..exceptions import ParameterError
from ..pictures import Picture
from ._display import Display, line_of, of_estimator, of_scores


class CalibrationDisplay(Display):
    """Observed shares against predicted probabilities, without bins, with a band.

    Attributes
    ----------
    prob_true, prob_pred : ndarray
        The corners of the curve: observed share and predicted probability.
    y_prob : ndarray
        Probabilities of the event.
    estimator_name : str or None
        Name of the estimator.
    pos_label : label
        The event.
    picture : Picture
        The picture, with band and histogram.
    """

    def __init__(self, prob_true: Any, prob_pred: Any, y_prob: Any, *, estimator_name: str | None = None, pos_label: Any = None, picture: Any = None) -> None:
        self.prob_true, self.prob_pred, self.y_prob = prob_true, prob_pred, y_prob
        self.estimator_name, self.pos_label, self.picture = estimator_name, pos_label, picture

    @classmethod
    def _of(cls, judged: _core.Evaluation, classes: np.ndarray, y_prob: np.ndarray, name: str | None) -> CalibrationDisplay:
        picture = Picture(judged.picture("calibration", None))
        points = line_of(picture, "model")
        return cls(points[:, 1], points[:, 0], y_prob, estimator_name=name, pos_label=classes[1], picture=picture)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_bins: int = 5,
        strategy: str = "uniform",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        ref_line: bool = True,
        **kwargs: Any,
    ) -> CalibrationDisplay:
        """Draw the curve of a fitted classifier of any library.

        Parameters
        ----------
        estimator : classifier
            Fitted, with two classes and probabilities.
        X : array-like or data frame
            The rows.
        y : array-like of shape (n_samples,)
            Their classes.
        n_bins : int, default=5
            Taken for scikit-learn's sake: the curve has no bins.
        strategy : str, default='uniform'
            Taken for scikit-learn's sake.
        pos_label : label, default=None
            The event; by default the second class.
        name : str, default=None
            Name in the legend.
        ax : matplotlib axes, default=None
            Where to draw.
        ref_line : bool, default=True
            Whether the diagonal is drawn.
        **kwargs : dict
            Properties of the line.

        Returns
        -------
        CalibrationDisplay
            The display.
        """
        if not hasattr(estimator, "predict_proba"):
            raise ParameterError(f"{type(estimator).__name__} has no probabilities to calibrate; CalibratedClassifier gives it some")
        judged, classes = of_estimator(estimator, X, y, pos_label, None)
        y_prob = np.asarray(estimator.predict_proba(X))[:, np.asarray(estimator.classes_).tolist().index(classes.tolist()[1])]
        return cls._of(judged, classes, y_prob, name or type(estimator).__name__)._drawn(ax, {**kwargs, "ref_line": ref_line})

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        n_bins: int = 5,
        strategy: str = "uniform",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        ref_line: bool = True,
        **kwargs: Any,
    ) -> CalibrationDisplay:
        """Draw the curve of probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The classes.
        y_prob : array-like of shape (n_samples,)
            Probabilities of the event.
        n_bins : int, default=5
            Taken for scikit-learn's sake: the curve has no bins.
        strategy : str, default='uniform'
            Taken for scikit-learn's sake.
        pos_label : label, default=None
            The event.
        name : str, default=None
            Name in the legend.
        ax : matplotlib axes, default=None
            Where to draw.
        ref_line : bool, default=True
            Whether the diagonal is drawn.
        **kwargs : dict
            Properties of the line.

        Returns
        -------
        CalibrationDisplay
            The display.
        """
        y_prob = np.asarray(column_or_1d(y_prob), dtype=np.float64)
        if ((y_prob < 0) | (y_prob > 1)).any():
            raise ParameterError("y_prob holds values below 0 or above 1, which are no probabilities")
        judged, classes = of_scores(y_true, y_prob, pos_label, None)
        return cls._of(judged, classes, y_prob, name or "Classifier")._drawn(ax, {**kwargs, "ref_line": ref_line})

    def plot(self, *, ax: Any = None, name: str | None = None, ref_line: bool = True, **kwargs: Any) -> CalibrationDisplay:
        """Draw it with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; by default a figure with the histogram is made.
        name : str, default=None
            Name in the legend; by default that of the estimator.
        ref_line : bool, default=True
            Whether the diagonal is drawn.
        **kwargs : dict
            Properties of the line.

        Returns
        -------
        CalibrationDisplay
            This display, with ``ax_``, ``figure_`` and ``line_`` set.
        """
        self._plot(ax, name, kwargs)
        for line in self.ax_.lines:
            if line.get_label() == "perfect" and not ref_line:
                line.set_visible(False)
        return self
