"""A small network behind scikit-learn's door."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _checks
from .declared import DeclaredClassifier
from .exceptions import ParameterError

__all__ = ["MLPClassifier"]


class MLPClassifier(DeclaredClassifier):
    """A network of one or two hidden layers, fitted by L-BFGS over all rows.

    Columns are brought to mean 0 and standard deviation 1 inside. The search ends where the loss is flat, not where a step changed it
    little, and the same bits come from any number of threads.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(8,)
        Units of the hidden layers, none to two.
    activation : {'tanh', 'relu'}, default='tanh'
        What a hidden unit makes of its sum.
    solver : {'lbfgs'}, default='lbfgs'
        All rows at once; there are no steps by parts of the rows.
    alpha : float, default=1.0
        Strength of the penalty ½ α Σ w² beside the log loss of all rows. Constants are not penalised.
    max_iter : int, default=1000
        Most steps.
    random_state : int, default=None
        Start of the random first weights; ``None`` is 1.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.
    missing : {'drop', 'indicator', 'mean', 'error'}, default='drop'
        Rows of a data frame with a missing predictor: leave them out, a level or column of their own, the mean, or an error.
    kinds : dict, default=None
        The kind of columns of a data frame that should not be read as their type suggests.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coefs_ : list of ndarray
        Weights of every layer, inputs by units, for columns as they came.
    intercepts_ : list of ndarray
        Constants of every layer, for columns as they came.
    loss_ : float
        Log loss and penalty per row at the end.
    n_iter_ : int
        Steps.
    n_layers_ : int
        Layers, those of columns and classes included.
    out_activation_ : str
        What makes probabilities of the last layer; every class has a unit.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> from oddsmith import MLPClassifier
    >>> model = MLPClassifier(alpha=0.01).fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    >>> model.predict([[0.0, 0.0], [1.0, 0.0]])
    array([0, 1])
    """

    _declared = "network"
    _forms = ("numbers",)

    def __init__(
        self,
        hidden_layer_sizes=(8,),
        activation="tanh",
        *,
        solver="lbfgs",
        alpha=1.0,
        max_iter=1000,
        random_state=None,
        n_jobs=None,
        missing="drop",
        kinds=None,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.missing = missing
        self.kinds = kinds

    def _options(self) -> dict[str, Any]:
        if self.solver != "lbfgs":
            raise ParameterError(f"solver = {self.solver!r} is not accepted: 'lbfgs', which looks at all rows at once")
        _checks.one_of("activation", self.activation, ("tanh", "relu"))
        sizes = (self.hidden_layer_sizes,) if isinstance(self.hidden_layer_sizes, int) else tuple(self.hidden_layer_sizes)
        seed = self.random_state
        if isinstance(seed, np.random.RandomState):
            seed = int(seed.randint(1, 2**31 - 1))
        return {
            "hidden": ",".join(str(size) for size in sizes) or "none",
            "activation": self.activation,
            "decay": self.alpha,
            "steps": self.max_iter,
            "start-seed": 1 if seed is None else int(seed),
            "missing": self.missing,
        }

    def _show(self) -> None:
        arrays, account = self._model.arrays(), json.loads(self._model.head())["account"]
        theta, centre, spread = arrays["theta"], arrays["centre"], arrays["spread"]
        sizes = [len(centre), *account["hidden"], len(self.classes_)]
        self.coefs_, self.intercepts_, start = [], [], 0
        for inputs, units in zip(sizes[:-1], sizes[1:], strict=True):
            weights = theta[start : start + inputs * units].reshape(units, inputs)
            constants = theta[start + inputs * units : start + (inputs + 1) * units]
            start += (inputs + 1) * units
            if not self.coefs_:
                weights = np.divide(weights, spread, out=np.zeros_like(weights), where=spread > 0)
                constants = constants - weights @ centre
            self.coefs_.append(weights.T.copy())
            self.intercepts_.append(constants.copy())
        self.loss_, self.n_iter_ = float(account["objective"]), int(account["steps"])
        self.n_layers_, self.n_outputs_, self.out_activation_ = len(sizes), sizes[-1], "softmax"
