"""Factors of the weights of rows by class, as scikit-learn means them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight


class WeighsClasses:
    """A classifier whose `class_weight` multiplies the weights of rows."""

    #: Parameters of the class beside those that its model declares, with their defaults.
    _beside: ClassVar[dict[str, Any]] = {"class_weight": None}

    def _weighted(self, y: Any, sample_weight: Any) -> Any:
        """Row weights with factors by class."""
        class_weight = getattr(self, "class_weight", None)
        # Without classes, the fit says in scikit-learn's words that it needs them.
        if class_weight is None or y is None:
            return sample_weight
        factors = compute_sample_weight(class_weight, np.asarray(y))
        return factors if sample_weight is None else np.asarray(sample_weight, dtype=np.float64) * factors
