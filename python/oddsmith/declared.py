"""Classes made from the registry's declarations: a model that is declared there has a class here, with nothing else written."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core
from ._arrow import is_frame, table_of
from ._base import check_not_single
from ._frames import FrameClassifier, checked_labels, target_name
from ._inputs import classes_of_names, core_rows, encode_classes, event_last, row_weights, thread_count
from ._rendered import Rendered
from ._scores import RegressionScores
from ._tables import maker, table
from ._trees import BESIDE, by_place, without_elsewhere
from .passes import TARGET
from .exceptions import OddsmithWarning, ParameterError, tell

__all__ = ["DeclaredClassifier", "class_of"]

#: The registry, model by model: names, what it takes, options.
ENTRIES: dict[str, dict[str, Any]] = {entry["name"]: entry for entry in _core.models()}

_EXTRA_COLUMN = "W302"
_HOLDS_ROWS = "W432"
_WIDTH = 130


def _gives_probabilities(estimator: Any) -> bool:
    """Whether scores are more than margins; nobody knows before the fit."""
    model = getattr(estimator, "_model", None)
    return model is None or model.scale != "margin"


class DeclaredClassifier(RegressionScores, Rendered, FrameClassifier):
    """A model of the registry: what it takes, its options and their defaults are those that it declares.

    Arrays of numbers (codes 0, 1, 2 … for a model of categories), sparse rows for a model that takes words, and data frames whose
    columns are of the kinds that it takes. A missing value in a data frame is what the model makes of it.
    """

    #: The name of the model in the registry.
    _declared: ClassVar[str] = ""
    _silent = (_EXTRA_COLUMN,)
    #: Notices of a fit that are no warnings: they say what such a model always is.
    _quiet: ClassVar[tuple[str, ...]] = (_HOLDS_ROWS,)

    def _entry(self) -> dict[str, Any]:
        return ENTRIES[self._declared]

    def _weight_column(self) -> str | None:
        """The column of a data frame that weighs its rows."""
        return getattr(self, "weights", None)

    def _options(self) -> dict[str, Any]:
        """The options that differ from what the model does without them."""
        given = ((param, getattr(self, param["name"])) for param in self._entry()["params"])
        return {param["option"]: value for param, value in given if not _is_default(param, value)}

    def _of_rows(self, options: dict[str, Any], rows: int | None) -> dict[str, Any]:
        """The options of a fit to so many rows; `None` where nobody knows yet how many there are."""
        return options

    def _weighted(self, y: Any, sample_weight: Any) -> Any:
        """Row weights as the fit takes them; a class that weighs classes, too, says so here."""
        return sample_weight

    def _traces(self) -> bool:
        """Whether the steps of the search are told."""
        return _checks.flag("trace", getattr(self, "trace", False))

    def _show(self) -> None:
        """Sets what a class has beside every other, after a fit and after loading."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,), default=None
            The class of every row; not given where the left side of a formula names a column.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up; a row of weight 2 counts as the row twice.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        given, options = getattr(self, "formula", None), self._options()
        sample_weight = self._weighted(y, sample_weight)
        left, right = (None, None) if given is None else _sides(given)
        if y is not None and left is not None:
            raise ParameterError(f"formula = {given!r} is not accepted: its left side names the classes, and so does y")
        frame, kinds = self._training_table(X)
        if frame is None:
            return self._fit_array(X, y, right, options, sample_weight)
        if y is None and left is None:
            raise ValueError("requires y to be passed, but the target y is None")
        beside, formula = None, given
        if y is not None:
            target = target_name(frame, y)
            self.classes_, codes = encode_classes(checked_labels(X, y), y)
            check_not_single(self.classes_)
            beside = (target, self._labels(), codes, row_weights(sample_weight, codes))
            formula = None if right is None else f"`{target}` ~ {right}"
        elif sample_weight is not None:
            raise ParameterError("sample_weight is not accepted: name a column of the data frame in `weights`")
        if given is None and is_frame(X):
            self._frame(X, reset=True)
        weights, threads, options = self._weight_column(), thread_count(self.n_jobs), self._of_rows(options, frame.rows)
        crude, trace = getattr(self, "crude", False), self._traces()
        model, notices = _core.fit_frame(self._declared, options, formula, frame, kinds, weights, beside, crude, trace, threads)
        self._take(model, maker(X), notices, named=given is not None)
        return self

    def _fit_array(self, X: Any, y: Any, right: str | None, options: dict[str, Any], sample_weight: Any) -> Any:
        """A fit to the columns of an array."""
        for name in ("weights", "cluster", "strata", "offset", "kinds", "levels", "text"):
            given = self._weight_column() if name == "weights" else getattr(self, name, None)
            if given is not None:
                raise ParameterError(f"{name} = {given!r} is not accepted: columns of an array have no names; pass a data frame")
        X, labels = self._checked(X, y, reset=True)
        self.classes_, codes = event_last(*encode_classes(labels, y), getattr(self, "event", None))
        check_not_single(self.classes_)
        weights = row_weights(sample_weight, X)
        if weights is not None:
            check_not_single(self.classes_[np.bincount(codes, weights=weights, minlength=len(self.classes_)) > 0])
        formula = None if right is None else f"y ~ {right}"
        threads, options = thread_count(self.n_jobs), self._of_rows(options, X.shape[0])
        model = _core.fit_rows(self._declared, options, formula, self._columns(X), core_rows(X), codes, weights, self._gaps, self._traces(), threads)
        self._take(model, maker(X), [], named=False)
        return self

    def _columns(self, X: Any) -> _core.Columns:
        """The layout of an array: sparse rows are words, numbers are numbers, or codes where the model takes categories alone."""
        if not isinstance(X, np.ndarray):
            return _core.Columns.words(self._names(), self._labels())
        if self._entry()["takes_numbers"]:
            return _core.Columns.numbers(self._names(), self._labels())
        counts = _core.level_counts(core_rows(X), type(self).__name__, True, thread_count(self.n_jobs))
        return _core.Columns.levels(self._names(), list(counts), self._labels())

    def _take(self, model: _core.Model, make: str, notices: list[Any], *, named: bool) -> None:
        """Takes a fitted model; `named` are columns that a formula names, whatever stands beside them."""
        self._model, self._make, self._obstacle = model, make, None
        known = self._labels() if hasattr(self, "classes_") else []
        if sorted(known) == sorted(model.class_labels):
            # The same labels, with their types, in the order that was declared.
            self.classes_ = self.classes_[[known.index(label) for label in model.class_labels]]
        else:
            self.classes_ = classes_of_names(model.class_labels)
        if model.formula is not None:
            self.formula_ = model.formula
        vars(self).pop("trace_", None)
        if (steps := model.trace()) is not None:
            self.trace_ = table(steps, make)
        if named:
            self.n_features_in_, self.feature_names_in_ = len(model.names), np.array(model.names, dtype=object)
        quiet = [OddsmithWarning(*notice) for notice in model.notices if notice[0] in self._quiet]
        self.diagnostics_ = tell([*notices, *(notice for notice in model.notices if notice[0] not in self._quiet)]) + quiet
        self._show()

    def _first_pass(self, target: str | None, features: Any, kinds: dict[str, str], weights: str | None, layout: Any) -> _core.Round:
        """The first question of a fit whose rows stay where they are."""
        left, right = (None, None) if getattr(self, "formula", None) is None else _sides(self.formula)
        named = target or TARGET
        formula = None if right is None else self.formula if left is not None else f"`{named}` ~ {right}"
        known = None if layout is None else layout._core(named if left is None else left.strip("`"), weights is not None)
        asked = named if left is None else None
        return _core.Round.begin(self._declared, self._of_rows(self._options(), None), formula, asked, features, kinds, weights, known, False, self._order())

    def _last_pass(self, model: _core.Model) -> None:
        """Takes the model that all passes led to."""
        self._take(model, maker(None), [], named=False)
        self._take_names(model.names)

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        if self._model.formula is not None:
            self.formula_ = self._model.formula
            if "formula" in self._get_param_names():
                self.formula = self.formula_
        self._make = maker(None)
        self._show()

    def _table(self, X: Any) -> _core.Frame | None:
        if is_frame(X) and getattr(self, "formula", None) is not None:
            # A formula names its columns: others may stand beside them, in any order.
            return table_of(X)
        return super()._table(X)

    def _checked(self, X: Any, y: Any = "no_validation", *, reset: bool, least: int = 1) -> Any:
        checked = super()._checked(X, y, reset=reset, least=least)
        if reset or self._model is None or len(self._model.names) == self.n_features_in_:
            return checked
        # A formula that names some columns of an array leaves the others out.
        names = self._names()
        return checked[:, [names.index(name) for name in self._model.names]]

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the probability of every class.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``; every row adds up to one, or is NaN where it lacks a value that the model needs.
        """
        return self._probabilities(X)

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Give the logarithm of the probability of every class, right where probabilities round to 0 or 1.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities in the order of ``classes_``.
        """
        return self._log_probabilities(X)

    def _render(self, format: str) -> str:
        check_is_fitted(self)
        return self._model.render(format)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        if getattr(self, "_model", None) is None:
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": self.summary(), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        entry = self._entry()
        tags.target_tags.required = getattr(self, "formula", None) is None
        if not entry["takes_numbers"]:
            tags.input_tags.categorical = tags.input_tags.positive_only = True
        return tags


