"""When and how often silent customers are followed up: the settings' word, or what an administrator set since."""

from dataclasses import dataclass
from datetime import time
from typing import Any

from gateway.errors import Refused
from gateway.tables import SettingRow
from gateway.tx import Tx

KEY = "follow_up"
MOST = 10


@dataclass(frozen=True, slots=True)
class TouchRules:
    """Follow-ups leave between two times of the shop's day, at most so many per silent customer."""

    earliest: time
    latest: time
    most: int

    def record(self) -> dict[str, Any]:
        """Write them for the store."""
        return {"from": f"{self.earliest:%H:%M}", "until": f"{self.latest:%H:%M}", "touches": self.most}


def touch_rules(tx: Tx) -> TouchRules:
    """Give the rules that hold now."""
    row = tx.one(SettingRow, key=KEY)
    if row is None:
        return TouchRules(tx.settings.follow_up_from, tx.settings.follow_up_until, tx.settings.follow_up_touches)
    kept = row.value
    return TouchRules(time.fromisoformat(kept["from"]), time.fromisoformat(kept["until"]), int(kept["touches"]))


def set_touch_rules(tx: Tx, earliest: str, latest: str, most: int, actor: str) -> TouchRules:
    """Change the rules from now on, in every process. Raises Refused `bad_hours`, `bad_touches`."""
    try:
        rules = TouchRules(time.fromisoformat(earliest), time.fromisoformat(latest), most)
    except ValueError as error:
        raise Refused("bad_hours", "write times like 09:00", field="from") from error
    if rules.earliest >= rules.latest:
        raise Refused("bad_hours", "the earliest time must come before the latest", field="from")
    if not 0 <= most <= MOST:
        raise Refused("bad_touches", f"0 to {MOST}", field="touches")
    before = touch_rules(tx).record()
    given = {"value": rules.record(), "updated_at": tx.now}
    if not tx.change(SettingRow, {"key": KEY}, **given):
        tx.add(SettingRow, key=KEY, **given)
    tx.audit(actor, "limits_changed", why="follow_up", detail={"before": before, "after": rules.record()})
    return rules
