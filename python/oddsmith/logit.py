"""Logistic regression as statisticians ask for it: a formula, odds ratios, intervals and tests."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core
from ._arrow import table_of
from ._tables import maker, table
from .declared import DeclaredClassifier
from .exceptions import UnsupportedError

__all__ = ["Logit"]


class Logit(DeclaredClassifier):
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
    interval : {'profile', 'wald'}, default=None
        How intervals are found: from the profile of the likelihood, or from the standard error. By default from the profile, and
        from the standard error where errors are robust or profiles would take long.
    level : float, default=0.95
        Level of the intervals.
    robust : {'HC0', 'HC1', 'HC2', 'HC3'}, default=None
        Standard errors that trust the rows instead of the model.
    cluster : str, default=None
        A column of clusters for robust standard errors, HC1 unless `robust` says otherwise; the same as ``cluster(…)`` in the formula.
    offset : str, default=None
        A number column that is added to the log odds as it is; the same as ``offset(…)`` in the formula.
    firth : bool, default=False
        Firth's penalised likelihood: finite under separation and less biased for few rows.
    on_separation : {'error', 'firth', 'drop', 'infinite'}, default='error'
        What to do where no finite maximum exists: raise, use Firth's likelihood, leave the columns out that separate the classes (W204 names
        them), or report their coefficients as infinite, each with its one finite limit.
    missing : {'drop', 'indicator', 'mean', 'error'}, default='drop'
        Rows of a data frame with a missing predictor. 'drop' leaves them out of the fit and tells how many; they get no prediction: NaN for
        probabilities, ``None`` for the class, with a warning W303. 'indicator' gives a gap a level or column of its own and 'mean'
        the mean, in the fit and in predictions. 'error' refuses such rows in both.
    tests : bool, default=True
        Likelihood-ratio tests of every term, whose bits `summary` shows; each is a fit of its own, from a near start.
    crude : bool, default=False
        Whether every term is fitted alone as well, on the same rows of a data frame: `tidy` and `summary` then have crude odds ratios beside
        the adjusted ones.
    solver : {'newton', 'gradient', 'sgd'}, default='newton'
        How the maximum is looked for; descents are for those who teach or study them.
    rate : float, default=None
        Rate of a descent of the mean loss; by default 1, and 0.05 for 'sgd'.
    descent_units : {'spread', 'columns'}, default='spread'
        Units of gradient descent: columns of about unit spread around their means, or columns as they are, as one steps by hand.
    max_steps : int, default=None
        Most steps; by default 200, and 100,000 for descents.
    start : dict, default=None
        Where the search starts, such as ``{"(intercept)": 0, "age": 0.1}``, or ``{"dog.age": 0.1}`` with more than two classes; others start at 0.
    trace : bool, default=False
        Whether the steps of the search are kept as `trace_`.
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
    trace_ : table
        With ``trace=True``: every parameter, the mean loss and its gradient, from the start (step 0) to the end.

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
        interval=None,
        level=0.95,
        robust=None,
        cluster=None,
        offset=None,
        firth=False,
        on_separation="error",
        missing="drop",
        tests=True,
        crude=False,
        solver="newton",
        rate=None,
        descent_units="spread",
        max_steps=None,
        start=None,
        trace=False,
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
        self.offset = offset
        self.firth = firth
        self.on_separation = on_separation
        self.missing = missing
        self.tests = tests
        self.crude = crude
        self.solver = solver
        self.rate = rate
        self.descent_units = descent_units
        self.max_steps = max_steps
        self.start = start
        self.trace = trace
        self.kinds = kinds
        self.levels = levels
        self.event = event
        self.n_jobs = n_jobs

    _declared = _core.model_of_formulas()

    def _options(self) -> dict[str, Any]:
        _checks.flag("crude", self.crude)
        return {
            "firth": self.firth,
            "on-separation": self.on_separation,
            "missing": self.missing,
            "ci": self.interval,
            "level": self.level,
            "no-tests": not _checks.flag("tests", self.tests),
            "robust": self.robust,
            "cluster": self.cluster,
            "offset": self.offset,
            "unit": self.units or None,
            "solver": self.solver,
            "rate": self.rate,
            "descent-units": self.descent_units,
            "max-steps": self.max_steps,
            "start": self.start or None,
        }

    @classmethod
    def _is_for(cls, model: _core.Model) -> bool:
        """Whether a model from a file is a regression of this kind."""
        return model.tag == cls._declared

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
        if not cls._is_for(model):
            raise UnsupportedError(f"this is a {model.title}; oddsmith.load reads it")
        return cls._of_model(model)

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

    def drop1(self) -> Any:
        """Give the likelihood-ratio test of every term against the model without it, as R's ``drop1`` does.

        Returns
        -------
        data frame
            One row per term, with its degrees of freedom, statistic, p-value and AIC.
        """
        return self._test("drop1")

    def anova(self) -> Any:
        """Give the likelihood-ratio tests of the terms as they are added in the order of the formula, as R's ``anova`` does.

        Returns
        -------
        data frame
            One row per term.
        """
        return self._test("anova")

    def _test(self, name: str) -> Any:
        check_is_fitted(self)
        found = self._model.tables().get(name)
        if found is None:
            raise UnsupportedError("this fit has no tests of terms; they belong to fits without a penalty, with tests=True")
        return table(found, self._make)

    def glance(self) -> Any:
        """Give one row about the whole model: rows, log likelihood, deviance, Pearson's χ², degrees of freedom, AIC, BIC …

        Returns
        -------
        data frame
            One row.
        """
        return table({name.replace(" ", "_"): [value] for name, value in self._model.facts().items()}, self._make)

    def effects(self, data: Any, exposure: str, *, within: str | None = None, level: float | None = None) -> Any:
        """Give the effects of a column in risk: standardised risks, their difference and ratio, marginal odds ratio, or the mean effect of a number.

        Parameters
        ----------
        data : data frame
            The rows over which risks are averaged, with the outcome.
        exposure : str
            The column that is set to one value or another.
        within : str, default=None
            A category within whose levels the effects are told as well.
        level : float, default=None
            Level of the intervals; by default that of the regression.

        Returns
        -------
        oddsmith.epi.Account
            ``tidy()`` has one row per measure.
        """
        from .epi import effects

        check_is_fitted(self)
        return effects(self, data, exposure, within=within, level=self.level if level is None else level, weight=self.weights, n_jobs=self.n_jobs)

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


def _series(values: Any) -> Any:
    import polars

    return polars.Series(values)
