"""Every row of the grammar data reads its example and leaves its counter-example alone."""

from datetime import datetime
from typing import Any

import pytest
import yaml

from planner.grammar import FILE, grammar, marks
from planner.quantities import Quantity, read
from planner.text import normalize

NOW = datetime.fromisoformat("2026-03-05T09:00:00+08:00")
DATA: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
ROWS = [(section, row) for section in ("units", "roles", "forms") for row in DATA[section]]


def _read(text: str) -> tuple[Quantity, ...]:
    return read(normalize(text), NOW)


def _unit(row: dict[str, Any]) -> set[str | None]:
    return {row.get("unit"), *(row["words"] if row.get("itself") else ())}


@pytest.mark.parametrize(("section", "row"), ROWS, ids=[f"{section}-{row['id']}" for section, row in ROWS])
def test_a_row_reads_its_example_and_not_its_counter_example(section: str, row: dict[str, Any]) -> None:
    kind = {"scale": "money"}.get(row["kind"], row["kind"])
    assert any(q.kind == kind and q.unit in _unit(row) for q in _read(row["example"])), _read(row["example"])
    assert not any(q.kind == kind and q.unit in _unit(row) and q.quote == row["counter"] for q in _read(row["counter"]))


@pytest.mark.parametrize("row", DATA["idioms"], ids=lambda row: row["id"])
def test_idioms_count_nothing(row: dict[str, Any]) -> None:
    wrong = {word: found for word in row["words"] if (found := _read(str(word)))}
    assert not wrong


@pytest.mark.parametrize("word", DATA["not_idioms"])
def test_words_that_only_contain_an_idiom_stay_readable(word: str) -> None:
    assert not any(end - start == len(word) for start, end in marks(word).idioms)


def test_no_word_is_given_twice_with_two_meanings() -> None:
    """A unit word belongs to one unit, a role word to one role."""
    for section in ("units", "roles"):
        words = [word for row in DATA[section] for word in row["words"]]
        assert sorted(words) == sorted(set(words)), section


def test_the_table_is_loaded_once() -> None:
    assert grammar() is grammar()
