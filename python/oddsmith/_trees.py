"""What scikit-learn's trees have beside what every declared model has: importances, leaves, paths and text."""

from __future__ import annotations

import inspect
import json
from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ._class_weights import WeighsClasses
from ._inputs import core_rows
from .exceptions import ParameterError

#: Rows beyond which boosting stops early where that is left to it, in scikit-learn and so here.
_MANY_ROWS = 10_000


class WorthOfColumns:
    """A model that knows what its columns are worth, and takes gaps as they are."""

    _gaps = True

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        if options.get("criterion") == "log_loss":
            # Two names of one criterion, there as here.
            options["criterion"] = "entropy"
        for name in ("min_samples_split", "min_samples_leaf"):
            value = getattr(self, name, None)
            if isinstance(value, float) and 0 < value < 1:
                raise ParameterError(f"{name} = {value!r} is not accepted: a share of the rows is not to be had; give their number")
        if isinstance(options.get("random-state"), np.random.RandomState):
            options["random-state"] = int(options["random-state"].randint(np.iinfo(np.int32).max))
        return options

    #: Columns of `tidy` in which that may stand.
    _worth: tuple[str, ...] = ("gain_share", "bits_lost_when_shuffled", "gain")

    @property
    def feature_importances_(self) -> np.ndarray:
        """What every column is worth as a share of all.

        Returns
        -------
        ndarray of shape (n_features,)
            Shares that add up to one, or zeros where no column is worth anything. `tidy` says what is measured, in its own unit.
        """
        check_is_fitted(self)
        tidy = self._finished_model().tidy()
        worth = np.maximum(np.asarray(next(tidy[name] for name in self._worth if name in tidy), dtype=float), 0.0)
        return worth / worth.sum() if worth.sum() > 0 else worth


def _indicator(lengths: np.ndarray, nodes: np.ndarray, width: int) -> sparse.csr_matrix:
    """Ones at the nodes of every row, which are listed end to end."""
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return sparse.csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes.astype(np.int64), ends), shape=(len(lengths), width))


