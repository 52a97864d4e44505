"""Judge a concept of a claim: who says the same, who says the contrary, and which of them counts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from verifier.facets import CONFLICT, DROPPED, MISSING, OK, SOFT, Facet, Witness, parts_meet, qualified
from verifier.lexicon import Lexicon
from verifier.statements import Statement, Term


def agreement(term: Term, other: Term, lexicon: Lexicon) -> int:
    """Give 1 when the other term says the same, -1 when it says the contrary, 0 when it says neither."""
    if term.option == other.option:
        return 1 if term.sign == other.sign else -1
    if not term.option:
        return 1 if term.sign == other.sign else -1
    if not other.option:
        return -1 if other.sign < 0 < term.sign else 0
    if lexicon.concepts[term.concept].open or other.sign < 0:
        return 0
    return -1 if term.sign > 0 else 1


def term_facet(term: Term, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon) -> Facet:
    """Judge one concept of a claim; a mere topic (a role without its number) needs only to be mentioned."""
    if term.concept in lexicon.role_only:
        return _topic(term, claim, pool)
    votes, dropped = _votes(term, claim, pool, lexicon)
    votes = _of_its_time(claim, votes)
    said = _outright(term, claim, votes)
    found = _weigh(term, claim, said or _closest(term, claim, votes, lexicon), dropped)
    topic = not term.option and term.sign > 0 and bool(lexicon.concepts[term.concept].options)
    if topic and found.state == OK:
        return replace(found, rule="topic")
    soft = topic or _counted(term, claim, lexicon)
    return replace(found, state=SOFT) if soft and found.state == MISSING else found


def _votes(
    term: Term, claim: Statement, pool: Sequence[Witness], lexicon: Lexicon
) -> tuple[list[tuple[Witness, int]], list[tuple[Witness, str]]]:
    """Collect who says the same or the contrary, and whose qualification the claim drops."""
    votes: list[tuple[Witness, int]] = []
    dropped: list[tuple[Witness, str]] = []
    for witness in pool:
        unit = witness.unit.statement
        if not parts_meet(claim, unit):
            continue
        if term.concept in lexicon.predicates and not _same_object(claim, unit, lexicon):
            continue
        for other in unit.terms:
            if other.concept != term.concept and other.concept not in lexicon.concepts[term.concept].broader:
                continue
            vote = agreement(term, other, lexicon)
            lost = qualified(claim, unit, other)
            if lost and (vote > 0 or lost == "unknown"):
                dropped.append((witness, lost))
            elif vote:
                votes.append((witness, vote))
    return votes, dropped


def _counted(term: Term, claim: Statement, lexicon: Lexicon) -> bool:
    """Whether a thing is only what the number beside it is paid for (停车260一个月)."""
    roles = (t for t in claim.terms if t.concept in lexicon.role_only and t.start == term.start)
    return bool(claim.amounts) and term.sign > 0 and any(roles)


def _same_object(claim: Statement, unit: Statement, lexicon: Lexicon) -> bool:
    """Whether two statements say something about the same thing, or one does not name it."""
    plain = lexicon.predicates | lexicon.role_only
    mine = {t.concept for t in claim.terms} - plain
    theirs = {t.concept for t in unit.terms} - plain
    if mine and theirs:
        return bool(mine & theirs)
    named = [g for g in claim.grains if not g.startswith("=")]
    return not named or sum(g in unit.text for g in named) * 2 > len(named)


def _topic(term: Term, claim: Statement, pool: Sequence[Witness]) -> Facet:
    for witness in pool:
        unit = witness.unit.statement
        found = next((t for t in unit.terms if t.concept == term.concept), None)
        if found is not None and found.sign != term.sign and not (claim.amounts or unit.amounts):
            reason = f"the source says the contrary about {term.concept}"
            return Facet(CONFLICT, "topic_polarity", reason, (witness.located,))
        if found is not None:
            return Facet(OK, "topic", f"found {term.concept}", (witness.located,))
    return Facet(SOFT, "no_evidence", f"no evidence about {term.concept}")


def _closest(
    term: Term, claim: Statement, votes: list[tuple[Witness, int]], lexicon: Lexicon
) -> list[tuple[Witness, int]]:
    """Where one source says both yes and no, keep the sentences that share most of what the claim speaks of.

    北阳台已封闭，南阳台未封 says both of balconies; the words beside the compared value tell which one is meant.
    """
    if len({w.source.id for w, _ in votes}) != 1 or len({v > 0 for _, v in votes}) == 1:
        return votes
    if "all" in claim.flags or "都" in claim.text or all(w.unit.group for w, _ in votes):
        return votes
    here = claim.text
    if term.option and term.end - term.start < len(here):
        here = here[: term.start - claim.start] + " " + here[term.end - claim.start :]
    said = lexicon.content(here)
    shared = [len(said & lexicon.content(w.unit.statement.text)) for w, _ in votes]
    return [vote for vote, size in zip(votes, shared, strict=True) if size == max(shared)]


def _outright(term: Term, claim: Statement, votes: list[tuple[Witness, int]]) -> list[tuple[Witness, int]]:
    """Find who says outright what a claim denies (不是商用 against 电：商用), in the rows that the claim speaks of.

    That another value stands elsewhere in the same source (水：民用) is no answer to it.
    """
    if term.sign > 0 or not term.option or len({w.source.id for w, _ in votes}) != 1:
        return []
    wanted = {(t.concept, t.option) for t in claim.terms if t.option and t.sign > 0}
    bad = [w for w, vote in votes if vote < 0]
    rows = {w.unit.group for w in bad if wanted & _options(w.unit.statement)}
    same = [w for w in bad if (term.concept, term.option) in _options(w.unit.statement)]
    return [(w, -1) for w in same if not w.unit.group or not rows or w.unit.group in rows]


def _options(unit: Statement) -> set[tuple[str, str]]:
    return {(t.concept, t.option) for t in unit.terms if t.option and t.sign > 0}


# What was once, and no more (曾抵押, 以前押过): it answers only a claim about the past.
_ONCE = re.compile(r"曾|以前|从前|原先|早先|used to|\bpreviously\b|\bonce\b|\bformerly\b")


def _of_its_time(claim: Statement, votes: list[tuple[Witness, int]]) -> list[tuple[Witness, int]]:
    """Keep, where sources say both yes and no, those that speak of the claim's time."""
    once = _ONCE.search(claim.text) is not None
    kept = [(w, v) for w, v in votes if (_ONCE.search(w.unit.statement.text) is not None) == once]
    return kept if kept and len({v > 0 for _, v in votes}) > 1 else votes


