"""Names and addresses of people in a text, read off surnames, given-name characters and the words beside them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planner.pack import Pack, any_of

_TITLES = r"(?:先生|女士|小姐|太太|老师|阿姨|叔叔|大哥|大姐|老板|师傅)"
_CALLED = r"(?:名字叫做?|姓名(?:是|为|叫|:|：)?|名字(?:是|为|:|：)|名叫|叫做|叫|大名)\s?"
_END = r"(?=$|[^\u4e00-\u9fff]|[的在说也住这那和跟来去是把电微身手离被要想不没年今昨前上家本已现就还有卖买名号出看报付交签打发租开做给正都非愿刚急着管养教当姓离征]|先生|女士|小姐|老师|太太)"
_ENGLISH = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Mister)\.? {1,2}([A-Z][a-z]{1,20} [A-Z][a-z]{1,20})"
    r"|\b(?:[Oo]wner|[Ss]eller|[Ll]andlord|[Ll]andlady|[Tt]enant|[Nn]eighbou?r|[Bb]uyer|[Cc]lient|[Cc]ustomer)"
    r"(?:'s name)?(?:,| is| was| called| named| is called| is named| name is){0,2} ([A-Z][a-z]{1,20} [A-Z][a-z]{1,20})"
    r"|\b(?:[Hh]is|[Hh]er|[Tt]heir) name is ([A-Z][a-z]{1,20} [A-Z][a-z]{1,20})"
    r"|\b(?:[Hh]is|[Hh]er|[Tt]heir) (?:husband|wife|son|daughter|brother|sister|mother|father) ([A-Z][a-z]{1,20} [A-Z][a-z]{1,20})"
    r"|\b(?:called|named) ([A-Z][a-z]{1,20} [A-Z][a-z]{1,20})"
)
_ENGLISH_HOME = re.compile(
    r"\b(?:owner|seller|landlord|landlady|tenant|neighbou?r|buyer)s?\b[^.!?\n]{0,20}\b"
    r"(?:lives?|living|stays?|staying|home is|address is)\b[^.!?\n]{0,40}\d"
    r"|\b(?:he|she|they) lives? (?:in|at|on)\b[^.!?\n]{0,30}\d"
)


@dataclass(frozen=True, slots=True)
class Person:
    """A name (`kind` name) or a home (`kind` address); `start` and `end` are offsets in the text that was searched."""

    kind: str
    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Directory:
    """The compiled patterns of one pack."""

    names: tuple[re.Pattern[str], ...]
    home: re.Pattern[str]


def directory(pack: Pack) -> Directory:
    """Compile the patterns from the pack's surnames, given-name characters and terms for third parties."""
    common, rare, given = (_characters(pack, k) for k in ("surnames", "rare_surnames", "given_name_characters"))
    if not common or not given:
        return Directory((), re.compile(r"(?!)"))
    third = pack.expand("{third_party}")
    doubles = any_of(tuple(pack.sections.get("double_surnames") or ("欧阳",)))
    never = any_of(tuple(pack.sections.get("no_names") or ("孙子",)))
    family = f"(?!{never})(?:{doubles}|[{common}])"
    any_family = f"(?!{never})(?:{doubles}|[{common}{rare}])"
    full = f"({family}[{given}]{{2}}|{family}[{given}](?={_TITLES}))"
    home = (
        f"(?:{third}|他家?|她家?|{_TITLES})[^，。！？!?;；\n]{{0,8}}?(?:住|地址|家在|家是)[^，。！？!?;；\n]{{0,16}}?"
        f"\\d{{1,5}}(?:栋|号|幢|弄|单元|室|座|-\\d)|(?:家庭住址|家庭地址|现住址|户籍地址)[^，。！？!?;；\\n]{{0,16}}?\\d"
    )
    return Directory(
        (
            re.compile(f"{_CALLED}({any_family}[\u4e00-\u9fff]{{1,2}}?){_END}"),
            re.compile(f"{third}(?:的?本人)?(?:是|姓名|:|：)?({any_family}[{given}]{{1,2}}){_END}"),
            re.compile(
                f"{third}[^，。！？!?;；\\n]{{0,8}}?(?:写|登记|署名|户名|签)(?:的|着)?(?:是|为)?({family}[{given}]{{1,2}}){_END}"
            ),
            re.compile(f"{third}[^，。！？!?;；\n]{{0,12}}?{full}"),
            re.compile(f"({any_family}[{given}]{{1,2}})(?:[{common}{rare}])?(?:先生|女士|小姐|太太)"),
        ),
        re.compile(home),
    )


def _characters(pack: Pack, section: str) -> str:
    return "".join(pack.sections.get(section) or ())


def read_people(norm: str, original: str, pack: Pack) -> Iterator[Person]:
    """Find full names and homes: Chinese in the normalised text, English (whose capitals matter) in the original.

    Spans of English finds are those of `original`, which has the length of `norm` wherever the text is plain ASCII.
    """
    held = pack.derive(directory)
    for pattern in held.names:
        for match in pattern.finditer(norm):
            yield Person("name", match[1], match.start(1), match.end(1))
    for match in held.home.finditer(norm):
        yield Person("address", match.group(), match.start(), match.end())
    for match in _ENGLISH.finditer(original):
        group = match.lastindex or 0
        yield Person("name", match[group], match.start(group), match.end(group))
    for match in _ENGLISH_HOME.finditer(original.lower()):
        yield Person("address", match.group(), match.start(), match.end())
