"""Pictures as numbers: where the bars of a chart stand; the template draws them as SVG without a script."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 200
LEFT, BOTTOM, TOP = 34, 22, 8
LINE_WIDTH, LINE_HEIGHT = 160, 34


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle; `kind` names its colour, `title` says what it counts, `href` leads to what it counts."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A word on an axis; `end` says that it stands left of its place."""

    x: float
    y: float
    text: str
    end: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of stacked columns."""

    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    lines: tuple[float, ...]
    width: int = WIDTH
    height: int = HEIGHT


def stacked(
    columns: Sequence[tuple[str, Mapping[str, int]]],
    kinds: Mapping[str, str],
    href: Callable[[str, str], str] = lambda _column, _kind: "",
    *,
    short: int = 5,
) -> Chart:
    """Stack the counts of each column, in the order of `kinds` (kind to its word) from the ground up.

    `href` gives the address behind a column's kind; the axis leaves out the first `short` letters of a column's name.
    """
    top = _round_up(max((sum(counts.values()) for _, counts in columns), default=0))
    step = (WIDTH - LEFT) / max(1, len(columns))
    scale = (HEIGHT - BOTTOM - TOP) / top
    bars: list[Bar] = []
    ticks = (0, top // 2, top)
    marks = [Mark(LEFT - 6, HEIGHT - BOTTOM - value * scale + 4, str(value), end=True) for value in ticks]
    for number, (name, counts) in enumerate(columns):
        x, ground = LEFT + number * step, float(HEIGHT - BOTTOM)
        for kind, word in kinds.items():
            height = counts.get(kind, 0) * scale
            if height:
                ground -= height
                title = f"{name} · {word} · {counts[kind]}"
                place = (round(x + step * 0.14, 1), round(ground, 1), round(step * 0.72, 1), round(height, 1))
                bars.append(Bar(*place, kind, title, href(name, kind)))
        if number % max(1, len(columns) // 7) == 0:
            marks.append(Mark(round(x + step / 2, 1), HEIGHT - 6, name[short:]))
    return Chart(tuple(bars), tuple(marks), tuple(HEIGHT - BOTTOM - value * scale for value in ticks))


def line(shares: Sequence[float | None]) -> tuple[str, ...]:
    """Draw shares of 0..1 as pieces of a line (SVG points); a week without a share interrupts it."""
    step = LINE_WIDTH / max(1, len(shares) - 1)
    pieces: list[list[str]] = [[]]
    for number, share in enumerate(shares):
        if share is None:
            pieces.append([])
        else:
            pieces[-1].append(f"{number * step:.1f},{2 + (LINE_HEIGHT - 4) * (1 - share):.1f}")
    return tuple(" ".join(points if len(points) > 1 else points * 2) for points in pieces if points)


def _round_up(most: int) -> int:
    """Give an even number at or above the highest column, easy to read on an axis."""
    for unit in (2, 4, 10, 20, 40, 100, 200, 400, 1000):
        if most <= unit:
            return unit
    return -(-most // 1000) * 1000
