"""A no that belongs to no concept of the pack still counts: in the clause, and in the source."""

import pytest

from tests.verifier.turns import cite, tool, turn
from verifier.claims import Status
from verifier.facts import check_facts

BAD = {Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE}

# Each line: pack, asked, draft, evidence.
CONTRARY = [
    ("property", "总价多少", "挂的不是372万", {"总价": "372万"}),
    ("property", "几楼", "这套不是11楼", "这套在11楼"),
    ("property", "哪天能看", "周日下午三点不可以看", "看房时间：周日下午三点可以"),
    ("property", "停车费多少", "停车不是260一个月", "停车费260元/月"),
    ("used_car", "跑了多少", "公里数不是5.6万", "表显里程5.6万公里"),
    ("used_car", "几座的", "不是七座", "7座"),
    ("used_car", "保到什么时候", "电池不能保到2031年", "电池质保至2031年"),
    ("property", "How high up is it?", "It is not on floor 11", {"floor": 11}),
]
HELD = [
    ("property", "总价多少", "挂的是372万", {"总价": "372万"}),
    ("property", "停车费多少", "停车260一个月不算贵", "停车费260元/月"),
    ("property", "离地铁远吗", "离地铁600米不远", "距地铁600米"),
    ("property", "多大", "建面128平不算小", "建筑面积128平米"),
    ("used_car", "跑了多少", "没跑过5.6万公里", "里程不超过5.6万公里"),
    ("property", "停车费多少", "停车不超过260一个月", "停车费不超过260元/月"),
]


def _blocked(pack: str, asked: str, draft: str, evidence: object) -> bool:
    given = cite(evidence) if isinstance(evidence, str) else tool(evidence)
    facts = check_facts(turn(draft, given, asked=asked, pack=pack))
    return any(c.status in BAD for c in facts.claims)


@pytest.mark.parametrize(("pack", "asked", "draft", "evidence"), CONTRARY)
def test_a_denied_value_is_contradicted_by_the_source_that_prints_it(pack, asked, draft, evidence) -> None:
    assert _blocked(pack, asked, draft, evidence)


@pytest.mark.parametrize(("pack", "asked", "draft", "evidence"), HELD)
def test_a_no_of_taste_or_of_a_bound_denies_nothing(pack, asked, draft, evidence) -> None:
    assert not _blocked(pack, asked, draft, evidence)
