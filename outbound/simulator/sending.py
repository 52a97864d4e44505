"""How the simulated platform takes messages: ids, contents, session, window, quota, event codes."""

import secrets

import regex  # type: ignore[import-untyped]  # ships no type information

from outbound.session import SessionState
from outbound.simulator.lookup import Refused, account_in, settle, talk_in, window_over
from outbound.simulator.world import Account, Bubble, EventCode, Json, Talk, World

MAX_TEXT = 2048
QUOTA = 5
CUSTOMER_REFUSES = 10
MSGID = regex.compile(r"[0-9A-Za-z_-]{1,32}+")


class Sending:
    """`kf/send_msg` and `kf/send_msg_on_event`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def send_msg(self, body: Json) -> Json:
        """Take a message to a customer, within session state, window and quota."""
        account = account_in(self._world, body)
        talk = talk_in(self._world, account, body.get("touser"))
        msgid = self._msgid(account, body)
        text = self._content(body)
        self._check_session(talk)
        self._use_quota(talk)
        if talk.state is SessionState.UNHANDLED and self._world.knobs.assistant_after_reply:
            talk.state = SessionState.ASSISTANT
        return self._deliver(talk, msgid, text)

    def send_msg_on_event(self, body: Json) -> Json:
        """Take the one message that an event's code allows."""
        code = self._code(body)
        if body.get("msgtype") == "msgmenu" and not code.menus:
            raise Refused(40008, "invalid message type")
        msgid = self._msgid(self._world.accounts[code.talk.account], body)
        text = self._content(body)
        if self._world.knobs.event_text_uses_quota:
            self._use_quota(code.talk)
        code.used = True
        return self._deliver(code.talk, msgid, text)

    def fail_message(self, msgid: str, fail_type: int) -> None:
        """Let the message with this id not arrive; an unknown id changes nothing."""
        for talk in self._world.talks.values():
            for bubble in talk.bubbles:
                if bubble.msgid == msgid:
                    self._fail(talk, bubble, fail_type)

    def _code(self, body: Json) -> EventCode:
        code = self._world.codes.get(str(body.get("code", "")))
        late = Refused(self._world.knobs.late_code_errcode, "invalid code")
        if code is None or code.used or code.until < self._world.now():
            raise late
        if code.state is not None and code.state is not code.talk.state:
            raise late
        return code

    def _use_quota(self, talk: Talk) -> None:
        if talk.used >= QUOTA:
            raise Refused(95001, "send msg count limit")
        talk.used += 1

    def _deliver(self, talk: Talk, msgid: str, text: str) -> Json:
        self._world.accounts[talk.account].msgids.add(msgid)
        bubble = Bubble(msgid, "api", text, self._world.now())
        talk.bubbles.append(bubble)
        if talk.refuses:
            self._fail(talk, bubble, CUSTOMER_REFUSES)
        return {"msgid": msgid}

    def _fail(self, talk: Talk, bubble: Bubble, fail_type: int) -> None:
        bubble.failed = fail_type
        self._world.event(talk, "msg_send_fail", fail_msgid=bubble.msgid, fail_type=fail_type)

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
        inside = body.get(kind) if kind in ("text", "msgmenu") else None
        if not isinstance(inside, dict):
            raise Refused(40008, "invalid message type")
        content = inside.get("content" if kind == "text" else "head_content")
        if not isinstance(content, str) or not content.strip():
            raise Refused(44004, "empty content")
        return self._fitted(content)

    def _fitted(self, content: str) -> str:
        raw = content.encode()
        if len(raw) <= MAX_TEXT:
            return content
        if self._world.knobs.long_text == "cut":
            return raw[:MAX_TEXT].decode(errors="replace")
        raise Refused(self._world.knobs.long_text_errcode, "exceed max length 2048")

    def _check_session(self, talk: Talk) -> None:
        if window_over(self._world, talk):
            settle(self._world, talk)
            raise Refused(self._world.knobs.window_errcode, "out of 48 hours")
        if talk.state.with_people:
            raise Refused(95018, "send msg session status invalid")
        if talk.state is SessionState.ENDED:
            raise Refused(self._world.knobs.ended_send_errcode, "session ended")
