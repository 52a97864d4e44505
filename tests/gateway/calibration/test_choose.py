"""Thresholds are chosen on one half and measured on the other; too little data and hopeless data say so."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.calibration.choose import Aim, Of, Why, calibrate, choose_high, cuts, point
from gateway.calibration.seen import Fate, Seen, Side, once, split


def row(number, right, confidence, fate=Fate.SENT, **given):
    values = {"conversation": f"c-{number}", "question": f"第{number}问", "text": f"答{number}"} | given
    return Seen(number, f"t-{number}", right=right, fate=fate, confidence=confidence, subject="", scene="untagged",
                pack="property", rules_version="1+a", **values)  # fmt: skip


def sample(total, wrong_at, *, seed=1, refused=0):
    """Right answers of any confidence, wrong ones below `wrong_at`, and refused wrong ones."""
    draw = random.Random(seed)
    rows = [row(n, True, round(draw.random(), 3)) for n in range(total)]
    rows += [row(n, False, round(draw.uniform(0, wrong_at), 3)) for n in range(total, total + total // 10)]
    return rows + [row(n, False, 0.1, Fate.REFUSED) for n in range(2 * total, 2 * total + refused)]


def test_a_threshold_is_found_just_above_the_wrong_ones():
    found = calibrate(sample(2000, 0.6, seed=2), Aim())
    assert found.high.why is Why.FOUND
    assert 0.45 < found.high.value < 0.65
    assert found.high.learned.wrong_of_released.interval[1] < 0.03
    assert found.high.measured.wrong_of_released.value <= 0.02


def test_the_lowest_threshold_within_the_aim_is_taken():
    rows = sample(2000, 0.6, seed=2)
    found, aim = calibrate(rows, Aim()), Aim()
    lower = [cut for cut in cuts(found.sides[Side.LEARN], lambda r: r.fate is Fate.SENT) if cut < found.high.value]
    assert all(point(found.sides[Side.LEARN], cut).wrong(aim.of).value > 0.005 for cut in lower[-3:])


def test_too_few_say_how_many_more():
    found = calibrate(sample(100, 0.5), Aim())
    assert (found.high.why, found.high.value) == (Why.TOO_LITTLE, None)
    whole = len(found.drafts)
    assert found.high.more > whole, "149 are needed on one half, and about 55 are there"
    assert calibrate(sample(100 * (whole + found.high.more + 40) // whole, 0.5), Aim()).high.why is not Why.TOO_LITTLE


def test_nothing_released_at_all_is_too_little():
    found = calibrate([row(n, True, 0.5, Fate.PERSON) for n in range(50)], Aim())
    assert (found.high.why, found.high.more) == (Why.TOO_LITTLE, 298)


def test_a_confidence_that_says_nothing_yields_no_threshold():
    draw = random.Random(5)
    rows = [row(n, draw.random() > 0.1, round(draw.random(), 3)) for n in range(3000)]
    found = calibrate(rows, Aim())
    assert (found.high.why, found.high.value, found.high.more) == (Why.OUT_OF_REACH, None, None)
    assert found.high.learned is not None and found.leaks, "the report can show the best there is"


def test_labels_that_would_help_are_counted():
    rows = [row(n, True, 0.5) for n in range(400)] + [row(n, False, 0.5) for n in (1000, 1001)]
    found = calibrate(rows, Aim(of=Of.RELEASED))
    assert found.high.why in (Why.FOUND, Why.OUT_OF_REACH)
    if found.high.why is Why.OUT_OF_REACH:
        assert found.high.more


def test_the_other_half_must_confirm():
    """A half full of wrong answers confirms nothing, and as the stricter chooser it says that nothing is in reach."""
    rows = sample(2000, 0.3)
    spoiled = {id(r) for r in split(rows)[Side.MEASURE][::5]}
    rows = [replace(r, right=False, confidence=0.999) if id(r) in spoiled else r for r in rows]
    sides = split(rows)
    one_way = choose_high(sides[Side.LEARN], sides[Side.MEASURE], Aim())
    assert (one_way.why, one_way.value) == (Why.NOT_CONFIRMED, None)
    assert one_way.measured.wrong_of_released.value > 0.02
    assert calibrate(rows, Aim()).high.why is Why.OUT_OF_REACH


def test_the_stricter_half_chooses():
    """Where one half is easy and the other is not, the threshold is the other's, and the easy one measures it."""
    rows = sample(3000, 0.3)
    hard = {id(r) for r in split(rows)[Side.MEASURE][::60]}
    rows = [replace(r, right=False, confidence=0.9) if id(r) in hard else r for r in rows]
    sides = split(rows)
    easy, strict = (
        choose_high(sides[a], sides[b], Aim()) for a, b in ((Side.LEARN, Side.MEASURE), (Side.MEASURE, Side.LEARN))
    )
    found = calibrate(rows, Aim())
    assert strict.learned.threshold > easy.learned.threshold
    assert found.high == strict
    assert found.sides[Side.LEARN] == sides[Side.MEASURE]


