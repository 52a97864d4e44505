"""tone: each forbidden move in several wordings, beside plain and kind sentences."""

import pytest

from planner.plan import Move
from tests.verifier.cases import case_of, plan_of
from verifier.checks.tone import tone

BAD = [
    (Move.LECTURE, "年轻人别老想着一口吃成胖子，要脚踏实地"),
    (Move.LECTURE, "您要学会知足，别什么都想要"),
    (Move.LECTURE, "买房前不做功课，这是对家人不负责任"),
    (Move.LECTURE, "刚才不是跟您说过了吗"),
    (Move.LECTURE, "您自己去翻聊天记录不会吗"),
    (Move.LECTURE, "这么简单的道理您都不懂"),
    (Move.LECTURE, "您这种心态就不对，得改改"),
    (Move.LECTURE, "怎么又问这个，说了好几遍了"),
    (Move.LECTURE, "You need to learn to make your own decisions"),
    (Move.LECTURE, "I already told you, scroll up"),
    (Move.INTENSE_FLIRT, "宝贝你声音真好听"),
    (Move.INTENSE_FLIRT, "周末有空吗，单独请您看电影呀"),
    (Move.INTENSE_FLIRT, "您长得这么漂亮，有男朋友吗"),
    (Move.INTENSE_FLIRT, "见不到您我都想您了"),
    (Move.INTENSE_FLIRT, "You look gorgeous, fancy a drink with me?"),
    (Move.DIAGNOSE_USER, "您这是典型的拖延症"),
    (Move.DIAGNOSE_USER, "我看您就是缺乏安全感"),
    (Move.DIAGNOSE_USER, "您太焦虑了，可能有点强迫症"),
    (Move.DIAGNOSE_USER, "建议您去看看心理医生"),
    (Move.DIAGNOSE_USER, "You clearly have trust issues"),
    (Move.TAKE_SIDES_AGGRESSIVELY, "您婆婆也太霸道了吧"),
    (Move.TAKE_SIDES_AGGRESSIVELY, "换我早就跟他离了"),
    (Move.TAKE_SIDES_AGGRESSIVELY, "别听您老公的，他懂什么"),
    (Move.TAKE_SIDES_AGGRESSIVELY, "那个中介就是个骗子，您去曝光他"),
    (Move.TAKE_SIDES_AGGRESSIVELY, "Your husband is being selfish"),
    (Move.PRESSURE_TO_DISCLOSE, "您到底买不买，给个痛快话"),
    (Move.PRESSURE_TO_DISCLOSE, "今晚之前必须给我答复"),
    (Move.PRESSURE_TO_DISCLOSE, "别墨迹了，赶紧交定金"),
    (Move.PRESSURE_TO_DISCLOSE, "我陪您看了这么多套，您总得买一套吧"),
    (Move.PRESSURE_TO_DISCLOSE, "不告诉我预算我就没法帮您了"),
    (Move.PRESSURE_TO_DISCLOSE, "到时候涨了您可别怪我"),
    (Move.PRESSURE_TO_DISCLOSE, "没诚意就别浪费我时间"),
    (Move.PRESSURE_TO_DISCLOSE, "Stop wasting my time and make up your mind"),
    (Move.CLAIM_TO_BE_HUMAN, "我当然是真人呀，不是机器人"),
    (Move.CLAIM_TO_BE_HUMAN, "I'm a real person, not a bot"),
    (Move.ASK_FOR_MORE_DETAIL, "麻烦您详细描述一下情况"),
    (Move.RECOMMEND_LISTING, "给您推荐几套别的看看"),
    (Move.AGREE, "没问题"),
    (Move.OVER_EXPLAIN, "首先要看地段，其次看楼层，最后看朝向"),
    (Move.PREMATURE_ADVICE, "听我的，您就买这套"),
]
GOOD = [
    "不着急，您慢慢考虑",
    "理解您，选房确实挺累的",
    "您和家人商量好了再告诉我",
    "好的，一步到位挺省心的",
    "建议先看看检测报告",
    "没关系，您多比较几家",
    "不好意思刚才没说清楚，是三楼",
    "您客气了",
    "谢谢夸奖，我继续帮您留意",
    "这套户型很漂亮，采光好",
    "纠结很正常，咱们一套套对比",
    "今天先不定也没关系",
    "您先生什么时候方便一起看",
    "定金必须当面签合同才交",
    "您要是有别的问题随时找我",
    "刚才跟您说的那套还在",
    "我是智能客服，需要的话给您转真人",
    "Take your time, there is no rush",
    "You need to bring your ID card",
    "You have two viewings on Saturday",
    "Talk it over with your wife first",
    "Thanks, that's very kind of you",
]
ALWAYS = (
    Move.LECTURE,
    Move.INTENSE_FLIRT,
    Move.DIAGNOSE_USER,
    Move.TAKE_SIDES_AGGRESSIVELY,
    Move.PRESSURE_TO_DISCLOSE,
    Move.CLAIM_TO_BE_HUMAN,
)


@pytest.mark.parametrize(("move", "text"), BAD)
def test_moves(move: Move, text: str) -> None:
    """A move fails exactly where the plan forbids it."""
    assert not tone(case_of(text, plan=plan_of(moves=(move,)))).passed
    assert tone(case_of(text, plan=plan_of(moves=()))).passed


@pytest.mark.parametrize("text", GOOD)
def test_plain_and_kind(text: str) -> None:
    assert tone(case_of(text, plan=plan_of(moves=ALWAYS))).detail == "makes none of the forbidden moves"


def test_the_fix_names_the_words() -> None:
    finding = tone(case_of("别磨叽了", plan=plan_of(moves=ALWAYS)))
    assert [(step.type, step.target) for step in finding.fixes] == [("remove_claim", "别磨叽")]
