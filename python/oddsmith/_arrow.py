"""Tables of typed columns as the core takes them: from everything that speaks Arrow, from texts and from arrays."""

from __future__ import annotations

from typing import Any

from . import _core

#: The name of the column that texts without a table stand in.
TEXT = "text"


def is_frame(X: Any) -> bool:
    """Whether an object is a table of typed columns; a single column has a type of its own."""
    return hasattr(X, "__arrow_c_stream__") and not hasattr(type(X), "dtype") and not hasattr(type(X), "type")


def table_of(
    X: Any, levels: dict[str, list[str]] | None = None, event: str | None = None, text: dict[str, Any] | None = None
) -> _core.Frame:
    """The columns of a data frame, in whose levels and classes a declared order wins over their own; `text` is checked before.

    The index of pandas would come along as a column; it is no feature.
    """
    return _core.Frame(X.reset_index(drop=True) if hasattr(X, "reset_index") else X, levels, event, text)


def texts_of(X: Any) -> list[str | None] | None:
    """Texts in a list, a one-dimensional array or a column; ``None`` for everything else."""
    if isinstance(X, str) or hasattr(X, "columns") or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__iter__") or not hasattr(X, "__len__"):
        return None
    texts = X.to_pylist() if hasattr(X, "to_pylist") else list(X)
    return texts if texts and all(text is None or isinstance(text, str) for text in texts) else None
