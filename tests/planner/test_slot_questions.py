"""What a text asks the customer for: found in any wording, and not found in what only looks like asking."""

import pytest

from planner.pack import load_pack
from planner.slots import slot_questions
from tests.planner.turns import text

ASKS: dict[str, list[str]] = {
    "budget": [
        "您大概想花多少买这房",
        "心里有个数没，多少以内",
        "总价您别跟我客气，给个范围",
        "手头预算方便透露下吗",
        "打算买个多少钱的",
        "价格上您能承受到哪",
        "这次准备了多少预算",
        "什么价位的您会考虑",
        "您觉得多少钱合适呢我去找",
        "您的价格上限我还没记",
        "What's the most you'd be happy to pay?",
        "Do you have a price range in mind?",
    ],
    "budget,area_size": [
        "预算跟面积说一下呗",
    ],
    "down_payment": [
        "首付能凑出多少",
        "您这边首付款准备了几成",
        "头期款手里有多少了",
        "第一笔能拿多少钱出来",
        "首付要不要控制在一百万内",
    ],
    "payment_method": [
        "是打算贷款还是全款呀",
        "付款上您怎么安排",
        "要用公积金贷吗",
        "这台分期买还是直接付清",
        "您用不用贷款",
        "Will you be paying cash or taking a mortgage?",
    ],
    "area_size": [
        "要多少平米的呢",
        "面积多大合适",
        "八十平够不够住，还是要大点",
        "您家几个人住，面积要求多少",
        "想要小户型还是大户型",
        "Roughly what size are you after?",
    ],
    "location": [
        "想在哪一带找房",
        "您上班在哪，我按通勤给您找",
        "区域您有没有偏好呀",
        "西边还是东边，您更喜欢",
        "住哪块方便",
        "地段方面怎么考虑的",
        "您圈几个板块给我",
        "Any particular area you'd prefer?",
    ],
    "rooms": [
        "几房几厅的您说",
        "两居够吗还是得三居",
        "卧室要几个",
        "户型有啥要求",
        "How many bedrooms do you need?",
    ],
    "school": [
        "孩子上学在意哪个学校",
        "小朋友读书有没有想去的学校",
        "学区要不要考虑",
        "想让娃进哪所小学",
    ],
    "viewing_time": [
        "您看什么时候有空来看看",
        "明天有时间看房吗",
        "看房约在几号",
        "周中还是周末方便",
        "您挑个日子，我跟业主约",
        "下午能过来不",
        "还没定哪天看房呢",
        "什么时间段方便带您看",
        "When would suit you for a viewing?",
    ],
    "purpose": [
        "您这是自住还是出租",
        "买了自己住吗",
        "主要给谁住呀",
        "这套买来做啥用途",
        "是不是当婚房",
        "Is this for you to live in or an investment?",
    ],
    "move_in_time": [
        "大概几月份入住呀",
        "房子急着住吗",
        "打算什么时候搬",
        "入住时间上有要求没",
        "When are you hoping to move in?",
    ],
    "contact": [
        "手机号发我下",
        "怎么联系您方便",
        "加个微信吧，您微信号多少",
        "您电话给我登记一下",
        "留个联系方式呗",
        "Could I grab your phone number?",
    ],
    "name": [
        "您贵姓呀",
        "怎么称呼您呢",
        "请问先生姓什么",
        "方便说下您名字吗",
        "May I have your name?",
    ],
    "floor_preference": [
        "楼层喜欢高的还是低的",
        "几楼以上您能接受",
        "一楼您考虑吗",
        "对楼层有没有忌讳",
        "Any preference on the floor?",
    ],
    "decoration": [
        "要带装修的吗",
        "毛坯房考虑不",
        "装修风格您喜欢啥样的",
        "精装修还是自己装",
        "Do you want it furnished or unfurnished?",
    ],
    "purchase_qualification": [
        "您在本市有社保吗",
        "名下有房产没有",
        "您是首套吗",
        "户口是本地的吗",
        "社保满不满五年",
    ],
    "old_house_sale": [
        "老房子挂出去卖了吗",
        "您是先卖再买吗",
        "现在住的房子打算处理掉不",
    ],
    "car_model": [
        "想看什么牌子的车",
        "有喜欢的车型吗",
        "轿车还是越野",
        "油车电车您倾向哪个",
        "看中哪款了",
        "Which model are you looking for?",
    ],
    "car_age_mileage": [
        "几年以内的车能接受",
        "公里数上限多少",
        "车龄有限制没",
    ],
    "car_use": [
        "买车主要是通勤吗还是跑长途",
        "平时谁开这车",
        "每年大概开多少公里",
        "这车是家用还是商用",
    ],
    "licence_plate_city": [
        "车打算上哪里的牌照",
        "上牌上在哪个城市",
        "您是本地牌还是外地牌",
    ],
    "trade_in": [
        "有旧车置换吗",
        "您现在那台车要不要一起处理",
        "旧车是什么车型",
        "家里有没有车要卖",
        "Do you have a car to trade in?",
    ],
    "": [
        "您的预算我记着呢，300万上下",
        "首付三成就行",
        "面积正好90平",
        "业主报价是280万，可谈",
        "您什么时候来都行",
        "看房时间业主定在周六了",
        "我电话号码就是微信号",
        "学校名单等教育局公布",
        "您说的那个区域暂时没房",
        "付款方式支持全款和按揭",
        "这车公里数不多，三万出头",
        "您放心，预算内给您找",
        "装修保养得不错",
        "您要的三房来了两套",
        "户型图您看清楚了吗",
        "还需要我解释一下吗",
        "钥匙我拿到了，您到了打电话",
        "哪天看都可以，钥匙在我这",
        "谁买房不是为了孩子呢",
        "自住的话这套很合适",
        "您贵人多忘事，上次讲过的",
        "税费由谁承担可以谈",
        "您觉得这套怎么样",
        "我给您留个电话，138开头那个",
        "方便的时候回我消息就行",
        "几楼都有房源",
        "贷款要三年社保",
        "名下两套以内可以贷",
        "您家孩子真可爱",
        "这小区对口实验小学",
        "上牌我们负责",
        "置换补贴三千",
        "预算300万，三房，近地铁，是这样吧？",
        "您是说周日上午来，对不对",
        "您刚才问公里数，是4.5万",
        "全款能便宜两个点",
        "车型配置表发您了",
        "您贷款办得怎么样了",
        "您搬家搬好了吗",
        "您上次看的那套卖了",
        "稍等我查下",
        "您到楼下了吗",
        "需要帮您转接顾问吗",
        "这边停车方便吗我不确定，帮您问下",
        "要不要再看看别的",
        "楼层高视野好",
        "那套面积多大我查下再告诉您",
        "不管什么预算我们都用心找",
        "您的微信我加了，通过一下",
        "Your budget of 3 million is noted.",
        "The viewing is set for Saturday.",
        "It has three bedrooms and two baths.",
        "Would you like me to send photos?",
        "The owner is asking 2.9 million.",
        "Did you like the second flat?",
        "Let me check which floor it's on.",
    ],
}


