"""Class probabilities you can trust, and an honest account of where they come from.

The estimators follow scikit-learn: the same names, parameters and attributes, with more to ask for.
"""

from ._core import __version__
from .discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from .exceptions import (
    DataError,
    FormatError,
    InternalError,
    MismatchError,
    NoEstimateError,
    OddsmithError,
    OddsmithWarning,
    ParameterError,
    UnknownNameError,
    UnsupportedError,
)
from .files import load
from .naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "DataError",
    "FormatError",
    "GaussianNB",
    "InternalError",
    "LinearDiscriminantAnalysis",
    "MismatchError",
    "MultinomialNB",
    "NoEstimateError",
    "OddsmithError",
    "OddsmithWarning",
    "ParameterError",
    "QuadraticDiscriminantAnalysis",
    "UnknownNameError",
    "UnsupportedError",
    "__version__",
    "load",
]
