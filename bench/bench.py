"""Measure oddsmith against the best scikit-learn estimator, both in the same run.

    cargo xtask bench                          all workloads
    cargo xtask bench --only lda --repeat 10
    cargo xtask bench --quick --json out.json
    cargo xtask bench --only predict_one       one row through the Python package
    cargo xtask bench stream                   memory of fits that read a 5 GB file
    cargo xtask bench folds                    ten folds of five models against one fit of each

Times are wall time, the fastest of several runs that alternate between both sides; `cpu ms` is the least processor time of
all threads, which other programs on the machine disturb less. Extra memory is the peak of resident
memory during a request beyond what was held before and beyond the answer itself, the largest of all runs. Our times include
everything a caller with NumPy arrays waits for: finding classes and levels, converting codes, making room for answers.
The exit code is 1 when answers differ by more than the stated accuracy.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="cargo xtask bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", nargs="?", default="compare", choices=("compare", "stream", "folds"))
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this workload; may be repeated")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each side (default 5)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--seed", type=int, default=1, help="seed of the data (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here as well")
    parser.add_argument("--list", action="store_true", help="list the workloads")
    options = parser.parse_args()
    if options.task == "stream":
        import stream

        return stream.main(options)
    if options.task == "folds":
        import folds

        return folds.main(options)
    return compare(options)


def compare(options) -> int:
    from measure import measure
    from table import show
    from workloads import WORKLOADS

    if options.list:
        print(f"{'predict_one':16} one row through the Python package")
        print("\n".join(f"{work.name:16} {work.about} {work.full}" for work in WORKLOADS.values()))
        return 0
    unknown = [name for name in options.only if name not in WORKLOADS and name != "predict_one"]
    if unknown:
        print(f"no workload {', '.join(unknown)}; there are {', '.join(WORKLOADS)}", file=sys.stderr)
        return 2
    results = []
    for name in options.only or [*WORKLOADS, "predict_one"]:
        if name == "predict_one":
            from predict_one import measure_one

            results += measure_one(options.repeat, options.seed)
            continue
        work = WORKLOADS[name]
        print(f"# {name}", file=sys.stderr, flush=True)
        results += measure(work, work.quick if options.quick else work.full, options.repeat, options.seed)
    print(show(results))
    if options.json:
        options.json.write_text(json.dumps([result.as_dict() for result in results], indent=1) + "\n")
    return 0 if all(result.agrees for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
