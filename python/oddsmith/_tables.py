"""Tables in the library that the data came in."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from .exceptions import UnknownNameError


def maker(data: Any) -> str:
    """The library in which tables come back: that of the data, else one that is there."""
    library = type(data).__module__.partition(".")[0]
    if library in ("polars", "pandas"):
        return library
    if hasattr(data, "__arrow_c_stream__"):
        return "arrow"
    there = (name for name in ("pandas", "polars", "pyarrow") if find_spec(name) is not None)
    return {"pyarrow": "arrow"}.get(found := next(there, "dict"), found)


def table(columns: dict[str, Any], make: str) -> Any:
    """Columns as a table of a library; anything else than a library's name gives the columns themselves."""
    if make == "polars":
        import polars

        return polars.DataFrame(columns, strict=False)
    if make == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if make == "arrow":
        import pyarrow

        return pyarrow.table(columns)
    return columns


def cells(data: Any, names: list[str]) -> list[list[str | None]]:
    """The cells of some columns as text, row after row; ``None`` where there is none."""
    if not hasattr(data, "columns") and not hasattr(data, "column_names"):
        return [[text] for text in data]
    columns = []
    for name in names:
        column = data[name]
        values = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list() if hasattr(column, "to_list") else list(column)
        columns.append([None if value is None or value != value else str(value) for value in values])
    return [list(row) for row in zip(*columns, strict=True)]


def parted(data: Any, columns: list[Any]) -> tuple[Any, list[Any]]:
    """A data frame without the columns that are named among `columns`, and all of them as arrays; others stay as they are."""
    names = [column for column in columns if isinstance(column, str)]
    if not names:
        return data, columns
    found = [_column(data, column) if isinstance(column, str) else column for column in columns]
    if hasattr(data, "drop_columns"):
        return data.drop_columns(names), found
    return data.drop(columns=names) if maker(data) == "pandas" else data.drop(names), found


def _column(data: Any, name: str) -> Any:
    if name not in (data.column_names if hasattr(data, "column_names") else getattr(data, "columns", ())):
        raise UnknownNameError(f"there is no column `{name}`")
    column = data[name]
    return column.to_numpy(zero_copy_only=False) if hasattr(data, "column_names") else column
