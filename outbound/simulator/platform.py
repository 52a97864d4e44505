"""What the simulated platform answers to an app's calls, by the rules of its public documentation."""

import secrets
from collections.abc import Callable, Mapping
from typing import Any

import regex  # type: ignore[import-untyped]  # ships no type information

from outbound.session import SessionState
from outbound.simulator.people import GREETING_SECONDS, TWO_DAYS
from outbound.simulator.world import CORP_ID, SECRET, Account, Bubble, Json, Talk, World

MAX_TEXT = 2048
QUOTA = 5
CUSTOMER_REFUSES = 10
MSGID = regex.compile(r"[0-9A-Za-z_-]{1,32}+")
MOVES = {
    (SessionState.UNHANDLED, SessionState.POOL),
    (SessionState.UNHANDLED, SessionState.HUMAN),
    (SessionState.ASSISTANT, SessionState.POOL),
    (SessionState.ASSISTANT, SessionState.HUMAN),
    (SessionState.POOL, SessionState.HUMAN),
    (SessionState.HUMAN, SessionState.HUMAN),
    (SessionState.HUMAN, SessionState.ENDED),
}
UNVERIFIED_MOVES = {(state, SessionState.ENDED) for state in (SessionState(0), SessionState(1), SessionState(2))}


class Refused(Exception):  # named by what happened
    """The platform says no: `errcode` and words."""

    def __init__(self, errcode: int, errmsg: str) -> None:
        super().__init__(errmsg)
        self.errcode = errcode
        self.errmsg = errmsg


