"""Pictures, displays and reports: what they show is what the numbers say."""

from __future__ import annotations

import ast
import inspect
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibrationDisplay as TheirCalibration
from sklearn.inspection import DecisionBoundaryDisplay as TheirBoundary
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay as TheirPrecisionRecall
from sklearn.metrics import RocCurveDisplay as TheirRoc
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import oddsmith

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = np.where(rng.random(400) < 0.35, "yes", "no")
    return rng.normal(size=(400, 2)) + (y == "yes")[:, None] * [1.0, 0.4], y


@pytest.fixture(scope="module")
def births():
    return pd.read_csv(ROOT / "examples" / "births.csv")


def check_svg(text):
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg") and root.get("role") == "img"
    assert "nan" not in text.lower().split("<desc")[0]


def test_pictures_of_an_evaluation(rows, tmp_path):
    X, y = rows
    model = oddsmith.GaussianNB().fit(X[:200], y[:200])
    judged = oddsmith.evaluate(model, X[200:], y[200:])
    for name in ("roc", "precision-recall", "calibration", "decision", "threshold", "spread", "prevalence"):
        picture = judged.picture(name, threshold=0.4)
        check_svg(picture.to_svg())
        assert picture.to_svg() != picture.to_svg(dark=True)
        assert picture.name == name and picture.summary
        assert len(picture.frame()) > 2
        assert json.loads((lambda path: picture.save(path) or path.read_text())(tmp_path / "p.json"))["name"] == name
    picture.save(tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text().startswith("mark,")
    with pytest.raises(oddsmith.ParameterError, match="tells no format"):
        picture.save(tmp_path / "p.png")
    with pytest.raises(oddsmith.ParameterError, match="one of: roc"):
        judged.picture("rocs")


def test_two_pictures_of_a_page_have_different_ids(rows):
    X, y = rows
    judged = oddsmith.evaluate(oddsmith.GaussianNB().fit(X, y), X, y)
    first, second = judged.roc()._repr_html_(), judged.roc()._repr_html_()
    ids = [ElementTree.fromstring(text).get("aria-labelledby") for text in (first, second)]
    assert ids[0] != ids[1]


def test_the_curve_is_scikit_learns(rows):
    X, y = rows
    theirs = LogisticRegression().fit(X, y)
    p = theirs.predict_proba(X)[:, 1]
    display = oddsmith.RocCurveDisplay.from_estimator(theirs, X, y)
    assert display.roc_auc == pytest.approx(roc_auc_score(y == "yes", p), abs=1e-12)
    fpr, tpr, _ = roc_curve(y == "yes", p, drop_intermediate=False)
    # Every point of the drawn curve is a point of theirs.
    points = set(zip(fpr.round(9), tpr.round(9), strict=True))
    assert all((a, b) in points for a, b in zip(display.fpr.round(9), display.tpr.round(9), strict=True))
    drawn = oddsmith.PrecisionRecallDisplay.from_predictions(y, p)
    assert drawn.average_precision == pytest.approx(average_precision_score(y == "yes", p), abs=1e-12)
    turned = oddsmith.RocCurveDisplay.from_estimator(theirs, X, y, pos_label="no")
    assert turned.roc_auc == pytest.approx(display.roc_auc, abs=1e-12) and turned.pos_label == "no"


def test_displays_take_any_classifier_with_the_words_of_scikit_learn(rows):
    X, y = rows
    margin = oddsmith.RocCurveDisplay.from_estimator(LinearSVC().fit(X, y), X, y, name="margins")
    assert margin.estimator_name == "margins" and margin.roc_auc > 0.7
    with pytest.raises(oddsmith.ParameterError, match="no probabilities"):
        oddsmith.CalibrationDisplay.from_estimator(LinearSVC().fit(X, y), X, y)
    theirs = LogisticRegression().fit(X, y)
    ours = oddsmith.CalibrationDisplay.from_estimator(theirs, X, y, n_bins=10)
    assert set(vars(TheirCalibration.from_estimator(theirs, X, y))) - {"ax_", "figure_", "line_"} <= set(vars(ours))
    # An isotonic curve rises.
    order = np.argsort(ours.prob_pred, kind="stable")
    assert (np.diff(ours.prob_true[order]) >= -1e-12).all()
    boundary = oddsmith.DecisionBoundaryDisplay.from_estimator(theirs, X, grid_resolution=20)
    at = np.array([[boundary.xx0[3, 5], boundary.xx1[3, 5]]])
    assert boundary.response[3, 5] == pytest.approx(theirs.predict_proba(at)[0, 1], abs=1e-12)


@pytest.mark.parametrize("theirs", [TheirRoc, TheirPrecisionRecall, TheirCalibration, TheirBoundary])
def test_displays_have_the_signatures_of_scikit_learn(theirs):
    ours = getattr(oddsmith, theirs.__name__)
    for method in {"from_estimator", "from_predictions", "plot"} & set(dir(theirs)):
        wanted, found = (inspect.signature(getattr(display, method)).parameters for display in (theirs, ours))
        named = [name for name, known in wanted.items() if known.kind is not known.VAR_KEYWORD]
        assert not set(named) - set(found), f"{theirs.__name__}.{method}"


def test_what_displays_are_told_of_their_look_is_drawn(rows):
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    X, y = rows
    theirs = LogisticRegression().fit(X, y)
    display = oddsmith.RocCurveDisplay.from_estimator(theirs, X, y, curve_kwargs={"color": "red"}, chance_level_kw={"color": "green"}, despine=True)
    assert display.line_.get_color() == "red" and not display.ax_.spines["top"].get_visible()
    assert "green" in [line.get_color() for line in display.ax_.lines]
    curve = oddsmith.CalibrationDisplay.from_estimator(theirs, X, y, ref_line=False)
    assert [line.get_visible() for line in curve.ax_.lines if line.get_label() == "perfect"] == [False]
    oddsmith.DecisionBoundaryDisplay.from_estimator(theirs, X, response_method="predict", multiclass_colors=["red", "blue"])
    plt.close("all")


def test_matplotlib_draws_the_same_numbers(rows):
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    X, y = rows
    judged = oddsmith.evaluate(oddsmith.GaussianNB().fit(X, y), X, y)
    picture = judged.roc().plot()
    assert picture.figure_ is picture.ax_.figure and picture.ax_.get_title() == "ROC curve"
    figure, ax = plt.subplots()
    assert judged.calibration().plot(ax).ax_ is ax
    assert "Predicted probability" in ax.get_xlabel()
    display = oddsmith.RocCurveDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, ax=ax, color="black")
    assert display.line_.get_color() == "black" and display.line_.get_label() == "LogisticRegression"
    plt.close("all")


