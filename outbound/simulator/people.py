"""What people do on the simulated platform: the customer on the phone, servicers in the WeCom client."""

from typing import Any

from outbound.session import SessionState
from outbound.simulator.lookup import TWO_DAYS, window_over
from outbound.simulator.world import ACCOUNT, Account, Bubble, Talk, World

GREETING_SECONDS = 20
TAKEN, HANDED_ON, ENDED, RETAKEN = 1, 2, 3, 4  # change_type of session_status_change


class People:
    """The control side of the simulator. Ids are the platform's `external_userid` and `userid`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def open_account(self, account: str, name: str = "", *, manageable: bool = True) -> None:
        """Add a kf account without people."""
        with self._world.lock:
            self._world.accounts[account] = Account(account, name or account, manageable=manageable)

    def says(self, customer: str, text: str, account: str = ACCOUNT) -> str:
        """Let a customer write a text; gives the entry's id."""
        return self.sends(customer, "text", {"content": text}, account)

    def sends(self, customer: str, kind: str, content: dict[str, Any], account: str = ACCOUNT) -> str:
        """Let a customer send any kind of message: `content` is what stands under the kind's name."""
        with self._world.lock:
            talk = self._talk(account, customer)
            self._wake(talk)
            menu = "menu_id" in content
            if not menu or self._world.knobs.menu_click_gives_quota:
                talk.used = 0
            talk.wrote_at = self._world.now()
            msgid = self._message(talk, 3, kind, content)
            talk.bubbles.append(
                Bubble(msgid, "customer", str(content.get("content", f"[{kind}]")), talk.wrote_at, kind)
            )
            return msgid

    def enters(self, customer: str, scene: str = "demo", account: str = ACCOUNT) -> str | None:
        """Let a customer open the chat; gives the welcome code if the platform would hand one out."""
        with self._world.lock:
            talk = self._talk(account, customer)
            code = None
            if self._may_greet(talk):
                code = self._world.issue_code(talk, None, GREETING_SECONDS, menus=True)
                talk.greeted_at = self._world.now()
            extra = {"welcome_code": code} if code else {}
            self._world.event(talk, "enter_session", scene=scene, scene_param="", **extra)
            return code

    def recalls(self, customer: str, msgid: str, account: str = ACCOUNT) -> None:
        """Let a customer take back a message."""
        with self._world.lock:
            talk = self._talk(account, customer)
            for bubble in talk.bubbles:
                bubble.recalled = bubble.recalled or bubble.msgid == msgid
            self._world.event(talk, "user_recall_msg", recall_msgid=msgid)

    def refuses(self, customer: str, *, on: bool = True, account: str = ACCOUNT) -> None:
        """Let a customer switch our messages off (or on again): what we send then fails later with type 10."""
        with self._world.lock:
            talk = self._talk(account, customer)
            talk.refuses = on
            self._world.event(talk, "reject_customer_msg_switch_change", reject_switch=int(on))

    def takes(self, servicer: str, customer: str, account: str = ACCOUNT) -> str | None:
        """Let a servicer take a session in the client; gives the event code if there is one."""
        with self._world.lock:
            talk = self._talk(account, customer)
            before, old = talk.state, talk.servicer
            change = {SessionState.HUMAN: HANDED_ON, SessionState.ENDED: RETAKEN}.get(before, TAKEN)
            talk.state, talk.servicer = SessionState.HUMAN, servicer
            code = None
            if change == TAKEN:
                code = self._world.issue_code(talk, SessionState.HUMAN, TWO_DAYS, menus=False)
            self._changed(talk, change, old, servicer, code)
            return code

    def servicer_says(self, servicer: str, customer: str, text: str, account: str = ACCOUNT) -> str:
        """Let a servicer write in the client, taking the session first if it is not theirs."""
        with self._world.lock:
            talk = self._talk(account, customer)
            if talk.servicer != servicer:
                self.takes(servicer, customer, account)
            talk.used += self._world.knobs.servicer_text_uses_quota
            msgid = self._message(talk, 5, "text", {"content": text}, servicer_userid=servicer)
            talk.bubbles.append(Bubble(msgid, servicer, text, self._world.now()))
            return msgid

    def ends(self, customer: str, account: str = ACCOUNT) -> str:
        """Let the servicer end the session in the client; gives the code for a farewell."""
        with self._world.lock:
            talk = self._talk(account, customer)
            old = talk.servicer
            talk.state, talk.servicer = SessionState.ENDED, None
            code = self._world.issue_code(talk, SessionState.ENDED, GREETING_SECONDS, menus=True)
            self._changed(talk, ENDED, old, None, code)
            return code

    def sets_status(self, servicer: str, *, receiving: bool, account: str = ACCOUNT) -> None:
        """Let a servicer start or stop receiving; the event says 1 and 2 where the list says 0 and 1."""
        with self._world.lock:
            self._world.accounts[account].servicers[servicer] = receiving
            inside = {
                "event_type": "servicer_status_change",
                "servicer_userid": servicer,
                "status": 1 if receiving else 2,
                "stop_type": 0,
                "open_kfid": account,
            }
            self._world.record(account, {"origin": 4, "msgtype": "event", "event": inside})

    def _talk(self, account: str, customer: str) -> Talk:
        if account not in self._world.accounts:
            raise ValueError(f"there is no account {account}: open it first")
        return self._world.talk(account, customer)

    def _wake(self, talk: Talk) -> None:
        """A customer's message starts a session: with us, or with people where the account is set so."""
        if talk.state is not SessionState.ENDED and not window_over(self._world, talk):
            return
        talk.coded.clear()
        talk.servicer = None
        talk.state = SessionState.UNHANDLED
        if self._world.knobs.people_first:
            ready = [user for user, receiving in self._world.accounts[talk.account].servicers.items() if receiving]
            talk.servicer = ready[0] if ready else None
            talk.state = SessionState.HUMAN if ready else SessionState.POOL

    def _may_greet(self, talk: Talk) -> bool:
        recent = self._world.now() - TWO_DAYS
        return all(at is None or at < recent for at in (talk.greeted_at, talk.wrote_at))

    def _message(self, talk: Talk, origin: int, kind: str, content: dict[str, Any], **extra: str) -> str:
        where = {"open_kfid": talk.account, "external_userid": talk.customer}
        return self._world.record(talk.account, {**where, "origin": origin, "msgtype": kind, kind: content, **extra})

    def _changed(self, talk: Talk, change: int, old: str | None, new: str | None, code: str | None) -> None:
        fields = {"old_servicer_userid": old, "new_servicer_userid": new, "msg_code": code}
        given = {name: value for name, value in fields.items() if value}
        self._world.event(talk, "session_status_change", change_type=change, **given)
