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
from ._arrow import table_of
from ._inputs import thread_count
from ._tables import maker
from .epi import Account
from .exceptions import DataError, ParameterError

__all__ = [
    "Capacity",
    "MdlDiscretizer",
    "ModelPosterior",
    "MutualInformation",
    "NumberPair",
    "channel_capacity",
    "code_words",
    "compare_evidence",
    "cross_entropy",
    "decode_column",
    "decode_labels",
    "encode_column",
    "encode_labels",
    "entropy",
    "gaussian_entropy",
    "gaussian_kl",
    "gaussian_mutual_information",
    "jensen_shannon",
    "kl_divergence",
    "label_bits",
    "mutual_info_classif",
    "mutual_information",
    "neighbour_information",
    "number_information",
    "screen",
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


class NumberPair(NamedTuple):
    """What two numbers tell about each other, by three estimates of one quantity.

    `neighbours` sees any kind of dependence, `binned` (with interval and test) loses a little of it, `normal` sees straight lines only.
    """

    neighbours: float
    binned: float
    conf_low: float
    conf_high: float
    p_value: float
    normal: float
    correlation: float


class ModelPosterior(NamedTuple):
    """Models compared by their evidence; Bayes factors are against the model under which the data are most likely."""

    posterior: np.ndarray
    bayes_factor: np.ndarray
    bits: np.ndarray
    decibans: np.ndarray
    two_part_bits: np.ndarray
    log_evidence: float


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


def number_information(x: Any, y: Any, *, n_neighbors: int = 3, level: float = 0.95, base: float = 2.0) -> NumberPair:
    """Mutual information of two numbers: from neighbours (Kraskov, Stögbauer, Grassberger), from quantile bins, from the correlation.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Numbers; pairs of which one is missing are left out. Where more than one in twenty values tie, neighbours say nothing (NaN).
    n_neighbors : int, default=3
        Which neighbour sets the distance.
    level : float, default=0.95
        Coverage of the interval of the binned estimate.
    base : float, default=2
        Base of logarithms.

    Returns
    -------
    NumberPair
        The three estimates, and the correlation.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith.info import number_information
    >>> x = np.linspace(-1, 1, 500) ** 3
    >>> number_information(x, np.abs(x) + x / 9).neighbours > 2
    True
    """
    x, y = (np.asarray(v, dtype=np.float64).reshape(-1) for v in (x, y))
    if len(x) != len(y):
        raise DataError(f"{len(x)} values of one number come with {len(y)} of the other")
    both = ~(np.isnan(x) | np.isnan(y))
    found = _core.info_number_pair(np.ascontiguousarray(x[both]), np.ascontiguousarray(y[both]), n_neighbors, level)
    unit, ties = _unit(base), found.pop("ties")
    if ties > 0.05:
        found["neighbours"] = math.nan
    kept = {"p_value", "correlation"}
    return NumberPair(**{name: value if name in kept else value / unit for name, value in found.items()})


def _small_codes(y: Any) -> tuple[int, np.ndarray]:
    """Codes of classes, without sorting whole numbers of a small range."""
    array = np.asarray(y).reshape(-1)
    if array.dtype.kind in "iub" and len(array):
        array = array.astype(np.int64, copy=False)
        low, high = int(array.min()), int(array.max())
        if 0 <= low and high < 64:
            return high + 1, np.ascontiguousarray(array, dtype=np.uint32)
    classes, codes = _codes(array)
    return len(classes), codes


def mutual_info_classif(
    X: Any, y: Any, *, discrete_features: Any = "auto", n_neighbors: int = 3, base: float = math.e, n_jobs: int | None = None
) -> np.ndarray:
    """Mutual information of every column with a class, as scikit-learn's function of this name, without its noise.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers. Discrete columns hold whole numbers.
    y : array-like of shape (n_samples,)
        Classes.
    discrete_features : 'auto', bool or array-like of bool, default='auto'
        Which columns are counted as they are; 'auto' those of an array of whole numbers. Others are looked at through their neighbours.
    n_neighbors : int, default=3
        Which neighbour of the same class sets the distance.
    base : float, default=math.e
        Base of logarithms; scikit-learn's is e.
    n_jobs : int, default=None
        Number of threads; None takes what the machine offers.

    Returns
    -------
    ndarray of shape (n_features,)
        Estimates, not below 0. A continuous column of which more than one in twenty values tie is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith.info import mutual_info_classif
    >>> y = np.array([0, 0, 1, 1])
    >>> mutual_info_classif(np.column_stack([y, [0, 1, 0, 1]]), y, base=2).tolist()
    [1.0, 0.0]
    """
    array = np.asarray(X)
    if array.ndim != 2:
        raise DataError(f"X has two dimensions, rows and columns, not {array.ndim}")
    discrete = array.dtype.kind in "iub" if isinstance(discrete_features, str) and discrete_features == "auto" else discrete_features
    mask = np.broadcast_to(np.asarray(discrete, dtype=bool), (array.shape[1],))
    classes, codes = _small_codes(y)
    found = np.empty(array.shape[1])
    if mask.any():
        found[mask] = _core.info_count_screen(_counted(array if mask.all() else array[:, mask]), codes, classes, thread_count(n_jobs))
    if not mask.all():
        numbers = np.ascontiguousarray(array[:, ~mask] if mask.any() else array, dtype=np.float64)
        estimates, ties = _core.info_neighbour_screen(numbers, codes, classes, n_neighbors, thread_count(n_jobs))
        found[~mask] = np.where(ties > 0.05, np.nan, np.maximum(estimates, 0))
    return found / _unit(base)


def _counted(array: np.ndarray) -> np.ndarray:
    """Columns of whole numbers from 0 up to 255."""
    if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
        raise DataError("a discrete column has a value that is missing or infinite; leave such rows out")
    if array.dtype.kind in "iub" or (array.dtype.kind == "f" and np.all(array == np.floor(array))):
        whole = np.ascontiguousarray(array, dtype=np.int64)
        if whole.size and whole.min() >= 0 and whole.max() < 256:
            return whole
    columns = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in array.T]
    many = [at for at, column in enumerate(columns) if len(column) and column.max() >= 256]
    if many:
        raise DataError(f"discrete column {many[0]} has more than 256 different values; screen() counts categories of any size")
    return np.ascontiguousarray(np.column_stack(columns), dtype=np.int64)


