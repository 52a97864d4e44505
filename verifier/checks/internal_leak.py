"""internal_leak: nothing of the machinery and nothing meant for colleagues reaches the customer."""

import re
from collections.abc import Iterator
from decimal import Decimal

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from planner.quantities import Quantity
from planner.reading import read_text
from verifier.case import Case
from verifier.fixes import fix
from verifier.rules import Rule, find
from verifier.shapes import read_shapes
from verifier.sources import source_strings
from verifier.verdict import Finding

_ID = "internal_leak"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPOKEN_OF = re.compile(r"调用|工具|接口|返回|显示|说|结果|失败|报错| (?:tool|api|says|retu|fail)")


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
    """Code, fields, JSON, placeholders and citation marks; what the customer wrote may be said back."""
    text = case.draft.text
    for shape in read_shapes(text):
        if shape.words.lower() not in case.customer_norm:
            yield shape.words, shape.says
    ids = [c.id for c in case.draft.citations] + [t.id for t in case.draft.tool_results]
    for mark in (f"{left}{name}{right}" for name in ids for left, right in ("[]", "【】", "()", "（）")):
        if mark in text:
            yield mark, "a citation mark"


def _tools(case: Case) -> Iterator[tuple[str, str]]:
    """Names of this turn's tools; one that is an everyday word only where it is spoken of as a tool."""
    for result in case.draft.tool_results:
        name = result.tool.strip().lower()
        at = case.read.norm.find(name) if len(name) >= 3 else -1
        if at < 0 or name in case.customer_norm:
            continue
        everyday = name.isalpha() and (name.isascii() or not name[0].isascii())
        around = case.read.norm[max(0, at - 4) : at] + " " + case.read.norm[at + len(name) :][:5]
        if not everyday or _SPOKEN_OF.search(around):
            yield result.tool.strip(), "a tool's name"


def _words(case: Case) -> Iterator[tuple[str, str]]:
    for found in find(case.pack.derive(_leaks), case.read):
        yield case.quote(found.start, found.end), found.rule.says


def _secret_figures(case: Case) -> Iterator[tuple[str, str]]:
    """Figures that the sources print only beside words such as floor price or internal."""
    rows = case.pack.derive(_secrets)
    sources = tuple(source_strings(case.draft))
    if not any(row.search(_spoken(source).lower()) for row in rows for source in sources):
        return
    secret, public = _printed(case, sources, rows)
    for figure in case.read.quantities:
        if set(_meant(figure)) & (secret - public):
            yield case.quote(figure.start, figure.end), "a figure that is for colleagues only"


def _meant(figure: Quantity) -> Iterator[object]:
    """Give the values that a figure may mean: a bare 395 is often said for 395万, a bare 221 for 221k."""
    if figure.value is not None:
        yield figure.value
    if isinstance(figure.value, Decimal) and figure.kind in _BARE:
        yield from (figure.value * scale for scale in (1_000, 10_000))


_BARE = frozenset({"number", "count"})


def _spoken(source: str) -> str:
    """Write the words of a field apart (`purchaseCost`), so that a rule reads them."""
    return _CAMEL.sub(" ", source)


def _printed(case: Case, sources: tuple[str, ...], rows: tuple[Row, ...]) -> tuple[set[object], set[object]]:
    """Give the values printed for colleagues only, and those printed for everybody or said by the customer."""
    secret: set[object] = set()
    public: set[object] = {q.value for text in case.reading.unanswered for q in text.quantities}
    for source in sources:
        read = read_text(_spoken(source), case.reading.turn.now)
        for clause in read.clauses:
            hidden = any(row.search(clause.text) for row in rows)
            held = {q.value for q in read.quantities if clause.start <= q.start < clause.end}
            (secret if hidden else public).update(held)
    return secret, public
