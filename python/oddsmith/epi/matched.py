"""Matched sets."""

from __future__ import annotations

from typing import Any

from .._accounts import Account, analysis


class ConditionalLogit(Account):
    """Conditional logistic regression of matched sets, by the exact likelihood.

    Parameters
    ----------
    formula : str
        Such as ``"case ~ spontaneous + induced + strata(stratum)"``.
    data : data frame
        The rows.
    strata : str, default=None
        The column of the sets, where the formula does not name it.
    interval : {'profile', 'wald'}, default='profile'
        How intervals are found.
    level : float, default=0.95
        Level of the intervals.
    tests : bool, default=True
        Whether terms are tested.
    robust : {'HC0'}, default=None
        Standard errors from the scores of the sets.
    cluster : str, default=None
        The column of clusters of sets, for standard errors from the scores of the clusters.
    firth : bool, default=False
        Firth's penalised likelihood: finite estimates under separation, less bias in small samples.
    on_separation : {'error', 'firth'}, default='error'
        What to do when no finite estimate exists, because cases and controls of all sets are told apart.
    offset : str, default=None
        A number column that is added to the log odds as it is.
    weight : str, default=None
        A column that says how often a set counts.
    event : label, default=None
        The class of the cases; by default the last.
    n_jobs : int, default=None
        Number of threads.
    """

    def __init__(
        self,
        formula: str,
        data: Any,
        *,
        strata: str | None = None,
        interval: str = "profile",
        level: float = 0.95,
        tests: bool = True,
        robust: str | None = None,
        cluster: str | None = None,
        firth: bool = False,
        on_separation: str = "error",
        offset: str | None = None,
        weight: str | None = None,
        event: Any = None,
        n_jobs: int | None = None,
    ):
        is_robust = robust is not None or cluster is not None
        ci = None if is_robust and interval == "profile" else interval
        options = {
            "strata": strata,
            "ci": ci,
            "level": level,
            "no-tests": not tests,
            "robust": robust,
            "cluster": cluster,
            "firth": firth,
            "on-separation": None if on_separation == "error" else on_separation,
            "offset": offset,
        }
        super().__init__(*analysis("conditional-logistic", options, data, formula=formula, weight=weight, event=event, n_jobs=n_jobs))