def screen(
    data: Any,
    target: str,
    *,
    numbers: str = "mdl",
    neighbours: int = 3,
    strata: str | None = None,
    pairs: int = 0,
    words: int = 10,
    forms: bool = False,
    level: float = 0.95,
    weight: str | None = None,
    n_jobs: int | None = None,
) -> Account:
    """Rank the columns of a data frame by what they tell about a target, in bits, as the command's ``oddsmith info`` does.

    Parameters
    ----------
    data : data frame
        The rows: categories, booleans, numbers and texts.
    target : str
        The column of classes.
    numbers : {'mdl', 'quantiles', 'neighbours', 'both'}, default='mdl'
        How numbers are looked at.
    neighbours : int, default=3
        Which neighbour of the same class sets the distance.
    strata : str, default=None
        The column within whose values everything is looked at.
    pairs : int, default=0
        How many of the most telling columns are looked at in pairs: ``table("pairs")``.
    words : int, default=10
        How many words of a text column are listed.
    forms : bool, default=False
        Whether mutual information is shown in its three equal forms.
    level : float, default=0.95
        Coverage of intervals.
    weight : str, default=None
        A column that says how often a row counts.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    Account
        ``tidy()`` has one row per column, the most telling first.
    """
    options = {
        "numbers": numbers,
        "neighbours": neighbours,
        "strata": strata,
        "pairs": pairs,
        "words": words,
        "forms": forms,
        "level": level,
    }
    account, notices = _core.analyse("information", options, None, table_of(data, None, None), {}, target, weight, thread_count(n_jobs))
    return Account(account, maker(data), notices)


