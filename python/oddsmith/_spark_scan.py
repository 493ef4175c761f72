"""Frames of Spark that are the rows of a folder of Parquet files and nothing else: workers read these themselves."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import unquote, urlsplit

from ._apart import Files
from ._spark_tasks import has_context
from .exceptions import OddsmithError


def files_of(df: Any) -> Files | None:
    """The files that a frame is; `None` where it may be anything else.

    Spark itself says whether it is: a frame made here, of all files of the folder and no more, must mean the same by Spark's own comparison of plans
    (`DataFrame.sameSemantics`). A filter, a limit, a sample, a join, another reader, an option of the reader: each makes it another plan. Tables
    whose files are not all of their rows (Delta, Iceberg) have plans of their own.
    """
    folder = _folder(df)
    if folder is None or not _is_plain(df, folder):
        return None
    try:
        table = Files(folder)
    except OddsmithError:
        return None
    paths = {piece.piece[0] for piece in table.parts}
    if paths != set(_local(df.inputFiles())) or any(piece.piece[2] for piece in table.parts):
        return None
    return table if all(_has_columns(path, df.schema) for path in paths) else None


def _folder(df: Any) -> str | None:
    """The folder on this machine with all files of a frame."""
    if not has_context(df.sparkSession):
        # It may be on another machine, with other files of the same names.
        return None
    try:
        folders = {os.path.dirname(path) for path in _local(df.inputFiles())}
    except ValueError:
        return None
    return folders.pop() if len(folders) == 1 else None


def _local(addresses: list[str]) -> list[str]:
    """Paths of files on this machine; an error for any other."""
    parts = [urlsplit(address) for address in addresses]
    if any(part.scheme != "file" or part.netloc or part.query or part.fragment for part in parts):
        raise ValueError("a file of another machine")
    return [unquote(part.path) for part in parts]


def _is_plain(df: Any, folder: str) -> bool:
    """Whether a frame is what Spark reads of a folder."""
    level = df.storageLevel
    if level.useMemory or level.useDisk:
        # Spark would take the rows that it keeps, whatever became of the files.
        return False
    return any(_is_same(df, spelling) for spelling in _spellings(folder))


def _is_same(df: Any, path: str) -> bool:
    """Whether a frame is what Spark reads of a path."""
    from pyspark.errors import AnalysisException

    try:
        # With the columns given, nothing is read here; whether they are those of the files is looked up.
        return df.sameSemantics(df.sparkSession.read.schema(df.schema).parquet(_escaped(path)))
    except AnalysisException:
        # A relative path of this process may be none of Java's.
        return False


def _spellings(folder: str) -> list[str]:
    """How a folder may have been named to Spark, which keeps the words of a path as an option of the reader and compares them, too."""
    ways = [folder, os.path.relpath(folder), f"file://{folder}", f"file:{folder}"]
    return [f"{way}{end}" for end in ("", "/") for way in ways]


def _escaped(folder: str) -> str:
    """A path that Spark takes for no pattern."""
    return "".join(f"\\{letter}" if letter in "*?[]{}\\" else letter for letter in folder)


def _has_columns(path: str, schema: Any) -> bool:
    """Whether a file has exactly these columns, of types that Spark and our reader take for the same numbers, texts and truth values."""
    import pyarrow
    from pyarrow import parquet
    from pyspark.sql import types

    same = {
        types.ByteType(): ("int8",),
        types.ShortType(): ("int16",),
        types.IntegerType(): ("int32",),
        types.LongType(): ("int64",),
        types.FloatType(): ("float",),
        types.DoubleType(): ("double",),
        types.BooleanType(): ("bool",),
        types.StringType(): ("string", "large_string"),
    }
    try:
        own = parquet.read_schema(path)
    except (OSError, pyarrow.ArrowException):
        return False
    return own.names == schema.names and all(str(one.type) in same.get(field.dataType, ()) for one, field in zip(own, schema.fields, strict=True))
