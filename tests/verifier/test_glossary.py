"""The glossary gives Latin keys, values and texts their Chinese words; its data is clean."""

import re
from collections import Counter
from pathlib import Path

import pytest

from planner.pack import BUILT_IN, Pack, PackError, load_pack
from verifier.glossary import Glossary, glossary_of

GLOSSARY = glossary_of(load_pack("property"))
SOURCE: Path = BUILT_IN / "common" / "glossary.yaml"
_KEY = re.compile(r"[a-z0-9][a-z0-9']*(?: [a-z0-9][a-z0-9']*){0,3}")
_ENTRY = re.compile(r'^  "?([^":#]+)"?: \[', re.MULTILINE)
_FUNCTION = {"is", "are", "the", "a", "an", "of", "with", "not", "no", "and", "or", "to", "for", "in", "on"}


@pytest.mark.parametrize("pack", ["property", "used_car"])
def test_both_trades_share_a_large_glossary(pack: str) -> None:
    assert len(glossary_of(load_pack(pack)).words) > 2500


def test_keys_are_one_to_four_lower_case_words() -> None:
    assert [key for key in GLOSSARY.words if not _KEY.fullmatch(key)] == []


def test_no_key_is_written_twice() -> None:
    keys = _ENTRY.findall(SOURCE.read_text("utf-8"))
    assert [key for key, count in Counter(keys).items() if count > 1] == []
    assert len(keys) == len(GLOSSARY.words)


def test_no_function_word_has_an_entry_of_its_own() -> None:
    assert _FUNCTION.isdisjoint(GLOSSARY.words)


def test_values_are_chinese_words_of_two_characters_or_more() -> None:
    words = [(key, word) for key, chinese in GLOSSARY.words.items() for word in chinese]
    assert [pair for pair in words if len(pair[1]) < 2 or not re.search("[\u4e00-\u9fff]", pair[1])] == []
    assert [key for key, chinese in GLOSSARY.words.items() if len(set(chinese)) < len(chinese)] == []


def test_every_key_is_found_by_its_own_words() -> None:
    unfound = [key for key, chinese in GLOSSARY.words.items() if [c for _, c in GLOSSARY.found(key)] != [chinese]]
    assert unfound == []


@pytest.mark.parametrize(
    ("key", "chinese"),
    [
        ("firstRegistrationDate", "首次登记日期"),
        ("non_commercial", "非营运"),
        ("under offer", "有人出价"),
        ("inTransit", "在途"),
        ("BEV", "纯电动"),
        ("PHEV", "插电混动"),
        ("owner_occupied", "业主自住"),
        ("released", "已解除"),
        ("not tested", "未检测"),
        ("scratches", "划痕"),
        ("balconies", "阳台"),
        ("tumbleDryer", "烘干机"),
        ("lift", "电梯"),
        ("flat", "公寓"),
        ("key", "钥匙"),
        ("title", "产权"),
        ("VIN", "车架号"),
        ("original_paint", "原厂漆"),
        ("petsAllowed", "可养宠物"),
        ("waterPressure", "水压"),
        ("transfer_count", "过户次数"),
        ("Non-refundable", "不可退"),
    ],
)
def test_a_key_reads_as_a_fact_sheet_prints_it(key: str, chinese: str) -> None:
    assert GLOSSARY.spoken(key) == chinese


def test_the_longest_phrase_wins() -> None:
    assert GLOSSARY.spoken("water") != GLOSSARY.spoken("water heater") == "热水器"
    assert "营运" not in GLOSSARY.all_of("non-commercial").split()


@pytest.mark.parametrize("text", ["", "xyzzy", "qwertyuiop_zxcvb", "房子", "123"])
def test_an_unknown_word_has_no_chinese(text: str) -> None:
    assert GLOSSARY.spoken(text) == GLOSSARY.all_of(text) == ""


def test_known_words_are_heard_among_unknown_ones() -> None:
    assert GLOSSARY.spoken("xyzzy dryer") == "烘干机"


def test_a_pack_without_a_glossary_knows_no_word() -> None:
    assert glossary_of(Pack("bare", {}, "0")) == Glossary({})


@pytest.mark.parametrize("data", [["dryer"], {"dryer": "烘干机"}, {"dryer": []}, {"dryer": [1]}, {"dryer": [""]}])
def test_a_glossary_that_is_no_lists_of_words_is_refused(data: object) -> None:
    with pytest.raises(PackError, match="glossary"):
        glossary_of(Pack("broken", {"glossary": data}, "0"))