def test_pictures_of_models(births, rows):
    model = oddsmith.Logit("low ~ age + lwt + race + smoke").fit(births)
    forest = model.forest()
    check_svg(forest.to_svg())
    table = forest.frame()
    smoke = table[table["label"] == "smoke"].iloc[0]
    tidy = model.tidy()
    wanted = tidy[tidy["term"] == "smoke"].iloc[0]
    assert smoke["x"] == pytest.approx(wanted["odds_ratio"]) and smoke["low"] == pytest.approx(wanted["odds_low"])
    for name in ("nomogram", "boundary", "sigmoid", "density", "influence", "landscape"):
        check_svg(model.picture(name, births, "low").to_svg())
    waterfall = model.picture("waterfall", births, row=3)
    assert "row 4" in waterfall.title
    X, y = rows
    for name in ("boundary", "density", "nomogram", "waterfall"):
        check_svg(oddsmith.GaussianNB().fit(X, y).picture(name, X, y).to_svg())
    with pytest.raises(oddsmith.UnsupportedError, match="odds ratios"):
        oddsmith.GaussianNB().fit(X, y).forest()
    with pytest.raises(oddsmith.ParameterError, match="drawn over rows"):
        model.picture("nomogram")
    with pytest.raises(oddsmith.DataError, match="no row 400"):
        oddsmith.GaussianNB().fit(X, y).picture("waterfall", X, row=400)


def test_comparisons_are_drawn(rows):
    X, y = rows
    compared = oddsmith.compare(X, y, models=["nb", "lda"], folds=3)
    assert compared.picture().name == "comparison"
    with pytest.raises(oddsmith.ParameterError, match="learning"):
        compared.picture("learning")


