"""Every row of the packs' fact sections finds its example and leaves its counter-example alone."""

import pytest

from planner.pack import load_pack
from verifier.actions import ActionRow
from verifier.acts import ActRow
from verifier.lexicon import Concept, NameEnding, WordClass, lexicon_of

PACKS = ("property", "used_car")
CONCEPTS = [(name, row) for name in PACKS for row in load_pack(name).rows("concepts", Concept)]
WORDS = [(name, row) for name in PACKS for row in load_pack(name).rows("fact_words", WordClass)]
NAMES = list(load_pack("property").rows("fact_names", NameEnding))
ACTS = list(load_pack("property").rows("fact_acts", ActRow))
ACTIONS = list(load_pack("property").rows("fact_actions", ActionRow))


def _ids(pack: str, text: str) -> set[str]:
    return {hit.entry.id for hit in lexicon_of(load_pack(pack)).scan(text.lower())}


@pytest.mark.parametrize(("pack", "row"), CONCEPTS, ids=lambda v: getattr(v, "id", v))
def test_a_concept_finds_its_example_and_not_its_counter(pack: str, row: Concept) -> None:
    assert row.example
    assert row.counter
    assert row.id in _ids(pack, row.example)
    assert row.id not in _ids(pack, row.counter)


@pytest.mark.parametrize(("pack", "row"), WORDS, ids=lambda v: getattr(v, "id", v))
def test_a_word_class_finds_its_example_and_not_its_counter(pack: str, row: WordClass) -> None:
    assert row.id in _ids(pack, row.example)
    assert row.id not in _ids(pack, row.counter)


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row.id)
def test_a_name_ending_finds_its_example_and_not_its_counter(row: NameEnding) -> None:
    assert any(row.example.endswith(word) for word in row.words)
    assert not any(row.counter.endswith(word) for word in row.words)


@pytest.mark.parametrize("row", [*ACTS, *ACTIONS], ids=lambda row: row.id)
def test_an_act_finds_its_example_and_not_its_counter(row: ActRow | ActionRow) -> None:
    assert row.search(row.example.lower()) is not None
    assert row.search(row.counter.lower()) is None


@pytest.mark.parametrize("pack", PACKS)
def test_ids_are_unique_and_named_roles_exist(pack: str) -> None:
    rows = load_pack(pack).rows("concepts", Concept)
    ids = [row.id for row in rows]
    assert len(ids) == len(set(ids))
    assert {wide for row in rows for wide in row.broader} <= set(ids)
    assert {row.of for row in rows if row.of} <= set(ids)
