"""The gamma distribution: tails by series and fractions or by quadrature, and quantiles."""

import random
from functools import lru_cache
from math import exp, inf, nextafter, sqrt

import mpmath as mp
from mpmath import mpf

from table import DEEPEST_LOG, TINY, OutsideDomain, Table


def gamma_tails(a, x):
    """P and Q, the smaller one by its own method."""
    if a <= 0 or x < 0:
        raise OutsideDomain
    return gamma_tails_to(a, x, mp.mp.dps)


@lru_cache(maxsize=100)
def gamma_tails_to(a, x, goal):
    with mp.workdps(goal + 30):
        if a > mpf(10) ** 7:
            return large_gamma_tails(a, x)
        front = mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))
        if x < a + 1 or x < 20:
            term = total = mpf(1)
            n = 0
            while term > total * mpf(10) ** -(goal + 25):
                n += 1
                term *= x / (a + n)
                total += term
            lower = front * total
            if lower < 0.9 or a < 5:
                return lower, 1 - lower
        upper = front * a * legendre_fraction(a, x, goal)
        return 1 - upper, upper


def legendre_fraction(a, x, goal):
    last, n = None, 64
    while True:
        value = mpf(0)
        for i in range(n, 0, -1):
            value = i * (a - i) / (x + 2 * i + 1 - a + value)
        value = 1 / (x + 1 - a + value)
        if last is not None and abs(value - last) < abs(value) * mpf(10) ** -goal:
            return value
        last, n = value, n * 2
        assert n < 2_000_000, (a, x)


def large_gamma_tails(a, x):
    sigma = mp.sqrt(a)
    mode = a - 1
    log_norm = mp.loggamma(a)
    at_x = mode * mp.log(x) - x

    def ratio(t):
        return mp.exp(mode * mp.log(t) - t - at_x)

    outward = 1 if x >= mode else -1
    scale = 1 / max(abs(mode - x) / x, 1 / sigma)
    ends = [x + outward * scale * k for k in (0, 1, 2, 4, 7, 11, 16, 24, 34, 48, 64, 84, 110, 150)]
    ends = [e for e in ends if e > 0]
    with mp.workdps(70):
        part, error = mp.quad(ratio, ends, error=True, maxdegree=8)
    assert error < abs(part) * mpf(10) ** -40, (a, x, error)
    small = abs(part) * mp.exp(at_x - log_norm)
    return (1 - small, small) if outward > 0 else (small, 1 - small)


def log_of(tails, i):
    return mp.log1p(-tails[1 - i]) if tails[i] > 0.5 else mp.log(tails[i])


def invert(log_tail, level_log, start_low, start_high, increasing):
    """Root of log_tail(v) = level_log in ln v: bisection, then the secant method in full precision."""
    low, high = mp.log(start_low), mp.log(start_high)
    with mp.workdps(25):
        for _ in range(36):
            middle = (low + high) / 2
            if (log_tail(mp.exp(middle)) < level_log) == increasing:
                low = middle
            else:
                high = middle
    u0, u1 = low, high
    f0, f1 = log_tail(mp.exp(u0)) - level_log, log_tail(mp.exp(u1)) - level_log
    for _ in range(12):
        if f1 == f0:
            break
        u0, u1, f0 = u1, u1 - f1 * (u1 - u0) / (f1 - f0), f1
        if abs(u1 - u0) < mpf(10) ** -50:
            break
        f1 = log_tail(mp.exp(u1)) - level_log
    return mp.exp(u1)


def gamma_quantile(p, a, upper=False):
    if not 0 < p < 1:
        raise OutsideDomain
    side = 1 if upper else 0
    side, log_p = (1 - side, mp.log1p(-p)) if p > 0.5 else (side, mp.log(p))
    if side == 0:
        # P lies between x^a e^-x / Γ(a+1) and x^a / Γ(a+1).
        low = mp.exp((log_p + mp.loggamma(a + 1)) / a)
        high = max(low, mpf(1)) * 4 + 4 * a
    else:
        low, high = mpf(10) ** -30 * a, a + 4 * mp.sqrt(a) * 40 - 2 * log_p + 10
    return invert(lambda x: log_of(gamma_tails(a, x), side), log_p, low, high, side == 0)


def incomplete_gamma_table():
    t, r = Table("incomplete_gamma"), random.Random(3)
    points = []
    for a in [1.0, 1.5, 2.0, 3.7, 10.0, 50.0, 99.5, 400.0, 1e4, 1e6]:
        for z in [-37, -12, -5, -2, -0.6, 0, 0.5, 2, 5, 12, 37]:
            root = 1 - 1 / (9 * a) + z / (3 * sqrt(a))
            if root > 0.02:
                points.append((a, a * root**3))
        points.append((a, a))
        points.append((a, nextafter(a, inf)))
    for a in [1e8, 1e10, 1e12]:
        for z in [-37, -8, -1, 0, 0.3, 3, 20, 37]:
            points.append((a, a + z * sqrt(a)))
    for a in [1e-10, 1e-5, 0.01, 0.2, 0.5, 0.8, 0.999]:
        for x in [1e-300, 1e-30, 1e-8, a / 2, a, 2 * a, 0.05, 0.5, 0.999, 1.001, 2.0, 10.0, 100.0, 600.0]:
            points.append((a, x))
    for _ in range(60):
        a = 10 ** r.uniform(-3, 4)
        points.append((a, a * exp(r.gauss(0, 1) / sqrt(a) * 3)))
    deep = [(0.5, 1e3), (0.5, 23000.0), (1.0, 2e4), (5.0, 23100.0), (50.0, 2e4), (1e4, 5e4), (1e6, 1.2e6), (300.0, 1e-20),
            (2000.0, 1e-2), (1e4, 2e3), (1e6, 8.5e5), (1e10, 1e10 + 2e7), (1e10, 1e10 - 2e7)]
    for a, x in points + deep:
        tails = gamma_tails(mpf(a), mpf(x))
        for i, name in enumerate(("gamma_lower", "gamma_upper")):
            if tails[i] > TINY:
                t.add(name, lambda a, x: gamma_tails(a, x)[i], [a, x], tails[i])
            if mp.log(tails[i]) > DEEPEST_LOG:
                t.add(name.replace("_", "_log_"), lambda a, x: log_of(gamma_tails(a, x), i), [a, x])
    for df in [1.0, 2.0, 3.0, 10.0, 100.0]:
        for x in [1e-5, 0.455, 3.841458820694124, 10.0, 100.0, 1000.0, 1300.0]:
            t.add("chi_squared_sf", lambda x, df: gamma_tails(df / 2, x / 2)[1], [x, df])
            t.add("chi_squared_log_sf", lambda x, df: log_of(gamma_tails(df / 2, x / 2), 1), [x, df])
    for df in [0.01, 0.4, 1.0, 2.0, 5.0, 30.0, 1e3, 1e5]:
        for p in [1e-290, 1e-100, 1e-10, 1e-3, 0.025, 0.3, 0.5, 0.8, 0.95, 1 - 1e-9]:
            if df > 0.1 or p > 0.001:
                if not (df < 1 and p < 1e-60):
                    t.add_quantile("chi_squared_quantile", lambda p, df: 2 * gamma_quantile(p, df / 2),
                                   lambda x, df: gamma_tails(df / 2, x / 2)[0], [p, df])
            t.add_quantile("chi_squared_quantile_upper", lambda p, df: 2 * gamma_quantile(p, df / 2, True),
                           lambda x, df: gamma_tails(df / 2, x / 2)[1], [p, df])
    return t
