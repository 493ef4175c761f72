"""Texts by other terms than single words: against scikit-learn's vectorizers."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

import oddsmith as od
from oddsmith import stats

WORDS = np.array("free win cash prize call now meeting lunch tomorrow report thanks home late bus".split())


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 160)
    draw = lambda k: " ".join(WORDS[(rng.integers(0, 9, 6) + 5 * k) % len(WORDS)])  # noqa: E731
    return [draw(k) for k in y], np.array(["ham", "spam"])[y]


CHOICES = [
    ({"weights": "tf-idf"}, TfidfVectorizer()),
    ({"char_ngrams": (2, 4)}, CountVectorizer(analyzer="char", ngram_range=(2, 4))),
    ({"char_ngrams": (3, 3), "weights": "tf-idf"}, TfidfVectorizer(analyzer="char", ngram_range=(3, 3))),
    ({"ngrams": (1, 2), "min_documents": 3}, CountVectorizer(ngram_range=(1, 2), min_df=3)),
    ({"stop_words": ["free", "now"], "values": "presence"}, CountVectorizer(stop_words=["free", "now"], binary=True)),
]


@pytest.mark.parametrize(("text", "vectorizer"), CHOICES)
def test_naive_bayes_of_terms_is_that_of_the_vectorizer(texts, text, vectorizer) -> None:
    documents, y = texts
    theirs = MultinomialNB().fit(vectorizer.fit_transform(documents), y)
    new = [*documents[:20], "win a bus tomorrow", "zebra"]
    want = theirs.predict_proba(vectorizer.transform(new))
    for rows, asked in ((documents, new), (pl.DataFrame({"text": documents}), pl.DataFrame({"text": new}))):
        ours = od.MixedNB(text=text, kinds=None if isinstance(rows, list) else {"text": "text"}).fit(rows, y)
        assert np.allclose(ours.predict_proba(asked), want, rtol=0, atol=1e-9)


def test_penalised_regression_of_tf_idf_is_scikit_learns(texts) -> None:
    documents, y = texts
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 3))
    X = vectorizer.fit_transform(documents)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=10000).fit(X, y)
    text = {"char_ngrams": (2, 3), "weights": "tf-idf"}
    ours = od.OneVsRestLogistic(l2=1.0, tolerance=1e-9, text=text).fit(documents, y)
    # Two regressions of two classes are one, seen from both sides.
    assert np.allclose(ours.predict_proba(documents), theirs.predict_proba(X), rtol=0, atol=1e-6)


def test_files_remember_the_terms(texts, tmp_path) -> None:
    documents, y = texts
    model = od.MixedNB(text={"char_ngrams": (3, 4), "weights": "tf-idf"}).fit(documents, y)
    model.save(tmp_path / "spam.odds")
    assert np.array_equal(od.load(tmp_path / "spam.odds").predict_proba(documents), model.predict_proba(documents))


def test_comparisons_and_statistics_take_the_same_choices(texts) -> None:
    documents, y = texts
    frame = pl.DataFrame({"text": documents, "y": y})
    text = {"char_ngrams": (2, 3)}
    compared = od.compare(frame, "y", ["multinomial-nb", "logistic(l2=1)"], folds=4, kinds={"text": "text"}, text=text)
    plain = od.compare(frame, "y", ["multinomial-nb"], folds=4, kinds={"text": "text"})
    assert compared.models["bits"][0] != plain.models["bits"][0]
    sums = stats.gather(frame.drop("y"), frame["y"], kinds={"text": "text"}, text=text)
    direct = od.MixedNB(text=text, kinds={"text": "text"}).fit(frame.drop("y"), frame["y"])
    assert np.allclose(sums.fit(od.MixedNB()).predict_proba(frame.drop("y")), direct.predict_proba(frame.drop("y")), atol=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ({"weight": "tf-idf"}, "text['weight'] is not accepted: a text has ngrams, char_ngrams, weights"),
        ({"weights": "idf"}, "'tf-idf', or None"),
        ({"ngrams": (2, 1)}, "a pair such as"),
        ({"char_ngrams": 3, "ngrams": 2}, "know no words"),
        ("tf-idf", "a dict such as"),
    ],
)
def test_unknown_choices_are_named(texts, text, words) -> None:
    with pytest.raises(od.exceptions.ParameterError, match=words.replace("[", r"\[").replace("]", r"\]")):
        od.MixedNB(text=text).fit(*texts)


def test_arrays_have_no_texts() -> None:
    with pytest.raises(od.exceptions.ParameterError, match="pass a data frame"):
        od.OneVsRestLogistic(text={"ngrams": 2}).fit(np.eye(4), [0, 1, 0, 1])
