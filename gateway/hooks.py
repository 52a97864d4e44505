"""Webhooks: where an account's agent is called, and how a call proves that it is ours."""

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

from gateway.errors import Conflict, NotFound, Refused
from gateway.tables import Account
from gateway.tables_calls import AgentHook
from gateway.tx import Tx, table_of
from gateway.vault import Vault

SECRET_PREFIX = "whs_"  # noqa: S105  # tells what the random part is for
TIMESTAMP = "X-Draftgate-Timestamp"
SIGNATURE = "X-Draftgate-Signature"
CALL_ID = "X-Draftgate-Id"
MOST_URL = 500


def purpose(account_id: str) -> str:
    """Name what a webhook's secret is sealed for."""
    return f"hook:{account_id}"


def set_hook(tx: Tx, account_id: str, url: str, actor: str) -> str:
    """Call an account's agent at this address from now on; gives the secret, which is shown this once.

    Setting it again makes a new secret, at once (see `rotate`). Raises NotFound `unknown_account`, Refused `bad_url`, `no_secret_key`.
    """
    if tx.one(Account, id=account_id) is None:
        raise NotFound("unknown_account", f"no account is called {account_id!r}", field="account")
    check_url(url)
    secret = _new_secret()
    values = {"url": url, "sealed_secret": _sealed(tx, account_id, secret), "sealed_before": None}
    if not tx.change(AgentHook, {"account_id": account_id}, **values):
        tx.add(AgentHook, account_id=account_id, created_at=tx.now, **values)
    tx.audit(actor, "hook_set", why=f"{account_id}: {shown(url)}")
    return secret


def rotate(tx: Tx, account_id: str, actor: str) -> str:
    """Give a webhook a new secret; calls are signed with both until `finish_rotation`. Gives the new one, shown this once.

    Raises NotFound `unknown_hook`, Conflict `rotation_open`.
    """
    hook = tx.one(AgentHook, lock=True, account_id=account_id)
    if hook is None:
        raise NotFound("unknown_hook", f"no webhook is set for {account_id!r}")
    if hook.sealed_before is not None:
        raise Conflict("rotation_open", "an earlier change of this secret is not finished: finish it first")
    secret = _new_secret()
    sealed = {"sealed_secret": _sealed(tx, account_id, secret), "sealed_before": hook.sealed_secret}
    tx.change(AgentHook, {"account_id": account_id}, **sealed)
    tx.audit(actor, "hook_rotated", why=account_id)
    return secret


def finish_rotation(tx: Tx, account_id: str, actor: str) -> None:
    """Sign no more with a webhook's earlier secret. Raises NotFound `no_rotation`."""
    hook = tx.one(AgentHook, lock=True, account_id=account_id)
    if hook is None or hook.sealed_before is None:
        raise NotFound("no_rotation", f"no secret is being changed for {account_id!r}")
    tx.change(AgentHook, {"account_id": account_id}, sealed_before=None)
    tx.audit(actor, "hook_rotation_finished", why=account_id)


def _new_secret() -> str:
    return SECRET_PREFIX + secrets.token_urlsafe(32)


def _sealed(tx: Tx, account_id: str, secret: str) -> str:
    return Vault(tx.settings.secret_key).seal(secret, purpose(account_id))


def remove_hook(tx: Tx, account_id: str, actor: str) -> None:
    """Call this account's agent no more; it may still ask the inbox. Raises NotFound `unknown_hook`."""
    table = table_of(AgentHook)
    if not tx.conn.execute(table.delete().where(table.c.account_id == account_id)).rowcount:
        raise NotFound("unknown_hook", f"no webhook is set for {account_id!r}")
    tx.audit(actor, "hook_removed", why=account_id)


def check_url(url: str) -> None:
    """Raise Refused `bad_url` for an address that must not get customers' words."""
    parts = urlsplit(url) if len(url) <= MOST_URL and url.isascii() and url.isprintable() else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.fragment:
        raise Refused("bad_url", "give an address like https://agent.example/hook", field="url")
    if parts.username or parts.password:
        raise Refused("bad_url", "leave name and password out: calls are signed instead", field="url")
    if parts.scheme == "http" and not _inside(parts.hostname):
        raise Refused("bad_url", "use https: plain http is for addresses inside your own network", field="url")


def _inside(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host  # localhost, or the name of a container beside this one


def shown(url: str) -> str:
    """Write an address for people: without its query, which may hold a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Sign a call: HMAC-SHA256 over the timestamp, a full stop, and the body's bytes."""
    return "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def headers(signing: Sequence[str], call_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Give the headers of a call, signed with each secret; `call_id` is the same for every try."""
    return {
        "Content-Type": "application/json; charset=utf-8",
        CALL_ID: call_id,
        TIMESTAMP: str(timestamp),
        SIGNATURE: ",".join(signature(secret, str(timestamp), body) for secret in signing),
    }
