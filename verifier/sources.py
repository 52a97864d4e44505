"""The turn's sources as plain strings: a citation's text, a tool's text, each leaf of tool data under its path."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planner.turn import Draft

MAX_DEPTH = 12


def source_strings(draft: Draft) -> Iterator[str]:
    """Give every passage of a draft's live sources; failed and empty tools give none."""
    for citation in draft.citations:
        if citation.text:
            yield citation.text
    for result in draft.tool_results:
        if result.status == "ok":
            if result.text:
                yield result.text
            yield from _leaves(result.data, "", 0)


def _leaves(data: Any, path: str, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH or data is None:
        return
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{path} {key}", depth + 1)
    elif isinstance(data, Sequence) and not isinstance(data, str):
        for value in data:
            yield from _leaves(value, path, depth + 1)
    else:
        yield f"{path}: {data}"
