"""Behaviours of reading, through the command line."""

import json

import pytest
from typer.testing import CliRunner

from gateway.cli import app

WEDNESDAY = "2026-09-16T10:00:00+08:00"


@pytest.fixture
def read(tmp_path):
    """`draftgate read` over some texts; gives text -> quantities."""

    def run(texts):
        file = tmp_path / "texts.jsonl"
        lines = [json.dumps({"id": str(i), "text": text, "now": WEDNESDAY}) for i, text in enumerate(texts)]
        file.write_text("\n".join(lines), "utf-8")
        done = CliRunner().invoke(app, ["read", str(file)])
        assert done.exit_code == 0, done.output
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        for answer, text in zip(answers, texts, strict=True):
            for found in answer["quantities"]:
                assert text[found["start"] : found["end"]] == found["quote"]
        return {text: answer["quantities"] for text, answer in zip(texts, answers, strict=True)}

    return run


def values(found):
    return {text: [q["value"] for q in quantities] for text, quantities in found.items()}


def test_t_02_mixed_digits_and_characters(case, read):
    got = values(read(case.given["inputs"]))
    case.equals("parses", {text: found[0] for text, found in got.items() if len(found) == 1})


def test_t_06_open_amounts(case, read):
    got = read(case.given["inputs"])
    wanted = case.wanted("parses")
    for text, step in (("十几万", 10_000), ("几十万", 10_000)):
        (some,) = got[text]  # half-open: up to, and not with, the next step after the highest value
        assert some["low"] == wanted[text][0] and some["high"] - wanted[text][1] in (step, 1)
    (more,) = got["三百多万"]  # half-open: more than three, less than four million
    assert (more["approx"], more["low"], more["high"]) == ("over", wanted["三百多万"][0] - 1, wanted["三百多万"][1] + 1)
    (about,) = got["三百五十来万"]
    assert (about["approx"], about["value"]) == ("about", 3_500_000)
    case.holds("parses", about["low"] < 3_500_000 < about["high"])


def test_t_07_no_number_here(case, read):
    got = values(read(case.given["inputs"]))
    case.holds("note", got["一手房"] == [])
    full = got.pop("百分百")
    assert full in ([], [100])
    case.holds("parses", all(found == [] for found in got.values()))


def test_t_10_capital_money(case, read):
    got = read(case.given["inputs"])
    assert all(q["unit"] == "CNY" for found in got.values() for q in found)
    case.equals("parses", {text: q[0]["value"] for text, q in got.items() if len(q) == 1})


def test_t_11_w_k_and_full_width(case, read):
    got = read(case.given["inputs"])
    wanted = dict(case.wanted("parses"))
    (least,) = got.pop("260w+")
    assert wanted.pop("260w+") == f"at least {least['low']}" and least["approx"] == "at_least"
    case.holds("parses", {text: q[0]["value"] for text, q in got.items() if len(q) == 1} == wanted)


def test_t_12_bounds(case, read):
    got = {text: found for text, (found,) in read(case.given["inputs"]).items()}
    shown = {
        "at_least": lambda q: f">={_plain(q['low'], q)}",
        "at_most": lambda q: f"<={_plain(q['high'], q)}",
        "over": lambda q: f"slightly above {q['low']}",
        "under": lambda q: f"slightly below {q['high']}",
    }
    told = {text: shown[q["approx"]](q) for text, q in got.items()}
    assert got["300万出头"]["high"] <= 3_300_000 and got["小300万"]["low"] >= 2_700_000
    case.equals("parses", told)


def _plain(value, quantity):
    """Write a percentage as the line does: 30 as 0.30, 70 as 0.7."""
    if quantity["unit"] != "%":
        return value
    return f"{value / 100:.2f}" if value == 30 else f"{value / 100:g}"


def test_t_13_large_scales(case, read):
    case.equals("parses", {text: found[0] for text, found in values(read(case.given["inputs"])).items()})


def test_t_14_relative_dates(case, read):
    got = values(read(case.given["inputs"]))
    wanted = dict(case.wanted("parses"))
    assert got.pop("周三") == [wanted.pop("周三").split(" ")[0]]
    case.holds("parses", {text: found[0] for text, found in got.items()} == wanted)


def test_t_17_one_unit_many_spellings(case, read):
    got = read(case.given["inputs"])
    told = {text: f"{q['value']} {q['unit'].replace('CNY', 'yuan')}" for text, (q,) in got.items()}
    case.equals("parses", told)


def test_t_20_english_amounts(case, read):
    got = values(read(case.given["inputs"]))
    case.equals("parses", {text: found[0] for text, found in got.items() if len(found) == 1})


def test_t_22_two_numbers_without_a_mark_between_them(case, read):
    got = values(read(case.given["inputs"]))
    for text in ("三室两厅一卫", "28层33层"):
        case.equals(text, got[text])
    case.holds("never", got["二十三十"] in ([None], [20, 30]))


def test_t_24_unicode_forms_of_one_digit(case, read):
    got = values(read(case.given["inputs"]))
    case.holds("parses", all(got[text] == [value] for text, value in case.wanted("parses").items()))
    case.holds("note", got["²⁹⁸万"] == [] and got["①②"] == [])
    assert got["𝟐𝟗𝟖万"] == got["٢٩٨万"] == [2_980_000]
    assert got["贰百"] == [200] and got["萬"] == got["億"] == []
