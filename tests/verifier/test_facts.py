"""check_facts on whole turns: what must be supported, what must not, and the near misses between."""

import pytest

from planner.turn import Action
from tests.verifier.turns import NOW, cite, tool, turn
from verifier.claims import Status
from verifier.facts import check_facts

BAD = {Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE}


def blocked(reading) -> bool:
    facts = check_facts(reading)
    return bool(facts.false_groundings) or any(c.status in BAD for c in facts.claims)


SUPPORTED = [
    (turn("带电梯的", tool({"电梯": "有"}), asked="有电梯没")),
    (turn("有的呢", tool({"elevator": True}), asked="楼里有电梯吗")),
    (turn("没有抵押", tool({"抵押": "无"}), asked="有没有抵押")),
    (turn("不是的，自己家壁挂炉", cite("供暖方式：壁挂炉自采暖"), asked="集中供暖吗")),
    (turn("单价三万二一平", tool({"unit_price": 32000}), asked="单价多少")),
    (turn("套内六十六平", cite("建筑面积81㎡，套内66㎡"), asked="套内多大")),
]
BLOCKED = [
    (turn("带电梯的", tool({"电梯": "无"}), asked="有电梯没")),
    (turn("有的呢", tool({"elevator": False}), asked="楼里有电梯吗")),
    (turn("没有抵押", tool({"抵押": "未查询"}), asked="有没有抵押")),
    (turn("没有抵押", asked="有没有抵押")),
    (turn("是的，集中供暖", cite("供暖方式：壁挂炉自采暖"), asked="集中供暖吗")),
    (turn("单价两万三一平", tool({"unit_price": 32000}), asked="单价多少")),
    (turn("套内八十一平", cite("建筑面积81㎡，套内66㎡"), asked="套内多大")),
]


@pytest.mark.parametrize("reading", SUPPORTED)
def test_what_the_sources_say_is_supported(reading) -> None:
    assert not blocked(reading)


@pytest.mark.parametrize("reading", BLOCKED)
def test_what_the_sources_do_not_say_is_blocked(reading) -> None:
    assert blocked(reading)


RIVALS = (
    cite("丁香银行：首套利率3.2%，放款约8个工作日", id="c1"),
    cite("海棠银行：首套利率3.0%，放款约15个工作日", id="c2"),
)


@pytest.mark.parametrize(
    ("draft", "holds"),
    [
        ("丁香放款快一些", True),
        ("海棠放款快一些", False),
        ("海棠利率低一点", True),
        ("丁香利率低一点", False),
    ],
)
def test_a_comparison_holds_in_one_direction_only(draft: str, holds: bool) -> None:
    assert blocked(turn(draft, *RIVALS, asked="两家银行哪家合适")) is not holds


def test_one_wrong_number_among_several_is_pointed_at() -> None:
    facts = check_facts(turn("四房两厅一卫", cite("户型：4室2厅2卫"), asked="几房"))
    assert [claim.quote for claim in facts.claims if claim.status in BAD] == ["一卫"]


def test_a_contradiction_carries_the_nearest_printed_value() -> None:
    facts = check_facts(turn("总价三百六十万", tool({"price": 3500000}), asked="多少钱"))
    claim = next(claim for claim in facts.claims if claim.status is Status.CONTRADICTED)
    assert claim.nearest == ("3500000元",)
    assert claim.evidence[0].id == "t1"


@pytest.mark.parametrize(
    ("draft", "evidence", "status"),
    [
        ("带电梯", cite("本楼有电梯", withdrawn=True), Status.STALE),
        ("带电梯", cite("本楼有电梯", valid_until=NOW.replace(year=2025)), Status.STALE),
        ("电梯有没有我查下再回您", cite("本楼有电梯"), Status.PENDING),
        ("带电梯", cite("楼龄八年"), Status.UNSUPPORTED),
    ],
)
def test_the_status_names_what_to_do(draft: str, evidence: object, status: Status) -> None:
    facts = check_facts(turn(draft, evidence, asked="有电梯吗"))  # type: ignore[arg-type]
    assert [claim.status for claim in facts.claims] == [status]


def test_a_newer_tool_result_beats_an_older_document() -> None:
    old = cite("挂牌310万元", published_at=NOW.replace(month=1))
    new = tool({"price": 2980000}, at=NOW)
    assert blocked(turn("现在挂310万", old, new, asked="什么价"))
    assert not blocked(turn("现在挂298万", old, new, asked="什么价"))


