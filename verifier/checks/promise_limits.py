"""promise_limits: no promise that nobody may make, no commitment without authority, no unlawful help."""

from collections.abc import Iterator

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from planner.text import Clause
from verifier.case import Case
from verifier.fixes import fix
from verifier.rules import Found, Rule, find
from verifier.verdict import Finding

_ID = "promise_limits"


class Promise(Rule):
    """Words of a promise. `guarded`: a refusal or a quotation in the same clause makes them harmless."""

    guarded: bool = True
    asked: bool = False


class Lure(Rule):
    """A question to which a plain yes is itself a promise (会涨吗 → 会的)."""


def _promises(pack: Pack) -> Lexicon[Promise]:
    return Lexicon(pack.rows("promises", Promise))


def _lures(pack: Pack) -> Lexicon[Lure]:
    return Lexicon(pack.rows("promise_questions", Lure))


def _guards(pack: Pack) -> Lexicon[Row]:
    return Lexicon(pack.rows("promise_guards", Row))


def _commitments(pack: Pack) -> Lexicon[Row]:
    return Lexicon(pack.rows("promise_agreements", Row) + pack.rows("promise_commitments", Row))


def promise_limits(case: Case) -> Finding:
    """No promise that nobody may make, no binding word without authority, no unlawful help, pressure or superstition.

    Fails: 这个片区明年肯定涨. Passes: 涨不涨谁也说不准.
    """
    found = [(case.quote(f.start, f.end), f.rule.says) for f in _broken(case)]
    found += list(_agreed(case))
    if not found:
        return Finding(passed=True, detail="promises nothing that nobody may promise")
    fixes = tuple(
        fix("remove_claim", _ID, quote, f"{says}: leave it out, or say who decides and what is not certain")
        for quote, says in found
    )
    return Finding(passed=False, detail="; ".join(f"{quote}: {says}" for quote, says in found), fixes=fixes)


def _broken(case: Case) -> Iterator[Found[Promise]]:
    for found in find(case.pack.derive(_promises), case.read):
        if found.clause.asked and not found.rule.asked:
            continue
        if found.rule.guarded and _guarded(case, found):
            continue
        yield found


def _guarded(case: Case, found: Found[Promise]) -> bool:
    """Whether the clause refuses, denies or only quotes what the rule found."""
    return case.pack.derive(_guards).first(found.clause.text) is not None


def _agreed(case: Case) -> Iterator[tuple[str, str]]:
    """A yes or a commitment to a question that invites a promise, unless its own sentence refuses or doubts."""
    committed = _commitment(case)
    if committed is None:
        return
    quote = case.quote(committed.start, committed.end)
    for asked in case.reading.unanswered:
        for lure in find(case.pack.derive(_lures), asked):
            yield quote, f"says yes to “{asked.text.quote(lure.start, lure.end)}”: {lure.rule.says}"


def _commitment(case: Case) -> Clause | None:
    rows, guards = case.pack.derive(_commitments), case.pack.derive(_guards)
    words: dict[int, list[str]] = {}
    for clause in case.read.clauses:
        words.setdefault(clause.sentence, []).append(clause.text)
    for clause in case.read.clauses:
        if rows.first(clause.text) is not None:
            sentence = "，".join(words[clause.sentence])
            if guards.first(sentence) is None:
                return clause
    return None
