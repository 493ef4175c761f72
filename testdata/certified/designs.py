"""The problems: what their rows are."""

import random
from math import exp

DESIGNS = {}


def design(make):
    DESIGNS[make.__name__] = make
    return make


def grid(rng, steps=64, most=2.0):
    """A number near 0 with few binary digits."""
    return round(max(-most, min(most, rng.gauss(0, 1))) * steps) / steps


def answers(rng, x, slopes, base=0.0):
    """Labels drawn from a logistic model."""
    odds = [base + sum(s * cell for s, cell in zip(slopes, row)) for row in x]
    return [int(rng.random() < 1 / (1 + exp(-eta))) for eta in odds]


def choices(rng, x, slopes, bases):
    """Labels drawn from a softmax model."""
    labels = []
    for row in x:
        odds = [1.0] + [exp(base + sum(s * cell for s, cell in zip(part, row))) for part, base in zip(slopes, bases)]
        draw, label = rng.random() * sum(odds), 0
        while draw > odds[label] and label < len(odds) - 1:
            draw, label = draw - odds[label], label + 1
        labels.append(label)
    return labels


def plain(about, x, y, kind="well-posed", intercept=True, **rest):
    return {"about": about, "class": kind, "intercept": intercept, "x": x, "y": y, **rest}


def rows(rng, count, columns):
    return [[grid(rng) for _ in range(columns)] for _ in range(count)]


def mapped(x, *maps):
    """Every column through a map of its own; the results are f64 numbers, rounded once where they must be."""
    return [[f(cell) for f, cell in zip(maps, row)] for row in x]


def same(cell):
    return cell


@design
def small():
    rng = random.Random(1)
    x = rows(rng, 32, 2)
    return plain("two covariates, 32 rows", x, answers(rng, x, [1.0, -0.5]))


@design
def medium():
    rng = random.Random(2)
    x = rows(rng, 150, 5)
    return plain("five covariates, 150 rows", x, answers(rng, x, [1, -1, 0.5, 0.25, 0.0], 0.3))


@design
def wide():
    rng = random.Random(3)
    x = rows(rng, 400, 12)
    return plain("twelve covariates, 400 rows", x, answers(rng, x, [0.3] * 6 + [-0.3] * 6, -0.5))


@design
def intercept_only():
    rng = random.Random(4)
    return plain("no covariate", [[] for _ in range(41)], [int(rng.random() < 0.3) for _ in range(41)])


@design
def no_intercept():
    rng = random.Random(5)
    x = mapped(rows(rng, 90, 3), lambda c: c + 1, same, same)
    return plain("three covariates through the origin", x, answers(rng, x, [0.7, -1.1, 0.2]), intercept=False)


@design
def offset_1e8():
    rng = random.Random(6)
    x = rows(rng, 100, 1)
    y = answers(rng, x, [1.2])
    return plain("a covariate at 1e8 that varies by 2", mapped(x, lambda c: 1e8 + c), y)


@design
def unix_seconds():
    rng = random.Random(7)
    x = rows(rng, 120, 2)
    y = answers(rng, x, [0.8, -0.4], 0.2)
    return plain("seconds since 1970 over a few hours, and a day number", mapped(x, lambda c: 1.7e9 + 4096 * c, lambda c: 738000 + 64 * c), y)


@design
def offset_1e8_three():
    rng = random.Random(8)
    x = rows(rng, 160, 3)
    y = answers(rng, x, [0.8, -0.6, 0.5])
    return plain("three covariates at 1e8", mapped(x, lambda c: 1e8 + c, lambda c: -1e8 + c, lambda c: 3e8 + c), y)


@design
def scale_1e12():
    rng = random.Random(9)
    x = rows(rng, 100, 2)
    y = answers(rng, x, [1.0, -0.7])
    return plain("covariates of 1e12", mapped(x, lambda c: 1e12 * c, lambda c: 3e12 * c), y)


@design
def scale_1e_minus_12():
    rng = random.Random(10)
    x = rows(rng, 100, 2)
    y = answers(rng, x, [1.0, -0.7])
    return plain("covariates of 1e-12", mapped(x, lambda c: 1e-12 * c, lambda c: 3e-12 * c), y)


@design
def mixed_scales():
    rng = random.Random(11)
    x = rows(rng, 200, 4)
    y = answers(rng, x, [0.9, -0.6, 0.4, 0.8])
    maps = (lambda c: 1e12 * c, lambda c: 1e-12 * c, lambda c: 1e8 + c, same)
    return plain("covariates of 1e12, of 1e-12, at 1e8 and of 1 together", mapped(x, *maps), y)