def test_two_live_sources_that_disagree_support_nothing() -> None:
    evidence = (cite("供暖：集中供暖", id="c1"), cite("供暖：自采暖", id="c2"))
    assert blocked(turn("是集中供暖", *evidence, asked="怎么供暖"))


@pytest.mark.parametrize(("status", "holds"), [("done", True), ("pending", False), ("failed", False)])
def test_an_action_called_done_needs_an_action_that_did_it(status: str, holds: bool) -> None:
    actions = (Action("book_viewing", status),)
    assert blocked(turn("跟车主约好了", asked="帮我约下", actions=actions)) is not holds
    assert blocked(turn("跟车主约好了", asked="帮我约下"))


NESTED = [
    # a field under a fact says something of its own, and nothing against the fact
    (
        turn(
            "是全景天窗，不过开不了",
            tool({"sunroof": {"type": "panoramic", "openable": False}}),
            asked="天窗能打开不",
            pack="used_car",
        )
    ),
    (turn("打得开", tool({"sunroof": {"type": "panoramic", "openable": True}}), asked="天窗能打开不", pack="used_car")),
    (turn("地暖没有，装的暖气片", tool({"heating": {"floorHeating": False, "radiator": True}}), asked="带地暖不")),
    (
        turn(
            "没电梯，有车位", tool({"elevator": {"has": False}, "parking": {"available": True}}), asked="电梯车位有没有"
        )
    ),
]
LIEN = tool({"lien": {"status": "released", "releasedAt": "2025-11-02"}})
NESTED += [
    (turn("解了，去年11月2号的事", LIEN, asked="抵押解了没", pack="used_car")),
    (turn("抵押已经解除了", LIEN, asked="抵押解了没", pack="used_car")),
    (
        turn(
            "标价89800不含过户费",
            tool({"listPrice": 89800, "includes": {"transferFee": False}}),
            asked="包过户吗",
            pack="used_car",
        )
    ),
]
NESTED_WRONG = [
    (turn("还没解", LIEN, asked="抵押解了没", pack="used_car")),
    (turn("抵押还在", LIEN, asked="抵押解了没", pack="used_car")),
    (turn("标价89800含过户费", tool({"listPrice": 89800, "includes": {"transferFee": False}}), asked="包过户吗", pack="used_car")),
    (turn("可以打开的", tool({"sunroof": {"type": "panoramic", "openable": False}}), asked="天窗能打开不", pack="used_car")),
    (turn("打不开", tool({"sunroof": {"type": "panoramic", "openable": True}}), asked="天窗能打开不", pack="used_car")),
    (turn("有地暖的", tool({"heating": {"floorHeating": False, "radiator": True}}), asked="带地暖不")),
    (turn("有电梯", tool({"elevator": {"has": False}}), asked="有电梯没")),
    # whose end it is stays with what it is the end of
    (turn("商业险到9月14号", tool({"交强险": {"到期": "2026-09-14"}, "商业险": {"到期": "2026-02-20"}}), asked="商业险到啥时候", pack="used_car")),
]  # fmt: skip


@pytest.mark.parametrize("reading", NESTED)
def test_a_field_speaks_for_itself(reading) -> None:
    assert not blocked(reading)


@pytest.mark.parametrize("reading", NESTED_WRONG)
def test_a_field_is_not_its_parent(reading) -> None:
    assert blocked(reading)


HEARSAY = cite("房东说明：可养猫，不接受养狗")


@pytest.mark.parametrize(
    ("draft", "backed"),
    [("猫可以 狗不让养 房东讲的", True), ("猫可以 狗不让养", False), ("猫可以 狗也行 房东讲的", False)],
)
def test_who_said_it_may_stand_at_the_end(draft, backed) -> None:
    """An attribution behind its clauses is not dropped; it makes nothing right that is wrong."""
    assert blocked(turn(draft, HEARSAY, asked="养猫行么 就一只 很乖的")) is not backed


WRITTEN = [
    # one number, spoken; the next one's period is not its own
    (turn("二套三个点二五", cite("首套利率3.05%，二套利率3.25%"), asked="第二套利率啥数现在"), True),
    (turn("二套三个点零五", cite("首套利率3.05%，二套利率3.25%"), asked="第二套利率啥数现在"), False),
    # the inner area is no gross area, whatever it is kept under
    (turn("套内八十九平", tool({"area": {"gross_sqm": 112.4, "inner_sqm": 89}}), asked="套内多大"), True),
    (turn("建面八十九平", tool({"area": {"gross_sqm": 112.4, "inner_sqm": 89}}), asked="建面多大"), False),
    # a list without a name denies it as a list that says so does
    (turn("名单里没有望江旧里", cite("2026年征收计划公示名单不含望江旧里"), asked="要拆了吗"), True),
    (turn("名单里有望江旧里", cite("2026年征收计划公示名单不含望江旧里"), asked="要拆了吗"), False),
    # a mention of the paper claims nothing beside what it holds
    (turn("狗不行，合同里写着呢", cite("租约约定：可养猫，不可养犬"), asked="能养狗不"), True),
    (turn("狗可以，合同里写着呢", cite("租约约定：可养猫，不可养犬"), asked="能养狗不"), False),
]