class Platform:
    """The app's side of the simulator: one method per call, JSON in, JSON out without the errcode 0."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.calls: Mapping[str, Callable[[Json], Json]] = {
            "kf/send_msg": self.send_msg,
            "kf/send_msg_on_event": self.send_msg_on_event,
            "kf/sync_msg": self.sync_msg,
            "kf/service_state/get": self.state_get,
            "kf/service_state/trans": self.state_trans,
            "kf/servicer/list": self.servicer_list,
            "kf/customer/batchget": self.customer_batchget,
            "kf/account/list": self.account_list,
        }

    def gettoken(self, query: Mapping[str, str]) -> Json:
        """Hand out a token for the right corp and secret."""
        if query.get("corpid") != CORP_ID:
            raise Refused(40013, "invalid corpid")
        if query.get("corpsecret") != SECRET:
            raise Refused(40001, "invalid credential")
        now, lifetime = self._world.now(), self._world.knobs.token_lifetime
        living = [token for token, until in self._world.tokens.items() if until > now]
        if living and self._world.knobs.same_token_while_valid:
            return {"access_token": living[-1], "expires_in": int(self._world.tokens[living[-1]] - now)}
        token = secrets.token_urlsafe(32)
        self._world.tokens[token] = now + lifetime
        return {"access_token": token, "expires_in": lifetime}

    def check_token(self, token: str) -> None:
        """Refuse a token that is missing, unknown or over."""
        if not token:
            raise Refused(41001, "access_token missing")
        if token not in self._world.tokens:
            raise Refused(40014, "invalid access_token")
        if self._world.tokens[token] <= self._world.now():
            raise Refused(self._world.knobs.expired_token_errcode, "access_token expired")

    def send_msg(self, body: Json) -> Json:
        """Take a message to a customer, within session state, window and quota."""
        account = self._account(body)
        talk = self._talk(account, body.get("touser"))
        msgid = self._msgid(account, body)
        text = self._content(body)
        self._check_session(talk)
        if talk.used >= QUOTA:
            raise Refused(95001, "send msg count limit")
        talk.used += 1
        if talk.state is SessionState.UNHANDLED and self._world.knobs.assistant_after_reply:
            talk.state = SessionState.ASSISTANT
        return self._deliver(talk, msgid, text)

    def send_msg_on_event(self, body: Json) -> Json:
        """Take the one message that an event's code allows."""
        code = self._world.codes.get(str(body.get("code", "")))
        late = Refused(self._world.knobs.late_code_errcode, "invalid code")
        if code is None or code.used or code.until < self._world.now():
            raise late
        talk = code.talk
        if code.state is not None and code.state is not talk.state:
            raise late
        if body.get("msgtype") == "msgmenu" and not code.menus:
            raise Refused(40008, "invalid message type")
        msgid = self._msgid(self._world.accounts[talk.account], body)
        text = self._content(body)
        if self._world.knobs.event_text_uses_quota:
            if talk.used >= QUOTA:
                raise Refused(95001, "send msg count limit")
            talk.used += 1
        code.used = True
        return self._deliver(talk, msgid, text)

    def sync_msg(self, body: Json) -> Json:
        """Give a page of an account's log after a cursor; without one, from the oldest entry of the kept days."""
        account = self._account(body)
        self._check_pull(account, body.get("token"))
        limit = min(int(body.get("limit") or 1000), 1000, self._world.knobs.page_size)
        start = self._start(account, str(body.get("cursor") or ""))
        if account.empty_pages:
            account.empty_pages -= 1
            return {"next_cursor": f"{start}.{secrets.token_hex(4)}", "has_more": 1, "msg_list": []}
        page = account.log[start : start + limit]
        end = start + len(page)
        more = int(end < len(account.log))
        return {"next_cursor": f"{end}.{secrets.token_hex(4)}", "has_more": more, "msg_list": page}

    def state_get(self, body: Json) -> Json:
        """Tell who holds a session."""
        talk = self._talk(self._account(body), body.get("external_userid"))
        self._settle(talk)
        told = {"servicer_userid": talk.servicer} if talk.state is SessionState.HUMAN and talk.servicer else {}
        return {"service_state": int(talk.state), **told}

    def state_trans(self, body: Json) -> Json:
        """Move a session; raises no event, gives a code at the first move to each of 2, 3 and for 4."""
        account = self._account(body)
        talk = self._talk(account, body.get("external_userid"))
        self._settle(talk)
        to = _state(body.get("service_state"))
        self._check_move(talk, to)
        servicer = self._receiving(account, body.get("servicer_userid")) if to is SessionState.HUMAN else None
        talk.state, talk.servicer = to, servicer
        if to is SessionState.ENDED:
            return {"msg_code": self._world.issue_code(talk, to, GREETING_SECONDS, menus=True)}
        if to in talk.coded:
            return {}
        talk.coded.add(to)
        return {"msg_code": self._world.issue_code(talk, to, TWO_DAYS, menus=False)}

    def servicer_list(self, body: Json) -> Json:
        """List an account's people: here status 0 is receiving; departments are not expanded."""
        account = self._account(body)
        people: list[Json] = [{"userid": u, "status": int(not on)} for u, on in account.servicers.items()]
        return {"servicer_list": people + [{"department_id": number} for number in account.departments]}

    def customer_batchget(self, body: Json) -> Json:
        """Name customers who ever met one of the accounts."""
        asked = body.get("external_userid_list")
        if not isinstance(asked, list) or not 1 <= len(asked) <= 100:
            raise Refused(40058, "invalid external_userid_list")
        known = {talk.customer for talk in self._world.talks.values()}
        found = [{"external_userid": c, "nickname": c, "avatar": "", "gender": 0} for c in asked if c in known]
        return {"customer_list": found, "invalid_external_userid": [c for c in asked if c not in known]}

    def account_list(self, body: Json) -> Json:
        """List kf accounts, page by page."""
        offset, limit = int(body.get("offset") or 0), int(body.get("limit") or 100)
        chosen = list(self._world.accounts.values())[offset : offset + limit]
        rows = [
            {"open_kfid": a.open_kfid, "name": a.name, "avatar": "", "manage_privilege": a.manageable} for a in chosen
        ]
        return {"account_list": rows}

    def fail_message(self, msgid: str, fail_type: int) -> None:
        """Let the message with this id not arrive; an unknown id changes nothing."""
        for talk in self._world.talks.values():
            for bubble in talk.bubbles:
                if bubble.msgid == msgid:
                    self._fail(talk, bubble, fail_type)

    def _fail(self, talk: Talk, bubble: Bubble, fail_type: int) -> None:
        bubble.failed = fail_type
        self._world.event(talk, "msg_send_fail", fail_msgid=bubble.msgid, fail_type=fail_type)

    def _deliver(self, talk: Talk, msgid: str, text: str) -> Json:
        self._world.accounts[talk.account].msgids.add(msgid)
        bubble = Bubble(msgid, "api", text, self._world.now())
        talk.bubbles.append(bubble)
        if talk.refuses:
            self._fail(talk, bubble, CUSTOMER_REFUSES)
        return {"msgid": msgid}

    def _account(self, body: Json) -> Account:
        open_kfid = body.get("open_kfid")
        if not isinstance(open_kfid, str) or not open_kfid:
            raise Refused(95000, "invalid open_kfid")
        if open_kfid not in self._world.accounts:
            raise Refused(95004, "open_kfid not exist")
        return self._world.accounts[open_kfid]

    def _talk(self, account: Account, customer: Any) -> Talk:
        found = self._world.talks.get((account.open_kfid, customer)) if isinstance(customer, str) else None
        if found is None:
            raise Refused(40096, "invalid external userid")
        if not account.manageable:
            raise Refused(48007, "kf account not authorised")
        return found

    def _msgid(self, account: Account, body: Json) -> str:
        msgid = body.get("msgid")
        if msgid is None:
            return secrets.token_urlsafe(20)
        if not isinstance(msgid, str) or not MSGID.fullmatch(msgid):
            raise Refused(40058, "invalid msgid")
        if msgid in account.msgids:
            raise Refused(self._world.knobs.duplicate_msgid_errcode, "msgid repeated")
        return msgid

    def _content(self, body: Json) -> str:
        kind = body.get("msgtype")
        if kind == "msgmenu":
            return str(body.get("msgmenu", {}).get("head_content", ""))
        if kind != "text":
            raise Refused(40008, "invalid message type")
        content = (body.get("text") or {}).get("content")
        if not isinstance(content, str) or not content.strip():
            raise Refused(44004, "empty content")
        raw = content.encode()
        if len(raw) <= MAX_TEXT:
            return content
        if self._world.knobs.long_text == "cut":
            return raw[:MAX_TEXT].decode(errors="replace")
        raise Refused(self._world.knobs.long_text_errcode, "exceed max length 2048")

    def _check_session(self, talk: Talk) -> None:
        if talk.wrote_at is not None and self._world.now() - talk.wrote_at > TWO_DAYS:
            self._settle(talk)
            raise Refused(self._world.knobs.window_errcode, "out of 48 hours")
        if talk.state.with_people:
            raise Refused(95018, "send msg session status invalid")
        if talk.state is SessionState.ENDED:
            raise Refused(self._world.knobs.ended_send_errcode, "session ended")

    def _settle(self, talk: Talk) -> None:
        """A session lasts 48 hours from the customer's last message."""
        if talk.wrote_at is None or self._world.now() - talk.wrote_at > TWO_DAYS:
            talk.state, talk.servicer = SessionState.ENDED, None

    def _check_move(self, talk: Talk, to: SessionState) -> None:
        if talk.state is SessionState.ENDED:
            raise Refused(self._world.knobs.ended_move_errcode, "session ended")
        allowed = MOVES | UNVERIFIED_MOVES if self._world.knobs.api_may_end else MOVES
        if (talk.state, to) not in allowed:
            raise Refused(95016, "illegal service state transition")

    def _receiving(self, account: Account, servicer: Any) -> str:
        if not isinstance(servicer, str) or servicer not in account.servicers:
            raise Refused(95014, "not an active servicer")
        if not account.servicers[servicer]:
            raise Refused(95019, "servicer stopped")
        return servicer

    def _check_pull(self, account: Account, token: Any) -> None:
        now = self._world.now()
        if token:
            owner, until = self._world.sync_tokens.get(str(token), ("", 0))
            if owner != account.open_kfid or until < now:
                raise Refused(95007, "invalid token")
            return
        wait = self._world.knobs.sync_seconds_without_token
        if wait and account.synced_at is not None and now - account.synced_at < wait:
            raise Refused(45009, "api freq out of limit")
        account.synced_at = now

    def _start(self, account: Account, cursor: str) -> int:
        if cursor:
            number = cursor.split(".", maxsplit=1)[0]
            if not number.isdecimal() or int(number) > len(account.log):
                raise Refused(40058, "invalid cursor")
            return int(number)
        oldest = self._world.now() - self._world.knobs.history_days * 86400
        return next((i for i, row in enumerate(account.log) if row["send_time"] >= oldest), len(account.log))


def _state(value: Any) -> SessionState:
    if type(value) is not int or value not in set(SessionState):
        raise Refused(40035, "invalid service_state")
    return SessionState(value)
