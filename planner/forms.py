"""Quantities whose unit and numeral are one phrase: 百分之三点五, 打九五折, 满五, 国六, 18/33层, 押一付三, 半年."""

import re
from collections.abc import Callable
from decimal import Decimal

from planner.dates import small, year_of
from planner.found import Found
from planner.numerals import CHINESE, DIGITS, numeral

_C = f"[{CHINESE}]"
_N = rf"(?:\d{{1,4}}(?:\.\d{{1,3}})?|{_C}{{1,6}}(?:点[零〇一二三四五六七八九]{{1,4}})?)"
_D = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"

_FORMS = re.compile(
    rf"(?P<part>(?<![{CHINESE}])(?P<of>[百千万])分之(?P<n>{_N}))"
    rf"|(?P<discount>(?<![\d.{CHINESE}])(?P<off>[一二三四五六七八九]{{1,2}}|\d(?:\.\d{{1,2}})?|[1-9]\d)折(?!腾|旧|算|叠|合|现|中|扣率|磨|返|断))"
    rf"|(?P<tenths>(?<![\d.{CHINESE}])(?P<t>\d(?:\.\d)?|[一二两三四五六七八九])成(?P<tail>[一二三四五六七八九半](?![成年个月套万]))?(?![交本功立就为都家双员长人果分熟]))"
    r"|(?P<holding>(?P<not>不|未|没|没有)?满(?P<years>[二两2五5])(?:年)?(?:了)?(?![百千万十\d层个月分次套元])(?:唯一)?)"
    r"|(?P<emission>(?<![全中本我外各两多])[国欧](?P<stage>[三四五六3-6]|iii|iv|vi|v)(?:阶段|标准)?(?P<ab>[ab])?(?![a-z\d百千万十道家]))"
    rf"|(?P<lpr>lpr ?(?P<sign>[-−–—+]|减|加|下浮|上浮) ?(?P<bp>\d{{1,3}}|{_C}{{1,5}}) ?(?:个)?(?:bps?|基点|个点|基点)?(?![\d.%]))"
    rf"|(?P<bare_bp>(?<![\d\w])(?P<bsign>[-−+])(?P<bbp>\d{{1,3}}) ?(?:bps?|个?基点))"
    rf"|(?P<storey>(?<![\d./:-])(?:第)?(?P<f>\d{{1,2}}) ?(?:/|of|／) ?(?P<all>\d{{1,3}}) ?(?:层|楼|floors?|f(?![a-z]))?(?![\d/%./号月日年]))"
    rf"|(?P<terms>押(?P<keep>[一二两三四五六半零0-6])付(?P<pay>[一二两三四五六年半0-9]{{1,2}}))"
    rf"|(?P<half_unit>(?<![\d.{CHINESE}])半(?:个)?(?P<hu>小时|钟头|年|月|天)(?![租供付])(?!底))"
    rf"|(?P<and_half>(?P<h>{_D})(?:个)?(?P<au>年半|月半|半月|半小时|半钟头|小时半))"
    rf"|(?P<ratio>(?<![\d.:/-])(?P<ra>\d{{1,3}}(?:\.\d{{1,2}})?|一)(?:[:：]|比|配)(?P<rb>\d{{1,3}}(?:\.\d{{1,3}})?|[零一二三四五六七八九]点[一二三四五六七八九]{{1,2}})(?![\d:：年月]))"
    rf"|(?P<model>(?<![\d.])(?P<my>(?:19|20)\d\d|[0-2]\d|[零〇一二][零〇一二三四五六七八九])(?: ?年)?款(?!项))"
    rf"|(?P<moved>过(?:了)?(?P<mt>{_D})(?:次|手)(?:户)?(?!房)|(?<![\d{CHINESE}])(?P<zero>[0零])(?:次)?过户|过户(?:了|过|次数[为是:：]?)?(?P<mt2>{_D})次|过户次数[为是:：]? ?(?P<mt3>\d{{1,2}}))"
    rf"|(?P<tenure>(?P<ten>(?<!\d)[4-7]0|[四五七]十|999) ?年(?:大|的|住宅|商业)?(?:产权|使用权|大产权))"
    r"|(?P<share>(?<=[付贷首出])一半|(?<=比例)一半)"
    r"|(?P<minus>(?<![\d\w.])[-−负](?P<mf>[12一二])[层楼](?!房))"
)
_TRIGGER = re.compile(r"分之|[折成满国欧押半比配款户]|lpr|bp|基点|\d ?/|of|[:：]|产权|负|-\d")
_SHARES = {"百": Decimal(1), "千": Decimal("0.1"), "万": Decimal("0.01")}
_STAGES = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7"}


def forms(norm: str) -> list[Found]:
    """Find the quantities that are one phrase."""
    if not _TRIGGER.search(norm):
        return []
    found: list[Found] = []
    for match in _FORMS.finditer(norm):
        group = next(name for name in _READERS if match[name] is not None)
        found += _READERS[group](match)
    return found


