"""Who may do what: operators with passwords and sessions, agents with API keys. Only hashes are stored."""

import functools
import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pwdlib import PasswordHash
from sqlalchemy import delete, select

from gateway.errors import Conflict, Forbidden, NotFound, Refused, Unauthorized
from gateway.tables import MODES, ROLES, Account, ApiKeyRow, OperatorRow, SessionRow
from gateway.tx import Tx, new_id, table_of

SCOPES = ("agent", "channel", "operator", "admin")
MIN_PASSWORD = 10
_hasher = PasswordHash.recommended()


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever makes a request. `accounts` empty means all."""

    id: str
    name: str
    scopes: frozenset[str]
    accounts: frozenset[str] = frozenset()
    role: str | None = None
    csrf: str = ""

    def must(self, scope: str) -> None:
        """Raise Forbidden when the caller lacks a scope."""
        if scope not in self.scopes and "admin" not in self.scopes:
            raise Forbidden("missing_scope", f"this needs the scope {scope}", scope=scope)

    def must_reach(self, account_id: str) -> None:
        """Raise NotFound for an account that the caller may not see: it does not learn that it exists."""
        if self.accounts and account_id not in self.accounts:
            raise NotFound("unknown_conversation", "no such conversation")


ROLE_SCOPES = {
    "viewer": frozenset({"view"}),
    "operator": frozenset({"view", "operator"}),
    "admin": frozenset({"view", "operator", "admin"}),
}


def digest(secret: str) -> str:
    """Hash a random secret of high entropy (keys, session ids); passwords use argon2 instead."""
    return hashlib.sha256(secret.encode()).hexdigest()


def hash_password(password: str) -> str:
    """Hash a password with argon2 (0.2 s and 64 MiB: never on the event loop). Raises Refused if too short."""
    if len(password) < MIN_PASSWORD:
        raise Refused("password_too_short", f"at least {MIN_PASSWORD} characters", field="password")
    return _hasher.hash(password)


def add_operator(tx: Tx, *, operator_id: str, name: str, password_hash: str, role: str, actor: str) -> None:
    """Create an operator. Raises Conflict for a known id, Refused for an unknown role."""
    if role not in ROLES:
        raise Refused("unknown_role", f"one of {', '.join(ROLES)}", field="role")
    if tx.one(OperatorRow, id=operator_id) is not None:
        raise Conflict("operator_exists", f"{operator_id} exists")
    tx.add(OperatorRow, id=operator_id, name=name, password_hash=password_hash, role=role, created_at=tx.now)
    tx.audit(actor, "operator_added", why=f"{operator_id} as {role}")


def check_password(stored_hash: str | None, password: str) -> bool:
    """Compare a password; without a stored hash it takes as long and is false."""
    matched = _hasher.verify(password[:1024], stored_hash or _nobody())
    return matched and stored_hash is not None


@functools.cache
def _nobody() -> str:
    # Checked when no such operator exists, so that a wrong name takes as long as a wrong password.
    return _hasher.hash(secrets.token_urlsafe(16))


def password_hash_of(tx: Tx, operator_id: str) -> str | None:
    """Give an active operator's hash, or None."""
    row = tx.one(OperatorRow, id=operator_id, disabled=False)
    return row.password_hash if row is not None else None


def open_session(tx: Tx, operator_id: str) -> str:
    """Start a signed-in session with a new random id (against fixation) and give the id for the cookie."""
    secret = secrets.token_urlsafe(32)
    tx.conn.execute(delete(table_of(SessionRow)).where(table_of(SessionRow).c.expires_at < tx.now))
    tx.add(
        SessionRow,
        sha256=digest(secret),
        operator_id=operator_id,
        csrf=secrets.token_urlsafe(32),
        created_at=tx.now,
        expires_at=tx.now + timedelta(hours=tx.settings.session_hours),
    )
    tx.audit(operator_id, "signed_in")
    return secret


