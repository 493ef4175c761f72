"""Logistic regression as statisticians ask for it: a formula, odds ratios, intervals and tests."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._inputs import classes_of_names, thread_count
from ._tables import maker, table
from .exceptions import OddsmithWarning, UnsupportedError, tell
from ._frames import table_of

__all__ = ["Logit"]


class Logit:
    """Logistic regression by formula, with inference; softmax regression for more than two classes.

    Unpenalised maximum likelihood. Tables come back in the library that the data came in: polars for polars, pandas for pandas,
    Arrow for Arrow.

    Parameters
    ----------
    formula : str
        Such as ``"died ~ age + sex + C(ward, ref='a') + age:sex"``.
    data : data frame
        pandas, polars, pyarrow, or anything with the Arrow PyCapsule interface.
    weights : str, default=None
        A column of weights; a weight of 3 stands for three equal rows.
    units : dict, default=None
        Units of change for odds ratios by column, such as ``{"age": 10}``.
    interval : {'wald', 'profile'}, default='wald'
        How intervals are found.
    level : float, default=0.95
        Level of the intervals.
    vcov : {'model', 'HC0', 'HC1', 'HC2', 'HC3'}, default='model'
        What standard errors are trusted to: the model, or the rows.
    cluster : str, default=None
        A column of clusters for robust standard errors.
    firth : bool, default=False
        Firth's penalised likelihood: finite under separation and less biased for few rows.
    on_separation : {'error', 'firth'}, default='error'
        What to do where no finite maximum exists.
    kinds : dict, default=None
        The kind of columns that should not be read as their type suggests: 'number', 'category', 'boolean' or 'text'.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray
        Class labels; log odds are against the first.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import polars as pl
    >>> from oddsmith import Logit
    >>> frame = pl.DataFrame({"dose": [0.5, 1.0, 1.5, 2.0, 2.5, 3.0], "died": ["no", "no", "yes", "no", "yes", "yes"]})
    >>> model = Logit("died ~ dose", frame)
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
        formula: str,
        data: Any,
        *,
        weights: str | None = None,
        units: dict[str, float] | None = None,
        interval: str = "wald",
        level: float = 0.95,
        vcov: str = "model",
        cluster: str | None = None,
        firth: bool = False,
        on_separation: str = "error",
        kinds: dict[str, str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        knobs = {
            "formula": formula,
            "l2": 0.0,
            "l1": 0.0,
            "firth": firth,
            "firth_if_separated": on_separation == "firth",
            "precision": interval,
            "level": level,
            "tests": True,
            "robust": None if vcov == "model" and cluster is None else ("HC1" if vcov == "model" else vcov),
            "cluster": cluster,
            "units": list((units or {}).items()),
            "tolerance": None,
            "most_steps": 200,
        }
        self.formula = formula
        model, notices = _core.fit_formula(table_of(data), knobs, kinds or {}, weights, thread_count(n_jobs))
        self._take(model, maker(data))
        self.diagnostics_ = tell([*notices, *model.notices])

    def _take(self, model: _core.Model, make: str) -> None:
        self._model, self._make = model, make
        self.classes_ = classes_of_names(model.class_labels)

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
            The regression; its tables are plain dictionaries of columns.
        """
        with open(path, "rb") as file:
            model = _core.Model.from_bytes(file.read())
        if model.tag != "logistic":
            raise UnsupportedError(f"this is a {model.title}; oddsmith.load reads it")
        self = cls.__new__(cls)
        self._take(model, "dict")
        self.formula = model.facts()["formula"]
        self.diagnostics_ = [OddsmithWarning(*notice) for notice in model.notices]
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that the command and every other front end can read.

        Parameters
        ----------
        path : path-like
            Where to write; an existing file is replaced as a whole or not at all.
        """
        _core.write_file(path, self._model.to_bytes())

    def tidy(self, exponentiate: bool = False) -> Any:
        """Give one row per coefficient: estimate, standard error, test, interval.

        Parameters
        ----------
        exponentiate : bool, default=False
            Give odds ratios in place of log odds.

        Returns
        -------
        data frame
            With columns term, estimate, std_error, statistic, p_value, conf_low, conf_high and more.
        """
        columns = self._model.tidy()
        if exponentiate:
            columns |= {"estimate": columns["odds_ratio"], "conf_low": columns["odds_low"], "conf_high": columns["odds_high"]}
        return table(columns, self._make)

    def glance(self) -> Any:
        """Give one row about the whole model: rows, log likelihood, deviance, AIC, BIC …

        Returns
        -------
        data frame
            One row.
        """
        return table({name.replace(" ", "_"): [value] for name, value in self._model.facts().items()}, self._make)

    def augment(self, data: Any) -> Any:
        """Give the data with the probability of every class and the predicted class beside them.

        Parameters
        ----------
        data : data frame
            Rows with the columns of the formula's right side.

        Returns
        -------
        data frame
            `data` with columns p_CLASS and predicted; probabilities are missing where a needed value is.
        """
        probabilities = self.predict_proba(data)
        known = ~np.isnan(probabilities).any(axis=1)
        chosen = self.classes_[np.where(known, probabilities.argmax(axis=1), 0)]
        added = {f"p_{label}": probabilities[:, k] for k, label in enumerate(self._model.class_labels)}
        added["predicted"] = [label if sure else None for label, sure in zip(chosen.tolist(), known, strict=True)]
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

    def predict_proba(self, data: Any) -> np.ndarray:
        """Give the probability of every class; NaN where a value that the formula needs is missing.

        Parameters
        ----------
        data : data frame
            Rows with the columns of the formula's right side.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``.
        """
        answers, notices = table_of(data).predict(self._model, False)
        tell(notice for notice in notices if notice[0] != "W302")
        return answers

    def predict(self, data: Any) -> np.ndarray:
        """Predict the most probable class of every row.

        Parameters
        ----------
        data : data frame
            Rows with the columns of the formula's right side.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        return self.classes_[self.predict_proba(data).argmax(axis=1)]

    def summary(self, format: str = "table") -> str:
        """Give the model for people: odds ratios with reference rows, intervals and p-values.

        Parameters
        ----------
        format : {'table', 'md', 'html', 'latex', 'json'}, default='table'
            How it is written.

        Returns
        -------
        str
            The text.
        """
        return self._model.render(format)

    def _repr_html_(self) -> str:
        return self._model.render("html")

    def __repr__(self) -> str:
        return f"<Logit {self.formula}: {self._model.title}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._model, self._make, self.formula, self.diagnostics_)


def _restored(model: _core.Model, make: str, formula: str, diagnostics: list[OddsmithWarning]) -> Logit:
    self = Logit.__new__(Logit)
    self._take(model, make)
    self.formula, self.diagnostics_ = formula, diagnostics
    return self


def _series(values: Any) -> Any:
    import polars

    return polars.Series(values)
