"""Model files: the same for Python, the command and every other front end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from . import _core
from ._classes import CLASSES, class_of_family
from ._frames import FrameClassifier, StoredModel
from .logit import Logit

__all__ = ["load"]


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
        A fitted estimator of the model's class with default parameters; a `Logit` for a regression with standard errors, or by a formula;
        a class of the same family that takes columns of every kind where arrays cannot hold them (`MixedNB` for naive Bayes);
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
    """The fitted estimator of a model, by what the model can do."""
    return _class_for(model)._of_model(model)


def _class_for(model: _core.Model) -> type:
    owner = CLASSES.get(model.owner)
    if owner is None:
        return StoredModel
    # What is known of the errors of a regression's estimates, only `Logit` tells.
    if Logit._is_for(model) and (model.has_standard_errors or not _takes(owner, model)):
        return Logit
    return owner if _takes(owner, model) else class_of_family(model.family)


def _takes(owner: type, model: _core.Model) -> bool:
    """Whether a class can ask the model: it takes data frames, or arrays in the form that the model wants and in straight lines, where it
    shows these."""
    if issubclass(owner, FrameClassifier):
        return True
    return model.form in owner._forms and (model.formula is None or model.linear() is not None)
