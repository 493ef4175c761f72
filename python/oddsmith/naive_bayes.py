"""Naive Bayes: every column speaks for itself."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.multiclass import _check_partial_fit_first_call

from . import _checks, _core
from ._base import Classifier, check_not_single
from ._inputs import codes_among, core_rows, encode_labels, row_weights, thread_count
from .exceptions import NoEstimateError, ParameterError, UnsupportedError

__all__ = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]

_SMALLEST_ALPHA = 1e-10


class _NaiveBayes(Classifier):
    """Sums of rows, merged batch by batch, and a model finished from them."""

    _family: ClassVar[str]
    _wanted: ClassVar[str]
    _sums: _core.Sums
    _obstacle: NoEstimateError | None
    class_count_: np.ndarray

    def _columns(self, X: Any) -> _core.Columns:
        """The layout of a batch."""
        sparse = self._sums.sparse if "_sums" in self.__dict__ else not isinstance(X, np.ndarray)
        make = _core.Columns.words if sparse else _core.Columns.numbers
        return make(self._names(), self._labels())

    def _learn(self, X: Any, codes: np.ndarray, sample_weight: Any, *, first: bool) -> None:
        """Adds a batch to the sums and finishes a model from them."""
        weights = row_weights(sample_weight, X)
        if first:
            self.__dict__.pop("_sums", None)
        columns = self._columns(X)
        batch = self._gather(columns, X, codes, weights)
        check_not_single(self.classes_)
        self._sums = batch if first else self._sums.merge(batch)[0]
        try:
            self._settle()
        except NoEstimateError as error:
            if first:
                raise
            # More rows may come; the model is missed only when it is asked.
            self._obstacle = error

    def _settle(self) -> None:
        self.class_count_ = self._sums.class_count
        self._describe()
        self._model = self._obstacle = None
        if np.count_nonzero(self.class_count_) > 1:
            self._adopt(self._finished())

    def _gather(self, columns: _core.Columns, X: Any, codes: np.ndarray, weights: np.ndarray | None) -> _core.Sums:
        threshold, threads = self._threshold() or 0.0, thread_count(self.n_jobs)
        return _core.gather(type(self).__name__, columns, self._wanted, core_rows(X), codes, weights, threshold, threads)

    def _finished(self) -> _core.Model:
        """A model of the sums. A class of prior zero is one that the core learns and then is told to be impossible."""
        knobs = self._knobs()
        if isinstance(knobs["prior"], str) or min(knobs["prior"]) > 0:
            return self._sums.naive_bayes(knobs)
        with np.errstate(divide="ignore"):
            log_prior = np.log(knobs["prior"])
        return self._sums.naive_bayes(knobs | {"prior": "uniform"}).with_log_prior(log_prior.tolist())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The class of every row.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up; a row of weight 2 counts as the row twice.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        self._check_parameters()
        X, y = self._checked(X, y, reset=True)
        self.classes_, codes = encode_labels(y)
        self._learn(X, codes, sample_weight, first=True)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Add a batch of rows to what was learned before; any cut into batches gives the model of all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows of the batch.
        y : array-like of shape (n_samples,)
            The class of every row.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever be seen; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights from 0 up.

        Returns
        -------
        object
            The estimator itself.
        """
        self._check_parameters()
        first = _check_partial_fit_first_call(self, classes)
        if not first and "_sums" not in self.__dict__:
            raise UnsupportedError("a model from a file holds no sums to add rows to; fit it anew, or keep statistics files")
        X, y = self._checked(X, y, reset=first)
        if first:
            self._sums = self._gather(self._columns(X[:0]), X[:0], np.zeros(0, np.uint32), None)
        self._learn(X, codes_among(y, self.classes_), sample_weight, first=False)
        return self

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Give log p(x, y), the log of the joint probability (density) of every row and class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log joint probabilities in the order of ``classes_``.
        """
        return self._ask(X, "scores")

    def _knobs(self) -> dict[str, Any]:
        """The knobs of the core's learner."""
        return {
            "family": self._family,
            "prior": "data",
            "smoothing": 1.0,
            "word_smoothing": [],
            "normalized": False,
            "threshold": 0.0,
            "variance_addend": 0.0,
            "variance_floor": 0.0,
            "tying": "per-class",
            "divisor": "ml",
            "predictive": self.predictive,
            "distributions": [],
        }

    def _check_parameters(self) -> None:
        _checks.flag("predictive", self.predictive)

    def _describe(self) -> None:
        """Sets the attributes that follow from the sums."""

    def _class_shares(self) -> np.ndarray:
        """Shares of the classes in the data; integrated out, they have a pseudo-row per class."""
        counts = self.class_count_ + bool(self.predictive)
        return counts / counts.sum()

    def _by_class(self, cells: np.ndarray) -> np.ndarray:
        """A table of a model file, which is stored column by column, class by class."""
        return cells.reshape(-1, len(self.classes_)).T.copy()


