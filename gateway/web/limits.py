"""When and how often silent customers are followed up, as an administrator sets it while everything runs."""

from datetime import time

from gateway.errors import Refused
from gateway.tables import SettingRow
from gateway.touches import KEY, TouchRules, touch_rules
from gateway.tx import Tx

MOST = 10


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
