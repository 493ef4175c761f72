"""Everything public of the package as Markdown, from its own documentation."""

from __future__ import annotations

import inspect
import types

import oddsmith


def members(name: str, module: types.ModuleType) -> list[str]:
    """A section for everything public of a module."""
    lines: list[str] = []
    for own in sorted(module.__all__):
        thing = getattr(module, own)
        if isinstance(thing, (str, types.ModuleType)):
            continue
        lines += [f"## {name}.{own}", "", "~~~text", *signature(own, thing), "", *(inspect.getdoc(thing) or "").splitlines(), "~~~", ""]
        if inspect.isclass(thing):
            lines += methods(own, thing)
    return lines


def signature(name: str, thing: object) -> list[str]:
    """How it is called, where that can be told."""
    try:
        return [f"{name}{inspect.signature(thing)}"]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return [name]


def methods(name: str, thing: type) -> list[str]:
    """One line for every public method: its name and the first sentence of its documentation."""
    lines = []
    for own, method in inspect.getmembers(thing, callable):
        if not own.startswith("_"):
            first = (inspect.getdoc(method) or "").split("\n\n")[0].replace("\n", " ")
            lines.append(f"- `{name}.{own}`: {first}")
    return [*lines, ""] if lines else []


def main() -> None:
    """Writes the page to standard output."""
    lines = ["# Python reference", "", "Made from the documentation of the package.", "", *members("oddsmith", oddsmith)]
    for name in ("epi", "info", "metrics", "stats"):
        lines += members(f"oddsmith.{name}", getattr(oddsmith, name))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
