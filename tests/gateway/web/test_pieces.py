"""The small pure pieces: what is seen is what is there, and joining the pieces gives the text again."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.web.charts import stacked
from gateway.web.clauses import claims_of, stretches
from gateway.web.diff import changes
from gateway.web.evidence import Source, passage
from gateway.web.forms import Form
from gateway.web.page import local_path
from gateway.web.statistics import cell
from gateway.web.visible import hidden, marked, unveil

TEXT = st.text(alphabet=st.sampled_from("一二89 .,\n\t\u200b\u202e\u00a0\u3000ab<>&\"'\U000e0041"), max_size=60)


@given(TEXT)
@settings(max_examples=60)
def test_marked_pieces_joined_are_the_text(text):
    assert "".join(piece.text for piece in marked(text)) == text
    assert "".join(piece.text for piece in unveil(text)) == text
    assert sum(1 for piece in unveil(text) if piece.mark) == hidden(text)


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("a\u200bb  c\n\n\nd", ["U+200B", "·", "·", "⏎", "⏎", "⏎"]),
        ("普通的一句 话。", []),
        ("2\u200b98万", ["U+200B"]),
        ("多少钱\U000e0061", ["U+E0061"]),
        ("abc\u202e", ["U+202E"]),
        ("尾巴 ", ["·"]),
        ("全角\u3000空格", ["□"]),
    ],
)
def test_what_nobody_sees_gets_a_mark(text, marks):
    assert [piece.mark for piece in marked(text) if piece.mark] == marks


@given(TEXT, TEXT)
@settings(max_examples=60)
def test_a_difference_holds_both_texts(first, second):
    found = changes(first, second)
    assert "".join(c.text for c in found if c.kind != "in") == first
    assert "".join(c.text for c in found if c.kind != "out") == second


def test_numbers_change_as_wholes():
    assert [(c.kind, c.text) for c in changes("建面92平", "建面89.5平")] == [
        ("same", "建面"),
        ("out", "92"),
        ("in", "89.5"),
        ("same", "平"),
    ]


@pytest.mark.parametrize("pair", [("一" * 20_000, "一" * 19_999), ("一" * 800, "一二" * 400), ("ab" * 400, "ba" * 400)])
def test_hostile_texts_are_compared_quickly(pair):
    started = time.process_time()
    changes(*pair)
    marked(pair[0])
    assert time.process_time() - started < 2.0


def claim(start, end, status="supported", text="", **more):
    return {
        "quote": text[start:end],
        "start": start,
        "end": end,
        "kind": "statement",
        "status": status,
        "reason": "r",
        "via": "read",
        "ruleId": "value",
        "evidence": [],
    } | more


@given(TEXT, st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), max_size=6))
@settings(max_examples=60)
def test_stretches_joined_are_the_text_whatever_the_claims_say(text, spans):
    evaluation = {"claims": [claim(a, b, text=text) for a, b in spans]}
    parts = stretches(text, evaluation, claims_of(evaluation, {}))
    assert "".join(part.text for part in parts) == text


def test_each_stretch_carries_its_own_claim():
    text = "建面89平，朝南。"
    evaluation = {"claims": [claim(6, 8, "unsupported", text), claim(0, 5, "supported", text)]}
    parts = stretches(text, evaluation, claims_of(evaluation, {}))
    assert [(p.text, p.claim and p.claim.status) for p in parts] == [
        ("建面89平", "supported"),
        ("，", None),
        ("朝南", "unsupported"),
        ("。", None),
    ]


def test_the_passage_shows_the_words_with_their_surroundings():
    source = Source("doc", "citation", "", "前" * 900 + "建筑面积89.0平方米" + "后" * 900)
    found = passage(source, ["建筑面积89.0平方米"])
    assert [text for text, hit in found.parts if hit] == ["建筑面积89.0平方米"]
    assert sum(len(text) for text, _ in found.parts) < 1300 and found.found
    lost = passage(source, ["没有这句话"])
    assert not lost.found and not [1 for _, hit in lost.parts if hit]


@pytest.mark.parametrize("name", ["=1+1", "+A1", "-2", "@SUM(A1)", "\tx", "\r=1"])
def test_table_programs_run_no_cell(name):
    assert cell(name).startswith("'")
    assert cell("ag-1") == "ag-1"


def test_form_texts_are_read_as_typed():
    form = Form({"text": ("a\r\nb\rc",), "line": (" a\x00b\u0007 ",), "n": ("1", "2"), "box": ("on",)})
    assert form.text("text") == "a\nb\nc"
    assert form.line("line") == "ab"
    assert form.choices("n") == ["1", "2"] and form.number("n") == 2
    assert form.ticked("box") and not form.ticked("other")


@given(st.text(max_size=40))
@settings(max_examples=80)
def test_a_local_path_stays_here(path):
    found = local_path(path)
    assert found.startswith("/") and not found.startswith("//") and "\\" not in found and found.isprintable()


def test_columns_stand_on_the_ground_and_in_the_picture():
    chart = stacked(
        [("2026-11-29", {"pass": 3, "fail": 1}), ("2026-11-30", {}), ("2026-12-01", {"pass": 250})],
        {"pass": "通过", "fail": "不通过"},
    )
    assert [bar.kind for bar in chart.bars] == ["pass", "fail", "pass"]
    for bar in chart.bars:
        assert 0 <= bar.x <= bar.x + bar.width <= chart.width
        assert 0 <= bar.y <= bar.y + bar.height <= chart.height
    assert stacked([], {"pass": "通过"}).bars == ()
