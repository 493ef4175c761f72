"""Model files: the same for Python, the command and every other front end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from . import _core, discriminant_analysis, linear_model, mixed, naive_bayes
from ._frames import StoredModel
from .logit import Logit

__all__ = ["load"]

_OWNERS = {name: getattr(module, name) for module in (naive_bayes, discriminant_analysis, linear_model) for name in module.__all__}
_FORMS = {"CategoricalNB": ("codes",), "BernoulliNB": ("numbers", "words"), "MultinomialNB": ("numbers", "words"), "ComplementNB": ("numbers", "words"), "LogisticRegression": ("numbers", "words")}


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model file that `save` or the command wrote.

    Class labels come back as whole numbers, numbers or truth values where every one of them reads as such, else as text.
    No file can run code; one that was cut, flipped or forged is refused.

    Parameters
    ----------
    path : path-like
        The model file.

    Returns
    -------
    estimator
        A fitted estimator of the model's class with default parameters; a `MixedNB` where columns are of kinds that arrays
        cannot hold, a `Logit` for a regression by formula,
        a `StoredModel` where probabilities or decisions were adjusted.

    Examples
    --------
    >>> import os, tempfile
    >>> import oddsmith
    >>> model = oddsmith.GaussianNB().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "size.odds")
    ...     model.save(path)
    ...     again = oddsmith.load(path)
    >>> again.predict([[3.0]])
    array(['low'], dtype='<U4')
    """
    return of_model(_core.Model.from_bytes(Path(path).read_bytes()))


def of_model(model: _core.Model) -> Any:
    """The fitted estimator of a model."""
    if model.tag in ("adjusted", "one-vs-rest"):
        return StoredModel._of_model(model)
    if model.tag == "logistic" and (model.linear() is None or model.form == "mixed"):
        return Logit._of_model(model)
    takes_arrays = model.form in _FORMS.get(model.owner, ("numbers",))
    return _OWNERS.get(model.owner if takes_arrays else "", mixed.MixedNB)._of_model(model)