def test_other_labels_may_measure():
    mine, theirs = sample(2000, 0.6, seed=2), sample(400, 0.9, seed=3)
    found = calibrate(mine, Aim(), theirs)
    assert (len(found.sides[Side.LEARN]), len(found.sides[Side.MEASURE])) == (2200, 440)
    assert found.high.why is Why.NOT_CONFIRMED, "their wrong answers stand higher"
    assert calibrate(mine, Aim(), sample(400, 0.3, seed=3)).high.why is Why.FOUND


def test_the_share_may_be_of_all_wrong_answers():
    """The gate refuses most wrong ones; how many it lets through does not hang on how many right ones there are."""
    rows = sample(150, 0.9, refused=600)
    assert calibrate(rows, Aim()).high.why is Why.TOO_LITTLE
    found = calibrate(rows, Aim(of=Of.WRONG))
    assert found.high.why is Why.FOUND
    assert found.at(found.high.value).wrong_of_wrong.total == 615


def test_a_low_threshold_has_mostly_wrong_ones_below():
    rows = sample(1500, 0.5, refused=900)
    low = calibrate(rows, Aim()).low
    assert low.value is not None and low.value <= 0.5
    assert low.right_below.value <= 0.2
    assert calibrate(sample(1500, 0.5), Aim()).low.value is None


def test_an_answer_that_is_not_sent_is_never_released():
    rows = [row(1, True, 0.9, Fate.PERSON), row(2, False, 0.9, Fate.REFUSED), row(3, True, None)]
    counted = point(rows, 0.0)
    assert (counted.right_released, counted.wrong_released, counted.right_held, counted.wrong_in_all) == (0, 0, 1, 1)


def test_a_draft_counts_once_as_it_leaves_most_readily():
    held = row(1, False, 0.9, Fate.REFUSED)
    gone = replace(held, line=2, fate=Fate.SENT, confidence=0.4)
    best = replace(gone, line=3, confidence=0.6)
    assert once([held, best, gone]) == [best]
    assert len(once([held, replace(held, right=True)])) == 2, "labels that differ stay apart"


def test_twins_stay_on_one_side():
    """Of one talk, or of the same question about the same item; through a chain too."""
    rows = [row(n, True, 0.5) for n in range(200)]
    rows += [replace(rows[0], text="别的", conversation="c-x"), replace(rows[1], text="别的", question="第0问")]
    rows += [row(999, True, 0.5, conversation="c-1", question="另问")]
    sides = split(rows)
    where = {id(r): side for side, held in sides.items() for r in held}
    assert len({where[id(r)] for r in (rows[0], rows[1], *rows[200:])}) == 1
    assert min(len(held) for held in sides.values()) > 60


@given(st.permutations(list(range(40))))
@settings(max_examples=15, deadline=None)
def test_the_split_does_not_hang_on_the_order(order):
    rows = [row(n, True, 0.5, conversation=f"c-{n // 2}", question=f"第{n % 7}问") for n in range(40)]
    expected = {r.id for r in split(rows)[Side.LEARN]}
    assert {r.id for r in split([rows[n] for n in order])[Side.LEARN]} == expected


@pytest.mark.parametrize("total", [1, 200, 201, 5000])
def test_thresholds_are_at_most_two_hundred_with_both_ends(total):
    rows = [row(n, True, n / total) for n in range(total)]
    found = cuts(rows, lambda r: r.fate is Fate.SENT)
    assert len(found) == min(total, 200) and (found[0], found[-1]) == (0.0, (total - 1) / total)