class Trees(WorthOfColumns):
    """A model of trees, through which rows can be followed."""

    #: A single target.
    n_outputs_ = 1

    @property
    def n_classes_(self) -> int:
        """How many classes there are.

        Returns
        -------
        int
            Classes.
        """
        check_is_fitted(self)
        return len(self.classes_)


    def _ways(self, X: Any, *, whole: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Nodes of every tree, how many nodes are listed by row and tree, and these end to end."""
        check_is_fitted(self)
        model, frame = self._finished_model(), self._table(X)
        return model.paths(core_rows(self._checked(X, reset=False)), self._gaps, whole) if frame is None else frame.paths(model, whole)


class ManyTrees(Trees):
    """Trees side by side."""

    #: ``None`` are all columns, as in scikit-learn, so the default has a name.
    _beside = {"max_features": "sqrt", "oob_score": False}

    def _options(self) -> dict[str, Any]:
        if not isinstance(self.oob_score, bool):
            raise ParameterError(f"oob_score = {self.oob_score!r} is not accepted: True or False; `oob_decision_function_` can be judged by anything")
        whole = self.max_features is None or (isinstance(self.max_features, float) and self.max_features == 1.0)
        options = super()._options() | ({"max-features": "all"} if whole else {})
        return options | ({"keep-out-of-bag": True} if self.oob_score else {})

    @property
    def oob_score_(self) -> float:
        """The accuracy of rows by the trees that have not seen them.

        Returns
        -------
        float
            The share of weight that is called rightly, over the rows that some tree has not seen.
        """
        check_is_fitted(self)
        judged = json.loads(self._finished_model().head())["out_of_bag"]
        if judged is None:
            raise AttributeError("oob_score_: every tree has seen every row")
        return float(judged[2])

    @property
    def oob_decision_function_(self) -> np.ndarray:
        """The probabilities of every row of the fit by the trees that have not seen it.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, or NaN for a row that every tree has seen; rows of weight 0 are left out. With ``oob_score=True`` alone.
        """
        check_is_fitted(self)
        kept = self._finished_model().arrays().get("out_of_bag")
        if kept is None:
            raise AttributeError("oob_decision_function_: they are kept with oob_score=True alone")
        kept = kept.reshape(-1, len(self.classes_))
        return np.where(kept.sum(axis=1, keepdims=True) > 0, kept, np.nan)

    def apply(self, X: Any) -> np.ndarray:
        """Give the leaf of every row in every tree.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
            Numbers of nodes from 0: a node, its left branch, its right branch.
        """
        sizes, _, nodes = self._ways(X, whole=False)
        return nodes.astype(np.int64).reshape(-1, len(sizes))

    def decision_path(self, X: Any) -> tuple[sparse.csr_matrix, np.ndarray]:
        """Give the nodes that every row comes through.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes), ndarray of shape (n_estimators + 1,)
            One where a row comes through a node, the nodes of all trees side by side; and where those of every tree start.
        """
        sizes, lengths, nodes = self._ways(X, whole=True)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        lengths = lengths.reshape(-1, len(sizes))
        shifted = nodes.astype(np.int64) + np.repeat(np.tile(starts[:-1], len(lengths)), lengths.ravel().astype(np.int64))
        return _indicator(lengths.sum(axis=1), shifted, int(starts[-1])), starts


class OneTree(Trees):
    """A single tree: its importances are the gains of its splits, and rows come to leaves."""

    @property
    def feature_importances_(self) -> np.ndarray:
        """What the splits of every column gained, as a share of all.

        Returns
        -------
        ndarray of shape (n_features,)
            Shares that add up to one, or zeros where the tree is its root. They favour columns of many values.
        """
        check_is_fitted(self)
        model = self._finished_model()
        tidy = model.tidy()
        gains = tidy["bits" if "bits" in tidy else "gini"]
        worth = np.zeros(len(model.names))
        for column, gain in zip(tidy["column"], gains, strict=True):
            if column is not None and column in model.names:
                worth[model.names.index(column)] += gain
        return worth / worth.sum() if worth.sum() > 0 else worth

    def get_depth(self) -> int:
        """Give the depth of the tree.

        Returns
        -------
        int
            Splits between the root and the deepest leaf.
        """
        check_is_fitted(self)
        return int(max(self._finished_model().tidy()["depth"]))

    def get_n_leaves(self) -> int:
        """Give the number of leaves.

        Returns
        -------
        int
            Leaves of the tree.
        """
        check_is_fitted(self)
        return (len(self._finished_model().tidy()["node"]) + 1) // 2

    def apply(self, X: Any) -> np.ndarray:
        """Give the leaf of every row.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of nodes from 0, as in `tidy` (which counts from 1).
        """
        return self._ways(X, whole=False)[2].astype(np.int64)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Give the nodes that every row comes through.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            One where a row comes through a node.
        """
        sizes, lengths, nodes = self._ways(X, whole=True)
        return _indicator(lengths, nodes, int(sizes[0]))

    def export_text(self, decimals: int = 2, show_weights: bool = False) -> str:
        """Give the tree as indented text.

        Parameters
        ----------
        decimals : int, default=2
            Decimals of probabilities.
        show_weights : bool, default=False
            Whether the weights of the classes stand beside their probabilities.

        Returns
        -------
        str
            A line for every node: the condition under which rows come there, and at a leaf the most probable class.
        """
        check_is_fitted(self)
        tidy, labels = self._finished_model().tidy(), self._finished_model().class_labels
        inner = set(tidy["parent"][1:])
        lines = []
        for at, (node, depth, condition) in enumerate(zip(tidy["node"], tidy["depth"], tidy["condition"], strict=True)):
            if at > 0:
                lines.append(f"{'|   ' * (depth - 1)}|--- {condition}")
            if node not in inner:
                p = [tidy[f"p_{label}"][at] for label in labels]
                best = int(np.argmax(p))
                weights = f" weights: {[tidy[f'weight_{label}'][at] for label in labels]}" if show_weights else ""
                lines.append(f"{'|   ' * depth}|--- class: {labels[best]} ({p[best]:.{decimals}f}){weights}")
        return "\n".join(lines) + "\n"


