"""The gamma function and its relatives."""

import random

import mpmath as mp
from mpmath import mpf

from table import Table

# Differences of huge neighbours, 1e100 and 1e100 + 1e-300, need this many digits.
DIFFERENCE_DPS = 700


def stirling_remainder(a):
    with mp.workdps(DIFFERENCE_DPS):
        return mp.loggamma(a + 1) - mp.log(2 * mp.pi * a) / 2 - a * mp.log(a) + a


def stirling_remainder_step(a, b):
    with mp.workdps(DIFFERENCE_DPS):
        return stirling_remainder(a + b) - stirling_remainder(a)


def ln_gamma_ratio(a, b):
    with mp.workdps(DIFFERENCE_DPS):
        return mp.loggamma(a + b) - mp.loggamma(a)


def ln_gamma_ratio_excess(a, b):
    with mp.workdps(DIFFERENCE_DPS):
        return ln_gamma_ratio(a, b) - b * mp.log(a)


def ln_beta(a, b):
    return mp.loggamma(min(a, b)) - ln_gamma_ratio(max(a, b), min(a, b))


def exp_m1_minus(s):
    with mp.workdps(DIFFERENCE_DPS):
        return mp.expm1(s) - s


def ln_1p_minus(v):
    with mp.workdps(DIFFERENCE_DPS):
        return mp.log1p(v) - v


def ln_gamma_multivariate(p, a):
    # The dimension is a count: it has no condition.
    p = int(mp.nint(p))
    return p * (p - 1) / mpf(4) * mp.log(mp.pi) + sum(mp.loggamma(a - mpf(j) / 2) for j in range(p))


def rest_of(value):
    return value - mpf(float(value))


def gamma_table():
    t, r = Table("gamma"), random.Random(1)
    positive = [1e-300, 1e-100, 1e-20, 1e-8, 0.3, 0.5, 1.4616321449683622, 3.0, 10.0, 1e3, 1e8, 1e17, 1e100, 1e300]
    positive += [10 ** r.uniform(-20, 20) for _ in range(40)] + [r.uniform(0, 12) for _ in range(60)]
    near = [c + s * 10.0 ** -e for c in (1.0, 2.0) for s in (1, -1) for e in (3, 6, 9, 12)]
    for x in positive + near:
        t.add("ln_gamma", mp.loggamma, [x])
        t.add("digamma", mp.digamma, [x])
        if 1e-150 < x:
            t.add("trigamma", lambda x: mp.psi(1, x), [x])
    for x in [1e-300, 1e-30, 1e-17, 1e-10, 1e-5] + [r.uniform(0, 1) for _ in range(40)]:
        t.add("ln_gamma_1p", lambda x: mp.loggamma(1 + x), [x])
    for p in (1, 2, 3, 7, 20, 100):
        for a in ((p - 1) / 2 + 1e-3, (p - 1) / 2 + 0.5, p * 0.5 + 3, p * 10.0, 1e6, 1e12):
            t.add("ln_gamma_multivariate", ln_gamma_multivariate, [p, a])

    large_a = [10.0, 15.5, 100.0, 1e4, 1e8, 1e12, 1e15, 1e100]
    bs = [1e-300, 1e-20, 1e-8, 1e-3, 0.1, 0.5, 1.0, 2.5, 10.0, 1e3, 1e6, 1e12]
    for a in large_a:
        for b in bs:
            t.add("ln_gamma_ratio_large", ln_gamma_ratio, [a, b])
            if not (b == 1.0):
                t.add("ln_gamma_ratio_excess", ln_gamma_ratio_excess, [a, b])
            if b < a * 1e3:
                t.add("stirling_remainder_step", stirling_remainder_step, [a, b])
    for a in [1e-200, 1e-10, 1e-3, 0.2, 0.5, 0.99, 1.0, 1.3, 1.4616, 1.7, 2.0, 3.5, 6.0, 9.99]:
        for b in bs:
            if a == 1.0 and b == 1.0:
                continue
            t.add("ln_gamma_ratio", ln_gamma_ratio, [a, b])
            if not (b == 1.0) and a > 1e-20 and b < 1e4:
                t.add("ln_gamma_ratio_excess", ln_gamma_ratio_excess, [a, b])
    t.add("ln_gamma_ratio", ln_gamma_ratio, [1e12, -0.5])
    t.add("ln_gamma_ratio", ln_gamma_ratio, [8.0, -3.25])

    for a in [1.0, 1.0001, 1.5, 2.0, 3.3, 5.0, 9.99, 10.0, 12.5, 1e2, 1e4, 1e8, 1e15] + [r.uniform(1, 12) for _ in range(20)]:
        t.add("stirling_remainder", stirling_remainder, [a])
    for s in [1e-300, 1e-100, 1e-10, 1e-3, 0.1, 0.3, 0.4999, 0.5001, 0.7, 1.0, 2.0, 5.0, 30.0]:
        t.add("exp_m1_minus", exp_m1_minus, [s])
        t.add("exp_m1_minus", exp_m1_minus, [-s])
        t.add("ln_1p_minus", ln_1p_minus, [s])
        if s < 1:
            t.add("ln_1p_minus", ln_1p_minus, [-s])
    for i in range(1, 25):
        square = 10.0 ** (-12 + i / 2.2)
        t.add("atanh_ratio_minus_1", lambda q: mp.atanh(mp.sqrt(q)) / mp.sqrt(q) - 1, [min(square, 1 / 9)])

    # What a value lacks when it is rounded to f64: the low part of a number of twice the precision.
    for x in [1e-300, 1e-17, 1e-5, 0.01, 0.2, 0.29, 0.31, 0.7, 1.001, 1.4, 3.0, 50.0, 1e6, 1e100] + [r.uniform(0, 3) for _ in range(20)]:
        t.add("ln_rest", lambda x: rest_of(mp.log(x)), [x])
        t.add("ln_1p_rest", lambda x: rest_of(mp.log1p(x)), [x])
        for m in (x, -x):
            if m > -1 and abs(m) > 1e-100:
                t.add("minus_ln_1p_rest", lambda m: rest_of(-ln_1p_minus(m)), [m])

    shapes = [1e-300, 1e-20, 1e-5, 0.1, 0.5, 0.9, 1.0, 1.5, 3.0, 9.9, 10.0, 33.0, 1e3, 1e8, 1e12, 1e20]
    for i, a in enumerate(shapes):
        for b in shapes[: i + 1]:
            if (a, b) != (1.0, 1.0):
                t.add("ln_beta", ln_beta, [a, b])
    for _ in range(60):
        a, b = (10 ** r.uniform(-4, 12) for _ in range(2))
        t.add("ln_beta", ln_beta, [a, b])
    return t
