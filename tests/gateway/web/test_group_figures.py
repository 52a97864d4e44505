"""The statistics by pack and scenario and of cross replies, and what a cross reply's page says of it."""

import csv
import io

import pytest

from gateway import groups, people
from gateway.web.figures import ENOUGH
from gateway.wire import CrossRepliesIn, GroupTurnIn
from tests.gateway.desk import BAD
from tests.gateway.test_groups import HONEST, QUESTION, cross, turn

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def crossed(desk):
    """A group in which the lawyer answered the host, and two proposals were dropped."""
    desk.conversation("g-1", chat_type="group")
    desk.says(QUESTION, "g-1", mid="m-1")
    agent = people.Caller("a", "a", frozenset({"agent"}))
    body = turn(("host", HONEST), plans=[("lawyer", "host"), ("host", "host"), (EVIL, "host")])
    made = desk.run(lambda tx: groups.post_turn(tx, GroupTurnIn.model_validate(body, strict=False), agent))
    given = CrossRepliesIn.model_validate(cross("lawyer", "host"), strict=False)
    return desk.run(lambda tx: groups.post_cross_replies(tx, made["id"], given, agent))["replies"][0]


def table(browser):
    return list(csv.reader(io.StringIO(browser.client.get("/statistics.csv").text.lstrip("\ufeff"))))


def test_each_agents_part_in_groups_is_shown(lin, crossed):
    page = lin.get("/statistics")
    assert "群里互相补充" in page.text and "lawyer 0 1 100%" in page.text and "host 1 0 0%" in page.text
    assert "接自己的话 1" in page.text and "不在群里 1" in page.text
    assert EVIL in page.text and not [tag for tag, attrs in page.tags if "onerror" in attrs]
    assert ["cross_reply", "host", "1", "0", "1", "answers_itself=1"] in table(lin)
    english = lin.get("/statistics?lang=en").text
    assert "Cross replies in groups" in english and "answers itself 1" in english
    assert "群里互相补充" not in lin.get("/statistics?account=else").text


def test_a_cross_replys_page_says_whom_it_answers(lin, crossed):
    assert "补充 host 的话 more" in lin.draft(crossed).text


def test_other_drafts_say_nothing_of_it(lin, held):
    assert "的话 more" not in lin.draft(held()).text


def test_verdicts_by_pack_lead_to_their_drafts(desk, lin, held):
    held()
    held("c-2", text=BAD)
    page = lin.get("/statistics")
    assert "各业务包" in page.text and "property 2 1 50% 0 1 50% 0" in page.text
    assert ["pack", "property", "2", "1", "0", "1", "0", "", "", "", ""] in table(lin)
    for kind in ("pass", "fail"):
        link = next(link for link in page.links if f"pack_{kind}%7Eproperty" in link or f"pack_{kind}~property" in link)
        assert lin.get(link).html.count('class="row') >= 1


def test_scenarios_are_listed_by_how_well_they_are_backed(desk, lin):
    """Only with enough claims to say anything."""
    for number in range(ENOUGH):
        cid = desk.conversation(f"k-{number}")
        desk.says("这套挂牌价多少，能便宜吗", cid)
        desk.post(BAD, cid)
        if number == ENOUGH - 2:
            assert "各情形的事实依据" not in lin.get("/statistics").text
    page = lin.get("/statistics")
    assert "各情形的事实依据" in page.text and f"0/{ENOUGH}" in page.text
    assert [row[2:] for row in table(lin) if row[:2] == ["scenario", "pricing"]] == [["0", str(ENOUGH)]]
