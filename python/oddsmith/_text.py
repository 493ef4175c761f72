"""How texts become words: the choices of `text`, as the command has them."""

from __future__ import annotations

from typing import Any

from . import _checks
from .exceptions import ParameterError

#: What a text is without any choice: single words, counted.
_USUAL = {"ngrams": 1, "char_ngrams": None, "weights": None, "min_documents": 1, "max_words": None, "stop_words": (), "hash_width": None, "values": "count"}


def text_options(text: dict[str, Any] | None) -> dict[str, Any] | None:
    """The choices of `text`, checked, as the core takes them; ``None`` for the usual ones."""
    if text is None:
        return None
    if not isinstance(text, dict):
        raise ParameterError(f"text = {text!r} is not accepted: a dict such as {{'char_ngrams': (3, 5), 'weights': 'tf-idf'}}")
    unknown = sorted(set(text) - set(_USUAL))
    if unknown:
        raise ParameterError(f"text[{unknown[0]!r}] is not accepted: a text has {', '.join(_USUAL)}")
    chosen = _USUAL | text
    if chosen["weights"] not in (None, "none", "tf-idf"):
        raise ParameterError(f"text['weights'] = {chosen['weights']!r} is not accepted: 'tf-idf', or None")
    if chosen["values"] not in ("count", "presence"):
        raise ParameterError(f"text['values'] = {chosen['values']!r} is not accepted: 'count' or 'presence'")
    if chosen["char_ngrams"] is not None and ("ngrams" in text or "stop_words" in text):
        raise ParameterError("text['char_ngrams'] is not accepted: runs of characters know no words, so neither ngrams nor stop_words")
    if isinstance(chosen["stop_words"], str):
        raise ParameterError("text['stop_words'] is not accepted: a list of words")
    return {
        "ngrams": _runs("ngrams", chosen["ngrams"], 8),
        "char_ngrams": None if chosen["char_ngrams"] is None else _runs("char_ngrams", chosen["char_ngrams"], 16),
        "tf_idf": chosen["weights"] == "tf-idf",
        "min_documents": _checks.whole("text['min_documents']", chosen["min_documents"], 1),
        "max_words": None if chosen["max_words"] is None else _checks.whole("text['max_words']", chosen["max_words"], 1),
        "stop_words": [str(word).lower() for word in chosen["stop_words"]],
        "hash_width": None if chosen["hash_width"] is None else _checks.whole("text['hash_width']", chosen["hash_width"], 1),
        "presence": chosen["values"] == "presence",
    }


def _runs(name: str, runs: Any, most: int) -> tuple[int, int]:
    """The shortest and the longest run; one number is the longest of runs from one on."""
    shortest, longest = runs if isinstance(runs, (tuple, list)) and len(runs) == 2 else (1, runs)
    shortest, longest = (_checks.whole(f"text[{name!r}]", run, 1) for run in (shortest, longest))
    if not shortest <= longest <= most:
        raise ParameterError(f"text[{name!r}] = {runs!r} is not accepted: a pair such as (1, 2), of which neither is above {most}")
    return shortest, longest
