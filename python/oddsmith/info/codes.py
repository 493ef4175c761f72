"""Codes: words, lengths of labels, and columns and labels as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._inputs import thread_count
from ..exceptions import DataError, ParameterError
from ..pictures import Picture


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


def code_picture(
    p: Any, names: Any = None, *, counts: bool = False, code: str = "huffman", limit: int | None = None, title: str = "A prefix-free code"
) -> Picture:
    """Draw the tree of a prefix-free code: 0 and 1 on its edges, symbols at its leaves.

    Parameters
    ----------
    p : array-like of shape (n_symbols,)
        Probabilities, or counts.
    names : list of str, default=None
        The symbols; by default they are counted from 0.
    counts : bool, default=False
        Whether `p` are counts and need not add up to 1.
    code : {'huffman', 'shannon'}, default='huffman'
        The code.
    limit : int, default=None
        No word longer than this many bits.
    title : str, default="A prefix-free code"
        The title.

    Returns
    -------
    Picture
        The tree.

    Examples
    --------
    >>> from oddsmith.info import code_picture
    >>> code_picture([0.5, 0.25, 0.25], ["a", "b", "c"]).summary
    'A step along 0 or 1 for every bit of a word; lengths in bits: a 1, b 2, c 2.'
    """
    if code not in ("huffman", "shannon"):
        raise ParameterError(f"code = {code!r} is not accepted: 'huffman' or 'shannon'")
    array = np.ascontiguousarray(np.asarray(p, dtype=np.float64).reshape(-1))
    told = [str(at) for at in range(len(array))] if names is None else [str(name) for name in names]
    if len(told) != len(array):
        raise ParameterError(f"names = {len(told)} of them is not accepted: one for each of the {len(array)} symbols")
    return Picture(_core.info_code_picture(title, told, array, counts, code, limit))


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


def _probabilities(probabilities: Any) -> tuple[np.ndarray, int | None]:
    """Cells row after row, where they lie if they may, and the number of classes; None where they are of the second of two."""
    array = np.asarray(probabilities, dtype=np.float64)
    if array.ndim not in (1, 2):
        raise DataError(f"probabilities have one dimension (of the second class) or two, not {array.ndim}")
    return np.ascontiguousarray(array).reshape(-1), array.shape[1] if array.ndim == 2 else None


def encode_labels(labels: Any, probabilities: Any, *, n_jobs: int | None = None) -> bytes:
    """Labels 0 … K−1 by arithmetic coding, each in −log₂ of its probability: the whole is as long as their log loss in bits.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Codes of classes, from 0.
    probabilities : array-like of shape (n_samples, n_classes) or (n_samples,)
        What both ends know: probabilities of the classes, or of class 1.
    n_jobs : int, default=None
        Number of threads; None takes what the machine offers. The bytes are the same for any.

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
    return _core.info_encode(np.ascontiguousarray(labels, dtype=np.uint32), *_probabilities(probabilities), thread_count(n_jobs))


def decode_labels(stream: bytes, probabilities: Any, *, n_jobs: int | None = None) -> np.ndarray:
    """The labels of a stream that `encode_labels` wrote with the same probabilities; one that is cut, altered or read with others is an error."""
    return _core.info_decode(stream, *_probabilities(probabilities), thread_count(n_jobs))
