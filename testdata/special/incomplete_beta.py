"""The beta distribution: tails by series and fractions or by quadrature, and quantiles."""

import random
from functools import lru_cache
from math import exp, log, sqrt

import mpmath as mp
from mpmath import mpf

from incomplete_gamma import invert, log_of
from table import DEEPEST_LOG, TINY, OutsideDomain, Table


def beta_tails(x, y, a, b):
    """I_x(a, b) and its complement for x + y = 1, the smaller one by its own method."""
    if not (x > 0 and y > 0 and a > 0 and b > 0):
        raise OutsideDomain
    if x > a / (a + b):
        lower, upper = beta_tails_below_mean(y, x, b, a, mp.mp.dps)
        return upper, lower
    return beta_tails_below_mean(x, y, a, b, mp.mp.dps)


@lru_cache(maxsize=100)
def beta_tails_below_mean(x, y, a, b, goal):
    with mp.workdps(goal + 30):
        if min(a, b) > mpf(10) ** 6 and max(a, b) > mpf(10) ** 7:
            small = large_beta_tail(x, a, b)
            return small, 1 - small
        series = beta_series(x, y, a, b)
        if series is not None:
            return series, 1 - series
        lost = int(max(0, -log_beta_front(x, y, a, b)) / 2.3) + 20
        if lost < 2000:
            with mp.workdps(goal + 30 + lost):
                # x and y carry the digits of the goal only; here they must add up to 1 in all digits.
                other = beta_series(y, 1 - y, b, a)
                if other is not None:
                    return 1 - other, other
        small = mp.exp(log_beta_front(x, y, a, b)) / a * beta_fraction(x, a, b, goal)
        return small, 1 - small


def log_beta_front(x, y, a, b):
    return a * mp.log(x) + b * mp.log(y) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b)


def beta_series(x, y, a, b):
    """I_x(a, b) by its series of positive terms, or None where that is slow."""
    term = total = mpf(1)
    small = mpf(10) ** -mp.mp.dps
    for n in range(6000):
        term *= (a + b + n) / (a + 1 + n) * x
        total += term
        if term < total * small:
            return mp.exp(log_beta_front(x, y, a, b)) / a * total
    return None


def beta_fraction(x, a, b, goal):
    last, n = None, 64
    while True:
        value = mpf(0)
        for m in range(n, -1, -1):
            odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            value = odd / (1 + value)
            if m > 0:
                even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                value = even / (1 + value)
        value = 1 / (1 + value)
        if last is not None and abs(value - last) < abs(value) * mpf(10) ** -goal:
            return value
        last, n = value, n * 2
        assert n < 2_000_000, (x, a, b)


def large_beta_tail(x, a, b):
    at_x = (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x)

    def ratio(t):
        return mp.exp((a - 1) * mp.log(t) + (b - 1) * mp.log1p(-t) - at_x)

    sigma = mp.sqrt(a * b / (a + b)) / (a + b)
    slope = (a - 1) / x - (b - 1) / (1 - x)
    scale = 1 / max(slope, 1 / sigma)
    ends = [x - scale * k for k in (0, 1, 2, 4, 7, 11, 16, 24, 34, 48, 64, 84, 110, 150)]
    ends = [e for e in ends if e > 0]
    with mp.workdps(70):
        part, error = mp.quad(ratio, ends, error=True, maxdegree=8)
    assert error < abs(part) * mpf(10) ** -40, (a, x, error)
    return abs(part) * mp.exp(at_x - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b))


def beta_quantile(p, a, b, upper=False):
    if not 0 < p < 1:
        raise OutsideDomain
    side = 1 if upper else 0
    side, log_p = (1 - side, mp.log1p(-p)) if p > 0.5 else (side, mp.log(p))

    def log_tail(odds):
        with mp.workdps(mp.mp.dps + 20):
            x, y = odds / (1 + odds), 1 / (1 + odds)
            return log_of(beta_tails(x, y, a, b), side)

    odds = invert(log_tail, log_p, mpf(10) ** -400, mpf(10) ** 400, side == 0)
    return odds / (1 + odds)


def incomplete_beta_table():
    t, r = Table("incomplete_beta"), random.Random(4)
    points = []
    shapes = [1e-8, 1e-3, 0.3, 0.5, 0.95, 1.0, 1.5, 3.0, 12.0, 75.0, 1e3, 1e5]
    for a in shapes:
        for b in shapes:
            spread = sqrt(1 / a + 1 / b)
            picks = [r.gauss(0, 1) * min(spread, 4.0) + log(a / b), r.gauss(0, 12) * min(spread, 1.5) + log(a / b)]
            for u in picks:
                if -600 < u < 30:
                    points.append((1 / (1 + exp(-u)), a, b))
    for x in [1e-300, 1e-30, 1e-5, 0.1, 0.5, 0.69, 0.71, 0.9, 1 - 1e-9, 1 - 2.0**-53]:
        points += [(x, a, b) for a, b in [(0.5, 0.5), (1e-6, 0.5), (0.5, 1e-6), (0.1, 20.0), (1.0, 1.0), (2.0, 2.0)]]
    for tiny in [1e-20, 1e-50]:
        points += [(x, tiny, b) for x in (0.2, 0.63) for b in (1e-3, 0.5, 1.0)] + [(1e-4, tiny, 1e3), (0.8, 0.5, tiny), (0.37, 4.0, tiny)]
    for a, b in [(1e8, 1e8), (1e12, 1e12), (1e12, 1e9), (1e7, 2e7)]:
        sd = sqrt(1 / a + 1 / b)
        for z in [-36, -6, -1, 0, 1, 4, 30]:
            points.append((1 / (1 + exp(-(log(a / b) + z * sd))), a, b))
    for a, b in [(1e9, 0.5), (1e12, 2.0), (1e10, 30.0)]:
        for m in [0.01, 0.5, 1.0, 3.0, 30.0]:
            points.append((1 - m * b / a, a, b))
            points.append((m * b / a, b, a))
    deep = [(1e-200, 50.0, 3.0), (1e-4, 2000.0, 7.0), (0.3, 2e4, 100.0), (0.2, 1e4, 1e4), (0.9, 30.0, 9e3), (0.47, 1e6, 1e6)]
    for x, a, b in points + deep:
        if not 0 < x < 1:
            continue
        tails = beta_tails(mpf(x), 1 - mpf(x), mpf(a), mpf(b))
        for i, name in enumerate(("beta_lower", "beta_upper")):
            if tails[i] > TINY:
                t.add(name, lambda x, a, b: beta_tails(x, 1 - x, a, b)[i], [x, a, b], tails[i])
            if mp.log(tails[i]) > DEEPEST_LOG:
                t.add(name.replace("_", "_log_"), lambda x, a, b: log_of(beta_tails(x, 1 - x, a, b), i), [x, a, b])
    for a, b in [(0.5, 0.5), (0.1, 3.0), (1.0, 1.0), (1.0, 40.0), (3.0, 0.7), (4.0, 97.0), (50.0, 50.0), (2e3, 1e4)]:
        for p in [1e-200, 1e-10, 0.025, 0.4, 0.6, 0.975]:
            if min(a, b) < 1 and p < 1e-20:
                continue
            t.add_quantile("beta_quantile", lambda p, a, b: beta_quantile(p, a, b),
                           lambda x, a, b: beta_tails(x, 1 - x, a, b)[0], [p, a, b])
            t.add_quantile("beta_quantile_upper", lambda p, a, b: beta_quantile(p, a, b, True),
                           lambda x, a, b: beta_tails(x, 1 - x, a, b)[1], [p, a, b])
    return t
