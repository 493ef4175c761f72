"""Writes sklearn_text.json: terms and tf-idf weights of a few texts by scikit-learn's vectorizers.

Run: python testdata/golden/make_sklearn_text.py
"""

import json
import pathlib

import sklearn
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

TEXTS = [
    "The cat sat on the mat",
    "the dog sat  and the cat ran off",
    "A winner WINS gold gold gold",
    "Über straße und wege",
    "gold on the mat",
    "x",
    "no cat no dog no gold",
]
# Words of one letter count here as well.
WORDS = r"(?u)\b\w+\b"
CASES = {
    "words 1-1": {"token_pattern": WORDS},
    "words 1-2": {"token_pattern": WORDS, "ngram_range": (1, 2)},
    "words 2-3": {"token_pattern": WORDS, "ngram_range": (2, 3)},
    "characters 3-5": {"analyzer": "char", "ngram_range": (3, 5)},
    "characters 1-2": {"analyzer": "char", "ngram_range": (1, 2)},
}


def table(vectorizer):
    matrix = vectorizer.fit_transform(TEXTS).tocsr()
    terms = vectorizer.get_feature_names_out()
    rows = []
    for i in range(matrix.shape[0]):
        row = matrix[i].tocoo()
        rows.append(sorted([str(terms[j]), float(v)] for j, v in zip(row.col, row.data, strict=True)))
    return rows


cases = {
    name: {"counts": table(CountVectorizer(**options)), "tf-idf": table(TfidfVectorizer(**options))} for name, options in CASES.items()
}
golden = {
    "made_by": f"scikit-learn {sklearn.__version__}",
    "call": "CountVectorizer(...) and TfidfVectorizer(...), default options but for those of make_sklearn_text.py",
    "texts": TEXTS,
    "cases": cases,
}
path = pathlib.Path(__file__).with_name("sklearn_text.json")
path.write_text(json.dumps(golden, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
