"""What Spark may fork its Python workers from: with ``spark.python.daemon.module`` set to ``oddsmith.daemon`` they import what they need once.

Spark's own reads pyspark from an archive without compiled files, once for the process that workers are forked from and in part again in every worker.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from zipfile import ZipFile

_VERSION = "pyspark/version.py"


def _without_archive(path: list[str]) -> list[str]:
    """The places of modules without Spark's archive of pyspark, where the same version is installed and compiled."""
    folders = [place for place in path if os.path.isfile(os.path.join(place, _VERSION))]
    if not folders:
        return path
    installed = Path(folders[0], _VERSION).read_bytes()
    return [place for place in path if not (place.endswith("pyspark.zip") and os.path.isfile(place) and ZipFile(place).read(_VERSION) == installed)]


def main() -> None:
    """Import what workers need, then fork them when Spark asks for them."""
    sys.path[:] = _without_archive(sys.path)
    import pyspark.worker  # noqa: F401
    from pyspark.daemon import manager

    from . import _worker  # noqa: F401

    manager()


if __name__ == "__main__":
    main()
