"""Covariances beyond those of the core."""

from __future__ import annotations

import numpy as np
from sklearn.covariance import ledoit_wolf
from sklearn.preprocessing import StandardScaler


def _shrunk(matrix: np.ndarray, shrinkage: float | None) -> np.ndarray:
    """The matrix drawn towards its mean variance times the identity."""
    if not shrinkage:
        return matrix
    p = len(matrix)
    return (1 - shrinkage) * matrix + shrinkage * (np.trace(matrix) / p) * np.eye(p)


def _ledoit_wolf(X: np.ndarray) -> np.ndarray:
    """The covariance of all rows, shrunk in units of the columns' deviations by Ledoit and Wolf's formula."""
    scaler = StandardScaler()
    matrix = ledoit_wolf(scaler.fit_transform(X))[0]
    return scaler.scale_[:, None] * matrix * scaler.scale_
