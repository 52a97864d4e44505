"""Tool data of any JSON shape as lines of text: one leaf, one line, "key words: value", with units from the key."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from verifier.lexicon import Concept, Hit, Lexicon

MAX_LEAVES = 2_000
MAX_DEPTH = 12
# A monthly fee beyond this is for the whole home, not for a square metre.
_DEAREST_FEE = 60
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NUMERIC = re.compile(r"-?\d+(?:\.\d+)?")
# The wall time of an instant is what people talk about; its offset would read as another time.
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
_NO = frozenset({"否", "无", "没有", "no", "n", "false", "none", "没"})
_UNIT_IN_KEY = re.compile(
    r"(?:^|[_(（\s])(万公里|公里|万元|万|元|平米|㎡|米|km|rmb|sqm|m2|kwh|%|年|个月|hp|ps|nm|kw|mm|cm|hours|minutes|mins)[)）]?$",
    re.IGNORECASE,
)
_SPOKEN_UNIT = {"rmb": "元", "sqm": "平米", "m2": "平米", "km": "公里"}
_LATIN = re.compile("[A-Za-z]{2}")
_DONE = "已"
_WIRE_WORD = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of tool data: `pointer` is its JSON pointer, `line` its words, `group` the list row it stands in."""

    pointer: str
    path: tuple[str, ...]
    value: Any
    line: str
    group: str


def leaves(data: Any, lexicon: Lexicon) -> tuple[Leaf, ...]:
    """Give every scalar of a JSON value as a line; data beyond the limits is not evidence."""
    found: list[Leaf] = []
    for pointer, path, value, group in _walk(data, "", (), "", 0):
        if len(found) >= MAX_LEAVES:
            break
        found.append(Leaf(pointer, path, value, _line(path, value, lexicon), group))
    return tuple(found)


def _walk(
    data: Any, pointer: str, path: tuple[str, ...], group: str, depth: int
) -> Iterator[tuple[str, tuple[str, ...], Any, str]]:
    if depth > MAX_DEPTH:
        return
    if isinstance(data, dict):
        measured = _value_and_unit(data)
        if measured and path:
            yield f"{pointer}/{measured[0]}", path, measured[1], group
            data = {key: value for key, value in data.items() if str(key).lower() not in _VALUE | _UNIT}
        for key, value in data.items():
            step = str(key).replace("~", "~0").replace("/", "~1")
            yield from _walk(value, f"{pointer}/{step}", (*path, str(key)), group, depth + 1)
    elif isinstance(data, list) and not data and path:
        yield pointer, path, False, group  # an empty list says that there is none
    elif isinstance(data, list):
        for index, value in enumerate(data):
            inner = f"{pointer}/{index}" if isinstance(value, dict) else group
            yield from _walk(value, f"{pointer}/{index}", path, inner, depth + 1)
    else:
        yield pointer, path, data, group


# Closed class: a number and its unit as two fields of one object.
_VALUE = frozenset({"value", "amount", "number", "数值", "金额"})
_UNIT = frozenset({"unit", "units", "单位"})


def _value_and_unit(data: dict[Any, Any]) -> tuple[str, str] | None:
    """Join {"value": 2.8, "unit": "元/㎡/月"} to one value; None for other objects."""
    names = {str(key).lower(): str(key) for key in data}
    value, unit = (next((names[n] for n in known if n in names), None) for known in (_VALUE, _UNIT))
    if value is None or unit is None or not isinstance(data[unit], str) or isinstance(data[value], bool):
        return None
    number = str(data[value])
    return (value, f"{number}{data[unit]}") if _NUMERIC.fullmatch(number) else None


def _line(path: tuple[str, ...], value: Any, lexicon: Lexicon) -> str:
    concept = lexicon.concept_of_key(path)
    own = 2 if concept and len(path) > 1 and lexicon.concept_of_key(path[-1:]) is not concept else 1
    # A field that says nothing by itself (到期) is its parent's; that a remark is empty says nothing against the parent.
    empty = isinstance(value, str) and value.strip().lower() in _NO and not _IS_THERE.fullmatch(path[-1].lower())
    whose = path[-2:-1] if concept is None and not empty else ()
    above = [
        _label(key, lexicon)
        for key in path[:-own]
        if _places(key, lexicon) or (key in whose if isinstance(value, str) else not _rival(key, concept, lexicon))
    ]
    own_label = _named(concept, path[-1], lexicon) if path else ""
    if own_label.startswith(_DONE):
        above = []  # mortgage/released: false says nothing against the mortgage, and a date nothing for it
    if isinstance(value, bool) and _tells_more(path, lexicon):
        if concept is None:  # sunroof/openable: false says nothing against the sunroof
            return f"{' '.join(above)}（{'' if value else '不'}{own_label}）".replace("\n", " ")
        above = [_label(key, lexicon) for key in path[:-own] if _places(key, lexicon)]
    label = " ".join([*above, own_label])
    words = _glossed(_words(value, concept, path[-1] if path else ""), lexicon)
    named = lexicon.values.get(words.lower()) if concept is None else None
    if named is not None:
        words = f"{words} {lexicon.concepts[named[0]].options[named[1]][0]}"
    return f"{label}：{words}".replace("\n", " ")


