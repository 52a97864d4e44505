"""Cut a reply into messages that a channel takes, without ever changing a character of it.

The parts joined are the text. A cut falls at the coarsest ends that fit: sentences, else clauses, else between
characters, outside of brackets and quotation marks first; never inside a character as people see it (a family emoji is
one), a word, a number or a link.
"""

import base64
import hashlib
import itertools
import unicodedata
from collections.abc import Iterator

import regex  # type: ignore[import-untyped]  # ships no type information

from outbound.errors import TextRefused
from outbound.message import MAX_BYTES

# possessive: the scan is linear whatever the text
_ATOM = regex.compile(
    r"""(?:https?+://|www\.)[^\s，。！？；：、（）【】《》“”‘’]++
      | [A-Za-z\p{Nd}]++(?:[.,:/@%+\-_'&=?\#~．，：]++[A-Za-z\p{Nd}]++)*+[%％]?+
      | \X""",
    regex.VERBOSE | regex.IGNORECASE,
)
_CLUSTER = regex.compile(r"\X")
_MSGID = regex.compile(r"[0-9A-Za-z_-]{1,32}+")
_SENTENCE_ENDS = frozenset("。！？!?；;…\n.")
_CLAUSE_ENDS = frozenset("，、,：:—~～")
_NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿两半点第负")
# seen as nothing although their category says letter or symbol
_HOLLOW = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_HOLLOW_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Mn", "Me", "Zl", "Zp", "Zs"})
_ALLOWED_CONTROLS = frozenset("\n\r\t")
# what makes the customer read another number than was checked: hidden marks between digits, turned direction of writing
_DISGUISE = regex.compile(r"\p{Nd}[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]++\p{Nd}|[\u202a-\u202e\u2066-\u2069]")

_OPENERS = frozenset("“‘「『（(【《〈[{")
_PAIRED = frozenset("”’」』）)】》〉]}")
_CLOSERS = _PAIRED | frozenset("\"'")

SENTENCE, CLAUSE, CHARACTER = 0, 1, 2
INSIDE = 2  # added inside of brackets: a sentence's end there is as good as any place outside
LEVELS = range(CHARACTER + INSIDE + 1)


def is_blank(text: str) -> bool:
    """Say whether a text shows nothing: empty, white space, or invisible characters only."""
    return all(c in _HOLLOW or unicodedata.category(c) in _HOLLOW_CATEGORIES for c in text)


def check_text(text: str, limit: int = MAX_BYTES) -> None:
    """Raise TextRefused for a text that no channel shows as written: empty, beyond `limit` bytes, or unprintable."""
    if is_blank(text):
        raise TextRefused("empty_text", "the text shows nothing")
    if any(unicodedata.category(c) == "Cs" or (c < " " and c not in _ALLOWED_CONTROLS) for c in text):
        raise TextRefused("bad_characters", "the text holds control characters or broken characters")
    if _DISGUISE.search(text):
        raise TextRefused("bad_characters", "the text hides characters in a number or turns the direction of writing")
    size = len(text.encode())
    if size > limit:
        raise TextRefused("too_long", f"the text has {size} bytes, the channel takes {limit}")


def split(text: str, most: int = 1, limit: int = MAX_BYTES) -> tuple[str, ...]:
    """Cut a text into at most `most` parts of at most `limit` bytes; the parts joined are the text.

    Raises TextRefused (`empty_text`, `bad_characters`, or `too_long` when it does not fit: it is never shortened).
    """
    check_text(text, limit * max(1, most))
    if len(text.encode()) <= limit:
        return (text,)
    ends = tuple(_ends(text))
    for level in LEVELS:
        parts = _fill(text, [end for end, kind in ends if kind <= level], limit)
        if parts is not None and len(parts) <= most:
            return parts
    raise TextRefused("too_long", f"the text does not fit into {most} parts of {limit} bytes without breaking a word")


def msgid_for(outbound_id: str, segment: int) -> str:
    """Derive the channel's message id: 30 characters of `[0-9A-Za-z_-]`, the same for the same segment for ever.

    The platform refuses a second message under one id, so sending again cannot make two.
    """
    digest = hashlib.sha256(f"{outbound_id}|{segment}".encode()).digest()[:21]
    return "dg" + base64.urlsafe_b64encode(digest).decode()


def is_msgid(msgid: str) -> bool:
    """Say whether the platform takes this as a message id (document/path/96427: at most 32 bytes)."""
    return _MSGID.fullmatch(msgid) is not None


def _fill(text: str, ends: list[int], limit: int) -> tuple[str, ...] | None:
    """Take as much as fits, part by part; None when a stretch between two ends is longer than a part."""
    parts: list[str] = []
    start = last = size = 0
    for end in ends:
        step = len(text[last:end].encode())
        if size + step > limit:
            if last == start:
                return None
            parts.append(text[start:last])
            start, size = last, 0
        if step > limit:
            return None
        size += step
        last = end
    return (*parts, text[start:])


def _ends(text: str) -> Iterator[tuple[int, int]]:
    """Give every place where the text may be cut, with the kind of end it is; the text's own end comes last."""
    whole = {found.end() for found in _CLUSTER.finditer(text)}
    atoms = [(found.group(), found.end()) for found in _ATOM.finditer(text)]
    kind, depth = CHARACTER, 0
    for (atom, end), (after, _) in itertools.pairwise(atoms):
        kind, depth = _kind_after(atom, kind), _depth_after(atom, depth)
        if end in whole and not _sticks(atom, after, kind):
            yield end, kind + (INSIDE if depth else 0)
    yield len(text), SENTENCE


def _kind_after(atom: str, before: int) -> int:
    if "\n" in atom or atom in _SENTENCE_ENDS:
        return SENTENCE
    if atom in _CLAUSE_ENDS or (is_blank(atom) and before == CHARACTER):
        return min(CLAUSE, before)
    return before if atom in _CLOSERS or is_blank(atom) else CHARACTER


def _depth_after(atom: str, before: int) -> int:
    """Count open brackets; a line's end closes what was left open."""
    if atom in _OPENERS:
        return before + 1
    if "\n" in atom:
        return 0
    return max(0, before - 1) if atom in _PAIRED else before


def _sticks(atom: str, after: str, kind: int) -> bool:
    """Marks, closers and blanks stay with what they follow; openers and numerals with what comes next."""
    if after in _SENTENCE_ENDS or after in _CLAUSE_ENDS or after in _CLOSERS or is_blank(after) or atom in _OPENERS:
        return True
    numeral = _numeral(atom[-1]), _numeral(after[0])
    return any(numeral) if kind == CHARACTER else all(numeral)


def _numeral(char: str) -> bool:
    return char in _NUMERALS or char.isdecimal()
