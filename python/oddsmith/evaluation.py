"""How good the probabilities of a classifier are: every figure from one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from . import _core
from ._base import no_prediction
from ._inputs import class_names, codes_among
from ._rendered import Rendered
from ._tables import maker, parted, table
from ._wrapped import log_scores
from .exceptions import tell
from .metrics import Estimate
from .metrics._rows import weighted
from .pictures import Picture

__all__ = ["Evaluation", "evaluate"]


class Evaluation(Rendered):
    """Figures of judged probabilities, as `evaluate` gives them.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels; the event is the second of two.
    figures : dict
        Every figure by name as an `Estimate`; ``None`` where the rows do not determine it.
    notes : dict
        Why figures are missing, and what else is to be known of one.
    confusion : ndarray of shape (n_classes, n_classes)
        Weights of rows by true class (down) and predicted class (across).
    """

    def __init__(self, judged: _core.Evaluation, classes: np.ndarray, title: str, make: str) -> None:
        self.classes, self.confusion = classes, judged.confusion()
        self._judged, self._title, self._make = judged, title, make
        columns = judged.table()
        rows = list(zip(*(columns[name] for name in ("metric", "estimate", "conf_low", "conf_high", "note")), strict=True))
        self.figures = {name: None if value is None else Estimate(value, low, high, note) for name, value, low, high, note in rows}
        self.notes = {name: note for name, _, _, _, note in rows if note is not None}

    def __getitem__(self, name: str) -> Estimate | None:
        return self.figures[name]

    def table(self) -> Any:
        """Give all figures as a table of the library that the rows came in.

        Returns
        -------
        data frame
            With columns metric, estimate, std_error, conf_low, conf_high and note.
        """
        return table(self._judged.table(), self._make)

    def class_table(self) -> Any:
        """Give precision, recall and F1 of every class.

        Returns
        -------
        data frame
            One row per class.
        """
        return table(self._judged.class_table(), self._make)

    def picture(self, name: str, threshold: float | None = None) -> Picture:
        """Draw the judged rows.

        Parameters
        ----------
        name : {'roc', 'precision-recall', 'calibration', 'decision', 'threshold', 'spread', 'prevalence'}
            The picture.
        threshold : float, default=None
            The probability to mark; by default the one by which rows were called, else one half.

        Returns
        -------
        Picture
            The picture; an error says why there is none.
        """
        return Picture(self._judged.picture(name, threshold), self._make)

    def roc(self, threshold: float | None = None) -> Picture:
        """Draw the ROC curve with its pointwise 95 % band.

        Parameters
        ----------
        threshold : float, default=None
            The probability to mark.

        Returns
        -------
        Picture
            The curve; of more than two classes one for each against the rest.
        """
        return self.picture("roc", threshold)

    def calibration(self) -> Picture:
        """Draw observed against predicted, without bins, with a band.

        Returns
        -------
        Picture
            The curve over a histogram of the predicted probabilities.
        """
        return self.picture("calibration")

    def precision_recall(self) -> Picture:
        """Draw precision against recall.

        Returns
        -------
        Picture
            The curve.
        """
        return self.picture("precision-recall")

    def decision(self, threshold: float | None = None) -> Picture:
        """Draw the net benefit of acting on the probabilities over thresholds.

        Parameters
        ----------
        threshold : float, default=None
            The probability to mark.

        Returns
        -------
        Picture
            The decision curve.
        """
        return self.picture("decision", threshold)

    def _render(self, format: str) -> str:
        return self._judged.render(self._title, format)

    def __repr__(self) -> str:
        return self.summary()


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    weighting: str = "frequency",
    threshold: float | None = None,
    bins: int = 10,
    groups: int = 10,
) -> Evaluation:
    """Judge a fitted classifier on rows with known classes.

    Parameters
    ----------
    model : classifier
        Fitted, with `predict_log_proba`, `predict_proba` or `decision_function`; oddsmith's or any other.
    X : array-like or data frame of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or str
        The class of every row, or the column of the data frame that holds it.
    sample_weight : array-like of shape (n_samples,) or str, default=None
        Weights from 0 up, or the column of the data frame that holds them.
    weighting : {'frequency', 'sampling'}, default='frequency'
        What weights mean for intervals: a row so many times, or so many units of the population.
    threshold : float, default=None
        Predict the second of two classes from this probability up; by default the most probable class.
    bins : int, default=10
        Bins of the expected calibration error.
    groups : int, default=10
        Groups of Hosmer and Lemeshow's test.

    Returns
    -------
    Evaluation
        Log loss, bits, Brier score and its parts, areas, calibration and decisions, with intervals.

    Examples
    --------
    >>> import numpy as np
    >>> import oddsmith
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 500)
    >>> X = rng.normal(size=(500, 2)) + y[:, None]
    >>> judged = oddsmith.evaluate(oddsmith.GaussianNB().fit(X[:250], y[:250]), X[250:], y[250:])
    >>> bool(judged["auc"].low < judged["auc"] < judged["auc"].high)
    True
    >>> judged.confusion.sum()
    np.float64(250.0)
    """
    make = maker(X)
    X, (y, sample_weight) = parted(X, [y, sample_weight])
    codes = codes_among(column_or_1d(y), model.classes_)
    scores = np.ascontiguousarray(log_scores(model, X))
    weights, meaning = weighted(sample_weight, codes, weighting)
    known = ~np.isnan(scores).any(axis=1)
    if not known.all():
        tell([no_prediction(int((~known).sum()), "cannot be judged", "cannot be judged")])
        scores, codes, weights = scores[known], codes[known], None if weights is None else weights[known]
    params = {"threshold": threshold, "weighting": meaning, "bins": bins, "groups": groups}
    judged = _core.judge(scores, True, codes, weights, class_names(model.classes_), params)
    return Evaluation(judged, model.classes_, type(model).__name__, make)