def _places(key: str, lexicon: Lexicon) -> bool:
    """Whether a parent key only says where its leaves hold; one that is a fact itself would be asserted by each."""
    concept = lexicon.concept_of_key((key,))
    return concept is None or concept.part


def _rival(key: str, concept: Concept | None, lexicon: Lexicon) -> bool:
    """Whether a parent key names another role for the same kind of number (area/inner is no gross area)."""
    above = lexicon.concept_of_key((key,))
    return (
        above is not None and concept is not None and above is not concept and bool({*above.kinds} & {*concept.kinds})
    )


# Closed class: keys that only say whether the thing above them is there.
_IS_THERE = re.compile(
    r"(?:is|has|have|exists?|available|availability|present|included|installed|equipped|value|yes|flag|status|enabled|"
    r"supported|confirmed|verified|checked|done|active|valid|true|ok|有|是|有无|是否|是否有|状态|值|存在)"
)


def _tells_more(path: tuple[str, ...], lexicon: Lexicon) -> bool:
    """Whether a key speaks of something else than whether the fact right above it is there."""
    if len(path) < 2 or _IS_THERE.fullmatch(path[-1].lower()) or _places(path[-2], lexicon):
        return False
    above = lexicon.concept_of_key((path[-2],))
    if above is not None and above.id in lexicon.predicates:
        return False  # includes/transferFee: false says of the fee that it is not included
    return lexicon.concept_of_key(path[-2:]) is lexicon.concept_of_key(path[-1:])


def _glossed(words: str, lexicon: Lexicon) -> str:
    """Add to a Latin value what it is called in Chinese, when nothing in it is Chinese yet."""
    if not words.isascii() or not _LATIN.search(words):
        return words
    return f"{words} {lexicon.glossary.spoken(words)}".rstrip()


def _label(key: str, lexicon: Lexicon) -> str:
    return _named(lexicon.concept_of_key((key,)), key, lexicon)


def _named(concept: Concept | None, key: str, lexicon: Lexicon) -> str:
    spoken = _CAMEL.sub(" ", key).replace("_", " ")
    if concept is not None:  # the sqm of inner_sqm is a unit, and no area of its own
        spoken = _UNIT_IN_KEY.sub("", spoken) or spoken
    if concept is None or not concept.words:
        return f"{lexicon.glossary.label(key)} {spoken}".lstrip()
    if not spoken.isascii() or any(_an_option(hit, concept) for hit in lexicon.scan(spoken.lower())):
        return spoken  # floorHeating is one kind of heating, not all of it
    return f"{concept.words[0]} {spoken}"


def _an_option(hit: Hit, concept: Concept) -> bool:
    return hit.entry.id == concept.id and bool(hit.entry.option)


def _words(value: Any, concept: Concept | None, key: str) -> str:
    if value is None:
        return "未知"
    if isinstance(value, bool):
        return "是" if value else "无"
    text = str(value).strip()
    if text.lower() in _NO:
        return "无"
    if _NUMERIC.fullmatch(text):
        return _with_unit(text, concept, key)
    if _WIRE_WORD.fullmatch(text):
        return text.replace("_", " ")
    option = concept.values.get(text.lower()) if concept is not None else None
    return f"{text} {concept.options[option][0]}" if concept and option else _INSTANT.sub(r"\1 \2", text)


def _with_unit(number: str, concept: Concept | None, key: str) -> str:
    unit = _UNIT_IN_KEY.search(_CAMEL.sub(" ", key))
    if unit is not None and not (concept is not None and "/" in concept.unit):
        return number + _SPOKEN_UNIT.get(unit.group(1).lower(), unit.group(1))
    return _measured(number, concept) if concept is not None else number


def _measured(number: str, concept: Concept) -> str:
    if not concept.unit:
        return "无" if not concept.kinds and Decimal(number) == 0 else number
    if concept.unit == "%" and abs(Decimal(number)) <= 1:
        return f"{(Decimal(number) * 100).normalize():f}%"
    if concept.unit.endswith("/平米/月") and Decimal(number) > _DEAREST_FEE:
        return f"{number}元/月"
    if concept.unit == "年" and "duration" not in concept.kinds and len(number) != 4:
        return number
    return number + concept.unit
