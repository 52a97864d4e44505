"""The role of a number comes from the words beside it, however many numbers stand in its clause."""

import time
from datetime import UTC, datetime

import pytest

from planner.pack import load_pack
from planner.reading import read_text
from verifier.scanning import scanned_of

PROPERTY = load_pack("property")
NOW = datetime(2026, 3, 5, tzinfo=UTC)


def _roles(text: str) -> list[tuple[str, str]]:
    read = read_text(text, NOW)
    statement = scanned_of(read, PROPERTY).statement(0, len(read.norm))
    return [(amount.quantity.quote, amount.role) for amount in statement.amounts]


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("挂牌价388万", [("388万", "asking_price")]),
        ("物业费3.2元", [("3.2元", "fee")]),
        ("绿化率33%得房率81%", [("33%", "green_rate"), ("81%", "yield_rate")]),
        ("388万的挂牌价", [("388万", "asking_price")]),
    ],
)
def test_the_word_beside_a_number_gives_its_role(text: str, roles: list[tuple[str, str]]) -> None:
    """Nearest before, else right behind."""
    assert _roles(text) == roles


def test_a_word_a_page_away_still_gives_the_role() -> None:
    """Many words are looked up by their places and give what a few give by being looked through."""
    many = "，".join(f"绿化率{n}%得房率{n}%" for n in range(10, 60))
    assert {role for _, role in _roles(many)} == {role for _, role in _roles("绿化率10%得房率10%")}


@pytest.mark.parametrize("unit", ["350万", "单价2万", "不到3万", "138-", "第3层"])
def test_a_clause_of_a_thousand_numbers_is_read_in_a_moment(unit: str) -> None:
    """A field of tool data may be long and is one clause; a quadratic reader needs many seconds for it."""
    read = read_text((unit * 20_000)[:20_000], NOW)
    scanned = scanned_of(read, PROPERTY)
    assert scanned.hits is not None
    read.quantities  # noqa: B018  # only the roles are timed
    began = time.process_time()
    scanned.statement(0, len(read.norm))
    assert time.process_time() - began < 1.5