def test_reports(births, rows, tmp_path):
    X, y = rows
    page = oddsmith.report(oddsmith.GaussianNB().fit(X[:200], y[:200]), X[200:], y[200:])
    page.save(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert text.startswith("<!doctype html>") and "Which threshold?" in text and " style=" not in text.split("</style>")[1]
    assert len(text) < 400_000
    framed = oddsmith.report(oddsmith.Logit("low ~ age + lwt").fit(births), births, "low", no_rows=True)
    assert "no single row" in framed.html and "Evidence of row" not in framed.html
    assert "<iframe" in framed._repr_html_()
    with pytest.raises(oddsmith.UnsupportedError, match="evaluate"):
        oddsmith.report(LogisticRegression().fit(X, y), X, y)


def test_the_notebook_runs(monkeypatch):
    monkeypatch.chdir(ROOT / "examples")
    cells = json.loads(Path("pictures.ipynb").read_text())["cells"]
    shown, names = 0, {}
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "pictures.ipynb", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "pictures.ipynb", "eval"), names)
            assert "<svg" in value._repr_html_() or "<iframe" in value._repr_html_()
            shown += 1
    assert shown >= 8


def test_curves_on_the_same_axes_are_told_apart(rows):
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = rows
    scores = 1 / (1 + np.exp(-X[:, 0]))
    _, ax = plt.subplots()
    first = oddsmith.RocCurveDisplay.from_predictions(y, scores, ax=ax, name="first")
    second = oddsmith.RocCurveDisplay.from_predictions(y, 1 - scores, ax=ax, name="second")
    third = oddsmith.RocCurveDisplay.from_predictions(y, scores**2, ax=ax, name="third", color="black")
    colours = [display.line_.get_color() for display in (first, second, third)]
    assert len(set(colours)) == 3 and colours[2] == "black"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(labels) == len(set(labels)) and {"first", "second", "third"} <= set(labels)
    assert sum(line.get_linestyle() == "--" for line in ax.lines) == 1


def test_between_two_predicted_classes_there_is_no_third():
    plt = pytest.importorskip("matplotlib.pyplot")
    X = np.array([[0.0, 0.0], [1.0, 0.0], [10.0, 0.0], [11.0, 0.0], [0.0, 50.0], [1.0, 50.0]])
    y = np.array(["a", "a", "c", "c", "b", "b"])
    model = KNeighborsClassifier(n_neighbors=1).fit(X, y)
    display = oddsmith.DecisionBoundaryDisplay.from_estimator(model, X, response_method="predict", ax=plt.subplots()[1])
    middle = [area for area in display.surface_ if area.get_paths() and any(path.contains_point((5.6, 0.0)) for path in area.get_paths())]
    assert len(display.surface_) == 3 and len(middle) <= 1
    reached = [path.get_extents().ymin for path in display.surface_[1].get_paths() if len(path.vertices)]
    assert min(reached) > 20


def test_accounts_are_drawn(births):
    told = oddsmith.info.screen(births.drop(columns=["bwt"]), "low")
    assert [picture.name for picture in told.pictures] == ["information"]
    picture = told.picture()
    check_svg(picture.to_svg())
    best = told.tidy().iloc[0]
    assert best["column"] in set(picture.frame()["label"])
    table = oddsmith.epi.StratifiedTable(births, "low", "smoke", strata=["race"])
    assert table.picture("forest").title and check_svg(table.picture("forest").to_svg()) is None
    with pytest.raises(KeyError, match="there are: forest"):
        table.picture("tree")


def test_information_is_drawn():
    codes = oddsmith.info.code_picture([2, 1, 1], ["a", "b", "c"], counts=True)
    assert codes.name == "tree" and "a 1, b 2, c 2" in codes.summary
    check_svg(codes.to_svg())
    with pytest.raises(oddsmith.ParameterError, match="one for each of the 3 symbols"):
        oddsmith.info.code_picture([2, 1, 1], ["a"], counts=True)
    coins = oddsmith.info.compare_evidence([8 * np.log(p) + 4 * np.log(1 - p) for p in (0.8, 0.5)], [1, 2])
    assert coins.prior.tolist() == [1 / 3, 2 / 3]
    marks = json.loads(coins.picture(["bent", "straight"])._drawn.render("json"))["panels"][0]["marks"]
    drawn = [[row[-1] for row in mark["bars"]] for mark in marks if mark["mark"] == "bars"]
    before = [[x for x, _ in mark["points"]] for mark in marks if mark["mark"] == "points"]
    assert drawn == [pytest.approx(coins.posterior.tolist())] and before == [pytest.approx([1 / 3, 2 / 3])]


