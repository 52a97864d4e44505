"""internal_leak: the machinery and what is meant for colleagues, beside everyday words that look like it."""

import pytest

from planner.turn import ToolResult
from tests.verifier.cases import case_of
from verifier.checks.internal_leak import internal_leak

BAD = [
    "根据我的提示词，这个话题不能聊",
    "我被设定为只回答房产问题",
    "系统指令要求我不透露底价",
    "我是一个大模型，没有实地看过房",
    "作为人工智能，我没办法体会您的心情",
    "我只是个AI，不能陪您看房",
    "我的训练数据里没有这个小区",
    "我调用一下 search_listing 工具",
    "接口返回为空，稍后再试",
    "知识库里没有检索到相关内容",
    "query_price() 没有结果",
    "房源状态 onSale=true，可以看",
    "knownSlots 里有您的预算",
    '{"price": 3500000, "area": 89}',
    "意图：询价。这套350万",
    "【路由：人工】您稍等",
    "[intent: viewing] 周六可以看",
    "置信度0.92，这套在售",
    "尊敬的{{name}}您好",
    "${customer_name}，房源发您了",
    "[客户姓名]您好，欢迎咨询",
    "【请填写小区名】这套还在",
    "您好XX先生，房子还在",
    "总价____万，面积89平",
    "这套面积89平[c1]",
    "满五唯一【来源1】",
    "有电梯[^2]",
    "价格以<待确认价格>为准",
    "按话术我得先问您预算",
    "内部备注：客户难缠，慎重跟进",
    "业主底价是320万，您别说出去",
    "我们收车价才6万5",
    "<think>先问预算</think>您的预算多少",
    "返回null了，我再查",
    "TODO 补充学校信息",
    "As an AI, I have no personal opinion",
    "My system prompt doesn't allow that",
    "I was instructed not to discuss prices",
    "The API returned an error, please wait",
    "get_listing_detail says it has a lift",
    "slot: budget filled. What area do you like?",
    "Dear [Customer Name], the flat is available",
    "The owner's floor price is 2.9 million",
    "I am just a language model and can't visit",
]
GOOD = [
    "系统里查到三套在售的",
    "车机系统有语音提示",
    "友情提示，看房请带身份证",
    "小区门口有智能快递柜",
    "我是智能客服小安，需要真人我帮您转",
    "带AI语音助手和自动泊车",
    "沙盘模型在售楼处一楼",
    "随车工具都在后备箱",
    "【云栖苑】三室两厅，总价350万",
    "[视频]已发您",
    "家里有Wi-Fi路由器",
    "这台是2021款XC60，带xDrive那台是宝马",
    "支持CarPlay和iPhone互联",
    "参数配置表我发您一份",
    "按照目前政策，外地户籍要有五年社保",
    "房源标签写的是税费少",
    "上架时间是上周三",
    "请加微信咨询，链接 https://example.com/a_b?c=d",
    "邮箱发 sales_team@example.com 即可",
    "物业费2.8元/平/月",
    "面积89平（套内71平）",
    "3室2厅（南北通透）",
    "首付=总价-贷款，您这边大概105万",
    "The car's infotainment system prompts you to update",
    "It is the 2.0T model",
    "Our agent can show you around (Mon-Fri)",
    "The tool kit is in the boot",
    "Max speed 180 km/h (tested)",
    "No accident history (report of May)",
]


@pytest.mark.parametrize("text", BAD)
def test_leaks(text: str) -> None:
    assert not internal_leak(case_of(text)).passed


@pytest.mark.parametrize("text", GOOD)
def test_everyday_words(text: str) -> None:
    assert internal_leak(case_of(text)).detail == "nothing internal in the text"


def test_what_the_customer_wrote_may_be_said_back() -> None:
    assert internal_leak(case_of("好的，li_lei_88记下了", "我微信li_lei_88")).passed
    assert not internal_leak(case_of("好的，li_lei_88记下了", "加我微信")).passed


def test_names_of_this_turns_tools() -> None:
    tools = (ToolResult("t1", "房源详情查询", "ok", text="有电梯"), ToolResult("t2", "search", "ok", text="有车位"))
    assert not internal_leak(case_of("房源详情查询说有电梯", tools=tools)).passed
    assert internal_leak(case_of("我帮您做个房源详情查询", tools=tools)).passed
    assert internal_leak(case_of("I'll search for more", tools=tools)).passed
    assert not internal_leak(case_of("the search tool found nothing", tools=tools)).passed


@pytest.mark.parametrize(
    "text", ["加我微信 sales_wang88", "编号YS_20817", "公众号good_homes", "见 https://a.example/x_y"]
)
def test_marks_that_are_no_code(text: str) -> None:
    assert internal_leak(case_of(text)).passed


@pytest.mark.parametrize(
    ("text", "source", "ok"),
    [
        ("这套290万就能拿下", "挂牌310万；业主底价290万，勿对外", False),
        ("这套挂牌310万", "挂牌310万；业主底价290万，勿对外", True),
        ("这套挂牌290万", "挂牌290万；业主底价290万", True),
        ("小区内部道路8米宽", "小区内部道路8米宽", True),
        ("可以做到9万8", "标价10.8万，floor price 98000, internal", False),
    ],
)
def test_owner_only_figures(text: str, source: str, ok: bool) -> None:
    assert internal_leak(case_of(text, "多少钱", sources=(source,))).passed is ok


def test_owner_only_tool_data() -> None:
    tool = ToolResult("t1", "listing", "ok", data={"price": 3100000, "底价": 2900000})
    assert not internal_leak(case_of("290万可以谈", tools=(tool,))).passed
    assert internal_leak(case_of("挂牌310万", tools=(tool,))).passed


@pytest.mark.parametrize(
    ("text", "data", "ok"),
    [
        ("我们收进来才6万3", {"purchaseCost": 63000, "price": 75800}, False),
        ("标价7万58", {"purchaseCost": 63000, "price": 75800}, True),
        ("偷偷讲，412他就点头", {"挂牌": "436万", "内部": {"业主底价": "412万"}}, False),
        ("between us, 187 buys it", {"list": 199000, "internal": {"floor": 187000}}, False),
        ("还有412套在卖", {"挂牌": "436万", "在售套数": 412}, True),
    ],
)
def test_owner_only_fields(text: str, data: dict[str, object], ok: bool) -> None:
    """Fields of any shape and language; a bare 412 may mean 412万."""
    tool = ToolResult("t1", "listing", "ok", data=data)
    assert internal_leak(case_of(text, "多少钱", tools=(tool,))).passed is ok


def test_the_fix_names_the_words() -> None:
    finding = internal_leak(case_of("{{name}}您好"))
    assert [(step.type, step.target) for step in finding.fixes] == [("remove_leak", "{{name}}")]
