"""The degree of a polynomial by description length."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..exceptions import ParameterError
from ..pictures import Picture


class Degrees(NamedTuple):
    """Bits that tell numbers by polynomials of every degree from 0 up."""

    degree: int
    data_bits: np.ndarray
    model_bits: np.ndarray
    picture: Picture


def polynomial_degree(x: Any, y: Any, most: int = 15, *, names: tuple[str, str] = ("x", "y")) -> Degrees:
    """Choose the degree of a least-squares curve by the shortest description: what it leaves open, and its own parameters.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Finite numbers.
    most : int, default=15
        The highest degree that is tried.
    names : tuple of str, default=("x", "y")
        What the columns are called in the picture.

    Returns
    -------
    Degrees
        The degree with the shortest description, the bits of the rows given each curve and of each curve, and a picture of both.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith.info import polynomial_degree
    >>> x = np.arange(20.0)
    >>> polynomial_degree(x, (x - 9) ** 2 + np.tile([1.0, -1.0], 10)).degree
    2
    """
    if most < 0:
        raise ParameterError(f"most = {most!r} is not accepted: a whole number from 0 up")
    columns = [np.ascontiguousarray(np.asarray(values, dtype=np.float64).reshape(-1)) for values in (x, y)]
    bits, drawn = _core.info_degrees(columns[0], columns[1], most, names)
    data, model = np.array(bits).T
    return Degrees(int(np.argmin(data + model)), data, model, Picture(drawn))
