"""Random tables that several workloads share."""

from __future__ import annotations

import math

import numpy as np


def neighbours_correlated(rng: np.random.Generator, rows: int, columns: int, correlation: float = 0.7) -> np.ndarray:
    """Columns that correlate with the one before, on mildly uneven scales."""
    x = rng.standard_normal((rows, columns))
    for j in range(1, columns):
        x[:, j] = correlation * x[:, j - 1] + math.sqrt(1 - correlation**2) * x[:, j]
    return x * np.exp(rng.normal(0, 0.5, columns))


def documents(rng: np.random.Generator, rows: int, columns: int, tokens: int, classes: int):
    """Counts of Zipf-distributed words in compressed rows, with some words that belong to a class, and the classes."""
    from scipy.sparse import csr_matrix

    frequency = 1 / (np.arange(columns) + 2.7) ** 1.05
    y = rng.integers(0, classes, rows)
    lengths = 1 + rng.poisson(tokens * np.exp(rng.normal(-0.08, 0.4, rows)))
    document = np.repeat(np.arange(rows), lengths)
    edges = np.cumsum(frequency) / frequency.sum()
    word = np.minimum(np.searchsorted(edges, rng.random(document.size)), columns - 1)
    topics = rng.integers(50, min(columns, 8000), (classes, 120))
    topical = np.flatnonzero(rng.random(document.size) < 0.05)
    word[topical] = topics[y[document[topical]], rng.integers(0, 120, topical.size)]
    x = csr_matrix((np.ones(document.size), (document, word)), shape=(rows, columns))
    x.sum_duplicates()
    x.sort_indices()
    mislabelled = np.flatnonzero(rng.random(rows) < 0.05)
    y[mislabelled] = rng.integers(0, classes, mislabelled.size)
    return x, y


def tf_idf(counts):
    """Logarithmic counts times smoothed inverse document frequencies, rows of unit length."""
    x = counts.copy()
    rows, columns = x.shape
    rarity = np.log((1 + rows) / (1 + np.bincount(x.indices, minlength=columns))) + 1
    x.data = (1 + np.log(x.data)) * rarity[x.indices]
    row = np.repeat(np.arange(rows), np.diff(x.indptr))
    x.data /= np.sqrt(np.bincount(row, weights=x.data**2, minlength=rows))[row]
    return x
