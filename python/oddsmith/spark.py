"""Fits on Spark: the model file of one machine, from files that workers read themselves or from a frame that is packed once.

Only the DataFrame API is used, so a session of Spark Connect serves as well. Workers need oddsmith and pyarrow, and no scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _core, engine
from ._adapters import Adapter
from ._apart import as_table, files
from ._spark_frames import Frame, frame
from ._spark_scan import files_of
from ._spark_tasks import Workers
from .exceptions import DataError, ParameterError

__all__ = ["Frame", "Workers", "analyse", "compare", "evaluate", "files", "fit", "frame", "gather", "predict"]


@contextmanager
def _opened(data: Any, session: Any) -> Iterator[tuple[Any, Any]]:
    """A table and who does the work; a frame that is packed for one call is released after it."""
    if hasattr(data, "mapInArrow"):
        session, data = session or data.sparkSession, files_of(data) or data
    packs = hasattr(data, "mapInArrow")
    table = frame(data) if packs else data if isinstance(data, Frame) else as_table(data)
    try:
        yield table, table if isinstance(table, Frame) else Workers(session)
    finally:
        if packs:
            table.release()


_on_spark = Adapter(
    __name__,
    rows=("data", "Files, Frame, pyspark DataFrame or path-like", "The rows: files that workers read themselves (the fast way), or a frame."),
    workers=("session", "SparkSession, default=None", "The session that reads files; ``None`` takes the active one."),
    opened=_opened,
)
fit = _on_spark(engine.fit)
analyse = _on_spark(engine.analyse)
gather = _on_spark(engine.gather)
evaluate = _on_spark(engine.evaluate)
compare = _on_spark(engine.compare)


def predict(model: Any, data: Any, *, session: Any = None) -> Any:
    """Give the probability of every class.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    data : pyspark DataFrame, Files or path-like
        The rows; columns are found by their names.
    session : SparkSession, default=None
        The session that reads files.

    Returns
    -------
    pyspark DataFrame or ndarray
        For a DataFrame the same rows with a column ``p_`` for every class (``score_`` where the model gives margins, which are no probabilities) and
        ``predicted``; for files the probabilities, or the margins, in their order.
    """
    if not hasattr(data, "mapInArrow"):
        with _opened(data, session) as (table, on):
            return engine.predict(model, table, on=on)
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    core = model._finished_model()
    content, names = core.to_bytes(), _predicted_names(core)
    # Workers would say so as well, but only when somebody asks for rows, and in traces of Java.
    missing = [name for name, _ in core.kinds if name not in data.columns]
    if missing:
        raise DataError(f"the frame: column `{missing[0]}`: is missing; the table has: {', '.join(data.columns)}")
    more = [*(StructField(name, DoubleType()) for name in names[:-1]), StructField(names[-1], StringType())]
    taken = sorted(set(data.columns) & set(names))
    if taken:
        raise ParameterError(f"the frame has columns that are called like predictions: {', '.join(taken)}")
    return data.mapInArrow(lambda batches: _scored(batches, content), StructType([*data.schema.fields, *more]))


def _predicted_names(model: _core.Model) -> list[str]:
    """What columns of predictions are called, as by the command: margins are no probabilities."""
    prefix = "score" if model.scale == "margin" else "p"
    return [*(f"{prefix}_{label}" for label in model.class_labels), "predicted"]


def _scored(batches: Iterable[Any], content: bytes) -> Iterator[Any]:
    """Batches with the probabilities of their rows, or their margins."""
    import pyarrow

    model = _core.Model.from_bytes(content)
    labels, names = list(model.class_labels), _predicted_names(model)
    for batch in batches:
        if not batch.num_rows:
            continue
        table = pyarrow.Table.from_batches([batch])
        answers, _ = _core.predict_part(model, ("the frame", _core.Frame(table)))
        known = ~np.isnan(answers).any(axis=1)
        chosen = [labels[at] if is_known else None for at, is_known in zip(np.nan_to_num(answers).argmax(axis=1), known, strict=True)]
        columns = [*batch.columns, *(pyarrow.array(answers[:, k]) for k in range(len(labels))), pyarrow.array(chosen, pyarrow.string())]
        yield pyarrow.RecordBatch.from_arrays(columns, [*batch.schema.names, *names])
