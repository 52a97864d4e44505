"""channel_format: something to read, short enough, without markup that shows as raw text."""

import re
import unicodedata

from verifier.case import Case
from verifier.fixes import fix
from verifier.verdict import Finding, FixAction

SEGMENT_BYTES = 2048  # WeCom customer service, text.content, bytes of UTF-8 (document/path/96427, 2023-12-19)
_ID = "channel_format"
_MARKUP = (
    (re.compile(r"\*\*[^*\s][^*\n]{0,200}\*\*|(?<![\w_])__[^_\s][^_\n]{0,200}__(?![\w_])"), "bold marks"),
    (re.compile(r"(?m)^ {0,3}#{1,6} +\S"), "a heading mark"),
    (re.compile(r"(?m)^ {0,3}(?:[*+-] {1,4}\S|> ?\S)"), "a list or quotation mark"),
    (re.compile(r"`[^`\n]{1,200}`|```"), "code marks"),
    (re.compile(r"!?\[[^\[\]\n]{1,200}\]\([^()\s]{1,500}\)"), "a Markdown link"),
    (re.compile(r"(?m)^ {0,3}\|[^\n]{1,300}\| *$|^ {0,3}(?:-{3,}|\*{3,}|={3,}) *$"), "a table or a rule"),
    (
        re.compile(
            r"</?(?:a|b|i|u|p|br|hr|div|span|strong|em|ul|ol|li|h[1-6]|img|table|tr|td|font|script)(?:\s[^<>]{0,300})?/?>",
            re.IGNORECASE,
        ),
        "an HTML tag",
    ),
    (re.compile(r"&(?:nbsp|amp|lt|gt|quot|#\d{1,6});", re.IGNORECASE), "an HTML entity"),
)


def channel_format(case: Case) -> Finding:
    """Not empty, no noise, within segment bytes times the pack's `maxSegments`, no markup that the channel shows as raw text.

    Fails: **总价**350万. Passes: 总价350万.
    """
    text = case.draft.text
    if not any(_visible(char) for char in case.read.norm):
        step = fix("answer_question", _ID, text, "write words: the text shows nothing")
        return Finding(passed=False, detail="the text shows nothing", fixes=(step,))
    if _noise(case.read.norm):
        step = fix("answer_question", _ID, text, "write words: the text repeats the same few characters")
        return Finding(passed=False, detail="the text repeats the same few characters", fixes=(step,))
    steps = [*_too_long(case), *_markup(text)]
    if not steps:
        return Finding(passed=True, detail=f"{case.metrics.bytes} bytes of plain text")
    return Finding(passed=False, detail="; ".join(step.detail for step in steps), fixes=tuple(steps))


def _visible(char: str) -> bool:
    return unicodedata.category(char)[0] in "LNPS"


_LONG, _FEW = 40, 6


def _noise(norm: str) -> bool:
    """Whether a long text is made of a handful of characters: no reply is, and no other check would read it."""
    shown = [char for char in norm if not char.isspace()]
    return len(shown) >= _LONG and len(set(shown)) < _FEW


def _too_long(case: Case) -> list[FixAction]:
    segments = case.pack.sections.get("maxSegments", 1)
    limit = SEGMENT_BYTES * (segments if isinstance(segments, int) else 1)
    if case.metrics.bytes <= limit:
        return []
    return [fix("shorten", _ID, case.draft.text, f"{case.metrics.bytes} bytes, the channel takes {limit}: shorten it")]


def _markup(text: str) -> list[FixAction]:
    found = ((pattern.search(text), what) for pattern, what in _MARKUP)
    return [
        fix("remove_leak", _ID, match.group(), f"the channel shows {what} as raw text: write plain text")
        for match, what in found
        if match
    ]
