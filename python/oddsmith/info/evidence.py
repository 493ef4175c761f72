"""Models compared by their evidence."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..exceptions import ParameterError
from ..pictures import Picture


class ModelPosterior(NamedTuple):
    """Models compared by their evidence; Bayes factors are against the model under which the data are most likely."""

    posterior: np.ndarray
    bayes_factor: np.ndarray
    bits: np.ndarray
    decibans: np.ndarray
    two_part_bits: np.ndarray
    log_evidence: float
    prior: np.ndarray

    def picture(self, names: Any = None) -> Picture:
        """Draw how likely each model was before, and is now.

        Parameters
        ----------
        names : list of str, default=None
            What the models are called; by default they are counted from 0.

        Returns
        -------
        Picture
            Bars of the posterior, with a point where each model stood before.
        """
        told = [str(at) for at in range(len(self.posterior))] if names is None else [str(name) for name in names]
        if len(told) != len(self.posterior):
            raise ParameterError(f"names = {len(told)} of them is not accepted: one for each of the {len(self.posterior)} models")
        # Evidence matters up to a factor that is common to all models.
        evidence = [float(bits) * math.log(2) for bits in self.bits]
        return Picture(_core.info_posterior_picture(told, evidence, [float(share) for share in self.prior]))


def compare_evidence(log_evidence: Any, prior: Any = None) -> ModelPosterior:
    """Compare models by their log evidences, which must be of the same data.

    Parameters
    ----------
    log_evidence : array-like of shape (n_models,)
        Natural logarithms of p(data | model).
    prior : array-like of shape (n_models,), default=None
        How likely each model was before, in proportion; by default all the same.

    Returns
    -------
    ModelPosterior
        Posterior probabilities, Bayes factors against the best model as odds, in bits and decibans, and bits that say model and data.

    Examples
    --------
    >>> import math
    >>> from oddsmith.info import compare_evidence
    >>> coins = compare_evidence([8 * math.log(p) + 4 * math.log(1 - p) for p in (0.8, 0.5)])
    >>> round(float(coins.posterior[0]), 4)
    0.5237
    """
    evidence = [float(value) for value in np.asarray(log_evidence, dtype=np.float64).reshape(-1)]
    priors = [1.0] * len(evidence) if prior is None else [float(value) for value in np.asarray(prior, dtype=np.float64).reshape(-1)]
    if len(priors) != len(evidence):
        raise ParameterError(f"prior = {len(priors)} numbers is not accepted: one for each of the {len(evidence)} models")
    posterior, factors, bits, total = _core.info_posterior(evidence, priors)
    ln = np.array(factors)
    return ModelPosterior(np.array(posterior), np.exp(ln), ln / math.log(2), 10 * ln / math.log(10), np.array(bits), total, np.array(priors) / sum(priors))
