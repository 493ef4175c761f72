"""What the core wants: rows where they lie, labels as codes, weights as numbers, a number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from . import _core
from ._threads import thread_count
from .exceptions import DataError, ParameterError, UnknownNameError

__all__ = ["class_names", "classes_of_names", "codes_among", "core_rows", "encode_classes", "encode_labels", "event_last", "finite", "row_weights", "thread_count"]

_TYPES = frozenset(np.dtype(t) for t in ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"))
_SPARSE_TYPES = frozenset(np.dtype(t) for t in ("f8", "f4", "i8", "i4"))


def core_rows(X: Any) -> Any:
    """A validated array as the core borrows it: an array, or the parts of sparse rows. Copies only what no view can be."""
    if sparse.issparse(X):
        X = X if X.format == "csr" else X.tocsr()
        data = X.data if X.data.dtype in _SPARSE_TYPES else X.data.astype(np.float64)
        return tuple(map(np.ascontiguousarray, (X.indptr, X.indices, data))) + (X.shape[1],)
    if X.dtype not in _TYPES:
        X = X.astype(np.float64)
    whole_strides = all(stride % X.itemsize == 0 for stride in X.strides)
    return X if X.flags.aligned and whole_strides else np.array(X)


def finite(X: Any) -> Any:
    """Rows without NaN and infinity, which are refused here where the core does not see the rows."""
    values = X.data if sparse.issparse(X) else X
    if not np.isfinite(values.sum(dtype=np.float64)) and not np.isfinite(values).all():
        raise DataError("Input X contains NaN or infinity; numbers must be finite")
    return X


def encode_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes in order and the class of every label as a code. Whole numbers are not sorted."""
    found = _core.factorize(y) if y.dtype.isnative else None
    if found is None:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.astype(np.uint32)
    return found[0].astype(y.dtype), found[1]


def encode_classes(labels: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """As `encode_labels`, but classes keep the order of `y`'s own categories; categories without a row are no classes."""
    classes, codes = encode_labels(labels)
    categories = declared_categories(y)
    found = {label: at for at, label in enumerate(classes.tolist())}
    order = [found[label] for label in categories or () if label in found]
    if len(order) < len(found):
        return classes, codes
    place = np.empty(len(order), dtype=np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    return classes[order], place[codes]


def event_last(classes: np.ndarray, codes: np.ndarray, event: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two classes and their codes with the event, where one is named, as the last of them."""
    if event is None:
        return classes, codes
    names = class_names(classes)
    if str(event) not in names:
        raise UnknownNameError(f"there is no class `{event}`; there are: {', '.join(names)}")
    if len(names) != 2:
        raise ParameterError(f"event = {event!r} is not accepted: one of two classes is the event, and there are {len(names)}")
    return (classes, codes) if names[1] == str(event) else (classes[::-1], (1 - codes).astype(np.uint32))


def declared_categories(y: Any) -> list[Any] | None:
    """The categories of a pandas Categorical, a polars Enum or an Arrow dictionary in their order; None for other labels.

    A polars Categorical has no order but that in which its values were met.
    """
    if hasattr(y, "combine_chunks"):
        y = y.combine_chunks()
    values = getattr(y, "dictionary", None)
    dtype = getattr(y, "dtype", None)
    if values is None and type(dtype).__name__ in ("CategoricalDtype", "Enum"):
        values = dtype.categories
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(values, name):
            return getattr(values, name)()
    return None


def codes_among(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The codes of labels among classes that were fixed before."""
    values, codes = encode_labels(y)
    order = np.argsort(classes)
    place = order[np.minimum(np.searchsorted(classes, values, sorter=order), len(classes) - 1)]
    unknown = classes[place] != values
    if unknown.any():
        raise DataError(f"The target label(s) {values[unknown]} in y do not exist in the initial classes {classes}")
    return place.astype(np.uint32)[codes]


def class_names(classes: np.ndarray) -> list[str]:
    """The labels as the model file holds them."""
    return [str(label) for label in classes.tolist()]


def classes_of_names(names: list[str]) -> np.ndarray:
    """Labels from a model file: whole numbers, truth values and numbers where every label reads as one, else text."""
    for kind, turn in ((np.int64, int), (np.float64, float)):
        try:
            values = [turn(name) for name in names]
        except ValueError:
            continue
        if [str(value) for value in values] == names:
            return np.array(values, dtype=kind)
    if names == ["False", "True"]:
        return np.array([False, True])
    return np.array(names)


def row_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Weights as numbers from 0 up; no weights stay none."""
    if sample_weight is None:
        return None
    return np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
