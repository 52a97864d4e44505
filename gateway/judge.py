"""The optional extra `judge`: one call to an OpenAI-compatible endpoint, within a hard limit of time and size.

The call is made outside of any transaction. Whatever goes wrong is a SilentError with a few words: the text that was
sent, the key, and what the endpoint wrote appear in none of them.
"""

import asyncio
import importlib.util
import json
import threading
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as Late
from typing import Any

import structlog

from gateway.settings import Settings
from verifier.counsel import SilentError

log = structlog.get_logger(__name__)
MOST_BYTES = 200_000  # of an endpoint's whole answer
CALLS = 8  # at the same time, from one process
PATIENCE = 0.5  # seconds that the limit of time may be overdrawn while a call is taken back


class JudgeMissingError(ValueError):
    """The extra is not installed; the message says how to install it."""


class JudgeClient:
    """Asks the judge; safe to use from several threads.

    The calls run on a loop of their own, so that a limit of time holds for the whole of a call: for a name that is not
    resolved, a connection that is not made, and an answer that drips in byte by byte.
    """

    def __init__(self, url: str, model: str, key: str, seconds: float) -> None:
        self._url, self._model, self._key, self._seconds = url, model, key, seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._openai: Any = None
        self._client: Any = None
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(CALLS)

    def __call__(self, orders: str, told: str) -> str:
        """Give the judge's answer. Raises SilentError."""
        loop = self._running()
        if not self._free.acquire(blocking=False):
            raise SilentError("the judge has its hands full")
        future: Future[str] = asyncio.run_coroutine_threadsafe(self._within(orders, told), loop)
        future.add_done_callback(lambda _: self._free.release())
        try:
            return future.result(self._seconds + PATIENCE)
        except (Late, TimeoutError):
            future.cancel()
            raise SilentError(f"no answer within {self._seconds:g} s") from None
        except CancelledError:
            raise SilentError("the gateway stops") from None

    def warm_up(self) -> None:
        """Load the library, which takes seconds, before the first customer waits for it."""
        self._running()

    def close(self) -> None:
        """End the calls and the loop."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop, self._client = None, None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                import openai.resources.chat  # here, so that no call's limit of time pays for it

                self._openai = openai
                self._client = self._connected()
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run, args=(self._loop, self._client), name="judge", daemon=True).start()
            return self._loop

    def _connected(self) -> Any:
        # A redirect would carry the key off.
        http = self._openai.DefaultAsyncHttpxClient(trust_env=False, follow_redirects=False)
        key = self._key or "none"
        return self._openai.AsyncOpenAI(base_url=self._url, api_key=key, max_retries=0, timeout=None, http_client=http)

    async def _within(self, orders: str, told: str) -> str:
        openai = self._openai
        try:
            async with asyncio.timeout(self._seconds):
                return _content(await self._posted(orders, told))
        except openai.APITimeoutError:
            raise SilentError(f"no answer within {self._seconds:g} s") from None
        except openai.APIStatusError as error:
            raise SilentError(f"the endpoint answered with status {error.status_code}") from None
        except openai.OpenAIError as error:
            raise SilentError(f"the endpoint cannot be reached ({type(error).__name__})") from None
        except (SilentError, TimeoutError, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001  # fail closed: it broke off in a way of its own
            log.warning("judge_broke_off", error=type(error).__name__)
            raise SilentError(f"the endpoint broke off ({type(error).__name__})") from None

    async def _posted(self, orders: str, told: str) -> bytes:
        call = self._client.chat.completions.with_streaming_response.create(
            model=self._model,
            messages=[{"role": "system", "content": orders}, {"role": "user", "content": told}],
            temperature=0,
            response_format={"type": "json_object"},
        )
        async with call as response:
            body = b""
            async for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise SilentError(f"the endpoint's answer is larger than {MOST_BYTES} bytes")
            return body


def _run(loop: asyncio.AbstractEventLoop, client: Any) -> None:
    loop.run_forever()
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(client.close())
    loop.close()


def _content(body: bytes) -> str:
    """Take the judge's words out of the endpoint's answer."""
    try:
        words = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise SilentError("the endpoint's answer is no chat completion") from None
    if not isinstance(words, str):
        raise SilentError("the endpoint's answer holds no words")
    return words


def judge_of(settings: Settings) -> JudgeClient | None:
    """Make the client that the settings describe, None where they name no judge.

    Raises JudgeMissingError when the extra is not installed.
    """
    if not settings.judge_url:
        return None
    if importlib.util.find_spec("openai") is None:
        raise JudgeMissingError("the judge needs an extra: pip install 'draftgate[judge]'")
    key = settings.judge_key.get_secret_value()
    return JudgeClient(settings.judge_url, settings.judge_model, key, settings.judge_seconds)
