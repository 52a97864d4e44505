"""Where a claim stands in its sources: the passage around the quoted words, ready to be shown."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

AROUND = 240  # characters of the passage on either side of the words
MOST = 1200
MOST_HITS = 20


@dataclass(frozen=True, slots=True)
class Source:
    """A source as the operator sees it; `kind` is `citation`, `tool` or `message`; `alive` false: expired or withdrawn."""

    id: str
    kind: str
    title: str
    text: str
    subject: str = ""
    url: str = ""
    published_at: str = ""
    valid_until: str = ""
    withdrawn: bool = False
    status: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A source with the words that matter: `parts` alternate between plain text and hits."""

    source: Source
    parts: tuple[tuple[str, bool], ...]
    found: bool


def sources_of(body: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> dict[str, Source]:
    """Collect a draft's citations and tool results, and the customer's messages, by id."""
    found: dict[str, Source] = {}
    for message in messages:
        found[message["id"]] = Source(message["id"], "message", "", message["text"])
    for tool in body.get("toolResults") or ():
        found[tool["id"]] = _tool(tool)
    for citation in body.get("citations") or ():
        found[citation["id"]] = _citation(citation)
    return found


def passage(source: Source, quotes: Sequence[str]) -> Passage:
    """Cut the stretch of a source around its quoted words and mark them there."""
    text = source.text
    spans = _spans(text, quotes)
    if not spans:
        return Passage(source, ((_cut(text), False),), found=False)
    first = max(0, spans[0][0] - AROUND)
    last = min(len(text), max(end for _, end in spans) + AROUND, first + MOST)
    parts: list[tuple[str, bool]] = [("…" if first else "", False)]
    at = first
    for start, end in spans:
        if start < at or end > last:
            continue
        parts += [(text[at:start], False), (text[start:end], True)]
        at = end
    parts.append((text[at:last] + ("…" if last < len(text) else ""), False))
    return Passage(source, tuple(part for part in parts if part[0]), found=True)


def _spans(text: str, quotes: Sequence[str]) -> list[tuple[int, int]]:
    found = ((at, at + len(quote)) for quote in quotes[:MOST_HITS] if quote and (at := text.find(quote)) >= 0)
    return sorted(set(found))


def _citation(citation: Mapping[str, Any]) -> Source:
    return Source(
        citation["id"],
        "citation",
        citation.get("title") or "",
        citation.get("text") or "",
        citation.get("subject") or "",
        citation.get("url") or "",
        citation.get("publishedAt") or "",
        citation.get("validUntil") or "",
        bool(citation.get("withdrawn")),
    )


def _tool(tool: Mapping[str, Any]) -> Source:
    data = tool.get("data")
    written = json.dumps(data, ensure_ascii=False, indent=1) if data is not None else ""
    text = "\n".join(part for part in (tool.get("text") or "", written) if part)
    return Source(
        tool["id"],
        "tool",
        tool.get("tool") or "",
        text,
        tool.get("subject") or "",
        published_at=tool.get("at") or "",
        status=tool.get("status") or "",
    )


def _cut(text: str) -> str:
    return text if len(text) <= MOST else text[:MOST] + "…"
