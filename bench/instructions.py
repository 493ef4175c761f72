"""Instructions of the hot loops, counted by valgrind: the same on a busy machine as on a quiet one.

Every job runs once and three times; half of the difference is one run without start and data. The counts are compared with
`bench/instructions.json`; the exit code is 1 when one has grown by more than 5 %. `--accept` writes the file anew, after a change
that is worth its instructions or with another compiler. Valgrind shows programs a processor without AVX-512, so that the AVX2 loops
are counted.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from versions import first_line
from worker import OURS

BASELINE = Path(__file__).resolve().parent / "instructions.json"
GROWTH = 0.05
FEW, MANY = 1, 3


def count(name: str, repeats: int) -> int:
    """Instructions of the whole process."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*tool, str(OURS), "kernel", name, str(repeats)], capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or not found:
        raise RuntimeError(f"{name} cannot be counted: {done.stderr[-400:]}")
    return int(found.group(1).replace(",", ""))


def count_once(name: str) -> int:
    return (count(name, MANY) - count(name, FEW)) // (MANY - FEW)


def main(options) -> int:
    if not shutil.which("valgrind"):
        print("valgrind is not installed, instructions are not counted; `apt install valgrind` (or the like) brings it")
        return 0
    compiler = first_line("rustc", "--version")
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {"compiler": compiler, "instructions": {}}
    if baseline["compiler"] != compiler:
        print(f"the baseline was counted with {baseline['compiler']}, this is {compiler}: differences may be the compiler's")
    names = subprocess.run([str(OURS), "kernels"], capture_output=True, text=True, check=True).stdout.split()
    names = [name for name in names if not options.only or name in options.only]
    if not names:
        print(f"no kernel {', '.join(options.only)}", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(2) as pool:
        counts = dict(zip(names, pool.map(count_once, names)))
    grown = report(counts, baseline["instructions"])
    if options.json:
        options.json.write_text(json.dumps({"compiler": compiler, "instructions": counts}, indent=1) + "\n")
    if options.accept:
        merged = {**baseline["instructions"], **counts}
        BASELINE.write_text(json.dumps({"compiler": compiler, "instructions": merged}, indent=1) + "\n")
        return 0
    return 1 if grown else 0


def report(counts: dict[str, int], baseline: dict[str, int]) -> list[str]:
    """Prints the counts beside the baseline; gives the names of those that are new or have grown too much."""
    grown = []
    print(f"{'kernel':24} {'instructions':>15} {'baseline':>15} {'change':>9}")
    for name, instructions in counts.items():
        before = baseline.get(name)
        if before is None:
            print(f"{name:24} {instructions:15,} {'none':>15}            NEW: --accept writes it down")
            grown.append(name)
            continue
        change = instructions / before - 1
        mark = "GROWN" if change > GROWTH else ""
        grown += [name] if mark else []
        print(f"{name:24} {instructions:15,} {before:15,} {100 * change:8.2f} %  {mark}".rstrip())
    return grown
