"""Real encrypted callbacks of the simulated platform: sealed, signed, repeated when nobody answers."""

import heapq
import itertools
import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass, field

import httpx2

from outbound.simulator.world import CORP_ID, World
from outbound.wecom.crypto import CallbackKeys, callback_keys, encrypt, signature

TOKEN = "simulated"  # noqa: S105  # opens nothing but this simulator's callbacks
AES_KEY = "simulatedSimulatedSimulatedSimulatedSimulat"
PATIENCE = 5.0  # seconds in which an answer must come
RETRIES = 3
FATES = ("drop", "repeat", "hold")


@dataclass(frozen=True, slots=True)
class Knock:
    """One callback as it goes over the wire; a retry is the same bytes."""

    account: str
    query: dict[str, str]
    body: bytes


@dataclass(order=True, slots=True)
class _Job:
    due: float
    number: int
    knock: Knock = field(compare=False)
    tries: int = field(compare=False, default=0)


class Callbacks:
    """Tell an address that the log changed. Silent until `point` names one; `answers` lists what came back."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._wake = threading.Condition()
        self._jobs: list[_Job] = []
        self._fates: deque[str] = deque()
        self._held: list[Knock] = []
        self._number = itertools.count()
        self._thread: threading.Thread | None = None
        self._url = ""
        self._keys: CallbackKeys | None = None
        self.answers: list[tuple[str, int | None]] = []

    def point(self, url: str, token: str = TOKEN, aes_key: str = AES_KEY) -> None:
        """Send callbacks to this address from now on, sealed with these secrets."""
        self._keys = callback_keys(token, aes_key, CORP_ID)
        self._url = url
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="wecom-callbacks", daemon=True)
            self._thread.start()

    def plan(self, fate: str, times: int = 1) -> None:
        """Let the next callbacks be dropped, sent twice, or held until after the one that follows."""
        if fate not in FATES:
            raise ValueError(f"{fate} is no fate; there are {', '.join(FATES)}")
        self._fates.extend([fate] * times)

    def heard(self, account: str) -> None:
        """Take note that an account's log has a new entry."""
        if self._keys is None:
            return
        knock = self._sealed(account, self._keys)
        fate = self._fates.popleft() if self._fates else ""
        if fate == "drop":
            return
        if fate == "hold":
            self._held.append(knock)
            return
        self._add(knock, *([knock] if fate == "repeat" else []), *self._held)
        self._held.clear()

    def clear(self) -> None:
        """Forget what was to be sent and what came back; the address stays."""
        with self._wake:
            self._jobs.clear()
        self._fates.clear()
        self._held.clear()
        self.answers.clear()

    def stop(self) -> None:
        """Send nothing any more and forget the address."""
        self.clear()
        with self._wake:
            self._thread = self._keys = None
            self._wake.notify_all()

    def _sealed(self, account: str, keys: CallbackKeys) -> Knock:
        now = self._world.now()
        inner = (
            f"<xml><ToUserName><![CDATA[{CORP_ID}]]></ToUserName><CreateTime>{now}</CreateTime>"
            "<MsgType><![CDATA[event]]></MsgType><Event><![CDATA[kf_msg_or_event]]></Event>"
            f"<Token><![CDATA[{self._world.sync_token(account)}]]></Token>"
            f"<OpenKfId><![CDATA[{account}]]></OpenKfId></xml>"
        )
        sealed = encrypt(keys, inner, secrets.token_bytes(16))
        query = {"timestamp": str(now), "nonce": secrets.token_hex(8)}
        query["msg_signature"] = signature(keys, query["timestamp"], query["nonce"], sealed)
        outer = f"<xml><ToUserName>{CORP_ID}</ToUserName><Encrypt>{sealed}</Encrypt><AgentID>0</AgentID></xml>"
        return Knock(account, query, outer.encode())

    def _add(self, *knocks: Knock) -> None:
        with self._wake:
            for knock in knocks:
                heapq.heappush(self._jobs, _Job(time.monotonic(), next(self._number), knock))
            self._wake.notify_all()

    def _run(self) -> None:
        with httpx2.Client(timeout=PATIENCE, trust_env=False) as http:
            while (job := self._next()) is not None:
                status = self._posted(http, job.knock)
                self.answers.append((job.knock.account, status))
                failed = status is None or (status != httpx2.codes.OK and self._world.knobs.retry_callback_on_error)
                if failed and job.tries < RETRIES:
                    self._again(job)

    def _next(self) -> _Job | None:
        """Wait for the next job that is due; None when stopped."""
        with self._wake:
            while self._thread is threading.current_thread():
                wait = self._jobs[0].due - time.monotonic() if self._jobs else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._jobs)
                self._wake.wait(wait)
            return None

    def _posted(self, http: httpx2.Client, knock: Knock) -> int | None:
        try:
            return http.post(self._url, params=knock.query, content=knock.body).status_code
        except httpx2.HTTPError:
            return None

    def _again(self, job: _Job) -> None:
        due = time.monotonic() + self._world.knobs.callback_retry_seconds
        with self._wake:
            heapq.heappush(self._jobs, _Job(due, next(self._number), job.knock, job.tries + 1))
