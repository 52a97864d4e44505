"""A person's own words through the real manual send and the real send entry, on a throw-away database."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from gateway import approval, conversations, people, send_entry
from gateway.errors import Refused
from gateway.migrate import upgrade
from gateway.service import Service
from gateway.settings import load_settings
from gateway.smoke.fixtures import Fixture
from gateway.store import Store
from gateway.tx import Tx
from gateway.wire import ManualSendIn
from outbound.message import SendKind
from planner.turn import Role


def sends_own_words(fixture: Fixture) -> bool:
    """Whether a person who writes the fixture's draft as their own words gets it through the send entry."""
    with tempfile.TemporaryDirectory(prefix="draftgate-smoke-") as folder:
        settings = load_settings(None, database_url=f"sqlite:///{Path(folder) / 'smoke.sqlite3'}")
        store = Store(settings.database_url)
        try:
            upgrade(store.engine)
            service = Service(settings, store, clock=lambda: datetime.now(UTC))
            return _send(service, fixture)
        finally:
            store.close()


def _send(service: Service, fixture: Fixture) -> bool:
    service.run(lambda tx: _open(tx, fixture))
    try:
        answer = service.run(lambda tx: approval.manual_send(tx, fixture.id, _order(fixture), "operator"))
    except Refused:
        return False
    admitted = service.run(lambda tx: send_entry.admit(tx, answer["outboundIds"][0]))
    return admitted is not None and admitted.permit.kind is SendKind.HUMAN


def _open(tx: Tx, fixture: Fixture) -> None:
    people.add_account(
        tx,
        account_id="shop",
        name="shop",
        actor="smoke",
        mode="auto",
        pack=fixture.pack,
        allowlist=list(fixture.allowlist),
    )
    conversations.create(
        tx, conversation_id=fixture.id, account="shop", recipient="wm_smoke", chat_type="private", pack=None
    )
    talk = conversations.load(tx, fixture.id)
    conversations.record(
        tx, talk, message_id="m1", role=Role.CUSTOMER, text=fixture.asked[-1], at=tx.now, author="customer"
    )


def _order(fixture: Fixture) -> ManualSendIn:
    body = {"text": fixture.draft["text"], "clientRequestId": "smoke-1", "lastSeenMessageId": "m1"}
    return ManualSendIn.model_validate(body)