class GaussianNB(_NaiveBayes):
    """Gaussian naive Bayes: in every class, every column has a normal density.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the shares of the classes in the data.
    var_smoothing : float, default=1e-9
        What is added to every variance, as a share of the largest overall variance of any column.
    var_tying : {'per-class', 'per-column', 'single'}, default='per-class'
        Which densities share a variance: none, those of a column, or all. Shared ones make log odds linear.
    divisor : {'ml', 'unbiased'}, default='ml'
        What squared deviations are divided by: the number of rows, or one less per mean that was estimated.
    predictive : bool, default=False
        Integrate means and variances out instead of plugging in estimates: honest about small classes.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of every class.
    theta_ : ndarray of shape (n_classes, n_features)
        Means.
    var_ : ndarray of shape (n_classes, n_features)
        Variances, smoothing included.
    epsilon_ : float
        What was added to the variances.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import GaussianNB
    >>> X = np.array([[1.0, 5.0], [2.0, 4.0], [4.0, 4.5], [5.0, 1.0], [6.0, 2.0], [9.0, 1.5]])
    >>> y = np.array(["healthy", "healthy", "healthy", "ill", "ill", "ill"])
    >>> model = GaussianNB().fit(X, y)
    >>> model.predict([[2.0, 5.0]])
    array(['healthy'], dtype='<U7')
    >>> bool(model.predict_proba([[2.0, 5.0]])[0, 0] > 0.99)
    True
    """

    _family = "gaussian"
    _wanted = "moments"

    def __init__(self, *, priors=None, var_smoothing=1e-9, var_tying="per-class", divisor="ml", predictive=False, n_jobs=None):
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.var_tying = var_tying
        self.divisor = divisor
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _checks.at_least("var_smoothing", self.var_smoothing, 0)
        _checks.one_of("var_tying", self.var_tying, ("per-class", "per-column", "single"))
        _checks.one_of("divisor", self.divisor, ("ml", "unbiased"))

    def _knobs(self) -> dict[str, Any]:
        prior = "data" if self.priors is None else self.class_prior_.tolist()
        own = {"prior": prior, "variance_addend": float(self.var_smoothing), "tying": self.var_tying, "divisor": self.divisor}
        return super()._knobs() | own

    def _describe(self) -> None:
        counts = self.class_count_
        means, squares = self._sums.moments()
        overall = squares[-1] / counts.sum()
        self.theta_ = means[:-1]
        self.epsilon_ = float(self.var_smoothing * overall.max())
        with np.errstate(invalid="ignore", divide="ignore"):
            self.var_ = np.nan_to_num(self._variances(squares[:-1], counts[:, None], overall > 0), posinf=0.0) + self.epsilon_
        if self.priors is None:
            self.class_prior_ = self._class_shares()
        else:
            self.class_prior_ = _checks.class_prior("priors", self.priors, len(counts))
            if not np.isclose(self.class_prior_.sum(), 1.0):
                raise ParameterError("The sum of the priors should be 1.")

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        shape = (len(self.classes_), self.n_features_in_)
        self.class_prior_ = np.exp(arrays["prior.log"])
        self.theta_, self.var_, self.epsilon_ = np.full(shape, np.nan), np.full(shape, np.nan), 0.0
        # A model of constant columns only has no part.
        columns = arrays.get("part0.columns", np.zeros(0)).astype(int)
        self.predictive = "part0.location" in arrays
        for attribute, name, power in (("theta_", "location" if self.predictive else "mean", 1), ("var_", "scale" if self.predictive else "sd", 2)):
            if len(columns):
                getattr(self, attribute)[:, columns] = arrays[f"part0.{name}"].reshape(len(self.classes_), -1) ** power

    def _variances(self, squares: np.ndarray, counts: np.ndarray, varying: np.ndarray) -> np.ndarray:
        """Squared deviations over divisors, shared as the tying says."""
        divisors = np.broadcast_to(counts - (self.divisor == "unbiased") * (counts > 0), squares.shape)
        if self.var_tying == "per-class":
            return squares / divisors
        if self.var_tying == "per-column":
            return np.broadcast_to(squares.sum(axis=0) / divisors.sum(axis=0), squares.shape).copy()
        shared = squares[:, varying].sum() / divisors[:, varying].sum()
        return np.where(varying, shared, np.zeros_like(squares))


