"""Trees against scikit-learn's: the same splits where gains differ, and what its trees have beside probabilities."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, export_text

import oddsmith as od
from oddsmith.exceptions import ParameterError


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    # Few distinct values: splits are exact.
    X = rng.integers(0, 200, size=(4000, 5)) / 8
    y = (X[:, 0] + 6 * np.sin(X[:, 1]) + X[:, 2] * (X[:, 3] > 12) / 3 + rng.normal(scale=6, size=4000) > 16).astype(int)
    return X, y + (X[:, 4] > 20)


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("classes", [2, 3])
def test_splits_and_proportions_are_those_of_scikit_learn(rows, criterion, classes):
    X, y = rows
    y = np.minimum(y, classes - 1)
    options = {"max_depth": 5, "min_samples_leaf": 30, "criterion": criterion}
    theirs = DecisionTreeClassifier(random_state=0, **options).fit(X, y)
    ours = od.DecisionTreeClassifier(leaf_smoothing=0, **options).fit(X, y)
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-14)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)
    # Both number nodes in preorder.
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0


@pytest.mark.parametrize("seed", range(5))
def test_random_rows_have_the_tree_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    # Up to 255 values of a column are told apart; in leaves of 40 rows no two splits gain the same.
    X = rng.integers(0, 255, size=(3000, 6)) * 0.37 - 20
    y = rng.integers(0, 3, 3000) * (rng.random(3000) < 0.4) + (X[:, seed % 6] + X[:, (seed + 1) % 6] > 40)
    options = {"max_depth": 6, "min_samples_leaf": 40, "criterion": ("entropy", "gini")[seed % 2]}
    theirs = DecisionTreeClassifier(random_state=seed, **options).fit(X, y)
    ours = od.DecisionTreeClassifier(leaf_smoothing=0, **options).fit(X, y)
    tidy, tree = ours._finished_model().tidy(), theirs.tree_
    split = tree.feature >= 0
    columns = [None if name is None else ours._finished_model().names.index(name) for name in tidy["column"]]
    assert columns == [int(feature) if feature >= 0 else None for feature in tree.feature]
    # Theirs asks x ≤ t, ours x < t, with the middle of two neighbouring values on both sides.
    thresholds = np.array([np.nan if t is None else t for t in tidy["threshold"]])
    np.testing.assert_allclose(thresholds[split], tree.threshold[split], rtol=1e-6)
    np.testing.assert_array_equal(tidy["weight"], tree.n_node_samples)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-14)


@pytest.mark.parametrize("price", [0.0005, 0.002, 0.01])
def test_prices_of_leaves_prune_as_in_scikit_learn(rows, price):
    X, y = rows
    options = {"max_depth": 6, "min_samples_leaf": 20, "criterion": "gini", "ccp_alpha": price}
    theirs = DecisionTreeClassifier(random_state=0, **options).fit(X, y)
    ours = od.DecisionTreeClassifier(leaf_smoothing=0, **options).fit(X, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-14)


def test_a_tree_is_read_as_text():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    tree = od.DecisionTreeClassifier(leaf_smoothing=0).fit(X, ["ash", "ash", "elm", "elm"])
    assert tree.export_text(decimals=1, show_weights=True) == (
        "|--- x0 < 1.5\n|   |--- class: ash (1.0) weights: [2.0, 0.0]\n|--- x0 ≥ 1.5\n|   |--- class: elm (1.0) weights: [0.0, 2.0]\n"
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"max_depth": 2}, {"max_depth": 0, "spacing": 1}, {"decimals": 4, "spacing": 6}, {"show_weights": True, "decimals": 0}, {"class_names": ["a", "b", "c"]}],
    ids=str,
)
def test_the_text_of_a_tree_is_that_of_scikit_learn(rows, options):
    X, y = rows
    grown = {"max_depth": 5, "min_samples_leaf": 30, "criterion": "gini"}
    theirs = DecisionTreeClassifier(random_state=0, **grown).fit(X, y)
    ours = od.DecisionTreeClassifier(leaf_smoothing=0, **grown).fit(X, y)
    # Theirs asks x ≤ t, ours x < t.
    wanted = export_text(theirs, **options).replace(" <= ", " <  ").replace(" >  ", " >= ")
    assert od.export_text(ours, **options) == wanted and wanted.count("\n") >= 4
    named = {"feature_names": [f"column {j}" for j in range(5)]}
    assert od.export_text(ours, **named, **options) == re.sub(r"feature_(\d)", r"column \1", wanted)


def test_the_text_of_a_tree_has_categories_and_gaps():
    town, x = np.resize(["Bern", "Chur", "Oslo"], 300), np.resize([1.0, np.nan, 2.0, 3.0], 300)
    frame = pd.DataFrame({"town": town, "x": x})
    tree = od.DecisionTreeClassifier(leaf_smoothing=0).fit(frame, np.where((town == "Chur") | (x > 2.5), "yes", "no"))
    assert od.export_text(tree, feature_names=["place", "dose"], max_depth=None) == (
        "|--- place in {Bern, Oslo}\n|   |--- dose <  2.50 or missing\n|   |   |--- class: no\n|   |--- dose >= 2.50\n|   |   |--- class: yes\n"
        "|--- place = Chur\n|   |--- class: yes\n"
    )
    assert od.export_text(tree).endswith("|--- town = Chur\n|   |--- class: yes\n")
    with pytest.raises(ValueError, match="feature_names must contain 2 elements, got 1"):
        od.export_text(tree, feature_names=["x"])
    for given, words in (({"class_names": ["no"]}, "class_names must contain 2"), ({"spacing": 0}, "from 1 up"), ({"decimals": None}, "from 0 up"), ({"show_weights": 1}, "True or False")):
        with pytest.raises(ParameterError, match=words):
            od.export_text(tree, **given)
    with pytest.raises(ParameterError, match="a DecisionTreeClassifier of oddsmith"):
        od.export_text(od.GaussianNB())
    with pytest.raises(NotFittedError):
        od.export_text(od.tree.DecisionTreeClassifier())


def test_rounds_are_counted_and_stop_early(rows):
    X, y = rows
    assert od.HistGradientBoostingClassifier(max_iter=7).fit(X, y).n_iter_ == 7
    noise = np.random.default_rng(2).integers(0, 2, len(X))
    assert od.HistGradientBoostingClassifier(max_iter=200, early_stopping=True).fit(X, noise).n_iter_ < 30


def test_worth_of_columns_adds_up_and_finds_the_one_that_counts(rows):
    X, y = rows
    X = np.column_stack([X[:, 4], np.random.default_rng(1).random(len(X))])
    y = (X[:, 0] > 20).astype(int)
    for model in (od.RandomForestClassifier(n_estimators=20), od.HistGradientBoostingClassifier(max_iter=20), od.DecisionTreeClassifier()):
        worth = model.fit(X, y).feature_importances_
        assert worth.sum() == pytest.approx(1) and worth[0] > 0.95


@pytest.mark.filterwarnings("ignore:W121")
def test_gaps_and_categories_go_in_as_they_are():
    rng = np.random.default_rng(5)
    town = rng.choice(["Bern", "Chur", "Oslo"], 600)
    x = np.where(rng.random(600) < 0.2, np.nan, rng.normal(size=600))
    y = np.where((town == "Chur") | np.isnan(x), "yes", "no")
    frame = pd.DataFrame({"town": town, "x": x})
    for model in (od.DecisionTreeClassifier(), od.RandomForestClassifier(max_features="all"), od.HistGradientBoostingClassifier()):
        assert (model.fit(frame, y).predict(frame) == y).mean() > 0.99
    tree = od.DecisionTreeClassifier(leaf_smoothing=0).fit(frame, y)
    leaves, path = tree.apply(frame), tree.decision_path(frame)
    # Rows of one leaf have one and the same distribution, and end their way there.
    p = tree.predict_proba(frame)
    assert all(len(np.unique(p[leaves == leaf], axis=0)) == 1 for leaf in np.unique(leaves))
    np.testing.assert_array_equal(path[:, [0]].toarray().ravel(), 1)
    np.testing.assert_array_equal(np.asarray(path[np.arange(len(frame)), leaves]).ravel(), 1)


def test_rows_are_followed_through_every_tree_of_a_forest(rows):
    X, y = rows
    forest = od.RandomForestClassifier(n_estimators=7, max_depth=4).fit(X, y)
    leaves = forest.apply(X[:50])
    path, starts = forest.decision_path(X[:50])
    assert leaves.shape == (50, 7) and path.shape == (50, starts[-1]) and len(starts) == 8
    for tree in range(7):
        np.testing.assert_array_equal(np.asarray(path[np.arange(50), starts[tree] + leaves[:, tree]]).ravel(), 1)
    np.testing.assert_array_equal(path[:, starts[:-1]].toarray(), 1)
    assert path.sum(axis=1).max() <= 7 * 5


@pytest.mark.parametrize(
    ("made", "given", "words"),
    [
        (od.DecisionTreeClassifier, {"max_features": "sqrt"}, "one tree tries all columns"),
        (od.DecisionTreeClassifier, {"splitter": "random"}, "the best is taken"),
        (od.RandomForestClassifier, {"bootstrap": False}, "its own sample"),
        (od.RandomForestClassifier, {"ccp_alpha": 0.1}, "are not pruned"),
        (od.HistGradientBoostingClassifier, {"monotonic_cst": [1]}, "no split is bound"),
        (od.HistGradientBoostingClassifier, {"max_bins": 31}, "255 quantiles"),
    ],
)
def test_what_scikit_learn_takes_and_trees_do_not_is_refused_with_a_reason(made, given, words):
    with pytest.raises(ParameterError, match=words):
        made(**given)


@pytest.mark.parametrize("name", ["min_samples_split", "min_samples_leaf"])
def test_shares_of_rows_are_refused(rows, name):
    with pytest.raises(ParameterError, match="give their number"):
        od.DecisionTreeClassifier(**{name: 0.1}).fit(*rows)


def test_names_and_rests_of_scikit_learn_mean_the_same(rows):
    X, y = rows
    log_loss, entropy = (od.DecisionTreeClassifier(criterion=name, max_depth=3).fit(X, y) for name in ("log_loss", "entropy"))
    np.testing.assert_array_equal(log_loss.predict_proba(X), entropy.predict_proba(X))
    assert (entropy.n_classes_, entropy.n_outputs_) == (3, 1)
    every, named = (od.RandomForestClassifier(n_estimators=3, max_features=name).fit(X, y).predict_proba(X) for name in (None, "all"))
    np.testing.assert_array_equal(every, named)
    assert od.RandomForestClassifier().max_features == "sqrt"
    od.RandomForestClassifier(min_weight_fraction_leaf=np.float64(0.0))
    drawn = [od.RandomForestClassifier(n_estimators=3, random_state=np.random.RandomState(seed)).fit(X, y).predict_proba(X) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_rows_out_of_the_bag_are_judged_by_trees_that_have_not_seen_them(rows):
    X, y = rows
    forest = od.RandomForestClassifier(n_estimators=30, oob_score=True, max_depth=6).fit(X, y)
    p = forest.oob_decision_function_
    assert p.shape == (len(X), 3)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    _, loss, _ = json.loads(forest._finished_model().head())["out_of_bag"]
    np.testing.assert_allclose(-np.log(p[np.arange(len(y)), y]).mean(), loss, rtol=1e-12)
    assert forest.oob_score_ == pytest.approx((p.argmax(axis=1) == y).mean(), abs=1e-3)
    # Every tree has seen a row of the fit with probability 1 - 1/e, so those that have not are fewer and know less.
    assert (p.argmax(axis=1) == y).mean() < (forest.predict(X) == y).mean()
    order = np.random.default_rng(1).permutation(len(X))
    moved = od.RandomForestClassifier(n_estimators=30, oob_score=True, max_depth=6).fit(X[order], y[order])
    np.testing.assert_array_equal(moved.oob_decision_function_, p[order])
    plain = od.RandomForestClassifier(n_estimators=5).fit(X, y)
    assert 0 < plain.oob_score_ < 1 and not hasattr(plain, "oob_decision_function_")
    with pytest.raises(ParameterError, match="True or False"):
        od.RandomForestClassifier(oob_score=len).fit(X, y)


def test_boosting_stops_early_by_the_number_of_rows_where_that_is_left_to_it():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(10_001, 2)), rng.integers(0, 2, 10_001)
    left = od.HistGradientBoostingClassifier(early_stopping="auto", max_iter=60)
    for count in (10_000, 10_001):
        told = od.HistGradientBoostingClassifier(early_stopping=count > 10_000, max_iter=60).fit(X[:count], y[:count])
        assert (told.n_iter_ < 60) == (count > 10_000)
        for form in (X[:count], pd.DataFrame(X[:count], columns=["x0", "x1"])):
            np.testing.assert_array_equal(left.fit(form, y[:count]).predict_proba(form), told.predict_proba(X[:count]))
    with pytest.raises(ParameterError, match="nobody knows before the first pass"):
        od.stats.begin(left, "y")
    with pytest.raises(ParameterError, match="True, False or 'auto'"):
        od.HistGradientBoostingClassifier(early_stopping="often").fit(X, y)


def test_gaps_of_an_array_go_in_as_they_are(rows):
    X, y = rows
    holes = X.copy()
    holes[np.random.default_rng(7).random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(holes, columns=[f"x{j}" for j in range(5)])
    for made in (od.DecisionTreeClassifier(max_depth=4), od.RandomForestClassifier(n_estimators=5), od.HistGradientBoostingClassifier(max_iter=5)):
        by_array = made.fit(holes, y).predict_proba(holes)
        np.testing.assert_array_equal(by_array, made.fit(frame, y).predict_proba(frame))
        with pytest.raises(ValueError, match="infinity"):
            made.fit(np.where(np.isnan(holes), np.inf, holes), y)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1, 1: 3, 2: 2}])
def test_factors_of_classes_are_weights_of_their_rows(rows, class_weight):
    X, y = rows
    options = {"max_depth": 4, "criterion": "gini", "min_samples_leaf": 30}
    ours = od.DecisionTreeClassifier(leaf_smoothing=0, class_weight=class_weight, **options).fit(X, y)
    theirs = DecisionTreeClassifier(random_state=0, class_weight=class_weight, **(options | {"min_samples_leaf": 1})).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1)
    # At the root, where no leaf is too small for either, both weigh the classes alike.
    root = ours._finished_model().tidy()
    np.testing.assert_allclose([root[f"weight_{k}"][0] for k in range(3)], theirs.tree_.value[0, 0] * theirs.tree_.weighted_n_node_samples[0], rtol=1e-9)
    factor = np.bincount(y).sum() / (3 * np.bincount(y))[y] if class_weight == "balanced" else np.array([1, 3, 2])[y]
    for made in (od.DecisionTreeClassifier(), od.RandomForestClassifier(n_estimators=5), od.HistGradientBoostingClassifier(max_iter=5)):
        by_rows = made.fit(X, y, sample_weight=factor).predict_proba(X)
        np.testing.assert_array_equal(made.set_params(class_weight=class_weight).fit(X, y).predict_proba(X), by_rows)


def test_factors_of_classes_want_the_classes():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "a", "b", "b"]})
    with pytest.raises(ValueError, match="requires y to be passed"):
        od.RidgeClassifier(class_weight="balanced").fit(frame, None)


def test_parameters_of_scikit_learn_at_rest_ask_for_nothing():
    od.DecisionTreeClassifier(splitter="best", max_features=None, class_weight=None)
    od.RandomForestClassifier(bootstrap=True, oob_score=False, verbose=0)
    od.HistGradientBoostingClassifier(loss="log_loss", max_bins=255)
    with pytest.raises(TypeError):
        od.DecisionTreeClassifier(nonsense=1)
