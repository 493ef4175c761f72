"""Measure oddsmith against the best peers, all in the same run.

    cargo xtask bench                          all workloads
    cargo xtask bench --only lda --repeat 10
    cargo xtask bench --quick --json out.json  two minutes
    cargo xtask bench --write-docs             everything, and the figures of docs/performance.md anew
    cargo xtask bench --only bits --write-docs only the table of that family
    cargo xtask bench --only predict_one       one row through the Python package
    cargo xtask bench --only bits              mutual information and labels by wire
    cargo xtask bench --instructions           instructions of the hot loops against a baseline
    cargo xtask bench scaling                  time and memory against rows, columns, classes and threads
    cargo xtask bench stream                   memory of fits that read a 5 GB file; --only tree --only info chooses some
    cargo xtask bench clinic                   matched sets and strata against R and statsmodels
    cargo xtask bench folds                    ten folds of five models against one fit of each

Times are wall time, the fastest of several runs that alternate between both sides; `cpu ms` is the least processor time of
all threads, which other programs on the machine disturb less. Extra memory is the peak of resident
memory during a request beyond what was held before and beyond the answer itself, the largest of all runs. Our times include
everything a caller with NumPy arrays waits for: finding classes and levels, converting codes, making room for answers. `package` is
the same through the Python package.
Fits that iterate are compared at equal accuracy: peers are tightened until the largest slope of the mean objective, computed by
neither side, is small enough, and ours must not be larger. `of limit` is the least time that memory and arithmetic of the
machine allow as a share of ours. The exit code is 1 when answers differ by more than the stated accuracy or ours is steeper.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="cargo xtask bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", nargs="?", default="compare", choices=("compare", "clinic", "scaling", "stream", "folds"))
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this workload; may be repeated")
    parser.add_argument("--repeat", type=int, metavar="N", help="runs of each side (default 5, with --quick 3)")
    parser.add_argument("--quick", action="store_true", help="small tables, two minutes in all")
    parser.add_argument("--seed", type=int, default=1, help="seed of the data (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here as well")
    parser.add_argument("--instructions", action="store_true", help="count the instructions of the hot loops instead")
    parser.add_argument("--accept", action="store_true", help="with --instructions: take the counts as the new baseline")
    parser.add_argument("--write-docs", action="store_true", help="write figures and plots into docs/performance.md; with --only the tables of families that were measured as a whole")
    parser.add_argument("--list", action="store_true", help="list the workloads")
    options = parser.parse_args()
    if options.instructions:
        import instructions

        return instructions.main(options)
    if options.task == "scaling":
        import scaling

        return scaling.main(options)
    if options.task == "stream":
        import stream

        return stream.main(options)
    if options.task == "clinic":
        import clinic

        return clinic.main(options)
    if options.task == "folds":
        import folds

        return folds.main(options)
    return compare(options)


def compare(options) -> int:
    import rust_peers
    from bits import measure_bits
    from csv_end_to_end import measure_csv
    from limits import measure_limits
    from measure import Effort, measure
    from predict_one import measure_one
    from table import show
    from versions import versions
    from workloads import WORKLOADS

    repeat, patience = (3, 5.0) if options.quick else (5, 20.0)
    effort = Effort(options.repeat or repeat, patience, not options.quick and not options.list and rust_peers.build())
    others = {
        "csv_end_to_end": lambda: measure_csv(effort, options.seed, options.quick),
        "predict_one": lambda: measure_one(effort.repeat, options.seed),
        "bits": lambda: measure_bits(effort.repeat, options.seed, options.quick),
    }
    if options.list:
        print("\n".join(f"{work.name:22} {work.about} {work.full}" for work in WORKLOADS.values()))
        print(f"{'csv_end_to_end':22} from a CSV file to coefficients with standard errors")
        print(f"{'predict_one':22} one row through the Python package")
        print(f"{'bits':22} mutual information of columns, labels by arithmetic coding, through the Python package")
        return 0
    names = [*WORKLOADS, *others]
    unknown = [name for name in options.only if name not in names]
    if unknown:
        print(f"no workload {', '.join(unknown)}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    print("# limits of the machine", file=sys.stderr, flush=True)
    limits = measure_limits(options.quick)
    print(limits.show() + "\n", flush=True)
    results = []
    for name in options.only or names:
        print(f"# {name}", file=sys.stderr, flush=True)
        if name in others:
            results += others[name]()
            continue
        work = WORKLOADS[name]
        results += measure(work, work.quick if options.quick else work.full, effort, options.seed, limits)
    print(show(results))
    record = {"versions": versions(), "limits": limits.as_dict(), "results": [result.as_dict() for result in results]}
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")
    if options.write_docs:
        import documentation
        import scaling

        if options.only:
            documentation.write_families(record)
        else:
            documentation.write(record, scaling.measure(options.quick, options.seed))
    return 0 if all(result.agrees for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
