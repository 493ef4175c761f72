"""A number that knows how sure it is."""

from __future__ import annotations


class Estimate(float):
    """A figure with its 95 % confidence interval; in every other respect a float.

    Attributes
    ----------
    low, high : float or None
        Ends of the interval; ``None`` where there is none.
    note : str or None
        Why a figure that usually has a value and an interval lacks one of them here.
    variance : float or None
        Its variance where that is known by a formula: DeLong's for areas and their differences.

    Examples
    --------
    >>> from oddsmith.metrics import auc
    >>> area = auc([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7])
    >>> round(area, 3), round(area.low, 3), area.high
    (0.889, 0.581, 1.0)
    """

    low: float | None
    high: float | None
    note: str | None
    variance: float | None

    def __new__(
        cls, value: float, low: float | None = None, high: float | None = None, note: str | None = None, variance: float | None = None
    ) -> Estimate:
        self = super().__new__(cls, value)
        self.low, self.high, self.note, self.variance = low, high, note, variance
        return self

    def __getnewargs__(self) -> tuple[float, float | None, float | None, str | None, float | None]:
        return float(self), self.low, self.high, self.note, self.variance

    def __repr__(self) -> str:
        number = float.__repr__(self)
        if self.low is not None:
            return f"{number} ({self.low!r} to {self.high!r})"
        return number if self.note is None else f"{number} ({self.note})"
