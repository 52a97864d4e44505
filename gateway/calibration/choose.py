"""Choose thresholds of the confidence on either half of the labels, measure the stricter on the other. Pure."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from gateway.calibration.intervals import LEVEL, Share, needed, upper_bound
from gateway.calibration.seen import Fate, Seen, Side, once, split

MOST_CUTS = 200
MOST_RIGHT_BELOW = 0.20


class Of(StrEnum):
    """What the wrong answers released are a share of."""

    RELEASED = "released"  # of all answers released: what customers would get
    WRONG = "wrong"  # of all wrong answers: what the gate lets through; does not hang on how many are wrong


@dataclass(frozen=True, slots=True)
class Aim:
    """At most this share of wrong answers released, with this much certainty."""

    most: float = 0.02
    of: Of = Of.RELEASED
    level: float = LEVEL


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold does: an answer that auto mode would send is released if its confidence reaches it."""

    threshold: float
    right_released: int
    wrong_released: int
    right_held: int
    wrong_held: int
    wrong_in_all: int

    @property
    def released(self) -> Share:
        """How many of the answers that auto mode would send are released."""
        gone = self.right_released + self.wrong_released
        return Share(gone, gone + self.right_held + self.wrong_held)

    @property
    def wrong_of_released(self) -> Share:
        """How many of the answers released are wrong."""
        return Share(self.wrong_released, self.right_released + self.wrong_released)

    @property
    def wrong_of_wrong(self) -> Share:
        """How many of all wrong answers are released, those that the gate refused counted in."""
        return Share(self.wrong_released, self.wrong_in_all)

    @property
    def right_held_back(self) -> Share:
        """How many of the right answers that auto mode would send are held."""
        return Share(self.right_held, self.right_held + self.right_released)

    def wrong(self, of: Of) -> Share:
        """The share that an aim speaks of."""
        return self.wrong_of_released if of is Of.RELEASED else self.wrong_of_wrong


class Why(StrEnum):
    """Why there is a threshold or none."""

    FOUND = "found"
    TOO_LITTLE = "too_little"
    OUT_OF_REACH = "out_of_reach"
    NOT_CONFIRMED = "not_confirmed"


@dataclass(frozen=True, slots=True)
class High:
    """The threshold at which answers may leave by themselves. `value` is None unless `why` is found.

    `learned` and `measured`: the best candidate on both sides. `more`: turns still to be labelled, None where
    more labels would not help.
    """

    why: Why
    value: float | None = None
    learned: Point | None = None
    measured: Point | None = None
    more: int | None = None


