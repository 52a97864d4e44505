"""The caller: makes the signed calls to agents, several at the same time, none of them on the path of a request."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from typing import Any

import httpx2
import structlog

from gateway import agent_calls, hooks
from gateway.agent_calls import Answer, Call
from gateway.settings import Settings
from gateway.tx import Tx
from gateway.vault import Vault
from outbound.wecom.wire import quiet_http_logs

log = structlog.get_logger(__name__)
RunTx = Callable[[Callable[[Tx], Any]], Any]
SLOTS = 16
CONNECT, READ = 5.0, 10.0  # seconds; an agent acknowledges at once and works afterwards
ASKED_TO_WAIT = (429, 503)


class Caller:
    """Calls agents; `transport` replaces the network in tests."""

    def __init__(
        self,
        run: RunTx,
        settings: Settings,
        clock: Callable[[], datetime],
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        quiet_http_logs()  # an agent's address may hold a secret
        self._run = run
        self._clock = clock
        self._vault = Vault(settings.secret_key)
        self._transport = transport
        self._http: httpx2.Client | None = None  # made when it is needed: many installations call nobody
        self._threads = ThreadPoolExecutor(SLOTS, thread_name_prefix="caller")
        self._lock = threading.Lock()
        self._running: dict[Future[None], str] = {}

    def call_due(self) -> int:
        """Start the calls that are due and for which there is room; gives how many."""
        with self._lock:
            busy = Counter(self._running.values())
        free = SLOTS - busy.total()
        calls: list[Call] = self._run(lambda tx: agent_calls.claim(tx, free, busy)) if free else []
        for call in calls:
            future = self._threads.submit(self._carry, call)
            with self._lock:
                self._running[future] = call.account
            future.add_done_callback(self._done)
        return len(calls)

    def finish(self) -> None:
        """Wait for the calls that run."""
        with self._lock:
            running = list(self._running)
        wait(running)

    def close(self) -> None:
        """Finish the running calls and let go of the connections."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        if self._http is not None:
            self._http.close()

    def _done(self, future: "Future[None]") -> None:
        with self._lock:
            self._running.pop(future, None)
        error = None if future.cancelled() else future.exception()
        if error is not None:
            log.error("agent_call_failed", error=type(error).__name__)  # its lease ends, then it is made again

    def _carry(self, call: Call) -> None:
        answer = self._posted(call)
        state = self._run(lambda tx: agent_calls.settle(tx, call, answer))
        if state == "dead":
            log.warning("dead_letter", inbox=call.id, account=call.account, answer=answer.told)

    def _posted(self, call: Call) -> Answer:
        opened = [self._vault.open(sealed, hooks.purpose(call.account)) for sealed in call.sealed_secrets]
        signing = [secret for secret in opened if secret is not None]
        if not signing:
            return Answer(None, "its secret cannot be opened: was DRAFTGATE_SECRET_KEY changed? Set the webhook again")
        body = json.dumps(call.body, ensure_ascii=False, separators=(",", ":")).encode()
        signed = hooks.headers(signing, call.id, int(self._clock().timestamp()), body)
        try:
            with self._client().stream("POST", call.url, content=body, headers=signed) as response:
                return Answer(response.status_code, after=_after(response))
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return Answer(None, type(error).__name__)

    def _client(self) -> httpx2.Client:
        with self._lock:
            if self._http is None:
                self._http = httpx2.Client(
                    timeout=httpx2.Timeout(READ, connect=CONNECT),
                    transport=self._transport,
                    trust_env=False,
                    follow_redirects=False,
                    headers={"User-Agent": "draftgate"},
                )
            return self._http


def _after(response: httpx2.Response) -> timedelta | None:
    told = response.headers.get("retry-after", "")
    if response.status_code not in ASKED_TO_WAIT or not (told.isascii() and told.isdecimal() and len(told) <= 6):
        return None
    return timedelta(seconds=int(told))
