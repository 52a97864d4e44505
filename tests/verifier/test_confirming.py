"""What a judge may confirm: plain clauses by a literal quote of the right subject, and nothing that counts or names."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.plan import plan
from tests.verifier.turns import cite, tool, turn
from verifier.briefs import Scene
from verifier.claims import Status, Via
from verifier.counsel import Confirmation
from verifier.unnamed import is_plain
from verifier.verify import verify

VIEW = "客厅正对中央花园，前方空旷"
SEAT = "座椅支撑性好，乘坐感受佳"


def confirmed(draft, *evidence, quote, source="c1", asked="情况怎么样", pack="property", subject="青枫里"):
    """Judge a draft whose every clause a judge would confirm with this quote; gives the verdict."""
    reading = turn(draft, *evidence, asked=asked, pack=pack, subject=subject)
    scene = Scene.of(reading)
    claimed = tuple(Confirmation(*scene.span(a), source, quote) for a in scene.assertions)
    return verify(reading, plan(reading), confirmations=claimed)


def by_judge(verdict):
    return [claim.quote for claim in verdict.claims if claim.via is Via.JUDGE]


GOOD = [
    ("客厅视野很开阔。", cite(VIEW), VIEW, "property"),
    ("收纳空间很充足。", cite("入户处和卧室都做了柜子，收纳丰富"), "收纳丰富", "property"),
    ("座椅坐着很舒服。", cite(SEAT), SEAT, "used_car"),
    ("客厅视野很开阔。", tool(None, text="客厅前方十分空旷，正对花园", id="c1"), "客厅前方十分空旷", "property"),
]


@pytest.mark.parametrize(("draft", "evidence", "quote", "pack"), GOOD, ids=["view", "storage", "seat", "data"])
def test_a_paraphrase_becomes_supported(draft, evidence, quote, pack) -> None:
    """Reading leaves it unsupported; with the quote it is supported, marked, located, and the draft passes."""
    before = verify(*_planned(draft, evidence, pack))
    assert [c.status for c in before.claims] == [Status.UNSUPPORTED] and not before.passed
    after = confirmed(draft, evidence, quote=quote, pack=pack)
    [claim] = after.claims
    assert (claim.status, claim.via, claim.rule_id) == (Status.SUPPORTED, Via.JUDGE, "confirmed")
    assert claim.evidence and all(place.id == "c1" for place in claim.evidence)
    assert claim.firmness <= 0.85, "what only a judge found is loose"
    assert after.passed and after.score > before.score and "fact_evidence" not in after.failed


def _planned(draft, evidence, pack):
    reading = turn(draft, evidence, asked="情况怎么样", pack=pack, subject="青枫里")
    return reading, plan(reading)


NEVER = {
    "the quote is not there": ("客厅视野很开阔。", cite(VIEW), "客厅前方一览无余"),
    "one character differs": ("客厅视野很开阔。", cite(VIEW), "客厅正对中央花园，前方宽旷"),
    "the quote is too short": ("客厅视野很开阔。", cite(VIEW), "客厅"),
    "an empty quote": ("客厅视野很开阔。", cite(VIEW), "  "),
    "a quote that stands everywhere": ("客厅视野很开阔。", cite((VIEW + "。") * 10), VIEW),
    "the whole document": ("客厅视野很开阔。", cite(VIEW * 40), (VIEW * 40)[:301]),
    "another source": ("客厅视野很开阔。", cite(VIEW, id="c2"), VIEW),
    "withdrawn": ("客厅视野很开阔。", cite(VIEW, withdrawn=True), VIEW),
    "another item": ("客厅视野很开阔。", cite(VIEW, subject="栖霞苑 2-301"), VIEW),
    "a general rule": ("客厅视野很开阔。", cite(VIEW, subject="general:户型"), VIEW),
    "opposite polarity": ("客厅视野很开阔。", cite("客厅前方不开阔，有楼"), "客厅前方不开阔"),
    "a no that is cut off": ("客厅视野很开阔。", cite("客厅前方并不十分空旷"), "十分空旷"),
    "the clause denies": ("客厅视野不受影响。", cite(VIEW), VIEW),
    "taken back in its sentence": ("客厅视野很开阔。", cite(VIEW + "，但计划建楼"), VIEW),
    "in part only": ("客厅视野很开阔。", cite("客厅部分角度前方空旷"), "客厅部分角度前方空旷"),
    "hearsay": ("客厅视野很开阔。", cite("业主说客厅正对花园，前方空旷"), "前方空旷"),
    "no anchor": ("客厅视野很开阔。", cite("厨房为封闭式"), "厨房为封闭式"),
    "wider than the source": ("客厅和卧室视野都很开阔。", cite(VIEW), VIEW),
    "the other side": ("前排座椅坐着很舒服。", cite("后排座椅支撑性好，乘坐感受佳"), "后排座椅支撑性好，乘坐感受佳"),
    "the other side in English": (
        "the rear feels neat and tidy",
        cite("front cabin kept neat, tidy"),
        "front cabin kept neat",
    ),
    "a number": ("客厅视野很开阔，面宽4.2米。", cite("客厅面宽宽裕，前方空旷"), "客厅面宽宽裕，前方空旷"),
    "a contradiction": ("房子是精装。", cite("房子毛坯交付"), "房子毛坯交付"),
}


@pytest.mark.parametrize(("draft", "evidence", "quote"), NEVER.values(), ids=NEVER)
def test_what_code_does_not_find_is_not_confirmed(draft, evidence, quote) -> None:
    verdict = confirmed(draft, evidence, quote=quote)
    reading = turn(draft, evidence, asked="情况怎么样", subject="青枫里")
    bare = verify(reading, plan(reading))
    wanted = {c.quote for c in bare.claims if c.status is not Status.SUPPORTED}
    assert wanted, "the case is about a claim that reading does not support"
    bad = {c.quote for c in verdict.claims if c.status is not Status.SUPPORTED}
    # a clause with a number may stand beside one that is confirmed
    assert bad == wanted or (bad and all(not any(map(str.isdigit, q)) for q in wanted - bad))
    assert not verdict.passed


NOT_PLAIN = [
    "首付三成就行", "总价四百来万", "楼龄有二十年", "离地铁八百米", "面积挺大的，有120平", "两个卫生间都带窗",
    "半年前刚翻新", "上周刚保养过", "明天可以看房", "月底能交房", "周末带看人多", "晚上十点熄灯", "车龄不到3年",
    "物业费全免", "总价很划算", "首付要求不高", "利率很低", "税费便宜",
    "对口实验小学", "楼下有星河银行", "小区是锦棠物业管的", "房东张建国人很好", "装的是博世锅炉", "用的是米家门锁",
    "厨房是方太的灶具", "车是XC60", "带ETC设备", "靠近《云上》展厅", "青枫里环境安静", "所有房间都安静", "从来没有漏过水",
    "装的是马牌轮胎", "配的是哈曼音响", "电池是宁德时代的",
    "It was serviced last month", "The flat has two balconies", "It is near Green Park", "The boiler is a bosch",
    "Handover in June", "free parking is included", "One owner from new", "yes the kitchen was done", "是挺安静的", "对客厅很安静", "A second key comes along",
]  # fmt: skip


@pytest.mark.parametrize("draft", NOT_PLAIN)
def test_numbers_dates_amounts_and_names_are_never_up_to_a_judge(draft) -> None:
    for pack in ("property", "used_car"):
        reading = turn(draft, cite("随便写点什么"), asked="怎么样", pack=pack, subject="青枫里")
        scene = Scene.of(reading)
        plain = [
            scene.reading.draft.norm[a.start : a.end]
            for a in scene.assertions
            if is_plain(a, reading, scene.lexicon, scene.scope)
        ]
        assert not plain or draft.startswith("面积挺大的"), plain


@pytest.mark.parametrize("draft", ["里程不多", "过户次数少", "续航挺长的"])
def test_nor_is_what_the_trade_counts(draft) -> None:
    reading = turn(draft, cite("随便写点什么"), asked="怎么样", pack="used_car")
    scene = Scene.of(reading)
    assert not any(is_plain(a, reading, scene.lexicon, scene.scope) for a in scene.assertions)


PLAIN = [
    "卧室挺安静的", "客厅视野很开阔", "座椅坐着很舒服", "邻居之间相处很热情", "内饰干净整洁",
    "The bedroom is quiet", "the kitchen feels bright and tidy",
]  # fmt: skip


@pytest.mark.parametrize("draft", PLAIN)
def test_plain_clauses_are(draft) -> None:
    reading = turn(draft, cite("卧室、客厅、厨房、座椅、邻居、内饰"), asked="怎么样", subject="青枫里")
    scene = Scene.of(reading)
    assert all(is_plain(a, reading, scene.lexicon, scene.scope) for a in scene.assertions)


NUMERALS = st.text(alphabet="0123456789一二三四五六七八九十百千万两半０５１²½①Ⅷ٣", min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(NUMERALS, st.integers(0, 7), st.sampled_from(["", "平", "万", "年", "号", "个", "%", "楼"]))
def test_any_numeral_anywhere_keeps_a_clause_from_a_judge(number, at, unit) -> None:
    words = "客厅视野很开阔"
    draft = words[:at] + number + unit + words[at:] + "。"
    verdict = confirmed(draft, cite(draft[:-1] + "，" + VIEW), cite(VIEW, id="c2"), quote=VIEW)
    assert not [q for q in by_judge(verdict) if any(char.isnumeric() for char in q)]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40), st.sampled_from(["c1", "c2", "", "m0"]))
def test_a_made_up_quote_never_confirms(quote, source) -> None:
    """Whatever a judge writes: where the words are not in the source, nothing changes."""
    verdict = confirmed("客厅视野很开阔。", cite(VIEW), quote=quote, source=source)
    assert not by_judge(verdict)
