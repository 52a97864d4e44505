"""The risk in a turn: scenarios that the customer's unanswered messages raise, and commitments that the draft makes."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from planner.leanings import leanings
from planner.lexicon import Hit, Lexicon
from planner.pack import Pack, Row
from planner.reading import Reading, ReadText
from planner.slot_questions import slot_questions
from planner.slot_words import ValueRow
from planner.spelling import Spelled, spelled_clauses, spelled_whole
from planner.talk import asks, last_agent_text, only_agrees, only_confirms

EVERY_SCENARIO = "*"


class Level(StrEnum):
    """`inform` asks for a fact; `decide` bargains, commits, disputes or books."""

    INFORM = "inform"
    DECIDE = "decide"


@dataclass(frozen=True, slots=True)
class Risk:
    """One tagged scenario; `source` is `customer` or `draft`, `quote` the original words that triggered it."""

    scenario: str
    level: Level
    source: str
    quote: str


class Trigger(Row):
    """Words that raise a scenario.

    `wide` rows are looked for in the whole message, the others in each clause. An `answer` row does not count in a
    message that answers the agent's question and asks nothing itself.
    """

    scenario: str
    level: Level
    wide: bool = False
    answer: bool = False


class ScenarioRow(Row):
    """Words about one scenario (`*`: any): a denial, a withdrawal, or an offer of the agent."""

    scenario: str


@dataclass(frozen=True)
class _Rules:
    narrow: Lexicon[Trigger]
    wide: Lexicon[Trigger]
    denials: Lexicon[ScenarioRow]
    withdrawals: Lexicon[ScenarioRow]
    offers: Lexicon[ScenarioRow]
    draft: Lexicon[Trigger]
    booking: dict[str, str]
    bookings: Lexicon[ValueRow]


def find_risks(reading: Reading) -> tuple[Risk, ...]:
    """Tag the scenarios of a turn, the customer's first; each scenario once, at its highest level."""
    rules = reading.pack.derive(_rules)
    found: dict[str, Risk] = {}
    for text in reading.unanswered:
        _read_message(text, reading, rules, found)
    _read_agreement(reading, rules, found)
    _read_answer(reading, rules, found)
    if reading.turn.draft is not None:
        for clause in _clauses(reading.draft, reading.pack):
            for hit in rules.draft.find(clause.norm):
                found.setdefault(hit.row.scenario, clause.risk(hit, "draft"))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _Clause:
    """A stretch of a message with its slips corrected."""

    text: ReadText
    start: int
    spelled: Spelled

    @property
    def norm(self) -> str:
        return self.spelled.norm

    def risk(self, hit: Hit[Trigger], source: str) -> Risk:
        start, end = self.spelled.span(hit.start, hit.end)
        quote = self.text.text.quote(self.start + start, self.start + end)
        return Risk(hit.row.scenario, hit.row.level, source, quote)


def _clauses(text: ReadText, pack: Pack) -> Iterator[_Clause]:
    for clause, spelled in zip(text.clauses, spelled_clauses(text, pack), strict=True):
        yield _Clause(text, clause.start, spelled)


def _read_message(text: ReadText, reading: Reading, rules: _Rules, found: dict[str, Risk]) -> None:
    before = last_agent_text(reading)
    answers = before is not None and asks(before, reading.pack) and not asks(text, reading.pack)
    whole = _Clause(text, 0, spelled_whole(text, reading.pack))
    raised: list[Risk] = []
    taken_back: set[str] = set()
    for clause in _clauses(text, reading.pack):
        taken_back |= _take_back(clause, rules, found)
        raised += _raised(clause, rules.narrow, taken_back, answers=answers)
    raised += _raised(whole, rules.wide, taken_back, answers=answers)
    if not (raised or taken_back or answers or only_confirms(text, reading.pack)):
        raised = [
            Risk(name, Level.DECIDE, "customer", text.text.original) for name in text.once(_leanings, reading.pack)
        ]
    for risk in raised:
        _keep(found, risk)


def _leanings(text: ReadText, pack: Pack) -> tuple[str, ...]:
    return leanings(spelled_whole(text, pack).norm, pack)


def _raised(clause: _Clause, triggers: Lexicon[Trigger], taken_back: set[str], *, answers: bool) -> list[Risk]:
    hits = (hit for hit in triggers.find(clause.norm) if hit.row.scenario not in taken_back)
    return [clause.risk(hit, "customer") for hit in hits if not (answers and hit.row.answer)]


def _take_back(clause: _Clause, rules: _Rules, found: dict[str, Risk]) -> set[str]:
    """Forget what a clause denies or withdraws; gives the scenarios that do not count from here on."""
    withdrawn = {hit.row.scenario for hit in rules.withdrawals.find(clause.norm)}
    denied = {hit.row.scenario for hit in rules.denials.find(clause.norm)}
    for scenario in [*found] if EVERY_SCENARIO in withdrawn else denied | withdrawn:
        found.pop(scenario, None)
    return denied | withdrawn


def _read_agreement(reading: Reading, rules: _Rules, found: dict[str, Risk]) -> None:
    """Let a bare yes to an offer of the agent stand for the customer's own words."""
    offer = last_agent_text(reading)
    if offer is None or not reading.unanswered:
        return
    for text in reading.unanswered:
        if only_agrees(text, reading.pack):
            for hit in rules.offers.find(offer.norm):
                _keep(found, Risk(hit.row.scenario, Level.DECIDE, "customer", text.text.original))


def _read_answer(reading: Reading, rules: _Rules, found: dict[str, Risk]) -> None:
    """Let the answer to a question that books something (您哪天方便看房 – 周六吧) stand for the booking."""
    asked = last_agent_text(reading)
    if asked is None or not reading.unanswered or not rules.booking:
        return
    for text in reading.unanswered:
        given = {hit.row.slot for hit in rules.bookings.find(spelled_whole(text, reading.pack).norm)}
        wanted = {question.slot for question in slot_questions(asked, reading.pack)} if given else set()
        for slot in given & wanted:
            _keep(found, Risk(rules.booking[slot], Level.DECIDE, "customer", text.text.original))


def _keep(found: dict[str, Risk], risk: Risk) -> None:
    known = found.get(risk.scenario)
    if known is None or (known.level is Level.INFORM and risk.level is Level.DECIDE):
        found[risk.scenario] = risk


def _rules(pack: Pack) -> _Rules:
    triggers = pack.rows("triggers", Trigger)
    booking: dict[str, str] = dict(pack.sections.get("slot_scenarios") or {})
    values = pack.rows("slot_values", ValueRow)
    return _Rules(
        narrow=Lexicon(row for row in triggers if not row.wide),
        wide=Lexicon(row for row in triggers if row.wide),
        denials=Lexicon(pack.rows("denials", ScenarioRow)),
        withdrawals=Lexicon(pack.rows("withdrawals", ScenarioRow)),
        offers=Lexicon(pack.rows("offers", ScenarioRow)),
        draft=Lexicon(pack.rows("draft_triggers", Trigger)),
        booking=booking,
        bookings=Lexicon(row for row in values if row.slot in booking and not row.wide),
    )
