"""What a classifier says over two columns."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from ..exceptions import ParameterError


class DecisionBoundaryDisplay:
    """What a classifier of any library says of every pair of values of two columns.

    Attributes
    ----------
    xx0, xx1 : ndarray of shape (grid_resolution, grid_resolution)
        Values of the first and the second column.
    response : ndarray of shape (grid_resolution, grid_resolution)
        Probability of the event or of the class of interest, decision values, or the place of the predicted class.
    n_classes : int or None
        How many classes there are, where the response is the predicted one.
    """

    def __init__(self, *, xx0: Any, xx1: Any, response: Any, xlabel: str | None = None, ylabel: str | None = None, n_classes: int | None = None) -> None:
        self.xx0, self.xx1, self.response, self.xlabel, self.ylabel, self.n_classes = xx0, xx1, response, xlabel, ylabel, n_classes

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
        multiclass_colors: Any = None,
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
        multiclass_colors : list of str or str, default=None
            Colours of the classes where the predicted one is drawn, or the name of matplotlib's map of colours.
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
        method = _method(estimator, response_method, class_of_interest)
        response = _response(estimator, grid, method, class_of_interest).reshape(xx0.shape)
        n_classes = len(estimator.classes_) if method == "predict" else None
        display = cls(xx0=xx0, xx1=xx1, response=response, xlabel=xlabel or names[0], ylabel=ylabel or names[1], n_classes=n_classes)
        if ax is None and not find_spec("matplotlib"):
            return display
        if multiclass_colors is not None and "cmap" not in kwargs and "colors" not in kwargs:
            kwargs["cmap"] = _colours(multiclass_colors)
        return display.plot(plot_method, ax, **kwargs)

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
        if self.n_classes is not None and plot_method == "contourf" and not {"levels", "colors"} & kwargs.keys():
            self.surface_ = self._areas(ax, **kwargs)
        else:
            self.surface_ = getattr(ax, plot_method)(self.xx0, self.xx1, self.response, **kwargs)
        ax.set_xlabel(xlabel or self.xlabel or "")
        ax.set_ylabel(ylabel or self.ylabel or "")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _areas(self, ax: Any, cmap: Any = None, **kwargs: Any) -> list[Any]:
        """One area per class: on the way from the first class to the third there is no second one."""
        import matplotlib.pyplot as plt

        colours = plt.get_cmap(cmap)(np.linspace(0, 1, self.n_classes or 1))
        called = [(self.response == place).astype(np.float64) for place in range(len(colours))]
        return [ax.contourf(self.xx0, self.xx1, own, levels=[0.5, 1.5], colors=[colour], **kwargs) for own, colour in zip(called, colours, strict=True) if own.any()]


def _colours(given: Any) -> Any:
    """Matplotlib's map of colours for a list of them; a name is one already."""
    from matplotlib.colors import ListedColormap

    return given if isinstance(given, str) else ListedColormap(list(given))


def _method(estimator: Any, method: str, interest: Any) -> str:
    """What an estimator is asked for."""
    classes = np.asarray(estimator.classes_)
    if method not in ("auto", "predict_proba", "decision_function", "predict"):
        raise ParameterError(f"response_method={method!r} is not accepted: auto, predict_proba, decision_function or predict")
    if interest is not None and interest not in classes.tolist():
        raise ParameterError(f"class_of_interest={interest!r} is not accepted: one of {classes.tolist()!r}")
    two = len(classes) == 2 or interest is not None
    if method == "auto":
        method = "predict_proba" if two and hasattr(estimator, "predict_proba") else "decision_function" if len(classes) == 2 and hasattr(estimator, "decision_function") else "predict"
    return method


def _response(estimator: Any, grid: Any, method: str, interest: Any) -> np.ndarray:
    """What an estimator says of a grid, one number per row."""
    classes = np.asarray(estimator.classes_)
    if method == "predict":
        return np.searchsorted(classes, np.asarray(estimator.predict(grid))).astype(np.float64)
    answers = np.asarray(getattr(estimator, method)(grid), dtype=np.float64)
    if answers.ndim == 1:
        return answers
    if len(classes) > 2 and interest is None:
        raise ParameterError(f"{method} gives one number per class; name one of them as class_of_interest, or ask for predict")
    return answers[:, 1 if interest is None else classes.tolist().index(interest)]
