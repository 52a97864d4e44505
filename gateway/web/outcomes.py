"""What became of a click: kept with the click's request id and told on the next page, each case in its own words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.exc import IntegrityError

from gateway.errors import GatewayError
from gateway.jsonio import InputError
from gateway.people import Caller
from gateway.tables import IdempotencyRow
from gateway.tx import Tx, new_id
from gateway.web.words import Language

# values that are codes of the record, and the kind of word that names each
_CODES = {"state": "state", "mode": "mode", "role": "role"}
_PEOPLE = ("decidedBy", "to", "writer")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result in words of the catalogue: `done.<key>` or `refused.<key>`; `typed` is what the person had written.

    `deed` names the button, `notes` are clauses that the person should know about.
    """

    good: bool
    key: str
    values: Mapping[str, str] = field(default_factory=dict)
    typed: str | None = None
    notes: tuple[str, ...] = ()
    deed: str = ""

    def record(self) -> dict[str, Any]:
        """Write it for the store."""
        return {
            "good": self.good,
            "key": self.key,
            "values": dict(self.values),
            "typed": self.typed,
            "notes": list(self.notes),
            "deed": self.deed,
        }

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Outcome":
        """Read it back from the store."""
        notes = tuple(record["notes"])
        return cls(record["good"], record["key"], record["values"], record["typed"], notes, record["deed"])


@dataclass(frozen=True, slots=True)
class Click:
    """One press of one button of one page: who, what, and the page's request id."""

    caller: Caller
    deed: str
    request_id: str
    digest: str
    typed: str | None = None

    @property
    def scope(self) -> str:
        """The clicks of one person are kept apart from everybody else's."""
        return _scope(self.caller)

    @property
    def key(self) -> str:
        """Name the click, for the page that tells what became of it."""
        return f"{self.deed}:{self.request_id}"


def once(tx: Tx, click: Click, job: Callable[[Tx], Outcome]) -> str:
    """Do a job once per click and keep what became of it; gives the key under which it is kept.

    A repeat (double click, key and mouse together, a reload) does nothing and gives the first key. An error of the
    gateway undoes the job and is kept as its outcome.
    """
    try:
        with tx.conn.begin_nested():
            _claim(tx, click.scope, click.key, click.digest)
    except IntegrityError:
        known = tx.one(IdempotencyRow, scope=click.scope, key=click.key)
        if known is not None and known.request_sha256 == click.digest:
            return click.key
        return _keep(tx, click, f"{click.deed}:{new_id('r')}", Outcome(False, "form_used", typed=click.typed))
    return _finish(tx, click, click.key, _tried(tx, click, job))


def outcome_of(tx: Tx, caller: Caller, key: str) -> Outcome | None:
    """Give what became of a click of this person, or None."""
    row = tx.one(IdempotencyRow, scope=_scope(caller), key=key[:300]) if key else None
    return Outcome.read(row.response) if row is not None and row.response else None


def from_error(error: GatewayError | InputError, typed: str | None = None) -> Outcome:
    """Turn an error into an outcome that says what to do."""
    if isinstance(error, InputError):
        return Outcome(False, "bad_input", {"field": error.field, "detail": error.message}, typed)
    values = {name: str(value) for name, value in error.extra.items() if isinstance(value, str | int)}
    return Outcome(False, error.code, values | {"detail": error.message}, typed)


def told(outcome: Outcome, lang: Language, people: Mapping[str, str]) -> str:
    """Say an outcome in the viewer's language."""
    key = f"{'done' if outcome.good else 'refused'}.{outcome.key}"
    if not lang.knows(key):
        key = "done.other" if outcome.good else "refused.other"
    values = dict(outcome.values)
    for name, kind in _CODES.items():
        if name in values:
            values[name] = lang.name(kind, values[name])
    for name in _PEOPLE:
        values[name] = people.get(values.get(name, ""), values.get(name, "")) or lang.say("common.somebody")
    return lang.words[key].format_map(_Lenient(values))


class _Lenient(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "—"


def _tried(tx: Tx, click: Click, job: Callable[[Tx], Outcome]) -> Outcome:
    try:
        with tx.conn.begin_nested():
            return job(tx)
    except (GatewayError, InputError) as error:
        return from_error(error, click.typed)


def _claim(tx: Tx, scope: str, key: str, digest: str) -> None:
    tx.add(IdempotencyRow, scope=scope, key=key, request_sha256=digest, status=202, created_at=tx.now)


def _keep(tx: Tx, click: Click, key: str, outcome: Outcome) -> str:
    _claim(tx, click.scope, key, click.digest)
    return _finish(tx, click, key, outcome)


def _finish(tx: Tx, click: Click, key: str, outcome: Outcome) -> str:
    status = 200 if outcome.good else 409
    kept = replace(outcome, deed=click.deed).record()
    tx.change(IdempotencyRow, {"scope": click.scope, "key": key}, status=status, response=kept)
    return key


def _scope(caller: Caller) -> str:
    return f"web:{caller.id}"
