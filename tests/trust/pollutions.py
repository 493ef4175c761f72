"""Tables with one thing wrong each, as files come from other programs; every reader is scored by the cells that it gets right.

The kinds of pollution follow the survey behind the Pollock benchmark (Vitagliano et al., VLDB 2023); the files are made here.
A line for every reader: its name, files that it read wholly right, the mean share of cells, the same weighted by how often a kind occurs.

usage: pollutions.py FOLDER PROGRAM
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars

NAMES = ["number", "name", "town", "amount", "class"]
ROWS = [[str(at + 1), f"name {at}", ["Bern", "Oslo", "Rome"][at % 3], f"{at * 3.25 + 0.5}", ["no", "yes"][at * 7 % 3 % 2]] for at in range(84)]


@dataclass
class Polluted:
    """A file, what it should be read as, and how often its kind is met in the wild (of a hundred files, roughly)."""

    name: str
    content: bytes
    rows: list[list[str]]
    weight: float


def text(rows: list[list[str]], delimiter: str = ",", quote: str = '"', end: str = "\n", header: bool = True, always: bool = False) -> str:
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if always else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=delimiter, quotechar=quote, lineterminator=end, quoting=quoting)
    if header:
        writer.writerow(NAMES)
    writer.writerows(rows)
    return out.getvalue()


def whole_files() -> list[Polluted]:
    """What is wrong with a file as a whole."""
    plain = text(ROWS)
    found = [
        Polluted("plain", plain.encode(), ROWS, 40),
        Polluted("no-last-line-end", plain[:-1].encode(), ROWS, 10),
        Polluted("two-last-line-ends", (plain + "\n").encode(), ROWS, 5),
        Polluted("byte-order-mark", b"\xef\xbb\xbf" + plain.encode(), ROWS, 8),
        Polluted("utf-16-le", plain.encode("utf-16"), ROWS, 1),
        Polluted("utf-16-be", b"\xfe\xff" + plain.encode("utf-16-be"), ROWS, 0.5),
        Polluted("crlf", text(ROWS, end="\r\n").encode(), ROWS, 30),
        Polluted("cr", text(ROWS, end="\r").encode(), ROWS, 0.5),
        Polluted("all-quoted", text(ROWS, always=True).encode(), ROWS, 15),
        Polluted("single-quotes", text(ROWS, quote="'", always=True).encode(), ROWS, 1),
        Polluted("spreadsheet-separator-line", ("sep=;\n" + text(ROWS, delimiter=";")).encode(), ROWS, 1),
        Polluted("blank-first-line", ("\n" + plain).encode(), ROWS, 1),
        Polluted("trailing-delimiters", "".join(line + ",\n" for line in plain.splitlines()).encode(), ROWS, 2),
    ]
    for name, delimiter in [("semicolon", ";"), ("tab", "\t"), ("bar", "|")]:
        for end in ("\n", "\r\n"):
            for always in (False, True):
                content = text(ROWS, delimiter=delimiter, end=end, always=always)
                found.append(Polluted(f"{name}-{len(end)}-{always}", content.encode(), ROWS, 4))
    for count in (0, 1, 2, 3, 5, 10, 40):
        found.append(Polluted(f"first-{count}-rows", text(ROWS[:count]).encode(), ROWS[:count], 1))
    return found


def changed(at: int, column: int, cell: str) -> list[list[str]]:
    rows = [list(row) for row in ROWS]
    rows[at][column] = cell
    return rows


def single_cells() -> list[Polluted]:
    """A cell that wants quotes, at every row and in two columns."""
    kinds = {
        "delimiter-in-cell": "Smith, John",
        "line-end-in-cell": "two\nlines",
        "carriage-return-in-cell": "two\r\nlines",
        "quote-in-cell": 'the "old" one',
        "quotes-around-cell": '"all of it"',
        "spaces-around-cell": "  wide  ",
        "empty-cell": "",
        "umlaut": "Zürich ✓",
        "apostrophe": "O'Hara",
        "very-long-cell": "x" * 5000,
    }
    found = []
    for kind, cell in kinds.items():
        for at in range(len(ROWS)):
            for column in (1, 2):
                rows = changed(at, column, cell)
                found.append(Polluted(f"{kind}-{at}-{column}", text(rows).encode(), rows, 0.05))
    return found


def single_rows() -> list[Polluted]:
    """A blank line, or a line end of another kind, at every row: the table is still the same."""
    found = []
    lines = text(ROWS).splitlines(keepends=True)
    for at in range(1, len(lines)):
        blank = "".join(lines[:at] + ["\n"] + lines[at:])
        other = "".join(line.replace("\n", "\r\n") if place == at else line for place, line in enumerate(lines))
        quoted = "".join(text([ROWS[at - 1]], header=False, always=True) if place == at else line for place, line in enumerate(lines))
        trailing = "".join(line.replace("\n", ",\n") if place == at else line for place, line in enumerate(lines))
        found.append(Polluted(f"blank-line-{at}", blank.encode(), ROWS, 0.1))
        found.append(Polluted(f"other-line-end-{at}", other.encode(), ROWS, 0.05))
        found.append(Polluted(f"quoted-row-{at}", quoted.encode(), ROWS, 0.05))
        found.append(Polluted(f"trailing-delimiter-{at}", trailing.encode(), ROWS, 0.02))
    return found


def normal(cell: object) -> str:
    """Cells as texts: a number by its value, and a gap as an empty text."""
    if cell is None:
        return ""
    shown = str(cell)
    try:
        return repr(float(shown))
    except ValueError:
        return shown.replace("\r\n", "\n")


def score(expected: list[list[str]], header: list[str], rows: list[list[object]]) -> float:
    """The share of cells in their place, names of columns counted as a row, of as many as either table has."""
    wanted = [NAMES, *expected]
    # A blank line may be a row without any value or none: readers differ on purpose, and neither loses a cell.
    given = [header, *(row for row in rows if any(normal(cell) for cell in row))]
    right = sum(normal(a) == normal(b) for one, other in zip(wanted, given) for a, b in zip(one, other))
    total = max(sum(map(len, wanted)), sum(map(len, given)))
    return right / total


def by_oddsmith(program: str, path: Path) -> tuple[list[str], list[list[object]]]:
    """The cells as `predict` echoes them beside the probabilities of a model of one column."""
    line = [program, "predict", "-q", str(path.parent / "model.odds"), str(path), "--ragged", "pad"]
    for name in NAMES:
        line += ["--id", name]
    done = subprocess.run(line, capture_output=True, check=True)
    table = list(csv.reader(io.StringIO(done.stdout.decode())))
    return table[0][: len(NAMES)], [row[: len(NAMES)] for row in table[1:]]


def by_duckdb(path: Path) -> tuple[list[str], list[list[object]]]:
    found = duckdb.read_csv(str(path), all_varchar=True)
    return list(found.columns), [list(row) for row in found.fetchall()]


def by_polars(path: Path) -> tuple[list[str], list[list[object]]]:
    found = polars.read_csv(path, infer_schema=False)
    return found.columns, [list(row) for row in found.rows()]


def main(folder: Path, program: str) -> None:
    (folder / "fit.csv").write_text(text(ROWS))
    fit = [program, "fit", "-q", "fit.csv", "--target", "class", "--features", "amount", "-o", "model.odds"]
    subprocess.run(fit, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    files = whole_files() + single_cells() + single_rows()
    readers = {"oddsmith": lambda path: by_oddsmith(program, path), "duckdb": by_duckdb, "polars": by_polars}
    total = sum(file.weight for file in files)
    for name, read in readers.items():
        right, plain, weighted, worst = 0, 0.0, 0.0, {}
        for file in files:
            path = folder / f"{file.name}.csv"
            path.write_bytes(file.content)
            try:
                share = score(file.rows, *read(path))
            except Exception:  # Whatever a reader throws, it did not read the file.
                share = 0.0
            right += share == 1.0
            plain += share / len(files)
            weighted += share * file.weight / total
            if share < 1.0:
                kind = file.name.rstrip("0123456789-")
                worst[kind] = worst.get(kind, 0) + 1
        print(f"{name} {len(files)} {right} {10 * plain:.3f} {10 * weighted:.3f} {';'.join(f'{kind}:{count}' for kind, count in worst.items())}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