def _weigh(term: Term, claim: Statement, votes: list[tuple[Witness, int]], dropped: list[tuple[Witness, str]]) -> Facet:
    name = term.concept
    good, bad = [w for w, v in votes if v > 0], [w for w, v in votes if v < 0]
    if good and bad:
        settled = newest(good, bad)
        if settled is None and _closer(claim, good, bad):
            settled = True
        if settled is None and claim.amounts and _numbers(claim, good) > _numbers(claim, bad):
            settled = True
        if settled is None and _one_list(good, bad):
            settled = True
        if settled is None:
            where = tuple(w.located for w in (good[0], bad[0]))
            return Facet(CONFLICT, "sources_disagree", f"the evidence says both yes and no about {name}", where)
        good, bad = (good, []) if settled else ([], bad)
    if bad:
        located = tuple(w.located for w in bad[:2])
        return Facet(
            CONFLICT,
            "polarity",
            f"the source says the contrary about {name}",
            located,
            tuple(w.unit.quote for w in bad[:3]),
        )
    if good:
        return Facet(OK, "term", f"found {name}", (good[0].located,))
    if dropped:
        rule, reason = DROPPED[dropped[0][1]]
        return Facet(CONFLICT, rule, f"{reason} ({name})", (dropped[0][0].located,))
    return Facet(MISSING, "no_evidence", f"no evidence about {name}")


_CLEARLY = 2


def _closer(claim: Statement, good: Sequence[Witness], bad: Sequence[Witness]) -> bool:
    """Whether the agreeing sources share clearly more of the claim's own words: the others speak of something else."""
    return "all" not in claim.flags and _overlap(claim, good) >= _overlap(claim, bad) + _CLEARLY


def _overlap(claim: Statement, found: Sequence[Witness]) -> int:
    return max(sum(g in w.unit.statement.text for g in claim.grains) + _counts(claim, w) for w in found)


def _numbers(claim: Statement, found: Sequence[Witness]) -> int:
    return max(_counts(claim, w) for w in found)


def _counts(claim: Statement, witness: Witness) -> int:
    printed = {a.quantity.value for a in witness.unit.statement.amounts}
    return sum(a.quantity.value in printed for a in claim.amounts)


def newest(good: Sequence[Witness], bad: Sequence[Witness]) -> bool | None:
    """Decide between sources by time: True for the good ones, False for the bad, None when neither is newer."""
    best, worst = _latest(good), _latest(bad)
    if {w.source.id for w in good} & {w.source.id for w in bad}:
        return None
    if best is None or worst is None or best == worst:
        return None
    return best > worst


def _latest(found: Sequence[Witness]) -> datetime | None:
    times = [w.source.at for w in found if w.source.at is not None]
    return max(times) if times else None


def _one_list(good: Sequence[Witness], bad: Sequence[Witness]) -> bool:
    """Whether the two stand in different rows of one list, where each row is its own thing."""
    rows = {(w.source.id, w.unit.group) for w in good}
    others = {(w.source.id, w.unit.group) for w in bad}
    return not rows & others and all(group for _, group in rows | others)