@dataclass(frozen=True, slots=True)
class Low:
    """The threshold below which at least four answers in five are wrong; `right_below` is measured on the other side."""

    value: float | None = None
    right_below: Share | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a labelled file says about the confidence: the curve over all of it, and the thresholds chosen."""

    aim: Aim
    rows: int
    drafts: tuple[Seen, ...]
    sides: dict[Side, list[Seen]]
    curve: tuple[Point, ...]
    high: High
    low: Low

    def at(self, threshold: float) -> Point:
        """Tell what a threshold does over all drafts of the file, those it was chosen on too."""
        return point(self.drafts, threshold)

    @property
    def leaks(self) -> tuple[Seen, ...]:
        """Wrong answers that would still be released: at the suggested threshold, or at none where there is none."""
        least = self.high.value or 0.0
        return tuple(row for row in self.drafts if not row.right and _released(row, least))


def calibrate(rows: Sequence[Seen], aim: Aim, others: Sequence[Seen] = ()) -> Calibration:
    """Choose on each half of the rows, keep the stricter threshold and measure it on the half that did not choose it.

    One half may be an easy one; the other then speaks up. With `others` (labels of somebody else's, say) all rows
    choose and the others measure.
    """
    drafts = [*once(rows), *once(others)]
    sides = {Side.LEARN: once(rows), Side.MEASURE: once(others)} if others else split(drafts)
    high = choose_high(sides[Side.LEARN], sides[Side.MEASURE], aim)
    if not others:
        turned = choose_high(sides[Side.MEASURE], sides[Side.LEARN], aim)
        if _strictness(turned) > _strictness(high):
            high, sides = turned, {Side.LEARN: sides[Side.MEASURE], Side.MEASURE: sides[Side.LEARN]}
    if high.more is not None and not others:
        high = replace(high, more=2 * high.more)  # half of what is labelled in addition will measure
    low = choose_low(sides[Side.LEARN], sides[Side.MEASURE], high.value, aim.level)
    curve = tuple(point(drafts, cut) for cut in cuts(drafts, lambda row: row.fate is Fate.SENT))
    return Calibration(aim, len(rows) + len(others), tuple(drafts), sides, curve, high, low)


def choose_high(learn: Sequence[Seen], measure: Sequence[Seen], aim: Aim) -> High:
    """Take the lowest threshold whose wrong share is within the aim by its upper bound, then look at the other side.

    The other side confirms it when the share measured there is within the aim too.
    """
    least = needed(aim.most, 0, aim.level)
    basis = point(learn, 0.0).wrong(aim.of).total
    if basis < least:
        return High(Why.TOO_LITTLE, more=_more(learn, basis, least))
    tried = [point(learn, cut) for cut in cuts(learn, lambda row: row.fate is Fate.SENT)]
    found = next((p for p in tried if _bound(p.wrong(aim.of), aim) <= aim.most), None)
    if found is None:
        best = min(tried, key=lambda p: _bound(p.wrong(aim.of), aim), default=None)
        return High(Why.OUT_OF_REACH, learned=best, more=_more_of(best, aim, learn))
    measured = point(measure, found.threshold)
    share = measured.wrong(aim.of).value
    if share is None or share > aim.most:
        return High(Why.NOT_CONFIRMED, learned=found, measured=measured)
    return High(Why.FOUND, found.threshold, found, measured)


def choose_low(learn: Sequence[Seen], measure: Sequence[Seen], high: float | None, level: float = LEVEL) -> Low:
    """Take the highest threshold below which, by the upper bound, at most one answer in five is right."""
    best = None
    for cut in cuts(learn, lambda row: row.confidence is not None):
        below = _right_below(learn, cut)
        if (high is None or cut <= high) and upper_bound(below.count, below.total, level) <= MOST_RIGHT_BELOW:
            best = cut
    seen = _right_below(measure, best) if best is not None else None
    if seen is None or seen.value is None or seen.value > MOST_RIGHT_BELOW:
        return Low()
    return Low(best, seen)


def point(rows: Iterable[Seen], threshold: float) -> Point:
    """Count what a threshold releases and holds."""
    counts = {"right_released": 0, "wrong_released": 0, "right_held": 0, "wrong_held": 0}
    wrong = 0
    for row in rows:
        wrong += not row.right
        if row.fate is Fate.SENT:
            away = "released" if _released(row, threshold) else "held"
            counts[f"{'right' if row.right else 'wrong'}_{away}"] += 1
    return Point(threshold, wrong_in_all=wrong, **counts)


def cuts(rows: Iterable[Seen], counts: Callable[[Seen], bool]) -> list[float]:
    """List the thresholds that tell answers apart, lowest first; of very many an even choice."""
    known = sorted({row.confidence for row in rows if counts(row) and row.confidence is not None})
    if len(known) <= MOST_CUTS:
        return known
    return [known[round(n * (len(known) - 1) / (MOST_CUTS - 1))] for n in range(MOST_CUTS)]


def _released(row: Seen, threshold: float) -> bool:
    return row.fate is Fate.SENT and row.confidence is not None and row.confidence >= threshold


def _right_below(rows: Iterable[Seen], cut: float) -> Share:
    below = [row.right for row in rows if row.confidence is not None and row.confidence < cut]
    return Share(sum(below), len(below))


def _strictness(high: High) -> tuple[bool, bool, float]:
    """Order two halves' findings: too little to say is the strictest, then out of reach, then the higher threshold."""
    threshold = high.learned.threshold if high.learned else 1.0
    return high.why is Why.TOO_LITTLE, high.why is Why.OUT_OF_REACH, threshold


def _bound(share: Share, aim: Aim) -> float:
    return upper_bound(share.count, share.total, aim.level)


def _more(learn: Sequence[Seen], basis: int, least: int) -> int:
    """Say how many turns more would bring the basis of the side that chooses to what is needed, at today's rate."""
    return max(1, math.ceil(len(learn) * least / basis) - len(learn)) if basis else least


def _more_of(best: Point | None, aim: Aim, learn: Sequence[Seen]) -> int | None:
    if best is None:
        return None
    share = best.wrong(aim.of)
    if share.value is None or share.value >= aim.most / 2:  # too close to the aim: the labels needed grow without end
        return None
    return _more(learn, share.total, needed(aim.most, share.count + 1, aim.level))
