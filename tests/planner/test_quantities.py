"""Quantities read as exact values in canonical units, whatever their spelling."""

from datetime import datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.quantities import Quantity, read
from planner.text import normalize

NOW = datetime.fromisoformat("2026-03-05T09:00:00+08:00")


def _read(text: str) -> tuple[Quantity, ...]:
    return read(normalize(text), NOW)


def _values(text: str) -> list[tuple[str, object, str | None]]:
    def plain(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(plain(end) for end in value)
        return float(value) if isinstance(value, Decimal) else value

    return [(q.kind, plain(q.value), q.unit) for q in _read(text)]


MONEY = [
    ("底价二百六十五万", 2650000),
    ("挂265w", 2650000),
    ("卖２６５万", 2650000),
    ("贰佰陆拾伍万元整", 2650000),
    ("兩百六十五萬", 2650000),
    ("人民币2,650,000.00元", 2650000),
    ("¥2,650,000", 2650000),
    ("265 万元", 2650000),
    ("RMB 2.65m", 2650000),
    ("2.65 million yuan", 2650000),
    ("two point six five million", 2650000),
    ("2️⃣6️⃣5️⃣万", 2650000),
    ("𝟐𝟔𝟓万", 2650000),
    ("٢٦٥万", 2650000),
    ("7万3000", 73000),
    ("19万6", 196000),
    ("十九万六", 196000),
    ("19.6万", 196000),
    ("6千零50万", 60500000),
    ("3亿2千万", 320000000),
    ("八十八万八千八百", 888800),
    ("五块六", Decimal("5.6")),
    ("六块零五", Decimal("6.05")),
    ("三块二毛五", Decimal("3.25")),
    ("优惠1500", 1500),
    ("总价265", 2650000),
    ("报价两百六十五", 2650000),
    ("预算8000", 8000),
    ("265的预算", 2650000),
    ("a deposit of 20,000", 20000),
    ("vip3万", 30000),
    ("half a million", 500000),
    ("350 thousand", 350000),
    ("RMB 139,800, and a lift", 139800),
]


@pytest.mark.parametrize(("text", "value"), MONEY)
def test_any_spelling_of_an_amount_is_that_amount(text: str, value: Decimal | int) -> None:
    (found,) = _read(text)
    assert (found.kind, found.value, found.unit) == ("money", Decimal(value), "CNY")


EACH = [
    ("月供九千六", [("money", 9600, "CNY/month")]),
    ("物业费一个月三百二", [("money", 320, "CNY/month")]),
    ("6800的租金", [("money", 6800, "CNY/month")]),
    ("年租金8万", [("money", 80000, "CNY/year")]),
    ("RMB 6,200 a month", [("money", 6200, "CNY/month")]),
    ("临停6块一小时", [("money", 6, "CNY/hour")]),
    ("车位18万5一个", [("money", 185000, "CNY")]),
    ("两万六一平", [("unit_price", 26000, "CNY/m2")]),
    ("单价41250", [("unit_price", 41250, "CNY/m2")]),
    ("一平三万", [("unit_price", 30000, "CNY/m2")]),
    ("28,000 per sqm", [("unit_price", 28000, "CNY/m2")]),
    ("2.6元/平/月", [("unit_price", 2.6, "CNY/m2/month")]),
    ("每平米两块六一个月", [("unit_price", 2.6, "CNY/m2/month")]),
    ("佣金1.5个点", [("percent", 1.5, "%")]),
    ("首付两成五", [("percent", 25, "%")]),
    ("打八八折", [("percent", 88, "%")]),
    ("百分之四点二", [("percent", 4.2, "%")]),
    ("万分之三", [("percent", 0.03, "%")]),
    ("利率3.15", [("percent", 3.15, "%")]),
    ("LPR-25bp", [("bp", -25, "bp")]),
    ("LPR减二十五个基点", [("bp", -25, "bp")]),
    ("LPR加10BP", [("bp", 10, "bp")]),
    ("建面76㎡", [("area", 76, "m2")]),
    ("套内六十八点五平", [("area", 68.5, "m2")]),
    ("76 sqm", [("area", 76, "m2")]),
    ("四室两厅三卫", [("rooms", 4, "bedroom"), ("halls", 2, "hall"), ("baths", 3, "bath")]),
    ("a 4-bed with two bathrooms", [("rooms", 4, "bedroom"), ("baths", 2, "bath")]),
    ("9/26层", [("floor", 9, "floor"), ("floors_total", 26, "floor")]),
    ("9楼，总高26层", [("floor", 9, "floor"), ("floors_total", 26, "floor")]),
    ("9th floor of 26", [("floor", 9, "floor"), ("floors_total", 26, "floor")]),
    ("22层26层", [("floor", 22, "floor"), ("floor", 26, "floor")]),
    ("520万7层", [("money", 5200000, "CNY"), ("floor", 7, "floor")]),
    ("步行六百米", [("distance", 600, "m")]),
    ("1.8公里", [("distance", 1.8, "km")]),
    ("跑了4万2公里", [("mileage", 42000, "km")]),
    ("4.2万km", [("mileage", 42000, "km")]),
    ("表显4.2万", [("mileage", 42000, "km")]),
    ("12.8k km on the clock", [("mileage", 12800, "km")]),
    ("续航标称510公里", [("range", 510, "km")]),
    ("1.8T", [("displacement", 1.8, "T")]),
    ("三缸1.5升", [("displacement", 1.5, "L")]),
    ("百公里油耗7.2升", [("consumption", 7.2, "L/100km")]),
    ("国六b", [("emission", "国6b", None)]),
    ("China VI", [("emission", "国6", None)]),
    ("过户两次", [("transfers", 2, "times")]),
    ("0过户", [("transfers", 0, "times")]),
    ("一手车", [("owners", 1, "owner")]),
    ("two previous owners", [("owners", 2, "owner")]),
    ("不满二", [("holding_years", 2, "year")]),
    ("满五唯一", [("holding_years", 5, "year")]),
    ("产权40年", [("tenure", 40, "year")]),
    ("贷25年", [("duration", 25, "year")]),
    ("一年半", [("duration", 18, "month")]),
    ("两个半小时", [("duration", 150, "minute")]),
    ("半年", [("duration", 6, "month")]),
    ("16年的小区", [("year", 2016, "year")]),
    ("两千零八年", [("year", 2008, "year")]),
    ("2021款", [("model_year", 2021, "year")]),
    ("the 2021 Camry", [("model_year", 2021, "year")]),
    ("押一付三", [("terms", "押1付3", None)]),
    ("配比1比1.3", [("ratio", "1:1.3", None)]),
    ("两梯六户", [("count", 2, "梯"), ("count", 6, "户")]),
    ("twenty-five hundred", [("number", 2500, None)]),
    ("三〇六", [("number", 306, None)]),
    ("挂三百二", [("money", 3200000, "CNY")]),
    ("预算提到420吧", [("money", 4200000, "CNY")]),
    ("从420降到398万", [("money", 4200000, "CNY"), ("money", 3980000, "CNY")]),
    ("报320个", [("money", 3200000, "CNY")]),
    ("佣金千三", [("percent", 0.3, "%")]),
    ("百分之三点零五", [("percent", 3.05, "%")]),
    ("贷七成二十年", [("percent", 70, "%"), ("duration", 20, "year")]),
    ("一梯两户", [("count", 1, "梯"), ("count", 2, "户")]),
    ("6楼，总高28", [("floor", 6, "floor"), ("floors_total", 28, "floor")]),
    ("剩58年产权", [("tenure", 58, "year")]),
    ("两个半点", [("percent", 2.5, "%")]),
    ("half a percent", [("percent", 0.5, "%")]),
    ("付三分之一", [("ratio", "1/3", None)]),
    ("开间4米2", [("distance", 4.2, "m")]),
    ("a 600-metre walk", [("distance", 600, "m")]),
    ("没过过户", [("transfers", 0, "times")]),
    ("euro 6", [("emission", "欧6", None)]),
    ("13层小高层", [("floors_total", 13, "floor")]),
    ("中楼层/18层", [("floors_total", 18, "floor")]),
    ("负二层", [("floor", -2, "floor")]),
    ("an hour and a half", [("duration", 90, "minute")]),
    ("一个多小时", [("duration", 1, "hour")]),
    ("只有一套", [("count", 1, "套")]),
    ("第二套", [("ordinal", 2, "套")]),
]


@pytest.mark.parametrize(("text", "found"), EACH)
def test_a_quantity_has_its_kind_value_and_unit(text: str, found: list[tuple[str, object, str | None]]) -> None:
    assert _values(text) == found


ESTIMATES = [
    ("420多万", 4200000, 4200000, 4300000, "over"),
    ("四百多万", 4000000, 4000000, 5000000, "over"),
    ("四百二十来万", 4200000, 4150000, 4250000, "about"),
    ("9,600左右", 9600, 9550, 9650, "about"),
    ("约90平", 90, Decimal("85.5"), Decimal("94.5"), "about"),
    ("小40万", 400000, 360000, 400000, "under"),
    ("不到40万", 400000, None, 400000, "under"),
    ("40万出头", 400000, 400000, 410000, "over"),
    ("40万起", 400000, 400000, None, "at_least"),
    ("40w+", 400000, 400000, None, "at_least"),
    ("≥40万", 400000, 400000, None, "at_least"),
    ("不低于四成", 40, 40, None, "at_least"),
    ("最多贷七成", 70, None, 70, "at_most"),
    ("40万以内", 400000, None, 400000, "at_most"),
    ("超过40万", 400000, 400000, None, "over"),
    ("上百万", 1000000, 1000000, None, "over"),
    ("up to 400k", 400000, None, 400000, "at_most"),
    ("about 400k", 400000, 380000, 420000, "about"),
    ("十几万", 100000, 110000, 200000, "over"),
    ("一百三十几平", 130, 131, 140, "over"),
]


@pytest.mark.parametrize(("text", "value", "low", "high", "approx"), ESTIMATES)
def test_an_estimate_keeps_the_printed_value_and_says_what_it_leaves_open(
    text: str, value: object, low: object, high: object, approx: str
) -> None:
    (found,) = _read(text)
    assert (found.value, found.low, found.high, found.approx) == (value, low, high, approx)


RANGES = [
    ("400-450万", 4000000, 4500000),
    ("400万到450万", 4000000, 4500000),
    ("400~450W", 4000000, 4500000),
    ("8000到1万", 8000, 10000),
    ("between 4 and 4.5 million", 4000000, 4500000),
    ("四五十万", 400000, 500000),
    ("十六七万", 160000, 170000),
    ("一万六七", 16000, 17000),
    ("几十万", 200000, 990000),
    ("80到95平", 80, 95),
    ("三到五个工作日", 3, 5),
]


@pytest.mark.parametrize(("text", "low", "high"), RANGES)
def test_a_range_is_a_pair(text: str, low: int, high: int) -> None:
    (found,) = _read(text)
    assert (found.value, found.approx) == ((low, high), "range")


SPOKEN = [
    ("层高三米一五", "distance", "3.15", "m"),
    ("两块六五一平", "unit_price", "2.65", "CNY/m2"),
    ("离校门一公里四", "distance", "1.4", "km"),
    ("二十二万半", "money", "225000", "CNY"),
    ("电一度五毛三", "money", "0.53", "CNY"),
    ("车长四米八六五", "distance", "4.865", "m"),
    ("备用钥匙一把", "count", "1", "把"),
    ("零百五秒七", "duration", "5.7", "second"),
    ("付三成就行", "percent", "30", "%"),
    ("asking price 6.4M", "money", "6400000", "CNY"),
    ("车价9万半", "money", "95000", "CNY"),
    ("油耗六个九", "number", "6.9", None),
    ("一户摊一个半", "number", "1.5", None),
    ("气帘俩", "count", "2", "个"),
    ("变更过thrice", "count", "3", "times"),
    ("it was serviced twice", "count", "2", "times"),
    ("transferred once", "count", "1", "times"),
    ("是二手，手续全", "owners", "2", "owner"),
    ("物业费2.4元/㎡·月", "unit_price", "2.4", "CNY/m2/month"),
]


@pytest.mark.parametrize(("text", "kind", "value", "unit"), SPOKEN)
def test_spoken_numbers_are_read(text: str, kind: str, value: str, unit: str | None) -> None:
    (found,) = _read(text)
    assert (found.kind, found.value, found.unit) == (kind, Decimal(value), unit)


@pytest.mark.parametrize(
    "text",
    [
        "二手市场看看",
        "夫妻俩都上班",
        "once you sign it",
        "at once",
        "twice as fast",
        "这个六座的",
        "俩老住",
        "给您看一套",
        "有一套",
    ],
)
def test_what_only_sounds_like_a_spoken_number_is_none(text: str) -> None:
    assert not any(q.kind in ("number", "count", "owners") for q in _read(text))


@pytest.mark.parametrize("text", ["从420万降到398万", "3室和4室", "12-3"])
def test_two_amounts_side_by_side_are_no_range(text: str) -> None:
    assert not any(isinstance(q.value, tuple) for q in _read(text))


IDENTIFIERS = [
    ("微信同号13900012345", "phone", "13900012345"),
    ("一三九零零零一二三四五", "phone", "13900012345"),
    ("138****0000", "phone", "138****0000"),
    ("浙AD12345那台", "plate", "浙AD12345"),
    ("地铁十四号线", "line", "14号线"),
    ("metro line 14", "line", "14号线"),
    ("六号楼二单元1502", "room_no", "6号楼2单元1502"),
    ("2302室", "room_no", "2302"),
    ("6-1502", "room_no", "6-1502"),
    ("七栋", "building", "7栋"),
]


@pytest.mark.parametrize(("text", "kind", "value"), IDENTIFIERS)
def test_identifiers_are_text(text: str, kind: str, value: str) -> None:
    (found,) = _read(text)
    assert (found.kind, found.value, found.unit) == (kind, value, None)


@pytest.mark.parametrize("text", ["12万58", "两百八万", "一二三", "二十三十", "一万五百"])
def test_a_number_that_cannot_be_read_is_told_and_never_guessed(text: str) -> None:
    (found,) = _read(text)
    assert (found.kind, found.value) == ("unreadable", None)


SAME_FACTS = [
    ("总价二百六十五万", "RMB 2.65 million"),
    ("月供九千六", "monthly payment RMB 9,600"),
    ("单价两万六一平", "RMB 26,000 per sqm"),
    ("建面七十六平", "seventy-six sqm"),
    ("首付两成五", "25 percent down"),
    ("四室", "four bedrooms"),
    ("两个卫生间", "2 bathrooms"),
    ("9楼，总高26层", "9th floor of 26"),
    ("步行六百米", "600 metres on foot"),
    ("表显四万二公里", "42,000 km on the odometer"),
    ("二〇一六年", "in 2016"),
    ("2021款", "a 2021 Camry"),
    ("2027年6月30日", "June 30, 2027"),
    ("明天上午十点半", "tomorrow at 10:30 am"),
    ("周六下午", "Saturday afternoon"),
    ("国六", "China VI"),
    ("地铁十四号线", "metro line 14"),
    ("一任车主，两个车主", "one owner, two owners"),
    ("三个月内", "within three months"),
    ("最多40万", "up to 400k"),
]


@pytest.mark.parametrize(("chinese", "english"), SAME_FACTS)
def test_the_same_facts_are_the_same_quantities_in_chinese_and_english(chinese: str, english: str) -> None:
    def facts(text: str) -> list[tuple[object, ...]]:
        return [(q.kind, q.value, q.unit, q.low, q.high, q.approx) for q in _read(text)]

    assert facts(chinese) == facts(english) != []


NOTHING = [
    "一点也不远",
    "稍等一会儿",
    "一手房源也有",
    "再问一遍业主",
    "给您找一套合适的",
    "二把手不在",
    "千家万户",
    "有三点要注意",
    "那个小区一平多少钱",
    "我们百分之百尽力",
    "翡翠湾七号的业主",
    "她在奥迪4S店上班",
    "骐达A5L怎么样",
    "单号AB-20931",
    "this is a nice one",
    "one of my colleagues",
    "看链接https://a.example/350?x=12",
    "咱俩一起去",
    "几室的都有",
    "二维码发您",
    "这两个问题我记下了",
    "首付五五开",
    "80年代的老楼，我说80年代风格",
    "[语音] 0:12",
]


@pytest.mark.parametrize("text", NOTHING)
def test_words_that_count_nothing_are_no_quantities(text: str) -> None:
    assert _read(text) == ()


def test_quantities_compare_in_one_unit() -> None:
    assert _read("1.5公里")[0].base == _read("一千五百米")[0].base == (Decimal(1500), "m")
    assert _read("2年")[0].base == _read("24个月")[0].base
    assert _read("1到2小时")[0].base == ((Decimal(60), Decimal(120)), "minute")


_SPELL = "零一二三四五六七八九"


def _chinese(number: int) -> str:
    """Spell 1..9999 the long way."""
    out, zero = "", False
    for unit, word in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            out += ("零" if zero else "") + _SPELL[digit] + word
        zero = not digit and bool(out)
    return out


_CAPITAL = str.maketrans("零一二三四五六七八九十百千", "零壹贰叁肆伍陆柒捌玖拾佰仟")


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=1, max_value=9999))
def test_every_spelling_of_a_value_reads_as_that_value(number: int) -> None:
    """Digits, characters, capitals, full width, commas and English agree."""
    wide = "".join(chr(ord(c) + 0xFEE0) for c in str(number))
    spelled = _chinese(number)
    amounts = [
        f"{number}万",
        f"{number}w",
        f"{wide}万",
        f"{spelled}万",
        f"{spelled.translate(_CAPITAL)}萬圓整",
        f"{number * 10000:,}元",
        f"RMB {number * 10}k",
        f"{Decimal(number) / 100} million",
    ]
    assert {_read(text)[0].value for text in amounts} == {Decimal(number * 10000)}
    assert all(len(_read(text)) == 1 for text in amounts)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *"0123456789.,-~/:%+一二两三十百千万亿零点半几多来到月日号年周室层平元块折成wkm ",
                "左右",
                "以内",
                "约",
                "LPR",
                "bp",
                "one ",
                "twenty ",
                "million",
                "月供",
                "\u200b",
                "２",
                "㎡",
            ]
        ),
        max_size=30,
    )
)
def test_spans_cut_the_original_and_never_overlap(parts: list[str]) -> None:
    """A floor and its house's height share one phrase; nothing else is read twice."""
    text = normalize("".join(parts))
    end = 0
    for found in read(text, NOW):
        assert text.quote(found.start, found.end) == found.quote
        assert found.quote in text.original
        assert found.start >= end or found.kind == "floors_total"
        end = max(end, found.end)
        assert (found.value is None) == (found.kind == "unreadable")
