"""Linear and quadratic discriminant analysis: classes with normal densities."""

from .linear import LinearDiscriminantAnalysis
from .quadratic import QuadraticDiscriminantAnalysis

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
