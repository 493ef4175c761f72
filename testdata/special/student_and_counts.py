"""Distributions whose tails are those of a beta distribution: Student's t, the F ratio, the binomial."""

from math import sqrt

import mpmath as mp
from mpmath import mpf

from gamma_family import ln_gamma_ratio
from incomplete_beta import beta_tails
from incomplete_gamma import invert, log_of
from table import DEEPEST_LOG, TINY, Table


def t_tails(t, df):
    """P(|T| <= t), P(|T| > t)."""
    with mp.workdps(mp.mp.dps + 20):
        y = df / (df + t * t)
        x = t * t / (df + t * t)
        return beta_tails(x, y, mpf("0.5"), df / 2)


def t_sf(t, df):
    if t == 0:
        return mpf("0.5")
    two_sided = t_tails(abs(t), df)[1]
    return two_sided / 2 if t > 0 else 1 - two_sided / 2


def t_log_sf(t, df):
    return mp.log(t_sf(t, df)) if t > 0 else mp.log1p(-t_sf(-t, df))


def t_quantile(p, df):
    if p > 0.5:
        return -t_quantile(1 - p, df)
    center = 1 - 2 * p
    if p > 0.25:
        return -invert(lambda t: mp.log(t_tails(t, df)[0]), mp.log(center), mpf(10) ** -60, mpf(10) ** 40, True)
    return -invert(lambda t: mp.log(t_tails(t, df)[1]), mp.log(2 * p), mpf(10) ** -5, mpf(10) ** 320, False)


def t_log_normalizer(d, df):
    d = mp.nint(d)
    return ln_gamma_ratio(df / 2, d / 2) - d / 2 * mp.log(df * mp.pi)


def student_t_table():
    t = Table("student_t")
    dfs = [0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 30.0, 99.0, 1e3, 1e6, 1e9, 1e12]
    ts = [1e-200, 1e-12, 1e-3, 0.2, 0.9, 1.4, 2.0, 4.5, 12.0, 36.0, 1e3, 1e8, 1e80, 1e200, -1e-6, -0.7, -3.0, -20.0]
    for df in dfs:
        for x in ts:
            tail = t_sf(mpf(x), mpf(df))
            if tail > TINY:
                t.add("t_sf", t_sf, [x, df], tail)
                if x > 0:
                    t.add("t_two_sided", lambda x, df: t_tails(x, df)[1], [x, df])
            if mp.log(tail) > DEEPEST_LOG:
                t.add("t_log_sf", t_log_sf, [x, df])
                if x > 0:
                    t.add("t_log_two_sided", lambda x, df: log_of(t_tails(x, df), 1), [x, df])
    for df in [0.3, 1.0, 2.0, 4.5, 25.0, 1e3, 1e8]:
        for p in [1e-290, 1e-60, 1e-8, 0.005, 0.025, 0.2, 0.2499, 0.2501, 0.4, 0.499, 0.5 - 1e-9, 0.9, 0.999]:
            if df >= 1 or p > 1e-80:
                t.add_quantile("t_quantile", t_quantile, lambda x, df: t_sf(-x, df), [p, df])
    for d in [1, 2, 3, 10, 50, 300]:
        for df in [1e-3, 0.5, 1.0, 3.0, 19.9, 20.0, 150.0, 1e4, 1e8, 1e12, 1e16]:
            t.add("t_log_normalizer", t_log_normalizer, [d, df])
            for q in [1e-12, 0.5, 40.0, 1e6]:
                t.add("t_log_kernel", lambda q, d, df: -(df + mp.nint(d)) / 2 * mp.log1p(q / df), [q, d, df])
    return t


def f_tails(f, df1, df2):
    with mp.workdps(mp.mp.dps + 20):
        odds = df1 * f / df2
        return beta_tails(odds / (1 + odds), 1 / (1 + odds), df1 / 2, df2 / 2)


def f_ratio_table():
    t = Table("f_ratio")
    for df1, df2 in [(1, 1), (1, 30), (1, 1e8), (2, 2), (2, 97), (3, 1e12), (5, 0.7), (10, 10), (40, 1e4), (1e3, 3), (1e4, 2e5)]:
        for f in [1e-100, 1e-9, 0.05, 0.7, 0.99, 1.0, 1.04, 1.3, 4.0, 17.0, 90.0, 700.0, 1e4, 1e60]:
            tails = f_tails(mpf(f), mpf(df1), mpf(df2))
            if tails[0] > TINY:
                t.add("f_cdf", lambda f, a, b: f_tails(f, a, b)[0], [f, df1, df2], tails[0])
            if tails[1] > TINY:
                t.add("f_sf", lambda f, a, b: f_tails(f, a, b)[1], [f, df1, df2], tails[1])
            if mp.log(tails[1]) > DEEPEST_LOG:
                t.add("f_log_sf", lambda f, a, b: log_of(f_tails(f, a, b), 1), [f, df1, df2])
    return t


def binomial_tails(k, n, p):
    """P(X <= k), P(X > k)."""
    k, n = mp.nint(k), mp.nint(n)
    return beta_tails(1 - p, p, n - k, k + 1)


def binomial_table():
    t = Table("binomial")
    for n in [1, 2, 10, 57, 1000, 10**5, 10**9]:
        for p in [1e-9, 0.003, 0.2, 0.5, 0.97]:
            sd = sqrt(n * p * (1 - p))
            ks = {0, n // 2, n - 1} | {int(n * p + z * sd) for z in (-30, -5, -1, 0, 1, 6, 33)}
            for k in sorted(k for k in ks if 0 <= k < n):
                tails = binomial_tails(mpf(k), mpf(n), mpf(p))
                for i, name in enumerate(("binomial_cdf", "binomial_sf")):
                    if tails[i] > TINY:
                        t.add(name, lambda k, n, p: binomial_tails(k, n, p)[i], [k, n, p], tails[i])
                    if mp.log(tails[i]) > DEEPEST_LOG:
                        t.add(name.replace("_", "_log_"), lambda k, n, p: log_of(binomial_tails(k, n, p), i), [k, n, p])
    return t
