"""The catalogues: both languages say everything, and every code of the record has a word in each."""

import re
import string
from pathlib import Path

import pytest

import gateway.web
from gateway import tables
from gateway.conversations import WITH_PEOPLE
from gateway.web.words import CODES, choose, language
from outbound.outcome import REASONS
from planner.risks import Level
from verifier.claims import Status, Via
from verifier.fixes import TYPES
from verifier.registry import CHECKS

WEB = Path(gateway.web.__file__).parent
ROOT = WEB.parent.parent
ZH, EN = language("zh").words, language("en").words
SENT = {"queued", "sending", "accepted", "channel_rejected", "unknown", "failed_later", "held"}


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_catalogues_hold_the_same_names():
    assert set(ZH) == set(EN)


def test_each_word_is_there_with_the_same_values():
    for key in ZH:
        assert ZH[key].strip() and EN.get(key, "").strip(), key
        assert placeholders(ZH[key]) == placeholders(EN[key]), key


def test_chinese_is_chinese_and_english_is_english():
    alike = {key for key in ZH if ZH[key] == EN[key]}
    assert alike <= {"common.product"}, alike
    assert not [key for key in EN if re.search(r"[一-鿿]", EN[key]) and key != "common.other_language"]


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        ("check", {c.id for c in CHECKS}),
        ("check_fails", {c.id for c in CHECKS}),
        ("state", set(tables.DRAFT_STATES) | SENT),
        ("standing", set(tables.DRAFT_STATES)),
        ("mode", set(tables.MODES)),
        ("role", set(tables.ROLES)),
        ("fallback", set(tables.FALLBACKS) - {""}),
        ("claim", {s.value for s in Status}),
        ("via", {v.value for v in Via}),
        ("fix", set(TYPES)),
        ("hold", set(REASONS.values())),
        ("draft.level", {level.value for level in Level}),
    ],
)
def test_every_code_of_the_record_has_a_word(kind, codes):
    assert not {code for code in codes if f"{kind}.{code}" not in ZH}


@pytest.mark.parametrize("code", CODES)
def test_a_rule_without_a_word_is_told_by_its_status(code):
    """Rules grow with the fact check; a new one must not show as a code."""
    lang = language(code)
    assert lang.first("rule.value", "claim.contradicted") == lang.words["rule.value"]
    assert lang.first("rule.of_tomorrow", "claim.contradicted") == lang.words["claim.contradicted"]


def test_every_scenario_and_flag_of_the_packs_has_a_word():
    from planner.pack import BUILT_IN

    written = "\n".join(file.read_text("utf-8") for file in BUILT_IN.rglob("*.yaml"))
    scenarios = set(re.findall(r"\{id: ([a-z_]+), human:", written))
    flags = set(re.findall(r"\bflag: ([a-z_]+)", written))
    assert scenarios and flags
    assert not {s for s in scenarios if f"scenario.{s}" not in ZH}
    assert not {f for f in flags if f"flag.{f}" not in ZH}


def test_every_error_that_a_click_can_meet_has_its_own_words():
    codes = set()
    for name in ("approval", "conversations", "drafts", "outbox", "people"):
        source = (ROOT / "gateway" / f"{name}.py").read_text("utf-8")
        codes |= set(re.findall(r'(?:Conflict|Refused|NotFound)\(\s*"([a-z_]+)"', source))
    for file in WEB.glob("*.py"):
        source = file.read_text("utf-8")
        codes |= set(re.findall(r'(?:Conflict|Refused|NotFound|Forbidden|TooMany)\(\s*"([a-z_]+)"', source))
        codes |= set(re.findall(r'Outcome\(False, "([a-z_]+)"', source))
    codes |= set(__import__("gateway.whose_words").whose_words.REASONS)
    beyond = {"chat_type_differs", "conversation_differs", "message_differs", "recipient_known", "unknown_group"}
    assert not {code for code in codes - beyond if f"refused.{code}" not in ZH}


def test_every_deed_that_succeeds_has_its_own_words():
    done = set()
    for file in WEB.glob("*.py"):
        done |= set(re.findall(r'Outcome\(True, "([a-z_]+)"', file.read_text("utf-8")))
    assert len(done) > 10
    assert not {key for key in done if f"done.{key}" not in ZH}


def test_templates_name_only_words_that_exist_with_all_their_values():
    for template in (WEB / "templates").glob("*.html"):
        source = template.read_text("utf-8")
        for key, rest in re.findall(r'\bt\(\s*"([a-z_.]+[a-z])"((?:[^()]|\([^()]*\))*)\)', source):
            assert key in ZH, (template.name, key)
            if not rest.lstrip().startswith(("if", "~")):
                assert placeholders(ZH[key]) <= set(re.findall(r"(\w+)=", rest)), (template.name, key)


@pytest.mark.parametrize(
    ("wanted", "kept", "accepted", "code"),
    [
        (None, None, "", "zh"),
        (None, None, "en-GB,en;q=0.9", "en"),
        (None, None, "de-DE,zh;q=0.5,en;q=0.4", "zh"),
        (None, None, "fr", "zh"),
        ("en", "zh", "zh", "en"),
        ("xx", "en", "zh", "en"),
        ("../../etc/passwd", None, "", "zh"),
    ],
)
def test_language_is_chosen_by_link_then_cookie_then_browser(wanted, kept, accepted, code):
    assert choose(wanted, kept, accepted).code == code


def test_the_same_draft_reads_in_both_languages(browser_of, held):
    draft = held()
    lin = browser_of("lin")
    chinese = lin.draft(draft)
    assert ("html", {"lang": "zh-CN"}) in chinese.tags and "通过" in chinese.text
    english = lin.get(f"/drafts/{draft['draftId']}?lang=en")
    assert ("html", {"lang": "en"}) in english.tags
    assert "Approve" in english.text and "Waits for a person's decision" in english.text
    assert "Approve" in lin.draft(draft).text, "the choice is kept"


def test_the_record_is_never_localised(desk, browser_of, held):
    draft = held()
    browser_of("lin").get("/?lang=zh")
    record = desk.draft(draft["draftId"])
    assert {c["id"] for c in record["qualityChecks"]} == {c.id for c in CHECKS}
    assert record["state"] == "held" and record["holdReasons"] == ["review_mode"]


def test_codes_and_people_states_agree():
    assert CODES == ("zh", "en") and WITH_PEOPLE == (2, 3)


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [
        ("undone", "批准已撤回"),
        ("hold, requires_human, stale", "暂留 · 需要人来决定 · 客户又来消息"),
        ("not sent: window_closed, quota_used", "回复窗口已关 · 条数已用完"),
        ("40001: invalid credential", "40001: invalid credential"),
        ("hold, something_new", "hold, something_new"),
        ("", ""),
    ],
)
def test_recorded_reasons_are_said_in_the_viewers_language(recorded, shown):
    assert language("zh").why(recorded) == shown
