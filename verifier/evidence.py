"""What the sources say, as small units: a clause of a citation, a leaf of tool data, each with subject, time and life.

Only citations with text and tool results with status `ok` and content are sources. A source that expired or was
withdrawn is kept, so that a claim resting on it can be called stale, but it supports nothing.
"""

import functools
import re
from dataclasses import dataclass, field
from datetime import datetime

from planner.pack import Pack
from planner.reading import MAX_TEXT, Reading, ReadText, remembered
from planner.text import normalize
from planner.turn import Citation, ToolResult
from verifier.leaves import leaves
from verifier.lexicon import Lexicon
from verifier.rows import Family, families, fields, sided
from verifier.scanning import Scanned, scanned_of
from verifier.units import Unit, leaf_units, merge_empty, spread_attribution, text_units

_HEADER = re.compile(r"^\s*([^：:，,；;。\n]{1,24})(?:：|:(?!\d\d))")
_UNTIL = ("有效期至", "有效期到", "截至", "截止", "valid until", "expires", "until")


@dataclass(frozen=True)
class Source:
    """A usable source. `dead` says why it backs nothing any more, "" while it lives; `label` is what it is about."""

    id: str
    kind: str
    label: str
    general: bool
    dead: str
    at: datetime | None
    units: tuple[Unit, ...]
    scanned: Scanned = field(repr=False)
    named: bool = False
    tool: str = ""
    alias: str = ""
    families: tuple[Family, ...] = ()
    fields: tuple[Family, ...] = ()

    def __hash__(self) -> int:
        return hash((self.id, self.kind))

    @functools.cached_property
    def distinct(self) -> tuple[Unit, ...]:
        """The units, what is repeated once."""
        found: dict[tuple[str, str, str], Unit] = {}
        for unit in self.units:
            found.setdefault((unit.statement.text, unit.path, unit.group), unit)
        return tuple(found.values())


@functools.lru_cache(maxsize=16)  # the fact check and the consistency check read the same turn
def sources_of(reading: Reading, lexicon: Lexicon) -> tuple[Source, ...]:
    """Read all usable sources of a turn's draft."""
    draft = reading.turn.draft
    if draft is None:
        return ()
    now = reading.turn.now
    pack = reading.pack
    found = [_citation(c, now, pack) for c in draft.citations if c.text.strip()]
    found.extend(s for t in draft.tool_results if t.status == "ok" and (s := _tool(t, now, lexicon, pack)) is not None)
    return tuple(found)


def _citation(citation: Citation, now: datetime, pack: Pack) -> Source:
    read = remembered(citation.text[:MAX_TEXT], now, pack)
    scanned = scanned_of(read, pack)
    subject = citation.subject or ""
    return Source(
        id=citation.id,
        kind="citation",
        label=_subject_label(subject) or read.once(_header, pack),
        general=subject.startswith("general:"),
        dead=_death(citation, now, scanned),
        at=citation.published_at,
        units=read.once(_said, pack),
        scanned=scanned,
        named=bool(subject),
        alias=read.once(_lead, pack),
    )


def _header(read: ReadText, pack: Pack) -> str:
    return header(scanned_of(read, pack))


def _lead(read: ReadText, pack: Pack) -> str:
    return lead(scanned_of(read, pack))


def _said(read: ReadText, pack: Pack) -> tuple[Unit, ...]:
    return spread_attribution(tuple(merge_empty(text_units(scanned_of(read, pack)))))


def _tool(result: ToolResult, now: datetime, lexicon: Lexicon, pack: Pack) -> Source | None:
    found = leaves(result.data, lexicon) if result.data is not None else ()
    lines = "\n".join(leaf.line for leaf in found)[:MAX_TEXT]
    scanned = scanned_of(remembered(lines, now, pack), pack)
    counts = [bool(leaf.value) if _is_count(leaf.value) else None for leaf in found]
    groups = [leaf.group for leaf in found]
    units = list(leaf_units(scanned, [leaf.pointer for leaf in found], groups, counts))
    if result.text and result.text.strip():
        extra = scanned_of(remembered(result.text[:MAX_TEXT], now, pack), pack)
        units.extend(merge_empty(text_units(extra, first=len(found))))
    if not units:
        return None
    subject = result.subject or ""
    beside = fields(found, lexicon)
    return Source(
        result.id, "tool", _subject_label(subject), subject.startswith("general:"), "", result.at, tuple(units),
        scanned, bool(subject), result.tool, families=(*families(found, lexicon), *filter(sided, beside)),
        fields=beside,
    )  # fmt: skip


def _is_count(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _subject_label(subject: str) -> str:
    return normalize(subject.removeprefix("general:")).norm.strip()


def header(scanned: Scanned) -> str:
    """Give the words before a text's first colon when they name a thing, not a fact or a speaker."""
    match = _HEADER.match(scanned.norm)
    if match is None:
        return ""
    inside = (h for h in scanned.hits if h.end <= match.end(1) and h.entry.kind in ("concept", "flag", "topic"))
    return "" if any(inside) else match.group(1).strip()


def lead(scanned: Scanned) -> str:
    """Give the addresses and codes at a text's beginning: they name the thing too (栗园 3栋 总价…)."""
    return " ".join(_ADDRESSES.findall(scanned.norm[:_LEAD]))


_LEAD = 24
_ADDRESSES = re.compile(r"\d+(?:栋|号楼|幢|期|座|单元|室)|[a-z]+-?\d+")


def _death(citation: Citation, now: datetime, scanned: Scanned) -> str:
    if citation.withdrawn:
        return "withdrawn"
    if citation.valid_until is not None and citation.valid_until < now:
        return f"expired {citation.valid_until.date().isoformat()}"
    return _printed_end(scanned.read, now)


def _printed_end(text: ReadText, now: datetime) -> str:
    """Read an end of validity printed in the text itself (有效期至 2026-06-30)."""
    for word in _UNTIL:
        at = text.norm.find(word)
        if at < 0:
            continue
        for quantity in text.quantities:
            near = at <= quantity.start <= at + len(word) + 4
            if near and quantity.kind in ("date", "datetime") and isinstance(quantity.value, str):
                return f"expired {quantity.value}" if _before(quantity.value, now) else ""
    return ""


def _before(date: str, now: datetime) -> bool:
    return len(date) >= 7 and date[:10] < now.date().isoformat()[: len(date[:10])]
