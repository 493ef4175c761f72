"""Pictures of fitted estimators, over the core."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._inputs import codes_among, core_rows
from ._tables import maker, parted
from .exceptions import ParameterError
from .pictures import Picture

#: Pictures that take no rows.
_ALONE = ("forest", "tree")


class DrawnModel:
    """A classifier over the core that can be drawn."""

    def picture(self, name: str, X: Any = None, y: Any = None, *, columns: Any = (), row: int = 0) -> Picture:
        """Draw the model, or what it says about rows.

        Parameters
        ----------
        name : {'forest', 'tree', 'nomogram', 'waterfall', 'boundary', 'density', 'sigmoid', 'columns', 'influence', 'residuals', 'landscape'}
            The picture; the first two take no rows, and 'columns' shows how far the model leans on each of them. A model that lacks what a picture shows refuses, and says what it lacks.
        X : data frame or array-like of shape (n_samples, n_features), default=None
            The rows.
        y : array-like of shape (n_samples,) or str, default=None
            The class of every row, or the column of the data frame that holds it; a waterfall needs none.
        columns : list of str, default=()
            The columns that a boundary (two), a density or a sigmoid (one), or a landscape (one or two) is drawn over; by default the first
            number columns.
        row : int, default=0
            The row of a waterfall.

        Returns
        -------
        Picture
            The picture.
        """
        check_is_fitted(self)
        model = self._finished_model()
        if name in _ALONE:
            return Picture(_core.picture_of_model(model, name), maker(X))
        if X is None:
            raise ParameterError(f"the picture {name!r} is drawn over rows: pass X, and y where it needs classes")
        make = maker(X)
        X, (y,) = parted(X, [y])
        rows = X.num_rows if hasattr(X, "num_rows") else len(X) if hasattr(X, "__len__") and not hasattr(X, "shape") else X.shape[0]
        if y is None and name != "waterfall":
            raise ParameterError(f"the picture {name!r} tells classes apart: pass y")
        codes = np.zeros(rows, dtype=np.uint32) if y is None else codes_among(column_or_1d(y), self.classes_)
        wanted = {"name": name, "columns": [columns] if isinstance(columns, str) else [str(column) for column in columns], "row": int(row)}
        return Picture(self._drawn_rows(model, X, codes, wanted), make)

    def forest(self) -> Picture:
        """Draw the odds ratios of a regression with their limits.

        Returns
        -------
        Picture
            The forest plot.
        """
        return self.picture("forest")

    def _drawn_rows(self, model: _core.Model, X: Any, codes: np.ndarray, wanted: dict[str, Any]) -> _core.Picture:
        frame = self._table(X) if hasattr(self, "_table") else None
        if frame is not None:
            return _core.picture_of_frame(frame, model, codes, wanted)
        return _core.picture_of_rows(model, core_rows(self._checked(X, reset=False)), codes, wanted, self._threshold(), self._gaps)

    def _report(self, X: Any, codes: np.ndarray, weights: np.ndarray | None, no_rows: bool) -> str:
        model = self._finished_model()
        frame = self._table(X) if hasattr(self, "_table") else None
        if frame is not None:
            return _core.report_of_frame(frame, model, codes, weights, no_rows)
        return _core.report_of_rows(model, core_rows(self._checked(X, reset=False)), codes, weights, no_rows, self._threshold(), self._gaps)
