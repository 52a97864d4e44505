"""The report of a calibration: one HTML file that needs nothing else, and the same numbers as text."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gateway.calibration.choose import MOST_RIGHT_BELOW, Calibration, Point
from gateway.calibration.intervals import LEVEL, Share
from gateway.calibration.picture import HEIGHT, WIDTH, charts, percent
from gateway.calibration.seen import Fate, Seen, Side

MOST_LEAKS = 200
MOST_ROWS = 12
_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the numbers come from: one file or two (chosen + measured), when, and the rules of each pack by name."""

    file: str
    sha256: str
    made_at: datetime
    version: str
    rules: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table of fates or scenes."""

    name: str
    right: int
    wrong: int


def told(share: Share) -> str:
    """Write a share with its counts and its exact interval."""
    if share.value is None:
        return "–"
    low, high = share.interval
    return f"{share.count}/{share.total} = {percent(share.value)} [{percent(low)}, {percent(high)}]"


def fates(calibration: Calibration) -> list[Line]:
    """Count what becomes of right and wrong answers whatever their confidence."""
    return [_line(str(fate), [row for row in calibration.drafts if row.fate is fate]) for fate in Fate]


def scenes(calibration: Calibration) -> list[Line]:
    """Count the answers of each scene that the suggested threshold releases, most first."""
    least = calibration.high.value or 0.0
    gone = [r for r in calibration.drafts if r.fate is Fate.SENT and (r.confidence or 0.0) >= least]
    counted = Counter(row.scene for row in gone).most_common(30)
    return [_line(name, [row for row in gone if row.scene == name]) for name, _ in counted]


def _line(name: str, rows: list[Seen]) -> Line:
    right = sum(row.right for row in rows)
    return Line(name, right, len(rows) - right)


def chosen_points(calibration: Calibration) -> list[Point]:
    """Pick a dozen thresholds of the curve for the short table, the suggested one among them."""
    curve = calibration.curve
    if len(curve) <= MOST_ROWS:
        return list(curve)
    picked = {round(n * (len(curve) - 1) / (MOST_ROWS - 1)) for n in range(MOST_ROWS)}
    high = calibration.high.value
    picked |= {n for n, point in enumerate(curve) if high is not None and point.threshold == high}
    return [curve[n] for n in sorted(picked)]


def render(calibration: Calibration, provenance: Provenance) -> str:
    """Write the report."""
    values: dict[str, Any] = {
        "c": calibration,
        "p": provenance,
        "charts": charts(calibration),
        "width": WIDTH,
        "height": HEIGHT,
        "fates": fates(calibration),
        "scenes": scenes(calibration),
        "points": chosen_points(calibration),
        "leaks": calibration.leaks[:MOST_LEAKS],
        "sides": {str(side): len(calibration.sides[side]) for side in Side},
        "suggested": calibration.at(calibration.high.value) if calibration.high.value is not None else None,
        "everything": calibration.at(0.0),
        "two_files": " " in provenance.sha256,
        "told": told,
        "percent": percent,
        "level": LEVEL,
        "right_below": MOST_RIGHT_BELOW,
    }
    return _PAGES.get_template("report.html").render(values)
