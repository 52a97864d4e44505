"""What an amount measures: its unit says so, else the word beside it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from planner.grammar import Role, Unit
from planner.numerals import Numeral

PRICES = frozenset({"money", "unit_price"})
_ONE = Decimal(1)
_PEOPLE = "妻子弟妹女母父哥姐爷婆孙嫂侣友人咱你我他她它们"
_MILLION = Decimal(1_000_000)
_TRAVELLED = re.compile(r" ?(?:on the (?:odometer|clock|dash)|driven|of mileage|mileage|里程|表显)")
# Before 5.2m these make it millions.
# A thing and its number at the end of a clause (机械钥匙一把) count; behind a verb 一 stays an article.
_LISTED = re.compile(r"$|[，,。；;、|）)]")
_NO_NOUN = frozenset(("", *"有看来去发留送给问说试跑查算约请再了过买卖租换找选要挑拿做是的年月天家层户人次 ，,。"))
_PRICED = re.compile(r"price|reduced|asking|offer|budget|sold (?:for|at)|cost|worth|valued|listed|loan")
_LIMIT = re.compile(r"(?:只|就|仅|剩|共|唯|最后|才|足足|整整)(?:有|剩|余|是|要)?$")
# Which numbers without a unit a role may claim.
_BARE = {
    "yuan": (Decimal(100), Decimal(10**12)),
    "number": (Decimal(10), Decimal(10**6)),
    "rate": (Decimal(0), Decimal(30)),
    "floors": (Decimal(2), Decimal(150)),
    "litres": (Decimal("0.6"), Decimal(9)),
}
# From here on a length in kilometres is no way to walk but what stands on a clock.
_CLOCKED = 2000
# A price per square metre beyond this is a total price whose row says 均价.
_DEAREST = 500_000


@dataclass(frozen=True, slots=True)
class Seen:
    """An amount and its surroundings: `norm[number.start:end]` with the `unit` word and the `role` beside it."""

    norm: str
    number: Numeral
    unit: Unit | None
    end: int
    role: Role | None
    currency: str | None

    @property
    def ordinal(self) -> bool:
        """Whether 第 stands before it."""
        return self.norm[self.number.start - 1 : self.number.start] == "第"

    @property
    def article(self) -> bool:
        """Whether it is 一 as in 一套房: an article, unless a limiting word stands before it."""
        number = self.number
        if not (number.chinese and number.low == number.high == 1 and number.end - number.start == 1):
            return False
        if _LIMIT.search(self.norm[max(0, number.start - 4) : number.start]):
            return False
        last = self.unit is not None and self.unit.itself and _LISTED.match(self.norm, self.end) is not None
        return not last or self.norm[number.start - 1 : number.start] in _NO_NOUN

    @property
    def pointed(self) -> bool:
        """Whether a pointing word stands before it: 这两套 names homes and counts none."""
        return self.norm[self.number.start - 1 : self.number.start] in tuple("这那哪您你咱另每各")

    @property
    def embedded(self) -> bool:
        """Whether it is a single character inside a word or name (七律, 老二, 万象), or the pronoun `one`."""
        number = self.number
        beside = self.norm[number.start - 1 : number.start] + self.norm[number.end : number.end + 1]
        if not number.chinese or number.end - number.start > 1:
            return self.norm[number.start : number.end] == "one"
        return any("\u4e00" <= char <= "\u9fff" for char in beside) or self.norm[number.start] in "一两俩仨万千百亿半"

    @property
    def both(self) -> bool:
        """Whether it is 俩 or 仨, which hold their classifier; 夫妻俩 and 俩老 are people."""
        start, end = self.number.start, self.number.end
        if end - start > 1 or self.norm[start] not in "俩仨":
            return False
        return self.norm[start - 1 : start] not in tuple(_PEOPLE) and self.norm[end : end + 1] not in tuple("人口老钱")

    @property
    def scale_alone(self) -> bool:
        """Whether it is 百, 千, 万 or 亿 without a digit, as in 千家万户; 上千块 is an amount."""
        number = self.number
        alone = number.end - number.start == 1 and self.norm[number.start] in "百千万亿"
        return alone and self.norm[number.start - 1 : number.start] not in ("上", "近", "成", "约", "小")


Kind = tuple[str, str | None, Decimal]


def kind_of(seen: Seen) -> Kind | None:
    """Give kind, unit and the factor to that unit; None when the words count nothing (一个, 一平)."""
    if seen.scale_alone:
        return None
    if seen.unit is None:
        return _bare(seen)
    reader = _BY_KIND.get(seen.unit.kind)
    return reader(seen, seen.unit) if reader else (seen.unit.kind, seen.unit.unit, seen.unit.factor)


def _bare(seen: Seen) -> Kind | None:
    number, role = seen.number, seen.role
    priced = role is not None and role.kind in PRICES
    if seen.currency:
        return ("money", role.unit if role and priced and seen.currency == "CNY" else seen.currency, _ONE)
    if number.scale >= 1000:
        return _scaled(role)
    if role is not None and not seen.embedded:
        told = _told(number, role)
        if told:
            return told
    if seen.ordinal:
        return None if number.low == 1 else ("ordinal", None, _ONE)
    if seen.both:
        return ("count", "个", _ONE)
    return None if seen.embedded else ("number", None, _ONE)


def _scaled(role: Role | None) -> Kind:
    """Read 350万 as money, unless a word beside it says kilometres."""
    if role is not None and role.kind in ("money", "unit_price", "mileage", "range"):
        return role.kind, role.unit, _ONE
    return "money", "CNY", _ONE


def _told(number: Numeral, role: Role) -> Kind | None:
    """Read a number without a unit by its role: 月供8600 in yuan, 总价350 in ten thousands, 建面89 in m2."""
    if role.bare in ("wan", "deal") and number.low >= (1 if role.bare == "wan" else 10):
        return role.kind, role.unit, _ONE if number.high >= 1000 else Decimal(10_000)
    least, most = _BARE.get(role.bare, (_ONE, Decimal(0)))
    return (role.kind, role.unit, _ONE) if least <= number.low and number.high <= most else None


def _money(seen: Seen, unit: Unit) -> Kind:
    role = seen.role
    if role is None or role.kind not in PRICES or unit.unit != "CNY":
        return unit.kind, unit.unit, unit.factor
    if role.kind == "unit_price" and seen.number.low >= _DEAREST:
        return "money", "CNY", unit.factor
    return role.kind, role.unit, unit.factor


def _distance(seen: Seen, unit: Unit) -> Kind:
    role = seen.role
    millions = unit.id == "metre" and seen.norm[seen.end - 1] == "m" and seen.number.low < _CLOCKED
    priced = role is not None and role.kind == "money"
    if millions and (
        seen.currency or priced or _PRICED.search(seen.norm, max(0, seen.number.start - 40), seen.number.start)
    ):
        return "money", seen.currency or "CNY", _MILLION
    if unit.unit not in ("km", "mile"):
        return unit.kind, unit.unit, unit.factor
    if role is not None and role.kind in ("mileage", "range", "distance"):
        return role.kind, unit.unit, unit.factor
    travelled = seen.number.high >= _CLOCKED or _TRAVELLED.match(seen.norm, seen.end)
    return ("mileage" if travelled else "distance"), unit.unit, unit.factor


def _floor(seen: Seen, unit: Unit) -> Kind:
    total = seen.role is not None and seen.role.kind == "floors_total"
    return ("floors_total" if total else unit.kind), unit.unit, _ONE


def _duration(seen: Seen, unit: Unit) -> Kind:
    if seen.ordinal:
        return "ordinal", unit.unit, _ONE
    if unit.unit == "year" and 1900 < seen.number.low < 2100 and not seen.number.pair:
        return "year", "year", _ONE  # 两千零八年
    tenure = unit.unit == "year" and seen.role is not None and seen.role.kind == "tenure"
    return ("tenure" if tenure else unit.kind), unit.unit, unit.factor


def _area(seen: Seen, unit: Unit) -> Kind | None:
    return None if seen.article else (unit.kind, unit.unit, unit.factor)


def _count(seen: Seen, unit: Unit) -> Kind | None:
    role = seen.role
    if (
        unit.itself
        and role is not None
        and role.bare == "wan"
        and seen.number.low >= 20
        and seen.norm[seen.end - 1] == "个"
    ):
        return role.kind, role.unit, Decimal(10_000)  # 报350个 counts ten thousands
    name = seen.norm[seen.number.end : seen.end].strip(" +-") if unit.itself else unit.unit
    if seen.ordinal:
        return "ordinal", name, _ONE
    if (
        (seen.article and name != "梯")
        or seen.pointed
        or (seen.norm[seen.number.start : seen.number.end] == "二" and unit.itself)
    ):
        return None  # two things are 两个; 二把手 is a name
    return "count", name, _ONE


def _displacement(seen: Seen, unit: Unit) -> Kind:
    if seen.role is not None and seen.role.kind == "consumption":
        return "consumption", "L/100km", _ONE
    return unit.kind, unit.unit, unit.factor


_BY_KIND: dict[str, Callable[[Seen, Unit], Kind | None]] = {
    "money": _money,
    "distance": _distance,
    "floor": _floor,
    "duration": _duration,
    "area": _area,
    "displacement": _displacement,
    "count": _count,
}
