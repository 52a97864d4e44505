"""How firmly a supported clause stands: how much of what it says its evidence says too, and what it leaves unsaid.

A clause is supported or it is not; firmness changes no check. It is what the confidence is made of: a clause whose
number and words stand in the passage is hardly ever wrong, one that was found in other words now and then, and what a
passage says beyond the clause may be its condition (七日内可退 of a passage that says 重大故障七日内可退).
"""

import re
from collections.abc import Sequence

from planner.text import normalize
from verifier.claims import Located
from verifier.lexicon import Lexicon
from verifier.paraphrase import is_wider

# Least and most worth of a clause by the rule that found it; in between, the share of its words that the evidence says
# (docs/calibration.md tells what the order was read from).
_BY_NUMBER, _BY_WORDS, _LOOSELY = (0.6, 1.0), (0.4, 1.0), (0.2, 0.85)
_RANGES = dict.fromkeys(("value", "action", "name", "denied_alike"), _BY_NUMBER) | dict.fromkeys(
    ("paraphrase", "confirmed", "elaborated", "declared", "words", "rest", "topic", "no_evidence"), _LOOSELY
)
_RANGES["derived"] = (0.9, 0.9)
_UNSAID = 0.3  # what a passage costs of which the answer repeats nothing
_WIDER, _LIMITED = 0.75, 0.85  # a clause about all or always; a limit of the passage that the clause lacks
_LIMIT = re.compile(r"[仅只除限须需]|不含|以外|前提|之前|以上|以下|\b(?:only|except|unless|must|subject to|if)\b")


def firmness(rule: str, clause: str, located: Sequence[Located], around: str, lexicon: Lexicon) -> float:
    """Give 0..1 for a supported clause; `around` is the whole draft with what was asked.

    A clause without content words (a short answer) is worth the middle of its rule's range.
    """
    least, most = _RANGES.get(rule, _BY_WORDS)
    share = said_share(clause, "\n".join(place.quote for place in located), lexicon)
    worth = least + (most - least) * (0.5 if share is None else share)
    told = [said_share(_value(place.quote), around, lexicon) for place in located]
    repeated = min((part for part in told if part is not None), default=1.0)
    return worth * (1.0 - _UNSAID * (1.0 - repeated)) * _reach(clause, located)


def _reach(clause: str, located: Sequence[Located]) -> float:
    """Take off for a clause that may say more than its passages: of all things, or without their limit."""
    said = normalize(clause).norm
    limited = any(_LIMIT.search(normalize(place.quote).norm) for place in located) and not _LIMIT.search(said)
    return (_WIDER if is_wider(said) else 1.0) * (_LIMITED if limited else 1.0)


def _value(passage: str) -> str:
    """Drop the name of a field: what matters is what it holds."""
    return passage.rsplit("：", 1)[-1]


def said_share(clause: str, source: str, lexicon: Lexicon) -> float | None:
    """Give the share of a clause's content that a source says: literally, as the same concept, or translated.

    None when the clause has no content words, or the source is empty.
    """
    said, told = normalize(clause).norm, normalize(source).norm
    content = lexicon.content(said)
    if not content or not told:
        return None
    told += "".join(word for _, words in lexicon.gloss(told) for word in words)
    shared = _shared_concepts(said, told, lexicon)
    abroad = {latin for latin, words in lexicon.gloss(said) if any(word in told for word in words)}
    found = (
        grain in told or grain in shared or (grain.isascii() and any(latin.startswith(grain) for latin in abroad))
        for grain in content
    )
    return sum(found) / len(content)


def _shared_concepts(said: str, told: str, lexicon: Lexicon) -> str:
    """Give the words of the concepts that both name, as they stand in the clause."""
    named = {(hit.entry.id, hit.entry.option, hit.entry.sign) for hit in lexicon.scan(told)}
    return " ".join(
        said[hit.start : hit.end]
        for hit in lexicon.scan(said)
        if hit.entry.kind == "concept" and (hit.entry.id, hit.entry.option, hit.entry.sign) in named
    )