def _is_default(param: dict[str, Any], value: Any) -> bool:
    """Whether a value says no more than silence; True is no 1 here."""
    default = param["default"]
    return value is None or (value is default) or (type(value) is type(default) and value == default)


def _sides(formula: str) -> tuple[str | None, str]:
    """The left side of a formula, where it has one, and the right side."""
    left, _, right = formula.rpartition("~")
    return left.strip() or None, right.strip()


def class_of(entry: dict[str, Any]) -> type[DeclaredClassifier]:
    """The class of a model of the registry."""
    named = [("formula", None)] if entry["takes_formula"] else []
    mixed_in = BESIDE.get(entry["name"], ())
    beside = [pair for part in mixed_in for pair in getattr(part, "_beside", {}).items()]
    always = [*beside, ("kinds", None), *([("text", None)] if entry["takes_text"] else []), *([("trace", False)] if entry["searches"] else []), ("n_jobs", None)]
    defaults = dict([*named, *((param["name"], param["default"]) for param in entry["params"]), *always])
    keyword, leading = inspect.Parameter.KEYWORD_ONLY, by_place(entry["name"])
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    placed = inspect.Signature([own, *leading, inspect.Parameter("named", inspect.Parameter.VAR_KEYWORD)])
    first = [one.replace(default=defaults[one.name]) for one in leading if one.name in defaults]
    rest = [inspect.Parameter(name, keyword, default=value) for name, value in defaults.items() if name not in placed.parameters]
    signature = inspect.Signature([own, *first, *rest])

    def __init__(self: Any, *by_place: Any, **given: Any) -> None:
        arguments = placed.bind(self, *by_place, **given).arguments
        given = arguments.pop("named", {}) | {name: value for name, value in arguments.items() if name != "self"}
        given = without_elsewhere(entry["name"], given)
        signature.bind(self, **given)
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{entry['python']}.__init__"
    body = {
        "__doc__": _documentation(entry, defaults, dict(pair for part in mixed_in for pair in getattr(part, "_said", {}).items())),
        "__module__": "oddsmith",
        "__init__": __init__,
        "_declared": entry["name"],
        "_sparse": entry["takes_text"],
        "_forms": ("numbers", "words") if entry["takes_text"] else ("numbers",) if entry["takes_numbers"] else ("codes",),
    }
    return type(entry["python"], (*mixed_in, DeclaredClassifier), body)