class Rounds(WorthOfColumns):
    """A sum of trees, round after round."""

    _said = {
        "early_stopping": (
            "bool or 'auto'",
            f"Stop when held-out rows have not gained for `n_iter_no_change` rounds; 'auto' does so beyond {_MANY_ROWS:,} rows, as scikit-learn does.",
        )
    }

    def _of_rows(self, options: dict[str, Any], rows: int | None) -> dict[str, Any]:
        if isinstance(self.early_stopping, str) and self.early_stopping != "auto":
            raise ParameterError(f"early_stopping = {self.early_stopping!r} is not accepted: True, False or 'auto'")
        if options.get("early-stopping") != "auto":
            return options
        if rows is None:
            raise ParameterError("early_stopping = 'auto' is not accepted: it asks for the number of rows, which nobody knows before the first pass; say True or False")
        return options | {"early-stopping": rows > _MANY_ROWS}

    @property
    def n_iter_(self) -> int:
        """How many rounds the model has.

        Returns
        -------
        int
            Rounds; fewer than `max_iter` where early stopping stopped them.
        """
        check_is_fitted(self)
        return len(self._finished_model().tables()["rounds"]["round"])


#: What the class of a model has beside what every declared model has, by the model's name in the registry.
BESIDE: dict[str, tuple[type, ...]] = {"tree": (OneTree, WeighsClasses), "forest": (ManyTrees, WeighsClasses), "boosting": (Rounds, WeighsClasses)}

#: Parameters that scikit-learn's classes take by their place, too.
_BY_PLACE: dict[str, tuple[str, ...]] = {"forest": ("n_estimators",), "boosting": ("loss",)}

_NO_BOUND = "no split is bound to a direction"
_AT_ONCE = "a fit always starts from nothing"
_SHARE = "min_samples_leaf counts rows, weights and all"
#: What scikit-learn's classes take and these do not: the value that asks for nothing, and why others are refused.
_ELSEWHERE: dict[str, dict[str, tuple[Any, str]]] = {
    "tree": {
        "splitter": ("best", "all splits of a column are tried, and the best is taken"),
        "min_weight_fraction_leaf": (0.0, _SHARE),
        "max_features": (None, "one tree tries all columns at every node; a forest draws them"),
        "max_leaf_nodes": (None, "a tree grows level by level; max_depth, min_samples_leaf and ccp_alpha bound it"),
        "monotonic_cst": (None, _NO_BOUND),
    },
    "forest": {
        "min_weight_fraction_leaf": (0.0, _SHARE),
        "max_leaf_nodes": (None, "trees grow level by level; max_depth and min_samples_leaf bound them"),
        "bootstrap": (True, "every tree has its own sample, in which a row is Poisson(1) times"),
        "verbose": (0, "nothing is printed"),
        "warm_start": (False, _AT_ONCE),
        "ccp_alpha": (0.0, "trees of a forest are not pruned; min_impurity_decrease stops them"),
        "max_samples": (None, "a sample has about as many rows as there are"),
        "monotonic_cst": (None, _NO_BOUND),
    },
    "boosting": {
        "loss": ("log_loss", "probabilities are fitted by their log loss"),
        "max_features": (1.0, "every split tries all columns"),
        "max_bins": (255, "a column has a bin for every value up to 255 of them, and 255 quantiles beyond"),
        "categorical_features": ("from_dtype", "columns of a data frame are what their types or `kinds` say"),
        "monotonic_cst": (None, _NO_BOUND),
        "interaction_cst": (None, "a tree may ask any columns one after the other"),
        "warm_start": (False, _AT_ONCE),
        "scoring": ("loss", "early stopping goes by the log loss"),
        "tol": (1e-7, "early stopping waits `n_iter_no_change` rounds for any lower loss"),
        "verbose": (0, "nothing is printed"),
    },
}


def _asks_nothing(value: Any, at_rest: Any) -> bool:
    """Whether a value is the one at rest; 0 and 0.0 are the same number, True is none."""
    if value is at_rest:
        return True
    if isinstance(value, bool | np.bool_) != isinstance(at_rest, bool):
        return False
    numbers = isinstance(value, Number) and isinstance(at_rest, Number)
    return (numbers or type(value) is type(at_rest)) and bool(value == at_rest)


def by_place(model: str) -> list[inspect.Parameter]:
    """The parameters that a class takes by their place, too."""
    return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None) for name in _BY_PLACE.get(model, ())]


def without_elsewhere(model: str, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters without those of scikit-learn that mean nothing here, which are refused unless they ask for nothing."""
    known = _ELSEWHERE.get(model, {})
    for name, (at_rest, why) in known.items():
        if name in given and not _asks_nothing(given[name], at_rest):
            raise ParameterError(f"{name} = {given[name]!r} is not accepted: {why}")
    return {name: value for name, value in given.items() if name not in known}
