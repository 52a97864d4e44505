"""A whole shop for tests: the HTTP API and the pages in process, and a simulated WeCom at the other end of real HTTP."""

import functools
import itertools
from datetime import UTC, datetime, timedelta

from fastapi.testclient import TestClient

from gateway import people
from gateway.app import create_app
from gateway.service import Service
from gateway.store import Store
from gateway.tables import ConversationRow
from outbound.simulator.world import ACCOUNT, SERVICER
from outbound.wecom.client import WeComClient
from outbound.wecom.sender import WeComSender
from outbound.wecom.settings import WeComSettings
from tests.gateway.desk import BAD, GOOD, GOOD_CITATION
from tests.gateway.web.browser import Browser

SEND, SEND_ON_EVENT, MOVE = "kf/send_msg", "kf/send_msg_on_event", "kf/service_state/trans"
CUSTOMER = "wm_c01"
ASKED = "小区人车分流吗"
READ_TIMEOUT = 0.4  # seconds that the client waits for the simulated platform


class Clock:
    """The real clock, moved on by a test."""

    def __init__(self):
        self.shift = timedelta()

    def __call__(self):
        return datetime.now(UTC) + self.shift

    def stand_at(self, moment):
        self.shift = moment - datetime.now(UTC)


class Shop:
    """`world` is the simulated platform, `client` speaks HTTP with the gateway, `channel` is a kind of sender."""

    def __init__(self, platform, settings, *, channel=None):
        self.world = None if isinstance(platform, WeComSettings) else platform.simulator
        self.clock = Clock()
        self.channel = (channel or WeComSender)(WeComClient(_reached(platform), clock=self.seconds))
        self.settings = settings
        self._numbers = itertools.count(1)
        self._open()
        self.keys = self.service.run(_keys)

    def _open(self):
        self.service = Service(self.settings, Store(self.settings.database_url), self.channel, self.clock)
        self.app = create_app(self.service, scheduler=False)
        self.client = TestClient(self.app, follow_redirects=False)
        self.client.__enter__()

    def close(self):
        self.client.__exit__(None, None, None)

    def seconds(self):
        """The shop's clock in Unix seconds, by which its connection rests and renews its token."""
        return self.clock().timestamp()

    def restart(self, platform):
        """Another process on the same database, with a connection of its own."""
        self.close()
        self.channel = WeComSender(WeComClient(_reached(platform), clock=self.seconds))
        self._open()

    # the shop's people set it up

    def account(self, mode="auto", name="shop", **values):
        given = {"pack": "property", "allowlist": ["*"], "channel_account": ACCOUNT} | values
        self.service.run(lambda tx: people.add_account(tx, account_id=name, name=name, mode=mode, actor="t", **given))

    @functools.cache  # noqa: B019  # a shop lives for one test
    def browser(self, who="lin", role="operator"):
        """A browser at which a person of this role is signed in."""
        given = {"operator_id": who, "name": who.title(), "password_hash": "none", "role": role, "actor": "t"}
        self.service.run(lambda tx: people.add_operator(tx, **given))
        secret = self.service.run(lambda tx: people.open_session(tx, who))
        return Browser(TestClient(self.app, follow_redirects=False, cookies={"draftgate": secret}))

    # what the customer and colleagues in the WeCom client do

    def says(self, text=ASKED, customer=CUSTOMER):
        """A customer writes, and the gateway pulls it; gives the conversation's id."""
        self.world.people.says(customer, text)
        self.service.pull_all()
        return self.conversation(customer)

    def conversation(self, customer=CUSTOMER):
        return self.service.look(lambda tx: tx.one(ConversationRow, recipient=customer)).id

    def colleague_says(self, text, customer=CUSTOMER):
        self.world.people.servicer_says(SERVICER, customer, text)

    def phone(self, customer=CUSTOMER):
        return self.world.world.arrived(customer)

    @property
    def calls(self):
        """How often a message was handed to the platform."""
        made = self.world.world.calls
        return made[SEND] + made[SEND_ON_EVENT]

    # HTTP

    def call(self, scope, method, path, **given):
        headers = {"Authorization": f"Bearer {self.keys[scope]}"} | given.pop("headers", {})
        return self.client.request(method, path, headers=headers, **given)

    def ok(self, *request, **given):
        response = self.call(*request, **given)
        assert response.status_code in (200, 201), (request, response.status_code, response.text)
        return response.json()

    def talk(self, cid=None):
        return self.ok("agent", "GET", f"/v1/conversations/{cid or self.conversation()}")

    def turn(self, text, cid=None, chat_type="private", **draft):
        cid = cid or self.conversation()
        messages = self.talk(cid)["messages"]
        conversation = {"id": cid, "chatType": chat_type, "subject": "松月里 5-1602", "messages": messages}
        return {"id": "t-1", "conversation": conversation, "draft": {"text": text, "agentId": "ag-1"} | draft}

    def posted(self, text=GOOD, cid=None, key=None, chat_type="private", **draft):
        """Post a draft; gives the response as it came."""
        headers = {"Idempotency-Key": key or f"key-{next(self._numbers)}"}
        return self.call("agent", "POST", "/v1/drafts", json=self.turn(text, cid, chat_type, **draft), headers=headers)

    def post(self, text=GOOD, cid=None, **kind):
        response = self.posted(text, cid, **kind)
        assert response.status_code == 200, response.text
        return response.json()

    def post_good(self, cid=None, **kind):
        return self.post(GOOD, cid, citations=[GOOD_CITATION], **kind)

    def post_bad(self, cid=None, **kind):
        return self.post(BAD, cid, **kind)

    def rewrite(self, draft, text=GOOD, citations=(GOOD_CITATION,)):
        body = {"text": text, "agentId": "ag-1", "citations": list(citations)}
        return self.ok("agent", "POST", f"/v1/drafts/{draft['draftId']}/rewrite", json=body)

    def spent(self, draft):
        """The agent cannot rewrite: the draft waits for a person."""
        return self.ok("agent", "POST", f"/v1/drafts/{draft['draftId']}/rewrite", json={"error": "no"})

    def draft(self, draft):
        return self.ok("agent", "GET", f"/v1/drafts/{draft['draftId']}")

    def order(self, draft, **changed):
        """What an approval says was shown."""
        shown = self.draft(draft)
        newest = self.talk(shown["conversationId"])["newestMessageId"]
        return {"version": shown["version"], "textSha256": shown["textSha256"], "lastSeenMessageId": newest} | changed

    def approve(self, draft, scope="operator", **changed):
        path = f"/v1/drafts/{draft['draftId']}/approve"
        return self.call(scope, "POST", path, json=self.order(draft, **changed))

    def write(self, text, cid=None, request=None, **changed):
        """A person sends their own words; gives the response."""
        cid = cid or self.conversation()
        body = {
            "text": text,
            "clientRequestId": request or f"r-{next(self._numbers)}",
            "lastSeenMessageId": self.talk(cid)["newestMessageId"],
        } | changed
        return self.call("operator", "POST", f"/v1/conversations/{cid}/manual-send", json=body)

    def carry(self):
        """Let the timed work run once: deadlines, then everything that is due to leave."""
        from gateway.jobs import expire

        self.service.run(expire)
        return self.service.carry_all()

    def deliveries(self):
        return self.ok("agent", "GET", "/v1/deliveries")

    def inbox(self):
        return self.ok("agent", "GET", "/v1/inbox")["items"]


def _reached(platform):
    """How the platform is reached: a running simulator, or settings of a test's own."""
    return platform if isinstance(platform, WeComSettings) else platform.settings(read_timeout=READ_TIMEOUT)


def _keys(tx):
    scopes = {"agent": ["agent"], "channel": ["channel"], "operator": ["operator"], "wang": ["operator"]}
    return {name: people.add_key(tx, name=name, scopes=given, actor="t")[1] for name, given in scopes.items()}


def refused(response, status, code):
    """An answer that says no with this code; gives the error."""
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert error["code"] == code, error
    return error