class _DiscreteNB(_NaiveBayes):
    """Shares of counts, smoothed by pseudo-counts."""

    _sparse = True

    def _alpha(self) -> Any:
        """The pseudo-counts: one number, or one per column."""
        if np.ndim(self.alpha) == 0:
            alpha = _checks.at_least("alpha", self.alpha, 0)
        else:
            alpha = np.asarray(self.alpha, dtype=np.float64)
            if alpha.shape != (self.n_features_in_,):
                raise ParameterError(
                    f"When alpha is an array, it should contains `n_features`. Got {alpha.shape[0]} elements instead of {self.n_features_in_}."
                )
            if not (alpha >= 0).all():
                raise ParameterError("All values in alpha must be greater than 0.")
        if np.min(alpha) < _SMALLEST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {_SMALLEST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=5,
            )
            return np.maximum(alpha, _SMALLEST_ALPHA)
        return alpha

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _checks.flag("fit_prior", self.fit_prior)
        _checks.flag("force_alpha", self.force_alpha)
        if np.ndim(self.alpha) == 0:
            _checks.at_least("alpha", self.alpha, 0)

    def _knobs(self) -> dict[str, Any]:
        own: dict[str, Any] = {"prior": "data" if self.fit_prior else "uniform"}
        if self.class_prior is not None:
            shares = np.asarray(self.class_prior, dtype=np.float64)
            own["prior"] = (shares / shares.sum()).tolist()
        alpha = self._used_alpha
        own |= {"smoothing": float(alpha)} if np.ndim(alpha) == 0 else {"word_smoothing": alpha.tolist()}
        return super()._knobs() | own

    def _describe(self) -> None:
        counts = self.class_count_
        self._used_alpha = self._alpha()
        with np.errstate(divide="ignore"):
            if self.class_prior is not None:
                self.class_log_prior_ = np.log(_checks.class_prior("class_prior", self.class_prior, len(counts)))
            elif self.fit_prior:
                self.class_log_prior_ = np.log(self._class_shares())
            else:
                self.class_log_prior_ = np.full(len(counts), -np.log(len(counts)))
            self._describe_columns(self._used_alpha)

    def _describe_columns(self, alpha: Any) -> None:
        raise NotImplementedError

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        self.class_log_prior_ = arrays["prior.log"]
        cells = arrays.get("part0.weight", arrays.get("part0.table"))
        if cells is not None:
            self.feature_log_prob_ = self._by_class(cells)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class MultinomialNB(_DiscreteNB):
    """Multinomial naive Bayes over counts, such as words of texts.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of every column in every class.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10.
    fit_prior : bool, default=True
        Take class probabilities from the data; otherwise all classes are equally probable.
    class_prior : array-like of shape (n_classes,), default=None
        Class probabilities given from outside.
    predictive : bool, default=False
        Integrate the shares out instead of plugging in estimates.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log probability of every class.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Sums of counts.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log share of every column in every class.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import MultinomialNB
    >>> X = np.array([[2, 1, 0], [3, 0, 0], [0, 1, 4]])
    >>> model = MultinomialNB().fit(X, ["ham", "ham", "spam"])
    >>> model.predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    _family = "multinomial"
    _wanted = "totals"

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, predictive=False, n_jobs=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _describe_columns(self, alpha: Any) -> None:
        self.feature_count_ = self._sums.totals()
        smoothed = self.feature_count_ + alpha
        self.feature_log_prob_ = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class ComplementNB(_DiscreteNB):
    """Multinomial naive Bayes learned from all other classes, for classes of uneven size.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of every column in every class.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10.
    fit_prior, class_prior
        Change ``class_log_prior_`` only: the rule has no prior.
    norm : bool, default=False
        Divide the weights of every class by their sum.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log probability of every class, which the rule does not use.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Sums of counts.
    feature_all_ : ndarray of shape (n_features,)
        Sums of counts over all classes.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weight of every column in every class.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import ComplementNB
    >>> X = np.array([[2, 1, 0], [3, 0, 0], [0, 1, 4]])
    >>> model = ComplementNB().fit(X, ["ham", "ham", "spam"])
    >>> model.predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    _family = "complement"
    _wanted = "totals"
    predictive = False

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, norm=False, n_jobs=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _checks.flag("norm", self.norm)

    def _knobs(self) -> dict[str, Any]:
        return super()._knobs() | {"prior": "uniform", "normalized": bool(self.norm)}

    def _describe_columns(self, alpha: Any) -> None:
        self.feature_count_ = self._sums.totals()
        self.feature_all_ = self.feature_count_.sum(axis=0)
        elsewhere = self.feature_all_ - self.feature_count_ + alpha
        weights = -np.log(elsewhere / elsewhere.sum(axis=1, keepdims=True))
        self.feature_log_prob_ = weights / weights.sum(axis=1, keepdims=True) if self.norm else weights

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Give the unnormalised score of every row and class; complement naive Bayes has no joint distribution.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Scores in the order of ``classes_``.
        """
        return self._ask(X, "scores") + np.log(len(self.classes_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class BernoulliNB(_DiscreteNB):
    """Bernoulli naive Bayes over flags: what is absent speaks as well as what is present.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of both values of every column in every class.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10.
    binarize : float or None, default=0.0
        A value above this is a set flag; ``None`` says that the values are 0 and 1 already.
    fit_prior : bool, default=True
        Take class probabilities from the data; otherwise all classes are equally probable.
    class_prior : array-like of shape (n_classes,), default=None
        Class probabilities given from outside.
    predictive : bool, default=False
        Integrate the shares out instead of plugging in estimates.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log probability of every class.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Weight of the rows whose flag is set.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log probability of a set flag.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import BernoulliNB
    >>> X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1]])
    >>> model = BernoulliNB().fit(X, ["ham", "ham", "spam"])
    >>> model.predict([[0, 0, 1]])
    array(['spam'], dtype='<U4')
    """

    _family = "bernoulli"
    _wanted = "flags"

    def __init__(self, *, alpha=1.0, force_alpha=True, binarize=0.0, fit_prior=True, class_prior=None, predictive=False, n_jobs=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _threshold(self) -> float:
        return 0.0 if self.binarize is None else float(self.binarize)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if np.ndim(self.alpha) > 0:
            raise ParameterError("alpha must be one number: both values of a flag share it")
        if self.binarize is not None:
            _checks.at_least("binarize", self.binarize, 0)

    def _knobs(self) -> dict[str, Any]:
        return super()._knobs() | {"threshold": self._threshold()}

    def _describe_columns(self, alpha: Any) -> None:
        self.feature_count_ = self._sums.flags()
        self.feature_log_prob_ = np.log(self.feature_count_ + alpha) - np.log(self.class_count_ + 2 * alpha)[:, None]

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        super()._describe_model(arrays, head)
        if "part0.present" in arrays:
            self.feature_log_prob_ = self._by_class(arrays["part0.present"])
            self.binarize = next(part["threshold"] for part in head["naive-bayes"]["parts"] if part["part"] == "flags")
        elif "part0.table" in arrays:
            # The weight of a word is the log odds of its presence.
            self.feature_log_prob_ = -np.logaddexp(0.0, -self.feature_log_prob_)


class CategoricalNB(_DiscreteNB):
    """Categorical naive Bayes over columns of codes 0, 1, 2 …

    A category that was never seen in a column says nothing: the column is left out of that row's sum.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of every category of every column in every class.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10.
    fit_prior : bool, default=True
        Take class probabilities from the data; otherwise all classes are equally probable.
    class_prior : array-like of shape (n_classes,), default=None
        Class probabilities given from outside.
    min_categories : int or array-like of shape (n_features,), default=None
        Smallest number of categories per column, where the data may not show all of them.
    predictive : bool, default=False
        Integrate the shares out instead of plugging in estimates.
    n_jobs : int, default=None
        Number of threads; ``None`` asks ``ODDSMITH_NUM_THREADS`` and ``OMP_NUM_THREADS``, then takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of every class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log probability of every class.
    category_count_ : list of ndarray of shape (n_classes, n_categories)
        Weight of every category by column.
    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories)
        Log share of every category by column.
    n_categories_ : ndarray of shape (n_features,)
        Number of categories by column.
    diagnostics_ : list of OddsmithWarning
        What went wrong without being an error.

    Examples
    --------
    >>> import numpy as np
    >>> from oddsmith import CategoricalNB
    >>> X = np.array([[0, 1], [0, 2], [1, 0], [1, 0]])
    >>> model = CategoricalNB().fit(X, [0, 0, 1, 1])
    >>> model.predict([[1, 0]])
    array([1])
    """

    _family = "categorical"
    _wanted = "levels"
    _sparse = False

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, min_categories=None, predictive=False, n_jobs=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.predictive = predictive
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if np.ndim(self.alpha) > 0:
            raise ParameterError("alpha must be one number: all categories share it")

    def _columns(self, X: np.ndarray) -> _core.Columns:
        counts = np.asarray(_core.level_counts(core_rows(X), type(self).__name__), dtype=np.int64)
        if self.min_categories is not None:
            least = np.asarray(self.min_categories)
            if not np.issubdtype(least.dtype, np.signedinteger):
                raise ParameterError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
            if least.ndim > 0 and least.shape != counts.shape:
                raise ParameterError(
                    f"'min_categories' should have shape ({X.shape[1]},) when an array-like is provided. Got {least.shape} instead."
                )
            counts = np.maximum(counts, least)
        if "_sums" in self.__dict__:
            counts = np.maximum(counts, [table.shape[1] for table in self._sums.levels()])
        return _core.Columns.levels(self._names(), counts.tolist(), self._labels())

    def _describe_columns(self, alpha: Any) -> None:
        self.category_count_ = self._sums.levels()
        self.n_categories_ = np.array([table.shape[1] for table in self.category_count_])
        smoothed = [table + alpha for table in self.category_count_]
        self.feature_log_prob_ = [np.log(table) - np.log(table.sum(axis=1, keepdims=True)) for table in smoothed]

    def _describe_model(self, arrays: dict[str, np.ndarray], head: dict[str, Any]) -> None:
        super()._describe_model(arrays, head)
        self.n_categories_ = arrays["layout.levels.lengths"].astype(np.int64)
        if "part0.table" in arrays:
            self.feature_log_prob_ = np.split(self.feature_log_prob_, np.cumsum(self.n_categories_)[:-1], axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags
