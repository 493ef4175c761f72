"""Everything about a model in one HTML file that asks for nothing."""

from __future__ import annotations

import html
import os
from typing import Any

from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._inputs import codes_among, row_weights
from ._tables import parted
from .exceptions import UnsupportedError

__all__ = ["Report", "report"]


class Report:
    """A report, as `report` gives it.

    Attributes
    ----------
    html : str
        The page.
    """

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path
            Where to write; an existing file is replaced as a whole or not at all.
        """
        _core.write_file(path, self.html.encode())

    def _repr_html_(self) -> str:
        # A page of its own within the notebook: its style sheet and its script touch nothing else.
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="800" title="Report"></iframe>'

    def __repr__(self) -> str:
        return f"Report of {len(self.html.encode()) / 1000:.0f} KB; save('report.html') writes it"


def report(model: Any, X: Any, y: Any, *, sample_weight: Any = None, no_rows: bool = False) -> Report:
    """Report on a fitted classifier of oddsmith and what it says about rows with known classes.

    The rows should be others than those of the fit: figures of a model's own rows flatter it.

    Parameters
    ----------
    model : classifier
        A fitted estimator of oddsmith.
    X : data frame or array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or str
        The class of every row, or the column of the data frame that holds it.
    sample_weight : array-like of shape (n_samples,) or str, default=None
        How many rows each stands for.
    no_rows : bool, default=False
        Leave out everything that shows a single row.

    Returns
    -------
    Report
        The page; ``save`` writes it.

    Examples
    --------
    >>> import numpy as np
    >>> import oddsmith
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> X = rng.normal(size=(300, 2)) + y[:, None]
    >>> page = oddsmith.report(oddsmith.GaussianNB().fit(X[:200], y[:200]), X[200:], y[200:])
    >>> "Which threshold?" in page.html
    True
    """
    if not hasattr(model, "_report"):
        raise UnsupportedError(f"a report is made of oddsmith's own models; {type(model).__name__} is none (`evaluate` judges any classifier)")
    check_is_fitted(model)
    X, (y, sample_weight) = parted(X, [y, sample_weight])
    codes = codes_among(column_or_1d(y), model.classes_)
    return Report(model._report(X, codes, row_weights(sample_weight, X), no_rows))
