"""Fits of tables that lie apart: the model file of one machine, whoever does the work, and nothing silently wrong."""

from __future__ import annotations

import copy
import io
import pickle
import re
import subprocess
import sys
import types
import warnings
import zipfile
from pathlib import Path

import cloudpickle
import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet as pq
import pytest
from parted import ANALYSES, ENTRIES, OPTIONS, Listing, Repeating, digest, folders_of, in_six, matched, rows, written
from sklearn.base import clone

import oddsmith as od
from oddsmith import _apart, _core, daemon, engine, epi, info, spark

pytestmark = pytest.mark.filterwarnings("ignore::oddsmith.OddsmithWarning")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The rows of every model of the registry in 16 files; one folder for models that take the same kinds."""
    return folders_of(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def workers():
    with engine.processes(2) as workers:
        yield workers


class Sliced:
    """An engine that says how many tasks it wants."""

    def __init__(self, workers, slots):
        self.workers, self.slots = workers, slots

    def map(self, job, count):
        return self.workers.map(job, count)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_model_has_the_file_of_one_machine(name, folders, workers, monkeypatch):
    here = engine.fit(name, folders[name], "died", n_jobs=1)
    monkeypatch.setattr(_apart, "TASKS_PER_SLOT", 1)
    files = engine.files(folders[name])
    assert len(files.parts) == 16
    hashes = {digest(engine.fit(name, files, "died", on=Sliced(workers, slots))) for slots in (1, 3, 16)}
    assert hashes == {digest(here)}
    assert digest(engine.fit(name, folders[name], "died", n_jobs=2)) == digest(here)


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """Rows in matched sets, whose rows lie in several files."""
    return written(matched(), tmp_path_factory.mktemp("sets") / "t")


@pytest.mark.parametrize("name", _core.analyses())
def test_every_analysis_ends_in_the_card_of_one_machine(name, sets, workers, monkeypatch):
    here = engine.analyse(name, sets, **ANALYSES[name], n_jobs=1)
    monkeypatch.setattr(_apart, "TASKS_PER_SLOT", 1)
    cards = {engine.analyse(name, sets, **ANALYSES[name], on=Sliced(workers, slots)).render("json") for slots in (1, 3, 16)}
    assert cards == {here.render("json")} == {engine.analyse(name, sets, **ANALYSES[name], n_jobs=2).render("json")}


def test_analyses_of_many_files_are_those_of_their_rows(sets, workers):
    table = pd.read_parquet(sets)
    exposed, options = "smoker", ANALYSES["table"]["options"]
    pairs = [
        (engine.analyse("table", sets, **ANALYSES["table"], on=workers), epi.StratifiedTable(table, "died", exposed, options["strata"])),
        (
            engine.analyse("conditional-logistic", sets, formula="died ~ age + dose + strata(set)", on=workers),
            epi.ConditionalLogit("died ~ age + dose + strata(set)", table),
        ),
        (engine.analyse("information", sets, "died", features=["age", "dose", "smoker", "ward"], on=workers), info.screen(table.drop(columns="set"), "died")),
        (engine.analyse("describe", sets, "died", features=["age", "ward"], on=workers), epi.describe(table[["age", "ward", "died"]], "died")),
    ]
    for there, whole in pairs:
        there, whole = there.tidy(), whole.tidy()
        numbers = whole.select_dtypes("number").columns
        np.testing.assert_allclose(there[numbers], whole[numbers], rtol=1e-6, atol=1e-9)
        pd.testing.assert_frame_equal(there.drop(columns=numbers), whole.drop(columns=numbers))


def test_keys_mean_the_same_in_every_file(tmp_path):
    # Every file has clusters of its own, and no category tells its columns apart from those of the others.
    table = rows()[["age", "dose", "died"]].assign(clinic=[f"k{at:02}" for at in np.arange(480) // 12])
    folder, formula = written(table, tmp_path / "t"), "died ~ age + dose + cluster(clinic)"
    whole = od.Logit(formula).fit(table).tidy()
    for on in (None, Repeating()):
        np.testing.assert_allclose(engine.fit(od.Logit(formula), folder, on=on).tidy()["std_error"], whole["std_error"], rtol=1e-6)


def test_levels_and_the_event_of_an_analysis_are_declared(sets, workers):
    declared = {"levels": {"ward": ["c", "b", "a"]}, "event": "no"}
    there = engine.analyse("table", sets, "died", options={"exposure": "ward"}, **declared, on=workers)
    whole = epi.StratifiedTable(pd.read_parquet(sets), "died", "ward", **declared)
    assert there.tidy().equals(whole.tidy())
    with pytest.raises(od.UnknownNameError, match="there is no analysis `tables`"):
        engine.analyse("tables", sets, "died")


@pytest.mark.parametrize("name", ENTRIES)
def test_every_model_predicts_and_is_judged_alike(name, folders, workers):
    model = engine.fit(name, folders[name], "died")
    table = pd.read_parquet(folders[name])
    answers = engine.predict(model, folders[name], on=workers)
    np.testing.assert_array_equal(answers, engine.predict(model, folders[name]))
    own = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    expected = own(table.drop(columns="died"))
    # Two classes have one margin, that of the second.
    np.testing.assert_allclose(answers if expected.ndim == 2 else answers[:, 1], expected, rtol=1e-12)
    judged, here = (engine.evaluate(model, folders[name], on=on) for on in (workers, None))
    assert repr(judged.figures) == repr(here.figures)
    if hasattr(model, "predict_proba"):
        whole = od.evaluate(model, table.drop(columns="died"), table["died"])
        for figure in ("log_loss", "brier", "auc"):
            assert judged[figure] == pytest.approx(whole[figure], rel=1e-9), figure


@pytest.mark.parametrize("name", ["nb", "least-squares", "perceptron", "kernel-least-squares"])
def test_columns_of_predictions_are_called_as_by_the_command(name, folders, command):
    folder = folders[name]
    model = engine.fit(name, folder, "died", options=OPTIONS.get(name))
    model.save(command.folder / "model.odds")
    scored = pyarrow.Table.from_batches(spark._scored(pq.read_table(folder).to_batches(max_chunksize=50), model._finished_model().to_bytes()))
    by_command = pd.read_csv(io.StringIO(command.run("predict", "model.odds", folder / "part-015.parquet", "--format", "csv")))
    added = scored.column_names[len(rows(1).columns) - ("ward" not in scored.column_names) :]
    assert sorted(added) == sorted(by_command.columns) and added[-1] == "predicted"
    assert added[:2] == (["p_no", "p_yes"] if name == "nb" else ["score_no", "score_yes"])
    np.testing.assert_array_equal(np.column_stack([scored[column] for column in added[:2]]), engine.predict(model, folder))
    last = scored.slice(scored.num_rows - len(by_command)).to_pandas()
    np.testing.assert_allclose(last[added[:2]], by_command[added[:2]], rtol=1e-12)
    assert list(last["predicted"]) == list(by_command["predicted"])


@pytest.mark.parametrize("name", ENTRIES)
def test_every_model_is_compared_by_folds_of_what_rows_say(name, folders, workers):
    there = engine.compare([name], folders[name], "died", on=workers, folds=2)
    here = engine.compare([name], folders[name], "died", folds=2)
    assert repr(there[name].figures) == repr(here[name].figures)
    assert there[name].confusion.sum() == 480


def test_estimators_are_compared_as_the_models_that_they_are(folders, workers):
    folder = folders["gaussian-nb"]
    named = {"gaussian-nb": od.GaussianNB(), "lda": od.LinearDiscriminantAnalysis(), "least-squares": od.RidgeClassifier(alpha=0.0)}
    formula = "died ~ age + dose + smoker"
    models = {"one": od.LogisticRegression(C=0.5), "two": ("logistic", {"l2": 2.0}), "three": od.Logit(formula), "four": formula, **named}
    here = engine.compare(models, folder, "died", folds=3)
    there = engine.compare(models, folder, "died", folds=3, on=workers)
    assert {name: repr(judged.figures) for name, judged in there.items()} == {name: repr(judged.figures) for name, judged in here.items()}
    by_name = engine.compare([*list(named)[:2], ("least-squares", {"l2": 0.0, "coding": "plus-minus"})], folder, "died", folds=3)
    pairs = [(here[name], by_name[name]) for name in named] + [(here["one"], here["two"]), (here["three"], here["four"])]
    for one, two in pairs:
        assert one["auc"] == pytest.approx(two["auc"], rel=1e-4) and one.confusion.sum() == two.confusion.sum() == 480
    # Another number of folds, other models: nothing of a fold is left in the fit of all rows.
    assert digest(engine.fit(od.GaussianNB(), folder, "died", on=workers)) == digest(engine.fit(od.GaussianNB(), folder, "died"))


def test_what_is_compared_has_a_name_of_its_own(folders):
    folder = folders["gaussian-nb"]
    assert list(engine.compare([od.GaussianNB(), ("narrow", od.GaussianNB(var_smoothing=0.1))], folder, "died", folds=2)) == ["GaussianNB", "narrow"]
    with pytest.raises(od.ParameterError, match="'GaussianNB' is there twice"):
        engine.compare([od.GaussianNB(), od.GaussianNB(var_smoothing=0.1)], folder, "died")
    with pytest.raises(od.ParameterError, match="an estimator of oddsmith, a formula, or the name of a model"):
        engine.compare([len], folder, "died")


def test_estimators_are_judged_by_models_that_have_not_seen_the_row(folders):
    # One neighbour of a row that is in the fit is the row itself, and always right.
    table = pd.DataFrame({"x": np.arange(200.0), "died": np.random.default_rng(1).choice(["no", "yes"], 200)})
    folder = written(table, folders["gaussian-nb"].parent / "drawn", 4)
    judged = engine.compare([od.KNeighborsClassifier(1), od.GaussianNB()], folder, "died", folds=4)
    confusion = np.asarray(judged["KNeighborsClassifier"].confusion)
    assert confusion.sum() == 200 and 0.3 < np.trace(confusion) / 200 < 0.7
    assert engine.evaluate(engine.fit(od.KNeighborsClassifier(1), folder, "died"), folder)["accuracy"] == 1.0


@pytest.mark.parametrize(
    "estimator",
    [od.GaussianNB(), od.MixedNB(), od.LinearDiscriminantAnalysis(), od.LogisticRegression(), od.Logit("died ~ age + C(ward)"), od.Logit("died ~ age + smoker", weights="dose")],
    ids=str,
)
def test_estimators_keep_their_class_and_their_bits(estimator, folders, workers):
    folder = folders["nb" if isinstance(estimator, (od.MixedNB, od.Logit)) else "gaussian-nb"]
    target = None if isinstance(estimator, od.Logit) else "died"
    there, here = engine.fit(estimator, folder, target, on=workers), engine.fit(estimator, folder, target)
    assert type(there) is type(estimator) and digest(there) == digest(here)
    table, whole = pd.read_parquet(folder), type(estimator)(**estimator.get_params())
    rows = table if target is None else table.drop(columns="died")
    whole = whole.fit(rows) if target is None else whole.fit(rows, table["died"])
    # A number of zeros and ones is a boolean for some models of the registry and a number for their estimators.
    if not isinstance(estimator, od.MixedNB):
        np.testing.assert_allclose(there.predict_proba(rows), whole.predict_proba(rows), rtol=1e-6)


def test_statistics_of_many_files_are_those_of_their_rows(folders, workers):
    there, here = engine.gather(folders["nb"], "died", on=workers), engine.gather(folders["nb"], "died")
    assert there._sums.to_bytes() == here._sums.to_bytes()
    table = pd.read_parquet(folders["nb"])
    whole = od.stats.gather(table.drop(columns="died"), table["died"])
    np.testing.assert_allclose(there.fit(od.MixedNB()).predict_proba(table.drop(columns="died")), whole.fit(od.MixedNB()).predict_proba(table.drop(columns="died")), rtol=1e-9)


def test_texts_are_hashed_or_all_words_are_kept(tmp_path, workers):
    words = ["cough fever", "fever rash", "none", "rash rash itch", "cough", "well none"] * 20
    table = pd.DataFrame({"note": words, "sick": ["yes", "yes", "no", "yes", "yes", "no"] * 20})
    for at in range(4):
        table[at * 30 : at * 30 + 30].to_csv(tmp_path / f"{at}.csv", index=False)
    for text in (None, {"hash_width": 64}):
        there, here = (engine.fit("multinomial-nb", tmp_path, "sick", on=on, kinds={"note": "text"}, text=text) for on in (workers, None))
        assert digest(there) == digest(here)
    with pytest.raises(od.ParameterError, match="read one by one"):
        engine.fit("multinomial-nb", tmp_path, "sick", kinds={"note": "text"}, text={"weights": "tf-idf"})


def test_a_worker_imports_no_scikit_learn(tmp_path):
    folder = written(rows(), tmp_path / "t", 2)
    code = (
        "import sys\n"
        "sys.modules['sklearn'] = sys.modules['scipy'] = sys.modules['pandas'] = None\n"
        "from oddsmith import _core, stats\n"
        "from oddsmith._worker import Job, Piece\n"
        f"parts = tuple(Piece((str(p), g, tuple(f), s, n)) for p, g, f, s, n in _core.list_pieces([{str(folder)!r}]))\n"
        "plan = dict(question=None, target='died', features=None, weights=None, kinds={}, text=None, memory=1 << 30)\n"
        "print(len(Job('survey', ((0,),), parts, ('a', 'b'), plan)(0)) > 100)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True"], done.stderr


def test_what_is_noticed_is_told_whoever_reads(tmp_path, workers):
    table = rows().assign(ward=lambda table: table["ward"].replace("c", "B"))
    # The same number of gaps in every file: their sum is told, once.
    table.loc[np.arange(480) % 20 == 3, "died"] = None
    table.loc[np.arange(480) % 10 == 4, "dose"] = np.nan
    folder = in_six(table, tmp_path / "t")

    def told(on):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            engine.fit("nb", folder, "died", on=on)
            engine.gather(folder, "died", on=on)
            noted = engine.analyse("describe", folder, "died", on=on)
        return [str(one.message) for one in caught], noted.render("json")

    here, there = told(None), told(workers)
    assert here == there
    assert {"W122 died: 24 rows without a target left out", "W121 dose: 48 missing (10.5 %)"} <= set(here[0])
    assert any(text.startswith("W123 ward: `B` and `b` differ only in case") for text in here[0])


def test_what_is_no_table_and_no_engine_is_said(tmp_path):
    folder = written(rows(), tmp_path / "t", 2)
    for table in (rows(), 4, [], [rows()]):
        with pytest.raises(od.ParameterError, match="paths, folders and patterns of files"):
            engine.fit("nb", table, "died")
    with pytest.raises(od.ParameterError, match="on = 4 is not accepted"):
        engine.fit("nb", folder, "died", on=4)
    with pytest.raises(od.ParameterError, match="the column to predict, unless a formula names it"):
        engine.fit(od.GaussianNB(), folder)
    with pytest.raises(od.UnknownNameError, match="no column `diedd`; did you mean `died`"):
        engine.fit("nb", folder, "diedd", on=Listing())


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(od.DataError, match="there is no file"):
        engine.files(tmp_path / "*.parquet")
    assert isinstance(tmp_path, Path)


@pytest.mark.parametrize("name", ENTRIES)
def test_the_command_writes_the_same_file(name, folders, command):
    declared = {param["option"] for param in ENTRIES[name]["params"]}
    flags = [flag for option, flag in (("ci", "--ci=wald"), ("no-tests", "--no-tests")) if option in declared]
    command.run("fit", folders[name], "--target", "died", "--model", name, *flags, "-o", "model.odds")
    assert (command.folder / "model.odds").read_bytes() == engine.fit(name, folders[name], "died")._finished_model().to_bytes()


def test_intervals_of_profiles_and_tests_are_asked_for_by_an_option(folders, command):
    folder = folders["logistic"]
    command.run("fit", folder, "--target", "died", "--model", "logistic", "-o", "model.odds")
    profiles, few_passes = engine.fit("logistic", folder, "died", options={"ci": "profile"}), engine.fit("logistic", folder, "died")
    assert (command.folder / "model.odds").read_bytes() == profiles._finished_model().to_bytes() != few_passes._finished_model().to_bytes()


def test_a_model_of_the_registry_needs_scikit_learn_once_it_is_used(folders, tmp_path):
    code = (
        "import sys\n"
        "from oddsmith import engine\n"
        f"model = engine.fit('nb', {str(folders['nb'])!r}, 'died')\n"
        f"engine.predict(model, {str(folders['nb'])!r})\n"
        "assert 'sklearn' not in sys.modules and 'pandas' not in sys.modules\n"
        f"model.save({str(tmp_path / 'm.odds')!r})\n"
        "assert 'sklearn' in sys.modules and type(model).__name__ == 'MixedNB'\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert digest(od.load(tmp_path / "m.odds")) == digest(engine.fit("nb", folders["nb"], "died"))


@pytest.mark.parametrize(
    "use",
    [
        lambda model: isinstance(model, od.MixedNB) and not isinstance(model, od.GaussianNB) and repr(model) != "",
        lambda model: repr(model) == "MixedNB()",
        lambda model: hasattr(model, "predict_proba") and not hasattr(model, "no_such_name"),
        lambda model: "predict_proba" in dir(model),
        lambda model: setattr(model, "smoothing", 2.0) is None and model.smoothing == 2.0,
        lambda model: type(pickle.loads(pickle.dumps(model))) is od.MixedNB,
        lambda model: type(copy.copy(model)) is od.MixedNB and type(copy.deepcopy(model)) is od.MixedNB,
        lambda model: type(clone(model)) is od.MixedNB,
    ],
    ids=["class", "text", "attribute", "names", "set", "pickle", "copy", "clone"],
)
def test_however_a_model_is_used_first_it_is_an_estimator_then(use, folders):
    model = engine.fit("nb", folders["nb"], "died")
    same = model
    assert use(model)
    assert same is model and type(model) is od.MixedNB
    features = rows().drop(columns="died")
    np.testing.assert_array_equal(model.predict_proba(features), engine.predict(model, folders["nb"]))


@pytest.mark.parametrize(("installed", "kept"), [("4.3.0", False), ("4.2.0", True), (None, True)])
def test_workers_of_spark_take_the_archive_where_it_is_not_what_is_installed(installed, kept, tmp_path):
    archive, place = tmp_path / "pyspark.zip", tmp_path / "site"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("pyspark/version.py", "__version__ = '4.3.0'\n")
    place.mkdir()
    if installed:
        (place / "pyspark").mkdir()
        (place / "pyspark" / "version.py").write_text(f"__version__ = '{installed}'\n")
    path = [str(archive), str(tmp_path / "py4j-src.zip"), str(place), str(tmp_path / "gone")]
    assert daemon._without_archive(path) == (path if kept else path[1:])


class Ray(types.ModuleType):
    """What `ray` is to the page: what is sent is pickled, answers come in another order, and a reference is no value."""

    class Ref:
        def __init__(self, content):
            self.content = cloudpickle.dumps(content)

    def __init__(self):
        super().__init__("ray")
        self.done = 0

    def cluster_resources(self):
        return {"CPU": 3.0, "memory": 1e9}

    def put(self, thing):
        return self.Ref(thing)

    def get(self, given):
        return [self.get(one) for one in given] if isinstance(given, list) else cloudpickle.loads(given.content)

    def wait(self, waiting):
        return waiting[-1:], waiting[:-1]

    def remote(self, function):
        def called(*arguments):
            self.done += 1
            values = [self.get(one) if isinstance(one, self.Ref) else one for one in arguments]
            return self.Ref(cloudpickle.loads(cloudpickle.dumps(function))(*values))

        return types.SimpleNamespace(remote=called)


def test_the_adapter_for_ray_on_the_page_does_the_work(folders, monkeypatch):
    page = (Path(__file__).resolve().parents[2] / "docs" / "spark.md").read_text()
    (code,) = (block for block in re.findall(r"^```text\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE) if block.startswith("import ray\n"))
    ray, scope = Ray(), {}
    monkeypatch.setitem(sys.modules, "ray", ray)
    assert code.count('"/data/rows"') == 1
    exec(compile(code.replace("/data/rows", str(folders["logistic"])), "spark.md", "exec"), scope)
    assert ray.done > 3
    assert digest(scope["model"]) == digest(engine.fit("logistic", folders["logistic"], "died"))
    there = engine.predict(scope["model"], folders["logistic"], on=scope["Workers"]())
    np.testing.assert_array_equal(there, engine.predict(scope["model"], folders["logistic"]))