@design
def heavy_weights():
    rng = random.Random(12)
    x = rows(rng, 80, 3)
    y = answers(rng, x, [0.5, -0.5, 0.25])
    return plain("frequencies from 1 to a million", x, y, weights=[int(10 ** rng.uniform(0, 6)) for _ in y])


@design
def fractional_weights():
    rng = random.Random(13)
    x = rows(rng, 100, 3)
    y = answers(rng, x, [0.5, -0.5, 0.25])
    return plain("weights between 1/64 and 4", x, y, weights=[rng.randint(1, 256) / 64 for _ in y])


@design
def grouped_counts():
    rng = random.Random(14)
    x = rows(rng, 40, 2)
    trials = [2 ** rng.randint(3, 9) for _ in x]
    odds = [0.4 + 0.9 * a - 0.6 * b for a, b in x]
    y = [sum(rng.random() < 1 / (1 + exp(-eta)) for _ in range(n)) / n for eta, n in zip(odds, trials)]
    return plain("successes of 8 to 512 trials per row", x, y, weights=trials, grouped=True)


@design
def known_offset():
    rng = random.Random(15)
    x = rows(rng, 120, 2)
    offset = [grid(rng) for _ in x]
    y = answers(rng, [[*row, o] for row, o in zip(x, offset)], [0.6, -0.9, 1.0])
    return plain("a known addend of the log odds", x, y, offset=offset)


@design
def rare_class():
    rng = random.Random(16)
    x = rows(rng, 600, 2)
    return plain("one row in 60 is positive", x, answers(rng, x, [0.6, -0.4], -4.3))


@design
def polynomial():
    rng = random.Random(17)
    points = [k / 8 for k in range(0, 81)]
    odds = [0.3 * (t - 2) * (t - 6) * (t - 9) / 8 for t in points]
    y = [int(rng.random() < 1 / (1 + exp(-eta))) for eta in odds]
    return plain("powers 1 to 4 of a number up to 10", [[t, t**2, t**3, t**4] for t in points], y)


def nearly_separated(about, gap, far, noise=False):
    """Two classes on either side of 0, and rows a little on the wrong side: two, or with noise two at each corner of a square."""
    rng = random.Random(21)
    points = [(-t, 0) for t in far] + [(t + t * t / 32, 1) for t in far]
    wrong = [(-gap, 1), (gap, 0)]
    if not noise:
        x, y = [[t] for t, _ in wrong + points], [label for _, label in wrong + points]
    else:
        corners = [(a, b) for a in (-1, 1) for b in (-1, 1)]
        x = [[t, *corner] for t, _ in wrong for corner in corners] + [[t, grid(rng), grid(rng)] for t, _ in points]
        y = [label for _, label in wrong for _ in corners] + [label for _, label in points]
    return plain(about, x, y, kind="near-separation")


@design
def near_separation_10():
    return nearly_separated("overlap of 1/8 beside a gap of 1: log odds up to 10", 1 / 8, [1, 1.25, 1.5, 2, 2.5])


@design
def near_separation_20():
    return nearly_separated("overlap of 1/512 beside a gap of 1: log odds up to 20", 2**-9, [1, 1.25, 1.5, 2, 2.5])


@design
def near_separation_30():
    return nearly_separated("overlap of 2^-15 beside a gap of 1: log odds up to 30", 2**-15, [1, 1.25, 1.5, 2, 2.5])


@design
def near_separation_40():
    return nearly_separated("overlap of 2^-22 beside a gap of 1: log odds up to 40", 2**-22, [1, 1.25, 1.5, 2, 2.5])


@design
def near_separation_columns():
    return nearly_separated("overlap of 2^-10 and two covariates of noise", 2**-10, [1 + k / 16 for k in range(24)], noise=True)


@design
def near_quasi_separation():
    """A rare level that is almost always positive, with a large weight: the odds of the level are 1 to a million."""
    rng = random.Random(22)
    x = [[0, grid(rng)] for _ in range(60)] + [[1, grid(rng)] for _ in range(12)]
    y = answers(rng, [row[1:] for row in x[:60]], [0.8]) + [1] * 11 + [0]
    weights = [1] * 60 + [100000] * 11 + [1]
    return plain("a level with odds of a million", x, y, kind="near-separation", weights=weights)


def collinear(about, distance, seed):
    rng = random.Random(seed)
    x = rows(rng, 120, 2)
    y = answers(rng, x, [0.8, 0.9])
    return plain(about, [[a, a + distance * b] for a, b in x], y, kind="collinear")


