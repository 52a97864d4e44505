"""What follows a send: an unknown outcome settled by a person, a later failure, a stopped channel started again."""

from typing import Any

from sqlalchemy import Row

from gateway import conversations, outbox, settling
from gateway.errors import Conflict, NotFound
from gateway.tables import Account, DeliveryRow, OutboundRow
from gateway.tx import Tx


def settle_unknown(tx: Tx, outbound_id: str, *, arrived: bool, actor: str) -> None:
    """Record what a person saw in the chat: the message of unknown outcome arrived, or it did not."""
    row = _unknown(tx, outbound_id)
    if arrived:
        # No id came from the channel, so there is no Delivery to count; the talk shows the words all the same.
        tx.change(
            OutboundRow,
            {"outbound_id": outbound_id},
            state="accepted",
            hint="a person saw it arrive",
            updated_at=tx.now,
        )
        settling.record_words(tx, row)
    else:
        tx.change(
            OutboundRow,
            {"outbound_id": outbound_id},
            state="held",
            hint="a person saw that it did not arrive",
            updated_at=tx.now,
        )
        conversations.use_quota(tx, row.conversation_id, -1)
    tx.audit(
        actor,
        "unknown_settled",
        outbound_id=outbound_id,
        draft_id=row.draft_id,
        conversation_id=row.conversation_id,
        why="it arrived" if arrived else "it did not arrive",
    )
    outbox.refresh_draft(tx, row.draft_id)


def send_again(tx: Tx, outbound_id: str, actor: str) -> None:
    """Repeat a message of unknown outcome once, with the same channel id: the platform refuses a second copy."""
    row = _unknown(tx, outbound_id)
    if row.resends:
        raise Conflict("sent_again_before", "it was already sent again once; look into the chat and say what you see")
    tx.change(
        OutboundRow,
        {"outbound_id": outbound_id},
        state="queued",
        resends=1,
        doubtful=True,
        permit_used_at=None,
        next_at=tx.now,
        updated_at=tx.now,
    )
    tx.audit(actor, "sent_again", outbound_id=outbound_id, draft_id=row.draft_id, conversation_id=row.conversation_id)
    tx.wake("outbox")
    outbox.refresh_draft(tx, row.draft_id)


def channel_failed(tx: Tx, channel_message_id: str, fail_type: int, why: str) -> bool:
    """Take a Delivery out of the count because the channel says later that it failed; True if it was one of ours.

    The channel's word may come before its answer to the call itself: such a message was taken, and it failed.
    """
    row = _sent_as(tx, channel_message_id)
    if row is None:
        return False
    tx.hold(row.conversation_id)
    given = {"channel_message_id": channel_message_id, "hint": why, "updated_at": tx.now}
    tx.change(OutboundRow, {"outbound_id": row.outbound_id}, state="failed_later", **given)
    failed = {"state": "failed_later", "fail_type": fail_type, "reason": why, "failed_at": tx.now}
    if tx.change(DeliveryRow, {"outbound_id": row.outbound_id}, **failed) == 0:
        tx.add(
            DeliveryRow,
            outbound_id=row.outbound_id,
            conversation_id=row.conversation_id,
            channel_message_id=channel_message_id,
            accepted_at=tx.now,
            **failed,
        )
    if row.state in ("sending", "unknown"):
        outbox.hold_rest(tx, row, why)
    tx.audit(
        "channel",
        "failed_later",
        outbound_id=row.outbound_id,
        draft_id=row.draft_id,
        conversation_id=row.conversation_id,
        from_state=row.state,
        to_state="failed_later",
        why=why,
    )
    outbox.refresh_draft(tx, row.draft_id)
    return True


def _sent_as(tx: Tx, channel_message_id: str) -> Row[Any] | None:
    """Find a message by the channel's id, or by our own for which the channel has not answered yet."""
    row = tx.one(OutboundRow, channel_message_id=channel_message_id) or tx.one(OutboundRow, msgid=channel_message_id)
    known = row is not None and row.state in ("sending", "unknown", "accepted", "failed_later")
    return row if known and channel_message_id else None


def _unknown(tx: Tx, outbound_id: str) -> Row[Any]:
    row = outbox.load(tx, outbound_id)
    if row is None:
        raise NotFound("unknown_message", f"no message is called {outbound_id!r}")
    if row.state != "unknown":
        raise Conflict("not_unknown", f"the message is {row.state}", state=row.state)
    return row


def restart_channel(tx: Tx, account_id: str, actor: str) -> None:
    """Let a stopped channel try again; the processes that talk to it hear `resume` with the channel's account."""
    account = tx.one(Account, id=account_id)
    if account is None:
        raise NotFound("unknown_account", account_id)
    tx.change(Account, {"id": account_id}, stopped_reason=None)
    tx.wake(f"resume:{account.channel_account or account_id}")
    tx.wake("outbox")
    tx.audit(actor, "channel_restarted", why=account_id)
