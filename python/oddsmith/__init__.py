"""Class probabilities you can trust, and an honest account of where they come from.

The estimators follow scikit-learn: the same names, parameters and attributes, with more to ask for.
"""

from . import metrics, stats
from ._core import __version__
from ._frames import StoredModel
from .calibrated import CalibratedClassifier
from .comparison import Comparison, compare
from .discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from .evaluation import Evaluation, evaluate
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
from .linear_model import LogisticRegression
from .logit import Logit
from .mixed import MixedNB
from .naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from .prior_shift import PriorShift

__all__ = [
    "BernoulliNB",
    "CalibratedClassifier",
    "CategoricalNB",
    "Comparison",
    "ComplementNB",
    "DataError",
    "Evaluation",
    "FormatError",
    "GaussianNB",
    "InternalError",
    "LinearDiscriminantAnalysis",
    "LogisticRegression",
    "Logit",
    "MismatchError",
    "MixedNB",
    "MultinomialNB",
    "NoEstimateError",
    "OddsmithError",
    "OddsmithWarning",
    "ParameterError",
    "PriorShift",
    "QuadraticDiscriminantAnalysis",
    "StoredModel",
    "UnknownNameError",
    "UnsupportedError",
    "__version__",
    "compare",
    "evaluate",
    "load",
    "metrics",
    "stats",
]
