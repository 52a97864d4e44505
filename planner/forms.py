"""Quantities whose numeral and unit are one phrase: 百分之三点五, 打九五折, 三成半, 18/33层, 半年, 一个半小时, 1比1.2.

Phrases of closed classes live here; those that a trade made (满五, 国六) are rows of `data/grammar.yaml`.
"""

import functools
import re
from collections.abc import Callable
from decimal import Decimal

from planner.found import Found
from planner.grammar import Form, grammar
from planner.numerals import CHINESE, DIGITS, numeral
from planner.spelled import small, year_of

_C = f"[{CHINESE}]"
_N = rf"(?:\d{{1,4}}(?:\.\d{{1,3}})?|{_C}{{1,6}}(?:点[零〇一二三四五六七八九]{{1,4}})?)"
_D = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
_SHARES = {"百": Decimal(1), "千": Decimal("0.1"), "万": Decimal("0.01")}
_ROMAN = {"iii": "3", "iv": "4", "v": "5", "vi": "6"}
_HALVES = {
    "小时": ("30", "minute"),
    "钟头": ("30", "minute"),
    "钟": ("30", "minute"),
    "年": ("6", "month"),
    "月": ("15", "day"),
    "天": ("0.5", "day"),
}

_Match = re.Match[str]
_Reader = Callable[[_Match], list[Found]]


def forms(norm: str) -> list[Found]:
    """Find the quantities that are one phrase; of two that overlap the first stands."""
    found: list[Found] = []
    taken: set[int] = set()
    for needs, pattern, reader in _readers():
        if needs in norm:
            for match in pattern.finditer(norm):
                if taken.isdisjoint(range(*match.span())):
                    found += reader(match)
                    taken.update(range(*match.span()))
    return found


@functools.cache
def _readers() -> tuple[tuple[str, re.Pattern[str], _Reader], ...]:
    return tuple((form.needs, form.pattern, functools.partial(_told, form)) for form in grammar().forms) + _CLOSED


def decimal_of(word: str) -> Decimal | None:
    """Read a whole word as one number; None when it is not one."""
    number = numeral(word, 0)
    return number.low if number and number.end == len(word) and not number.pair else None


def _told(form: Form, match: _Match) -> list[Found]:
    if form.value is not None:
        return [Found(form.kind, form.value, form.unit, *match.span())]
    groups = {name: word or "" for name, word in match.groupdict().items()}
    word = groups.get("n") or groups.get("n2", "")
    number = _ROMAN.get(word) or str(year_of(word) if form.read == "year" else small(word))
    if form.text:
        spelled = {name: _ROMAN.get(w) or (str(small(w)) if w and w[0] in DIGITS else w) for name, w in groups.items()}
        return [Found(form.kind, form.text.format_map({"ab": "", **spelled}), None, *match.span())]
    value = (Decimal(number) + form.plus) * (-1 if groups.get("minus") else 1)
    if groups.get("less"):
        return [Found(form.kind, value, form.unit, *match.span(), high=value, approx="under")]
    return [Found(form.kind, value, form.unit, *match.span())]


def _one(match: _Match, kind: str, value: Decimal | str | None, unit: str | None) -> list[Found]:
    if value is None:
        return [Found("unreadable", None, None, *match.span())]
    return [Found(kind, value, unit, *match.span())]


def _part(match: _Match) -> list[Found]:
    value = decimal_of(match["n"])
    if value == 100 and match["of"] == "百":  # 百分之百放心 is an emphasis
        return []
    return _one(match, "percent", None if value is None else value * _SHARES[match["of"]], "%")


def _digits(word: str) -> Decimal:
    return Decimal("".join(str(DIGITS.get(c, c)) for c in word))


def _discount(match: _Match) -> list[Found]:
    value = _digits(match["n"].replace("点", "."))
    return _one(match, "percent", value * 10 if value < 10 else value, "%")


def _tenths(match: _Match) -> list[Found]:
    tail = match["tail"]
    more = 0 if tail is None else 5 if tail == "半" else DIGITS[tail]
    return _one(match, "percent", _digits(match["n"]) * 10 + more, "%")


def _storey(match: _Match) -> list[Found]:
    floor, total = Decimal(match["n"] or match["n2"]), Decimal(match["all"] or match["all2"])
    if not 0 < floor <= total <= 150:
        return []
    span = match.start("n") if match["n"] else match.start("n2"), match.end()
    return [Found("floor", floor, "floor", *span), Found("floors_total", total, "floor", *span)]


def _half(match: _Match) -> list[Found]:
    value, unit = _HALVES[match["n"]]
    return _one(match, "duration", Decimal(value), unit)


def _and_half(match: _Match) -> list[Found]:
    count, word = Decimal(small(match["n"])), match["unit"]
    if "年" in word:
        return _one(match, "duration", count * 12 + 6, "month")
    if "公里" in word:
        return _one(match, "distance", count + Decimal("0.5"), "km")
    if "月" in word:
        return _one(match, "duration", count + Decimal("0.5"), "month")
    return _one(match, "duration", count * 60 + 30, "minute")


def _one_and_half(match: _Match) -> list[Found]:
    value, alone = Decimal(small(match["n"])) + Decimal("0.5"), match["noun"] is None
    return [Found("number" if alone else "count", value, None if alone else "个", match.start(), match.end("half"))]


def _spoken_point(match: _Match) -> list[Found]:
    """Read 七个六 as 7.6."""
    return _one(match, "number", small(match["n"]) + Decimal(DIGITS[match["t"]]) / 10, None)


def _spoken_percent(match: _Match) -> list[Found]:
    """Read 三个点二五 as 3.25 %."""
    return _one(match, "percent", small(match["n"]) + _digits("0." + match["t"]), "%")


