"""The normal distribution."""

import random
from math import log

import mpmath as mp
from mpmath import mpf

from table import Table


def normal_sf(z):
    return mp.erfc(z / mp.sqrt(2)) / 2


def normal_log_sf(z):
    if z < -3:
        return mp.log1p(-normal_sf(-z))
    return mp.log(normal_sf(z))


def normal_quantile_log(log_p):
    """z with ln cdf(z) = log_p, by Newton on the logarithm of the smaller tail."""
    if log_p > -mp.log(2):
        return -normal_quantile_log(mp.log(-mp.expm1(log_p)))
    z = mp.sqrt(max(-2 * log_p - mp.log(-4 * mp.pi * log_p), mpf("0.01")))
    for _ in range(200):
        tail = normal_sf(z)
        step = (mp.log(tail) - log_p) * tail / (mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi))
        z += step
        if abs(step) < abs(z) * mpf(10) ** -(mp.mp.dps - 12):
            return -z
    raise ArithmeticError(log_p)


def normal_table():
    t, r = Table("normal"), random.Random(2)
    zs = [0.0, 1e-300, 1e-20, 1e-8, 0.1, 0.5, 0.7, 1.0, 1.96, 2.5758293035489, 5.0, 8.0, 20.0, 29.999, 30.001, 36.5, 37.0]
    zs += [r.uniform(0, 37) for _ in range(60)] + [-r.uniform(0, 8) for _ in range(25)] + [-1e-8, -0.5, -5.0, -8.0]
    for z in zs:
        t.add("normal_sf", normal_sf, [z])
        t.add("normal_two_sided", lambda z: 2 * normal_sf(abs(z)), [z])
        t.add("normal_log_sf", normal_log_sf, [z])
        t.add("normal_log_two_sided", lambda z: mp.log1p(-mp.erf(abs(z) / mp.sqrt(2))) if abs(z) < 1
              else mp.log(2 * normal_sf(abs(z))), [z])
    for z in [-37.0, -30.0, -20.0, 38.0, 39.0, 50.0, 100.0, 214.4, 215.0, 1e3, 1e4]:
        t.add("normal_log_sf", normal_log_sf, [z])
        if z > 0:
            t.add("normal_log_two_sided", lambda z: mp.log(2) + normal_log_sf(z), [z])
    ps = [1e-300, 1e-200, 1e-100, 1e-50, 1e-20, 1e-10, 1e-5, 0.01, 0.025, 0.05, 0.1, 0.2, 0.2499999, 0.2500001, 0.3,
          0.4, 0.49, 0.499999, 0.5 - 1e-12, 0.5 + 1e-12, 0.500001, 0.6, 0.75, 0.7500001, 0.9, 0.975, 0.999, 1 - 1e-10,
          1 - 2.0 ** -53]
    ps += [r.uniform(0, 1) for _ in range(40)] + [10 ** r.uniform(-300, 0) for _ in range(30)]
    for p in ps:
        t.add("normal_quantile", lambda p: normal_quantile_log(mp.log(p)), [p])
    logs = [-1e-300, -1e-100, -1e-20, -1e-5, -0.1, -0.2, -0.28, -0.5, -0.69, -0.6931, -log(2), -0.7, -1.0, -1.38, -1.4,
            -2.0, -5.0, -50.0, -700.0, -745.0, -800.0, -1e3, -1e4, -23025.85, -1e5, -1e6]
    for lp in logs + [-(10 ** r.uniform(-3, 4.4)) for _ in range(40)]:
        t.add("normal_quantile_log", normal_quantile_log, [lp])
    return t
