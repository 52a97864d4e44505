"""check_facts on whole turns: what must be supported, what must not, and the near misses between."""

import pytest

from tests.verifier.turns import cite, tool, turn
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
