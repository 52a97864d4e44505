"""Identifiers: numbers that name something. They are read first, as text, and never compared as quantities."""

import re
from collections.abc import Callable

from planner.found import Found
from planner.numerals import numeral

_N = r"(?:\d{1,3}|[一二三四五六七八九十]{1,3})"
_PLATES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
# A letter beside a digit makes a name (q5, l-1001, 4s), except where the letters are a unit, a currency or a scale.
_UNITS = (
    r"(?:w|k|km|kms|kmh|kph|m|mn|mil|m2|sqm|sq|sqft|l|t|tsi|tfsi|tgdi|tdi|f|kwh|kw|hp|ps|nm|bp|bps|pct|h|hr|hrs|min|mins|am|pm|a\.m|p\.m|"
    r"st|nd|rd|th|bed|beds|bedroom|bedrooms|bath|baths|br|bdr|ba|cm|mm|yr|yrs|rmb|cny|yuan|usd|hkd|years?|months?|weeks?|days?|hours?|minutes?|"
    r"meters?|metres?|miles?|percent|million|millions|thousand|billion|floors?|owners?|units?|seats?|seater)"
)

_IDENT = re.compile(
    rf"(?=[\da-z+ :：一二三四五六七八九十幺零{_PLATES}])(?:"  # most places fail here
    r"(?P<link>https?://[^\s\u4e00-\u9fff]+|www\.[^\s\u4e00-\u9fff]+|[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4})"
    r"|(?P<id_no>(?<!\d)[1-9]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dx](?![\da-z]))"
    r"|(?P<phone>(?<![\d.])(?:\+?86[- ]?)?1[3-9]\d(?:[- ]?\d{4}[- ]?\d{4}|[- ]?[*x]{4}[- ]?\d{4})(?!\d)"
    r"|(?<!\d)0\d{2,3}[- ]?\d{7,8}(?!\d)|(?<!\d)[48]00[- ]\d{3}[- ]\d{4}(?!\d)|(?<!\d)[48]00\d{7}(?![\d元])"
    r"|(?<![一二三四五六七八九零〇])[一幺][三四五六七八九][零〇一幺二三四五六七八九]{9}(?![零〇一二三四五六七八九十百千万]))"
    rf"|(?P<plate>[{_PLATES}][a-z][·•. ]?(?=[a-z0-9]{{0,5}}\d)[a-z0-9]{{5,6}}(?![a-z0-9]))"
    rf"|(?P<line>{_N}号线|(?<![a-z])(?:metro |subway )?line \d{{1,2}}(?!\d))"
    rf"|(?P<room_no>{_N}(?:号楼|栋|幢|座|号院)(?:{_N}(?:单元|门|座))?-?\d{{3,4}}(?:室|号|房|户)?(?![\d平㎡米元万.%])"
    rf"|{_N}(?:号楼|栋|幢)(?:{_N}单元)(?:\d{{3,4}}(?:室|号|房)?)?"
    r"|(?<![\d.,:/-])\d{1,3}-\d{1,2}-\d{3,4}(?!\d)|(?<![\d.,:/-])\d{1,2}-(?:[1-9]0\d|0\d{3}|[1-4]\d0\d)(?![\d万w平㎡米元kmbl千百亿分天年%,.-])(?! ?(?:万|平|公里|元|km|sqm))"
    r"|(?<![\d.,:])\d{3,4}(?:室|房间|号房)(?!内)|(?<![\d.])[1-9]\d{2,3}房(?![产子价源东贷款本])"
    r"|(?<![a-z\d])[a-z]座\d{3,4}室?(?!\d)|(?<![a-z])(?:unit|apt\.?|apartment|room|flat) #?\d{3,5}[a-z]?(?![a-z\d]))"
    rf"|(?P<building>(?<![共有]){_N}(?:号楼|号院|号门|号店|号厅|单元|栋楼|栋|幢|号房|号地)|(?<![\d.])[a-z]座)"
    r"|(?P<address>(?<=[路街道巷弄里])\d{1,5}(?:号|弄)(?:\d{1,4}(?:号|室))?)"
    r"|(?P<code>(?<![\d:：])0[:：][0-5]\d(?![\d:：])|(?<![\d.,])(?!(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d))\d{8,}(?![\d.,元万块])|(?<![\d.])\d{3}(?:t|tsi|tfsi)(?![a-z])|(?<![\d.])\d\.\d(?:g|e|v|se|sv|gl|gs|mt|at|cvt)(?![a-z])|(?<![\d.,:：/-])0\d{1,9}(?![\d.:：年月日号点分])"
    rf"|(?<![a-z0-9])(?!(?:rmb|cny|usd|hkd|lpr|us|n)[ -]?\d|x\d)[a-z]{{1,12}}-?\d{{1,12}}(?:[a-z]{{0,6}}\d{{0,8}}-?\d{{0,8}})(?![\d%万亿元块平㎡]|\.\d|,\d)"
    rf"|(?<![a-z0-9.,:])\d{{1,6}}(?!{_UNITS}(?![a-z]))[a-z]{{1,6}}(?![a-z])(?:\d{{1,4}})?)"
    r"|(?P<series>(?<!\d)\d系(?!统|列)|(?<=工号)[ :：]?\d{2,8}|(?<=编号)[ :：]?[a-z0-9-]{2,24}|(?<=单号)[ :：]?[a-z0-9-]{2,24})"
    r")"
)
# Only these are worth telling: the others are names, links and marks.
_TOLD = frozenset({"phone", "plate", "line", "room_no", "building", "id_no", "address"})
_TRIGGER = re.compile(r"\d|号线|栋|单元|[一幺][三四五六七八九][零〇一幺二三四五六七八九]")


