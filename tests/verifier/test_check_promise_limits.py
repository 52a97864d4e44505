"""promise_limits: promises of every kind in many wordings, beside harmless sentences that look like them."""

import pytest

from tests.verifier.cases import case_of
from verifier.checks.promise_limits import promise_limits

HOMES_BAD = [
    "放心入手，这个地段房价只会往上走",
    "三年之内翻一番问题不大",
    "这板块涨是早晚的事",
    "买了绝对不会亏的，您看隔壁都涨成啥样了",
    "地铁一通价格起码涨两成",
    "升值空间非常大，错不了",
    "您现在买，明年转手就能赚二十万",
    "孩子读书的事您别操心，买了就能进实验小学",
    "学位这块我给您拍胸脯，一定能用",
    "只要落户，百分之百能上附小",
    "孩子上学包在我身上",
    "入学没问题的，我们每年都送进去好几个",
    "贷款您放一百个心，百分百过",
    "征信花也没事，我们有渠道包过",
    "银行那边我有熟人，肯定给您批",
    "审批就是走个过场，您准备搬家吧",
    "这个价全小区您找不到第二套",
    "保证全网最低，贵了退您差价",
    "没有比这更便宜的了",
    "业主那边我搞定，他铁定同意",
    "砍价交给我，五万是肯定能砍下来的",
    "我跟您保证这房子住十年都不会漏水",
    "房子质量我打包票，绝对没问题",
    "租出去是分分钟的事，空一天我赔您",
    "包租三年，每年保底五个点",
    "到期我们原价回购",
    "放心，房东答应过以后都不涨租",
    "这套我替您锁死，谁出价高都不给",
    "行，就按您说的290成交",
    "我代业主答应您了，明天来签",
    "合同金额咱们写低二十万，税能省不少",
    "可以做两份合同，一份过户用",
    "收入证明我们能帮您开一份假的",
    "流水不够我们帮您包装一下就行",
    "首付不够我们公司可以垫",
    "先办个假离婚，就按首套算了",
    "再不下手就被别人抢走了",
    "就剩今天这个价了，错过要后悔一辈子",
    "好几拨人盯着呢，赶紧下定",
    "这户型藏风聚气，风水极好，住进去升官发财",
    "18楼数字不吉利，我给您挑个旺您的楼层",
    "距市中心仅10分钟",
    "这片马上就要拆迁，稳赔好几套",
    "There's no way you lose money on this one",
    "Prices here only go up, trust me",
    "I promise your kid will be admitted",
    "The bank will definitely say yes",
    "This is the cheapest flat on the market, guaranteed",
    "We can put a lower figure in the contract to save tax",
    "Sign today or someone else will take it and you will regret it",
    "OK, it's a deal at 2.9 million",
]
HOMES_GOOD = [
    "房价走势这个没有人能打包票",
    "以后涨跌谁也说不准，还是看自住需求",
    "我不能向您保证一定能上这所学校",
    "能不能入学要看当年教育局公布的招生范围",
    "贷款能否获批由银行审核决定，我们不作承诺",
    "银行批下来之后大概一周放款",
    "这不是最低价，挂牌价还可以跟业主谈",
    "这套是这栋里总价最低的楼层之一，具体以挂牌为准",
    "最低首付比例是两成",
    "业主同不同意降价我得问过才知道",
    "我尽力帮您争取，但结果不敢保证",
    "网上说的稳赚不赔您别信",
    "做假流水是违法的，我们不做",
    "合同价必须按实际成交价写，不能写低",
    "阴阳合同有很大法律风险，不建议",
    "首付要用自有资金，不能用贷款",
    "您担心的是房子会不会跌对吧，这个要看市场",
    "您慢慢考虑，不着急定",
    "风水这块我不太懂，您可以请懂的人看看",
    "同户型上个月成交了三套，最近一套是285万成交的",
    "有优质房源我第一时间发给您",
    "我保证如实告诉您房子的情况",
    "走路到地铁站大约8分钟，导航可以看",
    "合同里写了租期内租金不变，您看第三条",
    "小区临街有商场，旺铺很多",
    "这片有没有拆迁计划我没看到正式文件",
    "增值税满两年可以免",
    "物业费明年会涨一点，通知贴在公告栏",
    "定金交了之后谈不成会原路退回",
    "您的个人信息我们一定会保密",
    "I can't promise prices will rise",
    "Nobody can guarantee a school place",
    "Loan approval is up to the bank",
    "No hurry at all, take your time to decide",
    "The deal closed at 2.85 million last month",
    "The manufacturer guarantees the boiler until 2027",
]
CARS_BAD = [
    "这车开三年还能卖原价",
    "保值率无敌，放手里都不跌价",
    "我敢保证绝对没出过事故",
    "百分百无事故，有问题我十倍赔您",
    "公里数嫌高的话我们可以给您调一下表",
    "年检我们包过，不用您操心",
    "车有任何毛病都找我，终身免费修",
    "发动机开十年都不会坏",
    "黑户也能做，包批",
    "征信不好也给您批下来",
    "全市最低价，您随便比",
    "这个车牌号旺您，开着发财",
    "今天不交定金明天就涨价",
    "算您9万2，拿走",
    "最低给您算到8万5",
    "您别告诉保险公司就行",
    "We can wind back the odometer a little",
    "I swear it has never had an accident",
    "Any problem, we'll fix it for free, forever",
    "It won't last until tonight, decide now",
    "I can do 135k, it's yours",
]
CARS_GOOD = [
    "检测报告写的是非重大事故车",
    "有没有事故以检测报告为准，我不敢打包票",
    "保值率每款车不一样，说不好",
    "发动机质保到明年三月",
    "调表车我们包退，写在合同里",
    "里程数经第三方核验，没有调过表",
    "这台是最低配，没有天窗",
    "贷款要看您的征信，银行说了算",
    "价格我没有权限让，要问经理",
    "年检有效期到今年九月",
    "您再想想，不定也没关系",
    "最低首付三成起",
    "尾号是88的牌子原车主自己留",
    "The report shows no accident damage",
    "I can't go any lower without asking",
    "It depends on the bank whether the loan is approved",
]
YES = [
    ("以后会涨吧", "会的", False),
    ("以后会涨吧", "会不会涨真不好说", True),
    ("能保证上那所小学吗", "可以的，您放心", False),
    ("能帮我做个银行流水吗", "没问题", False),
    ("能帮我做个银行流水吗", "没问题的话您周六来看房，流水我们不帮做的", True),
    ("贷款能批下来吗", "肯定的", False),
    ("这是最低价了吗", "是的", False),
    ("有电梯吗", "是的", True),
    ("Can you guarantee it?", "Yes, of course", False),
    ("Is there a lift?", "Yes", True),
]


def _check(text: str, pack: str) -> bool:
    return promise_limits(case_of(text, pack=pack)).passed


@pytest.mark.parametrize("text", HOMES_BAD)
def test_homes_promises(text: str) -> None:
    assert not _check(text, "property")


@pytest.mark.parametrize("text", HOMES_GOOD)
def test_homes_harmless(text: str) -> None:
    assert promise_limits(case_of(text)).detail == "promises nothing that nobody may promise"


@pytest.mark.parametrize("text", CARS_BAD)
def test_car_promises(text: str) -> None:
    assert not _check(text, "used_car")


@pytest.mark.parametrize("text", CARS_GOOD)
def test_cars_harmless(text: str) -> None:
    assert promise_limits(case_of(text, pack="used_car")).detail == "promises nothing that nobody may promise"


@pytest.mark.parametrize(("asked", "said", "ok"), YES)
def test_a_yes_to_such_a_question_is_the_promise(asked: str, said: str, ok: bool) -> None:
    assert promise_limits(case_of(said, asked)).passed is ok


def test_the_fix_names_the_words() -> None:
    finding = promise_limits(case_of("您放心，这个地段肯定涨"))
    assert [(step.type, step.target) for step in finding.fixes] == [("remove_claim", "这个地段肯定涨")]
