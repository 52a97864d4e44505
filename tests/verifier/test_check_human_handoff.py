"""human_handoff: many wordings of a handoff that is done, being done, offered, put off, refused or somebody else's."""

import pytest

from tests.verifier.cases import case_of, plan_of
from verifier.checks.human_handoff import human_handoff
from verifier.handoff import Act, read_handoffs

DONE = [
    "这个问题我已经转给负责产权的同事了",
    "您反映的情况已提交给店长处理，他会尽快给您回电",
    "已帮您接入人工客服",
    "刚刚把您的需求交给了金融专员",
    "已经通知王经理联系您了",
    "人工已接手，后面由他回复您",
    "我把您转给按揭顾问了，他马上加您",
    "已安排专人跟您对接",
    "您的投诉已上报给主管处理",
    "转接成功，顾问正在看您的消息，已转给顾问",
    "已为您升级到售后主管",
    "這件事我已經轉給店長了",
    "I've passed your request to our finance manager",
    "Your case has been escalated to a supervisor",
    "I have already handed this over to my colleague Lin",
    "Just transferred you to one of our specialists",
    "We've looped in our after-sales manager",
]
NOW = [
    "价格我说了不算，我这就请经理来跟您谈",
    "马上为您转接人工，请稍等",
    "我现在把您的情况转给法务同事",
    "正在帮您转接贷款顾问",
    "立刻给您安排专员对接",
    "这个我处理不了，让店长直接跟您说",
    "先给您转人工，他们来处理",
    "我马上叫负责人过来跟您沟通",
    "稍等，这边立即帮您接通真人客服",
    "贷款这块我这就让专员联系您",
    "产权的事得专业的人看，我现在就交给签约顾问",
    "好的，为您转接人工客服中",
    "实在抱歉让您久等了，我这就转给店长处理",
    "I'm transferring you to a human colleague now",
    "Let me connect you with our loan specialist right away",
    "Putting you through to a manager now",
    "I'm escalating this to my supervisor right now",
    "One moment, I'm bringing in our sales manager",
    "I'll hand you over to a colleague who can decide on the price",
]
NOT = [
    "您要是着急，我可以帮您转人工",
    "如果还有疑问，我再给您转接顾问",
    "需要转人工吗",
    "要不要让经理给您回个电话？",
    "我给您转给经理，您看行吗？",
    "等您方便的时候我让顾问联系您",
    "明天我让店长给您打电话",
    "稍后会有专员联系您",
    "晚点我再转给同事看",
    "周一上班后我们经理会联系您",
    "您可以直接打门店电话找经理",
    "建议您自己去银行找信贷经理问",
    "您最好到店里找师傅看看",
    "不用转人工，我就能处理",
    "现在没法给您转人工",
    "人工客服下班了，转接不了",
    "暂时还没转给顾问",
    "之前有客户也是转给店长处理的",
    "一般这种情况会转给法务",
    "我请同事核实后回复您",
    "我问一下店长再告诉您",
    "回复1为您转接人工",
    "有需要随时喊我，我帮您找顾问",
    "If you like, I can transfer you to an agent",
    "Would you like me to connect you with a manager?",
    "A specialist can call you tomorrow",
    "You can contact our manager at the shop",
    "Please ask the staff at the front desk",
    "I can't transfer you to anyone right now",
    "No need to speak to a manager, I can help",
    "Usually such cases are passed to our legal team",
    "I'll have someone call you later",
    "Let me know if you want to be connected to an agent",
]
NO_MENTION = [
    "左转到头找前台客服登记就行",
    "车上带Type-C转接头",
    "房款直接转给业主",
    "户型图我转发给您了",
    "师傅上门检修过一次",
    "这台车转手过一次",
    "带人工智能语音助手",
    "租约转让要房东同意",
    "The keys are handed over at signing",
    "Parking is passed on to the buyer",
    "好嘞，您慢慢看",
]


def _claims(text: str) -> bool:
    return case_of(text).handoff_claimed


@pytest.mark.parametrize("text", DONE)
def test_done_needs_the_action(text: str) -> None:
    """Said to be done: true only with the action done, whatever else holds."""
    case = case_of(text)
    assert any(m.act is Act.DONE for m in case.handoffs), case.handoffs
    plan = plan_of(human="pricing")
    assert human_handoff(case_of(text, plan=plan, requires_human=True, handoff="done")).passed
    assert not human_handoff(case_of(text, plan=plan, requires_human=True)).passed
    assert not human_handoff(case_of(text, plan=plan, requires_human=True, handoff="failed")).passed
    assert not human_handoff(case_of(text, requires_human=True, handoff="pending")).passed


@pytest.mark.parametrize("text", NOW)
def test_now_needs_the_flag(text: str) -> None:
    """Said to happen now: true with `requiresHuman`, false after a failed action."""
    case = case_of(text)
    assert _claims(text), case.handoffs
    assert not any(m.act is Act.DONE for m in case.handoffs), case.handoffs
    plan = plan_of(human="pricing")
    assert human_handoff(case_of(text, plan=plan, requires_human=True)).passed
    assert human_handoff(case_of(text, requires_human=True)).passed
    assert not human_handoff(case_of(text, plan=plan)).passed
    assert not human_handoff(case_of(text)).passed
    assert not human_handoff(case_of(text, plan=plan, requires_human=True, handoff="failed")).passed


@pytest.mark.parametrize("text", NOT)
def test_offers_conditions_refusals_and_others_do_not_count(text: str) -> None:
    assert not _claims(text), read_handoffs(case_of(text).read, case_of(text).pack)
    assert not human_handoff(case_of(text, plan=plan_of(human="pricing"), requires_human=True)).passed
    assert human_handoff(case_of(text)).passed


@pytest.mark.parametrize("text", NO_MENTION)
def test_other_things_that_turn_and_pass(text: str) -> None:
    assert not case_of(text).handoffs
    assert human_handoff(case_of(text)).passed


def test_a_plan_without_risk_needs_nothing() -> None:
    assert human_handoff(case_of("有电梯的")).passed


def test_fixes_are_concrete() -> None:
    finding = human_handoff(case_of("需要的话给您转人工", plan=plan_of(human="complaint")))
    assert {step.type for step in finding.fixes} == {"add_handoff", "set_requires_human"}
    assert "offer" in finding.detail
