"""What Spark forks its Python workers from, with all that they import loaded once: tests kill and start many of them."""

from __future__ import annotations

import pandas  # noqa: F401
import pyarrow  # noqa: F401

from oddsmith import daemon

if __name__ == "__main__":
    daemon.main()
