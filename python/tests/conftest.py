"""The built command, and how tests talk to it."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Command:
    """`oddsmith`, run in a folder of its own."""

    binary: Path
    folder: Path

    def run(self, *arguments: str) -> str:
        """Runs the command and gives what it prints; a failure shows what it said."""
        done = subprocess.run([self.binary, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"oddsmith {' '.join(map(str, arguments))}\n{done.stderr}"
        return done.stdout

    def write(self, name: str, columns: dict[str, np.ndarray]) -> Path:
        """Writes columns as CSV; numbers keep every bit."""
        path = self.folder / name
        cell = lambda value: repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)  # noqa: E731
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*([cell(value) for value in column] for column in columns.values()), strict=True))
        return path

    def probabilities(self, model: Path, data: Path, classes: list[str], *flags: str) -> np.ndarray:
        """The class probabilities of every row, or the margins where a model has none."""
        table = list(csv.DictReader(io.StringIO(self.run("predict", model, data, "--format", "csv", *flags))))
        name = "p" if f"p_{classes[0]}" in table[0] else "score"
        return np.array([[float(row[f"{name}_{label}"]) for label in classes] for row in table])


@pytest.fixture
def command(tmp_path: Path) -> Command:
    binary = Path(os.environ.get("ODDSMITH", ROOT / "target" / "release" / "oddsmith"))
    assert binary.exists(), f"{binary} is not there; `cargo build --release` makes it"
    return Command(binary, tmp_path)
