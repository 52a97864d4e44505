"""privacy: nothing that identifies or reaches a third party, unless the customer gave it."""

import re
from collections.abc import Iterator
from typing import Literal

from planner.lexicon import Lexicon
from planner.pack import Pack, Row
from verifier.case import Case
from verifier.contacts import Contact, read_contacts
from verifier.fixes import fix
from verifier.people import Person, read_people
from verifier.rules import Rule, find
from verifier.verdict import Finding

_ID = "privacy"
_NEAR = 40
_SENTENCE_END = re.compile(r"[。！？!?；;\n]")
_SAYS = {
    "phone": "a phone number that the customer did not give",
    "landline": "a phone number that the customer did not give",
    "identity": "an identity number",
    "identity_part": "part of an identity number",
    "paper": "the number of a personal document",
    "card": "a bank card number",
    "email": "a mail address that the customer did not give",
    "account": "an account that the customer did not give",
    "name": "a person's name that the customer did not give",
    "address": "a person's home address",
}


class Party(Row):
    """Words for whose a number or name is: the shop's own, or a third party's."""

    whose: Literal["shop", "third"]


def _parties(pack: Pack) -> tuple[Party, ...]:
    return pack.rows("parties", Party)


def _private(pack: Pack) -> Lexicon[Rule]:
    return Lexicon(pack.rows("private_matters", Rule))


def privacy(case: Case) -> Finding:
    """No number, address or name of a third party that the customer did not give; the shop's own contacts are fine.

    Fails: 业主电话13800000000. Passes: 店里座机010-80000000.
    """
    found = [*_contacts(case), *_people(case), *_matters(case)]
    if not found:
        return Finding(passed=True, detail="names and reaches nobody but the customer and the shop")
    unique = dict(found)
    fixes = tuple(fix("remove_leak", _ID, quote, f"leave out {says}") for quote, says in unique.items())
    return Finding(passed=False, detail="; ".join(f"{q}: {says}" for q, says in unique.items()), fixes=fixes)


def _contacts(case: Case) -> Iterator[tuple[str, str]]:
    for contact in read_contacts(case.read.norm):
        if not _given(case, contact) and not _shops(case, contact):
            yield case.quote(contact.start, contact.end), _SAYS[contact.kind]


def _given(case: Case, contact: Contact) -> bool:
    """Whether the customer gave it, or the profile holds it as theirs."""
    held = case.own_words if contact.kind in ("email", "account") else case.own_digits
    return contact.value in held


def _shops(case: Case, contact: Contact) -> bool:
    if contact.kind in ("identity", "identity_part", "paper", "card"):
        return False
    norm = case.read.norm
    whose = _whose(case, _before(norm, contact.start, _NEAR)) or _whose(case, _behind(norm, contact.end, 12))
    if whose is None:
        whose = _whose(case, case.open_norm[-200:])
    return whose == "shop" or (whose is None and contact.kind == "landline")


def _whose(case: Case, words: str) -> str | None:
    """Name the party whose word stands nearest to the end of a text."""
    nearest: tuple[int, str] | None = None
    for party in case.pack.derive(_parties):
        at = _last(party, words)
        if at >= 0 and (nearest is None or at > nearest[0]):
            nearest = (at, party.whose)
    return nearest[1] if nearest else None


def _last(party: Party, words: str) -> int:
    at = base = -1
    while (match := party.search(words[base + 1 :])) is not None:
        at = base + 1 + match.end()
        base = at - 1
    return at


def _people(case: Case) -> Iterator[tuple[str, str]]:
    for person in read_people(case.read.norm, case.draft.text, case.pack):
        if person.words.lower() in case.own_words:
            continue
        if person.kind == "name" and _staff(case, person):
            continue
        yield person.words, _SAYS[person.kind]


def _staff(case: Case, person: Person) -> bool:
    """Whether the nearest party before or right behind a name is the shop's."""
    norm = case.read.norm
    return "shop" in (_whose(case, _before(norm, person.start, 12)), _whose(case, _behind(norm, person.end, 3)))


def _before(norm: str, at: int, size: int) -> str:
    """Give the words of the same sentence before a place."""
    return _SENTENCE_END.split(norm[max(0, at - size) : at])[-1]


def _behind(norm: str, at: int, size: int) -> str:
    """Give the words of the same sentence behind a place."""
    return _SENTENCE_END.split(norm[at : at + size])[0]


def _matters(case: Case) -> Iterator[tuple[str, str]]:
    for found in find(case.pack.derive(_private), case.read):
        if found.clause.text not in case.customer_norm:
            yield case.quote(found.start, found.end), found.rule.says