def decimal_of(word: str) -> Decimal | None:
    """Read a whole word as one number; None when it is not one."""
    number = numeral(word, 0)
    return number.low if number and number.end == len(word) and not number.pair else None


def _one(match: re.Match[str], kind: str, value: Decimal | str | None, unit: str | None) -> list[Found]:
    if value is None:
        return [Found("unreadable", None, None, match.start(), match.end())]
    return [Found(kind, value, unit, match.start(), match.end())]


def _part(match: re.Match[str]) -> list[Found]:
    value = decimal_of(match["n"])
    if value == 100 and match["of"] == "百":
        return []
    return _one(
        match,
        "percent",
        None if value is None else value * _SHARES[match["of"]],
        "%",
    )


def _digits(word: str) -> Decimal:
    return Decimal("".join(str(DIGITS[c]) if c in DIGITS else c for c in word))


def _discount(match: re.Match[str]) -> list[Found]:
    value = _digits(match["off"])
    return _one(match, "percent", value * 10 if value < 10 else value, "%")


def _tenths(match: re.Match[str]) -> list[Found]:
    tail = match["tail"]
    more = Decimal(0) if tail is None else Decimal(5) if tail == "半" else Decimal(DIGITS[tail])
    return _one(match, "percent", _digits(match["t"]) * 10 + more, "%")


def _holding(match: re.Match[str]) -> list[Found]:
    years = Decimal(2 if match["years"] in "二两2" else 5)
    if match["not"]:
        return [Found("holding_years", years, "year", match.start(), match.end(), high=years, approx="under")]
    return [Found("holding_years", years, "year", match.start(), match.end())]


def _emission(match: re.Match[str]) -> list[Found]:
    stage = match["stage"]
    digit = _STAGES.get(stage) or str(small(stage))
    return _one(match, "emission", match.group()[0] + digit + (match["ab"] or ""), None)


def _lpr(match: re.Match[str]) -> list[Found]:
    sign, word = match["sign"] or match["bsign"], match["bp"] or match["bbp"]
    value = decimal_of(word)
    return _one(match, "bp", None if value is None else (value if sign in ("+", "加", "上浮") else -value), "bp")


def _storey(match: re.Match[str]) -> list[Found]:
    floor, total = Decimal(match["f"]), Decimal(match["all"])
    if (
        not 0 < floor <= total
        or not 3 <= total <= 120
        or not re.search("层|楼|floor|f", match.group().partition(match["all"])[2] + match.group()[:1])
    ):
        return []
    return [
        Found("floor", floor, "floor", match.start(), match.end()),
        Found("floors_total", total, "floor", match.start(), match.end()),
    ]


def _terms(match: re.Match[str]) -> list[Found]:
    pay = match["pay"]
    spelled = pay if pay in "年半" else str(small(pay))
    keep = match["keep"] if match["keep"] == "半" else str(small(match["keep"]))
    return _one(match, "terms", f"押{keep}付{spelled}", None)


def _half(match: re.Match[str]) -> list[Found]:
    value, unit = {
        "小时": ("30", "minute"),
        "钟头": ("30", "minute"),
        "年": ("6", "month"),
        "月": ("15", "day"),
        "天": ("0.5", "day"),
    }[match["hu"]]
    return _one(match, "duration", Decimal(value), unit)


def _and_half(match: re.Match[str]) -> list[Found]:
    count = Decimal(small(match["h"]))
    word = match["au"]
    if "年" in word:
        return _one(match, "duration", count * 12 + 6, "month")
    if "月" in word:
        return _one(match, "duration", count + Decimal("0.5"), "month")
    return _one(match, "duration", count * 60 + 30, "minute")


def _ratio(match: re.Match[str]) -> list[Found]:
    second = decimal_of(match["rb"])
    first = decimal_of(match["ra"])
    return _one(
        match,
        "ratio",
        None if first is None or second is None else f"{first.normalize():f}:{second.normalize():f}",
        None,
    )


def _moved(match: re.Match[str]) -> list[Found]:
    word = match["mt"] or match["zero"] or match["mt2"] or match["mt3"]
    return _one(match, "transfers", Decimal(small(word)), "times")


_READERS: dict[str, Callable[[re.Match[str]], list[Found]]] = {
    "part": _part,
    "discount": _discount,
    "tenths": _tenths,
    "holding": _holding,
    "emission": _emission,
    "lpr": _lpr,
    "bare_bp": _lpr,
    "storey": _storey,
    "terms": _terms,
    "half_unit": _half,
    "and_half": _and_half,
    "ratio": _ratio,
    "model": lambda match: _one(match, "model_year", Decimal(year_of(match["my"])), "year"),
    "moved": _moved,
    "tenure": lambda match: _one(match, "tenure", decimal_of(match["ten"]), "year"),
    "share": lambda match: _one(match, "percent", Decimal(50), "%"),
    "minus": lambda match: _one(match, "floor", Decimal(-small(match["mf"])), "floor"),
}
