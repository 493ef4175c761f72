"""Trees behind scikit-learn's door: the class, and its tree as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _checks
from ._classes import MADE
from .exceptions import ParameterError

__all__ = ["DecisionTreeClassifier", "export_text"]

DecisionTreeClassifier = MADE["DecisionTreeClassifier"]

_OR_MISSING = " or missing"


def export_text(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_depth: int | None = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """Give a tree as indented text, in scikit-learn's layout.

    Splits ask ``x <  t`` where scikit-learn's ask ``x <= t``; a split of a category lists its levels, and a branch that rows without the value take says so.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier
        A fitted tree of oddsmith.
    feature_names : array-like of shape (n_features,), default=None
        What columns are called; ``None`` takes the names of the data frame of the fit, or ``feature_0``, ``feature_1`` … for an array.
    class_names : array-like of shape (n_classes,), default=None
        What classes are called; ``None`` takes ``classes_``.
    max_depth : int, default=10
        Levels that are written; how deep the tree is below them is said. ``None`` writes all.
    spacing : int, default=3
        Spaces from one level to the next.
    decimals : int, default=2
        Decimals of thresholds and weights.
    show_weights : bool, default=False
        Whether the weights of the classes stand before the class of a leaf.

    Returns
    -------
    str
        A line for every node below the root: the condition under which rows come there, and at a leaf the most probable class.

    Examples
    --------
    >>> from oddsmith import DecisionTreeClassifier, export_text
    >>> tree = DecisionTreeClassifier(leaf_smoothing=0).fit([[0.0], [1.0], [2.0], [3.0]], ["ash", "ash", "elm", "elm"])
    >>> print(export_text(tree, feature_names=["height"], show_weights=True))
    |--- height <  1.50
    |   |--- weights: [2.00, 0.00] class: ash
    |--- height >= 1.50
    |   |--- weights: [0.00, 2.00] class: elm
    <BLANKLINE>
    """
    if not isinstance(decision_tree, DecisionTreeClassifier):
        raise ParameterError(f"decision_tree = {decision_tree!r} is not accepted: a DecisionTreeClassifier of oddsmith")
    check_is_fitted(decision_tree)
    for name, value, least in (("max_depth", max_depth, 0), ("spacing", spacing, 1), ("decimals", decimals, 0)):
        if value is not None or name != "max_depth":
            _checks.whole(name, value, least)
    _checks.flag("show_weights", show_weights)
    model = decision_tree._finished_model()
    features = _named("feature_names", feature_names, getattr(decision_tree, "feature_names_in_", None), model.names)
    classes = _named("class_names", class_names, decision_tree.classes_, model.class_labels)
    nodes = _Nodes(model.tidy(), dict(zip(model.names, features, strict=True)), dict(zip(model.class_labels, classes, strict=True)), decimals)
    edge, deepest = "|" + " " * spacing, np.inf if max_depth is None else max_depth
    lines = [f"{edge * depth}|{'-' * spacing} {text}\n" for depth, text in nodes.lines(0, deepest, show_weights)]
    return "".join(lines)


def _named(name: str, given: Sequence[str] | None, own: Any, known: Sequence[str]) -> list[str]:
    """What columns or classes are called: as it is given, as they call themselves, or by number."""
    if given is None:
        return [str(one) for one in own] if own is not None else [f"feature_{at}" for at in range(len(known))]
    if len(given) != len(known):
        # In scikit-learn's words.
        raise ParameterError(f"{name} must contain {len(known)} elements, got {len(given)}")
    return [str(one) for one in given]


class _Nodes:
    """The nodes of a tree, each before those below it."""

    def __init__(self, tidy: dict[str, list[Any]], features: dict[str, str], classes: dict[str, str], decimals: int) -> None:
        self.tidy, self.features, self.classes, self.decimals = tidy, features, classes, decimals
        self.below: dict[int, list[int]] = {}
        for at, parent in enumerate(tidy["parent"]):
            if parent is not None:
                self.below.setdefault(parent - 1, []).append(at)

    def lines(self, node: int, deepest: float, show_weights: bool) -> Iterator[tuple[int, str]]:
        """What is written of a node and of those below it, each with its depth."""
        depth, below = self.tidy["depth"][node], self.below.get(node, ())
        if not below:
            yield depth, self.leaf(node, show_weights)
        elif depth > deepest:
            yield depth, f"truncated branch of depth {self.depth(node)}"
        else:
            for branch in below:
                yield depth, self.condition(node, branch)
                yield from self.lines(branch, deepest, show_weights)

    def depth(self, node: int) -> int:
        """Nodes from this one to the deepest below it."""
        return 1 + max(map(self.depth, self.below.get(node, ())), default=0)

    def leaf(self, node: int, show_weights: bool) -> str:
        best = max(self.classes, key=lambda label: self.tidy[f"p_{label}"][node])
        weights = ", ".join(f"{self.tidy[f'weight_{label}'][node]:.{self.decimals}f}" for label in self.classes)
        return f"{f'weights: [{weights}] ' if show_weights else ''}class: {self.classes[best]}"

    def condition(self, node: int, branch: int) -> str:
        """Under which condition rows go from a node into a branch."""
        column, threshold, said = self.tidy["column"][node], self.tidy["threshold"][node], self.tidy["condition"][branch]
        if threshold is None:
            return self.features[column] + said.removeprefix(column)
        sign = "< " if branch == self.below[node][0] else ">="
        return f"{self.features[column]} {sign} {threshold:.{self.decimals}f}{_OR_MISSING if said.endswith(_OR_MISSING) else ''}"