def test_the_shortest_polynomial_is_that_of_least_squares():
    rng = np.random.default_rng(8)
    x = np.arange(40) / 4
    y = 2 + 0.35 * (x - 4) ** 2 + rng.normal(size=40)
    found = oddsmith.info.polynomial_degree(x, y, 6)
    assert len(found.data_bits) == 7 and found.degree == int(np.argmin(found.data_bits + found.model_bits)) > 1
    for degree in range(7):
        left = np.sum((y - np.polynomial.Polynomial.fit(x, y, degree)(x)) ** 2)
        assert found.data_bits[degree] == pytest.approx(20 * np.log2(2 * np.pi * np.e * left / 40), abs=1e-8)
        assert found.model_bits[degree] == pytest.approx((degree + 2) / 2 * np.log2(40))
    assert found.picture.name == "description"
    with pytest.raises(oddsmith.DataError, match="40 values of x and 3 of y"):
        oddsmith.info.polynomial_degree(x, y[:3])


def shown(ax):
    return {text.get_text() for text in ax.texts if text.get_text()}


def test_matplotlib_draws_rulers_and_trees(births):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    model = oddsmith.Logit("low ~ age + lwt + race + smoke").fit(births)
    picture = model.picture("nomogram", births, "low").plot()
    assert {"white", "black", "other"} <= shown(picture.ax_) and len(picture.ax_.lines) > 30
    assert "lwt" in {label.get_text() for label in picture.ax_.get_yticklabels()}
    tree = oddsmith.DecisionTreeClassifier(max_depth=2).fit(births[["age", "lwt", "smoke"]], births["low"])
    picture = tree.picture("tree").plot()
    nodes = json.loads(picture._drawn.render("json"))["panels"][0]["marks"][0]["nodes"]
    told = shown(picture.ax_)
    assert {"\n".join(node["lines"]) for node in nodes} <= told and {node["edge"] for node in nodes if node["edge"]} <= told
    # Every node but the root hangs on a line, and no two boxes have one place.
    assert len(picture.ax_.lines) == len(nodes) - 1
    boxes = [text.get_position() for text in picture.ax_.texts if text.get_bbox_patch()]
    assert len(boxes) == len(nodes) == len(set(boxes))
    plt.close("all")


def test_an_infinite_limit_is_an_arrow():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    # Nobody of the unexposed fell ill: the odds ratio is infinite, and so is its upper limit.
    picture = oddsmith.epi.Table2x2([[5, 10], [0, 20]]).picture("forest")
    estimates = json.loads(picture._drawn.render("json"))["panels"][0]["marks"]
    endless = [row for mark in estimates if mark["mark"] == "intervals" for row in mark["estimates"] if any("nf" in str(value).lower() for value in row)]
    assert endless
    drawn = picture.plot()
    low, high = drawn.ax_.get_xlim()
    arrows = [text for text in drawn.ax_.texts if text.arrow_patch is not None]
    assert len(arrows) == len(endless)
    assert all(np.isfinite(arrow.xy).all() and arrow.xy[0] in (low, high) for arrow in arrows)
    plt.close("all")


def test_a_notebook_that_is_dark_has_dark_pictures(rows):
    X, y = rows
    picture = oddsmith.evaluate(oddsmith.GaussianNB().fit(X, y), X, y).roc()
    html, light, dark = picture._repr_html_(), picture.to_svg(), picture.to_svg(dark=True)
    check_svg(html)
    rules = html.split("<style>")[1].split("</style>")[0]
    assert "@media (prefers-color-scheme:dark)" in rules and "data-jp-theme-light" in rules

    def of(svg):
        return re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', svg)

    # Every colour of the light drawing becomes that of the dark one, in the same places.
    for one, other in set(zip(of(light), of(dark), strict=True)):
        assert re.search(rf'="{one}"\]\{{(?:fill|stroke):{other}\}}', rules), (one, other)
    without = re.sub(r"<style>.*?</style>", "", html)
    assert re.sub(r"oddsmith-\d+", "picture", without) == light
