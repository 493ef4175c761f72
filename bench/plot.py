"""Line plots with logarithmic axes as SVG text, without any library."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 780, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 280, 40, 55
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7a4ea3", "#b8860b", "#555555")


@dataclass(frozen=True)
class Line:
    """A named line of points; dashed lines share the colour of the line they follow."""

    name: str
    points: list[tuple[float, float]]
    colour: int = 0
    dashed: bool = False


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis over whole decades from pixel `begin` to `end`."""

    low: int
    high: int
    begin: float
    end: float

    @staticmethod
    def over(values: list[float], begin: float, end: float) -> Axis:
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return Axis(low, max(high, low + 1), begin, end)

    def at(self, value: float) -> float:
        return self.begin + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]


def plot(title: str, across: str, up: str, lines: list[Line]) -> str:
    """The plot as an SVG document."""
    x = Axis.over([point[0] for line in lines for point in line.points], LEFT, WIDTH - RIGHT)
    y = Axis.over([point[1] for line in lines for point in line.points], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, TOP - 16, title, size=15),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, across, anchor="middle"),
        f'<g transform="rotate(-90 18 {HEIGHT / 2})">{text(18, HEIGHT / 2, up, anchor="middle")}</g>',
    ]
    for tick in x.ticks():
        parts += [stroke(x.at(tick), TOP, x.at(tick), HEIGHT - BOTTOM), text(x.at(tick), HEIGHT - BOTTOM + 18, f"{tick:g}", anchor="middle")]
    for tick in y.ticks():
        parts += [stroke(LEFT, y.at(tick), WIDTH - RIGHT, y.at(tick)), text(LEFT - 8, y.at(tick) + 4, f"{tick:g}", anchor="end")]
    for i, line in enumerate(lines):
        parts += draw(line, x, y, TOP + 8 + 20 * i)
    return "\n".join([*parts, "</svg>", ""])


def draw(line: Line, x: Axis, y: Axis, legend: float) -> list[str]:
    """The line with its marks and its place in the legend."""
    colour = COLOURS[line.colour % len(COLOURS)]
    dash = ' stroke-dasharray="6 4"' if line.dashed else ""
    path = " ".join(f"{x.at(across):.1f},{y.at(up):.1f}" for across, up in line.points)
    start = WIDTH - RIGHT + 14
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>',
        *(f'<circle cx="{x.at(across):.1f}" cy="{y.at(up):.1f}" r="3" fill="{colour}"/>' for across, up in line.points),
        f'<line x1="{start}" y1="{legend:.1f}" x2="{start + 24}" y2="{legend:.1f}" stroke="{colour}" stroke-width="2"{dash}/>',
        text(start + 30, legend + 4, line.name),
    ]


def text(x: float, y: float, words: str, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>'
