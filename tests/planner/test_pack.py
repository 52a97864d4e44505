"""Packs: loaded and merged, terms written out, mistakes named by file, section, row and field; a new trade needs no code."""

from pathlib import Path

import pytest

from planner.pack import PackError, Row, load_pack
from planner.pack_check import check_pack
from planner.reading import read_turn
from planner.risks import find_risks
from planner.slots import asks_again, known_slots, slot_questions
from tests.planner.turns import reading

SCHOOL = Path(__file__).parent / "driving_school" / "pack.yaml"
MINIMAL = "name: shop\nterms:\n  fruit: [apple, 梨]\n"


def _write(folder: Path, body: str, name: str = "pack.yaml") -> Path:
    path = folder / name
    path.write_text(body, encoding="utf-8")
    return path


def _mine(path: Path | str) -> list[str]:
    """Problems of the sections that the planner reads."""
    return [problem for problem in check_pack(path) if "nothing reads" not in problem]


@pytest.mark.parametrize("source", ["property", "used_car", SCHOOL])
def test_shipped_packs_are_sound(source: str | Path) -> None:
    """Every row of the planner's sections is readable and true to its example and counter-example."""
    assert _mine(source) == []


def test_terms_and_fragments_are_written_out(tmp_path: Path) -> None:
    """A Latin word matches whole words only; a fragment may use terms."""
    body = (
        MINIMAL
        + "fragments: {two: '{fruit}、{fruit}'}\nrows:\n  - {id: r, pattern: '要{fruit}'}\n  - {id: s, pattern: '{two}'}\n"
    )
    one, two = load_pack(_write(tmp_path, body)).rows("rows", Row)
    assert one.search("我要apple")
    assert one.search("我要pineapple") is None
    assert two.search("梨、apple")


def test_included_files_merge_and_change_the_digest(tmp_path: Path) -> None:
    """Mappings merge key by key, lists end to end."""
    _write(tmp_path, "terms: {fruit: [fig]}\nrows: [{id: a, words: [x]}]\n", "base.yaml")
    path = _write(tmp_path, "include: [base.yaml]\nname: shop\nterms: {fruit: [plum]}\nrows: [{id: b, words: [y]}]\n")
    pack = load_pack(path)
    assert pack.sections["terms"] == {"fruit": ["fig", "plum"]}
    assert [row.id for row in pack.rows("rows", Row)] == ["a", "b"]
    assert pack.digest != load_pack("property").digest


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("terms: {}", "every pack needs a name"),
        ("name: [", "no valid YAML"),
        ("- a", "a pack is a mapping of sections"),
        ("name: x\ninclude: [pack.yaml]", "includes itself"),
        ("name: x\ninclude: [none.yaml]", "cannot be read"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, body: str, words: str) -> None:
    """The error says which file and what to mend."""
    path = _write(tmp_path, body)
    with pytest.raises(PackError, match=words):
        load_pack(path)
    assert words in check_pack(path)[0]


def test_a_wrong_row_is_named(tmp_path: Path) -> None:
    """A row's error names pack, section, row and field."""
    path = _write(tmp_path, MINIMAL + "rows:\n  - {id: r, patern: x}\n")
    with pytest.raises(PackError, match=r"pack shop: rows\[r\]\.patern"):
        load_pack(path).rows("rows", Row)


SLOTS = "slots: [{id: colour}]\nscenarios: [{id: pricing}]\n"


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("trigers: []", "trigers: nothing reads a section of this name; did you mean triggers?"),
        ("triggers: {}", "triggers: must be a list of rows"),
        ("triggers: [{id: a}]", "triggers[a].scenario: Field required"),
        ("asking: [{id: a, words: [x]}]", "asking[a].example: is missing"),
        ("asking: [{id: a, pattern: '(', example: x, counter: y}]", "asking[a].pattern: no regular expression"),
        (
            "asking: [{id: a, words: [x], example: y, counter: z}]",
            "asking[a].example: the row does not match its own example 'y'",
        ),
        (
            "asking: [{id: a, words: [x], example: x, counter: ox x}]",
            "asking[a].counter: the row matches its counter-example 'ox x'",
        ),
        ("asking: [{id: a, pattern: 'x||y', example: x, counter: z}]", "asking[a].pattern: matches an empty text"),
        ("asking: [{id: a, pattern: '{nuts}', example: x, counter: y}]", "terms.nuts: a pattern uses it"),
        (
            "asking: [{id: a, words: [x], example: x, counter: y}, {id: a, words: [z], example: z, counter: y}]",
            "same id",
        ),
        (
            "slot_topics: [{id: a, slot: size, words: [x], example: x, counter: y}]",
            "slot_topics[a].slot: the pack has no slot 'size'",
        ),
        ("denials: [{id: a, scenario: no, words: [x], example: x, counter: y}]", "denials[a].scenario"),
    ],
)
def test_check_names_section_row_and_field(tmp_path: Path, rows: str, problem: str) -> None:
    """`draftgate pack check` tells what to mend."""
    found = check_pack(_write(tmp_path, MINIMAL + SLOTS + rows + "\n"))
    assert any(problem in line for line in found), found


def _school(*said: str, draft: str | None = None):
    return read_turn(reading(*said, draft=draft).turn, load_pack(SCHOOL))


@pytest.mark.parametrize(
    ("said", "scenarios"),
    [
        ("科目二啥时候考", {"exam"}),
        ("你们包过不", {"exam"}),
        ("能给我换个教练吗", {"coach"}),
        ("学费怎么收，能便宜点不", {"pricing"}),
        ("周末去训练场看看可以吗", {"viewing"}),
        ("转人工", {"human_request"}),
        ("练车要带水吗", set()),
        ("体检费多少钱", set()),
    ],
)
def test_a_third_trade_needs_no_code(said: str, scenarios: set[str]) -> None:
    """A driving school in data alone has its own scenarios beside the shared ones."""
    assert {risk.scenario for risk in find_risks(_school(f"c:{said}"))} == scenarios


def test_a_third_trade_has_its_own_slots() -> None:
    """Its slots are asked for, known, and not asked for again."""
    turn = _school("c:我想学自动的", "a:好的", draft="您是学c1还是c2？哪天方便练车")
    known = known_slots(turn)
    found = slot_questions(turn.draft, turn.pack)
    assert set(known) == {"licence_class"}
    assert [q.slot for q in found] == ["licence_class", "practice_time"]
    assert [asks_again(turn, q, known) for q in found] == [True, False]
