"""Small numbers and years inside a phrase whose pattern has already vouched for their shape."""

from planner.numerals import DIGITS, numeral


def small(word: str) -> int:
    """Read a small whole number in digits or characters (二十三, 07)."""
    if word.isdecimal() and word.isascii():
        return int(word)
    if word.startswith("廿"):
        return 20 + (DIGITS.get(word[1:2], 0))
    number = numeral(word, 0)
    return int(number.low) if number else 0


def year_of(word: str) -> int:
    """Read a year in two or four digits: 15 is 2015, 九八 1998."""
    digits = word if word.isdecimal() and word.isascii() else "".join(str(DIGITS[c]) for c in word)
    year = int(digits)
    return year if len(digits) == 4 else year + (2000 if year < 60 else 1900)
