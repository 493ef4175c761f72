"""Logistic regression as statisticians ask for it: a formula, odds ratios, intervals and tests."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core
from ._base import check_not_single
from ._frames import FrameClassifier, checked_labels, is_frame, table_of, target_name
from ._inputs import classes_of_names, core_rows, encode_classes, event_last, row_weights, thread_count
from ._rendered import Rendered
from ._scores import RegressionScores
from ._tables import maker, table
from .exceptions import ParameterError, UnsupportedError, tell

__all__ = ["Logit"]

_EXTRA_COLUMN = "W302"


class Logit(RegressionScores, Rendered, FrameClassifier):
    """Logistic regression with inference; softmax regression for more than two classes.

    Unpenalised maximum likelihood over a formula and a data frame, or over all columns of an array. Tables come back in the library that
    the data came in: polars for polars, pandas for pandas, Arrow for Arrow.

    Parameters
    ----------
    formula : str, default=None
        Such as ``"died ~ age + sex + C(ward, ref='a') + age:sex"``; without a left side where `fit` is given the classes.
        By default all columns side by side.
    weights : str, default=None
        A column of weights; a weight of 3 stands for three equal rows.
    units : dict, default=None
        Units of change for odds ratios by column, such as ``{"age": 10}``; they hold wherever the column enters as it is.
    interval : {'wald', 'profile'}, default='wald'
        How intervals are found.
    level : float, default=0.95
        Level of the intervals.
    robust : {'HC0', 'HC1', 'HC2', 'HC3'}, default=None
        Standard errors that trust the rows instead of the model.
    cluster : str, default=None
        A column of clusters for robust standard errors.
    firth : bool, default=False
        Firth's penalised likelihood: finite under separation and less biased for few rows.
    on_separation : {'error', 'firth'}, default='error'
        What to do where no finite maximum exists.
    tests : bool, default=True
        Likelihood-ratio tests of every term, whose bits `summary` shows; each is a fit of its own, from a near start.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests: 'number', 'category', 'boolean' or 'text'.
    levels : dict, default=None
        The levels of columns from first to last, such as ``{"dose": ["low", "mid", "high"]}``; those of the target order its classes. Every
        value must be listed. Without it levels stand in the order of a pandas Categorical, a polars Enum or an Arrow dictionary, and are
        sorted elsewhere. The first level is the reference; an order alone brings no polynomial contrasts, ``ordered(dose)`` in a formula does.
    event : label, default=None
        The class whose odds are told, where there are two; by default the last.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels; log odds are against the first.
    formula_ : str
        The formula that was fitted.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import polars as pl
    >>> from oddsmith import Logit
    >>> frame = pl.DataFrame({"dose": [0.5, 1.0, 1.5, 2.0, 2.5, 3.0], "died": ["no", "no", "yes", "no", "yes", "yes"]})
    >>> model = Logit("died ~ dose").fit(frame)
    >>> model.tidy().select("term", pl.col("estimate").round(4))
    shape: (2, 2)
    ┌─────────────┬──────────┐
    │ term        ┆ estimate │
    │ ---         ┆ ---      │
    │ str         ┆ f64      │
    ╞═════════════╪══════════╡
    │ (intercept) ┆ -4.2491  │
    │ dose        ┆ 2.4281   │
    └─────────────┴──────────┘
    """

    def __init__(
        self,
        formula=None,
        *,
        weights=None,
        units=None,
        interval="wald",
        level=0.95,
        robust=None,
        cluster=None,
        firth=False,
        on_separation="error",
        tests=True,
        kinds=None,
        levels=None,
        event=None,
        n_jobs=None,
    ):
        self.formula = formula
        self.weights = weights
        self.units = units
        self.interval = interval
        self.level = level
        self.robust = robust
        self.cluster = cluster
        self.firth = firth
        self.on_separation = on_separation
        self.tests = tests
        self.kinds = kinds
        self.levels = levels
        self.event = event
        self.n_jobs = n_jobs

    def _knobs(self, formula: str | None) -> dict[str, Any]:
        return {
            "formula": formula,
            "l2": 0.0,
            "l1": 0.0,
            "firth": _checks.flag("firth", self.firth),
            "firth_if_separated": _checks.one_of("on_separation", self.on_separation, ("error", "firth")) == "firth",
            "precision": _checks.one_of("interval", self.interval, ("wald", "profile")),
            "level": self.level,
            "tests": _checks.flag("tests", self.tests),
            "robust": self.robust or ("HC1" if self.cluster else None),
            "cluster": self.cluster,
            "units": list((self.units or {}).items()),
            "tolerance": None,
            "most_steps": 200,
            "start": None,
            "unfinished": None,
        }

    def _order(self) -> tuple[dict[str, list[str]], str | None]:
        """The declared order of levels and classes, as texts."""
        levels = {str(column): [str(level) for level in levels] for column, levels in (self.levels or {}).items()}
        return levels, None if self.event is None else str(self.event)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Logit:
        """Fit the regression.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            The rows; the formula names their columns, x0, x1 … in an array.
        y : array-like of shape (n_samples,), default=None
            The class of every row; not given where the formula's left side names a column.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up; a row of weight 2 counts as the row twice.

        Returns
        -------
        Logit
            The fitted estimator itself.
        """
        sides = [None, "."] if self.formula is None else [part.strip() for part in self.formula.rpartition("~")[::2]]
        left, right = sides[0] or None, sides[1]
        if y is not None and left is not None:
            raise ParameterError(f"formula = {self.formula!r} is not accepted: its left side names the classes, and so does y")
        if not is_frame(X):
            return self._fit_array(X, y, right, sample_weight)
        if y is None and left is None:
            raise ValueError("requires y to be passed, but the target y is None")
        frame, threads = table_of(X, *self._order()), thread_count(self.n_jobs)
        beside, formula = None, self.formula
        if y is not None:
            target = target_name(frame, y)
            self.classes_, codes = encode_classes(checked_labels(X, y), y)
            check_not_single(self.classes_)
            weights = row_weights(sample_weight, codes)
            beside, formula = (target, self._labels(), codes, weights), f"`{target}` ~ {right}"
        elif sample_weight is not None:
            raise ParameterError("sample_weight is not accepted: name a column of the data frame in `weights`")
        if self.formula is None:
            self._frame(X, reset=True)
        model, notices = _core.fit_formula(frame, self._knobs(formula), self.kinds or {}, self.weights, beside, threads)
        self._take(model, maker(X), notices)
        return self

    def _fit_array(self, X: Any, y: Any, right: str, sample_weight: Any) -> Logit:
        """A fit to the columns of an array."""
        for name in ("weights", "cluster", "kinds", "levels"):
            if getattr(self, name) is not None:
                raise ParameterError(f"{name} = {getattr(self, name)!r} is not accepted: columns of an array have no names; pass a data frame")
        X, labels = self._checked(X, y, reset=True)
        self.classes_, codes = event_last(*encode_classes(labels, y), self.event)
        check_not_single(self.classes_)
        weights = row_weights(sample_weight, X)
        if weights is not None:
            check_not_single(self.classes_[np.bincount(codes, weights=weights, minlength=len(self.classes_)) > 0])
        columns = _core.Columns.numbers(self._names(), self._labels())
        knobs = self._knobs(f"y ~ {right}")
        model = _core.fit_logistic(columns, core_rows(X), codes, weights, knobs, thread_count(self.n_jobs))
        self._take(model, maker(X), [], named=False)
        return self

    def _take(self, model: _core.Model, make: str, notices: list[Any], *, named: bool = True) -> None:
        self._model, self._make, self._obstacle = model, make, None
        known = self._labels() if hasattr(self, "classes_") else []
        if sorted(known) == sorted(model.class_labels):
            # The same labels, with their types, in the order that was declared.
            self.classes_ = self.classes_[[known.index(label) for label in model.class_labels]]
        else:
            self.classes_ = classes_of_names(model.class_labels)
        self.formula_ = model.facts()["formula"]
        if self.formula is not None and named:
            self.n_features_in_, self.feature_names_in_ = len(model.names), np.array(model.names, dtype=object)
        self.diagnostics_ = tell([*notices, *model.notices])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Logit:
        """Read a regression from a model file.

        Parameters
        ----------
        path : path-like
            The model file.

        Returns
        -------
        Logit
            The regression.
        """
        with open(path, "rb") as file:
            model = _core.Model.from_bytes(file.read())
        if model.tag != "logistic":
            raise UnsupportedError(f"this is a {model.title}; oddsmith.load reads it")
        return cls._of_model(model)

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        self.formula = self.formula_ = self._model.facts()["formula"]
        self._make = maker(None)

    def _ask(self, X: Any, question: str) -> np.ndarray:
        check_is_fitted(self)
        if question != "decide" and is_frame(X) and self.formula is not None:
            # A formula names its columns: others may stand beside them, in any order.
            answers, notices = table_of(X).predict(self._model, question == "scores")
            tell(notice for notice in notices if notice[0] != _EXTRA_COLUMN)
            return answers
        return super()._ask(X, question)

    def _checked(self, X: Any, y: Any = "no_validation", *, reset: bool, **options: Any) -> Any:
        checked = super()._checked(X, y, reset=reset, **options)
        if reset or self._model is None or len(self._model.names) == self.n_features_in_:
            return checked
        # A formula that names some columns of an array leaves the others out.
        names = self._names()
        return checked[:, [names.index(name) for name in self._model.names]]

    def tidy(self, exponentiate: bool = False) -> Any:
        """Give one row per coefficient: estimate, standard error, test, interval.

        Parameters
        ----------
        exponentiate : bool, default=False
            Give odds ratios in place of log odds.

        Returns
        -------
        data frame
            With columns term, estimate, std_error, statistic, p_value, conf_low, conf_high and more; n and events are those of levels.
        """
        columns = self._model.tidy()
        if exponentiate:
            columns |= {"estimate": columns["odds_ratio"], "conf_low": columns["odds_low"], "conf_high": columns["odds_high"]}
        return table(columns, self._make)

    def glance(self) -> Any:
        """Give one row about the whole model: rows, log likelihood, deviance, Pearson's χ², degrees of freedom, AIC, BIC …

        Returns
        -------
        data frame
            One row.
        """
        return table({name.replace(" ", "_"): [value] for name, value in self._model.facts().items()}, self._make)

    def augment(self, data: Any) -> Any:
        """Give the data with what the regression says about every row beside them.

        Parameters
        ----------
        data : data frame
            Rows with the columns of the formula's right side; residuals and influence need its left side too.

        Returns
        -------
        data frame
            `data` with columns p_CLASS and predicted, and the figures of the command's ``--augment``: of the event of two classes ``fitted``,
            ``log_odds``, ``std_error``, ``conf_low``, ``conf_high``, ``leverage``, ``cooks_distance``, ``resid_deviance``, ``resid_pearson``,
            ``std_resid_deviance`` and ``std_resid_pearson``; with more classes each class has its own, which its label ends. A row of counts or of
            a frequency counts whole. What cannot be known is missing: residuals without the columns of the response, and leverage and
            residuals of a fit with weights without the column of weights.
        """
        probabilities = self.predict_proba(data)
        known = ~np.isnan(probabilities).any(axis=1)
        chosen = self.classes_[np.where(known, probabilities.argmax(axis=1), 0)]
        added: dict[str, Any] = {f"p_{label}": probabilities[:, k] for k, label in enumerate(self._model.class_labels)}
        added["predicted"] = [label if sure else None for label, sure in zip(chosen.tolist(), known, strict=True)]
        figures, _ = table_of(data).row_figures(self._model)
        added.update(figures)
        kind = maker(data)
        if kind == "polars":
            return data.with_columns(**{name: _series(values) for name, values in added.items()})
        if kind == "pandas":
            return data.assign(**added)
        import pyarrow

        whole = pyarrow.table(data)
        for name, values in added.items():
            whole = whole.append_column(name, pyarrow.array(values))
        return whole

    def conf_int(self) -> Any:
        """Give the interval of every coefficient.

        Returns
        -------
        data frame
            With columns class, term, level, conf_low and conf_high.
        """
        columns = self._model.tidy()
        rows = [i for i, flag in enumerate(columns["flag"]) if flag != "reference"]
        return table({name: [columns[name][i] for i in rows] for name in ("class", "term", "level", "conf_low", "conf_high")}, self._make)

    def vcov(self) -> np.ndarray:
        """Give the covariance matrix of the coefficients, in the order of `tidy` without reference rows.

        Returns
        -------
        ndarray of shape (n_parameters, n_parameters)
            The matrix.
        """
        matrix = self._model.arrays().get("covariance")
        if matrix is None:
            raise UnsupportedError("this fit has no covariance matrix")
        size = int(np.sqrt(len(matrix)))
        return matrix.reshape(size, size)

    def _render(self, format: str) -> str:
        return self._model.render(format)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        if getattr(self, "_model", None) is None:
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": self.summary(), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.formula is None
        return tags


def _series(values: Any) -> Any:
    import polars

    return polars.Series(values)
