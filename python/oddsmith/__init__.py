"""Class probabilities you can trust, and an honest account of where they come from.

The estimators follow scikit-learn: the same names, parameters and attributes, with more to ask for. A model of the registry that nobody
wrote a class for has one that is made from its declaration.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._core import __version__, models
from .exceptions import (
    DataError,
    FormatError,
    FormulaError,
    InternalError,
    MismatchError,
    NoEstimateError,
    OddsmithError,
    OddsmithWarning,
    ParameterError,
    UnknownNameError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from . import epi, info, metrics, stats
    from ._frames import StoredModel
    from .calibrated import CalibratedClassifier
    from .comparison import Comparison, compare
    from .discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from .displays import CalibrationDisplay, DecisionBoundaryDisplay, PrecisionRecallDisplay, RocCurveDisplay
    from .evaluation import Evaluation, evaluate
    from .files import load
    from .linear_model import LogisticRegression
    from .logit import Logit
    from .margins import Perceptron, RidgeClassifier
    from .mixed import MixedNB
    from .naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
    from .neighbors import KNeighborsClassifier
    from .neural_network import MLPClassifier
    from .pictures import Picture
    from .prior_shift import PriorShift
    from .reporting import Report, report
    from .tree import export_text

#: Where the names live. They are imported when they are asked for: a worker that only sums rows up needs no scikit-learn.
_HOMES = {
    "BernoulliNB": "naive_bayes",
    "CalibratedClassifier": "calibrated",
    "CalibrationDisplay": "displays",
    "CategoricalNB": "naive_bayes",
    "Comparison": "comparison",
    "ComplementNB": "naive_bayes",
    "DecisionBoundaryDisplay": "displays",
    "Evaluation": "evaluation",
    "GaussianNB": "naive_bayes",
    "KNeighborsClassifier": "neighbors",
    "LinearDiscriminantAnalysis": "discriminant_analysis",
    "LogisticRegression": "linear_model",
    "Logit": "logit",
    "MLPClassifier": "neural_network",
    "MixedNB": "mixed",
    "MultinomialNB": "naive_bayes",
    "Perceptron": "margins",
    "Picture": "pictures",
    "PrecisionRecallDisplay": "displays",
    "PriorShift": "prior_shift",
    "QuadraticDiscriminantAnalysis": "discriminant_analysis",
    "Report": "reporting",
    "RidgeClassifier": "margins",
    "RocCurveDisplay": "displays",
    "StoredModel": "_frames",
    "compare": "comparison",
    "evaluate": "evaluation",
    "export_text": "tree",
    "load": "files",
    "report": "reporting",
}
#: Modules that are there without an import of their own.
_MODULES = (
    "discriminant_analysis",
    "engine",
    "epi",
    "info",
    "linear_model",
    "margins",
    "metrics",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "stats",
    "tree",
)
_MADE = {entry["python"]: "_classes" for entry in models() if entry["python"] not in _HOMES}

__all__ = [
    "BernoulliNB",
    "CalibratedClassifier",
    "CalibrationDisplay",
    "CategoricalNB",
    "Comparison",
    "ComplementNB",
    "DataError",
    "DecisionBoundaryDisplay",
    "Evaluation",
    "FormatError",
    "FormulaError",
    "GaussianNB",
    "InternalError",
    "KNeighborsClassifier",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "Logit",
    "MLPClassifier",
    "MismatchError",
    "MixedNB",
    "MultinomialNB",
    "NoEstimateError",
    "OddsmithError",
    "OddsmithWarning",
    "ParameterError",
    "Perceptron",
    "Picture",
    "PrecisionRecallDisplay",
    "PriorShift",
    "QuadraticDiscriminantAnalysis",
    "Report",
    "RidgeClassifier",
    "RocCurveDisplay",
    "StoredModel",
    "UnknownNameError",
    "UnsupportedError",
    "__version__",
    "compare",
    "epi",
    "evaluate",
    "export_text",
    "info",
    "load",
    "metrics",
    "report",
    "stats",
]
__all__ += sorted(_MADE)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _MADE:
        value = import_module("._classes", __name__).MADE[name]
    elif name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