_TYPES = {
    "flag": "bool",
    "number": "float",
    "whole": "int",
    "text": "str, number or dict",
    "pairs": "dict",
    "column": "str",
    "columns": "list of str",
}
_ALWAYS = {
    "formula": ("str", "What is predicted from what; without a left side where `fit` is given the classes. By default all columns."),
    "kinds": ("dict", "The kind of columns of a data frame that should not be read as their type suggests: 'number', 'category', 'boolean' or 'text'."),
    "text": (
        "dict",
        "How texts become words, by the command's names: 'ngrams' (1, or a pair such as (1, 2)), 'char_ngrams' (runs of characters in place of "
        "words, such as (3, 5)), 'weights' ('tf-idf', as scikit-learn's TfidfVectorizer), 'min_documents', 'max_words', 'stop_words', "
        "'hash_width' and 'values' ('count' or 'presence').",
    ),
    "class_weight": ("dict or 'balanced'", "Factors of the weights of rows by class; 'balanced' gives all classes the same weight in all."),
    "oob_score": ("bool", "Whether the out-of-bag probabilities of all rows are kept, as `oob_decision_function_`; `oob_score_` is there in any case."),
    "trace": ("bool", "Whether the steps of the search are kept as `trace_`: parameters, loss and gradient, from the start to the end."),
    "n_jobs": ("int", "Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores."),
}


def _documentation(entry: dict[str, Any], defaults: dict[str, Any], said: dict[str, tuple[str, str]]) -> str:
    """What the declarations say, as numpydoc wants it, and what is said of some parameters in their place."""
    told, params = _ALWAYS | said, {param["name"]: param for param in entry["params"]}
    lines = [_sentence(entry["summary"]), "", f"Made from its declaration in the registry; the command knows it as ``{entry['name']}``.", "", "Parameters", "----------"]
    for name, default in defaults.items():
        kind, text = told[name] if name in told else _described(params[name])
        lines += [f"{name} : {kind}, default={default!r}", *textwrap.wrap(text, _WIDTH, initial_indent="    ", subsequent_indent="    ")]
    lines += [
        "",
        "Attributes",
        "----------",
        "classes_ : ndarray of shape (n_classes,)",
        "    Class labels.",
        "diagnostics_ : list of OddsmithWarning",
        "    What went wrong without being an error.",
        *(["trace_ : table", "    The steps of the search, with ``trace=True``."] if entry["searches"] else []),
        "",
        "Examples",
        "--------",
        f">>> from oddsmith import {entry['python']}",
        f">>> {entry['python']}().get_params()['n_jobs'] is None",
        "True",
    ]
    return "\n".join(lines)


def _described(param: dict[str, Any]) -> tuple[str, str]:
    """The type of an option and its sentences."""
    kind = "{" + ", ".join(map(repr, param["choices"])) + "}" if "choices" in param else _TYPES[param["kind"]]
    text = _sentence(param["doc"])
    if param["default"] is None and param["default_words"]:
        text += f" By default {param['default_words']}."
    elif param["kind"] in ("number", "whole"):
        text += f" {_sentence(param['accepted'])}"
    return kind, text


def _sentence(words: str) -> str:
    text = words[:1].upper() + words[1:]
    return text if text.endswith(".") else f"{text}."
