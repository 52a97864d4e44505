"""What the simulated platform answers to an app's calls, by the rules of its public documentation."""

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from outbound.simulator.desk import Desk
from outbound.simulator.lookup import Refused, account_in
from outbound.simulator.moving import Moving
from outbound.simulator.sending import Sending
from outbound.simulator.world import CORP_ID, SECRET, Account, Json, World

MOST = 1000
DAY = 86400


class Platform:
    """The app's side of the simulator: `calls` maps a path to a function of its body; the errcode 0 is added later."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.sending = Sending(world)
        self.desk = Desk()
        moving = Moving(world)
        self.calls: Mapping[str, Callable[[Json], Json]] = {
            "kf/send_msg": self.sending.send_msg,
            "kf/send_msg_on_event": self.sending.send_msg_on_event,
            "kf/sync_msg": self.sync_msg,
            "kf/service_state/get": moving.state_get,
            "kf/service_state/trans": moving.state_trans,
            "kf/servicer/list": moving.servicer_list,
            "kf/customer/batchget": self.customer_batchget,
            "kf/account/list": self.account_list,
            "message/send": self.desk.message,
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
        if self._world.knobs.new_token_ends_old:
            self._world.tokens = dict.fromkeys(self._world.tokens, 0.0)
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

    def sync_msg(self, body: Json) -> Json:
        """Give a page of an account's log after a cursor; without one, from the oldest entry of the kept days."""
        account = account_in(self._world, body)
        self._check_pull(account, body.get("token"))
        limit = min(_number(body, "limit", MOST), MOST, self._world.knobs.page_size)
        start = self._start(account, str(body.get("cursor") or ""))
        if account.empty_pages:
            account.empty_pages -= 1
            return {"next_cursor": _cursor(start), "has_more": 1, "msg_list": []}
        page = account.log[start : start + limit]
        end = start + len(page)
        return {"next_cursor": _cursor(end), "has_more": int(end < len(account.log)), "msg_list": page}

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
        offset, limit = _number(body, "offset", 0), _number(body, "limit", 100)
        chosen = list(self._world.accounts.values())[offset : offset + limit]
        return {"account_list": [_account_row(account) for account in chosen]}

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
            number = cursor.partition(".")[0]
            if not number.isdecimal() or int(number) > len(account.log):
                raise Refused(40058, "invalid cursor")
            return int(number)
        oldest = self._world.now() - self._world.knobs.history_days * DAY
        return next((i for i, row in enumerate(account.log) if row["send_time"] >= oldest), len(account.log))


def _account_row(account: Account) -> Json:
    return {
        "open_kfid": account.open_kfid,
        "name": account.name,
        "avatar": "",
        "manage_privilege": account.manageable,
    }


def _cursor(place: int) -> str:
    return f"{place}.{secrets.token_hex(4)}"


def _number(body: Json, name: str, otherwise: int) -> int:
    value = body.get(name)
    return value if type(value) is int and value >= 0 else otherwise
