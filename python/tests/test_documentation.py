"""The examples of the package's own documentation say what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import oddsmith

ROOT = Path(__file__).resolve().parents[2]
MODULES = [module.name for module in pkgutil.walk_packages(oddsmith.__path__, "oddsmith.") if not module.name.endswith("._core")]


@pytest.mark.parametrize("name", ["oddsmith", *MODULES])
def test_examples(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


COURSE = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs/course").glob("*.md") if "```python" in page.read_text())
PAGES = ["README.md", "docs/epidemiology.md", "docs/spark.md", *COURSE, *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("python*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {})


@pytest.mark.parametrize("name", oddsmith.__all__)
def test_everything_public_is_documented(name):
    thing = getattr(oddsmith, name)
    if isinstance(thing, str):
        return
    assert thing.__doc__
    if isinstance(thing, type) and issubclass(thing, oddsmith._base.Classifier):
        assert "Examples" in thing.__doc__ and "Attributes" in thing.__doc__
        for parameter in thing._get_param_names():
            assert parameter in thing.__doc__, parameter
        for method in dir(thing):
            if not method.startswith("_") and callable(getattr(thing, method)):
                assert getattr(thing, method).__doc__, method
