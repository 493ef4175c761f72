"""Sums of exponentials and their like."""

import random

import mpmath as mp

from table import Table


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
