"""Clauses of chat: cut at marks, at spaces between words, behind closing particles and before connectives."""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a normalised text: `start` and `end` are offsets in `norm`; `mark` is the punctuation behind it.

    `mark` is `、` between the items of a list, a space where chat leaves the mark out, and empty where a closing
    particle or a connective made the cut. `sentence` counts sentences from 0.
    """

    start: int
    end: int
    text: str
    sentence: int
    mark: str = ""

    @property
    def asked(self) -> bool:
        """Whether a question mark stands behind the clause."""
        return "?" in self.mark or "？" in self.mark

    @property
    def listed(self) -> bool:
        """Whether another item of the same list follows."""
        return "、" in self.mark


_HAN = "[\u4e00-\u9fff]"
# A link is one word, whatever marks it holds.
_LINK = re.compile(r"(?:https?://|www\.)[^\s\u4e00-\u9fff，。！？；、（）]+")
_EMOJI = "\U0001f300-\U0001faff\u2600-\u27bf\u2b50\u2b55"
_SENTENCE = re.compile(
    r"[。！？!?；;\n…]+"
    r"|(?=\.)(?<!\bsq)(?<!\bno)(?<!\bmr)(?<!\bms)(?<!\bdr)(?<!\bst)(?<!\bvs)(?<!approx)(?<![ap]\.m)\.+(?=\s|$|[\u4e00-\u9fff])"
    r"|(?=[~～])(?:(?<![\d~～万w点平米号月日年%元层室])[~～]+|(?<=\d)[~～]+(?![\d~～一二三四五六七八九十])|(?<=[万w点平米号月日年%元层室])[~～]+(?![\d~～一二三四五六七八九十两]))"
    rf"|[{_EMOJI}]+"
)
# What may follow a number after a space and still belong to it: 350 万元, 89 平米左右.
_BELONGS = "万亿千百元块平方米㎡公里个套成室厅卫层楼年月日号点折期斤岁天周分秒台辆次间座左上起以多余出不户位手左右"
_PARTICLES = "吗呢吧哦噢呀啦哟嘛哒嘞喔咯"
_CONNECTIVES = "但是|但(?![凡愿求])|不过(?![户了来去关瘾年期审线于夜程])|而且|并且|可是|然而|另外|此外|如果|(?<![主只还需重若])要是|假如|因为|所以|然后|同时|其他的|其它的|其余的|至于|只是|只不过|就是说"
_CLAUSE = re.compile(
    r"[，、｜|]+|,+(?!\d)|(?<!\d),+"
    rf"|(?<=[\u4e00-\u9fff]) +(?={_HAN})|(?<=[\da-z%+]) +(?![{_BELONGS}])(?={_HAN})|(?<=[\u4e00-\u9fff]) +(?=[a-z])"
    rf"|(?<=[{_PARTICLES}])(?<!酒吧)(?<!网吧)(?<!贴吧)(?<!干嘛)(?=(?![{_PARTICLES}的了哈台])[\u4e00-\u9fffa-z\d])"
    rf"|(?<=[的了在有是好行嗯]哈)(?=(?![哈尔弗佛]){_HAN})"
    rf"|(?=[但不而并可然另此如要假因所同其至只就])(?<![过贵比好受拗敌抵熬躲瞒信])(?<=[\u4e00-\u9fff\da-z%])(?={_CONNECTIVES})"
    r"|(?<=\S) {1,9}(?=(?:but|however|because|although|though|if|and then|so that|whereas) )"
)


def cut(norm: str) -> tuple[Clause, ...]:
    """Cut a normalised text into clauses; none is empty and together they hold every word."""
    masked = _LINK.sub(lambda link: "a" * len(link.group()), norm) if "://" in norm or "www." in norm else norm
    found: list[Clause] = []
    at = sentence = 0
    for end in _SENTENCE.finditer(masked):
        found += _clauses(norm, sentence, _parts(masked, at, end.start(), end.group()))
        at = end.end()
        sentence += 1
    found += _clauses(norm, sentence, _parts(masked, at, len(norm), ""))
    return tuple(found)


def _parts(masked: str, start: int, end: int, mark: str) -> Iterator[tuple[int, int, str]]:
    """Cut one sentence at its pauses: start, end and the mark behind."""
    for pause in _CLAUSE.finditer(masked, start, end):
        yield start, pause.start(), pause.group()
        start = pause.end()
    yield start, end, mark


def _clauses(norm: str, sentence: int, parts: Iterator[tuple[int, int, str]]) -> Iterator[Clause]:
    for start, end, mark in parts:
        text = norm[start:end]
        words = text.strip()
        if words:
            begin = start + text.index(words[0])
            yield Clause(begin, begin + len(words), words, sentence, mark)
