# Reference values for the special functions of oddsmith.
#
# Needs mpmath 1.4.1 (gmpy2 makes it faster and changes nothing). Run: python make_tables.py [table ...]
# Takes about an hour for all tables. Deterministic: the same version writes the same bytes.
#
# Every table is made of several sweeps: the first draws its points from the seeds that stand in its file, the others from further ones.
#
# Each line of a table is  function,value,condition,argument,...
#   value      computed with at least 60 digits for the arguments as the f64 numbers they are, printed to 30
#   condition  sum over the arguments of |df/dx * x / f|, by differences in high precision
#
# The methods here are not those of the library: power series and continued fractions (DLMF 8.9.2, 8.17.22) or
# quadrature of the plain density, against integrals in the logarithm of the variable there.

import random
import sys

import mpmath as mp

from gamma_family import gamma_table
from incomplete_beta import incomplete_beta_table
from incomplete_gamma import incomplete_gamma_table
from logspace import logspace_table
from normal import normal_table
from student_and_counts import binomial_table, f_ratio_table, student_t_table

assert mp.__version__ == "1.4.1", "the tables are pinned to mpmath 1.4.1"

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

SWEEPS = 6


def swept(make):
    """The points of all sweeps, each of them once."""
    plain, table, known = random.Random, None, set()
    try:
        for sweep in range(SWEEPS):
            random.Random = lambda seed, sweep=sweep: plain(seed + 1000 * sweep)
            made = make()
            table = table or made
            new = [line for line in made.lines if sweep == 0 or line not in known]
            table.lines = new if sweep == 0 else table.lines + new
            known.update(new)
    finally:
        random.Random = plain
    return table


if __name__ == "__main__":
    mp.mp.dps = 80
    for name in sys.argv[1:] or TABLES:
        swept(TABLES[name]).write()
