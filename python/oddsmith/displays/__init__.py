"""Curves with scikit-learn's names and signatures, for classifiers of any library, and with bands.

Each display holds the numbers that scikit-learn's has, and a `Picture`. It draws with matplotlib where that is there; a notebook shows the picture
anyway.
"""

from .boundary import DecisionBoundaryDisplay
from .calibration import CalibrationDisplay
from .ranking import PrecisionRecallDisplay, RocCurveDisplay

__all__ = ["CalibrationDisplay", "DecisionBoundaryDisplay", "PrecisionRecallDisplay", "RocCurveDisplay"]
