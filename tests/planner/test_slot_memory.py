"""What is known of a customer, and whether a draft asks for it again."""

import pytest

from planner.slots import asks_again, known_slots, slot_questions
from tests.planner.turns import reading


def _known(*said: str, slots: dict[str, object] | None = None) -> set[str]:
    return set(known_slots(reading(*said, slots=slots)))


def _again(*said: str, draft: str, slots: dict[str, object] | None = None, pack: str = "property") -> set[str]:
    turn = reading(*said, draft=draft, slots=slots, pack=pack)
    known = known_slots(turn)
    return {q.slot for q in slot_questions(turn.draft, turn.pack) if asks_again(turn, q, known)}


def test_stored_slots_come_under_their_canonical_names() -> None:
    """Aliases of the shared file and of the pack are mapped, empty values are unknown, other names stay."""
    stored = {"price_range": "300万", "意向户型": "三房", "phone": "", "pet": "cat"}
    assert _known("c:你好", slots=stored) == {"budget", "rooms", "pet"}


@pytest.mark.parametrize(
    ("said", "slots"),
    [
        ("手里有一百二十万现金，别的都得贷", {"down_payment", "payment_method"}),
        ("想在河西买个九十平左右的三房", {"location", "area_size", "rooms"}),
        ("我姓赵，电话13900001111", {"name", "contact"}),
        ("下个月结婚要用，周日下午有空看房", {"purpose", "viewing_time"}),
        ("外地户口，社保满五年了", {"purchase_qualification"}),
        ("现在这套挂出去了，卖掉才能买", {"old_house_sale"}),
        ("想看台途观，三年以内的，上南京的牌", {"car_model", "car_age_mileage", "licence_plate_city"}),
        ("平时就接送孩子，我那台老速腾想置换掉", {"car_use", "trade_in"}),
        ("要高楼层精装的，年底前得搬进去", {"floor_preference", "decoration", "move_in_time"}),
        ("有没有两百八以内的", {"budget"}),
        ("we want a three-bedroom, budget around 3 million", {"budget", "rooms"}),
        ("那套298的还在吗", set()),
        ("这套月租多少", set()),
        ("我同事预算两百万想买", set()),
    ],
)
def test_a_message_gives_its_slots(said: str, slots: set[str]) -> None:
    """Said in passing, inside a question, or indirectly; not what belongs to a listing or to somebody else."""
    assert _known(f"c:{said}") == slots


def test_an_answer_is_read_by_the_question_before_it() -> None:
    """Short answers and "no preference" count, evasion and questions do not."""
    assert _known("a:您贵姓？", "c:钱") == {"name"}
    assert _known("a:楼层有要求吗", "c:都行") == {"floor_preference"}
    assert _known("a:您的预算大概多少", "c:三百吧") == {"budget"}
    assert _known("a:您的预算大概多少", "c:还没想好") == set()
    assert _known("a:您的预算大概多少", "c:离地铁近吗") == set()
    assert _known("a:您说的是两百六以内对吗", "c:对的") == {"budget"}


def test_a_question_waits_for_its_answer() -> None:
    """Neither more words of ours nor a mere hm end the wait for an answer."""
    assert _known("a:您的预算大概多少呢", "a:我好给您筛", "c:嗯", "c:三百左右") == {"budget"}
    assert _known("a:首付准备了多少", "c:七八十") == {"down_payment"}
    assert _known("a:请问怎么称呼您", "c:嗯嗯") == set()
    assert _known("a:您老房子要先卖吗", "c:对的") == {"old_house_sale"}
    assert _known("a:方便留个电话吗", "c:回头说") == set()


def test_a_withdrawn_value_is_unknown() -> None:
    """By its slot, by its words, or all at once; a new value counts again."""
    assert _known("c:预算三百，想要三房", "a:好", "c:预算那个不作数了") == {"rooms"}
    assert _known("c:周五下午过去看", "a:好", "c:周五去不了了") == set()
    assert _known("c:预算三百，想要三房", "a:好", "c:之前说的全不要了，重新来") == set()
    assert _known("c:预算三百", "a:好", "c:之前的不算数了，预算加到四百") == {"budget"}


@pytest.mark.parametrize(
    ("said", "draft", "slot"),
    [
        (["c:两百七以内的有吗", "a:有"], "您心理价位多少呀", "budget"),
        (["c:想买给爸妈住"], "您是自住还是投资", "purpose"),
        (["a:面积有要求吗", "c:无所谓"], "面积大概要多大", "area_size"),
        (["c:只用公积金贷"], "走商贷还是公积金", "payment_method"),
        (["c:孩子要上明德小学"], "想让孩子读哪所学校", "school"),
    ],
)
def test_asking_for_the_known_is_asking_again(said: list[str], draft: str, slot: str) -> None:
    """In any wording."""
    assert _again(*said, draft=draft) == {slot}


@pytest.mark.parametrize(
    ("said", "draft"),
    [
        (["c:三百以内的三房"], "三百以内暂时没有合适的，价格最多能到多少"),
        (["c:贷款买"], "贷款走商贷还是公积金"),
        (["c:想要高一点的楼层"], "高一点是八楼往上还是十五楼往上"),
        (["c:我姓孙，替我爸看的"], "您父亲怎么称呼"),
        (["c:预算三百"], "预算还是三百左右对吧"),
        (["c:三年内的，我有台旧车要抵"], "旧车是哪年的，跑了多少公里"),
        (["c:周六上午过去看", "a:好", "a:业主周六临时有事"], "您看周日哪个时间方便"),
        (["c:上山东的牌"], "山东哪个市呢"),
        (["c:我朋友想买，他预算八十万", "c:我自己也看看"], "您自己预算多少"),
    ],
)
def test_legitimate_questions_do_not_fire(said: list[str], draft: str) -> None:
    """A failed search, a detail, another person, a confirmation, the owner's change of plan."""
    assert _again(*said, draft=draft) == set()
