"""Phone, identity and card numbers, accounts and mail addresses in a text, however their digits are spelled.

Kept beside the quantity reader on purpose: it reads what a number is worth, this reads whom a number reaches.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

_SPELLED = str.maketrans("零〇○一二三四五六七八九幺两", "0001234567891" + "2")
_GAP = r"[-—. ·]?"
_MOBILE = re.compile(rf"(?<![\d.])(?:\+?86{_GAP})?1{_GAP}[3-9](?:{_GAP}\d){{9}}(?!\d)")
_ABROAD = re.compile(r"\+\d{1,3}[- ]?\(?\d{1,4}\)?(?:[- ]?\d{2,4}){2,4}(?!\d)")
_MASKED = re.compile(r"(?<!\d)1[3-9]\d[*＊x]{4,5}\d{3,4}(?!\d)")
_PAPER = re.compile(
    r"(?:护照|passport|驾照|驾驶证|证件)(?:号码|号|上| number| no\.?| is|是|为|:|：|\s){0,3}([a-z]?\d{6,12})(?!\d)"
)
_IDENTITY_PART = re.compile(
    r"身份证(?:号码?)?(?:后|尾|末|前)[四六八4-8]?[位号]?(?:数|码)?(?:是|为|:|：)?\s?(\d{3,8}x?)(?!\d)"
)
_LANDLINE = re.compile(r"(?<![\d.])(?:0\d{2,3}[- ]?[2-9]\d{6,7}|[48]00[- ]?\d{3,4}[- ]?\d{3,4})(?!\d)")
_IDENTITY = re.compile(r"(?<![a-z\d])[1-8]\d{16}[\dx](?![a-z\d])")
_CARD = re.compile(r"(?<!\d)(?:62|4|5)\d{2}(?:[ -]?\d{4}){3}(?:[ -]?\d{1,3})?(?!\d)")
_MAIL = re.compile(r"[a-z0-9][\w.+-]{0,63}@[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,4}")
_ACCOUNT = re.compile(
    r"(?:微信|v信|薇信|威信|企微|qq|抖音|(?<![a-z])(?:wechat|weixin|wx|vx|line|whatsapp|telegram))"
    r"(?:号码|号|id| id)?(?:同号)?\s?(?:是|为|:|：|is)?\s?((?=[a-z0-9_-]{0,19}\d)[a-z][a-z0-9_-]{4,19}|[1-9]\d{4,10})(?![a-z0-9])"
)
_NO_PHONE = re.compile(
    r"(?:编号|单号|订单|工单|流水|车架|合同|备案|证号|房源|车源|许可证|no\.?|id)[号码是为:： ]{0,4}$"
)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


@dataclass(frozen=True, slots=True)
class Contact:
    """A way to reach or name a person: `value` without separators; `start` and `end` are offsets in `norm`."""

    kind: str
    value: str
    start: int
    end: int


def digits_of(norm: str) -> str:
    """Give a text's digits alone, spelled ones too: what a number is looked up in."""
    return "".join(c for c in norm.translate(_SPELLED) if c.isdigit() or c == "x")


def read_contacts(norm: str) -> tuple[Contact, ...]:
    """Find every contact and personal number in a normalised text, each once, in order of kind."""
    plain = norm.translate(_SPELLED)
    if "@" not in plain and not any(map(str.isdigit, plain)):
        return ()
    return tuple(_read(plain))


def _read(plain: str) -> Iterator[Contact]:
    taken = bytearray(len(plain))
    seen: set[tuple[str, str]] = set()
    for kind, pattern in _KINDS:
        for match in pattern.finditer(plain):
            start, end = match.span(match.lastindex or 0)
            words = plain[start:end]
            if 1 in taken[start:end] or not _is(kind, plain, start, words):
                continue
            taken[start:end] = b"\x01" * (end - start)
            contact = Contact(kind, _bare(kind, words), start, end)
            if (kind, contact.value) not in seen:
                seen.add((kind, contact.value))
                yield contact


_KINDS = (
    ("email", _MAIL),
    ("identity", _IDENTITY),
    ("identity_part", _IDENTITY_PART),
    ("paper", _PAPER),
    ("card", _CARD),
    ("phone", _MASKED),
    ("phone", _MOBILE),
    ("phone", _ABROAD),
    ("landline", _LANDLINE),
    ("account", _ACCOUNT),
)


def _bare(kind: str, words: str) -> str:
    if kind in ("email", "account"):
        return words
    value = digits_of(words)
    return value[2:] if kind == "phone" and len(value) == 13 and value.startswith("86") else value


def _is(kind: str, plain: str, start: int, words: str) -> bool:
    before = plain[max(0, start - 12) : start]
    if kind == "identity":
        return _born(words[6:14]) and (_checks(words) or "身份证" in before or "证件" in before or "id" in before)
    if kind in ("phone", "landline"):
        return _NO_PHONE.search(before) is None
    if kind == "card":
        return "卡" in before or "账" in before or "card" in before or "account" in before
    return True


def _born(digits: str) -> bool:
    try:
        day = date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return 1900 <= day.year <= 2100


def _checks(words: str) -> bool:
    """The check digit of GB 11643-1999."""
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, words, strict=False))
    return "10x98765432"[total % 11] == words[17]
