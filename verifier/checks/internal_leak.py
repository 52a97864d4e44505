"""internal_leak: nothing of the machinery and nothing meant for colleagues reaches the customer."""

import re
from collections.abc import Iterator

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from planner.reading import read_text
from verifier.case import Case
from verifier.fixes import fix
from verifier.rules import Rule, find
from verifier.sources import source_strings
from verifier.verdict import Finding

_ID = "internal_leak"
_MASK = re.compile(r"https?://[^\s\u4e00-\u9fff]{1,2000}|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
# Shapes of code, over the original text: letters' case matters.
_SHAPES = (
    (
        re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}(?![A-Za-z0-9])"),
        "a name of code",
    ),
    (
        re.compile(r"(?<![A-Za-z0-9])[a-z]{3,30}[A-Z][a-z]{2,30}(?:[A-Z][a-z]{1,30}){0,3}(?![A-Za-z0-9])"),
        "a field name",
    ),
    (re.compile(r"(?<![A-Za-z])[A-Za-z]{2,30} {0,2}= {0,2}[\"'\w]"), "a field with its value"),
    (
        re.compile(r"(?<![A-Za-z])[A-Za-z]{2,30} {0,2}[:：] {0,2}(?:true|false|null|none)(?![a-z])", re.IGNORECASE),
        "a field with its value",
    ),
    (re.compile(r"(?<![A-Za-z])[a-z]{2,30}\([^()\n]{0,200}\)(?=[^A-Za-z]|$)"), "a call"),
    (re.compile(r"[{\[]\s{0,5}[\"'][^\"'\n]{1,60}[\"']\s{0,5}[:,\]]"), "JSON"),
    (
        re.compile(r"```|</?(?:think|tool|system|assistant|user|function)[^>\n]{0,80}>|<\|[^|\n]{1,40}\|>"),
        "a marker of the model's own",
    ),
    (
        re.compile(r"\{\{[^{}\n]{0,80}\}\}|\$\{[^{}\n]{0,80}\}|\{[\w\u4e00-\u9fff ]{1,30}\}|%[a-z]{3,20}%|_{3,}"),
        "a placeholder",
    ),
    (re.compile(r"<(?:[\u4e00-\u9fff][^<>\n]{0,30}|[A-Z_]{3,30})>"), "a placeholder"),
    (re.compile(r"(?<![A-Za-z0-9])(?:[xX]{2,6}|[×✕]{2,6}|[Oo○]{3,6})(?![A-Za-z0-9])"), "a placeholder"),
    (
        re.compile(
            r"[\[【(（]\s?(?:[a-z]{1,3}|doc|src|ref|cite|citation|source|来源|引用|资料|出处)[-_# :：]?\d{1,3}\s?[\]】)）]",
            re.IGNORECASE,
        ),
        "a citation mark",
    ),
    (re.compile(r"\[\^?\d{1,3}\]|【\d{1,3}†[^】\n]{0,40}】"), "a citation mark"),
)


class Secret(Rule):
    """Words of evidence that mark a passage as meant for colleagues only."""


def _leaks(pack: Pack) -> Lexicon[Rule]:
    return Lexicon(pack.rows("leaks", Rule))


def _secrets(pack: Pack) -> tuple[Row, ...]:
    return pack.rows("owner_only", Secret)


def internal_leak(case: Case) -> Finding:
    """No system prompt, tool or field name, JSON, placeholder, label, owner-only figure, or talk about being a model.

    Fails: search_stock返回3台. Passes: 系统里查到3台.
    """
    found = [*_shapes(case), *_tools(case), *_words(case), *_secret_figures(case)]
    if not found:
        return Finding(passed=True, detail="nothing internal in the text")
    unique = dict(found)
    fixes = tuple(fix("remove_leak", _ID, quote, f"take {says} out of the text") for quote, says in unique.items())
    return Finding(passed=False, detail="; ".join(f"{q}: {says}" for q, says in unique.items()), fixes=fixes)


def _shapes(case: Case) -> Iterator[tuple[str, str]]:
    text = case.draft.text
    if not any(ord(c) < 0x3000 for c in text):
        return
    masked = _MASK.sub(lambda m: " " * len(m.group()), text)
    for pattern, says in _SHAPES:
        for match in pattern.finditer(masked):
            if match.group().lower() not in case.customer_norm:
                yield match.group(), says


def _tools(case: Case) -> Iterator[tuple[str, str]]:
    """Tool names of this turn; an everyday word is one only where it is written like no everyday word."""
    for result in case.draft.tool_results:
        name = result.tool.strip()
        plain = name.isalpha() and name.isascii() and name.islower()
        if len(name) >= 3 and not plain and name.lower() in case.read.norm and name.lower() not in case.customer_norm:
            yield name, "a tool's name"


def _words(case: Case) -> Iterator[tuple[str, str]]:
    for found in find(case.pack.derive(_leaks), case.read):
        yield case.quote(found.start, found.end), found.rule.says


def _secret_figures(case: Case) -> Iterator[tuple[str, str]]:
    """Figures that the sources print only beside words such as floor price or internal."""
    rows = case.pack.derive(_secrets)
    sources = tuple(source_strings(case.draft))
    if not any(row.search(source.lower()) for row in rows for source in sources):
        return
    secret, public = _printed(case, sources, rows)
    for figure in case.read.quantities:
        if figure.value is not None and figure.value in secret - public:
            yield case.quote(figure.start, figure.end), "a figure that is for colleagues only"


def _printed(case: Case, sources: tuple[str, ...], rows: tuple[Row, ...]) -> tuple[set[object], set[object]]:
    """Give the values printed for colleagues only, and those printed for everybody or said by the customer."""
    secret: set[object] = set()
    public: set[object] = {q.value for text in case.reading.unanswered for q in text.quantities}
    for source in sources:
        read = read_text(source, case.reading.turn.now)
        for clause in read.clauses:
            hidden = any(row.search(clause.text) for row in rows)
            held = {q.value for q in read.quantities if clause.start <= q.start < clause.end}
            (secret if hidden else public).update(held)
    return secret, public
