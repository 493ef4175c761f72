"""The figures agree with `sklearn.metrics`, statsmodels and definitions, weights included."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as scipy_stats
from scipy.special import expit, logit
from sklearn import metrics as theirs

import oddsmith as od
from oddsmith import metrics

RNG = np.random.default_rng(5)
ROWS = 400
P = expit(RNG.normal(size=ROWS)).round(2).clip(0.01, 0.99)  # ties
Y = (RNG.random(ROWS) < P**1.3).astype(int)
W = RNG.integers(0, 4, ROWS).astype(float)
THREE = RNG.dirichlet([1, 2, 1], ROWS)
Y3 = np.array(["a", "b", "c"])[np.array([RNG.choice(3, p=row) for row in THREE])]
WEIGHTS = [None, W]


@pytest.mark.parametrize("weights", WEIGHTS, ids=["plain", "weighted"])
@pytest.mark.parametrize(
    ("ours", "reference", "answers"),
    [
        (metrics.log_loss, theirs.log_loss, P),
        (metrics.brier, theirs.brier_score_loss, P),
        (metrics.auc, theirs.roc_auc_score, P),
        (metrics.average_precision, theirs.average_precision_score, P),
        (metrics.accuracy, theirs.accuracy_score, P > 0.4),
        (metrics.balanced_accuracy, theirs.balanced_accuracy_score, P > 0.4),
        (metrics.matthews_corrcoef, theirs.matthews_corrcoef, P > 0.4),
        (metrics.cohen_kappa, theirs.cohen_kappa_score, P > 0.4),
        (metrics.sensitivity, theirs.recall_score, P > 0.4),
        (metrics.precision, theirs.precision_score, P > 0.4),
        (metrics.f1, theirs.f1_score, P > 0.4),
        (metrics.confusion_matrix, theirs.confusion_matrix, P > 0.4),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_figures_of_two_classes(ours, reference, answers, weights):
    answers = answers.astype(int) if answers.dtype == bool else answers
    found, expected = ours(Y, answers, sample_weight=weights), reference(Y, answers, sample_weight=weights)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS, ids=["plain", "weighted"])
def test_figures_of_three_classes(weights):
    called = np.array(["a", "b", "c"])[THREE.argmax(axis=1)]
    np.testing.assert_allclose(metrics.log_loss(Y3, THREE, sample_weight=weights), theirs.log_loss(Y3, THREE, sample_weight=weights), rtol=1e-12)
    np.testing.assert_allclose(metrics.accuracy(Y3, called, sample_weight=weights), theirs.accuracy_score(Y3, called, sample_weight=weights))
    squared = ((THREE - (Y3[:, None] == np.array(["a", "b", "c"]))) ** 2).sum(axis=1)
    np.testing.assert_allclose(metrics.brier(Y3, THREE, sample_weight=weights), np.average(squared, weights=weights), rtol=1e-12)
    if weights is None:
        np.testing.assert_allclose(metrics.auc(Y3, THREE), theirs.roc_auc_score(Y3, THREE, multi_class="ovo"), rtol=1e-12)


def test_bits_are_nats_in_another_unit():
    np.testing.assert_allclose(metrics.bits(Y, P), metrics.log_loss(Y, P) / np.log(2), rtol=1e-14)
    entropy = scipy_stats.entropy(np.bincount(Y), base=2)
    np.testing.assert_allclose(metrics.base_rate_bits(Y), entropy, rtol=1e-14)
    np.testing.assert_allclose(metrics.bits_saved(Y, P), entropy - metrics.bits(Y, P), rtol=1e-12)


def test_curves_are_those_of_scikit_learn():
    rates = metrics.roc_curve(Y, P, sample_weight=W)
    false, true, thresholds = theirs.roc_curve(Y, P, sample_weight=W, drop_intermediate=False)
    known = dict(zip(thresholds, zip(true, false, strict=True), strict=True))
    for threshold, a, b in zip(rates["threshold"], rates["true_positive_rate"], rates["false_positive_rate"], strict=True):
        np.testing.assert_allclose((a, b), known[threshold], atol=1e-12)
    curve = metrics.precision_recall_curve(Y, P, sample_weight=W)
    precision, recall, thresholds = theirs.precision_recall_curve(Y, P, sample_weight=W)
    known = dict(zip(thresholds, zip(precision, recall, strict=False), strict=False))
    for threshold, a, b in zip(curve["threshold"], curve["precision"], curve["recall"], strict=True):
        np.testing.assert_allclose((a, b), known[threshold], atol=1e-12)


def placements(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wins = (scores[Y == 1][:, None] > scores[Y == 0]) + 0.5 * (scores[Y == 1][:, None] == scores[Y == 0])
    return wins.mean(axis=1), wins.mean(axis=0)


def test_delong_by_definition():
    other = (P + 0.5 * RNG.random(ROWS)).round(2)
    events, others = zip(placements(P), placements(other), strict=True)
    covariance = np.cov(events) / len(events[0]) + np.cov(others) / len(others[0])
    area = metrics.auc(Y, P)
    np.testing.assert_allclose(area.high - area, 1.959963984540054 * np.sqrt(covariance[0, 0]), rtol=1e-10)
    test = metrics.delong_test(Y, P, other)
    difference = events[0].mean() - events[1].mean()
    z = difference / np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    np.testing.assert_allclose([test.difference, test.z, test.p_value], [difference, z, 2 * scipy_stats.norm.sf(abs(z))], rtol=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS, ids=["plain", "weighted"])
def test_calibration_lines_are_regressions(weights):
    weight = np.ones(ROWS) if weights is None else weights
    kept = weight > 0
    line = sm.GLM(Y[kept], sm.add_constant(logit(P[kept])), sm.families.Binomial(), freq_weights=weight[kept]).fit(tol=1e-12)
    level = sm.GLM(Y[kept], np.ones(kept.sum()), sm.families.Binomial(), offset=logit(P[kept]), freq_weights=weight[kept]).fit(tol=1e-12)
    slope, intercept = metrics.calibration_slope(Y, P, sample_weight=weights), metrics.calibration_intercept(Y, P, sample_weight=weights)
    np.testing.assert_allclose([slope, slope.low, slope.high], [line.params[1], *line.conf_int()[1]], rtol=1e-7)
    np.testing.assert_allclose([intercept, intercept.low, intercept.high], [level.params[0], *level.conf_int()[0]], rtol=1e-7)


@pytest.mark.parametrize("weights", WEIGHTS, ids=["plain", "weighted"])
def test_parts_of_the_brier_score_add_up(weights):
    parts = metrics.brier_decomposition(Y, P, sample_weight=weights)
    total = parts.reliability - parts.resolution + parts.uncertainty
    np.testing.assert_allclose(total, theirs.brier_score_loss(Y, P, sample_weight=weights), rtol=1e-12)
    rate = np.average(Y, weights=weights)
    np.testing.assert_allclose(parts.uncertainty, rate * (1 - rate), rtol=1e-12)


def test_binned_calibration_by_definition():
    error = metrics.expected_calibration_error(Y, P, bins=7)
    bins = np.minimum((P * 7).astype(int), 6)
    expected = sum(abs(Y[bins == b].mean() - P[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins))
    np.testing.assert_allclose(error, expected, rtol=1e-12)
    assert 0 < error.by_chance < 1 and error.low <= error <= error.high


def test_worth_of_decisions_by_definition():
    table = metrics.net_benefit(Y, P, thresholds=[0.3, 0.1])
    for t, worth in zip(table["threshold"], table["net_benefit"], strict=True):
        called = P >= t
        np.testing.assert_allclose(worth, (called & (Y == 1)).mean() - (called & (Y == 0)).mean() * t / (1 - t), rtol=1e-12)
    top = metrics.lift(Y, P + np.arange(ROWS) * 1e-9, parts=4)
    best = np.argsort(P + np.arange(ROWS) * 1e-9)[::-1][:100]
    np.testing.assert_allclose(top["share_of_events"][0], Y[best].sum() / Y.sum())


def test_a_row_of_weight_two_is_the_row_twice():
    twice = np.repeat(np.arange(ROWS), W.astype(int))
    for metric in (metrics.auc, metrics.log_loss, metrics.calibration_slope):
        once, many = metric(Y, P, sample_weight=W), metric(Y[twice], P[twice])
        np.testing.assert_allclose(once, many, rtol=1e-9)
    np.testing.assert_allclose(metrics.hosmer_lemeshow(Y, P, sample_weight=W).chi_squared, metrics.hosmer_lemeshow(Y[twice], P[twice]).chi_squared)
    np.testing.assert_allclose(metrics.reliability_curve(Y, P, sample_weight=W)["observed"], metrics.reliability_curve(Y[twice], P[twice])["observed"])


def test_thresholds_keep_what_was_wanted():
    threshold, shares = metrics.choose_threshold(Y, P, aim="sensitivity", value=0.9)
    assert ((P >= threshold) & (Y == 1)).sum() / Y.sum() == pytest.approx(float(shares["sensitivity"])) and shares["sensitivity"] >= 0.9
    with pytest.raises(od.ParameterError, match="value = None"):
        metrics.choose_threshold(Y, P, aim="sensitivity")


def test_an_estimate_is_a_number_that_travels():
    area = metrics.auc(Y, P)
    for again in (pickle.loads(pickle.dumps(area)), copy.deepcopy(area)):
        assert (again, again.low, again.high) == (area, area.low, area.high)
    assert float(area) == area and str(area.low) in repr(area)


def test_what_the_rows_do_not_determine_is_said():
    with pytest.raises(od.NoEstimateError, match="only one class"):
        metrics.auc([1, 1], [0.2, 0.3])
    with pytest.raises(od.NoEstimateError, match="impossible"):
        metrics.log_loss([0, 1], [1.0, 1.0])
    with pytest.raises(od.DataError, match="row 2.*probability"):
        metrics.log_loss([0, 1], [0.5, 1.5])
    with pytest.raises(od.DataError, match="3 classes"):
        metrics.auc([0, 1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="inconsistent"):
        metrics.auc([0, 1], [0.1])


def test_an_area_has_delongs_variance():
    rng = np.random.default_rng(19)
    y = rng.integers(0, 2, 60)
    score = rng.normal(size=60).round(1) + y
    area = metrics.auc(y, score)
    events, others = score[y == 1], score[y == 0]
    wins = (events[:, None] > others) + 0.5 * (events[:, None] == others)
    expected = wins.mean(axis=1).var(ddof=1) / len(events) + wins.mean(axis=0).var(ddof=1) / len(others)
    assert area.variance == pytest.approx(expected, rel=1e-12)
    assert area.high - area == pytest.approx(1.959963984540054 * expected**0.5, rel=1e-9)
    twin = metrics.delong_test(y, score, score + rng.normal(size=60))
    assert twin.difference.variance > 0
    assert pickle.loads(pickle.dumps(area)).variance == area.variance