@pytest.mark.parametrize(("reading", "backed"), WRITTEN)
def test_the_same_fact_in_everyday_words(reading, backed) -> None:
    assert blocked(reading) is not backed


RULE = cite("认证车七天可退；寄售车不适用。", subject="general:退车规则")
SAYS_MORE = [
    # the exception names what the item's own source says it is
    (turn("七天内可以退", RULE, cite("途昂，认证车。", id="c2"), asked="不满意能退不", pack="used_car"), True),
    (turn("七天内可以退", RULE, cite("途昂，车主寄售。", id="c2"), asked="不满意能退不", pack="used_car"), False),
    # both rooms, where the passage names one
    (turn("卧室客厅都是木地板", cite("卧室木地板，客厅木地板"), asked="客厅也是木地板么"), True),
    (turn("卧室客厅都是木地板", cite("卧室铺实木地板，客厅抛光砖"), asked="客厅也是木地板么"), False),
    # always, of what was so for a time
    (turn("一直4S的", cite("保养台账：历次均在4S店"), asked="保养一直在4S做的?", pack="used_car"), True),
    (turn("一直4S的", cite("保养台账：前四次在4S店，第五次起在外面的修理厂"), asked="保养一直在4S做的?", pack="used_car"), False),
]  # fmt: skip


@pytest.mark.parametrize(("reading", "backed"), SAYS_MORE)
def test_a_clause_says_no_more_than_its_passage(reading, backed) -> None:
    assert blocked(reading) is not backed


def priced(draft: str):
    return turn(draft, cite("总价372万"), asked="多少钱")


BOUNDS = [
    (priced("总价不到380万"), True),
    (priced("总价380万以内"), True),
    (priced("总价超过370万"), True),
    (priced("总价不到370万"), False),
    (priced("总价不超过370万"), False),
    (priced("总价超过380万"), False),
    (turn("面积不到90平", cite("建筑面积89平"), asked="多大"), True),
    (turn("面积不到90平", cite("建筑面积90平"), asked="多大"), False),
    (turn("里程不超过6万公里", cite("里程6.1万公里"), asked="跑了多少", pack="used_car"), False),
    # a rate that is raised is not lowered
    (turn("利率4.1%", cite("基准利率3.8%，上浮30个基点"), asked="利率多少"), True),
    (turn("利率3.5%", cite("基准利率3.8%，上浮30个基点"), asked="利率多少"), False),
    # one room's side is not another's
    (turn("主卧在南边", cite("南侧：主卧"), asked="主卧在哪边"), True),
    (turn("主卧在南边", cite("南侧：次卧"), asked="主卧在哪边"), False),
    # some are not all
    (turn("座椅都重新包了皮", cite("座椅全部重新包皮"), asked="座椅包皮了吗", pack="used_car"), True),
    (turn("座椅都重新包了皮", cite("仅前排座椅重新包皮"), asked="座椅包皮了吗", pack="used_car"), False),
    (turn("楼道都铺了地毯", cite("仅一层楼道铺了地毯"), asked="楼道有地毯吗"), False),
]


@pytest.mark.parametrize(("reading", "backed"), BOUNDS)
def test_a_bound_a_side_and_all_mean_what_they_say(reading, backed) -> None:
    assert blocked(reading) is not backed


NO_PASS = [
    # pointing at a paper takes nothing up that the customer said
    turn("带花园，合同里写着呢", cite("建面90平"), asked="你们这里带花园"),
    # an empty remark denies nothing of what it stands under
    turn("没有事故", tool({"accident": {"remark": "无"}}), asked="有事故吗", pack="used_car"),
    turn("没有抵押", tool({"mortgage": {"note": "无"}}), asked="有抵押吗"),
    # a bound from below backs none from above
    turn("总价不到400万", cite("总价380万起"), asked="多少钱"),
    turn("总价超过350万", cite("总价不超过370万"), asked="多少钱"),
]


@pytest.mark.parametrize("reading", NO_PASS)
def test_what_looks_like_backing_is_none(reading) -> None:
    assert blocked(reading)
