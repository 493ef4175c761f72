"""What scikit-learn's trees have beside what every declared model has: importances, leaves, paths and text."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .exceptions import UnsupportedError

#: Bits of a stored node; see `docs/format.md`.
_LEAF, _GAP_LEFT, _GAP, _FEATURE = 2**32 - 1, 1 << 31, 1 << 29, (1 << 28) - 1


class WorthOfColumns:
    """A model that knows what its columns are worth."""

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


class OneTree(WorthOfColumns):
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
        X : array-like of shape (n_samples, n_features)
            The rows; numbers alone.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of nodes from 0, as in `tidy` (which counts from 1).
        """
        return self._walk(X)[-1]

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Give the nodes that every row comes through.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows; numbers alone.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            One where a row comes through a node.
        """
        steps = self._walk(X)
        rows = np.tile(np.arange(len(steps[0])), len(steps))
        nodes = np.concatenate(steps)
        size = len(self._finished_model().tidy()["node"])
        # A row that has come to its leaf stays there.
        pairs = np.unique(np.stack([rows, nodes]), axis=1)
        return sparse.csr_matrix((np.ones(pairs.shape[1], dtype=np.int64), (pairs[0], pairs[1])), shape=(len(steps[0]), size))

    def _walk(self, X: Any) -> list[np.ndarray]:
        """The nodes of all rows, step by step."""
        check_is_fitted(self)
        model = self._finished_model()
        if any(kind != "number" for _, kind in model.kinds):
            raise UnsupportedError("leaves are given for columns of numbers alone; `explain` takes rows of any columns apart")
        X = np.asarray(self._checked(X, reset=False), dtype=float)
        arrays = model.arrays()
        nodes = np.asarray(arrays["tree.nodes"]).reshape(-1, 2)
        thresholds, bits, right = np.asarray(arrays["tree.thresholds"]), nodes[:, 0], nodes[:, 1]
        at = np.zeros(len(X), dtype=np.int64)
        steps = [at]
        while (inner := bits[at] != _LEAF).any():
            asked = bits[at]
            values = X[np.arange(len(X)), np.where(inner, asked & _FEATURE, 0).astype(np.int64)]
            left = np.where(np.isnan(values), asked & _GAP_LEFT != 0, (asked & _GAP == 0) & (values < thresholds[at]))
            at = np.where(inner, np.where(left, at + 1, right[at]), at).astype(np.int64)
            steps.append(at)
        return steps

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
BESIDE: dict[str, tuple[type, ...]] = {"tree": (OneTree,), "forest": (WorthOfColumns,), "boosting": (Rounds,)}
