"""What auto mode would send is counted by `decide()` itself, before and after the example agent's one rewrite."""

from typing import Any

from bench.autoshare import Outcome, outcome, shares

AT = "2026-05-20T10:00:00+08:00"


def row(draft: str, asked: str, evidence: str, *, fault: str | None = None, **fields: Any) -> dict[str, Any]:
    talk = {
        "id": "c",
        "chatType": fields.pop("chat", "private"),
        "messages": [{"id": "m1", "role": "customer", "text": asked, "at": AT}],
    }
    text = {"text": draft, "citations": [{"id": "c1", "text": evidence}], **fields}
    turn = {"id": "t", "now": AT, "pack": "property", "conversation": talk, "draft": text}
    fails = [{"clause": fault, "anyOf": ["fact_evidence"], "why": "…"}] if fault else []
    return {"turn": turn, "expect": {"fails": fails, "scenarios": []}}


def test_a_backed_answer_is_sent_at_once() -> None:
    got = outcome(row("建面98平。", "多大", "建筑面积98平米"))
    assert got == Outcome(good=True, tagged=False, first=True, second=True)


def test_a_wrong_value_is_sent_only_when_it_was_corrected() -> None:
    got = outcome(row("建面108平。", "多大", "建筑面积98平米", fault="建面108平"))
    assert not got.first and got.second and not got.still_wrong and not got.bare


def test_an_answer_without_a_source_becomes_a_word_that_it_is_checked() -> None:
    got = outcome(row("建面108平。", "多大", "绿化率35%", fault="建面108平"))
    assert got.second and got.bare and not got.still_wrong


def test_what_needs_a_person_is_never_sent() -> None:
    assert not outcome(row("建面98平。", "多大", "建筑面积98平米", chat="group")).second
    assert not outcome(row("建面98平。", "多大", "建筑面积98平米", requiresHuman=True)).second


def test_tagged_turns_are_left_out_of_the_good_ones() -> None:
    seen = [
        Outcome(good=True, tagged=False, first=True, second=True),
        Outcome(good=True, tagged=False, first=False, second=True),
        Outcome(good=True, tagged=True, first=False, second=False),
        Outcome(good=False, tagged=True, first=False, second=True, still_wrong=True),
    ]
    got = shares(seen)
    assert (got.good, got.first, got.second) == (2, 0.5, 1.0)
    assert (got.faulty, got.faulty_first, got.still_wrong) == (1, 0.0, 1.0)
    assert shares([]).first is None
