"""Mutual information of columns and arithmetic coding of labels, through the Python package and through scikit-learn and constriction.

Both sides run in this process and in turns; the fastest run of each counts. Screens run on one thread. Labels are coded both ways, each with a
probability of its own, in the form that each side takes at once; ours on all threads, as without being asked, in turns of ten calls and in single calls, and
on one, which is all that constriction has, in single calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from result import Result
from worker import Timing
from workload import Phase

COLUMNS = 50


def measure_bits(repeat: int, seed: int, quick: bool) -> list[Result]:
    """A screen of discrete columns, one of continuous ones, and labels coded and read back."""
    rng = np.random.default_rng(seed)
    return [
        discrete_screen(rng, 100_000 if quick else 1_000_000, repeat),
        continuous_screen(rng, 10_000 if quick else 100_000, max(1, repeat // 3)),
        *coding(rng, 100_000 if quick else 1_000_000, 4 * repeat),
    ]


def alternate(result: Result, repeat: int, ours: Callable[[], np.ndarray], peers: dict[str, Callable[[], np.ndarray]], turn: int = 1) -> None:
    """Runs both sides in turns and compares their answers; a turn of several runs lets what is short find its data and threads awake, on both sides."""
    answers: dict[str, np.ndarray] = {}
    for _ in range(repeat):
        mine = [clock(ours, result.ours) for _ in range(turn)][-1]
        for name, peer in peers.items():
            answers[name] = [clock(peer, result.peers.setdefault(name, Timing())) for _ in range(turn)][-1]
    result.difference = max(float(np.abs(mine - answer).max()) for answer in answers.values())


def clock(work: Callable[[], np.ndarray], timing: Timing) -> np.ndarray:
    start, cpu = time.perf_counter(), time.process_time()
    answer = work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    timing.add(["ok", repr(seconds), repr(cpu), "-"])
    return answer


def discrete_screen(rng: np.random.Generator, rows: int, repeat: int) -> Result:
    from oddsmith.info import mutual_info_classif as ours
    from sklearn.feature_selection import mutual_info_classif

    y = rng.integers(0, 2, rows)
    x = (rng.integers(0, 10, (rows, COLUMNS)) + y[:, None] * rng.integers(0, 2, (rows, COLUMNS))) % 10
    result = Result("mi_discrete", Phase("screen", 80, 1e-10), x.nbytes)
    peers = {"scikit-learn": lambda: mutual_info_classif(x, y, discrete_features=True)}
    alternate(result, repeat, lambda: ours(x, y, discrete_features=True, n_jobs=1), peers)
    return result


def continuous_screen(rng: np.random.Generator, rows: int, repeat: int) -> Result:
    from oddsmith.info import mutual_info_classif as ours
    from sklearn.feature_selection import mutual_info_classif

    y = rng.integers(0, 2, rows)
    x = rng.standard_normal((rows, COLUMNS)) + np.linspace(0, 1, COLUMNS) * y[:, None]
    # scikit-learn adds noise of 1e-10 of the spread, which may exchange neighbours.
    result = Result("mi_continuous", Phase("screen", 30, 1e-3), x.nbytes)
    peers = {"scikit-learn": lambda: mutual_info_classif(x, y, discrete_features=False, random_state=0)}
    alternate(result, repeat, lambda: ours(x, y, discrete_features=False, n_jobs=1), peers)
    return result


def coding(rng: np.random.Generator, rows: int, repeat: int) -> list[Result]:
    import constriction
    from oddsmith.info import decode_labels, encode_labels

    p = rng.beta(0.6, 1.2, rows).clip(1e-6, 1 - 1e-6)
    labels = (rng.random(rows) < p).astype(np.uint32)

    def ours(n_jobs: int | None) -> np.ndarray:
        return decode_labels(encode_labels(labels, p, n_jobs=n_jobs), p, n_jobs=n_jobs)

    signed, family = labels.astype(np.int32), constriction.stream.model.Bernoulli(perfect=False)
    shares = np.column_stack([1 - p, p]).astype(np.float32)
    table = constriction.stream.model.Categorical(perfect=False)

    def both_ways(model: object, parameters: np.ndarray) -> np.ndarray:
        encoder = constriction.stream.queue.RangeEncoder()
        encoder.encode(signed, model, parameters)
        return constriction.stream.queue.RangeDecoder(encoder.get_compressed()).decode(model, parameters).astype(np.uint32)

    peers = {"constriction Bernoulli": lambda: both_ways(family, p), "constriction categorical": lambda: both_ways(table, shares)}
    results = []
    for name, goal, n_jobs, turn in [("label_coding", 10, None, 10), ("label_coding_single", 10, None, 1), ("label_coding_one_thread", 5, 1, 1)]:
        results.append(result := Result(name, Phase("both ways", goal, 0.0), labels.nbytes + p.nbytes))
        alternate(result, repeat * (10 // turn), lambda n_jobs=n_jobs: ours(n_jobs), peers, turn)
    return results
