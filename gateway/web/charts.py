"""Pictures as numbers: where the bars of a chart stand; the template draws them as SVG without a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 200
LEFT, BOTTOM, TOP = 34, 22, 8


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle; `kind` names its colour, `title` says what it counts."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A word on an axis."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of stacked columns."""

    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    lines: tuple[float, ...]
    width: int = WIDTH
    height: int = HEIGHT


def stacked(columns: Sequence[tuple[str, Mapping[str, int]]], kinds: Mapping[str, str]) -> Chart:
    """Stack the counts of each column, in the order of `kinds` (kind to its word) from the ground up."""
    most = max((sum(counts.values()) for _, counts in columns), default=0)
    top = _round_up(most)
    step = (WIDTH - LEFT) / max(1, len(columns))
    scale = (HEIGHT - BOTTOM - TOP) / top
    bars: list[Bar] = []
    marks = [Mark(LEFT - 6, HEIGHT - BOTTOM - value * scale + 4, str(value)) for value in (0, top // 2, top)]
    for number, (name, counts) in enumerate(columns):
        x, ground = LEFT + number * step, float(HEIGHT - BOTTOM)
        for kind, word in kinds.items():
            height = counts.get(kind, 0) * scale
            if height:
                ground -= height
                title = f"{name} · {word} · {counts[kind]}"
                bars.append(
                    Bar(
                        round(x + step * 0.14, 1),
                        round(ground, 1),
                        round(step * 0.72, 1),
                        round(height, 1),
                        kind,
                        title,
                    )
                )
        if number % max(1, len(columns) // 7) == 0:
            marks.append(Mark(round(x + step / 2, 1), HEIGHT - 6, name[5:]))
    return Chart(tuple(bars), tuple(marks), tuple(HEIGHT - BOTTOM - value * scale for value in (0, top // 2, top)))


def _round_up(most: int) -> int:
    """Give an even number at or above the highest column, easy to read on an axis."""
    for unit in (2, 4, 10, 20, 40, 100):
        if most <= unit:
            return unit
    return -(-most // 100) * 100
