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
    return _core.Frame(_shared(X), levels, event, text)


def _shared(X: Any) -> Any:
    """The table to be shared: that of pandas without its index, and with the codes of its categories where they lie.

    pandas looks at every code three times on its way to Arrow, which costs more than an analysis of them.
    """
    if not hasattr(X, "reset_index"):
        return X
    categories = [at for at, dtype in enumerate(X.dtypes) if hasattr(dtype, "categories")] if hasattr(X, "dtypes") else []
    if not categories or not X.columns.is_unique or not type(X).__module__.startswith("pandas"):
        return X.reset_index(drop=True)
    import pyarrow as pa

    others = [at for at in range(X.shape[1]) if at not in categories]
    plain = pa.Table.from_pandas(X.iloc[:, others], preserve_index=False) if others else pa.table({})
    columns: list[Any] = [None] * X.shape[1]
    for at, place in enumerate(others):
        columns[place] = plain.column(at)
    for place in categories:
        values = X.iloc[:, place].array
        codes = values.codes
        keys = pa.array(codes, mask=codes < 0) if len(codes) and codes.min() < 0 else pa.array(codes)
        # The codes are those of pandas, which checked them.
        columns[place] = pa.DictionaryArray.from_arrays(keys, pa.array(values.categories), ordered=bool(values.ordered), safe=False)
    return pa.table(columns, names=[str(name) for name in X.columns])


def texts_of(X: Any) -> list[str | None] | None:
    """Texts in a list, a one-dimensional array or a column; ``None`` for everything else."""
    if isinstance(X, str) or hasattr(X, "columns") or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__iter__") or not hasattr(X, "__len__"):
        return None
    texts = X.to_pylist() if hasattr(X, "to_pylist") else list(X)
    return texts if texts and all(text is None or isinstance(text, str) for text in texts) else None
