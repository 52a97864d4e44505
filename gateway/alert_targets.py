"""Where an account's alerts go: added and removed by people, each with an audit row that holds no secret."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, func, select

from gateway.errors import NotFound, Refused
from gateway.tables import Account
from gateway.tables_calls import ALERT_KINDS, AlertTarget
from gateway.tx import Tx, new_id, table_of
from gateway.vault import Vault

MOST = 10  # targets of one account
MOST_MEMBERS = 100
_KEY = re.compile(r"[0-9A-Za-z-]{8,100}")
_MEMBER = re.compile(r"[0-9A-Za-z_.@-]{1,64}")


def purpose(target_id: str) -> str:
    """Name what a robot's key is sealed for."""
    return f"robot:{target_id}"


def add_robot(tx: Tx, account_id: str, key: str, kinds: Sequence[str], actor: str) -> str:
    """Send an account's alerts to a group through its robot; `key` is the end of its webhook address, or all of it.

    Raises Refused `no_secret_key`, `bad_robot_key`; gives the target's id.
    """
    key = key.strip().rpartition("key=")[2]
    if not _KEY.fullmatch(key):
        raise Refused("bad_robot_key", "give the robot's webhook address, or its part after key=", field="key")
    target_id = new_id("al")
    sealed = Vault(tx.settings.secret_key).seal(key, purpose(target_id))
    _add(tx, target_id, account_id, kinds, actor, kind="robot", sealed_key=sealed)
    return target_id


def add_members(
    tx: Tx, account_id: str, agent_id: int, members: Sequence[str], kinds: Sequence[str], actor: str
) -> str:
    """Send an account's alerts to members of the app with this agent id. Raises Refused `bad_members`."""
    people = list(dict.fromkeys(member.strip() for member in members))
    if not 1 <= len(people) <= MOST_MEMBERS or not all(_MEMBER.fullmatch(member) for member in people):
        raise Refused("bad_members", f"give 1 to {MOST_MEMBERS} user ids of the corp's directory", field="members")
    target_id = new_id("al")
    _add(tx, target_id, account_id, kinds, actor, kind="app", agent_id=agent_id, members=people)
    return target_id


def _add(tx: Tx, target_id: str, account_id: str, kinds: Sequence[str], actor: str, **values: object) -> None:
    if tx.one(Account, id=account_id) is None:
        raise NotFound("unknown_account", f"no account is called {account_id!r}", field="account")
    if unknown := set(kinds) - set(ALERT_KINDS):
        raise Refused(
            "unknown_kind", f"{', '.join(sorted(unknown))}: kinds are {', '.join(ALERT_KINDS)}", field="kinds"
        )
    table = table_of(AlertTarget)
    known = tx.conn.execute(select(func.count()).where(table.c.account_id == account_id)).scalar_one()
    if known >= MOST:
        raise Refused("too_many_targets", f"an account has at most {MOST} targets: remove one first")
    given = {"members": [], "kinds": list(dict.fromkeys(kinds)) or list(ALERT_KINDS)} | values
    tx.add(AlertTarget, id=target_id, account_id=account_id, created_at=tx.now, **given)
    tx.audit(actor, "alert_target_added", why=f"{account_id}: {values['kind']} {target_id}")


def ends_of(tx: Tx, target: Row[Any]) -> frozenset[str]:
    """Say who hears a target in the end: one robot, or members of an app. The platform's limits are theirs.

    Several accounts may well tell one group: its robot takes no more for that.
    """
    if target.kind == "app":
        return frozenset(f"{target.agent_id}:{member.lower()}" for member in target.members)
    return frozenset({Vault(tx.settings.secret_key).open(target.sealed_key, purpose(target.id)) or target.id})


def remove_target(tx: Tx, target_id: str, actor: str) -> None:
    """Tell this target no more. Raises NotFound `unknown_target`."""
    table = table_of(AlertTarget)
    row = tx.one(AlertTarget, id=target_id)
    if row is None:
        raise NotFound("unknown_target", f"no alert target is called {target_id!r}")
    tx.conn.execute(table.delete().where(table.c.id == target_id))
    tx.audit(actor, "alert_target_removed", why=f"{row.account_id}: {row.kind} {target_id}")