@design
def collinear_1e_6():
    return collinear("a column and the same column plus 1e-6 of another", 1e-6, 23)


@design
def collinear_1e_8():
    return collinear("a column and the same column plus 1e-8 of another", 1e-8, 24)


@design
def collinear_sum_1e_6():
    rng = random.Random(25)
    x = rows(rng, 150, 3)
    y = answers(rng, x, [0.8, -0.5, 0.9])
    return plain("a column within 1e-6 of the sum of two others", [[a, b, a + b + 1e-6 * c] for a, b, c in x], y, kind="collinear")


@design
def multinomial_3():
    rng = random.Random(26)
    x = rows(rng, 150, 2)
    y = choices(rng, x, [[1.0, -0.5], [-0.7, 0.8]], [0.2, -0.1])
    return plain("three classes, two covariates", x, y, classes=3)


@design
def multinomial_4():
    rng = random.Random(27)
    x = rows(rng, 200, 3)
    y = choices(rng, x, [[1.0, -0.5, 0.1], [-0.7, 0.8, 0.3], [0.2, 0.2, -0.9]], [0.2, -0.1, 0.4])
    return plain("four classes, three covariates", x, y, classes=4)


@design
def multinomial_5():
    rng = random.Random(28)
    x = rows(rng, 300, 4)
    slopes = [[1.0, -0.5, 0.1, 0.0], [-0.7, 0.8, 0.3, 0.5], [0.2, 0.2, -0.9, -0.5], [0.5, 0.4, 0.3, 1.0]]
    return plain("five classes, four covariates", x, choices(rng, x, slopes, [0.2, -0.1, 0.4, 0.0]), classes=5)


@design
def multinomial_scales():
    rng = random.Random(29)
    x = rows(rng, 200, 3)
    y = choices(rng, x, [[1.0, -0.5, 0.1], [-0.7, 0.8, 0.3]], [0.2, -0.1])
    maps = (lambda c: 1e12 * c, lambda c: 1e-12 * c, lambda c: 1e8 + c)
    return plain("three classes, covariates of 1e12, of 1e-12 and at 1e8", mapped(x, *maps), y, classes=3)


@design
def multinomial_weights():
    rng = random.Random(30)
    x = rows(rng, 120, 2)
    y = choices(rng, x, [[0.5, -0.5], [-0.4, 0.6]], [0.5, -0.2])
    return plain("three classes, frequencies up to 1000", x, y, classes=3, weights=[rng.randint(1, 1000) for _ in y])


@design
def multinomial_near_separation_3():
    """Three bands of a line; neighbours overlap by 1/16 beside gaps of 1/2."""
    gap, far = 2**-4, [0.5, 0.625, 0.75, 0.875]
    points, y = [], []
    for centre, low in ((-1, 0), (1.125, 1)):
        points += [centre - gap, centre + gap] + [centre - t for t in far] + [centre + t + t * t / 32 for t in far]
        y += [low + 1, low] + [low] * len(far) + [low + 1] * len(far)
    return plain("three bands of a line that overlap by 1/16", [[t] for t in points], y, kind="near-separation", classes=3)


@design
def multinomial_near_separation_4():
    """Four corners of a square with one stray row of every class in each other corner's reach."""
    rng = random.Random(31)
    x, y = [], []
    for label, (a, b) in enumerate([(-1, -1), (1, -1), (-1, 1), (1, 1)]):
        for _ in range(15):
            x.append([3 * a + grid(rng, most=1.5), 3 * b + grid(rng, most=1.5)])
            y.append(label)
        for other in range(4):
            if other != label:
                x.append([a / 16 + other / 64, b / 16 - other / 128])
                y.append(other)
    return plain("four corners of a square with stray rows near its centre", x, y, kind="near-separation", classes=4)


COLUMNS = [{"factor": 2654435761, "levels": 13}, {"factor": 2246822519, "levels": 7}, {"factor": 3266489917, "levels": 2}]


@design
def million_rows():
    rule = {"rows": 1000000, "columns": COLUMNS, "label_factor": 668265263, "cuts": [[640, -22, 31, 40]]}
    return {"about": "a million rows, three covariates", "class": "well-posed", "intercept": True, "rule": rule}


@design
def million_rows_multinomial():
    rule = {"rows": 1000000, "columns": COLUMNS, "label_factor": 668265263, "cuts": [[360, -9, 6, 40], [760, -12, 13, -20]]}
    return {"about": "a million rows, three classes", "class": "well-posed", "intercept": True, "classes": 3, "rule": rule}
