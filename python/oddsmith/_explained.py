"""Where log odds come from: one contribution per column, which add up."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._inputs import core_rows
from ._tables import cells, maker, table
from .exceptions import DataError, UnknownNameError


class Explained:
    """A classifier over the core whose model may tell what every column adds to the log odds."""

    def tidy(self) -> Any:
        """Give one row per parameter of the model, as the command's ``show --tidy`` does.

        Returns
        -------
        data frame
            Class, term and estimate, and what else the model knows of its parameters.
        """
        check_is_fitted(self)
        return table(self._finished_model().tidy(), getattr(self, "_make", None) or maker(None))

    def explain(self, X: Any, label: Any = None, against: Any = None) -> Any:
        """Take the log odds of every row apart: what was known before, and what each column adds.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            The rows.
        label : label, default=None
            The class that is explained; by default the second of two, and of more the most probable of every row.
        against : label, default=None
            The class that it is compared with; by default the most probable other one of every row.

        Returns
        -------
        data frame
            One row per row and column, with columns row (from 1), class, against, column, value and contribution, in nats. The first of
            every row is ``(prior)``; all of a row add up to its log odds. A model whose scores are no sums over columns refuses, and
            says why.
        """
        check_is_fitted(self)
        model = self._finished_model()
        parts, names, values = self._addends(X)
        if np.isnan(parts).any():
            row = int(np.flatnonzero(np.isnan(parts).any(axis=(1, 2)))[0]) + 1
            raise DataError(f"row {row}: the row lacks a value that the model needs, so there is nothing to explain")
        labels = self.classes_ if len(self.classes_) == parts.shape[2] else np.array(model.class_labels)
        chosen, other = _chosen_pair(parts.sum(axis=1), labels, label, against)
        rows = np.arange(len(parts))
        with np.errstate(invalid="ignore"):
            evidence = parts[rows, :, chosen] - parts[rows, :, other]
        # Two impossible addends do not tell the classes apart.
        evidence = np.where(parts[rows, :, chosen] == parts[rows, :, other], 0.0, evidence)
        width = evidence.shape[1]
        shown = {
            "row": np.repeat(rows + 1, width).tolist(),
            "class": np.repeat(labels[chosen], width).tolist(),
            "against": np.repeat(labels[other], width).tolist(),
            "column": ["(prior)", *names] * len(rows),
            "value": [cell for row in values for cell in (None, *row)],
            "contribution": evidence.ravel().tolist(),
        }
        return table(shown, maker(X))

    def _addends(self, X: Any) -> tuple[np.ndarray, list[str], list[list[str | None]]]:
        """Addends of the scores by row, part and class, the names of the columns, and their cells as text."""
        model = self._finished_model()
        checked = self._checked(X, reset=False)
        parts = model.contributions(core_rows(checked), self._threshold(), self._gaps)
        names = [name for name, _ in model.kinds]
        dense = np.asarray(checked) if len(names) == checked.shape[1] else np.full((len(parts), len(names)), None)
        return parts, names, [[None if cell is None else f"{cell:g}" for cell in row] for row in dense.tolist()]


class ExplainedFrames(Explained):
    """The same for classifiers that answer about data frames."""

    def _addends(self, X: Any) -> tuple[np.ndarray, list[str], list[list[str | None]]]:
        frame = self._table(X)
        if frame is None:
            return super()._addends(X)
        model = self._finished_model()
        names = [name for name, _ in model.kinds]
        return frame.contributions(model), names, cells(X, names)


def _chosen_pair(scores: np.ndarray, labels: np.ndarray, label: Any, against: Any) -> tuple[np.ndarray, np.ndarray]:
    """The class that is explained and the one it is compared with, row by row."""
    rows = np.arange(len(scores))
    fixed = [None if given is None else _place(labels, given) for given in (label, against)]
    if fixed[0] is None and len(labels) == 2:
        fixed[0] = 1 if fixed[1] is None else 1 - fixed[1]
    ranked = scores.astype(np.float64)
    if fixed[1] is not None:
        ranked[:, fixed[1]] = -np.inf
    chosen = ranked.argmax(axis=1) if fixed[0] is None else np.full(len(scores), fixed[0])
    ranked = scores.astype(np.float64)
    ranked[rows, chosen] = np.nan
    other = np.nanargmax(ranked, axis=1) if fixed[1] is None else np.full(len(scores), fixed[1])
    if (chosen == other).any():
        raise UnknownNameError(f"against = {against!r} is not accepted: another class than the one that is explained")
    return chosen, other


def _place(labels: np.ndarray, label: Any) -> int:
    found = [at for at, known in enumerate(labels.tolist()) if known == label]
    if not found:
        raise UnknownNameError(f"there is no class {label!r}; there are: {', '.join(map(repr, labels.tolist()))}")
    return found[0]
