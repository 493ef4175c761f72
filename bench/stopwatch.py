"""Runs a command and prints its seconds, processor seconds and the peak of its resident memory in bytes.

    python bench/stopwatch.py LOG COMMAND…

The command prints into LOG. This is a small process of its own because the system counts what a parent holds when it starts a
child towards the child's peak.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time


def main() -> int:
    with open(sys.argv[1], "w") as out:
        start = time.perf_counter()
        process = subprocess.Popen(sys.argv[2:], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    print(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
