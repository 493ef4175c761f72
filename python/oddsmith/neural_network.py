"""A small network behind scikit-learn's door."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _checks
from .declared import DeclaredClassifier
from .exceptions import ParameterError

__all__ = ["MLPClassifier"]

_ONE_RATE = "adam has one rate for standardised columns, which falls from epoch to epoch"
_OF_ADAM = "adam's moments fade by 0.9 and 0.999, and 1e-8 is added to their root"
_NO_SGD = "it belongs to a solver that there is not"
_NOT_HELD_OUT = "no rows are held out; max_iter says when adam ends"
_NO_SMALL_STEPS = "no search ends because a step changed the loss little: L-BFGS ends where the loss is flat, adam after max_iter epochs"
#: What scikit-learn's class takes and this one does not: the value that asks for nothing, and why others are refused.
_AT_REST: dict[str, tuple[Any, str]] = {
    "batch_size": ("auto", "parts have 200 rows"),
    "learning_rate": ("constant", _ONE_RATE),
    "learning_rate_init": (0.001, _ONE_RATE),
    "shuffle": (True, "adam always mixes rows, by a key of random_state"),
    "warm_start": (False, "every fit starts from its first weights"),
    "early_stopping": (False, _NOT_HELD_OUT),
    "validation_fraction": (0.1, _NOT_HELD_OUT),
    "momentum": (0.9, _NO_SGD),
    "nesterovs_momentum": (True, _NO_SGD),
    "power_t": (0.5, _NO_SGD),
    "beta_1": (0.9, _OF_ADAM),
    "beta_2": (0.999, _OF_ADAM),
    "epsilon": (1e-8, _OF_ADAM),
    "tol": (1e-4, _NO_SMALL_STEPS),
    "n_iter_no_change": (10, _NO_SMALL_STEPS),
    "max_fun": (15000, "evaluations are not counted; max_iter bounds the steps of the search"),
    "verbose": (False, "nothing is printed; `loss_` and `n_iter_` tell of the fit"),
}


class MLPClassifier(DeclaredClassifier):
    """A network of one or two hidden layers, fitted by L-BFGS over all rows or by Adam over parts of them.

    Columns are brought to mean 0 and standard deviation 1 inside. L-BFGS ends where the loss is flat, not where a step changed it
    little. Adam takes as many epochs as it is told, in steps of 200 rows, with a rate that falls to zero; rows are mixed within windows of 16000, so
    sort no larger table by its classes. The same bits come from any number of threads.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(8,)
        Units of the hidden layers, none to two.
    activation : {'tanh', 'relu', 'logistic', 'identity'}, default='tanh'
        What a hidden unit makes of its sum.
    solver : {'lbfgs', 'adam'}, default='lbfgs'
        All rows at once, or steps by parts of the rows.
    alpha : float, default=1.0
        Strength of the penalty ½ α Σ w² beside the log loss of all rows. Constants are not penalised.
    batch_size : {'auto'}, default='auto'
        Adam's parts have 200 rows.
    learning_rate : {'constant'}, default='constant'
        Only its default is accepted; Adam's rate falls from epoch to epoch.
    learning_rate_init : float, default=0.001
        Only its default is accepted; there is one rate for standardised columns.
    power_t : float, default=0.5
        Only its default is accepted; it belongs to a solver that there is not.
    max_iter : int, default=None
        Most steps of L-BFGS, or epochs of Adam; ``None`` is 1000 or 200.
    shuffle : bool, default=True
        Only its default is accepted; Adam always mixes rows.
    random_state : int, default=None
        Start of the random first weights and of the order of rows; ``None`` is 1.
    tol : float, default=1e-4
        Only its default is accepted; no search ends because a step changed the loss little.
    verbose : bool, default=False
        Only its default is accepted; nothing is printed.
    warm_start : bool, default=False
        Every fit starts from its first weights.
    momentum : float, default=0.9
        Only its default is accepted.
    nesterovs_momentum : bool, default=True
        Only its default is accepted.
    early_stopping : bool, default=False
        No rows are held out.
    validation_fraction : float, default=0.1
        Only its default is accepted.
    beta_1 : float, default=0.9
        Only its default is accepted, which is Adam's.
    beta_2 : float, default=0.999
        Only its default is accepted, which is Adam's.
    epsilon : float, default=1e-8
        Only its default is accepted, which is Adam's.
    n_iter_no_change : int, default=10
        Only its default is accepted.
    max_fun : int, default=15000
        Only its default is accepted; `max_iter` bounds the search.
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
        Steps of L-BFGS, or epochs of Adam.
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
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=None,
        shuffle=True,
        random_state=None,
        tol=1e-4,
        verbose=False,
        warm_start=False,
        momentum=0.9,
        nesterovs_momentum=True,
        early_stopping=False,
        validation_fraction=0.1,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
        n_iter_no_change=10,
        max_fun=15000,
        n_jobs=None,
        missing="drop",
        kinds=None,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.n_jobs = n_jobs
        self.missing = missing
        self.kinds = kinds

    def _options(self) -> dict[str, Any]:
        if self.solver not in ("lbfgs", "adam"):
            raise ParameterError(f"solver = {self.solver!r} is not accepted: 'lbfgs', which looks at all rows at once, or 'adam'")
        for name, (default, why) in _AT_REST.items():
            _checks.at_rest(name, getattr(self, name), default, why)
        _checks.declared("activation", "activation", self.activation)
        sizes = (self.hidden_layer_sizes,) if isinstance(self.hidden_layer_sizes, int) else tuple(self.hidden_layer_sizes)
        seed = self.random_state
        if isinstance(seed, np.random.RandomState):
            seed = int(seed.randint(1, 2**31 - 1))
        options = {
            "hidden": ",".join(str(size) for size in sizes) or "none",
            "activation": self.activation,
            "decay": self.alpha,
            "search": self.solver,
            "start-seed": 1 if seed is None else int(seed),
            "missing": self.missing,
        }
        return options if self.max_iter is None else {**options, "steps": self.max_iter}

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
