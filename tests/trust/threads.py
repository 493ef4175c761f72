"""A thousand threads ask one model at once, and each gets the answers that one thread gets; reads `some.csv` of the folder it runs in."""

import csv
import resource
import threading

import numpy as np

import oddsmith

THREADS = 1000
ROUNDS = 5

with open("some.csv", newline="") as file:
    rows = list(csv.DictReader(file))[:500]
numbers = np.array([[float(row[name]) for name in "abcd"] for row in rows])
labels = np.array([row["y"] for row in rows])
model = oddsmith.GaussianNB().fit(numbers, labels)
expected = model.predict_proba(numbers)
barrier = threading.Barrier(THREADS)
wrong = []


def ask(number: int) -> None:
    barrier.wait()
    for _ in range(ROUNDS):
        if not np.array_equal(model.predict_proba(numbers), expected):
            wrong.append(number)


def once() -> int:
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


once()
before = once()
after = once()
print(f"{3 * THREADS * ROUNDS} answers, {len(wrong)} wrong; {before} MiB after the second time, {after} MiB after the third")
if wrong or after > before + 64:
    raise SystemExit(1)
