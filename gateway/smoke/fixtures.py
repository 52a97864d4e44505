"""The fixed turns: read from data, written as the contract's JSON, and changed in one place to see that it matters."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from gateway.contract import parse, to_turn
from gateway.wire import TurnIn
from planner.turn import Turn

FILE = Path(__file__).with_name("fixtures.yaml")
GROUPS = ("low", "good", "bad", "risk", "ordinary", "person", "thanks")


@dataclass(frozen=True)
class Fixture:
    """One fixed turn. `fails` are the checks that must fail, exactly; `flip` is the change that turns its row off."""

    id: str
    group: str
    now: str
    asked: tuple[str, ...]
    draft: dict[str, Any]
    pack: str
    subject: str | None
    fails: tuple[str, ...]
    flip: dict[str, Any]
    allowlist: tuple[str, ...] = ("*",)

    def json(self) -> bytes:
        """Write the turn as a caller would."""
        messages = [
            {"id": f"m{n}", "role": "customer", "text": text, "at": self.now} for n, text in enumerate(self.asked, 1)
        ]
        conversation: dict[str, Any] = {"id": self.id, "chatType": "private", "messages": messages}
        if self.subject:
            conversation["subject"] = self.subject
        turn = {"id": self.id, "now": self.now, "pack": self.pack, "conversation": conversation, "draft": self.draft}
        return json.dumps(turn, ensure_ascii=False).encode()

    def turn(self) -> Turn:
        """Read the turn as the gateway would."""
        wire = parse(TurnIn, self.json())
        if wire.now is None:
            raise ValueError(f"{self.id}: now is missing")
        return to_turn(wire, wire.now)

    def flipped(self) -> "Fixture":
        """Give the fixture with its one change made. Raises ValueError when the change finds nothing to change."""
        changed = self
        for field, change in self.flip.items():
            changed = _flip(changed, field, change)
        if changed == self:
            raise ValueError(f"{self.id}: the flip changes nothing")
        return changed


def load_fixtures(path: Path = FILE) -> tuple[Fixture, ...]:
    """Load the fixtures. Raises ValueError for an unknown group or a row without a flip."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(_fixture(row, data["now"]) for row in data["fixtures"])


def _fixture(row: dict[str, Any], now: str) -> Fixture:
    if row.get("group") not in GROUPS or not row.get("flip"):
        raise ValueError(f"fixture {row.get('id')}: a group of {', '.join(GROUPS)} and a flip are needed")
    draft = {"text": row["draft"], "requiresHuman": row.get("requiresHuman", False)}
    draft |= {name: row[name] for name in ("citations", "toolResults", "actions") if name in row}
    return Fixture(
        id=row["id"],
        group=row["group"],
        now=now,
        asked=tuple(row.get("asked", ())),
        draft=draft,
        pack=row.get("pack", "property"),
        subject=row.get("subject"),
        fails=tuple(row.get("fails", ())),
        flip=row["flip"],
    )


def _flip(fixture: Fixture, field: str, change: Any) -> Fixture:
    if field == "allowlist":
        return replace(fixture, allowlist=tuple(change))
    if field == "requiresHuman":
        return replace(fixture, draft=fixture.draft | {"requiresHuman": change})
    old, new = change
    if field == "asked":
        return replace(fixture, asked=tuple(text.replace(old, new) for text in fixture.asked))
    if field == "draft":
        return replace(fixture, draft=fixture.draft | {"text": fixture.draft["text"].replace(old, new)})
    holder, name = _PLACES[field]
    rows = [row | {name: row[name].replace(old, new)} for row in fixture.draft[holder]]
    return replace(fixture, draft=fixture.draft | {holder: rows})


# Where a flip's field stands in the draft.
_PLACES = {
    "source": ("citations", "text"),
    "sourceSubject": ("citations", "subject"),
    "validUntil": ("citations", "validUntil"),
    "toolStatus": ("toolResults", "status"),
    "actionStatus": ("actions", "status"),
}
