"""Fits of tables whose parts lie apart: in many files, in the partitions of an engine.

Workers sum up what the fit of one machine would sum up, lane by lane, and the sums are merged in the same order: the model file is the
same to the bit, for any number of workers. Every answer is known by its number: one that comes twice is dropped, one that is missing is
refused, and every pass must see the rows and the weight of the first.

Where all sums of a pass are large, workers merge groups of them before they are sent on; the groups are those of one machine.

`processes` starts workers on this machine; `oddsmith.spark` and `oddsmith.dask` have others. Any object with a number of ``slots`` and a
``map(job, count)`` that gives ``(task, job(task))`` for every task, in any order, is an engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._apart import Engine, Files, Here, Table, about, as_table, files, pieces, reading_plan
from ._gathering import Gathering
from ._processes import Processes, processes
from ._threads import thread_count
from .exceptions import ParameterError, tell
from .passes import begin

if TYPE_CHECKING:
    from ._accounts import Account

__all__ = ["Engine", "Files", "Processes", "analyse", "compare", "evaluate", "files", "fit", "gather", "predict", "processes"]

#: Bytes of rows that a worker keeps between passes.
_MEMORY = 1 << 30


def fit(
    estimator: Any,
    table: Any,
    target: str | None = None,
    *,
    on: Engine | None = None,
    features: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    weights: str | None = None,
    text: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    memory: int = _MEMORY,
    n_jobs: int | None = None,
) -> Any:
    """Fit a model to a table whose parts lie apart.

    Parameters
    ----------
    estimator : estimator or str
        Any estimator of oddsmith, a formula that names the target, or the name of a model as the command knows it. It is not changed.
    table : Files or path-like
        The rows: what `files` gives, or paths, folders and patterns for it.
    target : str, default=None
        The column to predict, where no formula names it.
    on : engine, default=None
        Who does the work; ``None`` is this process, by the fit that the command does.
    features : sequence of str, default=None
        The columns that are read; ``None`` reads all.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests.
    weights : str, default=None
        The column of row weights.
    text : dict, default=None
        How texts become words, as in `MixedNB`; words are hashed, or all are kept.
    options : dict, default=None
        Options of a model that is named. A logistic regression has Wald's intervals and no tests, which are few passes; ``{"ci": "profile"}``
        makes it the one that the command fits.
    memory : int, default=1073741824
        Bytes of rows that a worker keeps between passes; it reads the others again.
    n_jobs : int, default=None
        Number of threads of this process, where it does the work.

    Returns
    -------
    estimator
        A fitted copy. Its model file has the same bytes for every engine and any number of workers.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from oddsmith import GaussianNB, engine
    >>> rows = pd.DataFrame({"x": [1.0, 2, 8, 9, 1, 7], "y": list("aabbab")})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for at in range(2):
    ...         rows[3 * at : 3 * at + 3].to_csv(os.path.join(folder, f"{at}.csv"), index=False)
    ...     model = engine.fit(GaussianNB(), folder, "y")
    >>> model.theta_.ravel()
    array([1.33333333, 8.        ])
    """
    from ._finished import finished

    if target is None and "~" not in str(getattr(estimator, "formula", estimator)):
        raise ParameterError("target = None is not accepted: the column to predict, unless a formula names it")
    first = begin(estimator, target, features=features, kinds=dict(kinds or {}), weights=weights, options=dict(options or {}) or None)
    core, table = first._core, as_table(table)
    plan = reading_plan(core, first._estimator, text, memory)
    gathers = isinstance(core, Gathering)
    if on is None:
        parts, threads = pieces(table), thread_count(n_jobs)
        result, notices = (
            _core.gather_files((core.wanted, core.threshold), parts, plan, threads) if gathers else _core.fit_files(core, parts, plan, threads)
        )
        tell(notices)
        return finished(first._estimator, result)

    spread = Table(table, on, plan, lambda spread: _passes(core, spread, None))
    tell(spread.spread.notices)
    return finished(first._estimator, spread.conclude())


def _passes(core: _core.Round | Gathering, spread: _core.Spread, fold: tuple[int, int, int, bool] | None) -> _core.Relay:
    """The passes of a fit, over all rows or those of a fold."""
    return _core.Relay.gather(core.wanted, core.threshold, spread, fold) if isinstance(core, Gathering) else _core.Relay.study(core, spread, fold)


def analyse(
    analysis: str,
    table: Any,
    target: str | None = None,
    *,
    on: Engine | None = None,
    formula: str | None = None,
    options: Mapping[str, Any] | None = None,
    features: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    weights: str | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    event: Any = None,
    text: Mapping[str, Any] | None = None,
    memory: int = _MEMORY,
    n_jobs: int | None = None,
) -> Account:
    """Carry out an analysis of a table whose parts lie apart: tables, strata, matched sets, information.

    Parameters
    ----------
    analysis : str
        ``"table"`` (an outcome by an exposure, within strata), ``"conditional-logistic"``, ``"information"``, ``"describe"``,
        ``"confounding"``, ``"subgroups"``, ``"classes"``.
    table : Files or path-like
        The rows.
    target : str, default=None
        The column of the outcome, where no formula names it.
    on : engine, default=None
        Who does the work; ``None`` is this process.
    formula : str, default=None
        For analyses that take one, such as ``"case ~ age + strata(set)"``.
    options : dict, default=None
        Options of the analysis as the command knows them, such as ``{"exposure": "smoker", "strata": ["ward"]}``.
    features, kinds, weights, text, memory, n_jobs
        As in `fit`.
    levels : dict, default=None
        Levels of columns from first to last.
    event : label, default=None
        The class that is the event; by default the last.

    Returns
    -------
    Account
        As the functions of `oddsmith.epi` and `oddsmith.info.screen` give it; the same for every engine and any number of workers.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from oddsmith import engine
    >>> rows = pd.DataFrame({"smoker": list("nyny" * 6), "died": list("nnyynyyy" * 3)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for at in range(2):
    ...         rows[12 * at : 12 * at + 12].to_csv(os.path.join(folder, f"{at}.csv"), index=False)
    ...     table = engine.analyse("table", folder, "died", options={"exposure": "smoker"})
    >>> table.estimate("risk difference")["estimate"]
    0.25
    """
    from ._accounts import Account
    from ._tables import maker

    order = ({name: [str(level) for level in own] for name, own in (levels or {}).items()}, None if event is None else str(event))
    columns = None if features is None else list(features)
    core = _core.Round.begin_analysis(analysis, dict(options or {}), formula, target, columns, dict(kinds or {}), weights, order)
    table, plan = as_table(table), reading_plan(core, None, text, memory)
    if on is None:
        account, notices = _core.fit_files(core, pieces(table), plan, thread_count(n_jobs))
        return Account(account, maker(None), notices)
    spread = Table(table, on, plan, lambda spread: _core.Relay.study(core, spread, None))
    return Account(spread.conclude(), maker(None), spread.spread.notices)


def gather(
    table: Any,
    target: str,
    *,
    on: Engine | None = None,
    features: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    weights: str | None = None,
    text: Mapping[str, Any] | None = None,
    memory: int = _MEMORY,
    n_jobs: int | None = None,
) -> Any:
    """Sum a table up for every one-pass model.

    Parameters
    ----------
    table : Files or path-like
        The rows.
    target : str
        The column to predict.
    on : engine, default=None
        Who does the work; ``None`` is this process.
    features, kinds, weights, text, memory, n_jobs
        As in `fit`.

    Returns
    -------
    Statistics
        The sums.
    """
    from .stats import Statistics

    core = Gathering("all", 0.0, target, None if features is None else list(features), weights, dict(kinds or {}))
    table, plan = as_table(table), reading_plan(core, None, text, memory)
    if on is None:
        sums, notices = _core.gather_files(("all", 0.0), pieces(table), plan, thread_count(n_jobs))
        tell(notices)
        return Statistics(sums)
    spread = Table(table, on, plan, lambda spread: _core.Relay.gather("all", 0.0, spread, None))
    tell(spread.spread.notices)
    return Statistics(spread.conclude())


def predict(model: Any, table: Any, *, on: Engine | None = None) -> np.ndarray:
    """Give the probability of every class, row by row, in the order of the files.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    table : Files or path-like
        The rows; columns are found by their names.
    on : engine, default=None
        Who does the work; ``None`` is this process.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Probabilities in the order of ``classes_``; margins where the model has no probabilities.
    """
    core, table = model._finished_model(), as_table(table)
    parts = about(table, on or Here(), "predict", core)
    return np.frombuffer(b"".join(parts)).reshape(-1, len(core.class_labels))


def evaluate(model: Any, table: Any, *, on: Engine | None = None) -> Any:
    """Judge a model on rows with known classes.

    Parameters
    ----------
    model : estimator
        Fitted, of oddsmith.
    table : Files or path-like
        The rows, with the column that the model predicts.
    on : engine, default=None
        Who does the work; ``None`` is this process.

    Returns
    -------
    Evaluation
        As `oddsmith.evaluate` gives it; the same bits for any number of workers.
    """
    from ._base import no_prediction
    from .evaluation import Evaluation

    core, table = model._finished_model(), as_table(table)
    judged, silent = _core.merge_judged(core, about(table, on or Here(), "judge", core))
    if silent:
        tell([no_prediction(silent, "cannot be judged", "cannot be judged")])
    return Evaluation(judged, model.classes_, type(model).__name__, "pandas")


def compare(
    models: Sequence[Any] | Mapping[str, Any],
    table: Any,
    target: str,
    *,
    on: Engine | None = None,
    folds: int = 5,
    seed: int = 1,
    features: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    weights: str | None = None,
    text: Mapping[str, Any] | None = None,
    memory: int = _MEMORY,
) -> dict[str, Any]:
    """Judge models by cross-validation; the fold of a row follows from what the row says.

    Parameters
    ----------
    models : sequence or dict
        Names of models as the command knows them, with options by name in a pair ``("logistic", {"l2": 1})``; estimators of oddsmith and formulas,
        as `fit` takes them; a dict gives them names, and so does a pair of a name and an estimator.
    table : Files or path-like
        The rows.
    target : str
        The column to predict.
    on : engine, default=None
        Who does the work; ``None`` is this process.
    folds : int, default=5
        Number of folds. Rows that say the same are in the same fold.
    seed : int, default=1
        Deals rows otherwise.
    features, kinds, weights, text, memory
        As in `fit`.

    Returns
    -------
    dict
        By name of the model the `Evaluation` of all rows, each predicted by a model that has not seen its fold.
    """
    from ._finished import finished
    from ._inputs import classes_of_names
    from .evaluation import Evaluation

    table, result = as_table(table), {}
    for name, (model, options) in _named(models).items():
        first = begin(model, target, features=features, kinds=dict(kinds or {}), weights=weights, options=options)
        spread = Table(table, on or Here(), reading_plan(first._core, first._estimator, text, memory))
        judged = None
        for fold in range(folds):
            ended = spread.conclude(_passes(first._core, spread.spread, (folds, fold, seed, False)))
            fitted = finished(first._estimator, ended)._finished_model()
            part, _ = spread.conclude(_core.Relay.judge(fitted, spread.spread, (folds, fold, seed, True)))
            judged = part if judged is None else judged.merged(part)
        result[name] = Evaluation(judged, classes_of_names(spread.spread.classes), name, "pandas")
    return result


def _named(models: Sequence[Any] | Mapping[str, Any]) -> dict[str, tuple[Any, dict[str, Any] | None]]:
    """Models and their options by the names that results have."""
    named: dict[str, tuple[Any, dict[str, Any] | None]] = {}
    for given in models.items() if isinstance(models, Mapping) else models:
        name, model, options = None, given, None
        if isinstance(given, tuple):
            name, model = given
            if isinstance(model, Mapping):
                model, options = given
        if isinstance(model, tuple):
            model, options = model
        name = name or (model if isinstance(model, str) else type(model).__name__)
        if name in named:
            raise ParameterError(f"models are not accepted: {name!r} is there twice; give pairs of a name and a model, or a dict")
        named[name] = model, options
    return named
