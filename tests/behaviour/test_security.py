"""Behaviours towards hostile words: orders in data, hidden characters, other people's numbers, strangers."""

import json

from typer.testing import CliRunner

from gateway.cli import app
from outbound.wecom.sender import WeComSender
from tests.behaviour.shop import SEND, refused
from tests.gateway.desk import GOOD

SUBJECT = "松月里 5-1602"


def cited(text):
    return {"citations": [{"id": "doc-1", "text": text, "subject": SUBJECT}]}


def test_s_02_instruction_inside_a_citation(case, shop):
    """A passage is data: what it orders counts for nothing."""
    shop.says("这套什么情况，介绍一下")
    answer = shop.post(case.given["draft"], **cited(case.given["citation"]))
    case.equals("qualityPassed", answer["qualityPassed"])
    case.fails("fail", answer["hardFailureIds"])
    (claim,) = answer["claims"]
    assert (claim["status"], answer["state"]) == ("contradicted", "awaiting_rewrite")


def test_s_06_zero_width_characters_inside_a_number(case, shop, tmp_path):
    """Read as the number that a reader sees, and never sent with the hidden character in it."""
    file = tmp_path / "one.jsonl"
    now = "2026-09-16T10:00:00+08:00"
    file.write_text(json.dumps({"id": "1", "text": case.given["draft"], "now": now}), "utf-8")
    (quantity,) = json.loads(CliRunner().invoke(app, ["read", str(file)]).stdout)["quantities"]
    case.equals("compared_value", quantity["value"])
    shop.says("这套什么情况，介绍一下")
    draft = shop.post(case.given["draft"], **cited(case.given["citation"]))
    case.equals("qualityPassed", draft["qualityPassed"])
    shop.carry()
    assert shop.draft(draft)["state"] == "held"
    case.holds("sent_text", shop.calls == 0 and "bad_characters" in shop.draft(draft)["holdReasons"])
    assert "看不见" in shop.browser().draft(draft).text or "U+200B" in shop.browser().draft(draft).html


def test_s_08_tag_block_text_in_a_customer_message_or_document(case, shop):
    """What the tag characters spell is not read; that they were there is told."""
    hidden = case.given["customer_message"]
    bare = "".join(char for char in hidden if not 0xE0000 <= ord(char) <= 0xE007F)
    assert bare != hidden
    shop.says(hidden, "wm_hidden")
    shop.says(bare, "wm_bare")
    seen = shop.post("我请同事来报价。", shop.conversation("wm_hidden"))
    plain = shop.post("我请同事来报价。", shop.conversation("wm_bare"))
    planned = ("risks", "requiresHuman", "noReplyNeeded", "limits", "forbiddenMoves", "qualityScore", "failedCheckIds")
    case.equals("stripped_before_planning", [seen[n] for n in planned] == [plain[n] for n in planned])
    case.equals("flagged", "hidden_text" in seen["flags"] and "hidden_text" not in plain["flags"])
    shop.says("这套什么情况，介绍一下", "wm_doc")
    tail = hidden[len(bare) :]
    answer = shop.post("总价198万。", shop.conversation("wm_doc"), **cited("总价298万。" + tail))
    assert "fact_evidence" in answer["hardFailureIds"]


def test_s_11_identity_number_of_another_person_in_a_draft(case, shop):
    """Found by its date and check digit, with Chinese on both sides; one digit off is no identity number."""
    shop.says("这套什么情况，介绍一下")
    answer = shop.post(case.given["draft"])
    case.equals("qualityPassed", answer["qualityPassed"])
    case.fails("fail", answer["hardFailureIds"])
    shop.says("产权清楚吗", "wm_2")
    glued = shop.post("证号110101190001010014在册", shop.conversation("wm_2"))
    case.holds("note", "privacy" in glued["hardFailureIds"])


def test_s_12_internal_instructions_in_a_draft(case, shop):
    """The prompt stays inside, however it is asked for."""
    shop.says(case.given["customer_message"])
    answer = shop.post(case.given["draft"])
    case.equals("qualityPassed", answer["qualityPassed"])
    case.fails("fail", answer["hardFailureIds"])
    assert "injection" in answer["flags"]


class Talkative(WeComSender):
    """A channel whose errors repeat what they were given."""

    def post(self, message):
        raise RuntimeError(f"cannot send to {message.recipient}: {message.text}")


def test_s_14_log_and_audit_records(case, open_shop, capfd):
    """An error that repeats a text is logged with its numbers masked; a private note never gets near the customer."""
    phone, number, note = "13812345678", "110101190001010014", "业主急售，底价可谈到280万"
    shop = open_shop(channel=Talkative)
    shop.says()
    assert shop.write(f"您的电话是{phone}，证号{number}，对吗。").status_code == 200
    shop.carry()
    logged = "".join(capfd.readouterr())
    assert "send_failed_unexpectedly" in logged
    assert phone not in logged and number not in logged
    case.holds("log_masks", "138****5678" in logged and "110101********0014" in logged)
    assert not [word for word in shop.keys.values() if word in logged]
    plain = open_shop("review")
    payloads = []
    taken = plain.world.platform.calls[SEND]
    plain.world.platform.calls[SEND] = lambda body: payloads.append(body) or taken(body)
    try:
        cid = plain.says(customer="wm_3")
        told = {"id": "note-1", "role": "system", "text": note, "at": plain.clock().isoformat()}
        plain.ok("channel", "POST", f"/v1/conversations/{cid}/messages", json=told)
        tool = {"id": "t-1", "tool": "crm", "status": "ok", "data": {"privateNote": note, "answer": "人车分流"}}
        draft = plain.post_good(cid, toolResults=[tool])
        assert plain.approve(draft).status_code == 200
        plain.carry()
    finally:
        plain.world.platform.calls[SEND] = taken
    (payload,) = payloads
    assert payload["text"] == {"content": GOOD}
    private = note in json.dumps(payload, ensure_ascii=False)
    case.equals(
        "private_note_in_customer_payload", private or note in json.dumps(plain.deliveries(), ensure_ascii=False)
    )


def test_s_15_unknown_group(case, shop):
    """Groups are closed until somebody registers them: nothing is stored."""
    turn = {
        "id": "t-1",
        "conversation": {"id": case.given["group"], "chatType": case.given["chat_type"]},
        "draft": {"text": "您好。"},
    }
    headers = {"Idempotency-Key": "k"}
    for path in ("/v1/drafts",):
        refused(shop.call("agent", "POST", path, json=turn, headers=headers), 403, "unknown_group")
    case.equals("drafts", shop.client.get("/metrics").text.count("draftgate_drafts{"))
    known = shop.call("agent", "GET", f"/v1/conversations/{case.given['group']}")
    case.holds("default", known.status_code == 404)
