"""k nearest neighbours behind scikit-learn's door."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from . import _checks
from ._inputs import core_rows
from .declared import DeclaredClassifier
from .exceptions import ParameterError

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(DeclaredClassifier):
    """k nearest neighbours: exact, by the distances of Euclid, with ties shared.

    All rows at the distance of the k-th neighbour share the votes that are left, so the order of rows changes nothing; ``ties='row'`` gives them
    to the first rows, as scikit-learn does. A data frame may hold categories, which are equal or not, and gaps, which are left out of a distance.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours; ``None`` chooses the one with the least log loss of rows that are left out one by one.
    weights : {'uniform', 'distance', None}, default='uniform'
        What a neighbour's vote counts: all alike (``None``, too), or 1/distance, where rows at distance 0 take all.
    algorithm : {'auto', 'ball_tree', 'kd_tree', 'brute'}, default='auto'
        Accepted for compatibility: all of scikit-learn's find the same neighbours, and one search serves for all.
    leaf_size : int, default=30
        Accepted for compatibility; there is no tree.
    p : float, default=2
        Power of the distance; 2 is the only one.
    metric : {'minkowski', 'euclidean', 'l2', 'nan_euclidean'}, default='minkowski'
        The distance; that of Euclid is the only one, and 'nan_euclidean' lets NaN in arrays be gaps, which are left out of a distance.
    metric_params : dict, default=None
        Not accepted; there is nothing to set.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.
    alpha : float, default=0.0
        Votes that every class has beforehand: p = (votes + alpha)/(k + alpha K). With 0 a probability may be 0.
    ties : {'share', 'row'}, default='share'
        Rows at the distance of the k-th neighbour: all share the votes that are left, or the first rows take them.
    standardize : {'none', 'deviation'}, default='none'
        Unit of number columns: as they are, as in scikit-learn, or their standard deviation.
    most_k : int, default=50
        Largest number of neighbours that is tried where `n_neighbors` is ``None``.
    kinds : dict, default=None
        The kind of columns of a data frame that should not be read as their type suggests.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_samples_fit_ : int
        Number of rows that are kept.
    n_neighbors_ : int
        Number of neighbours.
    effective_metric_ : str
        The distance.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> from oddsmith import KNeighborsClassifier
    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[0.9]]).round(4)
    array([[0.6667, 0.3333]])
    """

    _declared = "knn"
    _forms = ("numbers",)

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
        alpha=0.0,
        ties="share",
        standardize="none",
        most_k=50,
        kinds=None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.alpha = alpha
        self.ties = ties
        self.standardize = standardize
        self.most_k = most_k
        self.kinds = kinds

    @property
    def _gaps(self) -> bool:  # type: ignore[override]
        return self.metric == "nan_euclidean"

    def _weight_column(self) -> str | None:
        # `weights` says how neighbours vote, as in scikit-learn.
        return None

    def _options(self) -> dict[str, Any]:
        if callable(self.weights):
            raise ParameterError("weights = a function is not accepted: 'uniform' or 'distance', which a model file can keep")
        if self.weights is not None:
            _checks.one_of("weights", self.weights, ("uniform", "distance"))
        _checks.one_of("algorithm", self.algorithm, ("auto", "ball_tree", "kd_tree", "brute"))
        if self.metric not in ("minkowski", "euclidean", "l2", "nan_euclidean") or self.p != 2:
            raise ParameterError(f"metric = {self.metric!r} with p = {self.p!r} is not accepted: the distance is that of Euclid (p = 2)")
        if self.metric_params:
            raise ParameterError(f"metric_params = {self.metric_params!r} is not accepted: the distance of Euclid has none")
        options = {"vote": self.weights or "uniform", "alpha": self.alpha, "ties": self.ties, "standardize": self.standardize, "most-k": self.most_k}
        return options if self.n_neighbors is None else {"k": self.n_neighbors, **options}

    def _show(self) -> None:
        self.n_samples_fit_, self.effective_metric_ = len(self._model.arrays()["rows.labels"]), "euclidean"
        self.n_neighbors_ = self._k()

    def _k(self) -> int:
        return int(json.loads(self._model.head())["account"]["k"])

    def _ask(self, X: Any, question: str) -> np.ndarray:
        """As ever; ``None`` asks for the rows of the fit, each by the others, as in scikit-learn."""
        if X is not None:
            return super()._ask(X, question)
        check_is_fitted(self)
        p = self._left_out()
        with np.errstate(divide="ignore"):
            return {"probabilities": p, "scores": np.log(p), "decide": p.argmax(axis=1)}[question]

    def _left_out(self) -> np.ndarray:
        """Probabilities of the rows of the fit by the votes of the others."""
        account = json.loads(self._model.head())["account"]
        counts, _, _, classes, votes = self._model.nearest_others(account["k"])
        sums = np.full((len(counts), len(self.classes_)), account["alpha"], dtype=float)
        np.add.at(sums, (np.repeat(np.arange(len(counts)), counts.astype(np.int64)), classes.astype(np.int64)), votes)
        return sums / (account["k"] + account["alpha"] * len(self.classes_))

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Give the nearest rows of the fit.

        Parameters
        ----------
        X : data frame or array-like of shape (n_queries, n_features), default=None
            The rows whose neighbours are looked for; ``None`` are the rows of the fit, each among the others.
        n_neighbors : int, default=None
            How many; as many as vote unless it is given.
        return_distance : bool, default=True
            Whether distances are given, too.

        Returns
        -------
        ndarray, or pair of them
            Distances and numbers of rows of the fit, from 0, in rising distance; of equally far ones the first.
        """
        check_is_fitted(self)
        k = self._k() if n_neighbors is None else n_neighbors
        counts, distances, rows, _, _ = self._model.nearest_others(k) if X is None else self._nearest(X, k)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)
        places = starts[:, None] + np.arange(k)
        rows = rows[places].astype(np.int64)
        return (distances[places], rows) if return_distance else rows

    def _nearest(self, X: Any, k: int) -> tuple[np.ndarray, ...]:
        """How many neighbours of every row are listed, then distances, rows, classes and votes end to end."""
        frame = self._table(X)
        if frame is not None:
            return frame.nearest(self._model, k)
        return self._model.nearest(core_rows(self._checked(X, reset=False)), k, self._gaps)

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> sparse.csr_matrix:
        """Give the nearest rows of the fit as a sparse matrix.

        Parameters
        ----------
        X : data frame or array-like of shape (n_queries, n_features), default=None
            The rows whose neighbours are looked for; ``None`` are the rows of the fit, each among the others.
        n_neighbors : int, default=None
            How many; as many as vote unless it is given.
        mode : {'connectivity', 'distance'}, default='connectivity'
            Whether neighbours have a one or their distance.

        Returns
        -------
        csr_matrix of shape (n_queries, n_samples_fit)
            A line for every row, with as many entries as there are neighbours.
        """
        _checks.one_of("mode", mode, ("connectivity", "distance"))
        distances, rows = self.kneighbors(X, n_neighbors)
        entries = np.ones(rows.size) if mode == "connectivity" else distances.ravel()
        ends = np.arange(0, rows.size + 1, rows.shape[1])
        return sparse.csr_matrix((entries, rows.ravel(), ends), shape=(len(rows), self.n_samples_fit_))
