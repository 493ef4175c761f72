# Reference values for the special functions of oddsmith.
#
# Needs mpmath 1.4.1 (gmpy2 makes it faster and changes nothing). Run: python make_tables.py [table ...]
# Takes about ten minutes for all tables. Deterministic: the same version writes the same bytes.
#
# Each line of a table is  function,value,condition,argument,...
#   value      computed with at least 60 digits for the arguments as the f64 numbers they are, printed to 30
#   condition  sum over the arguments of |df/dx * x / f|, by differences in high precision
#
# The methods here are not those of the library: power series and continued fractions (DLMF 8.9.2, 8.17.22) or
# quadrature of the plain density, against integrals in the logarithm of the variable there.

import os
import random
import sys
from functools import lru_cache
from math import exp, inf, log, nextafter, sqrt

import mpmath as mp
from mpmath import mpf

assert mp.__version__ == "1.4.1", "the tables are pinned to mpmath 1.4.1"
HERE = os.path.dirname(os.path.abspath(__file__))
TINY = mpf(10) ** -300
DEEPEST_LOG = -23200  # a little beyond ln 1e-10000


class Table:
    def __init__(self, name):
        self.name, self.lines = name, []

    def add(self, function, f, arguments, value=None):
        arguments = [float(x) for x in arguments]
        exact = [mpf(x) for x in arguments]
        value = f(*exact) if value is None else value
        assert mp.isfinite(value), (function, arguments, value)
        if abs(value) < TINY:
            return
        changes = [relative_change(f, exact, i, value) for i in range(len(exact))]
        self.put(function, value, mp.fsum(map(abs, changes)), arguments)

    def add_quantile(self, function, quantile, tail, arguments):
        """A root v of tail(v, *shapes) = p; its condition by implicit differentiation, without solving again."""
        arguments = [float(x) for x in arguments]
        p, *shapes = exact = [mpf(x) for x in arguments]
        value = quantile(*exact)
        if value == 1 or abs(value) < TINY:
            return
        at_root = [value, *shapes]
        by_root, *by_shapes = (relative_change(tail, at_root, i, p) for i in range(len(at_root)))
        self.put(function, value, mp.fsum(abs(c / by_root) for c in [1, *by_shapes]), arguments)

    def put(self, function, value, condition, arguments):
        numbers = [mp.nstr(value, 30, strip_zeros=False), mp.nstr(condition, 6)]
        self.lines.append(",".join([function, *numbers, *map(repr, arguments)]))

    def write(self):
        path = os.path.join(HERE, self.name + ".csv")
        with open(path, "w", newline="\n") as out:
            out.write("# function,value,condition,arguments; written by make_tables.py with mpmath 1.4.1\n")
            out.write("\n".join(self.lines) + "\n")
        print(f"{self.name}: {len(self.lines)} points")


class OutsideDomain(Exception):
    pass


def relative_change(f, arguments, i, value):
    """d ln f / d ln x_i, by a difference."""
    x = arguments[i]
    for h in (mpf(10) ** -22, -mpf(10) ** -22):
        try:
            return (f(*arguments[:i], x * (1 + h), *arguments[i + 1:]) - value) / (h * value)
        except OutsideDomain:
            continue
    raise OutsideDomain


# Gamma family ---------------------------------------------------------------------------------------------------


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


# Normal -----------------------------------------------------------------------------------------------------------


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


# Incomplete gamma -------------------------------------------------------------------------------------------------


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


# Incomplete beta --------------------------------------------------------------------------------------------------


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


# Student t, F, binomial --------------------------------------------------------------------------------------------


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


# Log space -----------------------------------------------------------------------------------------------------------


def logspace_table():
    t, r = Table("logspace"), random.Random(5)
    xs = [1e-300, 1e-20, 1e-8, 0.1, 0.3, 0.69, 0.7, 1.0, 3.0, 10.0, 36.0, 37.0, 40.0, 100.0, 700.0]
    xs += [10 ** r.uniform(-3, 2.8) for _ in range(40)]
    for x in xs:
        for s in (x, -x):
            t.add("ln_1p_exp", lambda x: mp.log1p(mp.exp(x)), [s])
            t.add("sigmoid", lambda x: 1 / (1 + mp.exp(-x)), [s])
        t.add("log1mexp", lambda x: mp.log(-mp.expm1(x)) if x > -1 else mp.log1p(-mp.exp(x)), [-x])
    ps = [1e-300, 1e-10, 0.1, 0.2499, 0.25, 0.3, 0.499999999, 0.5000001, 0.6, 0.75, 0.7501, 0.9, 1 - 1e-12]
    for p in ps + [r.uniform(0, 1) for _ in range(40)]:
        t.add("logit", lambda p: mp.log(p / (1 - p)), [p])
    for _ in range(60):
        # All terms of one sign: elsewhere the sum can be near 0 by chance, which no method can see.
        a = -1 - 10 ** r.uniform(-1, 1.5)
        b = a - r.uniform(0, 10)
        t.add("log_add_exp", lambda a, b: mp.log(mp.exp(a) + mp.exp(b)), [a, b])
        v = [1 + 10 ** r.uniform(0, 2.5) for _ in range(r.randrange(2, 9))]
        t.add("log_sum_exp", lambda *v: mp.log(mp.fsum(map(mp.exp, v))), v)
    return t


TABLES = {
    "gamma": gamma_table,
    "normal": normal_table,
    "incomplete_gamma": incomplete_gamma_table,
    "incomplete_beta": incomplete_beta_table,
    "student_t": student_t_table,
    "f_ratio": f_ratio_table,
    "binomial": binomial_table,
    "logspace": logspace_table,
}

if __name__ == "__main__":
    mp.mp.dps = 80
    for name in sys.argv[1:] or TABLES:
        TABLES[name]().write()