def identifiers(norm: str) -> tuple[list[Found], list[tuple[int, int]]]:
    """Find the identifiers worth telling, and the spans of all that name something and must not be read as numbers."""
    found: list[Found] = []
    taken: list[tuple[int, int]] = []
    if not _TRIGGER.search(norm):
        return found, taken
    for match in _IDENT.finditer(norm):
        kind = match.lastgroup or "code"
        taken.append(match.span())
        if kind in _TOLD or (kind == "code" and match.group().isdecimal() and len(match.group()) >= 8):
            found.append(Found(kind, _canonical(kind, match.group()), None, match.start(), match.end()))
    return found, taken


def _canonical(kind: str, word: str) -> str:
    shape: Callable[[str], str] = _SHAPES.get(kind, str)
    return shape(word)


def _arabic(word: str) -> str:
    """Spell the numerals of a name with digits: 五号楼 and 5号楼 are the same."""
    out, at = "", 0
    while at < len(word):
        number = numeral(word, at) if not word[at].isascii() else None
        if number is None:
            out, at = out + word[at], at + 1
        else:
            out, at = out + f"{number.low:f}", number.end
    return out


def _phone(word: str) -> str:
    spelled = word.translate(str.maketrans("零〇一幺二三四五六七八九", "001123456789"))
    digits = re.sub(r"[^\d*x]", "", spelled)
    return digits[2:] if len(digits) == 13 and digits.startswith("86") else digits


def _line(word: str) -> str:
    digits = re.search(r"line (\d+)", word)
    return f"{digits.group(1)}号线" if digits else _arabic(word)


_SHAPES: dict[str, Callable[[str], str]] = {
    "phone": _phone,
    "plate": lambda word: re.sub(r"[^\w]", "", word).upper(),
    "line": _line,
    "room_no": lambda word: re.sub(r"^(?:[a-z. #]+)?(\d+[a-z]?)(?:室|房间|号房|房)?$", r"\1", _arabic(word)).upper(),
    "building": lambda word: _arabic(word).upper(),
    "address": _arabic,
    "id_no": str.upper,
}
