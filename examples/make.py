"""Writes the tables of this folder that are not real: new.csv, visits.csv, spam.txt, confounder.csv and collider.csv, which are invented,
curve.csv, which is a parabola with noise, pills.csv, in which every spam has a pill, and site-a.csv and site-b.csv, which hold every other row of births.csv.
stones.csv holds published counts."""

import csv
import math
import random
from pathlib import Path

HERE = Path(__file__).parent


def births(random_numbers: random.Random) -> list[dict[str, object]]:
    """Births like those of births.csv: columns of a real one moved a little, the outcome drawn anew."""
    rows = list(csv.DictReader((HERE / "births.csv").open()))
    drawn = []
    for number in range(1, 61):
        row = dict(random_numbers.choice(rows))
        age = max(14, int(row["age"]) + random_numbers.randint(-2, 2))
        weight = int(row["lwt"]) + random_numbers.randint(-8, 8)
        score = 0.4 - 0.02 * age - 0.013 * weight + 0.9 * int(row["smoke"]) + 1.8 * int(row["ht"]) + 0.7 * int(row["ui"])
        score += {"white": 0.0, "black": 1.2, "other": 0.8}[row["race"]]
        low = random_numbers.random() < 1 / (1 + math.exp(-score))
        kept = {name: row[name] for name in ("race", "smoke", "ptl", "ht", "ui", "ftv")}
        drawn.append({"id": f"b{number:02}", "low": "yes" if low else "no", "age": age, "lwt": weight, **kept})
    return drawn


def visits(random_numbers: random.Random) -> list[dict[str, object]]:
    """Several visits of each of forty patients, who differ from each other."""
    rows = []
    for patient in range(1, 41):
        frailty, age = random_numbers.gauss(0, 1), random_numbers.randint(40, 90)
        for _ in range(random_numbers.randint(2, 5)):
            pressure = round(random_numbers.gauss(128 + 4 * frailty, 14))
            score = -3.5 + 0.035 * age + 1.1 * frailty - 0.01 * (pressure - 120)
            died = random_numbers.random() < 1 / (1 + math.exp(-score))
            ward = random_numbers.choice(["A", "B", "C"])
            rows.append({"patient": f"p{patient:02}", "age": age, "ward": ward, "sbp": pressure, "died": "yes" if died else "no"})
    return rows


def messages(random_numbers: random.Random) -> list[str]:
    """Short messages of words that spam and other mail have in different proportions."""
    both = "the a to you we for at on please today now here call mail time see".split()
    words = {
        "spam": "free prize winner cash offer click claim urgent credit cheap".split(),
        "ham": "meeting lunch thanks project tomorrow report family train weekend doctor".split(),
    }
    lines = []
    for _ in range(120):
        label, other = random_numbers.choice([("spam", "ham"), ("ham", "spam"), ("ham", "spam")])
        chosen = [random_numbers.choice(words[label] if random_numbers.random() < 0.85 else words[other]) for _ in range(3)]
        chosen += random_numbers.choices(both, k=random_numbers.randint(4, 8))
        random_numbers.shuffle(chosen)
        lines.append(f"__label__{label} {' '.join(chosen)}")
    return lines


def counts(names: tuple[str, ...], cells: dict[tuple[str, ...], int]) -> list[dict[str, object]]:
    """One row per cell of a table, with how often it occurs."""
    return [{**dict(zip(names, cell)), "n": count} for cell, count in cells.items()]


def stones() -> list[dict[str, object]]:
    """Kidney stones: successes of open surgery and of a puncture (Charig and others, 1986)."""
    treated = {("small", "open"): (81, 6), ("small", "puncture"): (234, 36), ("large", "open"): (192, 71), ("large", "puncture"): (55, 25)}
    outcomes = ("yes", "no")
    return counts(("size", "treatment", "success"), {(*cell, outcome): n for cell, pair in treated.items() for outcome, n in zip(outcomes, pair)})


def confounder() -> list[dict[str, object]]:
    """A drug without any effect, given to the severely ill: severity comes before the drug and before death."""
    groups = {("mild", "yes"): (200, 0.1), ("mild", "no"): (800, 0.1), ("severe", "yes"): (800, 0.5), ("severe", "no"): (200, 0.5)}
    cells = {}
    for group, (size, risk) in groups.items():
        cells[(*group, "yes")] = round(size * risk)
        cells[(*group, "no")] = round(size * (1 - risk))
    return counts(("severity", "drug", "died"), cells)


def collider() -> list[dict[str, object]]:
    """An exposure and a disease that have nothing to do with each other, and a ward to which either leads."""
    admitted = {("no", "no"): 25, ("yes", "no"): 125, ("no", "yes"): 125, ("yes", "yes"): 188}
    cells = {}
    for pair, inside in admitted.items():
        cells[(*pair, "ward")] = inside
        cells[(*pair, "home")] = 250 - inside
    return counts(("exposed", "ill", "place"), cells)


def curve(random_numbers: random.Random) -> list[dict[str, object]]:
    """Forty points around a parabola."""
    places = [round(0.25 * number, 2) for number in range(40)]
    return [{"x": x, "y": round(2 + 0.35 * (x - 4) ** 2 + random_numbers.gauss(0, 1.2), 2)} for x in places]


def pills() -> list[dict[str, object]]:
    """Eleven messages: the six that are ham are those of mail.csv, and each of five that are spam has a pill."""
    spam = [("yes", "yes"), *[("yes", "no")] * 4]
    ham = [("yes", "yes"), ("yes", "yes"), ("no", "yes"), ("no", "yes"), ("no", "yes"), ("no", "no")]
    return [{"pill": pill, "meeting": meeting, "class": kind} for kind, rows in (("spam", spam), ("ham", ham)) for pill, meeting in rows]


def write(name: str, rows: list[dict[str, object]]) -> None:
    """Writes rows as CSV with Unix line ends."""
    with (HERE / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    write("new.csv", births(random.Random(5)))
    real = list(csv.DictReader((HERE / "births.csv").open()))
    write("site-a.csv", real[0::2])
    write("site-b.csv", real[1::2])
    write("visits.csv", visits(random.Random(2)))
    (HERE / "spam.txt").write_text("\n".join(messages(random.Random(3))) + "\n")
    write("stones.csv", stones())
    write("confounder.csv", confounder())
    write("collider.csv", collider())
    write("curve.csv", curve(random.Random(8)))
    write("pills.csv", pills())
