"""tone: none of the plan's forbidden moves."""

from collections.abc import Iterator

from planner.lexicon import Lexicon
from planner.pack import Pack
from planner.plan import Move
from verifier.case import Case
from verifier.fixes import fix
from verifier.manner import rude_spans
from verifier.rules import Rule, find
from verifier.verdict import Finding

# The moves that the trained reader knows; it cannot tell them apart, so it speaks only where all are forbidden.
_MANNERS = frozenset(
    {
        Move.LECTURE,
        Move.INTENSE_FLIRT,
        Move.DIAGNOSE_USER,
        Move.TAKE_SIDES_AGGRESSIVELY,
        Move.PRESSURE_TO_DISCLOSE,
    }
)


class ToneRule(Rule):
    """Words that make a move."""

    move: Move


def _tones(pack: Pack) -> Lexicon[ToneRule]:
    return Lexicon(pack.rows("tone", ToneRule))


def tone(case: Case) -> Finding:
    """None of the plan's forbidden moves.

    Fails: 别磨蹭了，今天必须定下来. Passes: 不着急，您慢慢考虑.
    """
    forbidden = set(case.plan.forbidden_moves)
    found = [
        (case.quote(f.start, f.end), f.rule.move.value)
        for f in find(case.pack.derive(_tones), case.read)
        if f.rule.move in forbidden
    ]
    if not found and forbidden >= _MANNERS:
        found = [(quote, "one of " + ", ".join(sorted(_MANNERS))) for quote in _rude(case)]
    if not found:
        return Finding(passed=True, detail="makes none of the forbidden moves")
    fixes = tuple(
        fix("remove_claim", "tone", quote, f"leave it out: the plan forbids the move {move}") for quote, move in found
    )
    return Finding(passed=False, detail="; ".join(f"{quote}: {move}" for quote, move in found), fixes=fixes)


def _rude(case: Case) -> Iterator[str]:
    """Sentences that read rude; one that plainly asks for a slot is left to the rows."""
    for start, end in rude_spans(case.read, case.pack):
        quote = case.quote(start, end)
        if not any(ask.quote in quote for ask in case.asks):
            yield quote