def close_session(tx: Tx, secret: str, *, everywhere: bool = False) -> None:
    """End a session, or all of its operator's."""
    table = table_of(SessionRow)
    row = tx.one(SessionRow, sha256=digest(secret))
    if row is None:
        return
    where = table.c.operator_id == row.operator_id if everywhere else table.c.sha256 == row.sha256
    tx.conn.execute(delete(table).where(where))
    tx.audit(row.operator_id, "signed_out", why="everywhere" if everywhere else "")


def session_caller(tx: Tx, secret: str) -> Caller | None:
    """Give the operator of a live session, or None."""
    sessions, operators = table_of(SessionRow), table_of(OperatorRow)
    row = tx.conn.execute(
        select(operators.c.id, operators.c.name, operators.c.role, sessions.c.csrf)
        .join(sessions, sessions.c.operator_id == operators.c.id)
        .where(sessions.c.sha256 == digest(secret), sessions.c.expires_at > tx.now, operators.c.disabled.is_(False))
    ).first()
    if row is None:
        return None
    return Caller(row.id, row.name, ROLE_SCOPES[row.role], role=row.role, csrf=row.csrf)


def add_key(
    tx: Tx, *, name: str, scopes: list[str], actor: str, accounts: list[str] | None = None, secret: str | None = None
) -> tuple[str, str]:
    """Make an API key and give (id, secret); the secret is shown this once."""
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise Refused("unknown_scope", f"scopes are {', '.join(SCOPES)}", field="scopes")
    secret = secret or "dg_" + secrets.token_urlsafe(32)
    key_id = new_id("k")
    tx.add(
        ApiKeyRow,
        id=key_id,
        sha256=digest(secret),
        name=name,
        scopes=sorted(scopes),
        accounts=sorted(accounts or []),
        created_at=tx.now,
    )
    tx.audit(actor, "key_added", why=f"{name}: {', '.join(sorted(scopes))}")
    return key_id, secret


def revoke_key(tx: Tx, key_id: str, actor: str) -> None:
    """Make a key useless for good."""
    if not tx.change(ApiKeyRow, {"id": key_id, "revoked_at": None}, revoked_at=tx.now):
        raise NotFound("unknown_key", f"no live key is called {key_id!r}")
    tx.audit(actor, "key_revoked", why=key_id)


def key_caller(tx: Tx, secret: str) -> Caller:
    """Give the caller of an API key. Raises Unauthorized."""
    row = tx.one(ApiKeyRow, sha256=digest(secret))
    if row is None or row.revoked_at is not None:
        raise Unauthorized("bad_key", "this API key is not known or was revoked")
    return Caller(row.name, row.name, frozenset(row.scopes), frozenset(row.accounts))


def add_account(
    tx: Tx,
    *,
    account_id: str,
    name: str,
    actor: str,
    mode: str = "review",
    pack: str = "property",
    channel_account: str = "",
    allowlist: list[str] | None = None,
) -> None:
    """Register a customer-service account. An empty allowlist lets nobody be written to."""
    if mode not in MODES:
        raise Refused("unknown_mode", f"one of {', '.join(MODES)}", field="mode")
    tx.shelf.get(pack)
    if tx.one(Account, id=account_id) is not None:
        raise Conflict("account_exists", f"{account_id} exists")
    tx.add(
        Account,
        id=account_id,
        name=name,
        mode=mode,
        pack=pack,
        channel_account=channel_account,
        allowlist=allowlist or [],
        created_at=tx.now,
    )
    tx.audit(actor, "account_added", why=account_id)


def change_account(tx: Tx, account_id: str, actor: str, **values: Any) -> None:
    """Change an account's mode, pack or allowlist, with an audit row that shows before and after."""
    row = tx.one(Account, lock=True, id=account_id)
    if row is None:
        raise NotFound("unknown_account", account_id)
    if values.get("mode", row.mode) not in MODES:
        raise Refused("unknown_mode", f"one of {', '.join(MODES)}", field="mode")
    if "pack" in values:
        tx.shelf.get(values["pack"])
    tx.change(Account, {"id": account_id}, **values)
    before = {name: getattr(row, name) for name in values}
    tx.audit(actor, "account_changed", why=account_id, detail={"before": before, "after": values})
