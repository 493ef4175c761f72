"""A table of reference values: each with its condition, in the form that the tests read."""

import os

import mpmath as mp
from mpmath import mpf

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
