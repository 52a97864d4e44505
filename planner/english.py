"""English numerals in words: twenty-five hundred, two point nine eight million, half a million."""

import re
from dataclasses import replace
from decimal import Decimal

from planner.numerals import Numeral

_ONES = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
} | {"fourty": 40}
_SCALES: dict[str, int] = {
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "dozen": 12,
}
_WORD = re.compile(r"[ -]?(?:and )?(" + "|".join([*_ONES, *_TENS, *_SCALES, "point"]) + r")(?![a-z])")
_A = re.compile(r"(half )?a (hundred|thousand|million|dozen)(?![a-z])")
MAX_WORDS = 16
# How a number in words may begin.
ENGLISH = "|".join(["(?:half )?a (?:hundred|thousand|million|dozen)", *_ONES, *_TENS])


def english_numeral(norm: str, at: int) -> Numeral | None:
    """Read the number in words that starts at `at`; None when there is none."""
    article = _A.match(norm, at)
    if article:
        value = Decimal(_SCALES[article[2]])
        value = value / 2 if article[1] else value
        return Numeral(at, article.end(), value, value, value, scale=int(value) if value >= 1000 else 1)
    words, end = _words(norm, at)
    if not words:
        return None
    value = _sum(words)
    scale = max(_SCALES.get(word, 1) for word in words)
    number = Numeral(at, end, value, value, Decimal(1), scale=scale if scale >= 1000 else 1)
    return replace(number, place=Decimal(scale))


def _words(norm: str, at: int) -> tuple[list[str], int]:
    words: list[str] = []
    end = at
    while len(words) < MAX_WORDS and (match := _WORD.match(norm, end)) is not None:
        if not words and match.start(1) != at:
            break
        word = match.group(1)
        if words and not (_follows(words[-1], word) or ("point" in words and word in _ONES and words[-1] in _ONES)):
            break
        words.append(word)
        end = match.end()
    return words, end


def _follows(last: str, word: str) -> bool:
    """Whether two number words belong together: twenty five do, five twenty do not."""
    if word in _SCALES or word == "point" or last in _SCALES or last == "point":
        return True
    return last in _TENS and word in _ONES and 0 < _ONES[word] < 10


def _sum(words: list[str]) -> Decimal:
    total = section = Decimal(0)
    digits: str | None = None
    for word in words:
        if word == "point":
            digits = ""
        elif digits is not None and word in _ONES:
            digits += str(_ONES[word])
        elif word in _SCALES:
            section += Decimal("0." + digits) if digits else 0
            digits = None
            scale = _SCALES[word]
            section = (section or Decimal(1)) * scale
            if scale >= 1000:
                total, section = total + section, Decimal(0)
        else:
            section += _ONES[word] if word in _ONES else _TENS[word]
    return total + section + (Decimal("0." + digits) if digits else 0)
