"""A true answer with one twist (another role, another house number, another kind, a lost no) is never supported."""

import pytest

from tests.verifier.turns import cite, tool, turn
from verifier.claims import Status
from verifier.facts import check_facts

BAD = {Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE}

# Each line: pack, asked, the true draft, the twisted draft, evidence.
TWISTS = [
    ("property", "得房率呢", "得房率八成", "绿化率八成", {"建筑面积": "100平米", "套内面积": "80平米"}),
    ("property", "物业费贵吗", "物业费一个月大概300块", "停车费一个月大概300块", "物业费3元/㎡/月，建筑面积100㎡"),
    ("property", "哪套看湖", "2栋1103才看湖", "2栋1106才看湖", "镜湖里2栋1103：客厅看湖"),
    ("property", "水电是民用吗", "电是商用的", "电不是商用的", {"water": "residential", "electricity": "commercial"}),
    ("property", "能落户吗", "能的", "不能", {"可落户": True}),
    ("property", "Is it a walk-up?", "It is", "It is not", {"电梯": "无"}),
    ("used_car", "结构件有损伤吗", "结构件没有损伤", "结构件有损伤", "检测：结构件未见损伤"),
    ("used_car", "保险到几时", "交强险到明年2月", "商业险到明年2月", {"交强险到期": "2027-02-18", "商业险": "已过期"}),
    ("used_car", "保险呢", "商业险断了", "交强商业都到明年2月", {"交强险到期": "2027-02-18", "商业险": "已过期"}),
    ("used_car", "有白的吗", "现在有银色和黑色", "现在没有银色和黑色", [{"颜色": "银色"}, {"颜色": "黑色"}]),
]


def _blocked(pack: str, asked: str, draft: str, evidence: object) -> bool:
    given = cite(evidence) if isinstance(evidence, str) else tool(evidence)
    facts = check_facts(turn(draft, given, asked=asked, pack=pack))
    return any(c.status in BAD for c in facts.claims)


@pytest.mark.parametrize(("pack", "asked", "true", "twisted", "evidence"), TWISTS)
def test_one_twist_is_caught_and_the_truth_is_not(pack, asked, true, twisted, evidence) -> None:
    assert not _blocked(pack, asked, true, evidence)
    assert _blocked(pack, asked, twisted, evidence)


# Each line: pack, asked, what is said, evidence, whether it is blocked: a yes or no takes the question's number over.
ANSWERED = [
    ("property", "是七楼吗", "是的", "7楼", False),
    ("property", "是七楼吗", "是的", "8楼", True),
    ("property", "是七楼吗", "不是", "8楼", False),
    ("property", "是七楼吗", "不是", "7楼", True),
    ("property", "建面是96平吧", "对的", "建筑面积106㎡", True),
    ("property", "建面是96平吧", "对的", "建筑面积96㎡", False),
    ("property", "建面是96平吧", "不是", "绿化率35%", True),
    ("property", "Is it 96 sqm?", "Yes, it is", "106 sqm", True),
    ("property", "划的是枫桥小学吗", "划在枫桥中学", "学区：枫桥小学", True),
    ("property", "这是住宅吧", "是住宅，商业用途", "土地用途：商业", True),
    ("used_car", "跑了4.3万公里是吧", "是的", "表显里程3.4万公里", True),
    ("used_car", "跑了4.3万公里是吧", "是的", "表显里程4.3万公里", False),
]


@pytest.mark.parametrize(("pack", "asked", "said", "evidence", "blocked"), ANSWERED)
def test_a_yes_or_no_asserts_the_numbers_of_its_question(pack, asked, said, evidence, *, blocked) -> None:
    assert _blocked(pack, asked, said, evidence) is blocked


def test_a_withdrawn_source_backs_no_rule_about_an_end() -> None:
    facts = check_facts(turn("要等租约到期才交房", cite("租约到期后方可交房", withdrawn=True), asked="马上能交房吗"))
    assert [c.status for c in facts.claims] == [Status.STALE]
