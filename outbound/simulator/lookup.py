"""Find what a call names, or refuse it as the platform would."""

from typing import Any

from outbound.session import SessionState
from outbound.simulator.world import Account, Json, Talk, World

TWO_DAYS = 48 * 3600


class Refused(Exception):
    """The platform says no: `errcode` and words."""

    def __init__(self, errcode: int, errmsg: str) -> None:
        super().__init__(errmsg)
        self.errcode = errcode
        self.errmsg = errmsg


def account_in(world: World, body: Json) -> Account:
    """Find the account that a body names."""
    open_kfid = body.get("open_kfid")
    if not isinstance(open_kfid, str) or not open_kfid:
        raise Refused(95000, "invalid open_kfid")
    if open_kfid not in world.accounts:
        raise Refused(95004, "open_kfid not exist")
    return world.accounts[open_kfid]


def talk_in(world: World, account: Account, customer: Any) -> Talk:
    """Find a customer's talk with an account that we may manage."""
    found = world.talks.get((account.open_kfid, customer)) if isinstance(customer, str) else None
    if found is None:
        raise Refused(40096, "invalid external userid")
    if not account.manageable:
        raise Refused(48007, "kf account not authorised")
    return found


def window_over(world: World, talk: Talk) -> bool:
    """Say whether 48 hours have passed since the customer wrote."""
    return talk.wrote_at is not None and world.now() - talk.wrote_at > TWO_DAYS


def settle(world: World, talk: Talk) -> None:
    """End a session whose 48 hours are over, or that never began."""
    if talk.wrote_at is None or window_over(world, talk):
        talk.state, talk.servicer = SessionState.ENDED, None
