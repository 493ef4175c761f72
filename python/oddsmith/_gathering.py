"""The one pass of models that are finished from a table of statistics: every partition sums its rows up, and sums are added."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrow import is_frame
from ._batch import batch_table
from .exceptions import DataError, MismatchError, tell

_MAGIC = b"oddsmith sums\n"


def is_gathering(content: bytes) -> bool:
    """Whether bytes are a question for statistics, or an answer to one."""
    return content.startswith(_MAGIC)


@dataclass(frozen=True)
class Gathering:
    """What is summed up of which columns."""

    wanted: str
    threshold: float
    target: str
    features: list[str] | None
    weights: str | None
    kinds: dict[str, str]
    #: Whether arrays hold codes 0, 1, 2 … of categories.
    codes: bool = False

    number = 1

    def question(self) -> tuple[str, str | None]:
        """What is asked, and what an answer tells of single rows."""
        texts = [name for name, kind in self.kinds.items() if kind == "text"]
        return "the sums of all columns by class", f"the words of {', '.join(texts)}" if texts else None

    def to_bytes(self) -> bytes:
        """The question as bytes."""
        return _sealed({"ask": asdict(self)}, b"")

    ask = to_bytes

    @staticmethod
    def from_bytes(content: bytes) -> Gathering:
        """The question in bytes."""
        return Gathering(**_opened(content)[0]["ask"])

    def name(self) -> str:
        """A name that no other question has."""
        return hashlib.blake2b(self.to_bytes(), digest_size=8).hexdigest()

    def answer(self, batches: Iterable[Any], part: str | None, threads: int) -> bytes:
        """The sums of some rows; nothing where there are none."""
        total = None
        for batch in batches:
            sums = self._sums(batch, threads)
            if sums is None:
                continue
            total = sums if total is None else total.merge(sums)[0]
        if total is None:
            return b""
        content = total.to_bytes()
        return _sealed({"question": self.name(), "parts": [part or hashlib.blake2b(content, digest_size=8).hexdigest()]}, content)

    def _sums(self, batch: Any, threads: int) -> _core.Sums | None:
        """The sums of a batch; none where it has no rows."""
        if self.codes and isinstance(batch, tuple) and not is_frame(batch[0]):
            rows, labels, weights = (*batch, None)[:3]
            rows = np.ascontiguousarray(rows)
            names, classes = [f"x{j}" for j in range(rows.shape[1])], np.unique(labels)
            levels = list(_core.level_counts(rows, "codes", True, threads))
            columns = _core.Columns.levels(names, levels, [str(label) for label in classes.tolist()])
            codes = np.searchsorted(classes, labels).astype(np.uint32)
            weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
            return _core.gather("codes", columns, self.wanted, rows, codes, weights, 0.0, False, threads) if len(rows) else None
        frame = batch_table(batch, self.target, self.weights)
        if not frame.rows:
            return None
        sums, notices = frame.gather_columns(self.wanted, self.threshold, self.target, self.features, self.weights, self.kinds, threads)
        tell(notices)
        return sums

    @staticmethod
    def merged(answers: list[tuple[str, bytes]]) -> bytes:
        """One answer in place of several."""
        head, total, _ = _added(answers)
        return _sealed(head, total.to_bytes())

    def advance(self, answers: list[tuple[str, bytes]]) -> tuple[None, _core.Sums, list[Any]]:
        """The sums of all answers, and what differed between them."""
        if not answers:
            raise DataError("there is no answer to go on from")
        head, total, notices = _added(answers)
        if head["question"] != self.name():
            raise MismatchError(f"{answers[0][0]} answers a question of another study")
        return None, total, notices


def _added(answers: list[tuple[str, bytes]]) -> tuple[dict[str, Any], _core.Sums, list[Any]]:
    """Answers to one question added up, each part once."""
    total, question, seen, notices = None, None, {}, []
    for name, content in answers:
        head, sums = _opened(content)
        if question not in (None, head["question"]):
            raise MismatchError(f"{answers[0][0]} and {name} answer questions of different studies")
        twice = [part for part in head["parts"] if part in seen]
        if twice:
            raise MismatchError(f"{seen[twice[0]]} and {name} both hold the part {twice[0]}, which would count twice")
        seen |= dict.fromkeys(head["parts"], name)
        question, part = head["question"], _core.Sums.from_bytes(sums)
        total, told = (part, []) if total is None else total.merge(part)
        notices += told
    return {"question": question, "parts": sorted(seen)}, total, notices


def _sealed(head: dict[str, Any], content: bytes) -> bytes:
    return _MAGIC + json.dumps(head, sort_keys=True).encode() + b"\n" + content


def _opened(content: bytes) -> tuple[dict[str, Any], bytes]:
    if not is_gathering(content):
        raise MismatchError("it answers a question of another study")
    head, _, rest = content[len(_MAGIC) :].partition(b"\n")
    return json.loads(head), rest