def _ratio(match: _Match) -> list[Found]:
    first, second = decimal_of(match["a"]), decimal_of(match["b"])
    spelled = None if first is None or second is None else f"{first.normalize():f}:{second.normalize():f}"
    return _one(match, "ratio", spelled, None)


_BEFORE = rf"(?<![\d.{CHINESE}])"
_STOREY = r"(?P<n>\d{1,3}) ?/ ?(?P<all>\d{1,3})"
_CLOSED: tuple[tuple[str, re.Pattern[str], _Reader], ...] = (
    ("分之", re.compile(rf"(?<![{CHINESE}])(?P<of>[百千万])分之(?P<n>{_N})"), _part),
    (
        "折",
        re.compile(
            rf"{_BEFORE}(?P<n>[一二三四五六七八九](?:点?[一二三四五六七八九])?|\d(?:\.\d{{1,2}})?|[1-9]\d)折(?![腾旧算叠合现中磨返断])"
        ),
        _discount,
    ),
    (
        "成",
        re.compile(
            rf"{_BEFORE}(?P<n>\d(?:\.\d)?|[一二两三四五六七八九])成(?P<tail>[一二三四五六七八九半](?![成年个月套万十百千]))?(?!就(?!是|能|可|够|行|要|得|算)|[交本功立为都家双员长人果分熟])"
        ),
        _tenths,
    ),
    (
        "/",
        re.compile(
            rf"(?:(?<![\d./:-]){_STOREY} ?(?:层|楼|floors?|f(?![a-z]))|(?<=楼层)[:： 是为在]{{0,2}}(?P<n2>\d{{1,3}}) ?/ ?(?P<all2>\d{{1,3}})(?![\d/%.]))"
        ),
        _storey,
    ),
    (
        "/",
        re.compile(r"(?<=[高中低楼层区]/)(?:共|总高)?(?P<n>\d{1,3}) ?[层楼]"),
        lambda match: _one(match, "floors_total", Decimal(match["n"]), "floor"),
    ),
    ("半", re.compile(rf"{_BEFORE}(?P<n>{_D})个?(?P<unit>年半|月半|半月|半小时|半钟头|小时半|公里半)"), _and_half),
    (
        "个半",
        re.compile(rf"{_BEFORE}(?P<n>{_D})(?P<half>个半)(?![小钟年月天学点])(?P<noun>[\u4e00-\u9fff])?"),
        _one_and_half,
    ),
    (
        "个",
        re.compile(
            rf"(?<![\d.{CHINESE}这那哪几第每])(?P<n>[一二两三四五六七八九]|十[一二三四五六七八九]?|\d{{1,2}})个(?P<t>[一二三四五六七八九])"
            r"(?=$|[\s，,。.；;、！!？?)）了吧呢哈啊呀嘛左上升油秒\x00]|的(?:油|样子|利率|$|[\s，,。！？]))"
        ),
        _spoken_point,
    ),
    (
        "点",
        re.compile(
            rf"{_BEFORE}(?P<n>[一二两三四五六七八九]|十[一二三四五六七八九]?|\d{{1,2}})个点(?P<t>[零一二三四五六七八九]{{1,3}}|\d{{1,3}})(?![\d.十百千万亿个成号点天年月])"
        ),
        _spoken_percent,
    ),
    ("半", re.compile(rf"{_BEFORE}半个?(?P<n>小时|钟头|钟|年|月|天)(?![租供付底])"), _half),
    ("折", re.compile(r"(?<=[打付首])对折"), lambda match: _one(match, "percent", Decimal(50), "%")),
    ("万", re.compile(r"(?<=[息费佣金率])(?P<of>万)(?P<n>[一二三四五六七八九])(?![十百千万亿点\d])"), _part),
    ("千", re.compile(r"(?<=[息费佣金率])(?P<of>千)(?P<n>[一二三四五六七八九])(?![十百千万亿点\d])"), _part),
    (
        "分之",
        re.compile(r"(?P<b>[二三四五六七八九十])分之(?P<a>[一二三四五六七八九])"),
        lambda match: _one(match, "ratio", f"{small(match['a'])}/{small(match['b'])}", None),
    ),
    (
        "/",
        re.compile(r"(?<![\d./:-])(?P<a>[12])/(?P<b>[2-5])(?![\d./层楼月日号])"),
        lambda match: _one(match, "ratio", f"{match['a']}/{match['b']}", None),
    ),
    (
        "刻钟",
        re.compile(r"(?P<n>[一二两三])刻钟"),
        lambda match: _one(match, "duration", Decimal(15 * small(match["n"])), "minute"),
    ),
    (
        "比",
        re.compile(
            r"(?<![\d.])(?P<a>\d{1,3}(?:\.\d{1,2})?|一)比(?P<b>\d{1,3}(?:\.\d{1,3})?|[零一二三四五六七八九]点[一二三四五六七八九]{1,2}|一)(?![\d：年月])"
        ),
        _ratio,
    ),
    (":", re.compile(r"(?<![\d.:/-])(?P<a>\d{1,3}(?:\.\d{1,2})?):(?P<b>\d(?:\.\d{1,3})?)(?![\d:])"), _ratio),
    ("一半", re.compile(r"(?<=[付贷首出例])一半"), lambda match: _one(match, "percent", Decimal(50), "%")),
    (
        "负",
        re.compile(r"负(?P<n>[1-5一二三四五])[层楼]"),
        lambda match: _one(match, "floor", Decimal(-small(match["n"])), "floor"),
    ),
    (
        "-",
        re.compile(r"(?<![\d\w.层楼])-(?P<n>[1-5])[层楼]"),
        lambda match: _one(match, "floor", Decimal(-small(match["n"])), "floor"),
    ),
)
