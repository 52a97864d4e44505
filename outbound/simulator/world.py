"""The simulated platform's memory: its clock, accounts, customers, sessions, log and tokens."""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from outbound.session import SessionState
from outbound.simulator.knobs import Knobs

Json = dict[str, Any]
CORP_ID = "ww_simulated_corp"
SECRET = "simulated-secret"  # noqa: S105  # opens nothing but this simulator
ACCOUNT = "wk_simulated"
SERVICER = "servicer_lin"


@dataclass(slots=True)
class Bubble:
    """One message as the customer's phone shows it; `failed` is the fail_type of one that never arrived."""

    msgid: str
    by: str  # customer, api, or a servicer's id
    text: str
    at: int
    kind: str = "text"
    failed: int | None = None
    recalled: bool = False


@dataclass(slots=True)
class EventCode:
    """A code that allows one message: until `until`, and only while the session is still in `state`."""

    talk: "Talk"
    until: int
    state: SessionState | None  # None: the greeting, valid whatever the state
    menus: bool = False
    used: bool = False


@dataclass(slots=True)
class Talk:
    """One customer with one account. `used` counts our messages since the customer's last one."""

    account: str
    customer: str
    state: SessionState = SessionState.ENDED
    servicer: str | None = None
    wrote_at: int | None = None
    greeted_at: int | None = None
    used: int = 0
    refuses: bool = False
    coded: set[SessionState] = field(default_factory=set)  # states that gave their code in this session
    bubbles: list[Bubble] = field(default_factory=list)


@dataclass(slots=True)
class Account:
    """A kf account with its people (id: receiving?) and its log."""

    open_kfid: str
    name: str
    servicers: dict[str, bool] = field(default_factory=dict)
    departments: list[int] = field(default_factory=list)
    manageable: bool = True
    log: list[Json] = field(default_factory=list)
    msgids: set[str] = field(default_factory=set)
    empty_pages: int = 0
    synced_at: int | None = None


class World:
    """Everything the platform knows. All changes happen under `lock`; `listener` hears of each new log entry."""

    def __init__(self, knobs: Knobs | None = None) -> None:
        self.lock = threading.RLock()
        self.knobs = knobs or Knobs()
        self.listener: Callable[[str], None] = lambda _account: None
        self.calls: Counter[str] = Counter()
        self.reset()

    def reset(self) -> None:
        """Forget everything but the knobs; one account with one receiving servicer remains."""
        with self.lock:
            self.shift = 0.0
            self.calls.clear()
            self.accounts = {ACCOUNT: Account(ACCOUNT, "Simulated desk", {SERVICER: True})}
            self.talks: dict[tuple[str, str], Talk] = {}
            self.tokens: dict[str, float] = {}
            self.codes: dict[str, EventCode] = {}
            self.sync_tokens: dict[str, tuple[str, int]] = {}

    def now(self) -> int:
        """Unix seconds on the simulator's own clock."""
        return int(time.time() + self.shift)

    def advance(self, seconds: float) -> None:
        """Move the clock forward; sessions, codes and tokens age with it."""
        with self.lock:
            self.shift += seconds

    def talk(self, account: str, customer: str) -> Talk:
        """Give a customer's talk with an account, new when they meet first."""
        return self.talks.setdefault((account, customer), Talk(account, customer))

    def issue_code(self, talk: Talk, state: SessionState | None, seconds: int, *, menus: bool) -> str:
        """Hand out a code for one message on an event."""
        code = "CODE" + secrets.token_urlsafe(18)
        self.codes[code] = EventCode(talk, self.now() + seconds, state, menus)
        return code

    def record(self, account: str, entry: Json) -> str:
        """Append to an account's log, tell the listener, give the entry's id."""
        # inbound ids are longer than any id we may use ourselves: 44 characters as seen in the field
        msgid = secrets.token_urlsafe(33)
        self.accounts[account].log.append({"msgid": msgid, "send_time": self.now(), **entry})
        self.listener(account)
        return msgid

    def event(self, talk: Talk, event_type: str, **fields: Any) -> str:
        """Append an event; account and customer sit inside it, not at the top."""
        inside = {"event_type": event_type, "open_kfid": talk.account, "external_userid": talk.customer, **fields}
        return self.record(talk.account, {"origin": 4, "msgtype": "event", "event": inside})

    def sync_token(self, account: str) -> str:
        """Give the token that a callback carries: good for ten minutes of frequent pulling."""
        token = "ENC" + secrets.token_urlsafe(24)
        self.sync_tokens[token] = (account, self.now() + 600)
        return token

    def arrived(self, customer: str, account: str | None = None) -> list[str]:
        """List the texts from our side that the customer's phone shows, oldest first."""
        with self.lock:
            talks = [t for t in self.talks.values() if t.customer == customer and account in (None, t.account)]
            return [b.text for t in talks for b in t.bubbles if b.by == "api" and b.failed is None]
