"""Figures over probabilities and truth, each with its interval where there is one.

The functions take arrays, `y_true` first, and agree with `sklearn.metrics` where that has them. What the rows do not determine is a
`NoEstimateError` that says why, never a NaN.
"""

from ._calibration import (
    brier_decomposition,
    calibration_intercept,
    calibration_slope,
    expected_calibration_error,
    hosmer_lemeshow,
    reliability_curve,
)
from ._decisions import (
    accuracy,
    balanced_accuracy,
    choose_threshold,
    cohen_kappa,
    confusion_matrix,
    f1,
    lift,
    matthews_corrcoef,
    net_benefit,
    precision,
    sensitivity,
    specificity,
)
from ._estimate import Estimate
from ._losses import base_rate_bits, bits, bits_saved, brier, log_loss
from ._ranking import auc, average_precision, delong_test, precision_recall_curve, roc_curve

__all__ = [
    "Estimate",
    "accuracy",
    "auc",
    "average_precision",
    "balanced_accuracy",
    "base_rate_bits",
    "bits",
    "bits_saved",
    "brier",
    "brier_decomposition",
    "calibration_intercept",
    "calibration_slope",
    "choose_threshold",
    "cohen_kappa",
    "confusion_matrix",
    "delong_test",
    "expected_calibration_error",
    "f1",
    "hosmer_lemeshow",
    "lift",
    "log_loss",
    "matthews_corrcoef",
    "net_benefit",
    "precision",
    "precision_recall_curve",
    "reliability_curve",
    "roc_curve",
    "sensitivity",
    "specificity",
]
