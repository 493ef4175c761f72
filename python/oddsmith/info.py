"""Information: entropies, divergences, mutual information, capacity, codes, and cuts by description length.

Probabilities must add up to 1, and are never rescaled silently; counts are said to be counts. Logarithms are to base 2 (bits) unless another base
is asked for. A zero probability costs nothing where it is never needed, and makes a divergence infinite where it is.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from .exceptions import DataError, ParameterError

__all__ = [
    "Capacity",
    "MdlDiscretizer",
    "MutualInformation",
    "channel_capacity",
    "code_words",
    "cross_entropy",
    "decode_labels",
    "encode_labels",
    "entropy",
    "gaussian_entropy",
    "gaussian_kl",
    "gaussian_mutual_information",
    "jensen_shannon",
    "kl_divergence",
    "mutual_information",
    "neighbour_information",
]


class MutualInformation(NamedTuple):
    """Mutual information of a table of counts, with what is known of its precision."""

    mutual_information: float
    corrected: float
    bias: float
    std_error: float
    conf_low: float
    conf_high: float
    g: float
    df: float
    p_value: float
    row_entropy: float
    column_entropy: float
    joint_entropy: float


class Capacity(NamedTuple):
    """Capacity of a channel: both bounds, the input that achieves it and its output."""

    capacity: float
    lower: float
    upper: float
    input: np.ndarray
    output: np.ndarray


def _unit(base: float) -> float:
    if not (base > 1 and math.isfinite(base)):
        raise ParameterError(f"base = {base} is not accepted: a number above 1, such as 2, math.e or 10")
    return math.log(base)


def _rows(p: Any, axis: int) -> tuple[np.ndarray, tuple[int, ...]]:
    array = np.asarray(p, dtype=np.float64)
    if array.ndim == 0:
        raise DataError("a distribution is a list of numbers, not a single one")
    moved = np.moveaxis(array, axis, -1)
    return np.ascontiguousarray(moved.reshape(-1, moved.shape[-1])), moved.shape[:-1]


def _shaped(values: np.ndarray, shape: tuple[int, ...], base: float) -> Any:
    values = values / _unit(base)
    return float(values[0]) if shape == () else values.reshape(shape)


def entropy(p: Any, *, base: float = 2.0, counts: bool = False, axis: int = -1) -> Any:
    """Entropy of distributions along an axis.

    Parameters
    ----------
    p : array-like
        Probabilities that add up to 1 along `axis`, or counts.
    base : float, default=2
        Base of logarithms: 2 for bits, `math.e` for nats.
    counts : bool, default=False
        Whether the numbers are counts.
    axis : int, default=-1
        Along which a distribution lies.

    Returns
    -------
    float or ndarray
        One entropy for each distribution.

    Examples
    --------
    >>> from oddsmith.info import entropy
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    """
    rows, shape = _rows(p, axis)
    return _shaped(_core.info_entropy(rows, counts), shape, base)


def _divergence(p: Any, q: Any, what: str, base: float, counts: bool, axis: int) -> Any:
    p, q = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64))
    (left, shape), (right, _) = _rows(p, axis), _rows(q, axis)
    return _shaped(_core.info_divergence(left, right, counts, what), shape, base)


def cross_entropy(p: Any, q: Any, *, base: float = 2.0, counts: bool = False, axis: int = -1) -> Any:
    """Cross-entropy H(p, q) = H(p) + D(p‖q): what `p` costs in the code of `q`.

    Parameters are those of `entropy`; shapes are broadcast.

    Examples
    --------
    >>> from oddsmith.info import cross_entropy
    >>> cross_entropy([0.5, 0.5], [0.25, 0.75]) > 1
    True
    """
    return _divergence(p, q, "cross", base, counts, axis)


def kl_divergence(p: Any, q: Any, *, base: float = 2.0, counts: bool = False, axis: int = -1) -> Any:
    """Relative entropy (Kullback–Leibler divergence) D(p‖q); infinite where `q` is 0 and `p` is not.

    Parameters are those of `entropy`; shapes are broadcast.

    Examples
    --------
    >>> from oddsmith.info import kl_divergence
    >>> kl_divergence([0.5, 0.5], [1.0, 0.0])
    inf
    """
    return _divergence(p, q, "kl", base, counts, axis)


def jensen_shannon(p: Any, q: Any, *, base: float = 2.0, counts: bool = False, axis: int = -1) -> Any:
    """Jensen–Shannon divergence, from 0 to 1 bit; its square root is scipy's `jensenshannon`.

    Parameters are those of `entropy`; shapes are broadcast.

    Examples
    --------
    >>> from oddsmith.info import jensen_shannon
    >>> jensen_shannon([1.0, 0.0], [0.0, 1.0])
    1.0
    """
    return _divergence(p, q, "js", base, counts, axis)


def mutual_information(table: Any, *, base: float = 2.0, level: float = 0.95) -> MutualInformation:
    """Mutual information of the two variables of a table of counts.

    Parameters
    ----------
    table : array-like of shape (n_rows, n_columns)
        Counts.
    base : float, default=2
        Base of logarithms.
    level : float, default=0.95
        Coverage of the interval.

    Returns
    -------
    MutualInformation
        The plug-in estimate, what it is less its bias, standard error, interval, the G test of independence, and entropies.

    Examples
    --------
    >>> from oddsmith.info import mutual_information
    >>> mutual_information([[10, 0], [0, 10]]).mutual_information
    1.0
    """
    array = np.ascontiguousarray(np.asarray(table, dtype=np.float64))
    if array.ndim != 2:
        raise DataError(f"a table of two variables has two dimensions, not {array.ndim}")
    found = _core.info_table(array, level)
    unit = _unit(base)
    kept = {"g", "df", "p_value"}
    return MutualInformation(**{name: value if name in kept else value / unit for name, value in found.items()})


def _codes(y: Any) -> tuple[np.ndarray, np.ndarray]:
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return classes, np.ascontiguousarray(codes.reshape(-1), dtype=np.uint32)


def neighbour_information(x: Any, y: Any, *, n_neighbors: int = 3, base: float = 2.0) -> float:
    """Mutual information of a number with a class from nearest neighbours (Ross), without added noise.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        Numbers. Values that tie make the estimate worthless: more than one in twenty are an error.
    y : array-like of shape (n_samples,)
        Classes.
    n_neighbors : int, default=3
        Which neighbour of the same class sets the distance.
    base : float, default=2
        Base of logarithms.

    Returns
    -------
    float
        The estimate; by chance it may be a little below 0.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith.info import neighbour_information
    >>> x = np.arange(100.0) ** 1.1
    >>> round(neighbour_information(x, x > x[49]), 1)
    1.0
    """
    classes, codes = _codes(y)
    x = np.ascontiguousarray(np.asarray(x, dtype=np.float64).reshape(-1))
    found = _core.info_neighbours(x, codes, len(classes), n_neighbors)
    if found is None:
        raise DataError("no class has two rows, so there are no neighbours of the same class")
    estimate, ties = found
    if ties > 0.05:
        raise DataError(f"{100 * ties:.0f} % of the values occur more than once; use mutual_information of a table of counts")
    return estimate / _unit(base)


def _normal(mean: Any, covariance: Any) -> tuple[np.ndarray, np.ndarray]:
    mean = np.ascontiguousarray(np.atleast_1d(np.asarray(mean, dtype=np.float64)))
    covariance = np.ascontiguousarray(np.atleast_2d(np.asarray(covariance, dtype=np.float64)))
    return mean, covariance


def gaussian_entropy(covariance: Any, *, base: float = 2.0) -> float:
    """Differential entropy of a normal distribution with this covariance (a variance, or a matrix); it may be negative.

    Examples
    --------
    >>> from oddsmith.info import gaussian_entropy
    >>> round(gaussian_entropy(1.0), 6)
    2.047096
    """
    covariance = np.atleast_2d(np.asarray(covariance, dtype=np.float64))
    return _core.info_gaussian(*_normal(np.zeros(len(covariance)), covariance), None, None) / _unit(base)


def gaussian_kl(mean: Any, covariance: Any, other_mean: Any, other_covariance: Any, *, base: float = 2.0) -> float:
    """Relative entropy of one normal distribution from another.

    Examples
    --------
    >>> import math
    >>> from oddsmith.info import gaussian_kl
    >>> round(gaussian_kl(0, 1, 1, 4, base=math.e), 6)
    0.443147
    """
    return _core.info_gaussian(*_normal(mean, covariance), _normal(other_mean, other_covariance), None) / _unit(base)


def gaussian_mutual_information(covariance: Any, *, first: int = 1, base: float = 2.0) -> float:
    """Mutual information between the first variables of a normal distribution and all others.

    Examples
    --------
    >>> import math
    >>> from oddsmith.info import gaussian_mutual_information
    >>> round(gaussian_mutual_information([[1, 0.5], [0.5, 1]], base=math.e), 6)
    0.143841
    """
    covariance = np.atleast_2d(np.asarray(covariance, dtype=np.float64))
    return _core.info_gaussian(*_normal(np.zeros(len(covariance)), covariance), None, first) / _unit(base)


def channel_capacity(channel: Any, *, base: float = 2.0) -> Capacity:
    """Capacity of a channel, whose row x holds the probabilities of the outputs after input x.

    Examples
    --------
    >>> from oddsmith.info import channel_capacity
    >>> round(channel_capacity([[0.9, 0.1], [0.1, 0.9]]).capacity, 6)
    0.531004
    """
    array = np.ascontiguousarray(np.asarray(channel, dtype=np.float64))
    if array.ndim != 2:
        raise DataError(f"a channel has two dimensions, inputs and outputs, not {array.ndim}")
    lower, upper, given, output = _core.info_capacity(array)
    unit = _unit(base)
    return Capacity((lower + upper) / (2 * unit), lower / unit, upper / unit, given, output)


def code_words(p: Any, *, counts: bool = False, code: str = "huffman", limit: int | None = None) -> list[str | None]:
    """Words of a prefix-free code: Huffman's, Shannon's, or the shortest with words of at most `limit` bits.

    Examples
    --------
    >>> from oddsmith.info import code_words
    >>> code_words([0.5, 0.25, 0.125, 0.125])
    ['0', '10', '110', '111']
    """
    if code not in ("huffman", "shannon"):
        raise ParameterError(f"code = {code!r} is not accepted: 'huffman' or 'shannon'")
    array = np.ascontiguousarray(np.asarray(p, dtype=np.float64).reshape(-1))
    return _core.info_words(array, counts, code, limit)


def _probabilities(probabilities: Any) -> np.ndarray:
    array = np.asarray(probabilities, dtype=np.float64)
    if array.ndim == 1:
        array = np.column_stack([1 - array, array])
    if array.ndim != 2:
        raise DataError(f"probabilities have one dimension (of the second class) or two, not {array.ndim}")
    return np.ascontiguousarray(array)


def encode_labels(labels: Any, probabilities: Any) -> bytes:
    """Labels 0 … K−1 by arithmetic coding, each in −log₂ of its probability: the whole is as long as their log loss in bits.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Codes of classes, from 0.
    probabilities : array-like of shape (n_samples, n_classes) or (n_samples,)
        What both ends know: probabilities of the classes, or of class 1.

    Returns
    -------
    bytes
        The stream; `decode_labels` reads it back with the same probabilities.

    Examples
    --------
    >>> from oddsmith.info import decode_labels, encode_labels
    >>> p = [0.1, 0.9, 0.8, 0.2]
    >>> decode_labels(encode_labels([0, 1, 1, 0], p), p).tolist()
    [0, 1, 1, 0]
    """
    return _core.info_encode(np.ascontiguousarray(labels, dtype=np.uint32), _probabilities(probabilities))


def decode_labels(stream: bytes, probabilities: Any) -> np.ndarray:
    """The labels of a stream that `encode_labels` wrote with the same probabilities; a stream that goes on after them is an error."""
    return _core.info_decode(stream, _probabilities(probabilities))


class MdlDiscretizer(TransformerMixin, BaseEstimator):
    """Cuts numbers into intervals that pay for themselves by description length (Fayyad and Irani).

    Attributes
    ----------
    cut_points_ : list of ndarray
        Cuts of every column; none where no cut pays.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from oddsmith.info import MdlDiscretizer
    >>> X, y = load_iris(return_X_y=True)
    >>> MdlDiscretizer().fit(X, y).cut_points_[2].round(2).tolist()
    [2.45, 4.75]
    """

    def fit(self, X: Any, y: Any) -> MdlDiscretizer:
        """Finds the cuts."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        classes, codes = _codes(y)
        self.cut_points_ = []
        for column in np.ascontiguousarray(X.T):
            pairs = _core.info_mdl_cuts(column, codes, len(classes))
            self.cut_points_.append(np.array([low / 2 + high / 2 for low, high in pairs], dtype=np.float64))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The number of the interval of every value, from 0; NaN stays NaN."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        codes = np.empty_like(X)
        for j, cuts in enumerate(self.cut_points_):
            codes[:, j] = np.where(np.isnan(X[:, j]), np.nan, np.searchsorted(cuts, X[:, j], side="right"))
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags
