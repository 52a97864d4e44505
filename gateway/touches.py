"""When and how often silent customers are followed up: the settings' word, or what an administrator set since."""

from dataclasses import dataclass
from datetime import time
from typing import Any

from gateway.tables import SettingRow
from gateway.tx import Tx

KEY = "follow_up"


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
