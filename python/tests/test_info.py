"""Information: against scipy where scipy is right, scikit-learn, and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats
from scipy.spatial.distance import jensenshannon
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score
from sklearn.utils.estimator_checks import check_estimator

import oddsmith
from oddsmith import info


@pytest.fixture
def pairs(rng=np.random.default_rng(3)):
    p = rng.dirichlet(np.ones(6), size=(4, 5))
    p[0, 0, 1:] = 0
    p[0, 0, 0] = 1
    return p, rng.dirichlet(np.ones(6), size=(4, 5))


def test_entropies_and_divergences_are_scipys(pairs):
    p, q = pairs
    np.testing.assert_allclose(info.entropy(p), stats.entropy(p, base=2, axis=-1), atol=1e-14)
    np.testing.assert_allclose(info.kl_divergence(p, q, base=math.e), special.rel_entr(p, q).sum(-1), rtol=1e-12)
    np.testing.assert_allclose(info.jensen_shannon(p, q, base=math.e), jensenshannon(p, q, axis=-1) ** 2, rtol=1e-12)
    np.testing.assert_allclose(info.cross_entropy(p, q), info.entropy(p) + info.kl_divergence(p, q), rtol=1e-12)
    np.testing.assert_allclose(info.entropy(p.swapaxes(1, 2), axis=1), info.entropy(p))


def test_what_does_not_add_up_is_refused_and_counts_are_counts():
    with pytest.raises(oddsmith.DataError, match="do not add up to 1"):
        info.entropy([0.5, 0.4])
    with pytest.raises(oddsmith.DataError, match="cannot be `-0.5`"):
        info.entropy([1.5, -0.5])
    assert info.entropy([2, 2, 4], counts=True) == 1.5
    for nothing in ([], np.ones((3, 0))):
        with pytest.raises(oddsmith.DataError, match="without outcomes"):
            info.entropy(nothing)
    assert info.entropy(np.ones((0, 2))).shape == (0,)
    with pytest.raises(oddsmith.ParameterError, match="above 1"):
        info.entropy([1.0], base=1)
    assert info.kl_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf


def test_a_table_has_the_g_test_of_scipy():
    table = np.array([[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]])
    found = info.mutual_information(table, base=math.e)
    g = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert found.g == pytest.approx(g.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(g.pvalue, rel=1e-9)
    assert found.df == g.dof
    low, high = (2 * table.sum() * limit for limit in (found.non_central_low, found.non_central_high))
    assert stats.ncx2.sf(found.g, found.df, low) == pytest.approx(0.025, rel=1e-9)
    assert stats.ncx2.cdf(found.g, found.df, high) == pytest.approx(0.025, rel=1e-9)
    rows, columns = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
    assert found.mutual_information == pytest.approx(mutual_info_score(rows, columns), rel=1e-12)


def test_neighbours_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 400)
    x = rng.normal(size=400) + y
    # Its noise of 1e-10 moves no order; its scale divides both distances alike.
    expected = mutual_info_classif(x[:, None], y, n_neighbors=3, random_state=0)[0]
    assert info.neighbour_information(x, y, base=math.e) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(oddsmith.DataError, match="more than once"):
        info.neighbour_information(np.round(x), y)


def test_normal_distributions_have_closed_forms():
    assert info.gaussian_kl(0, 1, 1, 4, base=math.e) == pytest.approx(0.4431471806, abs=1e-10)
    covariance = np.array([[2.0, 0.3], [0.3, 1.0]])
    assert info.gaussian_entropy(covariance, base=math.e) == pytest.approx(stats.multivariate_normal(cov=covariance).entropy(), rel=1e-12)
    assert info.gaussian_mutual_information([[1, 0.5], [0.5, 1]]) == pytest.approx(-0.5 * math.log2(0.75), rel=1e-12)


def test_capacity_of_a_symmetric_channel():
    found = info.channel_capacity([[0.89, 0.11], [0.11, 0.89]])
    assert found.capacity == pytest.approx(1 - info.entropy([0.89, 0.11]), abs=1e-13)
    assert found.lower <= found.capacity <= found.upper
    np.testing.assert_allclose(found.input, 0.5)
    with pytest.raises(oddsmith.DataError, match="row 2"):
        info.channel_capacity([[0.5, 0.5], [0.9, 0.2]])


def test_words():
    assert info.code_words([0.5, 0.25, 0.125, 0.125]) == ["0", "10", "110", "111"]
    assert [len(word) for word in info.code_words([100, 1, 1, 1], counts=True, limit=2)] == [2, 2, 2, 2]
    assert info.code_words([1.0, 0.0]) == ["", None]


@pytest.mark.parametrize("classes", [2, 5])
def test_labels_take_the_bits_of_their_log_loss_and_come_back(classes):
    rng = np.random.default_rng(classes)
    p = rng.dirichlet(np.full(classes, 0.5), size=100_000)
    y = (p.cumsum(1) > rng.random((len(p), 1))).argmax(1)
    stream = info.encode_labels(y, p)
    ideal = -np.log2(p[np.arange(len(y)), y]).sum()
    assert -1 < 8 * len(stream) - ideal < 64 + len(y) / 1000
    np.testing.assert_array_equal(info.decode_labels(stream, p), y)
    with pytest.raises(oddsmith.FormatError, match="goes on"):
        info.decode_labels(stream + bytes(16), p)
    for broken in (stream[:-1], stream[:-9], stream[: len(stream) // 2], b"", bytes([stream[0] ^ 1]) + stream[1:]):
        with pytest.raises(oddsmith.FormatError):
            info.decode_labels(broken, p)
    with pytest.raises(oddsmith.FormatError, match="other probabilities|goes on"):
        info.decode_labels(stream, p[::-1])
    with pytest.raises(oddsmith.DataError, match="row 8.*add up"):
        info.encode_labels(y, np.where(np.arange(len(p))[:, None] == 7, p / 2, p))
    with pytest.raises(oddsmith.DataError, match="the code of no class"):
        info.encode_labels([classes], p[:1])


@pytest.mark.parametrize("rows", [0, 1, 10, 262_143, 262_144, 300_001])
def test_streams_of_any_length_stay_within_the_bound(rows):
    rng = np.random.default_rng(rows)
    p = rng.beta(0.6, 1.2, rows).clip(1e-6, 1 - 1e-6)
    y = (rng.random(rows) < p).astype(np.uint32)
    stream = info.encode_labels(y, p)
    assert stream == info.encode_labels(y, np.column_stack([1 - p, p]))
    ideal = -np.log2(np.where(y == 1, p, 1 - p)).sum()
    assert -0.01 <= 8 * len(stream) - ideal <= 64 + rows / 1000
    np.testing.assert_array_equal(info.decode_labels(stream, p), y)
    with pytest.raises(oddsmith.DataError):
        info.encode_labels(np.zeros(rows + 1, np.uint32), p)


def test_probabilities_of_the_second_class_are_probabilities():
    for bad in (1.5, -0.1, math.nan):
        with pytest.raises(oddsmith.DataError, match="row 2"):
            info.encode_labels([0, 1], [0.5, bad])
    with pytest.raises(oddsmith.DataError, match="one dimension"):
        info.encode_labels([0], np.ones((1, 1, 1)))


def test_cuts_are_those_of_the_literature():
    from sklearn.datasets import load_iris

    x, y = load_iris(return_X_y=True)
    made = info.MdlDiscretizer().fit(x, y)
    for cuts, known in zip(made.cut_points_, [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]], strict=True):
        np.testing.assert_allclose(cuts, known, atol=1e-9)
    codes = made.transform(x)
    assert codes.min() == 0 and codes.max() == 2


def test_the_discretizer_is_a_scikit_learn_transformer():
    check_estimator(info.MdlDiscretizer())


def test_the_screen_of_arrays_is_scikit_learns():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 3000)
    x = (rng.integers(0, 7, (3000, 6)) + y[:, None] * rng.integers(0, 2, (3000, 6))) % 9
    np.testing.assert_allclose(info.mutual_info_classif(x, y), mutual_info_classif(x, y, discrete_features=True), atol=1e-12)
    z = rng.normal(size=(3000, 4)) + np.arange(4) * y[:, None] / 3
    theirs = mutual_info_classif(z, y, discrete_features=False, random_state=0)
    np.testing.assert_allclose(info.mutual_info_classif(z, y), theirs, atol=2e-3)
    both = np.column_stack([x[:, :2], z[:, :2]])
    mixed = info.mutual_info_classif(both, y, discrete_features=[True, True, False, False], n_jobs=2)
    np.testing.assert_allclose(mixed[:2], info.mutual_info_classif(x[:, :2], y))
    np.testing.assert_array_equal(mixed[2:], info.mutual_info_classif(z[:, :2], y, n_jobs=1))
    # Any labels, values out of the range that is counted in place, and ties.
    names = np.array(["ash", "elm", "oak"])[y]
    np.testing.assert_allclose(info.mutual_info_classif(x - 1000, names), info.mutual_info_classif(x, y))
    assert np.isnan(info.mutual_info_classif(x.astype(float), y)).all()
    with pytest.raises(oddsmith.DataError, match="more than 256"):
        info.mutual_info_classif(np.arange(3000)[:, None], y)
    with pytest.raises(oddsmith.DataError, match="missing"):
        info.mutual_info_classif(np.array([[np.nan], [1.0]]), [0, 1], discrete_features=True)


def test_two_numbers():
    rng = np.random.default_rng(5)
    x = rng.normal(size=3000)
    y = 0.5 * x + math.sqrt(0.75) * rng.normal(size=3000)
    found = info.number_information(x, y, base=math.e)
    from sklearn.feature_selection import mutual_info_regression

    theirs = mutual_info_regression(x[:, None], y, random_state=0)[0]
    assert found.neighbours == pytest.approx(theirs, abs=2e-3)
    assert found.normal == pytest.approx(-0.5 * math.log(1 - np.corrcoef(x, y)[0, 1] ** 2), rel=1e-9)
    assert found.conf_low < found.binned < found.conf_high
    assert math.isnan(info.number_information(np.round(x), y).neighbours)
    with pytest.raises(oddsmith.DataError, match="of the other"):
        info.number_information(x, y[1:])


def test_columns_come_back():
    cells = ["a, b", None, "", "ü", "a, b", None]
    for options in ({}, {"code": "huffman"}, {"code": "shannon"}, {"limit": 2}):
        coded = info.encode_column(cells, **options)
        assert info.decode_column(coded) == cells
        for cut in range(len(coded)):
            with pytest.raises(oddsmith.OddsmithError):
                info.decode_column(coded[:cut])
    with pytest.raises(oddsmith.DataError, match="no rows"):
        info.encode_column([])


def test_a_screen_of_a_frame_is_that_of_the_command():
    import pandas as pd

    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    frame = pd.DataFrame({"a": a.astype(str), "b": b.astype(str), "x": rng.normal(size=400), "y": np.where(a ^ b, "yes", "no")})
    found = info.screen(frame, "y", pairs=3)
    assert set(found.tidy()["column"]) == {"a", "b", "x"}
    pairs = found.table("pairs")
    best = pairs.iloc[0]
    assert {best["first"], best["second"]} == {"a", "b"} and best["interaction_bits"] > 0.95


def test_evidence_and_lengths():
    coins = info.compare_evidence([8 * math.log(p) + 4 * math.log(1 - p) for p in (0.8, 0.5)], [1, 2])
    assert coins.posterior[0] == pytest.approx(0.3547370553, abs=1e-10)
    assert coins.bayes_factor[1] == pytest.approx(1 / 1.099511627776, rel=1e-12)
    assert coins.decibans[1] == pytest.approx(-10 * math.log10(1.099511627776), rel=1e-12)
    assert info.label_bits([8, 4]) == pytest.approx(13.1702772649, abs=1e-10)
    assert info.label_bits([8, 4], code="nml") == pytest.approx(13.3518493977, abs=1e-10)
    with pytest.raises(oddsmith.ParameterError, match="one for each"):
        info.compare_evidence([0.0, 1.0], [1.0])


def test_an_average_of_models_is_the_mixture_of_their_probabilities():
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 300)
    x = rng.normal(size=(300, 3)) + y[:, None]
    average = oddsmith.ModelAverage(models="one-vs-rest(l2=1),one-vs-rest(l2=30)").fit(x, y)
    weights = average.tidy()["weight"]
    mixed = sum(w * oddsmith.OneVsRestLogistic(l2=l2).fit(x, y).predict_proba(x) for w, l2 in zip(weights, (1.0, 30.0)))
    np.testing.assert_allclose(average.predict_proba(x), mixed, atol=1e-7)
    assert sum(weights) == pytest.approx(1)
    even = oddsmith.ModelAverage(models="one-vs-rest(l2=1),one-vs-rest(l2=30)", weigh_by="equal").fit(x, y)
    assert list(even.tidy()["weight"]) == [0.5, 0.5]
