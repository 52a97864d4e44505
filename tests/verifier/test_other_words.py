"""The same fact in other words: across languages, in other words, denied alike, spelled out, and left to the closest sentence."""

import pytest

from planner.pack import Pack, PackError, load_pack
from tests.verifier.turns import cite, tool, turn
from verifier.claims import Facts, Status
from verifier.facts import check_facts
from verifier.glossary import Glossary, glossary_of
from verifier.lexicon import lexicon_of
from verifier.senses import SenseRow, Senses, met

BAD = {Status.CONTRADICTED, Status.UNSUPPORTED, Status.STALE}


def _blocked(facts: Facts) -> bool:
    return any(claim.status in BAD for claim in facts.claims)


@pytest.mark.parametrize(
    ("asked", "evidence", "holds", "fails"),
    [
        # Across languages: fields that no concept of the pack knows.
        ("有洗碗机吗", tool({"kit": {"dishwasher": True, "oven": False}}), "洗碗机有的", "烤箱有的"),
        ("有烤箱没", tool({"kit": {"dishwasher": True, "oven": False}}), "烤箱没有", "洗碗机没有"),
        # In other words, of the same sentence and with the same sign.
        ("房子现在空不空", cite("房屋现空置，可随时入住"), "房子没人住", "房子里住着人"),
        # Denied alike, though the concepts differ.
        ("管道气开通没", cite("管道燃气尚未开通"), "管道燃气还没开通", "管道燃气开通好了"),
        # An answer and what spells it out.
        ("家电送不送啊", cite("家电另行出售，不含在房款内"), "不送的，家电另行出售", "送的，家电包在房款里"),
        # What the clause names besides is what another sentence is about.
        (
            "健身房泳池都开着吧",
            tool({"facilities": {"gym_open": True, "swimming_pool_open": False}}),
            "健身房开着",
            "健身房泳池都开着",
        ),
    ],
)
def test_said_and_not_said(asked: str, evidence: object, holds: str, fails: str) -> None:
    """Each pair on one piece of evidence."""
    assert not _blocked(check_facts(turn(holds, evidence, asked=asked)))
    assert _blocked(check_facts(turn(fails, evidence, asked=asked)))


@pytest.mark.parametrize("draft", ["押金当天退", "每户都能放两辆", "押金随时退"])
def test_a_paraphrase_may_not_widen(draft: str) -> None:
    """At once, for each, only: words that change the fact are no paraphrase."""
    evidence = cite("退租后押金五个工作日内退还；部分户可放一辆电动车；钥匙在门店和物业各一把")
    assert _blocked(check_facts(turn(draft, evidence, asked="介绍下")))


def test_glossary_reads_keys_values_and_plurals() -> None:
    """Camel case, underscores, the longest phrase, plurals; an unknown word has no name."""
    glossary = Glossary({"swimming pool": ("泳池",), "pool": ("池子",), "key": ("钥匙",), "battery": ("电池",)})
    assert glossary.spoken("swimmingPools") == "泳池"
    assert glossary.spoken("spare_keys") == "钥匙"
    assert glossary.of("batteries") == ("电池",)
    assert glossary.of("lobb") == ()
    assert glossary.spoken("zzz") == ""


def test_a_name_that_says_no_is_no_label() -> None:
    """未结清：无 would say the contrary of `outstanding: false`."""
    assert Glossary({"outstanding": ("未结清", "尾欠")}).label("outstanding") == "尾欠"
    assert Glossary({"unpaid": ("未付",)}).label("unpaid") == ""


def test_a_broken_glossary_is_named() -> None:
    """The word that is wrong stands in the error."""
    with pytest.raises(PackError, match=r"glossary\.door"):
        glossary_of(Pack("p", {"glossary": {"door": "门"}}, "0"))
    with pytest.raises(PackError, match="glossary"):
        glossary_of(Pack("p", {"glossary": []}, "0"))


def test_senses_meet_once_and_know_their_contrary() -> None:
    """The longest word counts, Latin words stand alone, a contrary turns the meaning around."""
    senses = Senses([SenseRow(id="empty", words=("空置", "没住人", "vacant"), contrary=("有人住",))])
    claim, unit = senses.spots("房子没住人"), senses.spots("房屋空置")
    assert met(claim, unit).claim == ((2, 5),)
    assert not met(claim, unit).contrary
    assert met(senses.spots("里面有人住"), unit).contrary
    assert senses.spots("vacantly") == ()
    assert Senses([]).spots("空置") == ()


@pytest.mark.parametrize("trade", ["property", "used_car"])
def test_every_sense_is_a_word_of_two_letters_and_never_its_own_contrary(trade: str) -> None:
    """One character means too much, and a word cannot say both."""
    rows = load_pack(trade).rows("senses", SenseRow)
    assert len({row.id for row in rows}) == len(rows)
    for row in rows:
        assert all(len(word) > 1 for word in (*row.words, *row.contrary)), row.id
        assert not set(row.words) & set(row.contrary), row.id
    assert lexicon_of(load_pack(trade)).senses.spots("空置")
