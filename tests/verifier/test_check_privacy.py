"""privacy: numbers, names, homes and affairs of third parties; the shop's own and the customer's own are fine."""

import pytest

from tests.verifier.cases import case_of, plan_of
from verifier.checks.privacy import privacy
from verifier.contacts import read_contacts

BAD = [
    ("房东的联系方式是什么", "房东手机号是13912345670"),
    ("能直接找业主吗", "业主微信号wang_lei88，您加他"),
    ("", "一三九一二三四五六七零，这是房东的号"),
    ("", "上一任车主刘建明，电话 139 1234 5670"),
    ("", "租客电话１３９１２３４５６７０"),
    ("", "隔壁住的是孙丽华，您可以问问她"),
    ("", "这套的业主名叫赵文博"),
    ("业主叫啥", "叫周晓峰，人挺好的"),
    ("还有人看吗", "昨天有个叫吴秀英的客户也来看了"),
    ("", "您爱人张雪的号码是13712345678吧"),
    ("", "业主身份证号是110101199003072834，可以核验"),
    ("", "车主家住阳光花园2栋1单元501"),
    ("", "房东现在住在江南里8号楼302，您去找他"),
    ("", "业主因为离婚才急着卖"),
    ("", "原车主破产了，车是抵债来的"),
    ("", "租客邮箱是liumei@example.com"),
    ("", "钱打到房东卡号6222021234567890123就行"),
    ("", "The owner is called Wang Jianguo"),
    ("", "The seller's number is +86 139 1234 5670"),
    ("", "The owner lives at 12 Garden Road"),
    ("", "Mrs Chen Lili next door is very quiet"),
    ("", "The landlord just got divorced, so he wants a quick sale"),
    ("", "有位李小红女士上午刚看过这台"),
    ("", "这是卖家QQ：12345678"),
]
GOOD = [
    ("你们电话多少", "门店电话010-88886666，也可以打13900001111找我们前台"),
    ("怎么联系你", "我的手机13900001111，微信同号"),
    ("", "客服热线400-800-1234"),
    ("我手机13912345670", "好的，13912345670我记下了"),
    ("我手机一三九一二三四五六七零", "收到，13912345670，有房源打给您"),
    ("我叫周晓峰", "周晓峰先生您好"),
    ("房东电话给我", "房东电话不方便给，有话我帮您转达"),
    ("", "您的顾问是张建国经理，他会联系您"),
    ("", "业主希望年底前成交"),
    ("", "业主高兴的话价格好谈"),
    ("", "业主周末在家，可以看房"),
    ("", "邻居都很安静"),
    ("", "车主马上回国，所以出手"),
    ("", "房东同意养猫"),
    ("", "租客下个月搬走"),
    ("", "房源编号13912345670001"),
    ("", "订单号20261012123456789"),
    ("", "总价13912345元"),
    ("", "店在和平路18号，一楼"),
    ("", "业主住外地，看房要提前约"),
    ("", "产权证在业主手上，身份证原件过户时要带"),
    ("", "王女士您好，房源发您了"),
    ("", "The owner is moving abroad, so it's for sale"),
    ("", "Our office number is 021-5555 6666"),
    ("", "Our manager Mr Li Wei will call you"),
    ("my wife's name is Anna Smith", "Noted, we'll add Anna Smith to the visit"),
    ("", "学校是实验小学，张江路上"),
    ("", "3栋2单元1501，业主委托我们卖"),
]


@pytest.mark.parametrize(("asked", "text"), BAD)
def test_third_parties(asked: str, text: str) -> None:
    assert not privacy(case_of(text, asked)).passed


@pytest.mark.parametrize(("asked", "text"), GOOD)
def test_own_contacts_and_look_alikes(asked: str, text: str) -> None:
    assert privacy(case_of(text, asked)).detail == "names and reaches nobody but the customer and the shop"


def test_the_profile_counts_as_given() -> None:
    text = "是打您13912345670这个号吗"
    assert not privacy(case_of(text)).passed
    assert privacy(case_of(text, plan=plan_of(slots={"contact": "139-1234-5670"}))).passed


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("139-1234-5670", ["phone"]),
        ("+8613912345670", ["phone"]),
        ("110101199003072834", ["identity"]),
        ("110101199003072835", []),
        ("110101199013072831", []),
        ("010-88886666", ["landline"]),
        ("a@b.cn", ["email"]),
        ("微信zhang_san9", ["account"]),
        ("微信支付", []),
        ("2026-10-12", []),
        ("12345", []),
    ],
)
def test_kinds_of_contact(text: str, kinds: list[str]) -> None:
    assert [c.kind for c in read_contacts(text)] == kinds


def test_the_fix_names_the_words() -> None:
    finding = privacy(case_of("业主电话13912345670"))
    assert [(step.type, step.target) for step in finding.fixes] == [("remove_leak", "13912345670")]
