"""The pictures of a calibration as geometry: the template only writes them down. Pure; pixels of the view box."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gateway.calibration.choose import Calibration, Point
from gateway.calibration.intervals import Share
from gateway.calibration.seen import Seen

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 30, 34
BINS = 20


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis with its text."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A chosen threshold as a line through the picture; `kind` is high or low."""

    at: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the histogram; `kind` is right or wrong."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    told: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture: `line` and `band` are point lists of SVG, `aim` the height of the aim's line."""

    name: str
    xs: tuple[Tick, ...]
    ys: tuple[Tick, ...]
    marks: tuple[Mark, ...] = ()
    line: str = ""
    band: str = ""
    aim: float | None = None
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """The scales of a picture: confidence from `left` to 1, and a value from `bottom` to `top`."""

    left: float
    top: float
    bottom: float = 0.0

    def x(self, value: float) -> float:
        """Place a confidence."""
        return round(LEFT + (value - self.left) / (1 - self.left) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        """Place a value; what lies outside is drawn at the edge."""
        held = min(max(value, self.bottom), self.top)
        return round(HEIGHT - BOTTOM - (held - self.bottom) / (self.top - self.bottom) * (HEIGHT - TOP - BOTTOM), 1)


def charts(calibration: Calibration) -> tuple[Chart, ...]:
    """Draw the wrong share by threshold, the share released by threshold, and how confidence is spread."""
    aim = calibration.aim
    known = [row.confidence for row in calibration.drafts if row.confidence is not None]
    left = min(0.9, math.floor(min(known, default=0.0) * 10) / 10)

    def wrong(point: Point) -> Share:
        return point.wrong(aim.of)

    wrong_frame, share_frame = Frame(left, _ceiling(calibration)), Frame(left, 1.0)
    drawn = (
        _curve("wrong", wrong_frame, calibration, wrong, aim.most),
        _curve("released", share_frame, calibration, lambda point: point.released, None),
        _histogram(left, calibration),
    )
    return tuple(chart for chart in drawn if chart.line or chart.bars)


def percent(value: float | None, digits: int = 1) -> str:
    """Write a share for people; a dash where nothing is known."""
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def _ceiling(calibration: Calibration) -> float:
    """Leave room for the measured shares and the aim; the widest intervals may run out of the picture."""
    shares = [point.wrong(calibration.aim.of).value or 0.0 for point in calibration.curve]
    return min(1.0, max(2.5 * calibration.aim.most, 1.6 * max(shares, default=0.0)))


def _curve(name: str, frame: Frame, calibration: Calibration, of: Callable[[Point], Share], aim: float | None) -> Chart:
    points = [point for point in calibration.curve if of(point).total]
    middle = _path((frame.x(p.threshold), frame.y(of(p).value or 0.0)) for p in points)
    lows = [(frame.x(p.threshold), frame.y(of(p).interval[0])) for p in points]
    highs = [(frame.x(p.threshold), frame.y(of(p).interval[1])) for p in points]
    digits = 1 if frame.top < 0.2 else 0
    ys = tuple(Tick(frame.y(v), percent(v, digits)) for v in (frame.top * n / 4 for n in range(5)))
    band = _path([*highs, *reversed(lows)])
    height = frame.y(aim) if aim is not None else None
    return Chart(name, _xs(frame), ys, _marks(frame, calibration), middle, band, height)


def _histogram(left: float, calibration: Calibration) -> Chart:
    """Count right answers upwards and wrong ones downwards."""
    width = (1 - left) / BINS
    right, wrong = (_counts(calibration.drafts, left, width, right=label) for label in (True, False))
    most = max([1, *right, *wrong])
    frame = Frame(left, float(most), -float(most))
    zero = frame.y(0)
    bars = []
    for number in range(BINS):
        x, wide = frame.x(left + number * width), frame.x(left + width) - frame.x(left) - 2
        where = f"{left + number * width:.2f}–{left + (number + 1) * width:.2f}"
        for kind, count in (("right", right[number]), ("wrong", wrong[number])):
            high = abs(frame.y(count) - zero)
            top = zero - high if kind == "right" else zero
            bars.append(Bar(x, round(top, 1), round(wide, 1), round(high, 1), kind, f"{where}: {count} {kind}"))
    ys = (Tick(frame.y(most), str(most)), Tick(zero, "0"), Tick(frame.y(-most), str(most)))
    return Chart("spread", _xs(frame), ys, _marks(frame, calibration), bars=tuple(b for b in bars if b.height))


def _counts(rows: Iterable[Seen], left: float, width: float, *, right: bool) -> list[int]:
    counts = [0] * BINS
    for row in rows:
        if row.confidence is not None and row.right is right:
            counts[min(BINS - 1, int((row.confidence - left) / width + 1e-9))] += 1
    return counts


def _xs(frame: Frame) -> tuple[Tick, ...]:
    steps = round((1 - frame.left) * 10)
    values: Sequence[float] = [frame.left + n / 10 for n in range(steps + 1)]
    return tuple(Tick(frame.x(v), f"{v:.1f}") for v in values)


def _marks(frame: Frame, calibration: Calibration) -> tuple[Mark, ...]:
    chosen = (("high", calibration.high.value), ("low", calibration.low.value))
    return tuple(Mark(frame.x(v), kind, f"{v:g}") for kind, v in chosen if v is not None and v >= frame.left)


def _path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
