"""The functions of `engine` for one engine in particular: signatures and documentation are those of `engine`, but for who does the work."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

#: What `engine` calls the rows, whoever does the work, and what only this process has a use for.
_ROWS, _WORKERS, _HERE = "table", "on", "n_jobs"


@dataclass(frozen=True)
class Adapter:
    """How an engine takes the functions of `engine`.

    `workers` and `rows` are each a name, what it may be, and a sentence; `opened` turns what was given for them into a table and an engine,
    for as long as a call lasts.
    """

    module: str
    rows: tuple[str, str, str]
    workers: tuple[str, str, str]
    opened: Callable[[Any, Any], AbstractContextManager[tuple[Any, Any]]]

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of `engine` with the rows and the workers of this engine."""
        (rows, _, _), (workers, _, _) = self.rows, self.workers
        renamed = {_ROWS: rows, _WORKERS: workers}
        own = inspect.signature(function).parameters.values()
        taken = [one.replace(name=renamed.get(one.name, one.name), annotation="Any" if one.name in renamed else one.annotation) for one in own if one.name != _HERE]
        signature = inspect.signature(function).replace(parameters=taken)

        @functools.wraps(function)
        def adapted(*given: Any, **named: Any) -> Any:
            arguments = signature.bind(*given, **named).arguments
            with self.opened(arguments.pop(rows), arguments.pop(workers, None)) as (table, on):
                return function(**arguments, **{_ROWS: table, _WORKERS: on})

        adapted.__signature__ = signature
        adapted.__module__, adapted.__doc__ = self.module, self._told(function)
        return adapted

    def _told(self, function: Callable[..., Any]) -> str:
        """The documentation of a function; its example is one of this process."""
        text, _, _ = inspect.cleandoc(function.__doc__ or "").partition("\n\nExamples\n")
        entries = []
        for entry in re.split(r"\n(?=\S)", text):
            names = entry.partition(" : ")[0].partition("\n")[0].split(", ")
            if names == [_HERE]:
                continue
            if names in ([_ROWS], [_WORKERS]):
                entry = "{} : {}\n    {}".format(*(self.rows if names == [_ROWS] else self.workers))
            entries.append(entry.replace(f", {_HERE}\n", "\n"))
        return "\n".join(entries)
