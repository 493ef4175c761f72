"""Curves with scikit-learn's names and signatures, for classifiers of any library, and with bands.

Each display holds the numbers that scikit-learn's has, and a `Picture`. It draws with matplotlib where that is there; a notebook shows the picture
anyway.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from . import _core
from ._inputs import class_names, codes_among
from ._wrapped import log_scores
from .exceptions import ParameterError
from .metrics._rows import weighted
from .pictures import Picture

__all__ = ["CalibrationDisplay", "DecisionBoundaryDisplay", "PrecisionRecallDisplay", "RocCurveDisplay"]


class _Display:
    """What all displays share: a picture, and where it was drawn."""

    picture: Picture
    estimator_name: str | None

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> Any:
        """Draw it with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; by default a figure is made.
        name : str, default=None
            Name in the legend; by default that of the estimator.
        **kwargs : dict
            Properties of the line, such as ``color``.

        Returns
        -------
        display
            This display, with ``ax_``, ``figure_`` and ``line_`` set.
        """
        kwargs = {**(kwargs.pop("curve_kwargs", None) or {}), **kwargs}
        for quiet in ("plot_chance_level", "chance_level_kw", "despine", "ref_line"):
            kwargs.pop(quiet, None)
        self.picture.plot(ax)
        self.ax_, self.figure_ = self.picture.ax_, self.picture.figure_
        named = [line for line in self.ax_.lines if line.get_label() == "model"]
        self.line_ = named[-1] if named else (self.ax_.lines[-1] if self.ax_.lines else None)
        if self.line_ is not None:
            self.line_.set(label=name or self.estimator_name or "model", **kwargs)
            self.ax_.legend(frameon=False)
        return self

    def _drawn(self, ax: Any, kwargs: dict[str, Any]) -> Any:
        """Draws where axes are given or matplotlib is there."""
        return self.plot(ax, name=self.estimator_name, **kwargs) if ax is not None or find_spec("matplotlib") else self

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


def _of_estimator(estimator: Any, X: Any, y: Any, pos_label: Any, sample_weight: Any) -> tuple[_core.Evaluation, np.ndarray]:
    """The evaluation of what an estimator says about rows, and its classes with the event last."""
    classes, order = _two(np.asarray(estimator.classes_), pos_label)
    scores = log_scores(estimator, X)[:, order]
    return _judged(y, scores, True, classes, sample_weight), classes


def _of_scores(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> tuple[_core.Evaluation, np.ndarray]:
    """The evaluation of scores of the event: probabilities where all lie between 0 and 1, else log odds or margins."""
    classes, _ = _two(np.unique(column_or_1d(y_true)), pos_label)
    score = np.asarray(column_or_1d(y_score), dtype=np.float64)
    share = bool(((score >= 0) & (score <= 1)).all())
    columns = np.column_stack([1 - score, score] if share else [np.zeros_like(score), score])
    return _judged(y_true, columns, not share, classes, sample_weight), classes


def _line(picture: Picture, name: str) -> np.ndarray:
    """The points of a named line of a picture."""
    columns = picture._drawn.table()
    rows = zip(columns["mark"], columns.get("name", [None] * len(columns["mark"])), columns["x"], columns["y"], strict=True)
    return np.array([[x, y] for mark, known, x, y in rows if mark == "line" and known == name], dtype=np.float64)


class RocCurveDisplay(_Display):
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

    def __init__(self, *, fpr: Any, tpr: Any, roc_auc: float | None = None, name: str | None = None, pos_label: Any = None, picture: Any = None) -> None:
        self.fpr, self.tpr, self.roc_auc, self.estimator_name, self.pos_label, self.picture = fpr, tpr, roc_auc, name, pos_label, picture

    @classmethod
    def _of(cls, judged: _core.Evaluation, classes: np.ndarray, name: str | None) -> RocCurveDisplay:
        picture = Picture(judged.picture("roc", None))
        points = _line(picture, "model")
        return cls(fpr=points[:, 0], tpr=points[:, 1], roc_auc=judged.figure("auc")[0], name=name, pos_label=classes[1], picture=picture)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> RocCurveDisplay:
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
        drop_intermediate : bool, default=True
            Taken for scikit-learn's sake: points that no picture shows are always left out.
        response_method : str, default='auto'
            Taken for scikit-learn's sake: probabilities where there are some, else decision values.
        pos_label : label, default=None
            The event; by default the second class.
        name : str, default=None
            Name in the legend; by default that of the estimator's class.
        ax : matplotlib axes, default=None
            Where to draw.
        **kwargs : dict
            Properties of the line.

        Returns
        -------
        RocCurveDisplay
            The display.
        """
        judged, classes = _of_estimator(estimator, X, y, pos_label, sample_weight)
        return cls._of(judged, classes, name or type(estimator).__name__)._drawn(ax, kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> RocCurveDisplay:
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The classes.
        y_score : array-like of shape (n_samples,)
            Probabilities of the event, or anything that ranks rows by it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        drop_intermediate : bool, default=True
            Taken for scikit-learn's sake.
        pos_label : label, default=None
            The event; by default the second class in sorted order.
        name : str, default=None
            Name in the legend.
        ax : matplotlib axes, default=None
            Where to draw.
        **kwargs : dict
            Properties of the line.

        Returns
        -------
        RocCurveDisplay
            The display.
        """
        judged, classes = _of_scores(y_true, y_score, pos_label, sample_weight)
        return cls._of(judged, classes, name or "Classifier")._drawn(ax, kwargs)


class PrecisionRecallDisplay(_Display):
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

    def __init__(self, precision: Any, recall: Any, *, average_precision: float | None = None, name: str | None = None, pos_label: Any = None, picture: Any = None) -> None:
        self.precision, self.recall, self.average_precision = precision, recall, average_precision
        self.estimator_name, self.pos_label, self.picture = name, pos_label, picture

    @classmethod
    def _of(cls, judged: _core.Evaluation, classes: np.ndarray, name: str | None) -> PrecisionRecallDisplay:
        picture = Picture(judged.picture("precision-recall", None))
        points = _line(picture, "model")
        mean = judged.figure("average_precision")[0]
        return cls(points[:, 1], points[:, 0], average_precision=mean, name=name, pos_label=classes[1], picture=picture)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = False,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> PrecisionRecallDisplay:
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
        drop_intermediate : bool, default=False
            Taken for scikit-learn's sake.
        response_method : str, default='auto'
            Taken for scikit-learn's sake.
        pos_label : label, default=None
            The event; by default the second class.
        name : str, default=None
            Name in the legend.
        ax : matplotlib axes, default=None
            Where to draw.
        **kwargs : dict
            Properties of the line.

        Returns
        -------
        PrecisionRecallDisplay
            The display.
        """
        judged, classes = _of_estimator(estimator, X, y, pos_label, sample_weight)
        return cls._of(judged, classes, name or type(estimator).__name__)._drawn(ax, kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = False,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> PrecisionRecallDisplay:
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The classes.
        y_score : array-like of shape (n_samples,)
            Probabilities of the event, or anything that ranks rows by it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        drop_intermediate : bool, default=False
            Taken for scikit-learn's sake.
        pos_label : label, default=None
            The event.
        name : str, default=None
            Name in the legend.
        ax : matplotlib axes, default=None
            Where to draw.
        **kwargs : dict
            Properties of the line.

        Returns
        -------
        PrecisionRecallDisplay
            The display.
        """
        judged, classes = _of_scores(y_true, y_score, pos_label, sample_weight)
        return cls._of(judged, classes, name or "Classifier")._drawn(ax, kwargs)


class CalibrationDisplay(_Display):
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
        points = _line(picture, "model")
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
            Taken for scikit-learn's sake: the diagonal is always drawn.
        **kwargs : dict
            Properties of the line.

        Returns
        -------
        CalibrationDisplay
            The display.
        """
        if not hasattr(estimator, "predict_proba"):
            raise ParameterError(f"{type(estimator).__name__} has no probabilities to calibrate; CalibratedClassifier gives it some")
        judged, classes = _of_estimator(estimator, X, y, pos_label, None)
        y_prob = np.asarray(estimator.predict_proba(X))[:, np.asarray(estimator.classes_).tolist().index(classes.tolist()[1])]
        return cls._of(judged, classes, y_prob, name or type(estimator).__name__)._drawn(ax, kwargs)

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
            Taken for scikit-learn's sake.
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
        judged, classes = _of_scores(y_true, y_prob, pos_label, None)
        return cls._of(judged, classes, y_prob, name or "Classifier")._drawn(ax, kwargs)


class DecisionBoundaryDisplay:
    """What a classifier of any library says of every pair of values of two columns.

    Attributes
    ----------
    xx0, xx1 : ndarray of shape (grid_resolution, grid_resolution)
        Values of the first and the second column.
    response : ndarray of shape (grid_resolution, grid_resolution)
        Probability of the event or of the class of interest, decision values, or the place of the predicted class.
    """

    def __init__(self, *, xx0: Any, xx1: Any, response: Any, xlabel: str | None = None, ylabel: str | None = None) -> None:
        self.xx0, self.xx1, self.response, self.xlabel, self.ylabel = xx0, xx1, response, xlabel, ylabel

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        grid_resolution: int = 100,
        eps: float = 1.0,
        plot_method: str = "contourf",
        response_method: str = "auto",
        class_of_interest: Any = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> DecisionBoundaryDisplay:
        """Ask a fitted classifier about a grid over two columns.

        Parameters
        ----------
        estimator : classifier
            Fitted to two columns.
        X : array-like or data frame of shape (n_samples, 2)
            Rows that tell the ranges.
        grid_resolution : int, default=100
            Points along a column.
        eps : float, default=1.0
            How far the grid reaches beyond the rows.
        plot_method : {'contourf', 'contour', 'pcolormesh'}, default='contourf'
            How matplotlib draws it.
        response_method : {'auto', 'predict_proba', 'decision_function', 'predict'}, default='auto'
            What is asked; by default probabilities of two classes where there are some, else predictions.
        class_of_interest : label, default=None
            The class whose probability is asked for.
        xlabel, ylabel : str, default=None
            Names of the axes; by default those of the columns.
        ax : matplotlib axes, default=None
            Where to draw.
        **kwargs : dict
            Properties for matplotlib.

        Returns
        -------
        DecisionBoundaryDisplay
            The display.
        """
        values = np.asarray(X, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != 2:
            raise ParameterError(f"a boundary is drawn over two columns, and X has the shape {values.shape}")
        ends = [(column.min() - eps, column.max() + eps) for column in values.T]
        xx0, xx1 = np.meshgrid(*(np.linspace(*end, grid_resolution) for end in ends))
        cells = np.column_stack([xx0.ravel(), xx1.ravel()])
        names = [str(name) for name in getattr(X, "columns", [])] or [None, None]
        grid = type(X)(cells, columns=list(X.columns)) if type(X).__module__.startswith("pandas") else cells
        response = _response(estimator, grid, response_method, class_of_interest).reshape(xx0.shape)
        display = cls(xx0=xx0, xx1=xx1, response=response, xlabel=xlabel or names[0], ylabel=ylabel or names[1])
        return display.plot(plot_method, ax, **kwargs) if ax is not None or find_spec("matplotlib") else display

    def plot(self, plot_method: str = "contourf", ax: Any = None, xlabel: str | None = None, ylabel: str | None = None, **kwargs: Any) -> DecisionBoundaryDisplay:
        """Draw it with matplotlib.

        Parameters
        ----------
        plot_method : {'contourf', 'contour', 'pcolormesh'}, default='contourf'
            How it is drawn.
        ax : matplotlib axes, default=None
            Where to draw; by default a figure is made.
        xlabel, ylabel : str, default=None
            Names of the axes.
        **kwargs : dict
            Properties for matplotlib.

        Returns
        -------
        DecisionBoundaryDisplay
            This display, with ``ax_``, ``figure_`` and ``surface_`` set.
        """
        if plot_method not in ("contourf", "contour", "pcolormesh"):
            raise ParameterError(f"plot_method={plot_method!r} is not accepted: contourf, contour or pcolormesh")
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        self.surface_ = getattr(ax, plot_method)(self.xx0, self.xx1, self.response, **kwargs)
        ax.set_xlabel(xlabel or self.xlabel or "")
        ax.set_ylabel(ylabel or self.ylabel or "")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _response(estimator: Any, grid: Any, method: str, interest: Any) -> np.ndarray:
    """What is asked of an estimator about a grid, one number per row."""
    classes = np.asarray(estimator.classes_)
    if method not in ("auto", "predict_proba", "decision_function", "predict"):
        raise ParameterError(f"response_method={method!r} is not accepted: auto, predict_proba, decision_function or predict")
    if interest is not None and interest not in classes.tolist():
        raise ParameterError(f"class_of_interest={interest!r} is not accepted: one of {classes.tolist()!r}")
    two = len(classes) == 2 or interest is not None
    if method == "auto":
        method = "predict_proba" if two and hasattr(estimator, "predict_proba") else "decision_function" if len(classes) == 2 and hasattr(estimator, "decision_function") else "predict"
    if method == "predict":
        return np.searchsorted(classes, np.asarray(estimator.predict(grid))).astype(np.float64)
    answers = np.asarray(getattr(estimator, method)(grid), dtype=np.float64)
    if answers.ndim == 1:
        return answers
    if not two:
        raise ParameterError(f"{method} gives one number per class; name one of them as class_of_interest, or ask for predict")
    return answers[:, 1 if interest is None else classes.tolist().index(interest)]
