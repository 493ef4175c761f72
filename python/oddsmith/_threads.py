"""How many threads the core uses."""

from __future__ import annotations

import os

from .exceptions import ParameterError

_THREAD_VARIABLES = ("ODDSMITH_NUM_THREADS", "OMP_NUM_THREADS")


def thread_count(n_jobs: int | None) -> int:
    """Threads for the core; 0 stands for all that the machine (and its quota) offers.

    ``None`` asks the variables ``ODDSMITH_NUM_THREADS`` and then ``OMP_NUM_THREADS``, which joblib sets in its workers.
    """
    if n_jobs is None:
        for name in _THREAD_VARIABLES:
            text = os.environ.get(name, "").split(",")[0].strip()
            if text.isdigit() and int(text) > 0:
                return int(text)
        return 0
    if n_jobs == 0:
        raise ParameterError("n_jobs = 0 is not accepted: use None, a number from 1 up, or -1 for all cores")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