def compare_evidence(log_evidence: Any, prior: Any = None) -> ModelPosterior:
    """Compare models by their log evidences, which must be of the same data.

    Parameters
    ----------
    log_evidence : array-like of shape (n_models,)
        Natural logarithms of p(data | model).
    prior : array-like of shape (n_models,), default=None
        How likely each model was before, in proportion; by default all the same.

    Returns
    -------
    ModelPosterior
        Posterior probabilities, Bayes factors against the best model as odds, in bits and decibans, and bits that say model and data.

    Examples
    --------
    >>> import math
    >>> from oddsmith.info import compare_evidence
    >>> coins = compare_evidence([8 * math.log(p) + 4 * math.log(1 - p) for p in (0.8, 0.5)])
    >>> round(float(coins.posterior[0]), 4)
    0.5237
    """
    evidence = [float(value) for value in np.asarray(log_evidence, dtype=np.float64).reshape(-1)]
    priors = [1.0] * len(evidence) if prior is None else [float(value) for value in np.asarray(prior, dtype=np.float64).reshape(-1)]
    if len(priors) != len(evidence):
        raise ParameterError(f"prior = {len(priors)} numbers is not accepted: one for each of the {len(evidence)} models")
    posterior, factors, bits, total = _core.info_posterior(evidence, priors)
    ln = np.array(factors)
    return ModelPosterior(np.array(posterior), np.exp(ln), ln / math.log(2), 10 * ln / math.log(10), np.array(bits), total)


def label_bits(counts: Any, *, code: str = "kt") -> float:
    """Bits of labels with these counts by a code that knows nothing but the number of classes.

    Parameters
    ----------
    counts : array-like of int
        How often each class occurs.
    code : {'kt', 'nml'}, default='kt'
        The code of Krichevsky and Trofimov, or normalised maximum likelihood.

    Returns
    -------
    float
        The length.

    Examples
    --------
    >>> from oddsmith.info import label_bits
    >>> round(label_bits([8, 4]), 4), round(label_bits([8, 4], code="nml"), 4)
    (13.1703, 13.3518)
    """
    if code not in ("kt", "nml"):
        raise ParameterError(f"code = {code!r} is not accepted: 'kt' or 'nml'")
    whole = np.asarray(counts)
    if whole.ndim != 1 or not np.all(whole == np.floor(whole)) or np.any(whole < 0):
        raise DataError("counts are a list of whole numbers from 0 up")
    return _core.info_label_bits([int(count) for count in whole], code)


def encode_column(values: Any, *, code: str = "arithmetic", limit: int | None = None, name: str = "") -> bytes:
    """A column of texts in as few bytes as they take; `decode_column` gives every one back, gaps and order included.

    Parameters
    ----------
    values : sequence of str or None
        The cells; None is a gap.
    code : {'arithmetic', 'huffman', 'shannon'}, default='arithmetic'
        All cells together by arithmetic coding, or each by a word.
    limit : int, default=None
        By words of at most this many bits.
    name : str, default=''
        A name that is kept with the cells.

    Returns
    -------
    bytes
        The same bytes as the command's ``oddsmith code encode`` writes.

    Examples
    --------
    >>> from oddsmith.info import decode_column, encode_column
    >>> decode_column(encode_column(["yes", None, "no", "yes"]))
    ['yes', None, 'no', 'yes']
    """
    if code not in ("arithmetic", "huffman", "shannon"):
        raise ParameterError(f"code = {code!r} is not accepted: 'arithmetic', 'huffman' or 'shannon'")
    cells = [None if value is None or value is np.nan else str(value) for value in values]
    known = sorted({cell for cell in cells if cell is not None})
    different: list[str | None] = [None, *known] if None in cells else [*known]
    places = {cell: at for at, cell in enumerate(different)}
    rows = np.array([places[cell] for cell in cells], dtype=np.uint32)
    return _core.info_encode_cells(name, different, rows, code, limit)


def decode_column(stream: bytes) -> list[str | None]:
    """The cells of a column that `encode_column`, or the command, coded; bytes that are cut or altered are an error."""
    return _core.info_decode_cells(stream)[1]


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
