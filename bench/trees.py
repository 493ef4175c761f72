"""The workloads of trees. Answers differ between programs, so that what must agree is the log loss of rows that none has seen."""

from __future__ import annotations

import numpy as np
from workload import Peer, Phase, Workload

EQUAL = 2e-3
"""Log loss, in nats, by which ours may exceed that of the fastest peer."""


class Trees(Workload):
    """Thirty normal columns, of which fifteen tell the two classes apart: thresholds, waves, lines, and columns that count only beside others."""

    about = "dense float64, 2 classes, curved log odds"
    full = dict(rows=500_000, columns=30, fresh=100_000)
    quick = dict(rows=50_000, columns=30, fresh=20_000)

    def make(self, rng, size):
        x = rng.standard_normal((size["rows"], size["columns"]))
        log_odds = 1.2 * x[:, 0] * (x[:, 1] > 0) + np.sin(2 * x[:, 2]) + 0.8 * x[:, 3] - 1.5 * (x[:, 4] > 0.5) - 0.5
        log_odds += 0.5 * x[:, 5] ** 2 + 0.7 * np.abs(x[:, 6]) * (x[:, 7] > 0) + 0.3 * x[:, 8:15].sum(axis=1)
        return {"X": x, "y": (rng.random(len(x)) < 1 / (1 + np.exp(-1.5 * log_odds))).astype(np.int64)}

    def fresh(self, rng, size):
        return self.make(rng, {**size, "rows": size["fresh"]})


class OneTree(Trees):
    name = "tree"
    phases = (Phase("fit", 5, EQUAL),)

    def package(self):
        from oddsmith import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=12)

    def peers(self):
        from lightgbm import LGBMClassifier
        from sklearn.tree import DecisionTreeClassifier
        from xgboost import XGBClassifier

        ours = "tree max-depth=12"
        light = dict(n_estimators=1, learning_rate=1.0, max_depth=12, num_leaves=4096, n_jobs=-1, verbose=-1)
        extreme = dict(n_estimators=1, learning_rate=1.0, max_depth=12, tree_method="hist", max_bin=255, n_jobs=-1)
        return {
            "LightGBM": Peer(lambda: LGBMClassifier(**light), ours),
            "XGBoost": Peer(lambda: XGBClassifier(**extreme), ours),
            "DecisionTreeClassifier": Peer(lambda: DecisionTreeClassifier(criterion="entropy", max_depth=12), ours),
        }


class Forest(Trees):
    name = "forest"
    about = "100 trees as deep as rows allow"
    phases = (Phase("fit", 12, EQUAL),)
    full = dict(rows=100_000, columns=30, fresh=100_000)
    quick = dict(rows=10_000, columns=30, fresh=20_000)

    def package(self):
        from oddsmith import RandomForestClassifier

        return RandomForestClassifier(importance="gain")

    def peers(self):
        from sklearn.ensemble import RandomForestClassifier

        make = lambda: RandomForestClassifier(criterion="entropy", n_jobs=-1)  # noqa: E731
        return {"RandomForestClassifier": Peer(make, "forest importance=gain")}


class ShallowForest(Forest):
    name = "forest_depth_12"
    about = "100 trees of depth 12"
    phases = (Phase("fit", 4, EQUAL),)

    def package(self):
        from oddsmith import RandomForestClassifier

        return RandomForestClassifier(max_depth=12, importance="gain")

    def peers(self):
        from lightgbm import LGBMClassifier
        from sklearn.ensemble import RandomForestClassifier
        from xgboost import XGBRFClassifier

        ours = "forest max-depth=12 importance=gain"
        extreme = dict(n_estimators=100, subsample=0.632, colsample_bynode=1 / 6, max_depth=12, tree_method="hist", max_bin=255, n_jobs=-1)
        light = dict(boosting_type="rf", n_estimators=100, bagging_freq=1, bagging_fraction=0.632, feature_fraction_bynode=1 / 6)
        light |= dict(max_depth=12, num_leaves=4096, min_child_samples=1, n_jobs=-1, verbose=-1)
        return {
            "XGBoost": Peer(lambda: XGBRFClassifier(**extreme), ours),
            "LightGBM": Peer(lambda: LGBMClassifier(**light), ours),
            "RandomForestClassifier": Peer(lambda: RandomForestClassifier(criterion="entropy", max_depth=12, n_jobs=-1), ours),
        }


class Boosting(Trees):
    name = "boosting"
    about = "100 rounds of 31 leaves"
    phases = (Phase("fit", 1.5, EQUAL),)

    def package(self):
        from oddsmith import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier()

    def peers(self):
        from lightgbm import LGBMClassifier
        from sklearn.ensemble import HistGradientBoostingClassifier
        from xgboost import XGBClassifier

        extreme = dict(n_estimators=100, learning_rate=0.1, max_leaves=31, max_depth=0, grow_policy="lossguide", tree_method="hist", max_bin=255)
        return {
            "HistGradientBoosting": Peer(lambda: HistGradientBoostingClassifier(early_stopping=False), "boosting"),
            "XGBoost": Peer(lambda: XGBClassifier(**extreme, n_jobs=-1), "boosting"),
            "LightGBM": Peer(lambda: LGBMClassifier(n_estimators=100, num_leaves=31, n_jobs=-1, verbose=-1), "boosting"),
        }


TREES = (OneTree(), Forest(), ShallowForest(), Boosting())
