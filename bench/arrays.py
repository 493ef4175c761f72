"""Storing the arrays of a workload and reading them back; our own worker reads the same files."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def store(folder: Path, arrays: dict[str, object]) -> int:
    """Writes arrays as .npy files; returns the bytes of the features."""
    for name, array in arrays.items():
        if hasattr(array, "indptr"):
            parts = {"data": array.data, "indices": array.indices, "indptr": array.indptr, "shape": np.array(array.shape)}
            for part, values in parts.items():
                np.save(folder / f"{name}.{part}.npy", values)
        else:
            np.save(folder / f"{name}.npy", np.ascontiguousarray(array))
    return sum(path.stat().st_size for path in folder.glob("X*.npy"))


def load(folder: Path) -> tuple[object, np.ndarray]:
    """Features and labels."""
    if (folder / "X.npy").exists():
        x = np.load(folder / "X.npy")
    else:
        from scipy.sparse import csr_matrix

        part = {name: np.load(folder / f"X.{name}.npy") for name in ("data", "indices", "indptr", "shape")}
        x = csr_matrix((part["data"], part["indices"], part["indptr"]), shape=tuple(part["shape"]))
    return x, np.load(folder / "y.npy")