@pytest.mark.parametrize(("slots", "words"), [(slots, line) for slots, lines in ASKS.items() for line in lines])
def test_text_asks_exactly_for_its_slots(slots: str, words: str) -> None:
    """Both packs read the shared slots alike."""
    wanted = set(filter(None, slots.split(",")))
    for pack in ("property", "used_car"):
        assert {question.slot for question in slot_questions(text(words), load_pack(pack))} == wanted


def test_questions_are_in_order_with_their_words() -> None:
    """Spans cut the normalised text; each slot comes once."""
    read = text("您好，想要几居的？预算多少，预算有上限吗")
    found = slot_questions(read, load_pack("property"))
    assert [question.slot for question in found] == ["rooms", "budget"]
    assert [read.norm[q.start : q.end] for q in found] == ["想要几居的", "预算多少"]


@pytest.mark.parametrize(
    ("words", "slots"),
    [
        ("总价和面积，麻烦您说下", {"budget", "area_size"}),
        ("麻烦您告诉我，入住时间和预算", {"move_in_time", "budget"}),
        ("面积记下了，预算呢", {"budget"}),
        ("您问首付和利率，我都帮您问了银行", set()),
        ("旧车麻烦拍给我，里程也写上", {"trade_in"}),
    ],
)
def test_clauses_lend_and_keep_their_question(words: str, slots: set[str]) -> None:
    """A request may stand beside the noun it asks for; a quotation takes its list along."""
    assert {question.slot for question in slot_questions(text(words), load_pack("property"))} == slots
