"""Arrays of every layout and type give the same model, without copies of the whole."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import oddsmith as od

ROWS, COLUMNS = 3000, 6


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    y = rng.integers(0, 3, ROWS)
    return np.rint(8 * rng.normal(size=(ROWS, COLUMNS)) + 30 + 4 * y[:, None]), y


def padded(X: np.ndarray) -> np.ndarray:
    wide = np.full((2 * X.shape[0], 2 * X.shape[1]), np.nan)
    wide[::2, 1::2] = X
    return wide[::2, 1::2]


def unaligned(X: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape)


FORMS = {
    "F": np.asfortranarray,
    "strided": padded,
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "unaligned": unaligned,
    "swapped": lambda X: X.astype(">f8"),
    "list": lambda X: X.tolist(),
    "object": lambda X: X.astype(object),
    "matrix of F slices": lambda X: np.asfortranarray(np.hstack([X, X]))[:, :COLUMNS],
    **{t: (lambda X, t=t: X.astype(t)) for t in ("f4", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "g")},
}
ESTIMATORS = [od.GaussianNB(), od.MultinomialNB(), od.BernoulliNB(binarize=30.0), od.CategoricalNB(), od.LinearDiscriminantAnalysis()]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_layout_and_type_do_not_matter(rows, form, estimator):
    X, y = rows
    turned = FORMS[form](np.maximum(X, 0))
    expected = estimator.fit(np.ascontiguousarray(np.maximum(X, 0)), y).predict_proba(np.maximum(X, 0))
    found = estimator.fit(turned, y).predict_proba(turned)
    # Four-byte rows have four-byte answers: the same ones, rounded.
    np.testing.assert_allclose(found, expected.astype(found.dtype), rtol=1e-12)


def test_read_only_and_memory_mapped_arrays(rows, tmp_path):
    X, y = rows
    expected = od.GaussianNB().fit(X, y).predict_proba(X)
    frozen = X.copy()
    frozen.flags.writeable = False
    np.save(tmp_path / "x.npy", X)
    for form in (frozen, np.load(tmp_path / "x.npy", mmap_mode="r")):
        np.testing.assert_array_equal(od.GaussianNB().fit(form, y).predict_proba(form), expected)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "i4", "u1", "?"])
def test_sparse_types(rows, index, kind):
    X, y = (rows[0] > 35).astype(float), rows[1]
    table = sparse.csr_array(X.astype(kind))
    table.indices, table.indptr = table.indices.astype(index), table.indptr.astype(index)
    expected = od.MultinomialNB().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(od.MultinomialNB().fit(table, y).predict_proba(table), expected, rtol=1e-12)


def test_a_sparse_array_with_entries_outside_is_refused(rows):
    table = sparse.csr_array((rows[0] > 35).astype(float))
    table.indices[5] = 99
    with pytest.raises(od.DataError, match="outside its 6 columns"):
        od.MultinomialNB().fit(table, rows[1])
    table.indices[5] = -1
    with pytest.raises(od.DataError, match="outside"):
        od.MultinomialNB().fit(table, rows[1])


def test_labels_of_every_type(rows):
    X, y = rows
    expected = od.GaussianNB().fit(X, y).predict_proba(X)
    for labels in (y.astype("i1"), y.astype("u8"), y * 10**12, y - 7, y.astype(float), y.astype(str), y.astype(str).astype(object)):
        model = od.GaussianNB().fit(X, labels)
        np.testing.assert_array_equal(model.classes_, np.unique(labels))
        assert model.classes_.dtype == np.asarray(labels).dtype
        np.testing.assert_array_equal(model.predict_proba(X), expected)
    truths = od.GaussianNB().fit(X, y > 0)
    assert truths.classes_.dtype == bool and truths.predict(X[:2]).dtype == bool


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("estimator", [od.GaussianNB(), od.LinearDiscriminantAnalysis(), od.QuadraticDiscriminantAnalysis()], ids=str)
def test_no_copy_of_the_rows_is_made(order, estimator):
    rng = np.random.default_rng(12)
    X = np.asarray(rng.normal(size=(400_000, 20)), order=order)
    y = rng.integers(0, 2, len(X))
    tracemalloc.start()
    estimator.fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 0.1 * X.nbytes, f"{most} bytes beside {X.nbytes}"
