"""The solution of a regression problem in many digits, and rows that a rule of integers makes."""

from collections import Counter

import mpmath as mp
from mpmath import mpf

DIGITS = 120

PRINTED = 50


class Problem:
    """Rows (1, x), shares of the classes, weights and offsets as exact numbers."""

    def __init__(self, x, shares, weights, offset, intercept):
        self.z = [[mpf(1)] * intercept + [mpf(cell) for cell in row] for row in x]
        self.shares = [[mpf(share) for share in row] for row in shares]
        self.weights = [mpf(w) for w in weights]
        self.offset = [mpf(o) for o in offset]
        self.width, self.outputs = len(self.z[0]), len(self.shares[0]) - 1
        self.size = self.width * self.outputs

    def scores(self, beta):
        for z, offset in zip(self.z, self.offset):
            parts = (beta[m * self.width : (m + 1) * self.width] for m in range(self.outputs))
            yield [mpf(0)] + [mp.fdot(z, part) + offset for part in parts]

    def log_likelihood(self, beta):
        total = mpf(0)
        for eta, shares, weight in zip(self.scores(beta), self.shares, self.weights):
            top = max(eta)
            total += weight * (mp.fdot(shares, eta) - top - mp.log(mp.fsum(mp.exp(e - top) for e in eta)))
        return total

    def probabilities(self, beta):
        for eta in self.scores(beta):
            top = max(eta)
            odds = [mp.exp(e - top) for e in eta]
            total = mp.fsum(odds)
            yield [o / total for o in odds]

    def derivatives(self, beta):
        """Gradient of the log likelihood and information matrix."""
        width, outputs = self.width, self.outputs
        gradient, information = [mpf(0)] * self.size, mp.zeros(self.size)
        for z, shares, weight, p in zip(self.z, self.shares, self.weights, self.probabilities(beta)):
            for m in range(outputs):
                slope = weight * (shares[m + 1] - p[m + 1])
                for a in range(width):
                    gradient[m * width + a] += slope * z[a]
                for l in range(m, outputs):
                    curvature = weight * (p[m + 1] * (1 - p[m + 1]) if m == l else -p[m + 1] * p[l + 1])
                    for a in range(width):
                        factor = curvature * z[a]
                        for b in range(a if m == l else 0, width):
                            information[m * width + a, l * width + b] += factor * z[b]
        for i in range(self.size):
            for j in range(i):
                information[i, j] = information[j, i]
        return gradient, information

    def solve(self):
        beta, value = [mpf(0)] * self.size, self.log_likelihood([mpf(0)] * self.size)
        for _ in range(200):
            gradient, information = self.derivatives(beta)
            step = mp.cholesky_solve(information, mp.matrix(gradient))
            decrement = mp.sqrt(abs(mp.fdot(gradient, step)))
            factor = mpf(1)
            while True:
                trial = [b + factor * s for b, s in zip(beta, step)]
                reached = self.log_likelihood(trial)
                if reached >= value or decrement < mpf(10) ** -20:
                    break
                factor /= 2
            beta, value = trial, reached
            if decrement < mpf(10) ** -70:
                return beta, value, information
        raise RuntimeError("no solution: is the design separated?")

    def condition(self, beta, inverse):
        """max over k of sum over cells |d coef_k / d x_ij * x_ij / coef_k|, by the implicit function theorem."""
        width, outputs = self.width, self.outputs
        sums = [mpf(0)] * self.size
        with mp.workdps(30):
            for z, shares, weight, p in zip(self.z, self.shares, self.weights, self.probabilities(beta)):
                for a in range(width):
                    # d gradient / d x_a = e_a (y - p) w - z (d p / d x_a) w
                    change = [mpf(0)] * self.size
                    mean = mp.fsum(p[m + 1] * beta[m * width + a] for m in range(outputs))
                    for m in range(outputs):
                        change[m * width + a] += weight * (shares[m + 1] - p[m + 1])
                        slope = weight * p[m + 1] * (beta[m * width + a] - mean)
                        for b in range(width):
                            change[m * width + b] -= slope * z[b]
                    if z[a] == 1 and all(row[a] == 1 for row in self.z[:50]):
                        continue  # The intercept's ones are no data.
                    for k in range(self.size):
                        sums[k] += abs(mp.fdot(inverse[k, :], change) * z[a])
            return max(total / abs(b) for total, b in zip(sums, beta))

    def saturated(self):
        terms = (w * s * mp.log(s) for shares, w in zip(self.shares, self.weights) for s in shares if 0 < s < 1)
        return mp.fsum(terms)

    def log_coefficients(self):
        total = mpf(0)
        for shares, weight in zip(self.shares, self.weights):
            total += mp.loggamma(weight + 1) - mp.fsum(mp.loggamma(weight * s + 1) for s in shares)
        return total


def text(number):
    return mp.nstr(number, PRINTED, strip_zeros=False)


def certify(made):
    """The solution of a design as texts."""
    classes = made.get("classes", 2)
    if "rule" in made:
        table = group(made["rule"])
        x = [cells for cells, _ in table]
        weights = [sum(counts) for _, counts in table]
        shares = [[mpf(count) / sum(counts) for count in counts] for _, counts in table]
    elif made.get("grouped"):
        x, weights = made["x"], made["weights"]
        shares = [[1 - mpf(share), mpf(share)] for share in made["y"]]
    else:
        x, weights = made["x"], made.get("weights", [1] * len(made["y"]))
        shares = [[int(label == k) for k in range(classes)] for label in made["y"]]
    problem = Problem(x, shares, weights, made.get("offset", [0] * len(x)), made["intercept"])
    beta, value, information = problem.solve()
    inverse = information ** -1
    constant = problem.log_coefficients() if made.get("grouped") else mpf(0)
    saturated = problem.saturated() if made.get("grouped") else mpf(0)
    reach = max(abs(eta) for scores in problem.scores(beta) for eta in scores)
    return {
        "coef": [text(b) for b in beta],
        "se": [text(mp.sqrt(inverse[k, k])) for k in range(problem.size)],
        "loglik": text(value + constant),
        "deviance": text(2 * (saturated - value)),
        "condition": mp.nstr(problem.condition(beta, inverse), 6),
        "reach": mp.nstr(reach, 6),
    }


def mix(i, factor):
    return ((i + 1) * factor % 2**32) >> 8


def ruled(rule):
    """Rows by integer arithmetic alone.

    Level j of row i is mix(i, factor_j) mod levels_j, its step 2 level - levels_j + 1, its cell step / 8.
    The label is the number of cuts c with c_0 + sum_j c_j step_j <= mix(i, label_factor) mod 1024.
    """
    for i in range(rule["rows"]):
        steps = [2 * (mix(i, column["factor"]) % column["levels"]) - column["levels"] + 1 for column in rule["columns"]]
        draw = mix(i, rule["label_factor"]) % 1024
        label = sum(cut[0] + sum(c * s for c, s in zip(cut[1:], steps)) <= draw for cut in rule["cuts"])
        yield tuple(steps), label


def group(rule):
    """Rows with equal cells, and how many of every class they are."""
    counts = Counter(ruled(rule))
    cells = sorted({steps for steps, _ in counts})
    classes = range(len(rule["cuts"]) + 1)
    return [([step / 8 for step in steps], [counts[steps, k] for k in classes]) for steps in cells]
