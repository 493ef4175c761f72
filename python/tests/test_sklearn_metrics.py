"""Figures of `oddsmith evaluate` against scikit-learn on random probabilities, with weights, ties and rare classes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

ACCURACY = 1e-10
SEEDS = range(4)


def evaluated(command, columns: dict[str, np.ndarray], *flags: str) -> dict[str, float | None]:
    data = command.write("scored.csv", columns)
    report = json.loads(command.run("evaluate", data, "--target", "y", "--json", *flags))
    return {row["metric"]: row["estimate"] for row in report["evaluation"]["metrics"]}


def two_classes(seed: int, ties: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(500) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(0, 1.5, 500) + y - 0.5)))
    if ties:
        p = np.clip(np.round(p, 1), 0.05, 0.95)
    return y, p, rng.exponential(1.0, 500)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes(command, seed: int, ties: bool, weighted: bool) -> None:
    y, p, weight = two_classes(seed, ties)
    columns, flags, w = {"y": y, "p": p, "w": weight}, ["--probabilities", "p", "--threshold", "0.4"], None
    if weighted:
        flags += ["--weight", "w", "--weight-kind", "sampling"]
        w = weight
    ours = evaluated(command, columns, *flags)
    called = (p >= 0.4).astype(int)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(y, called, sample_weight=w, average="binary")
    want = {
        "log_loss": metrics.log_loss(y, p, sample_weight=w),
        "bits": metrics.log_loss(y, p, sample_weight=w) / np.log(2),
        "brier": metrics.brier_score_loss(y, p, sample_weight=w),
        "auc": metrics.roc_auc_score(y, p, sample_weight=w),
        "average_precision": metrics.average_precision_score(y, p, sample_weight=w),
        "accuracy": metrics.accuracy_score(y, called, sample_weight=w),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, called, sample_weight=w),
        "mcc": metrics.matthews_corrcoef(y, called, sample_weight=w),
        "kappa": metrics.cohen_kappa_score(y, called, sample_weight=w),
        "sensitivity": recall,
        "precision": precision,
        "f1": f1,
    }
    for name, value in want.items():
        assert ours[name] == pytest.approx(value, rel=ACCURACY, abs=ACCURACY), name


@pytest.mark.parametrize("seed", SEEDS)
def test_curves(command, seed: int) -> None:
    y, p, weight = two_classes(seed, ties=True)
    data = command.write("scored.csv", {"y": y, "p": p, "w": weight})
    curve = lambda name: json.loads(  # noqa: E731
        command.run("evaluate", data, "-t", "y", "--probabilities", "p", "--weight", "w", "--weight-kind", "sampling", "--show", name, "--json")
    )
    false, true, cuts = metrics.roc_curve(y, p, sample_weight=weight, drop_intermediate=False)
    ours = curve("roc")
    np.testing.assert_allclose([row["sensitivity"] for row in ours], true, atol=ACCURACY)
    np.testing.assert_allclose([1 - row["specificity"] for row in ours], false, atol=ACCURACY)
    np.testing.assert_array_equal([row["threshold"] for row in ours[1:]], cuts[1:])
    precision, recall, _ = metrics.precision_recall_curve(y, p, sample_weight=weight)
    ours = curve("pr")
    np.testing.assert_allclose([row["precision"] for row in ours], precision[:-1][::-1], atol=ACCURACY)
    np.testing.assert_allclose([row["recall"] for row in ours], recall[:-1][::-1], atol=ACCURACY)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_calibration_slope(command, seed: int, weighted: bool) -> None:
    """An unpenalised logistic regression on the predicted log odds. The peer stops at a gradient of 1e-12, which leaves some digits less."""
    y, p, weight = two_classes(seed, ties=False)
    w = np.round(weight) + 1 if weighted else None
    flags = ["--weight", "w"] if weighted else []
    ours = evaluated(command, {"y": y, "p": p, "w": np.round(weight).astype(int) + 1}, "--probabilities", "p", *flags)
    peer = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(np.log(p / (1 - p))[:, None], y, sample_weight=w)
    assert ours["calibration_slope"] == pytest.approx(peer.coef_[0, 0], rel=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_many_classes(command, seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    classes = np.array(["ash", "elm", "oak", "yew"])
    y = rng.choice(4, 400, p=[0.4, 0.3, 0.2, 0.1])
    logits = rng.normal(0, 1, (400, 4)) + np.eye(4)[y]
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    weight = rng.exponential(1.0, 400)
    columns = {"y": classes[y], "w": weight} | {f"p_{label}": p[:, k] for k, label in enumerate(classes)}
    ours = evaluated(command, columns, *(["--weight", "w", "--weight-kind", "sampling"] if weighted else []))
    w = weight if weighted else None
    called = p.argmax(axis=1)
    want = {
        "log_loss": metrics.log_loss(y, p, sample_weight=w),
        "brier": np.average(((p - np.eye(4)[y]) ** 2).sum(axis=1), weights=w),
        "auc_one_vs_rest": metrics.roc_auc_score(y, p, sample_weight=w, multi_class="ovr"),
        "auc_one_vs_rest_weighted": metrics.roc_auc_score(y, p, sample_weight=w, multi_class="ovr", average="weighted"),
        "accuracy": metrics.accuracy_score(y, called, sample_weight=w),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, called, sample_weight=w),
        "mcc": metrics.matthews_corrcoef(y, called, sample_weight=w),
        "kappa": metrics.cohen_kappa_score(y, called, sample_weight=w),
        "macro_f1": metrics.f1_score(y, called, sample_weight=w, average="macro"),
    }
    if not weighted:  # The peer's mean over pairs takes no weights.
        want["auc"] = metrics.roc_auc_score(y, p, multi_class="ovo")
    for name, value in want.items():
        assert ours[name] == pytest.approx(value, rel=ACCURACY, abs=ACCURACY), name
    precision, recall, _, _ = metrics.precision_recall_fscore_support(y, called, sample_weight=w)
    report = json.loads(command.run("evaluate", "scored.csv", "-t", "y", "--show", "classes", "--json", *(["--weight", "w"] if weighted else [])))
    np.testing.assert_allclose([row["precision"] for row in report], precision, atol=ACCURACY)
    np.testing.assert_allclose([row["recall"] for row in report], recall, atol=ACCURACY)
