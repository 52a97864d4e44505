"""How the simulated platform tells and moves sessions: the table of moves, and the codes that moves give."""

from typing import Any

from outbound.session import SessionState
from outbound.simulator.lookup import TWO_DAYS, Refused, account_in, settle, talk_in
from outbound.simulator.world import Account, Json, Talk, World

FAREWELL_SECONDS = 20
UNHANDLED, ASSISTANT, POOL, HUMAN, ENDED = SessionState
MOVES = {(UNHANDLED, POOL), (UNHANDLED, HUMAN), (ASSISTANT, POOL), (ASSISTANT, HUMAN), (POOL, HUMAN), (HUMAN, HUMAN)}
MOVES |= {(HUMAN, ENDED)}
UNVERIFIED_MOVES = {(UNHANDLED, ENDED), (ASSISTANT, ENDED), (POOL, ENDED)}


class Moving:
    """`kf/service_state/get`, `kf/service_state/trans` and `kf/servicer/list`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def state_get(self, body: Json) -> Json:
        """Tell who holds a session."""
        talk = self._talk(body)
        told = {"servicer_userid": talk.servicer} if talk.state is HUMAN and talk.servicer else {}
        return {"service_state": int(talk.state), **told}

    def state_trans(self, body: Json) -> Json:
        """Move a session; raises no event, gives a code at the first move to each of 2, 3 and for 4."""
        talk = self._talk(body)
        to = _state(body.get("service_state"))
        self._check_move(talk, to)
        account = self._world.accounts[talk.account]
        talk.servicer = _receiving(account, body.get("servicer_userid")) if to is HUMAN else None
        talk.state = to
        if to is ENDED:
            return {"msg_code": self._world.issue_code(talk, to, FAREWELL_SECONDS, menus=True)}
        if to in talk.coded:
            return {}
        talk.coded.add(to)
        return {"msg_code": self._world.issue_code(talk, to, TWO_DAYS, menus=False)}

    def servicer_list(self, body: Json) -> Json:
        """List an account's people: here status 0 is receiving; departments are not expanded."""
        account = account_in(self._world, body)
        people: list[Json] = [{"userid": u, "status": int(not on)} for u, on in account.servicers.items()]
        return {"servicer_list": people + [{"department_id": number} for number in account.departments]}

    def _talk(self, body: Json) -> Talk:
        talk = talk_in(self._world, account_in(self._world, body), body.get("external_userid"))
        settle(self._world, talk)
        return talk

    def _check_move(self, talk: Talk, to: SessionState) -> None:
        if talk.state is ENDED:
            raise Refused(self._world.knobs.ended_move_errcode, "session ended")
        allowed = MOVES | UNVERIFIED_MOVES if self._world.knobs.api_may_end else MOVES
        if (talk.state, to) not in allowed:
            raise Refused(95016, "illegal service state transition")


def _receiving(account: Account, servicer: Any) -> str:
    if not isinstance(servicer, str) or servicer not in account.servicers:
        raise Refused(95014, "not an active servicer")
    if not account.servicers[servicer]:
        raise Refused(95019, "servicer stopped")
    return servicer


def _state(value: Any) -> SessionState:
    if type(value) is not int or value not in set(SessionState):
        raise Refused(40035, "invalid service_state")
    return SessionState(value)
