"""Shapes that no sentence has: names of code, fields, JSON, placeholders and citation marks, in the original text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Links, mail addresses, chat accounts and item numbers hold marks that would read like code.
_MASK = re.compile(
    r"https?://[^\s\u4e00-\u9fff]{1,2000}|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}"
    r"|(?:微信|公众号|小程序|抖音|账号|[Ww]e[Cc]hat|WX|wx|VX|vx|QQ|qq|ID)(?:号|账号|id|ID)?[:： 是为]{0,3}[A-Za-z][A-Za-z0-9_-]{3,29}"
    r"|(?<![A-Za-z0-9_])[A-Z]{1,6}_\d{1,12}(?![A-Za-z0-9_])"
)
_CODE = "a name of code"
_FIELD = "a field with its value"
_BLANK = "a placeholder"
_MARK = "a citation mark"

# The original text, not the normalised one: the case of letters and the kind of bracket matter here.
_SHAPES = (
    (_CODE, r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}(?![A-Za-z0-9])"),
    ("a field name", r"(?<![A-Za-z0-9])[a-z]{3,30}[A-Z][a-z]{2,30}(?:[A-Z][a-z]{1,30}){0,3}(?![A-Za-z0-9])"),
    (_FIELD, r"(?<![A-Za-z])[A-Za-z]{2,30} {0,2}= {0,2}[\"'\w]"),
    (_FIELD, r"(?<![A-Za-z])[A-Za-z]{2,30} {0,2}[:：] {0,2}(?:[Tt]rue|[Ff]alse|[Nn]ull|None)(?![a-z])"),
    ("a call", r"(?<![A-Za-z])[a-z]{2,30}\([^()\n]{0,200}\)(?=[^A-Za-z]|$)"),
    ("JSON", r"[{\[]\s{0,5}[\"'][^\"'\n]{1,60}[\"']\s{0,5}[:,\]]"),
    (
        "a mark of the model's own",
        r"```|</?(?:think|tool|system|assistant|user|function)[^>\n]{0,80}>|<\|[^|\n]{1,40}\|>",
    ),
    (_BLANK, r"\{\{[^{}\n]{0,80}\}\}|\$\{[^{}\n]{0,80}\}|(?<!\{)\{[\w\u4e00-\u9fff ]{1,30}\}|%[a-z]{3,20}%|_{3,20}"),
    (_BLANK, r"(?<![\d.])%[sd](?![A-Za-z])|(?<!\w)\$[a-z_]{2,30}(?![\w])|#\{[^{}\n]{1,40}\}|\[object Object\]"),
    (
        _CODE,
        r"(?<![\w.-])(?:get|list|search|query|find|fetch|lookup|check|create|update|send|call)(?:-[a-z]{2,20}){2,4}(?![\w-])",
    ),
    (_CODE, r"(?<![\w./@])[a-z]{3,20}(?:\.[a-z]{3,20}){2,4}(?<!\.com)(?<!\.net)(?<!\.org)(?<!\.example)(?![\w./])"),
    (
        _FIELD,
        r"(?<![A-Za-z])(?:[Ss]tatus|[Ss]core|[Ee]rror|[Cc]ode|[Cc]onfidence) {0,2}[:：=]? {0,2}(?:0\.\d{1,4}|[45]\d\d|200|timeout|failed|null)",
    ),
    (_BLANK, r"<(?:[\u4e00-\u9fff][^<>\n]{0,30}|[A-Z_]{3,30})>"),
    (_BLANK, r"(?<![A-Za-z0-9])(?:[xX]{2,6}|[×✕]{2,6}|[Oo○]{3,6})(?![A-Za-z0-9])"),
    (
        _MARK,
        r"[\[【(（]\s?(?:doc|src|ref|cite|citation|source|来源|引用|资料|出处|参考|文档)[-_# :：]{0,2}[A-Za-z0-9]{1,4}\s?[\]】)）]",
    ),
    (_MARK, r"\[\s?[a-z]{1,3}[-_]?\d{1,3}\s?\]|\[\^?\d{1,3}\]|【\d{1,3}†[^】\n]{0,40}】"),
)
_COMPILED = tuple((says, re.compile(pattern)) for says, pattern in _SHAPES)
_ASCII = re.compile(
    r"[!-~×✕○]|【来源|【引用|【资料|【出处|【参考|【文档|（来源|（引用|（资料|（出处|（参考|（文档|【\d"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape found: its words and what it is."""

    words: str
    says: str


def read_shapes(original: str) -> Iterator[Shape]:
    """Find every shape of machinery in a text; links and mail addresses are no shape."""
    if _ASCII.search(original) is None:
        return
    masked = _MASK.sub(lambda known: " " * len(known.group()), original)
    for says, pattern in _COMPILED:
        for match in pattern.finditer(masked):
            yield Shape(match.group(), says)
